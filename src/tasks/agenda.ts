/** What is outstanding, in which order, what is overdue and what is due this week: pure functions of tasks and the day (docs: tasks, "scan_vault"). */
import type { LocalDate } from "../clock.js";
import { addDays } from "./fields/dates.js";
import { isInstanceOver } from "./recurrence/series.js";
import type { Task } from "./task.js";
import { PRIORITIES } from "./fields/vocabulary.js";

/** Statuses in the order of the agenda; the vault's own words stand after them. */
const STATUS_ORDER: readonly string[] = ["In Progress", "To Do", "Blocked"];
const WEEK_DAYS = 7;

/** Neither done, nor cancelled, nor archived; of a series the current instance neither done nor skipped. */
export function isOutstanding(task: Task): boolean {
  return !task.archived && !isClosed(task.status) && !isInstanceOver(task);
}

/** Whether a status means that nothing is left to do. */
export function isClosed(status: Task["status"]): boolean {
  return status === "Done" || status === "Cancelled";
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
