/** How task tools show a task: schema, structured form and text. */
import { describeDay } from "../../dates/read-day.js";
import { PRIORITY_NAMES } from "../../tasks/fields/field-table.js";
import { isClosed, type Task, type TaskProblem } from "../../tasks/task.js";
import { describeRule } from "../../tasks/recurrence/series.js";
import type { LocalDate } from "../../clock.js";
import type { Waiting } from "../../tasks/relations.js";
import { formatMinutes } from "../../tasks/fields/property-values.js";
import { shownHash } from "../../text/hash.js";
import { deepLink } from "../file-view.js";
import { array, boolean, count, integer, object, optional, string, type Infer, unlisted } from "../schema.js";
import { excerpt, oneLine } from "../safe-text.js";
import type { OpenVault } from "../workspace.js";

/** The longest list in an answer; totals count all. */
export const LIST_LIMIT = 100;

export const NAMED_TASK = { id: string("Task id"), title: string("Title") };

/** Of one task, and of lists with `allFields`, as the page asks. */
const FURTHER_PROPERTIES = {
  path: optional(string("The note's path in the vault")),
  tags: optional(array(string(), "Tags without #")),
  contexts: optional(array(string(), "Contexts")),
  archived: optional(boolean("True for an archived task")),
  revision: optional(string("Identifies the task as it is now, for expectedRevision")),
  line: optional(integer("The line of a checkbox in its note", { minimum: 1 })),
  statuses: optional(array(string(), "Of a line: the statuses it can be set to; absent when all")),
};

/** In a list; empty and usual values are omitted. */
export const TASK_PROPERTIES = {
  id: string("Task id; give it to get_task and update_task"),
  title: string("Title, on one line"),
  status: string("To Do, In Progress, Blocked, Done, Cancelled, or the note's own word"),
  priority: optional(string("Priority; absent: Medium", { enum: PRIORITY_NAMES })),
  due: optional(string("Due date, YYYY-MM-DD")),
  dueTime: optional(string("HH:MM")),
  area: optional(string("Area")),
  parentProjects: optional(array(string(), "Parent projects")),
  scheduled: optional(string("Scheduled date, YYYY-MM-DD")),
  scheduledTime: optional(string("HH:MM")),
  start: optional(string("Not before this date, YYYY-MM-DD")),
  completed: optional(string("The day it, or an instance sought, was done")),
  timeEstimate: optional(count("Estimate in minutes")),
  waitsFor: optional(array(string(), "What holds it up, by title")),
  waitsForDue: optional(string("The earliest day that this is due, YYYY-MM-DD")),
  repeats: optional(string("Its rule in words where there are words for it")),
  remind: optional(array(string(), "In an agenda: its reminders of that day, HH:MM")),
  board: optional(string("Of a card: the name of its Kanban board")),
  lane: optional(string("Of a card: its lane")),
  ...FURTHER_PROPERTIES,
};

/** Not published: a model needs no more than the text says. */
export const ALL_FIELDS = unlisted(boolean("Every field of each task, as the page needs them"));

export const TASK_SCHEMA = object(TASK_PROPERTIES, "A task");

/** From which days are counted in words. */
export const TODAY = string("Today, YYYY-MM-DD");

export const ONE_TASK_PROPERTIES = {
  ...TASK_PROPERTIES,
  path: string("The note's path in the vault"),
  revision: string("Identifies the task as it is now, for expectedRevision"),
  priority: string("Priority", { enum: PRIORITY_NAMES }),
  today: TODAY,
  areaOf: optional(string("The project that the area is of, where the task names none")),
  link: optional(string("Opens the note in Obsidian")),
};
const ONE_TASK_SCHEMA = object(ONE_TASK_PROPERTIES);
export type OneTaskView = Infer<typeof ONE_TASK_SCHEMA>;

export const REMARKS = array(string(), "How days in words were read, and what else to know of this answer: sentences");

export type TaskView = Infer<typeof TASK_SCHEMA>;

/** Characters of a title, status or name that are shown. */
const SHOWN_LENGTH = 500;

export function shownText(text: string): string {
  return excerpt(text, SHOWN_LENGTH);
}

/** Ids and paths are exact, a note's texts on one line. */
export function viewOf(task: Task, waiting?: Waiting, allFields = false): TaskView {
  const { due, scheduled, times, completed, series, parentProjects } = task;
  return {
    id: task.id,
    title: shownText(task.title),
    status: shownText(task.status),
    priority: task.priority === "Medium" ? undefined : task.priority,
    due,
    ...(times && { dueTime: times.due, scheduledTime: times.scheduled }),
    completed: isClosed(task.status) ? completed : dayOver(task),
    scheduled,
    start: task.start,
    timeEstimate: task.timeEstimate,
    area: task.area === undefined ? undefined : shownText(task.area),
    parentProjects: firstShown(parentProjects, shownText),
    archived: task.archived || undefined,
    waitsFor: firstShown(waiting?.names ?? [], shownText),
    waitsForDue: waiting?.due,
    repeats: series && shownText(describeRule(series)),
    ...(task.board !== undefined && { board: shownText(task.board), lane: shownText(task.lane ?? "") }),
    ...(allFields && furtherFields(task)),
  };
}

