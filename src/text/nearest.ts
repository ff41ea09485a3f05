/** Finds the names that a caller may have meant: every "did you mean" uses it. */
import { editDistance } from "./edit-distance.js";
import { fold } from "./fold.js";

/** Longer names are compared by their beginnings, which bounds the work. */
const COMPARED_LENGTH = 80;
const MAX_EDITS = 6;

/**
 * The names nearest to `text`, best first, at most `count`. Case, accents, spaces, `-` and `_` do not count, so
 * `due_date` is nearest to `dueDate`. A name is near if at most a third of the text's letters differ, or if it contains
 * the text. Equally near names keep the order given.
 */
export function nearest(text: string, names: readonly string[], count = 3): string[] {
  const wanted = skeleton(text);
  if (wanted === "") return [];
  const near: { name: string; distance: number }[] = [];
  for (const name of new Set(names)) {
    const distance = distanceBetween(wanted, skeleton(name));
    if (distance !== undefined) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.slice(0, count).map(({ name }) => name);
}

function skeleton(name: string): string {
  const folded = fold(name.slice(0, COMPARED_LENGTH * 2));
  const bare = folded.replace(/[\s_-]+/g, "");
  return (bare === "" ? folded.trim() : bare).slice(0, COMPARED_LENGTH);
}

/** Undefined: too different to have been meant. */
function distanceBetween(wanted: string, name: string): number | undefined {
  const limit = Math.min(MAX_EDITS, Math.max(1, Math.ceil(wanted.length / 3)));
  const edits = editDistance(wanted, name, limit);
  // Two names of one letter each are always one edit apart, yet unrelated.
  if (edits <= limit && edits < wanted.length) return edits;
  if (wanted.length >= 2 && name.startsWith(wanted)) return limit + 1;
  if (wanted.length >= 3 && name.includes(wanted)) return limit + 2;
  return undefined;
}
