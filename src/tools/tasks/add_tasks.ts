/** Adds many tasks from quick text (docs: tasks, "Making"). */
import { asksForPlan, assertPlanFits, planName } from "../../vault/plan.js";
import { joined, said, type Wording, counted } from "../../text/wording.js";
import { isVaultError } from "../../errors.js";
import type { AddedTask, PlannedTask } from "../../tasks/api.js";
import { DURABLE, durabilityNote, undoAllLines, UNDOABLE, OPERATION, PLAN } from "../file-view.js";
import {
  boolean,
  array,
  count,
  object,
  optional,
  string,
  type Infer,
  unlisted,
  objects,
  optionalObjects,
} from "../schema.js";
import { excerpt, oneLine, unlessEmpty } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { fieldsOf, otherFields } from "./write-view.js";
import { shownFacts, shownText, viewOf } from "./task-view.js";

const RANGE = {
  from: optional(count("With allFields: where it begins in text, in UTF-16 units")),
  to: optional(count("With allFields: where it ends")),
};

const output = object({
  planned: optionalObjects("With plan: what each line would become; nothing was written", "A line", {
    line: count("Its line in text, from 1"),
    title: string("Title; may be empty"),
    read: objects("The fields read, in the order of the line", "A field", {
      field: string("As update_task names it"),
      value: string("What was read"),
      ...RANGE,
    }),
    unread: optionalObjects("What looks like a sign or a day and is not read", "A text", {
      text: string("As written"),
      reason: string("Why it stays in the title"),
      ...RANGE,
    }),
    problem: optional(string("Why the text cannot be added because of this line")),
    open: optional(string("Id of an open task of this title")),
  }),
  plan: optional(string("Give it with the same call to carry this out")),
  refused: optionalObjects("Lines that make no task; the others were added", "A line that was not added", {
    line: count("Its line in text, from 1"),
    title: string("Its words"),
    reason: string("Why it makes no task"),
  }),
  added: objects("The tasks in the order of the text", "A task", {
    title: string("Title"),
    id: optional(string("Task id; absent for a checkbox that the vault's settings make no task")),
    place: optional(string("The note's path, or the id of a checkbox; absent where it is the id")),
    understood: array(string(), "What was read of the line, a fact each"),
    facts: optionalObjects("With allFields: the same as data", "A fact", {
      kind: optional(string("due, scheduled, start, priority, ...")),
      words: string("The fact without its day"),
      day: optional(string("YYYY-MM-DD")),
      time: optional(string("HH:MM")),
    }),
  }),
  operation: optional(OPERATION),
  adjustments: optional(array(string(), "What was written otherwise than given, in words")),
  remarks: optional(array(string(), "What was not read of the lines, and open tasks of the same titles")),
  undoable: optional(UNDOABLE),
  durable: optional(DURABLE),
});
export type AddTasksAnswer = Infer<typeof output>;

export const addTasks = defineTool({
  name: "add_tasks",
  title: "Add tasks",
  toolset: "tasks",
  effect: "adds",
  description:
    'Adds a task for each line: "Call Anna tomorrow !high #phone @home +Kitchen ~30m every week after [[Task]]". Deeper lines are subtasks.',
  input: object({
    text: string("The lines, at most 50", { role: "text", minLength: 1, maxLength: 20_000 }),
    note: optional(
      string("Note that gets them as checkboxes, or today, this week; default: a note each", {
        role: "noteOrPeriod",
      }),
    ),
    heading: optional(string("Section of that note", { role: "heading" })),
    area: optional(string("Area of all", { maxLength: 200 })),
    template: unlisted(string("Template of the notes")),
    plan: optional(PLAN),
    allFields: unlisted(
      boolean("Also days as data, and where each part of a plan is in the text, as the page needs them"),
    ),
  }),
  output,
  failure: "❌ Error adding tasks:",
  async run({ plan, allFields, ...draft }, { workspace, log, say }) {
    log.debug(plan === undefined ? "Adding tasks" : "Planning tasks");
    const vault = await workspace.current();
    const explained = async (error: unknown): Promise<never> => {
      if (draft.note !== undefined && isVaultError(error, "FILE_NOT_FOUND")) await vault.notes.locate(draft.note);
      throw error;
    };
    if (plan !== undefined) {
      const full = (await vault.tasks.planMany(draft).catch(explained)).map(plannedView);
      const name = planName([draft, full]);
      const planned = allFields ? full : full.map(withoutRanges);
      if (asksForPlan(plan)) return { planned, plan: name, added: [] };
      assertPlanFits(plan, name, "lines, tasks or the day");
    }
    const { tasks, refused, adjustments, remarks, operation, undoable, durable } = await vault.tasks
      .addMany(draft)
      .catch(explained);
    return {
      refused: unlessEmpty(
        refused.map(({ line, title, reason }) => {
          const [why = ""] = say([reason]);
          return { line, title: shownText(title), reason: oneLine(why) };
        }),
      ),
      added: tasks.map((one) => addedView(one, vault, allFields)),
      operation,
      adjustments: unlessEmpty(say(adjustments).map(oneLine)),
      remarks: unlessEmpty(remarks.map(oneLine)),
      undoable,
      durable: durable ? undefined : false,
    };
  },
  text: words,
});

