/** update_tasks: changes many tasks alike, at once or by a plan that is shown first (spec: tasks-2, section 9). */
import type { BulkOutcome, BulkUpdate, LeftOut, TaskChange } from "../../tasks/bulk/bulk.js";
import { givenInText } from "../../tasks/fields/arguments-table.js";
import type { TaskUpdates } from "../../tasks/service.js";
import { readArguments } from "../arguments/arguments.js";
import { DURABLE, durabilityNote } from "../durability.js";
import { array, count, object, optional, string, type Infer } from "../schema.js";
import { excerpt, oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { UNDOABLE } from "../undoable.js";
import { validatorFor } from "../validator.js";
import { changeInWords } from "./change-view.js";
import { LIST_LIMIT, NAMED_TASK, shown } from "./task-view.js";
import { updateTask } from "./update_task.js";

/** Of a plan so many changes are shown. */
const MOST_PLANNED = 20;
const REASON_LENGTH = 300;

const output = object({
  plan: optional(string("Give it with the same call to carry this out; absent when it was carried out")),
  operation: optional(string("op-…: give it to undo_edit to take all of it back")),
  total: count("How many tasks were meant"),
  updatedCount: count("How many were changed, or would be"),
  unchangedCount: count("How many were so already"),
  leftOutCount: count("How many were or would be left out"),
  updatedFields: array(string(), "The fields given, in the order given"),
  changes: array(
    object(
      {
        ...NAMED_TASK,
        change: string("What changes: due 2026-11-19 → 2026-11-23"),
        revision: optional(string("Identifies the task as it is after the change")),
      },
      "A task",
    ),
    "The first of those changed, in a plan at most 20",
    { maxItems: LIST_LIMIT },
  ),
  leftOut: array(
    object(
      {
        task: string("Its id, or what was given"),
        title: optional(string("Title; absent when no task was found")),
        reason: string("Why it was left out"),
      },
      "A task",
    ),
    "The first of those left out",
    { maxItems: LIST_LIMIT },
  ),
  adjustments: array(string(), "What is written otherwise than given, in words"),
  undoable: optional(UNDOABLE),
  durable: optional(DURABLE),
});
type Report = Infer<typeof output>;

export const updateTasks = defineTool({
  name: "update_tasks",
  title: "Update many tasks",
  toolset: "tasks",
  effect: "changes",
  description:
    "Changes many tasks alike. Up to 20 ids are done at once; more, or a selection, gives a plan first: the same call with it carries it out.",
  input: object({
    tasks: array(string(undefined, { minLength: 1 }), "Ids, or one Selection of search_tasks", {
      minItems: 1,
      maxItems: 500,
    }),
    updates: {
      type: "object",
      properties: {},
      additionalProperties: string(),
      minProperties: 1,
      description: 'As in update_task, all as text: {"dueDate": "monday"}; lists with commas',
    },
    plan: optional(string("Plan to carry out")),
  }),
  output,
  failure: "❌ Error updating tasks:",
  async run({ tasks, updates, plan }, { workspace, log, signal, onProgress }) {
    log.debug(`Updating tasks: ${tasks.length}`);
    const wanted = await readUpdates(updates);
    const vault = await workspace.current();
    const options = { plan, signal, ...(onProgress ? { onProgress } : {}) };
    return reportOf(await vault.tasks.updateMany(tasks, wanted, options));
  },
  text: words,
});

/** Texts as `updates` of update_task, by its rules. @throws VaultError INVALID_ARGUMENT naming what is wrong */
async function readUpdates(texts: Readonly<Record<string, string>>): Promise<TaskUpdates> {
  const { input, name } = updateTask;
  const updates = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, givenInText(key, text)]));
  const validate = await validatorFor(name, "input", input);
  return readArguments({ taskId: "-", updates }, input, validate).value["updates"] as TaskUpdates;
}

function reportOf(outcome: BulkOutcome): Report {
  const { total, updated, changes, leftOut, adjustments } = outcome;
  const changed = changes.filter((one) => one.changed);
  const most = outcome.kind === "plan" ? MOST_PLANNED : LIST_LIMIT;
  return {
    ...(outcome.kind === "plan" ? { plan: outcome.plan } : doneView(outcome)),
    total,
    updatedCount: changed.length,
    unchangedCount: changes.length - changed.length,
    leftOutCount: leftOut.length,
    updatedFields: updated,
    changes: changed.slice(0, most).map((one) => changeView(one, outcome.kind === "done")),
    leftOut: leftOut.slice(0, LIST_LIMIT).map(leftOutView),
    adjustments: adjustments.map(oneLine),
  };
}

function doneView({ operation, undoable, durable }: BulkUpdate) {
  return { ...(operation === undefined ? {} : { operation }), undoable, durable };
}

function changeView(change: TaskChange, isDone: boolean): Report["changes"][number] {
  const { after } = change;
  return {
    id: after.id,
    title: shown(after.title),
    change: changeInWords(change),
    ...(isDone ? { revision: after.revision } : {}),
  };
}

function leftOutView({ reference, title, reason }: LeftOut): Report["leftOut"][number] {
  return {
    task: excerpt(reference, REASON_LENGTH),
    ...(title === undefined ? {} : { title: shown(title) }),
    reason: excerpt(reason, REASON_LENGTH),
  };
}

function words(report: Report): string {
  const { plan, operation, total, updatedCount, unchangedCount, leftOutCount, changes, leftOut, undoable } = report;
  const lines = [
    plan === undefined
      ? `Updated ${updatedCount} of ${total} tasks.`
      : `${updatedCount} of ${total} tasks would change; nothing is written yet.`,
    ...report.adjustments,
    ...changes.map(({ title, change }, index) => `${index + 1}. ${title}: ${change}`),
    ...rest(updatedCount - changes.length),
    ...(unchangedCount === 0 ? [] : [`So already: ${unchangedCount}`]),
    ...(leftOutCount === 0 ? [] : [`Left out: ${leftOutCount}`]),
    ...leftOut.map(
      ({ task, title, reason }) => `- ${title === undefined ? task : `${title} (${oneLine(task)})`}: ${reason}`,
    ),
    ...rest(leftOutCount - leftOut.length),
    ...(plan === undefined ? [] : [`Plan: ${plan}`, "The same call with this plan carries it out."]),
    ...(operation === undefined || undoable === false
      ? []
      : [`undo_edit with path "${operation}" takes all of it back.`]),
  ];
  return lines.join("\n") + durabilityNote(report.durable ?? true);
}

function rest(count: number): readonly string[] {
  return count <= 0 ? [] : [`… and ${count} more`];
}
