/** What differs between two states of a long list whose unchanged items are the same objects, mostly in the same places. */

export interface Difference<Item> {
  readonly before: readonly Item[];
  readonly after: readonly Item[];
}

/** The lists without what they begin and end with in common: for one changed item, that one. */
export function difference<Item>(before: readonly Item[], after: readonly Item[]): Difference<Item> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}
