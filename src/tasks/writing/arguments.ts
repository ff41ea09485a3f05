/** Checks callers' drafts and updates (docs: tasks). */
import type { CleanDraft, CleanUpdates, NamedOccurrence, NewCheckbox } from "../format.js";
import { argument, said, type Wording } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import type { TaskDraft, TaskUpdates } from "../api.js";
import { ARGUMENTS, cleanValues } from "../fields/task-fields.js";
import type { Values } from "../fields/field-table.js";
import { cleanDay, type Cleaned } from "../fields/cleaning.js";
import type { CleanContext } from "../fields/field.js";
import { minutesIn } from "../fields/property-values.js";
import type { QuickTask } from "../quick-add/quick-line.js";
import { addMonths, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/days.js";
import type { VaultPath } from "../../storage/path.js";
import type { Task } from "../task.js";

export interface CheckedUpdates {
  readonly clean: CleanUpdates;
  readonly updated: readonly string[];
  readonly adjustments: readonly Wording[];
}

const DEFAULTS: Values = { status: "To Do", priority: "Medium" };

export function cleanDraft(draft: TaskDraft, context: CleanContext): CleanDraft {
  // Untyped callers may omit required fields.
  const { values, adjustments } = cleanValues({ ...draft, title: draft.title ?? "", area: draft.area ?? "" }, context);
  return {
    title: values.title ?? "",
    values: { ...DEFAULTS, ...values },
    description: draft.description ?? "",
    properties: draft.properties,
    adjustments,
  };
}

/** @throws INVALID_ARGUMENT */
export function cleanQuickTask(task: QuickTask, area: string | undefined, context: CleanContext): CleanDraft {
  const { title, due, scheduled, start, priority, recurrence, projects, tags, blockedBy, contexts, timeEstimate } =
    task;
  const { status, created, reminders } = task;
  if (status === "Done" || status === "Cancelled")
    throw invalidArgument(`It is ${status.toLowerCase()}, and a new task note is open.`);
  if (task.completed !== undefined) throw notTicked();
  const lists = { parentProjects: projects, tags, blockedBy };
  const given = { title, area, status, dueDate: due, scheduled, start, priority, recurrence, reminders };
  const said = Object.entries(lists).filter(([, list]) => list.length > 0);
  const { values, adjustments } = cleanValues({ ...given, ...Object.fromEntries(said) }, context);
  const minutes = timeEstimate === undefined ? undefined : minutesIn(timeEstimate);
  const all: Values = {
    ...values,
    ...(created !== undefined && { created }),
    ...(contexts.length > 0 && { contexts }),
    ...(minutes !== undefined && { timeEstimate: minutes }),
  };
  return {
    title: all.title ?? "",
    name: task.name,
    values: { ...DEFAULTS, ...all },
    given: fieldsIn(all),
    description: "",
    adjustments,
  };
}

/** @throws INVALID_ARGUMENT naming what a checkbox cannot hold @param projectNote another note than the line's */
export function cleanQuickLine(task: QuickTask, projectNote: VaultPath | undefined): NewCheckbox {
  const { title, due, scheduled, start, created, completed, status, priority, recurrence, tags } = task;
  const instead = projectNote === undefined ? "leave that out" : `give note "${projectNote}", whose lines belong to it`;
  const unsaid = [
    task.projects.length > 0 ? (["+Project", instead] as const) : undefined,
    task.contexts.length > 0 ? (["@context", "write #tag"] as const) : undefined,
    task.timeEstimate === undefined ? undefined : (["~time", "leave that out"] as const),
    task.reminders === undefined ? undefined : (["remind", "leave that out"] as const),
  ].filter((one) => one !== undefined);
  if (unsaid.length > 0)
    throw invalidArgument(
      `A checkbox line cannot hold ${unsaid.map(([sign]) => sign).join(", ")}.`,
      `Instead ${unsaid.map(([, instead]) => instead).join(", ")}; or leave note out, so that each task is a note.`,
    );
  if (completed !== undefined && status !== "Done") throw notTicked();
  return { title, due, scheduled, start, created, completed, status, priority, recurrence, tags };
}

const notTicked = (): VaultError => invalidArgument("It has a day of completion, and its box is not ticked.");

const fieldsIn = (values: Values): ReadonlySet<string> => new Set(Object.keys(values));

/** @throws INVALID_ARGUMENT for no updates, or an invalid value */
export function cleanUpdates(updates: TaskUpdates, context: CleanContext): CheckedUpdates {
  const updated = Object.entries(updates).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (updated.length === 0) {
    throw invalidArgument(
      "updates names no field to change.",
      `Give at least one of ${[...ARGUMENTS, "occurrence", "properties", "description"].join(", ")}. null is not given; "" clears.`,
    );
  }
  if (updates.note !== undefined)
    throw invalidArgument('note is given only with convert "line".', "Leave note out, or give convert too.");
  const { values, adjustments, times } = cleanValues(updates, context);
  if (values.tags?.length === 0 && updates.tags?.some((tag) => tag.trim() !== ""))
    throw invalidArgument(
      "No tag was given that can be written; the task keeps its tags.",
      "Tags are made of letters, digits, _, - and /. An empty list removes all.",
    );
  if (values.completed !== undefined && values.completed !== "") finishOn(values, context.today);
  const { description, properties, lane } = updates;
  if (lane?.trim() === "")
    throw invalidArgument(
      said`${argument("updates.lane", "lane")} is empty: a card is always in a lane.`,
      said`Leave ${argument("updates.lane", "lane")} out, or name a lane, or "Archive".`,
    );
  const occurrence = updates.occurrence === undefined ? undefined : cleanOccurrence(updates.occurrence, context);
  const isNamed = occurrence?.value !== undefined;
  if (isNamed && !occurrence.value?.skip && values.status !== "Done" && values.status !== "To Do")
    throw invalidArgument(
      "occurrence names an instance, and nothing says what to do with it.",
      'Give status "Done" (or "To Do") with it, or write "skip" before the day.',
    );
  if (occurrence?.value?.skip && values.status !== undefined)
    throw invalidArgument(
      "An instance cannot be skipped and also get a status.",
      "Leave out either status or occurrence.",
    );
  return {
    updated,
    adjustments: [...adjustments, ...(occurrence?.adjustments ?? [])],
    clean: { values, times, description, properties, lane: lane?.trim(), occurrence: occurrence?.value },
  };
}

/** A day of completion implies Done. */
function finishOn(values: { -readonly [Name in keyof Values]: Values[Name] }, today: LocalDate): void {
  const { status = "Done", completed = "" } = values;
  if (status !== "Done" && status !== "Cancelled")
    throw invalidArgument(`completed is a day, and the status ${status} is open.`, 'Leave out status, or give "Done".');
  if (completed > today)
    throw invalidArgument(
      `completed is ${completed}, which is still to come.`,
      'Give a day up to today, such as "last friday" or "yesterday".',
    );
  values.status = status;
}

/** `skip`, `skip friday`, or a day. */
function cleanOccurrence(text: string, { today }: CleanContext): Cleaned<NamedOccurrence | undefined> {
  const [, skip, rest = ""] = /^\s*(skip\b)?\s*(.*?)\s*$/is.exec(text) ?? [];
  if (skip === undefined && rest === "") return { value: undefined, adjustments: [] };
  const { value, adjustments } = cleanDay("occurrence", rest, today);
  return { value: { skip: skip !== undefined, day: value === "" ? undefined : value }, adjustments };
}

export interface BulkRequest {
  readonly updates: TaskUpdates;
  readonly updated: readonly string[];
  /** Without relative days. */
  readonly checked: CheckedUpdates;
  /** @throws INVALID_ARGUMENT for a task without any of the days */
  forTask(task: Task): CheckedUpdates;
}

const DAYS = { dueDate: "due", scheduled: "scheduled", start: "start" } as const;
type DayArgument = keyof typeof DAYS;
type DayField = (typeof DAYS)[DayArgument];

const SHIFT = /^\s*([+-])\s*(\d{1,4}|an?|one)\s*(day|week|fortnight|month|year)s?\s*$/i;
const UNITS: Readonly<Record<string, { readonly days?: number; readonly months?: number }>> = {
  day: { days: 1 },
  week: { days: 7 },
  fortnight: { days: 14 },
  month: { months: 1 },
  year: { months: 12 },
};

type Move = (day: LocalDate) => LocalDate;

export function readBulkUpdates(updates: TaskUpdates, today: LocalDate): BulkRequest {
  const moves = new Map<DayField, Move>();
  const others: Record<string, unknown> = { ...updates };
  for (const [argument, field] of Object.entries(DAYS)) {
    const move = readMove(updates[argument as DayArgument]);
    if (move === undefined) continue;
    moves.set(field, move);
    delete others[argument];
  }
  const updated = Object.entries(updates).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const isOnlyMoves = moves.size > 0 && updated.length === moves.size;
  const checked = isOnlyMoves ? NOTHING : cleanUpdates(others, { today });
  return { updates, updated, checked, forTask: (task) => withMoves(checked, moves, task, updated) };
}

export const NOTHING: CheckedUpdates = { clean: { values: {} }, updated: [], adjustments: [] };

function readMove(text: string | undefined): Move | undefined {
  const [, sign, amount = "", unit = ""] = SHIFT.exec(text ?? "") ?? [];
  if (sign === undefined) return undefined;
  const count = (/^\d/.test(amount) ? Number(amount) : 1) * (sign === "-" ? -1 : 1);
  const { days = 0, months = 0 } = UNITS[unit.toLowerCase()] ?? {};
  return (day) => {
    const moved = addMonths(toDayNumber(day), months * count) + days * count;
    return toLocalDate(Math.min(Math.max(moved, 0), LAST_DAY));
  };
}

function withMoves(
  checked: CheckedUpdates,
  moves: ReadonlyMap<DayField, Move>,
  task: Task,
  updated: readonly string[],
): CheckedUpdates {
  if (moves.size === 0) return checked;
  const values: Values = { ...checked.clean.values };
  let isMoved = false;
  for (const [field, move] of moves) {
    const day = task[field];
    if (day === undefined) continue;
    values[field] = move(day);
    isMoved = true;
  }
  if (!isMoved) throw withoutDay([...moves.keys()]);
  return { ...checked, updated, clean: { ...checked.clean, values } };
}

function withoutDay(fields: readonly DayField[]): VaultError {
  const names = fields.map((field) => (field === "due" ? "due date" : `${field} date`));
  return invalidArgument(`It has no ${names.join(" or ")} to move.`);
}
