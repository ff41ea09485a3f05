/** What stands on which day: overdue first, then each day's tasks and the later instances of series (spec: tasks-2, section 7). */
import type { LocalDate } from "../clock.js";
import { weekdayName } from "../dates/day-echo.js";
import { addDays } from "./fields/dates.js";
import { compareTasks, isOutstanding } from "./agenda.js";
import { laterInstances } from "./projection.js";
import type { Task } from "./task.js";

/** A task as an agenda lists it. */
export interface AgendaEntry {
  readonly task: Task;
  /** A later instance of its series, which no note holds yet. */
  readonly projected?: true;
  /** The day on which it, or an instance of it, was finished. */
  readonly done?: LocalDate;
}

export interface AgendaSection {
  /** What its heading says: `Overdue`, `Sat 2026-11-21`. */
  readonly name: string;
  /** Of a section that is a day. */
  readonly day?: LocalDate;
  readonly entries: readonly AgendaEntry[];
}

/** Days, both ends counted. */
export interface DaySpan {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** The sections that have something in them; a task stands once, projected instances apart. */
export function dayAgenda(tasks: readonly Task[], { from, to }: DaySpan, today: LocalDate): readonly AgendaSection[] {
  const overdue: AgendaEntry[] = [];
  const byDay = new Map<LocalDate, AgendaEntry[]>();
  const add = (day: LocalDate, entry: AgendaEntry): void => {
    if (day < from || day > to) return;
    const known = byDay.get(day);
    if (known) known.push(entry);
    else byDay.set(day, [entry]);
  };
  for (const task of tasks) {
    if (isOutstanding(task)) {
      if (task.due !== undefined && task.due < today) overdue.push({ task });
      else {
        const day = firstDay(task, { from, to }, today);
        if (day !== undefined) add(day, { task });
      }
    }
    for (const day of task.series ? laterInstances(task, today, to) : []) add(day, { task, projected: true });
  }
  const sections = [...byDay].map(([day, entries]) => ({
    name: `${weekdayName(day)} ${day}`,
    day,
    entries: sorted(entries),
  }));
  sections.sort((a, b) => (a.day < b.day ? -1 : 1));
  return overdue.length === 0 ? sections : [{ name: "Overdue", entries: sorted(overdue) }, ...sections];
}

/** The first of its days that lies in the span. What was scheduled before today and is still open stands under today. */
function firstDay({ due, scheduled }: Task, { from, to }: DaySpan, today: LocalDate): LocalDate | undefined {
  const planned = scheduled !== undefined && scheduled < today ? today : scheduled;
  const days = [planned, due].filter((day) => day !== undefined && day >= from && day <= to) as LocalDate[];
  return days.toSorted()[0];
}

/** What can be done before what is only foreseen, each in the order of the agenda. */
function sorted(entries: readonly AgendaEntry[]): readonly AgendaEntry[] {
  return entries.toSorted(
    (a, b) => Number(a.projected === true) - Number(b.projected === true) || compareTasks(a.task, b.task),
  );
}

/** The span of so many days from a day on. */
export function spanFrom(from: LocalDate, days: number): DaySpan {
  return { from, to: addDays(from, days - 1) };
}
