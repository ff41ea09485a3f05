/** Searching tasks by words: which texts of a task are searched, and with what weight (docs: tasks, "search_tasks"; tasks, "Finding"). */
import { createRanker, type Ranker, type SearchField } from "../../search/ranker.js";
import { compareTasks, isClosed } from "../agenda.js";
import type { Task } from "../task.js";

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
