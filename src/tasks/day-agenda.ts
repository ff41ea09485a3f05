/** Tasks by day: the overdue ones first, then each day's tasks and the later instances of series (docs: tasks, "Finding"). */
import type { LocalDate } from "../clock.js";
import { echoDay, echoDayRange, parseDayRange, requireDay } from "../dates/day-words.js";
import { toDayNumber } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import { addDays } from "./fields/dates.js";
import { compareTasks, isOutstanding, isOverdue } from "./agenda.js";
import { laterInstances } from "./recurrence/later-instances.js";
import type { Task } from "./task.js";

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
