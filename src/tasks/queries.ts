/** Finding tasks: the filters, and which texts of a task are searched with what weight (spec: tasks, section 6). */
import { normaliseTag } from "../markdown/links/property-links.js";
import { foldName } from "../storage/path.js";
import { createRanker, type Ranker, type SearchField } from "../search/ranker.js";
import { compareTasks, isClosed } from "./agenda.js";
import { bareName } from "./fields/property-values.js";
import type { TaskQuery } from "./api.js";
import type { Task } from "./task.js";

/** A word in a title counts for more than a tag or an area that is nothing but that word, which a score rewards (`WHOLE_FIELD`). */
const FIELDS: readonly SearchField<Task>[] = [
  { name: "title", weight: 12, text: (task) => task.title },
  { name: "tags", weight: 5, text: (task) => task.tags.join(" ") },
  { name: "area", weight: 4, text: (task) => task.area ?? "" },
  { name: "projects", weight: 3, text: (task) => task.parentProjects.join(" ") },
  { name: "description", weight: 1, text: (task) => task.excerpt },
];

/** What answers call the area of a task without one; asking for it finds those. */
const UNASSIGNED = "unassigned";

/**
 * Ranks tasks for a query; those that are done come after outstanding ones of equal score.
 * @param indexFrom from how many tasks on to keep an index; undefined in a process that answers once
 */
export function taskRanker(indexFrom: number | undefined): Ranker<Task> {
  return createRanker<Task>({
    fields: FIELDS,
    tieBreak: (a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)) || compareTasks(a, b),
    ...(indexFrom !== undefined && { indexFrom }),
  });
}

/** Whether a query holds no letter or digit (`*`, a blank): it then means every task that passes the filters. */
export function meansAll(query: string): boolean {
  return /^[\s*]*$/.test(query);
}

/** The filters of a query as one test. */
export function taskFilter({ status, area, tags, includeArchived }: TaskQuery): (task: Task) => boolean {
  const wantedArea = area === undefined ? undefined : foldName(bareName(area));
  const anyOf = tags?.flatMap(wantedTags) ?? [];
  return (task) => {
    if (task.archived && includeArchived !== true) return false;
    if (status !== undefined && task.status !== status) return false;
    if (wantedArea !== undefined && wantedArea !== "" && foldName(task.area ?? UNASSIGNED) !== wantedArea) return false;
    return anyOf.length === 0 || anyOf.some((tag) => hasTag(task, tag));
  };
}

/** The tags a caller's text may mean: as it stands, and as it would have been written (`#my tag` is `my-tag`). */
function wantedTags(text: string): string[] {
  return text
    .split(",")
    .flatMap((tag) => [tag.trim().replace(/^#+/, ""), normaliseTag(tag) ?? ""])
    .filter((tag) => tag !== "")
    .map(foldName);
}

/** A nested tag `a/b` is found by `a`. */
function hasTag({ tags }: Task, wanted: string): boolean {
  return tags.some((tag) => {
    const folded = foldName(tag);
    return folded === wanted || folded.startsWith(`${wanted}/`);
  });
}
