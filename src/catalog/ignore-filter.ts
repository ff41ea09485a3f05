/** Obsidian's "Excluded files": beginnings of paths and regular expressions (spec: obsidian, section 4). */
import { linearPattern } from "./linear-pattern.js";

/** Whether a path is excluded. */
export type IgnoreFilter = (path: string) => boolean;

/**
 * Reads one entry of `userIgnoreFilters`: text between slashes is a regular expression, all else the beginning of a path;
 * case does not count, as in Obsidian. Undefined when the entry is empty or an expression that is not understood.
 */
export function ignoreFilter(entry: string): IgnoreFilter | undefined {
  if (entry.length > 2 && entry.startsWith("/") && entry.endsWith("/")) return linearPattern(entry.slice(1, -1));
  const beginning = entry.replace(/^\//u, "").toLowerCase();
  return beginning === "" ? undefined : (path) => path.toLowerCase().startsWith(beginning);
}
