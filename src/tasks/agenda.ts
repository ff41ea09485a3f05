/** Which tasks are outstanding or overdue, their order, and the sections of an agenda (docs: tasks, "Finding"). */
import type { LocalDate } from "../clock.js";
import { addDays } from "./fields/property-values.js";
import { grouped, type Task, isClosed } from "./task.js";
import { PRIORITIES } from "./fields/vocabulary.js";
import { echoDay, echoDayRange, parseDayRange, requireDay } from "../dates/read-day.js";
import { toDayNumber } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import { isInstanceOver, laterInstances } from "./recurrence/task-series.js";

const STATUS_ORDER: readonly string[] = ["In Progress", "To Do", "Blocked"];
const WEEK_DAYS = 7;

/** Of a series, the current instance counts. */
export function isOutstanding(task: Task): boolean {
  return !task.archived && !isClosed(task.status) && !isInstanceOver(task);
}

/** A task due today is not overdue. */
export function isOverdue(task: Task, today: LocalDate, day = task.due): boolean {
  return day !== undefined && day < today && isOutstanding(task);
}

/** By status, due date (undated last), priority, title, path and line. */
export function compareTasks(a: Task, b: Task): number {
  return (
    statusRank(a) - statusRank(b) ||
    compareDue(a.due, b.due) ||
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    compareTitles(a.title, b.title) ||
    compareText(a.path, b.path) ||
    (a.line ?? 0) - (b.line ?? 0)
  );
}

function statusRank({ status }: Task): number {
  const rank = STATUS_ORDER.indexOf(status);
  return rank < 0 ? STATUS_ORDER.length : rank;
}

/** Undefined comes last. */
export function compareDue(a: LocalDate | undefined, b: LocalDate | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareText(a, b);
}

function compareTitles(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export interface DueLists {
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
}

export function dueLists(tasks: readonly Task[], today: LocalDate): DueLists {
  const outstanding = tasks.filter(isOutstanding).sort(compareTasks);
  const weekEnd = addDays(today, WEEK_DAYS);
  return {
    outstanding,
    overdue: outstanding.filter((task) => isOverdue(task, today)),
    dueThisWeek: outstanding.filter(({ due }) => due !== undefined && due >= today && due <= weekEnd),
  };
}

export interface AgendaEntry {
  readonly task: Task;
  /** A later instance of a series, not yet in a note. */
  readonly projected?: true;
  readonly done?: LocalDate;
}

export const SECTION_KINDS = ["overdue", "day", "done", "waiting", "stale", "important", "undated"] as const;

export type SectionKind = (typeof SECTION_KINDS)[number];

export interface AgendaSection {
  readonly kind: SectionKind;
  readonly day?: LocalDate;
  readonly entries: readonly AgendaEntry[];
}

export interface DaySpan {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

export interface DaysQuery {
  /** A day, or a range such as `next week`; default today. */
  readonly date?: string | undefined;
  /** Default: the length of the range, else 1. */
  readonly days?: number | undefined;
  /** Seven days from `date`; without `date`, eight days from today. */
  readonly week?: boolean | undefined;
}

export const MAX_SPAN_DAYS = 371;

export function readSpan(
  { date, days, week = false }: DaysQuery,
  today: LocalDate,
): DaySpan & { readonly echo?: string | undefined } {
  if (date === undefined) return spanFrom(today, days ?? (week ? 8 : 1));
  const range = days === undefined && !week ? parseDayRange(date, today) : undefined;
  if (range?.kind === "days" && range.from !== undefined && range.to !== undefined && range.from !== range.to) {
    const { from, to } = range;
    if (toDayNumber(to) - toDayNumber(from) >= MAX_SPAN_DAYS)
      throw new VaultError("INVALID_ARGUMENT", `date "${date}" is more than ${MAX_SPAN_DAYS} days.`, {
        hint: "Name fewer days.",
      });
    return { from, to, echo: echoDayRange("date", date, range, today) };
  }
  const read = requireDay("date", date, today);
  return { ...spanFrom(read.day, days ?? (week ? 7 : 1)), echo: echoDay("date", date, read, today) };
}

export function spanFrom(from: LocalDate, days: number): DaySpan {
  return { from, to: addDays(from, days - 1) };
}

/**
 * Non-empty sections. Each task is listed once, plus its projected instances. Overdue tasks have their own section when
 * the span includes today.
 */
export function dayAgenda(tasks: readonly Task[], span: DaySpan, today: LocalDate): readonly AgendaSection[] {
  const overdue: AgendaEntry[] = [];
  const onDays: { readonly day: LocalDate; readonly entry: AgendaEntry }[] = [];
  const includesToday = isWithin(today, span);
  const add = (day: LocalDate | undefined, entry: AgendaEntry): void => {
    if (day !== undefined && isWithin(day, span)) onDays.push({ day, entry });
  };
  for (const task of tasks) {
    if (includesToday && isOverdue(task, today)) overdue.push({ task });
    else if (isOutstanding(task)) add(firstDay(task, span, today), { task });
    for (const day of task.series ? laterInstances(task, today, span.to) : []) add(day, { task, projected: true });
  }
  const days = [...grouped(onDays, ({ day }) => day)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, all]): AgendaSection => ({ kind: "day", day, entries: sorted(all.map(({ entry }) => entry)) }));
  return overdue.length === 0 ? days : [{ kind: "overdue", entries: sorted(overdue) }, ...days];
}

const isWithin = (day: LocalDate, { from, to }: DaySpan): boolean => day >= from && day <= to;

/** An open task scheduled before today is listed under today. */
function firstDay({ due, scheduled }: Task, span: DaySpan, today: LocalDate): LocalDate | undefined {
  const planned = scheduled !== undefined && scheduled < today ? today : scheduled;
  const days = [planned, due].filter((day) => day !== undefined && isWithin(day, span)) as LocalDate[];
  return days.toSorted()[0];
}

function sorted(entries: readonly AgendaEntry[]): readonly AgendaEntry[] {
  return entries.toSorted(
    (a, b) => Number(a.projected === true) - Number(b.projected === true) || compareTasks(a.task, b.task),
  );
}
