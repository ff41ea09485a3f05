/** Merges two changes of a text if they do not touch. */

interface ChangedRange {
  /** In both texts. */
  readonly from: number;
  /** In the new text, and in the old one. */
  readonly to: number;
  readonly end: number;
}

/** Whole words, so that marks are readable. */
export function changedRange(before: string, after: string): ChangedRange {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const length = (words: readonly string[]) => words.slice(0, words.length - tail).join("").length;
  return { from: now.slice(0, head).join("").length, to: length(now), end: length(old) };
}

const wordsOf = (text: string): readonly string[] => text.split(/(?<=\s)|(?=\s)/);

/** Undefined if the changes touch. @param base the common origin */
export function merged(base: string, mine: string, theirs: string): string | undefined {
  const [my, their] = [changedRange(base, mine), changedRange(base, theirs)];
  if (my.end < their.from) return mine.slice(0, my.to) + base.slice(my.end, their.from) + theirs.slice(their.from);
  if (their.end < my.from) return theirs.slice(0, their.to) + base.slice(their.end, my.from) + mine.slice(my.from);
  return undefined;
}
