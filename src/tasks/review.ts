/** The sections of a review, counts by day, and the progress of projects (docs: tasks, "Finding"). */
import type { Clock, LocalDate } from "../clock.js";
import {
  compareTasks,
  isOutstanding,
  isOverdue,
  type AgendaEntry,
  type AgendaSection,
  type SectionKind,
} from "./agenda.js";
import { addDays, bareName } from "./fields/property-values.js";
import type { Relations } from "./dependencies.js";
import { completedDays, isDoneWithoutDay, staleTest } from "./query/filter.js";
import type { Task } from "./task.js";
import { toDayNumber } from "../dates/day-number.js";
import { fold } from "../text/fold.js";

export const DONE_DAYS = 7;

export interface DayCount {
  readonly day: LocalDate;
  readonly done: number;
  readonly created: number;
  /** Open tasks at the end of the day, as far as dates tell. */
  readonly open: number;
}

export interface Review {
  readonly sections: readonly AgendaSection[];
  readonly stuckProjects: readonly string[];
  readonly doneWithoutDay: number;
  /** The first day, and days with finished or created tasks. */
  readonly days: readonly DayCount[];
}

interface ReviewContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now" | "dayOf">;
  readonly relations: Relations;
  /** Days to count; 0 for none. */
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

/** Latest first; each instance of a series counts. */
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

/** @param days ascending */
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
  /** Undefined: before all counted days. */
  readonly from: LocalDate | undefined;
  readonly to?: LocalDate;
}

/** Undefined where the dates do not tell, as for a cancelled task. */
function openSpan(task: Task): OpenSpan | undefined {
  const { created: from } = task;
  if (isOutstanding(task)) return { from };
  const to = completedDays(task).toSorted().at(-1);
  // Some notes are created after the event they describe.
  return to === undefined || (from !== undefined && from > to) ? undefined : { from, to };
}

export interface ProjectProgress {
  readonly kind: "project" | "area";
  readonly name: string;
  readonly done: number;
  readonly open: number;
  readonly blocked: number;
  readonly ready: number;
  readonly next?: Task;
  readonly nextDay?: LocalDate;
  /** Minutes. */
  readonly estimateLeft: number;
  readonly estimated: number;
  /** Undefined without tasks. */
  readonly daysWithoutChange: number | undefined;
}

interface ProgressContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "dayOf">;
  readonly relations: Relations;
  /** Listed even without tasks. */
  readonly projectNames?: readonly string[];
}

/** Projects, then areas; those with open tasks first, by next day. */
export function projectProgress(tasks: readonly Task[], context: ProgressContext): readonly ProjectProgress[] {
  const live = tasks.filter(({ archived }) => !archived);
  const projects = grouped(live, ({ parentProjects }) => parentProjects);
  const areas = grouped(live, ({ area }) => (area === undefined ? [] : [area]));
  for (const name of context.projectNames ?? [])
    if (!projects.has(fold(name))) projects.set(fold(name), { name, tasks: [] });
  return [
    ...[...projects.values()].map((group) => progressOf("project", group, context)).sort(compareProgress),
    ...[...areas.values()].map((group) => progressOf("area", group, context)).sort(compareProgress),
  ];
}

interface Group {
  readonly name: string;
  readonly tasks: Task[];
}

/** Names are equal without case and accents; the first spelling is kept. */
function grouped(tasks: readonly Task[], namesOf: (task: Task) => readonly string[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const task of tasks)
    for (const name of new Set(namesOf(task).map(bareName))) {
      const group = groups.get(fold(name));
      if (group) group.tasks.push(task);
      else groups.set(fold(name), { name, tasks: [task] });
    }
  return groups;
}

function progressOf(kind: ProjectProgress["kind"], { name, tasks }: Group, context: ProgressContext): ProjectProgress {
  const { today, clock, relations } = context;
  const open = tasks.filter(isOutstanding).sort(compareTasks);
  const ready = open.filter((task) => relations.isReady(task));
  const days = open.flatMap(({ due, scheduled }) => [due, scheduled].filter((day) => day !== undefined)).sort();
  const changed = Math.max(...tasks.map(({ modified }) => modified));
  const estimates = open.flatMap(({ timeEstimate }) => timeEstimate ?? []);
  const [next] = ready;
  const [nextDay] = days;
  return {
    kind,
    name,
    done: tasks.filter(({ status }) => status === "Done").length,
    open: open.length,
    blocked: open.filter((task) => relations.isBlocked(task)).length,
    ready: ready.length,
    ...(next && { next }),
    ...(nextDay && { nextDay }),
    estimateLeft: estimates.reduce((sum, minutes) => sum + minutes, 0),
    estimated: estimates.length,
    daysWithoutChange:
      tasks.length === 0 ? undefined : Math.max(0, toDayNumber(today) - toDayNumber(clock.dayOf(changed))),
  };
}

function compareProgress(a: ProjectProgress, b: ProjectProgress): number {
  const [first, second] = [a, b].map(({ open, nextDay }) => `${open > 0 ? 0 : 1}${nextDay ?? "9999-99-99"}`);
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return fold(a.name) < fold(b.name) ? -1 : 1;
}
