/** Changes many tasks alike (docs: tasks, "Many at once"). */
import type { BulkOutcome, TaskChange, SkippedTask } from "../../tasks/api.js";
import { joined, said, type Wording } from "../../text/wording.js";
import { givenInText, SETTABLE_FIELDS, type ShownField } from "../../tasks/fields/task-fields.js";
import type { TaskUpdates } from "../../tasks/service.js";
import { jsonIn, readArguments } from "../arguments/arguments.js";
import { DURABLE, durabilityNote, undoAllLines, UNDOABLE, OPERATION, PLAN } from "../file-view.js";
import { array, count, object, optional, string, type Infer, objects, optionalObjects, unlisted } from "../schema.js";
import { excerpt, oneLine, unlessEmpty } from "../safe-text.js";
import { defineTool, type RunContext } from "../tool.js";
import { validatorFor } from "../validator.js";
import { LIST_LIMIT, NAMED_TASK, shownText } from "./task-view.js";
import { UPDATE_FIELDS, updateTask } from "./update_task.js";
import { isSameKey } from "../../tasks/fields/spelling.js";
import type { Task } from "../../tasks/task.js";
import { fieldLines, propertyText } from "./write-view.js";

const MAX_PLANNED = 20;
const REASON_LENGTH = 300;

const output = object({
  plan: optional(string("Give it with the same call to carry this out; absent when it was carried out")),
  operation: optional(OPERATION),
  total: count("How many tasks were meant"),
  updatedCount: count("How many were changed, or would be"),
  unchangedCount: optional(count("How many were so already; absent: none")),
  leftOutCount: optional(count("How many were or would be skipped; absent: none")),
  changes: objects(
    "The first of those changed, in a plan at most 20",
    "A task",
    {
      ...NAMED_TASK,
      change: string("What changes: due 2026-11-19 → 2026-11-23"),
    },
    { maxItems: LIST_LIMIT },
  ),
  leftOut: optionalObjects(
    "Skipped tasks, by reason; at most 100 are named",
    "Tasks skipped for one reason",
    {
      reason: string("Why they were skipped"),
      count: count("How many they are"),
      tasks: objects("The first of them", "A task", {
        task: string("Its id, or what was given"),
        title: optional(string("Title; absent when no task was found")),
      }),
    },
    { maxItems: LIST_LIMIT },
  ),
  adjustments: optional(array(string(), "What is written otherwise than given, in words")),
  undoable: optional(UNDOABLE),
  durable: optional(DURABLE),
});
export type UpdateTasksAnswer = Infer<typeof output>;

export const updateTasks = defineTool({
  name: "update_tasks",
  title: "Update many tasks",
  toolset: "tasks",
  effect: "changes",
  description: "Changes many tasks alike. More than 20 return a plan first: repeat the call with it.",
  input: object({
    tasks: array(string(undefined, { minLength: 1 }), "Ids, or one Selection of search_tasks", {
      role: "tasks",
      minItems: 1,
      maxItems: 500,
    }),
    updates: {
      type: "object",
      properties: {},
      additionalProperties: string(undefined, { role: "value" }),
      role: "fields",
      minProperties: 1,
      description: 'As in update_task: {"dueDate": "monday"}; "+12 days" moves each task\'s own day',
    },
    plan: optional(PLAN),
    expectedRevisions: unlisted({
      type: "object",
      properties: {},
      additionalProperties: string(),
      description: "Leave out tasks that have changed since: task to revision",
    }),
  }),
  output,
  failure: "❌ Error updating tasks:",
  async run({ tasks, updates, plan, expectedRevisions }, { workspace, log, say, signal, onProgress }) {
    log.debug(`Updating tasks: ${tasks.length}`);
    const wanted = await readUpdates({ tasks, updates, plan });
    const vault = await workspace.current();
    const options = { plan, expectedRevisions, signal, onProgress };
    return reportOf(await vault.tasks.updateMany(tasks, wanted, options), say, Object.keys(wanted.properties ?? {}));
  },
  text: words,
});

/** After reading; hints name these. */
const WANTED = object({
  tasks: array(string()),
  updates: object(UPDATE_FIELDS, "The fields to change, at least one", { minProperties: 1 }),
  plan: optional(string()),
});

interface Given {
  readonly updates: Readonly<Record<string, string>>;
  readonly [argument: string]: unknown;
}

/** Parses texts as `updates` of update_task. */
async function readUpdates({ updates: texts, ...others }: Given): Promise<TaskUpdates> {
  const { input, name } = updateTask;
  const updates = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, isJson(text) ? mapIn(text) : givenInText(key, text)]),
  );
  const validate = await validatorFor(name, input);
  const read = readArguments({ ...others, updates }, WANTED, (value) =>
    validate({ taskId: "-", updates: (value as Given).updates }),
  );
  return read.value["updates"] as TaskUpdates;
}

