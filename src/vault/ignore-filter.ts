/** Obsidian's "Excluded files": path prefixes and simple patterns, matched without any chance of a runaway (spec: obsidian, section 4). */

/** Whether a path is excluded. */
export type IgnoreFilter = (path: string) => boolean;

const MAX_PATTERN = 200;
/** Above this many, repeated parts could be tried against each other too often on a long path. */
const MAX_REPEATS = 2;
const MAX_PATH = 1024;

/**
 * Reads one entry of `userIgnoreFilters`: text between slashes is a regular expression, all else the beginning of a path;
 * case does not count, as in Obsidian. Undefined when the entry is empty or a pattern that could run away or that is not understood.
 */
export function ignoreFilter(entry: string): IgnoreFilter | undefined {
  if (entry.length > 2 && entry.startsWith("/") && entry.endsWith("/")) return patternFilter(entry.slice(1, -1));
  const prefix = entry.replace(/^\//u, "").toLowerCase();
  return prefix === "" ? undefined : (path) => path.toLowerCase().startsWith(prefix);
}

function patternFilter(pattern: string): IgnoreFilter | undefined {
  if (!isTame(pattern)) return undefined;
  try {
    const expression = new RegExp(pattern, "iu");
    return (path) => path.length <= MAX_PATH && expression.test(path);
  } catch {
    return undefined;
  }
}

const PIECE = /\\[dws./()[\]{}+*?^$|-]|\[\^?(?:[^\]\\[]|\\[dws./()[\]^\\-])+\]|[^\\[\](){}*+?]/uy;

/** Characters, classes, anchors, alternatives and plain groups; a repeat only behind a single character or class, and few of them. */
function isTame(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  let position = 0;
  let repeats = 0;
  while (position < pattern.length) {
    const group = /(?:\((?:\?:)?|\))/uy;
    group.lastIndex = position;
    PIECE.lastIndex = position;
    const piece = group.exec(pattern)?.[0] ?? PIECE.exec(pattern)?.[0];
    if (piece === undefined) return false;
    position += piece.length;
    const repeat = pattern[position];
    if (repeat !== "*" && repeat !== "+" && repeat !== "?") continue;
    if (piece.startsWith("(") || piece === ")" || "^$|".includes(piece)) return false;
    if (repeat !== "?" && ++repeats > MAX_REPEATS) return false;
    position += pattern[position + 1] === "?" ? 2 : 1;
  }
  return true;
}
