/** Combines the filters of a query into one test (docs: tasks, "Finding"). */
import type { Clock, LocalDate } from "../../clock.js";
import { echoDayRange, type DayRange, isInRange, requireDayRange } from "../../dates/read-day.js";
import { VaultError } from "../../errors.js";
import { tagsMeant } from "../../markdown/links/property-links.js";
import { foldName } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import { isOutstanding, isOverdue } from "../agenda.js";
import type { FilteredField, FieldProperties } from "../fields/fields.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import type { Relations } from "../dependencies.js";
import type { Task } from "../task.js";
import { type Priority, STATUSES, type StatusFilter } from "../fields/vocabulary.js";

export const TASK_STATES = [
  "outstanding",
  "ready",
  "blocked",
  "recurring",
  "inline",
  "note",
  "card",
  "checkbox",
  "stale",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

type DayFilters = { readonly [Name in FilteredField]?: string | undefined };

/** All given filters must match. Days and ranges: `overdue`, `next 7 days`, `before friday`. */
export interface TaskFilters extends DayFilters {
  /** `*` finds all. */
  readonly query: string;
  readonly status?: StatusFilter | readonly StatusFilter[] | undefined;
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  readonly priority?: Priority | undefined;
  /** `@` optional. */
  readonly context?: string | undefined;
  /** Path or file name of the note that is or contains the task. */
  readonly note?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** All of these. */
  readonly is?: readonly TaskState[] | undefined;
  /** Default false. */
  readonly includeArchived?: boolean | undefined;
}

export interface FilterContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now">;
  /** Without it, no task is ready or blocked. */
  readonly relations?: Relations | undefined;
}

interface TaskFilter {
  readonly accepts: (task: Task) => boolean;
  /** How ranges in words were read. */
  readonly echoes: readonly string[];
}

type Test = (task: Task) => boolean;

export const STALE_DAYS = 30;
const DAY_MS = 86_400_000;
const UNASSIGNED = "unassigned";

/** @throws VaultError INVALID_ARGUMENT for an empty filter or an invalid range */
export function taskFilter(filters: TaskFilters, context: FilterContext): TaskFilter {
  const { status, area, project, priority, context: named, note, tags = [], is = [], includeArchived } = filters;
  assertNotEmpty(filters);
  const tests: Test[] = [];
  if (includeArchived !== true) tests.push(({ archived }) => !archived);
  if (status !== undefined && status.length > 0) tests.push(hasStatus(status));
  if (area !== undefined) tests.push(isInArea(area));
  if (project !== undefined) tests.push(isOfProject(project));
  if (priority !== undefined) tests.push((task) => task.priority === priority);
  if (named !== undefined) tests.push(hasContext(named));
  if (note !== undefined) tests.push(isIn(note));
  const anyOf = tags.flatMap(tagsMeant).map(foldName);
  if (anyOf.length > 0) tests.push((task) => anyOf.some((tag) => hasTag(task, tag)));
  const ranges = rangesOf(filters, context.today);
  for (const { name, property, range } of ranges) tests.push(isOnDay(name, property, range, context.today));
  for (const state of is) tests.push((task) => STATES[state](task, context));
  return {
    accepts: (task) => tests.every((test) => test(task)),
    echoes: ranges.flatMap(({ name, text, range }) => echoDayRange(name, text, range, context.today) ?? []),
  };
}

/** An empty filter is ambiguous: "no such value" or "no filter". */
function assertNotEmpty(filters: TaskFilters): void {
  for (const name of ["area", "project", "context", "note", ...DAY_FILTERS.map(({ name }) => name)] as const)
    if (filters[name]?.trim() === "") throw emptyFilter(name);
  if (filters.tags?.some((tag) => tagsMeant(tag).length === 0)) throw emptyFilter("tags");
}

function emptyFilter(name: string): VaultError {
  const hint =
    name === "tags" || name === "note"
      ? `Leave ${name} out, or name what is wanted.`
      : `Leave ${name} out, or write "none" for tasks without one and "any" for tasks with one.`;
  return new VaultError("INVALID_ARGUMENT", `The filter ${name} is empty.`, { hint });
}

const KNOWN_STATUSES: ReadonlySet<string> = new Set(STATUSES);

