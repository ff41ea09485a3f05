/** Outstanding tasks in their order, and an agenda's sections (docs: tasks, "Finding"). */
import { idHash } from "../text/hash.js";
import { argument, said, type Wording } from "../text/wording.js";
import type { TimeSlice } from "../async/timers.js";
import type { LocalDate } from "../clock.js";
import { addDays } from "./fields/property-values.js";
import { grouped, type Task } from "./task.js";
import { PRIORITIES } from "./fields/vocabulary.js";
import {
  echoDay,
  echoDayRange,
  isMonth,
  parseDayRange,
  requireDay,
  requireDayRange,
  requirePastDay,
} from "../dates/read-day.js";
import { toDayNumber } from "../dates/days.js";
import { linkKey } from "../storage/path.js";
import { invalidArgument } from "../errors.js";
import { laterInstances } from "./recurrence/series.js";
import { type Condition, condition } from "../index/subject.js";
import { CLOSED_LAST, OPEN, type TaskRows } from "./rows/task-rows.js";
import { NAME_KINDS } from "./rows/task-subject.js";

const STATUS_ORDER: readonly string[] = ["In Progress", "To Do", "Blocked"];
const WEEK_DAYS = 7;

function compareTasks(a: Task, b: Task): number {
  return (
    statusRank(a) - statusRank(b) ||
    compareText(a.due ?? "~", b.due ?? "~") ||
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    compareText(linkKey(a.title), linkKey(b.title)) ||
    compareText(a.title, b.title) ||
    compareText(a.path, b.path) ||
    (a.line ?? 0) - (b.line ?? 0)
  );
}

