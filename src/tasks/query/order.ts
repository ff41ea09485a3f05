/** The orders in which found tasks can be listed (docs: tasks, "Finding"). */
import { compareTasks, isClosed } from "../agenda.js";
import type { TaskFilters } from "./filter.js";
import type { Task } from "../task.js";
import { PRIORITIES } from "../fields/vocabulary.js";

export const TASK_SORTS = ["relevance", "agenda", "due", "priority", "modified"] as const;
/** `relevance` is the order of a search by words, `agenda` that of a scan. */
export type TaskSort = (typeof TASK_SORTS)[number];

type Compare = (a: Task, b: Task) => number;

const COMPARE: Readonly<Record<Exclude<TaskSort, "relevance">, Compare>> = {
  agenda: compareTasks,
  due: (a, b) => compareDays(a.due, b.due) || compareTasks(a, b),
  priority: (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || compareTasks(a, b),
  modified: (a, b) => b.modified - a.modified || compareTasks(a, b),
};

/** Done and cancelled tasks come last, unless the filters ask for them. */
export function taskOrder(sort: Exclude<TaskSort, "relevance">, { status, completed }: TaskFilters): Compare {
  const compare = COMPARE[sort];
  const wanted = typeof status === "string" ? [status] : (status ?? []);
  if (completed !== undefined || wanted.some(isClosed)) return compare;
  return (a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)) || compare(a, b);
}

/** Earlier first, none last. */
function compareDays(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
}
