/** The orders in which tasks are listed, and their ranking for words (docs: tasks, "Finding"). */
import { compareDue, compareTasks } from "../agenda.js";
import { isClosed, type Task } from "../task.js";
import type { TaskFilters } from "./filter.js";
import { PRIORITIES } from "../fields/vocabulary.js";
import { Ranker, type SearchField } from "../../search/ranker.js";

export const TASK_SORTS = ["relevance", "agenda", "due", "priority", "modified"] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

type Compare = (a: Task, b: Task) => number;

const COMPARE: Readonly<Record<Exclude<TaskSort, "relevance">, Compare>> = {
  agenda: compareTasks,
  due: (a, b) => compareDue(a.due, b.due) || compareTasks(a, b),
  priority: (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || compareTasks(a, b),
  modified: (a, b) => b.modified - a.modified || compareTasks(a, b),
};

/** Closed tasks come last, unless the filters ask for them. */
export function taskOrder(sort: Exclude<TaskSort, "relevance">, { status, completed }: TaskFilters): Compare {
  const compare = COMPARE[sort];
  const wanted = typeof status === "string" ? [status] : (status ?? []);
  if (completed !== undefined || wanted.some(isClosed)) return compare;
  return (a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)) || compare(a, b);
}

/** A word in a title outweighs a tag or area equal to it (see `WHOLE_FIELD`). */
const FIELDS: readonly SearchField<Task>[] = [
  { name: "title", weight: 12, text: (task) => task.title },
  { name: "tags", weight: 5, text: (task) => task.tags.join(" ") },
  { name: "area", weight: 4, text: (task) => task.area ?? "" },
  { name: "projects", weight: 3, text: (task) => task.parentProjects.join(" ") },
  { name: "contexts", weight: 2, text: (task) => task.contexts.join(" ") },
  { name: "properties", weight: 2, text: propertyTexts },
  { name: "description", weight: 1, text: (task) => task.excerpt },
];

/** Other properties, such as an assignee. */
function propertyTexts({ properties }: Task): string {
  return Object.values(properties)
    .flat()
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ");
}

export function taskRanker(): Ranker<Task> {
  return new Ranker<Task>({
    fields: FIELDS,
    tieBreak: (a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)) || compareTasks(a, b),
  });
}

/** True for blanks and `*` only. */
export function meansAll(query: string): boolean {
  return /^[\s*]*$/.test(query);
}
