/** Looking back and looking for what is stuck: the sections of a review and what was done and made on which day (docs: tasks, "Finding"). */
import type { Clock, LocalDate } from "../clock.js";
import { compareTasks, isOutstanding, isOverdue } from "./agenda.js";
import type { AgendaEntry, AgendaSection, SectionKind } from "./day-agenda.js";
import { addDays } from "./fields/dates.js";
import { projectProgress } from "./project-progress.js";
import type { Relations } from "./dependencies.js";
import { completedDays, isDoneWithoutDay, staleTest } from "./query/filter.js";
import type { Task } from "./task.js";

/** How far back a review lists what was done. */
export const DONE_DAYS = 7;

export interface DayCount {
  readonly day: LocalDate;
  readonly done: number;
  readonly created: number;
  /** Tasks that were outstanding at its end, as far as their days tell. */
  readonly open: number;
}

export interface Review {
  readonly sections: readonly AgendaSection[];
  /** Projects with open tasks of which none is ready. */
  readonly stuckProjects: readonly string[];
  /** Tasks that are done and do not say when. */
  readonly doneWithoutDay: number;
  /** Of the last so many days the first, and those on which something was done or made; empty where none were asked for. */
  readonly days: readonly DayCount[];
}

export interface ReviewContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now" | "dayOf">;
  readonly relations: Relations;
  /** How many days back counts by day go; 0 for none. */
  readonly days: number;
}

export function reviewOf(tasks: readonly Task[], context: ReviewContext): Review {
  const { today, clock, relations, days } = context;
  const open = tasks.filter(isOutstanding).sort(compareTasks);
  const section = (kind: SectionKind, holds: (task: Task) => boolean): AgendaSection => ({
    kind,
    entries: open.filter(holds).map((task) => ({ task })),
  });
  const undated = ({ due, scheduled }: Task): boolean => due === undefined && scheduled === undefined;
  return {
    sections: [
      { kind: "done", entries: doneSince(tasks, addDays(today, -DONE_DAYS), today) },
      section("overdue", (task) => isOverdue(task, today)),
      section("waiting", (task) => relations.isBlocked(task)),
      section("stale", staleTest(today, clock)),
      section("important", (task) => task.priority === "High" && undated(task)),
      section("undated", undated),
    ],
    stuckProjects: projectProgress(tasks, context)
      .filter(({ kind, open, ready }) => kind === "project" && open > 0 && ready === 0)
      .map(({ name }) => name),
    doneWithoutDay: tasks.filter(isDoneWithoutDay).length,
    days: days === 0 ? [] : countsByDay(tasks, addDays(today, -days), today),
  };
}

/** What was finished on which day, the latest first; each instance of a series by itself. */
function doneSince(tasks: readonly Task[], from: LocalDate, today: LocalDate): readonly AgendaEntry[] {
  const entries = tasks.flatMap((task) =>
    completedDays(task)
      .filter((day) => day >= from && day <= today)
      .map((done) => ({ task, done })),
  );
  return entries.sort((a, b) => (a.done === b.done ? compareTasks(a.task, b.task) : a.done < b.done ? 1 : -1));
}

function countsByDay(tasks: readonly Task[], from: LocalDate, today: LocalDate): readonly DayCount[] {
  const counts = new Map<LocalDate, { done: number; created: number }>([[from, { done: 0, created: 0 }]]);
  const count = (day: LocalDate | undefined, what: "done" | "created"): void => {
    if (day === undefined || day < from || day > today) return;
    const known = counts.get(day) ?? { done: 0, created: 0 };
    counts.set(day, { ...known, [what]: known[what] + 1 });
  };
  for (const task of tasks) {
    count(task.created, "created");
    for (const day of completedDays(task)) count(day, "done");
  }
  const days = [...counts.keys()].sort();
  const open = openOn(days, tasks);
  return days.map((day) => {
    const { done = 0, created = 0 } = counts.get(day) ?? {};
    return { day, done, created, open: open.get(day) ?? 0 };
  });
}

/** How many tasks were outstanding at the end of each of these days, which are in order. */
function openOn(days: readonly LocalDate[], tasks: readonly Task[]): ReadonlyMap<LocalDate, number> {
  const first = days[0];
  if (first === undefined) return new Map();
  const changes = new Map<LocalDate, number>();
  const change = (day: LocalDate, by: number) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const span of tasks.map(openSpan)) {
    if (span === undefined) continue;
    const { from = first, to } = span;
    change(from < first ? first : from, 1);
    if (to !== undefined) change(to < first ? first : to, -1);
  }
  let open = 0;
  return new Map(days.map((day) => [day, (open += changes.get(day) ?? 0)]));
}

interface OpenSpan {
  /** The day it was made; undefined: before all that is counted. */
  readonly from: LocalDate | undefined;
  /** The day it was finished. */
  readonly to?: LocalDate;
}

/** When a task was outstanding; undefined where its days do not tell, as of one that was cancelled. */
function openSpan(task: Task): OpenSpan | undefined {
  const { created: from } = task;
  if (isOutstanding(task)) return { from };
  const to = completedDays(task).toSorted().at(-1);
  // Some notes are made after what they tell of.
  return to === undefined || (from !== undefined && from > to) ? undefined : { from, to };
}