/** A list or map given as such. */
const isJson = (text: string): boolean => /^\s*(?:\{|\[(?!\[))/.test(text);

/** As text, `{"add": ["x"]}` would be the only tag. */
const mapIn = (text: string): unknown => (/^\s*\{/.test(text) ? jsonIn(text) : text);

/** @param names of properties */
function reportOf(outcome: BulkOutcome, say: RunContext["say"], names: readonly string[]): UpdateTasksAnswer {
  const { total, changes, leftOut, adjustments } = outcome;
  const changed = changes.filter((one) => one.changed);
  const isPlan = outcome.kind === "plan";
  return {
    ...(isPlan
      ? { plan: outcome.plan }
      : {
          operation: outcome.operation,
          undoable: outcome.undoable,
          durable: outcome.durable ? undefined : false,
        }),
    total,
    updatedCount: changed.length,
    unchangedCount: changes.length - changed.length || undefined,
    leftOutCount: leftOut.length || undefined,
    changes: changed.slice(0, isPlan ? MAX_PLANNED : LIST_LIMIT).map((one) => changeView(one, isPlan, names)),
    leftOut: unlessEmpty(skippedByReason(leftOut)),
    adjustments: unlessEmpty(say(adjustments).map(oneLine)),
  };
}

function changeView(change: TaskChange, isPlan: boolean, names: readonly string[]) {
  const { before, after } = change;
  // A task that will be converted has its new id later.
  const { id, title } = isPlan && after.source !== before.source ? before : after;
  return { id, title: shownText(title), change: changeInWords(change, names) };
}

type LeftOut = NonNullable<UpdateTasksAnswer["leftOut"]>;

/** In order of first appearance. */
function skippedByReason(leftOut: readonly SkippedTask[]): LeftOut {
  type Group = LeftOut[number];
  const groups = new Map<string, { reason: string; count: number; tasks: Group["tasks"][number][] }>();
  for (const [at, { reference, title, reason }] of leftOut.entries()) {
    const text = excerpt(reason, REASON_LENGTH);
    const group = groups.get(text) ?? { reason: text, count: 0, tasks: [] };
    groups.set(text, group);
    group.count++;
    if (at < LIST_LIMIT)
      group.tasks.push({
        task: excerpt(reference, REASON_LENGTH),
        title: title === undefined ? undefined : shownText(title),
      });
  }
  return [...groups.values()].slice(0, LIST_LIMIT);
}

function leftOutLine({ reason, count, tasks }: LeftOut[number]): string {
  const names = tasks.map(({ task, title }) => (title === undefined ? oneLine(task) : `${title} (${oneLine(task)})`));
  const more = count > tasks.length ? ` and ${count - tasks.length} more` : "";
  return `- ${names.join(", ")}${more}: ${reason}`;
}

function words(report: UpdateTasksAnswer): Wording {
  const { plan, operation, total, updatedCount, changes, undoable } = report;
  const { unchangedCount = 0, leftOutCount = 0, leftOut = [], adjustments = [] } = report;
  const lines = [
    plan === undefined
      ? `Updated ${updatedCount} of ${total} tasks.`
      : `${updatedCount} of ${total} tasks would change; nothing is written yet.`,
    ...adjustments,
    ...changes.map(({ title, change }, index) => `${index + 1}. ${title}: ${change}`),
    ...(updatedCount > changes.length ? [`… and ${updatedCount - changes.length} more`] : []),
    ...(unchangedCount === 0 ? [] : [`Already so: ${unchangedCount}`]),
    ...(leftOutCount === 0 ? [] : [`Left out: ${leftOutCount}`]),
    ...leftOut.map(leftOutLine),
    ...(plan === undefined ? [] : [`Plan: ${plan}`, "The same call with this plan carries it out."]),
    ...undoAllLines(operation, undoable),
  ];
  return said`${joined(lines)}${durabilityNote(report.durable ?? true)}`;
}

/** In the order of an answer. */
const COMPARED: readonly (readonly [label: string, valueOf: (task: Task) => string | undefined])[] = [
  ["title", ({ title }) => title],
  ["status", ({ status }) => status],
  ["priority", ({ priority }) => priority],
  ["due", ({ due }) => due],
  ...SETTABLE_FIELDS.map((field) => [field.label.toLowerCase(), (task: Task) => valueIn(task, field)] as const),
  ["area", ({ area }) => area],
  ["projects", ({ parentProjects }) => parentProjects.join(", ")],
  ["tags", ({ tags }) => tags.join(", ")],
  ["waits for", ({ blockedBy }) => blockedBy.join(", ")],
  ["repeats", ({ series }) => series?.rule],
];

function valueIn(task: Task, field: ShownField): string | undefined {
  const [[, value] = []] = fieldLines(task, [field]);
  return value;
}

/** `due 2026-11-19 → 2026-11-23; status To Do → Done`. */
function changeInWords({ before, after, series, alsoChanged, passes }: TaskChange, names: readonly string[]): string {
  const keys = new Set(Object.keys({ ...before.properties, ...after.properties }));
  const properties = [...keys]
    .filter((key) => names.some((name) => isSameKey(key, name.trim())))
    .map((key) => [key, (task: Task) => propertyText(task.properties[key])] as const);
  const changes = [...COMPARED, ...properties].flatMap(([label, valueOf]) => {
    const [was, is] = [valueOf(before) || "none", valueOf(after) || "none"];
    return was === is ? [] : [`${label} ${shownText(was)} → ${shownText(is)}`];
  });
  const next = series?.next === undefined ? "" : `, next ${series.next}`;
  const instance = series?.day === undefined ? [] : [`${VERB[series.kind]} ${series.day}${next}`];
  const warning = passes === undefined ? [] : [`at or past the next instance, ${passes}`];
  const also = alsoChanged.length === 0 ? [] : [`also changes ${alsoChanged.map(oneLine).join(", ")}`];
  const form = after.source === "note" ? `becomes '${after.path}'` : `becomes a line of '${after.path}'`;
  const converted = after.source === before.source ? [] : [oneLine(form)];
  const all = [...instance, ...converted, ...changes, ...warning, ...also];
  return all.length === also.length ? ["other properties or text", ...also].join("; ") : all.join("; ");
}

const VERB = {
  done: "done for",
  skipped: "skips",
  reopened: "reopens",
  unchanged: "unchanged:",
  closed: "closes",
} as const;
