/** Finds the names that a caller may have meant, for every "did you mean". */
import { editDistance } from "./edit-distance.js";
import { fold } from "./fold.js";

/** Only the beginning of a name is compared. */
const COMPARED_LENGTH = 80;
const MAX_EDITS = 6;

/**
 * Best first; equally near names keep their order. Ignores case, accents, spaces, `-` and `_`. A name is near if at
 * most a third of the text's letters differ, or if it contains the text.
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

/** Undefined: too different. */
function distanceBetween(wanted: string, name: string): number | undefined {
  const limit = Math.min(MAX_EDITS, Math.max(1, Math.ceil(wanted.length / 3)));
  const edits = editDistance(wanted, name, limit);
  // One-letter names are always one edit apart, yet unrelated.
  if (edits <= limit && edits < wanted.length) return edits;
  if (wanted.length >= 2 && name.startsWith(wanted)) return limit + 1;
  if (wanted.length >= 3 && name.includes(wanted)) return limit + 2;
  return undefined;
}