function hasStatus(status: StatusFilter | readonly StatusFilter[]): Test {
  const wanted = new Set<string>(typeof status === "string" ? [status] : status);
  return (task) => wanted.has(KNOWN_STATUSES.has(task.status) ? task.status : "Other");
}

export function isInArea(area: string): Test {
  return hasName(foldName(bareName(area)) === UNASSIGNED ? "none" : area, (task) =>
    task.area === undefined ? [] : [task.area],
  );
}

export function isOfProject(project: string): Test {
  return hasName(project, ({ parentProjects }) => parentProjects);
}

function hasContext(given: string): Test {
  const bare = (name: string): string => name.trim().replace(/^@/, "");
  return hasName(bare(given), ({ contexts }) => contexts.map(bare));
}

/** A path means one note; a file name, every note of that name. */
function isIn(note: string): Test {
  const wanted = foldName(bareName(note).replace(/^\/|\.md$/gi, ""));
  return ({ path }) => {
    const own = foldName(path.replace(/\.md$/i, ""));
    return own === wanted || (!wanted.includes("/") && own.endsWith(`/${wanted}`));
  };
}

/** `none` and `any` test whether there is a name. */
function hasName(given: string, namesOf: (task: Task) => readonly string[]): Test {
  const wanted = fold(bareName(given));
  if (meansNoneOrAny(given)) return (task) => namesOf(task).length > 0 === (wanted === "any");
  return (task) => namesOf(task).some((name) => fold(bareName(name)) === wanted);
}

export const meansNoneOrAny = (name: string): boolean => /^\s*(?:none|any)\s*$/i.test(name);

/** `a` finds the nested tag `a/b`. */
export function hasTag({ tags }: Task, wanted: string): boolean {
  return tags.some((tag) => {
    const folded = foldName(tag);
    return folded === wanted || folded.startsWith(`${wanted}/`);
  });
}

function rangesOf(filters: TaskFilters, today: LocalDate) {
  return DAY_FILTERS.flatMap(({ name, property }) => {
    const text = filters[name];
    return text !== undefined ? [{ name, property, text, range: requireDayRange(name, text, today) }] : [];
  });
}

function isOnDay(name: FilteredField, property: keyof FieldProperties, range: DayRange, today: LocalDate): Test {
  if (name !== "completed") return dayTest((task) => days(task[property] as LocalDate | undefined), range, today);
  if (range.kind !== "overdue") return dayTest(completedDays, range, today);
  throw new VaultError("INVALID_ARGUMENT", 'completed "overdue" is nothing: what is completed is not overdue.', {
    hint: 'Write a day or range, such as "last 7 days" or "this month".',
  });
}

const days = (day: LocalDate | undefined): readonly LocalDate[] => (day === undefined ? [] : [day]);

export function completedDays({ completed, series }: Task): readonly LocalDate[] {
  return series === undefined ? days(completed) : [...series.completed, ...days(completed)];
}

export function isDoneWithoutDay(task: Task): boolean {
  return task.status === "Done" && completedDays(task).length === 0;
}

function dayTest(daysOf: (task: Task) => readonly LocalDate[], range: DayRange, today: LocalDate): Test {
  if (range.kind === "days") return (task) => daysOf(task).some((day) => isInRange(day, range));
  if (range.kind === "overdue") return (task) => daysOf(task).some((day) => isOverdue(task, today, day));
  const wanted = range.kind === "any";
  return (task) => daysOf(task).length > 0 === wanted;
}

const STATES: Readonly<Record<TaskState, (task: Task, context: FilterContext) => boolean>> = {
  outstanding: isOutstanding,
  ready: (task, { relations }) => relations?.isReady(task) === true,
  blocked: (task, { relations }) => relations?.isBlocked(task) === true,
  recurring: ({ series }) => series !== undefined,
  checkbox: ({ rule }) => rule === "plain-checkbox",
  inline: ({ source }) => source === "line",
  note: ({ source }) => source !== "line",
  card: ({ board }) => board !== undefined,
  stale: (task, { today, clock }) => staleTest(today, clock)(task),
};

/** Outstanding, unchanged for 30 days, no date from today on. */
export function staleTest(today: LocalDate, clock: Pick<Clock, "now">): Test {
  const limit = clock.now() - STALE_DAYS * DAY_MS;
  return (task) =>
    task.modified <= limit &&
    isOutstanding(task) &&
    ![task.due, task.scheduled, task.start].some((day) => day !== undefined && day >= today);
}
