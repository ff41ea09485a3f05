/** Finds names that a caller may have meant. */
import { fold } from "./fold.js";

/** Only a name's beginning is compared. */
const COMPARED_LENGTH = 80;
const MAX_EDITS = 6;

/**
 * Best first. Ignores case, accents, spaces, `-` and `_`. A near name differs in at most a third of the text's letters,
 * or begins with it, perhaps misspelt, or contains it.
 */
export function nearest(text: string, names: readonly string[], count = 3): string[] {
  const wanted = skeleton(text);
  if (wanted === "") return [];
  const near = new Map<string, number>();
  const letters = new Uint8Array(32);
  for (let at = 0; at < wanted.length; at++) letters[wanted.charCodeAt(at) & 31]!++;
  const limit = limitOf(wanted);
  for (const name of names) {
    if (!mayBeNear(wanted, letters, limit, name)) continue;
    const distance = distanceBetween(wanted, skeleton(name));
    if (distance !== undefined) near.set(name, distance);
  }
  return [...near.keys()].sort((a, b) => (near.get(a) ?? 0) - (near.get(b) ?? 0)).slice(0, count);
}

function skeleton(name: string): string {
  const folded = fold(name.slice(0, COMPARED_LENGTH * 2));
  const bare = folded.replace(/[\s_-]+/g, "");
  return (bare === "" ? folded.trim() : bare).slice(0, COMPARED_LENGTH);
}

const limitOf = (wanted: string): number => Math.min(MAX_EDITS, Math.max(1, Math.ceil(wanted.length / 3)));

const left = new Uint8Array(32);

/** False only for a name that lacks too many letters. */
function mayBeNear(wanted: string, letters: Uint8Array, limit: number, name: string): boolean {
  left.set(letters);
  let lacks = wanted.length;
  let beginning = wanted.length;
  for (let at = 0; at < Math.min(name.length, COMPARED_LENGTH * 2); at++) {
    const unit = name.charCodeAt(at);
    // Folding changes others.
    if (unit > 127) return true;
    if (unit > 32 && unit !== 45 && unit !== 95) beginning--;
    // The same for both cases.
    const letter = unit & 31;
    if (left[letter] === 0) continue;
    left[letter]!--;
    if (--lacks <= (beginning >= 0 ? limit : 0)) return true;
  }
  return false;
}

function distanceBetween(wanted: string, name: string): number | undefined {
  const limit = limitOf(wanted);
  const edits = editDistance(wanted, name, limit);
  if (edits <= limit && edits < wanted.length) return edits;
  if (wanted.length >= 2 && name.startsWith(wanted)) return limit + 1;
  if (wanted.length >= 3 && name.includes(wanted)) return limit + 2;
  return isBeginning(wanted, name) ? limit + 3 : undefined;
}

const MIN_CUT = 8;

/** One error in six letters. */
function isBeginning(wanted: string, name: string): boolean {
  if (wanted.length < MIN_CUT || name.length <= wanted.length) return false;
  const limit = Math.floor(wanted.length / 6);
  return alignedDistance(wanted, name.slice(0, wanted.length + limit), limit, true) <= limit;
}

/** Optimal string alignment over UTF-16 units. @returns at most `limit + 1` */
export function editDistance(a: string, b: string, limit: number): number {
  if (a.length > b.length) return editDistance(b, a, limit);
  const beyond = limit + 1;
  if (b.length - a.length > limit) return beyond;
  let start = 0;
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let cut = 0;
  while (cut < a.length - start && a.charCodeAt(a.length - 1 - cut) === b.charCodeAt(b.length - 1 - cut)) cut++;
  return alignedDistance(a.slice(start, a.length - cut), b.slice(start, b.length - cut), limit);
}

/** A search compares thousands of names. */
let spare = [new Int32Array(128), new Int32Array(128), new Int32Array(128)] as [Int32Array, Int32Array, Int32Array];

/** @param isBeginning `a` may end anywhere in `b` */
function alignedDistance(a: string, b: string, limit: number, isBeginning = false): number {
  const beyond = limit + 1;
  if (a.length === 0) return isBeginning ? 0 : Math.min(b.length, beyond);
  const width = b.length + 1;
  if (width > spare[0].length) spare = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  let [beforeLast, last, current] = spare;
  for (let column = 0; column < width; column++) last[column] = Math.min(column, beyond);
  for (let row = 1; row <= a.length; row++) {
    current.fill(beyond, 0, width);
    let least = Math.min(row, beyond);
    current[0] = least;
    const unit = a.charCodeAt(row - 1);
    for (let column = Math.max(1, row - limit); column <= Math.min(b.length, row + limit); column++) {
      const other = b.charCodeAt(column - 1);
      let cost = (last[column - 1] ?? beyond) + (unit === other ? 0 : 1);
      cost = Math.min(cost, (last[column] ?? beyond) + 1, (current[column - 1] ?? beyond) + 1);
      if (row > 1 && column > 1 && unit === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === other) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? beyond) + 1);
      }
      current[column] = Math.min(cost, beyond);
      least = Math.min(least, cost);
    }
    if (least > limit) return beyond;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return isBeginning ? Math.min(...last.subarray(0, width)) : (last[b.length] ?? beyond);
}
