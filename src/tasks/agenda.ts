/** What is outstanding, in which order, what is overdue and what is due this week: pure functions of tasks and the day (spec: tasks, section 3). */
import type { LocalDate } from "../clock.js";
import { addDays } from "./dates.js";
import { PRIORITIES, type Task } from "./task.js";

/** Statuses in the order of the agenda; the vault's own words stand after them. */
const STATUS_ORDER: readonly string[] = ["In Progress", "To Do", "Blocked"];
const WEEK_DAYS = 7;

/** Neither done, nor cancelled, nor archived. */
export function isOutstanding({ status, archived }: Task): boolean {
  return !archived && !isClosed(status);
}

/** Whether a status means that nothing is left to do. */
export function isClosed(status: Task["status"]): boolean {
  return status === "Done" || status === "Cancelled";
}

/** The order of the agenda: status, due date (undated last), priority, title, path. */
export function compareTasks(a: Task, b: Task): number {
  return (
    statusRank(a) - statusRank(b) ||
    compareDue(a.due, b.due) ||
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    compareAlike(a, b)
  );
}

/** The order of tasks of one status, due date and priority: title, without case first and the same on every machine; then path. */
function compareAlike(a: Task, b: Task): number {
  return (
    compareText(a.title.toLowerCase(), b.title.toLowerCase()) ||
    compareText(a.title, b.title) ||
    compareText(a.path, b.path)
  );
}

/** The outstanding of some tasks in order: first put together by what decides nearly every comparison, so that few are left. */
function outstandingInOrder(tasks: readonly Task[]): Task[] {
  const byRank = new Map<string, Task[]>();
  for (const task of tasks) {
    if (!isOutstanding(task)) continue;
    const rank = `${statusRank(task)}${task.due ?? UNDATED}${PRIORITIES.indexOf(task.priority)}`;
    const alike = byRank.get(rank);
    if (alike) alike.push(task);
    else byRank.set(rank, [task]);
  }
  const ordered: Task[] = [];
  for (const rank of [...byRank.keys()].sort())
    for (const task of byRank.get(rank)?.sort(compareAlike) ?? []) ordered.push(task);
  return ordered;
}

/** Stands behind all dates. */
const UNDATED = "~";

function statusRank({ status }: Task): number {
  const rank = STATUS_ORDER.indexOf(status);
  return rank < 0 ? STATUS_ORDER.length : rank;
}

function compareDue(a: LocalDate | undefined, b: LocalDate | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export interface DueLists {
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
}

/**
 * The outstanding tasks in order; of them those due before today, and those due from today to today + 7 days.
 * A task due today is not overdue.
 */
export function dueLists(tasks: readonly Task[], today: LocalDate): DueLists {
  const outstanding = outstandingInOrder(tasks);
  const weekEnd = addDays(today, WEEK_DAYS);
  return {
    outstanding,
    overdue: outstanding.filter(({ due }) => due !== undefined && due < today),
    dueThisWeek: outstanding.filter(({ due }) => due !== undefined && due >= today && due <= weekEnd),
  };
}