/** The day of a series whose current instance is done. */
function dayOver({ series, scheduled, due }: Task): string | undefined {
  const day = scheduled ?? due;
  return day !== undefined && series?.completed.includes(day) === true ? day : undefined;
}

function furtherFields(task: Task) {
  return {
    path: task.path,
    tags: firstShown(task.tags, shownText),
    contexts: firstShown(task.contexts, shownText),
    revision: shownHash(task.revision),
    line: task.line,
    statuses: task.statuses,
  };
}

/** Undefined for an empty list. */
export function firstShown<Item, Shown>(
  items: readonly Item[],
  show: (item: Item) => Shown,
): readonly Shown[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, LIST_LIMIT).map(show);
}

export function oneTaskView(task: Task, vault: OpenVault, waiting?: Waiting): OneTaskView {
  return {
    ...viewOf(task, waiting, true),
    path: task.path,
    revision: shownHash(task.revision),
    priority: task.priority,
    today: vault.vault.clock.today(),
    areaOf: task.areaOf === undefined ? undefined : shownText(task.areaOf),
    link: deepLink(task.path, vault.linkName),
  };
}

/** The second block: `id task-x; due Fri 2026-11-27 (in 6 days); waits for: ...`. */
export function detailsOf(view: TaskView, today: string): string {
  return [`id ${oneLine(view.id)}`, ...shownFacts(view, today).map(({ text }) => text)].join("; ");
}

type FactKind =
  | "due"
  | "scheduled"
  | "start"
  | "priority"
  | "estimate"
  | "waits"
  | "repeats"
  | "remind"
  | "board"
  | "done";

/** Besides title and id, in the words of answers and the terminal. */
interface ShownFact {
  readonly kind: FactKind;
  /** `due Fri 2026-11-27 (in 6 days)`, `priority High`. */
  readonly text: string;
  readonly meaning: "overdue" | "today" | "blocked" | undefined;
  /** The text without its day and time: `due`. */
  readonly words: string;
  readonly day: string | undefined;
  readonly time: string | undefined;
  /** `Fri 2026-11-27 (in 6 days) at 15:00`; empty without a day. */
  readonly when: string;
}

export function shownFacts(view: Partial<TaskView>, today: string): readonly ShownFact[] {
  const { due, dueTime, scheduled, scheduledTime, start = "", completed } = view;
  const { priority, timeEstimate, repeats, board, lane, remind } = view;
  const isLate = due !== undefined && due < today && !isClosed(view.status ?? "");
  const meanings: { readonly [Kind in FactKind]?: ShownFact["meaning"] } = {
    due: isLate ? "overdue" : due === today ? "today" : undefined,
    waits: "blocked",
  };
  type Text = string | undefined;
  const rows: readonly (readonly [kind: FactKind, words: Text, day?: Text, time?: Text])[] = [
    ["due", due && "due", due, dueTime],
    ["scheduled", scheduled && "scheduled", scheduled, scheduledTime],
    ["start", start > today ? "starts" : undefined, start],
    ["priority", priority && priority !== "Medium" ? `priority ${priority}` : undefined],
    ["estimate", timeEstimate ? `estimate ${formatMinutes(timeEstimate)}` : undefined],
    ["waits", waitsText(view, today)],
    ["repeats", repeats && `repeats: ${repeats}`],
    ["remind", remind && `remind ${remind.join(", ")}`],
    ["board", board && `board ${board}, lane ${lane}`],
    ["done", completed && "done", completed],
  ];
  return rows.flatMap(([kind, words, day, time]) => {
    if (!words) return [];
    const when = day === undefined ? "" : `${dayInWords(day, today)}${time ? ` at ${time}` : ""}`;
    return [{ kind, text: `${words} ${when}`.trimEnd(), words, day, time, when, meaning: meanings[kind] }];
  });
}

function waitsText({ waitsFor = [], waitsForDue }: Partial<TaskView>, today: string): string | undefined {
  const [first, ...others] = waitsFor;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` [+${others.length}]`;
  const late = waitsForDue !== undefined && waitsForDue < today ? "overdue, " : "";
  return `waits for: ${first}${more}${waitsForDue === undefined ? "" : ` (${late}due ${waitsForDue})`}`;
}

/** `Fri 2026-11-27 (in 6 days)`. */
export function dayInWords(day: string, today: string): string {
  return describeDay(day as LocalDate, today as LocalDate);
}

/** Of the second block: `1: Paint the wall; id task-x; due ...`. */
export function numberedLine(task: TaskView, number: number, today: string): string {
  return `${number}: ${task.title}; ${detailsOf(task, today)}`;
}

export const PROBLEM_SCHEMA = object(
  {
    path: string("The note's path in the vault"),
    line: optional(integer("Line, from 1")),
    column: optional(integer("Column, from 1")),
    message: string("What is wrong"),
  },
  "A note or folder that could not be read whole",
);

export function problemView(problem: TaskProblem): Infer<typeof PROBLEM_SCHEMA> {
  const { path, message, line, column } = problem;
  return { path, message: shownText(message), line, column };
}

export function notCountedLines(texts: readonly string[]): string | undefined {
  const lines = texts.map(oneLine);
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** ` - Project: <first parent project>`, or empty. */
export function projectSuffix(task: TaskView): string {
  const project = task.parentProjects?.[0];
  return project === undefined ? "" : ` - Project: ${project}`;
}
