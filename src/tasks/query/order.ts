/** The orders in which found tasks can be listed (docs: tasks, "Finding"). */
import { compareTasks } from "../agenda.js";
import { isClosed, type Task } from "../task.js";
import type { TaskFilters } from "./filter.js";
import { PRIORITIES } from "../fields/vocabulary.js";
import { createRanker, type Ranker, type SearchField } from "../../search/ranker.js";

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

/** A word in a title counts for more than a tag or an area that is nothing but that word, which a score rewards (`WHOLE_FIELD`). */
const FIELDS: readonly SearchField<Task>[] = [
  { name: "title", weight: 12, text: (task) => task.title },
  { name: "tags", weight: 5, text: (task) => task.tags.join(" ") },
  { name: "area", weight: 4, text: (task) => task.area ?? "" },
  { name: "projects", weight: 3, text: (task) => task.parentProjects.join(" ") },
  { name: "contexts", weight: 2, text: (task) => task.contexts.join(" ") },
  { name: "properties", weight: 2, text: propertyTexts },
  { name: "description", weight: 1, text: (task) => task.excerpt },
];

/** The values of a task's other properties, such as whom it is assigned to. */
function propertyTexts({ properties }: Task): string {
  return Object.values(properties)
    .flat()
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ");
}

/** Ranks tasks for a query; those that are done come after outstanding ones of equal score. */
export function taskRanker(): Ranker<Task> {
  return createRanker<Task>({
    fields: FIELDS,
    tieBreak: (a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)) || compareTasks(a, b),
  });
}

/** Whether a query holds no letter or digit (`*`, a blank): it then means every task that passes the filters. */
export function meansAll(query: string): boolean {
  return /^[\s*]*$/.test(query);
}
