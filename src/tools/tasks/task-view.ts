/** How the task tools show a task: schema, structured form and text. */
import { describeDay } from "../../dates/read-day.js";
import { linksAsText } from "../../markdown/plain-text.js";
import { PRIORITY_NAMES } from "../../tasks/fields/fields.js";
import { isOverdue } from "../../tasks/agenda.js";
import { isClosed, type Task, type TaskProblem } from "../../tasks/task.js";
import { describeRule } from "../../tasks/recurrence/task-series.js";
import { deepLink } from "../file-view.js";
import { array, boolean, integer, object, optional, string, type Infer } from "../schema.js";
import { excerpt, oneLine } from "../text.js";
import type { OpenVault } from "../workspace.js";

/** The longest list in an answer; totals count all. */
export const LIST_LIMIT = 100;

export const NAMED_TASK = { id: string("Task id"), title: string("Title") };

/** A task in every answer; empty values are omitted, because lists are long. */
export const TASK_PROPERTIES = {
  id: string("Task id; give it to get_task and update_task"),
  path: string("The note's path in the vault"),
  title: string("Title, on one line"),
  titleText: optional(string("The title with its links as text; absent when it has none")),
  status: string("To Do, In Progress, Blocked, Done or Cancelled; or the note's own word when it is none of these"),
  priority: string("Priority", { enum: PRIORITY_NAMES }),
  due: optional(string("Due date, YYYY-MM-DD; absent when there is none")),
  area: optional(string("Area; absent when unassigned")),
  areaOf: optional(string("The project that the area is of, where the task names none")),
  parentProjects: optional(array(string(), "Parent projects; absent when there are none")),
  tags: optional(array(string(), "Tags without #; absent when there are none")),
  contexts: optional(array(string(), "Contexts; absent when there are none")),
  archived: optional(boolean("True for an archived task; otherwise absent")),
  dueIn: optional(string("The due date for reading: Fri 2026-11-27 (in 6 days)")),
  overdue: optional(boolean("True when it is overdue; otherwise absent")),
  scheduled: optional(string("Scheduled date, YYYY-MM-DD")),
  scheduledIn: optional(string("The scheduled date for reading")),
  completedIn: optional(string("Of a task that is done: the day it was finished, for reading")),
  waitsFor: optional(array(string(), "What holds it up, by title")),
  repeats: optional(string("Its rule in words where there are words for it")),
  remind: optional(array(string(), "In an agenda: times of its reminders on that day, HH:MM")),
  revision: string("Identifies the task as it is now, for expectedRevision"),
  line: optional(integer("The line of a checkbox in its note", { minimum: 1 })),
  board: optional(string("Of a card: the name of its Kanban board")),
  lane: optional(string("Of a card: its lane")),
  statuses: optional(array(string(), "Of a line: the statuses it can be set to; absent when all")),
};

export const TASK_SCHEMA = object(TASK_PROPERTIES, "A task");

/** A task that an answer is about; list rows omit the link, which repeats the path. */
export const ONE_TASK_PROPERTIES = { ...TASK_PROPERTIES, link: optional(string("Opens the note in Obsidian")) };
const ONE_TASK_SCHEMA = object(ONE_TASK_PROPERTIES);

export const REMARKS = array(string(), "How days in words were read, and what else to know of this answer: sentences");

export type TaskView = Infer<typeof TASK_SCHEMA>;

/** Characters of a title, status or name that are shown. */
const SHOWN_LENGTH = 500;

/** Text of a note on one line and of limited length. */
export function shownText(text: string): string {
  return excerpt(text, SHOWN_LENGTH);
}

/**
 * Id and path exactly, the note's text on one line.
 * @param waitsFor names of what blocks it
 */
export function viewOf(task: Task, vault: OpenVault, waitsFor: readonly string[] = []): TaskView {
  const today = vault.vault.clock.today();
  const { due, scheduled, completed, series, parentProjects, tags, contexts } = task;
  const titleText = linksAsText(task.title);
  return {
    id: task.id,
    path: task.path,
    title: shownText(task.title),
    titleText: titleText === task.title ? undefined : shownText(titleText),
    status: shownText(task.status),
    priority: task.priority,
    due,
    dueIn: due && describeDay(due, today),
    overdue: isOverdue(task, today) || undefined,
    completedIn: isClosed(task.status) ? completed && describeDay(completed, today) : undefined,
    scheduled,
    scheduledIn: scheduled && describeDay(scheduled, today),
    area: task.area === undefined ? undefined : shownText(task.area),
    areaOf: task.areaOf === undefined ? undefined : shownText(task.areaOf),
    parentProjects: firstShown(parentProjects, shownText),
    tags: firstShown(tags, shownText),
    contexts: firstShown(contexts, shownText),
    archived: task.archived || undefined,
    waitsFor: firstShown(waitsFor, shownText),
    repeats: series && shownText(describeRule(series)),
    revision: task.revision,
    line: task.line,
    statuses: task.statuses,
    ...(task.board !== undefined && { board: shownText(task.board), lane: shownText(task.lane ?? "") }),
  };
}

/** Undefined for an empty list. */
export function firstShown<Item, Shown>(
  items: readonly Item[],
  show: (item: Item) => Shown,
): readonly Shown[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, LIST_LIMIT).map(show);
}

/** `viewOf` for an answer about one task. */
export function oneTaskView(
  task: Task,
  vault: OpenVault,
  waitsFor: readonly string[] = [],
): Infer<typeof ONE_TASK_SCHEMA> {
  return { ...viewOf(task, vault, waitsFor), link: deepLink(task.path, vault.linkName) };
}

/** The second block: `id task-x; due Fri 2026-11-27 (in 6 days); waits for: ...`. */
export function detailsOf(view: TaskView): string {
  return [`id ${oneLine(view.id)}`, ...rowFacts(view)].join("; ");
}

/** `due Fri 2026-11-27 (in 6 days)`, `priority High`: a task's facts besides its title and id. */
export function rowFacts(view: TaskView): readonly string[] {
  const { dueIn, scheduledIn, completedIn, priority, waitsFor = [], repeats, board, lane, remind } = view;
  const [first, ...others] = waitsFor;
  const facts: readonly (string | undefined)[] = [
    dueIn && `due ${dueIn}`,
    scheduledIn && `scheduled ${scheduledIn}`,
    priority === "Medium" ? undefined : `priority ${priority}`,
    first && `waits for: ${first}${others.length === 0 ? "" : ` [+${others.length}]`}`,
    repeats && `repeats: ${repeats}`,
    remind && `remind ${remind.join(", ")}`,
    board && `board ${board}, lane ${lane}`,
    completedIn && `done ${completedIn}`,
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** A line of the second block, with the task's number in the first: `1: Paint the wall; id task-x; due ...`. */
export function numberedLine(task: TaskView, number: number): string {
  return `${number}: ${task.title}; ${detailsOf(task)}`;
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

/** What an answer does not count, a line each. */
export function notCountedLines(...texts: readonly (string | undefined)[]): string | undefined {
  const lines = texts.filter((text) => text !== undefined).map(oneLine);
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** ` - Project: <first parent project>`, or empty. */
export function projectSuffix(task: TaskView): string {
  const project = task.parentProjects?.[0];
  return project === undefined ? "" : ` - Project: ${project}`;
}
