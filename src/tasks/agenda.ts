/** What is outstanding, in which order, what is overdue and what is due this week: pure functions of tasks and the day (docs: tasks, "scan_vault"). */
import type { LocalDate } from "../clock.js";
import { addDays } from "./fields/dates.js";
import { isInstanceOver } from "./recurrence/series.js";
import { type Task, isClosed } from "./task.js";
import { PRIORITIES } from "./fields/vocabulary.js";
import { echoDay, echoDayRange, parseDayRange, requireDay } from "../dates/day-words.js";
import { toDayNumber } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import { laterInstances } from "./recurrence/later-instances.js";

/** Statuses in the order of the agenda; the vault's own words stand after them. */
const STATUS_ORDER: readonly string[] = ["In Progress", "To Do", "Blocked"];
const WEEK_DAYS = 7;

/** Neither done, nor cancelled, nor archived; of a series the current instance neither done nor skipped. */
export function isOutstanding(task: Task): boolean {
  return !task.archived && !isClosed(task.status) && !isInstanceOver(task);
}

/** Outstanding and with a day before today; what is due today is not overdue. @param day the day that counts, default the due date */
export function isOverdue(task: Task, today: LocalDate, day = task.due): boolean {
  return day !== undefined && day < today && isOutstanding(task);
}

/** The order of the agenda: status, due date (undated last), priority, title, path and line. */
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

function compareDue(a: LocalDate | undefined, b: LocalDate | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareText(a, b);
}

/** Without case first, and the same on every machine, whatever its language. */
function compareTitles(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export interface DueLists {
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
}

/** The outstanding tasks in order; of them those that are overdue, and those due from today to today + 7 days. */
export function dueLists(tasks: readonly Task[], today: LocalDate): DueLists {
  const outstanding = tasks.filter(isOutstanding).sort(compareTasks);
  const weekEnd = addDays(today, WEEK_DAYS);
  return {
    outstanding,
    overdue: outstanding.filter((task) => isOverdue(task, today)),
    dueThisWeek: outstanding.filter(({ due }) => due !== undefined && due >= today && due <= weekEnd),
  };
}

/** A task as an agenda lists it. */
export interface AgendaEntry {
  readonly task: Task;
  /** A later instance of its series, which no note holds yet. */
  readonly projected?: true;
  /** The day on which it, or an instance of it, was finished. */
  readonly done?: LocalDate;
}

/** What the tasks of a section have in common. */
export const SECTION_KINDS = ["overdue", "day", "done", "waiting", "stale", "important", "undated"] as const;

export type SectionKind = (typeof SECTION_KINDS)[number];

export interface AgendaSection {
  readonly kind: SectionKind;
  /** Of the kind `day`. */
  readonly day?: LocalDate;
  readonly entries: readonly AgendaEntry[];
}

/** Days, both ends included. */
export interface DaySpan {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** Which days an agenda shows. */
export interface DaysQuery {
  /** The first day, or a range such as `next week`; default today. */
  readonly date?: string | undefined;
  /** How many days; default those of the range, else 1. */
  readonly days?: number | undefined;
  /** Seven days from `date`; without it the days that `this week` means everywhere: today and the seven that follow. */
  readonly week?: boolean | undefined;
}

/** The longest span, a leap year and some days: longer ones project very many instances. */
export const MAX_SPAN_DAYS = 371;

/** The days of a query, and how its words were read. @throws VaultError INVALID_ARGUMENT */
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

/** The span of a number of days from a day on. */
export function spanFrom(from: LocalDate, days: number): DaySpan {
  return { from, to: addDays(from, days - 1) };
}

/**
 * The sections that have something in them; a task is listed once, projected instances apart. Overdue tasks are listed where the span
 * includes today, else under their day where that is in the span.
 */
export function dayAgenda(tasks: readonly Task[], span: DaySpan, today: LocalDate): readonly AgendaSection[] {
  const overdue: AgendaEntry[] = [];
  const byDay = new Map<LocalDate, AgendaEntry[]>();
  const includesToday = isWithin(today, span);
  const add = (day: LocalDate | undefined, entry: AgendaEntry): void => {
    if (day === undefined || !isWithin(day, span)) return;
    const known = byDay.get(day);
    if (known) known.push(entry);
    else byDay.set(day, [entry]);
  };
  for (const task of tasks) {
    if (includesToday && isOverdue(task, today)) overdue.push({ task });
    else if (isOutstanding(task)) add(firstDay(task, span, today), { task });
    for (const day of task.series ? laterInstances(task, today, span.to) : []) add(day, { task, projected: true });
  }
  const days = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, entries]): AgendaSection => ({ kind: "day", day, entries: sorted(entries) }));
  return overdue.length === 0 ? days : [{ kind: "overdue", entries: sorted(overdue) }, ...days];
}

const isWithin = (day: LocalDate, { from, to }: DaySpan): boolean => day >= from && day <= to;

/** The first of its days in the span. A task that was scheduled before today and is still open is listed under today. */
function firstDay({ due, scheduled }: Task, span: DaySpan, today: LocalDate): LocalDate | undefined {
  const planned = scheduled !== undefined && scheduled < today ? today : scheduled;
  const days = [planned, due].filter((day) => day !== undefined && isWithin(day, span)) as LocalDate[];
  return days.toSorted()[0];
}

/** Tasks before projected instances, each in the order of the agenda. */
function sorted(entries: readonly AgendaEntry[]): readonly AgendaEntry[] {
  return entries.toSorted(
    (a, b) => Number(a.projected === true) - Number(b.projected === true) || compareTasks(a.task, b.task),
  );
}