type AddedView = AddTasksAnswer["added"][number];

function addedView({ task, title, place }: AddedTask, vault: OpenVault, allFields = false): AddedView {
  if (task === undefined) {
    const words = `in ${oneLine(place)}, a checkbox that does not count as a task`;
    return { title: shownText(title), place, understood: [words], facts: allFields ? [{ words }] : undefined };
  }
  const view = viewOf(task, undefined, true);
  const today = vault.vault.clock.today();
  const dated = shownFacts(view, today);
  const others = [
    view.area === undefined ? undefined : `area ${view.area}`,
    view.parentProjects && `projects ${view.parentProjects.join(", ")}`,
    view.tags && `tags ${view.tags.join(", ")}`,
    ...otherFields(fieldsOf(task), { start: view.start, today }),
  ].filter((words) => words !== undefined);
  const facts = [
    ...dated,
    ...others.map((words) => ({ words, text: words, kind: undefined, day: undefined, time: undefined })),
  ];
  return {
    title: view.title,
    id: task.id,
    place: place === task.id ? undefined : place,
    understood: facts.map(({ text }) => text),
    facts: allFields ? facts.map(({ kind, words, day, time }) => ({ kind, words, day, time })) : undefined,
  };
}

type Planned = NonNullable<AddTasksAnswer["planned"]>;

function plannedView({ open, problem, title, ...line }: PlannedTask): Planned[number] {
  return {
    ...line,
    title: shownText(title),
    read: line.read.map((one) => ({ ...one, value: shownText(one.value) })),
    unread: unlessEmpty(line.unread.map((one) => ({ ...one, text: shownText(one.text) }))),
    problem: problem === undefined ? undefined : oneLine(problem),
    open: open?.id,
  };
}

const withoutRanges = ({ read, unread, ...line }: Planned[number]): Planned[number] => ({
  ...line,
  read: read.map(({ field, value }) => ({ field, value })),
  unread: unread?.map(({ text, reason }) => ({ text, reason })),
});

function planInWords(planned: Planned, name: string): string {
  const lines = planned.map(({ line, title, read, unread = [], problem, open }) => {
    const parts = [
      ...read.map(({ field, value }) => `${field} ${value}`),
      ...unread.map(({ text, reason }) => `not read: "${text}" (${reason})`),
      ...(open === undefined ? [] : [`open already (id ${open})`]),
      ...(problem === undefined ? [] : [`cannot be added: ${problem}`]),
    ];
    return `${line}. ${title}${parts.length === 0 ? "" : `: ${parts.join("; ")}`}`;
  });
  return ["Nothing was written. The lines would become:", ...lines, `Plan: ${name}`].join("\n");
}

function words({
  planned,
  plan = "",
  refused = [],
  added,
  adjustments = [],
  remarks = [],
  operation,
  undoable,
  durable,
}: AddTasksAnswer): Wording {
  if (planned !== undefined) return planInWords(planned, plan);
  const lines = [
    ...refused.map(
      ({ line, title, reason }) => `Not added: line ${line}${title && ` "${excerpt(title, 80)}"`}: ${reason}`,
    ),
    `Added ${counted(added.length, "task")}.`,
    ...added.map(({ title, id, understood }, at) => {
      const facts = id === undefined ? understood : [`id ${oneLine(id)}`, ...understood];
      return `${at + 1}. ${title}: ${facts.join("; ")}`;
    }),
    ...adjustments,
    ...remarks,
    ...undoAllLines(operation, undoable ?? false),
  ];
  return said`${joined(lines)}${durabilityNote(durable !== false)}`;
}