function statusRank({ status }: Task): number {
  const rank = STATUS_ORDER.indexOf(status);
  return rank < 0 ? STATUS_ORDER.length : rank;
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface TaskPage {
  readonly total: number;
  readonly tasks: readonly Task[];
}

/** At most `limit` of each, in the order of an agenda. */
export interface DueLists {
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
  readonly totals: { readonly outstanding: number; readonly overdue: number; readonly dueThisWeek: number };
}

export async function dueLists(
  rows: TaskRows,
  today: LocalDate,
  { limit, slice }: { readonly limit: number; readonly slice: TimeSlice },
): Promise<DueLists> {
  const list = async (...due: Condition[]): Promise<TaskPage> => {
    const where = [OPEN, ...due];
    const total = rows.total(where);
    const ids = rows.ids(where, CLOSED_LAST, { limit, total });
    return { total, tasks: await rows.decodeSome(ids, slice) };
  };
  const outstanding = await list();
  const overdue = await list(dueBefore(today));
  const dueThisWeek = await list({ sql: "task.due BETWEEN ? AND ?", values: [today, addDays(today, WEEK_DAYS)] });
  return {
    outstanding: outstanding.tasks,
    overdue: overdue.tasks,
    dueThisWeek: dueThisWeek.tasks,
    totals: { outstanding: outstanding.total, overdue: overdue.total, dueThisWeek: dueThisWeek.total },
  };
}

const dueBefore = (day: LocalDate): Condition => ({ sql: "task.due < ?", values: [day] });

export interface AgendaEntry {
  readonly task: Task;
  /** A later instance of a series, not yet in a note. */
  readonly projected?: true;
  readonly done?: LocalDate;
  /** Open tasks with its title, if `titles` was set. */
  readonly sameTitle?: number;
  /** Times of its reminders on this day. */
  readonly remind?: readonly string[];
}

export const SECTION_KINDS = ["overdue", "day", "done", "waiting", "stale", "important", "undated"] as const;

export type SectionKind = (typeof SECTION_KINDS)[number];

export interface AgendaSection {
  readonly kind: SectionKind;
  readonly day?: LocalDate;
  readonly total: number;
  /** Sum of the hashes of all ids, for fingerprints. */
  readonly mark: number;
  /** In minutes. */
  readonly estimate?: number;
  readonly entries: readonly AgendaEntry[];
}

export interface PageOptions {
  /** Of each section; default all. */
  readonly limit?: number | undefined;
  /** Starts again if a section is too short. */
  readonly offset?: number | undefined;
  /** Lists each title once, and at most this many of each section. */
  readonly titles?: number | undefined;
}

function sectionOf(
  of: Pick<AgendaSection, "kind" | "day">,
  entries: readonly AgendaEntry[],
  { limit = Infinity, offset = 0 }: PageOptions,
): AgendaSection {
  const from = offset < entries.length ? offset : 0;
  const mark = entries.reduce((sum, { task }) => sum + idHash(task.id), 0);
  const estimate = entries.reduce((sum, { task }) => sum + (task.timeEstimate ?? 0), 0);
  const isPlanned = of.kind === "day" && estimate > 0;
  return {
    ...of,
    total: entries.length,
    mark,
    entries: entries.slice(from, from + limit),
    ...(isPlanned && { estimate }),
  };
}

export function openSection(
  rows: TaskRows,
  kind: SectionKind,
  condition: Condition | undefined,
  { limit = Infinity, offset = 0, titles }: PageOptions,
): AgendaSection {
  const where = [OPEN, ...(condition ? [condition] : [])];
  const { total, mark } = rows.count(where);
  const page = { offset: offset < total ? offset : 0, limit: limit === Infinity ? -1 : limit, total };
  if (total === 0) return { kind, total, mark, entries: [] };
  if (titles === undefined)
    return { kind, total, mark, entries: rows.list(where, CLOSED_LAST, page).map((task) => ({ task })) };
  const first = rows.titled(where, CLOSED_LAST, page).slice(0, titles);
  const entries = first.map(({ id, count }) => ({ task: rows.one(id), sameTitle: count }));
  return { kind, total, mark, entries };
}

export interface DaySpan {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

export interface DaysQuery extends PageOptions {
  /** Such as `next week`; default today. */
  readonly date?: string | undefined;
  /** Default: the length of the range, else 1. */
  readonly days?: number | undefined;
  /** Seven days; without `date` eight. */
  readonly week?: boolean | undefined;
}

export const MAX_SPAN_DAYS = 371;
const DATE = argument("date");

/** @param looks how `monday` and `15 nov` are read; default the next one */
export function readSpan(
  { date, days, week = false }: DaysQuery,
  today: LocalDate,
  looks?: "back",
): DaySpan & { readonly echo?: Wording | undefined } {
  if (date === undefined) return spanFrom(today, days ?? (week ? 8 : 1));
  const isRange = isMonth(date) || parseDayRange(date, today) !== undefined;
  const range = isRange ? requireDayRange(DATE, date, today, looks) : undefined;
  if (range?.kind === "days" && range.from !== undefined && range.to !== undefined && range.from !== range.to) {
    const { from } = range;
    const to = days === undefined ? range.to : addDays(from, days - 1);
    if (toDayNumber(to) - toDayNumber(from) >= MAX_SPAN_DAYS)
      throw invalidArgument(said`${DATE} "${date}" is more than ${MAX_SPAN_DAYS} days.`, "Name fewer days.");
    return { from, to, echo: echoDayRange(DATE, date, range, today) };
  }
  const read =
    looks === undefined ? requireDay(DATE, date, today, { isRange: true }) : requirePastDay(DATE, date, today);
  return { ...spanFrom(read.day, days ?? (week ? 7 : 1)), echo: echoDay(DATE, date, read, today) };
}

export const spanFrom = (from: LocalDate, days: number): DaySpan => ({ from, to: addDays(from, days - 1) });

/**
 * Days first. A task is listed once, plus its projected instances and reminder days. Overdue tasks have a section if
 * the span includes today.
 */
export function dayAgenda(
  rows: TaskRows,
  span: DaySpan,
  today: LocalDate,
  page: PageOptions = {},
): readonly AgendaSection[] {
  const { from, to } = span;
  const includesToday = isWithin(today, span);
  const onDays: { readonly day: LocalDate; readonly entry: AgendaEntry }[] = [];
  const add = (day: LocalDate | undefined, entry: AgendaEntry): void => {
    if (day !== undefined && isWithin(day, span)) onDays.push({ day, entry });
  };
  const dated: Condition = {
    sql: `task.due BETWEEN ? AND ? OR task.scheduled BETWEEN ? AND ?${includesToday ? " OR task.scheduled < ?" : ""}`,
    values: [from, to, from, to, ...(includesToday ? [today] : [])],
  };
  const apart: Condition[] = includesToday ? [{ sql: "coalesce(task.due, '~') >= ?", values: [today] }] : [];
  const listedOn = new Map<Task, LocalDate | undefined>();
  for (const task of rows.list([OPEN, dated, ...apart])) {
    const day = firstDay(task, span, today);
    listedOn.set(task, day);
    add(day, withReminders(task, day));
  }
  const reminding: Condition = {
    sql: `task.id IN (SELECT owner FROM task_name WHERE kind = ${NAME_KINDS.reminder} AND key BETWEEN ? AND ?)`,
    values: [from, to],
  };
  for (const task of rows.list([OPEN, reminding]))
    for (const day of new Set(task.reminders.map(({ at }) => at?.slice(0, 10) as LocalDate | undefined)))
      if (day !== listedOn.get(task)) add(day, withReminders(task, day));
  const live: Condition = condition("task.series = 1 AND task.archived = 0 AND task.class <= 3");
  for (const task of rows.list([live]))
    for (const day of laterInstances(task, today, to)) add(day, { task, projected: true });
  const days = [...grouped(onDays, ({ day }) => day)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, all]) =>
      sectionOf(
        { kind: "day", day },
        sorted(
          all.map(({ entry }) => entry),
          day,
        ),
        page,
      ),
    );
  const overdue = includesToday ? [openSection(rows, "overdue", dueBefore(today), page)] : [];
  return [...days, ...overdue.filter(({ total }) => total > 0)];
}

function withReminders(task: Task, day: LocalDate | undefined): AgendaEntry {
  const times = task.reminders.flatMap(({ at }) =>
    at !== undefined && at.startsWith(`${day} `) ? [at.slice(11)] : [],
  );
  return times.length === 0 ? { task } : { task, remind: times };
}

const isWithin = (day: LocalDate, { from, to }: DaySpan): boolean => day >= from && day <= to;

/** An open task scheduled before today is listed under today. */
function firstDay({ due, scheduled }: Task, span: DaySpan, today: LocalDate): LocalDate | undefined {
  const planned = scheduled !== undefined && scheduled < today ? today : scheduled;
  const days = [planned, due].filter((day) => day !== undefined && isWithin(day, span)) as LocalDate[];
  return days.toSorted()[0];
}

/** By clock time, then those without one; later instances last. */
function sorted(entries: readonly AgendaEntry[], day: LocalDate): readonly AgendaEntry[] {
  return entries.toSorted(
    (a, b) =>
      Number(a.projected === true) - Number(b.projected === true) ||
      compareText(timeOn(day, a), timeOn(day, b)) ||
      compareTasks(a.task, b.task),
  );
}

const NO_TIME = "~";

function timeOn(day: LocalDate, { task: { due, scheduled, times = {} }, projected }: AgendaEntry): string {
  const [planned, last] = [scheduled === day && times.scheduled, due === day && times.due];
  return (projected ? undefined : planned || last || undefined) ?? NO_TIME;
}
