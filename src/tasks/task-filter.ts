/** Which tasks a query means, apart from its words: status, area, project, tags, days and states as one test (spec: tasks-2, section 7). */
import type { Clock, LocalDate } from "../clock.js";
import { echoDayRange } from "../dates/day-echo.js";
import { type DayRange, isInRange, requireDayRange } from "../dates/day-words.js";
import { VaultError } from "../errors.js";
import { tagsMeant } from "../markdown/links/property-links.js";
import { foldName } from "../storage/path.js";
import { isOutstanding } from "./agenda.js";
import type { FilteredField, ToldFields } from "./fields/fields.js";
import { bareName } from "./fields/property-values.js";
import { DAY_FILTERS } from "./fields/told-fields.js";
import type { Relations } from "./relations.js";
import { STATUSES, type StatusFilter, type Task } from "./task.js";

export const TASK_STATES = ["outstanding", "ready", "blocked", "recurring", "inline", "stale"] as const;
/** What a task is at the moment, beside its status. */
export type TaskState = (typeof TASK_STATES)[number];

/** By the names of fields of the table. */
type DayFilters = { readonly [Name in FilteredField]?: string | undefined };

/** All that are given must hold. Days and ranges are written as people write them: `overdue`, `next 7 days`, `before friday`. */
export interface TaskFilters extends DayFilters {
  /** Words to search for; `*` finds all. */
  readonly query: string;
  /** One of these. */
  readonly status?: StatusFilter | readonly StatusFilter[] | undefined;
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  /** Any of these. */
  readonly tags?: readonly string[] | undefined;
  /** Each of these. */
  readonly is?: readonly TaskState[] | undefined;
  /** Archived tasks too; default false. */
  readonly includeArchived?: boolean | undefined;
}

/** What filters depend on besides the task. */
export interface FilterContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now">;
  /** What the tasks have to do with each other, which ready and blocked depend on; without it no task is either. */
  readonly relations?: Relations | undefined;
}

export interface TaskFilter {
  readonly accepts: (task: Task) => boolean;
  /** How ranges in words were read, one sentence each. */
  readonly echoes: readonly string[];
}

type Test = (task: Task) => boolean;

/** Days a task must lie untouched to be stale. */
const STALE_DAYS = 30;
const DAY_MS = 86_400_000;
/** What answers call the area of a task without one; asking for it finds those. */
const UNASSIGNED = "unassigned";

/** The filters as one test. @throws VaultError INVALID_ARGUMENT for a range that cannot be read */
export function taskFilter(filters: TaskFilters, context: FilterContext): TaskFilter {
  const { status, area, project, tags = [], is = [], includeArchived } = filters;
  const tests: Test[] = [];
  if (includeArchived !== true) tests.push(({ archived }) => !archived);
  if (status !== undefined && status.length > 0) tests.push(hasStatus(status));
  if (isGiven(area)) tests.push(isInArea(area));
  if (isGiven(project)) tests.push(isOfProject(project));
  const anyOf = tags.flatMap(tagsMeant).map(foldName);
  if (anyOf.length > 0) tests.push((task) => anyOf.some((tag) => hasTag(task, tag)));
  const ranges = rangesOf(filters, context.today);
  for (const { name, property, range } of ranges) tests.push(isOnDay(name, property, range, context.today));
  for (const state of is) tests.push(STATES[state](context));
  return {
    accepts: (task) => tests.every((test) => test(task)),
    echoes: ranges.flatMap(({ name, text, range }) => echoDayRange(name, text, range, context.today) ?? []),
  };
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";

const KNOWN_STATUSES: ReadonlySet<string> = new Set(STATUSES);

function hasStatus(status: StatusFilter | readonly StatusFilter[]): Test {
  const wanted = new Set<string>(typeof status === "string" ? [status] : status);
  return (task) => wanted.has(KNOWN_STATUSES.has(task.status) ? task.status : "Other");
}

export function isInArea(area: string): Test {
  const wanted = foldName(bareName(area));
  return (task) => foldName(task.area ?? UNASSIGNED) === wanted;
}

export function isOfProject(project: string): Test {
  const wanted = foldName(bareName(project));
  return ({ parentProjects }) => parentProjects.some((name) => foldName(bareName(name)) === wanted);
}

/** A nested tag `a/b` is found by `a`. */
export function hasTag({ tags }: Task, wanted: string): boolean {
  return tags.some((tag) => {
    const folded = foldName(tag);
    return folded === wanted || folded.startsWith(`${wanted}/`);
  });
}

function rangesOf(filters: TaskFilters, today: LocalDate) {
  return DAY_FILTERS.flatMap(({ name, property }) => {
    const text = filters[name];
    return isGiven(text) ? [{ name, property, text, range: requireDayRange(name, text, today) }] : [];
  });
}

function isOnDay(name: FilteredField, property: keyof ToldFields, range: DayRange, today: LocalDate): Test {
  if (name !== "completed") return dayTest((task) => days(task[property] as LocalDate | undefined), range, today);
  if (range.kind !== "overdue") return dayTest(completedDays, range, today);
  throw new VaultError("INVALID_ARGUMENT", 'completed "overdue" is nothing: what is completed is not overdue.', {
    hint: 'Write a day or range, such as "last 7 days" or "this month".',
  });
}

const days = (day: LocalDate | undefined): readonly LocalDate[] => (day === undefined ? [] : [day]);

/** The days on which a task, or instances of it, were finished. */
export function completedDays({ completed, series }: Task): readonly LocalDate[] {
  return series === undefined ? days(completed) : [...series.completed, ...days(completed)];
}

function dayTest(daysOf: (task: Task) => readonly LocalDate[], range: DayRange, today: LocalDate): Test {
  if (range.kind === "days") return (task) => daysOf(task).some((day) => isInRange(day, range));
  if (range.kind === "overdue") return (task) => daysOf(task).some((day) => day < today) && isOutstanding(task);
  const wanted = range.kind === "any";
  return (task) => daysOf(task).length > 0 === wanted;
}

const STATES: Readonly<Record<TaskState, (context: FilterContext) => Test>> = {
  outstanding: () => isOutstanding,
  ready:
    ({ relations }) =>
    (task) =>
      relations?.isReady(task) === true,
  blocked:
    ({ relations }) =>
    (task) =>
      relations?.isBlocked(task) === true,
  recurring:
    () =>
    ({ series }) =>
      series !== undefined,
  inline:
    () =>
    ({ source }) =>
      source === "line",
  stale: ({ today, clock }) => staleTest(today, clock),
};

/** Outstanding, unchanged for 30 days, and no day of it lies ahead. */
export function staleTest(today: LocalDate, clock: Pick<Clock, "now">): Test {
  const limit = clock.now() - STALE_DAYS * DAY_MS;
  return (task) =>
    task.modified <= limit &&
    isOutstanding(task) &&
    ![task.due, task.scheduled, task.start].some((day) => day !== undefined && day >= today);
}
