/** Makes one text of two that were made of the same one, where they changed different lines of it: whole, or not at all. */

const LINE = /[^\n]*\n|[^\n]+$/g;

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** @returns undefined when both changed the same lines; of lines added in one place theirs come first */
export function merged(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | undefined {
  const lines = linesOf(base);
  const [own, other] = [hunk(lines, linesOf(ours)), hunk(lines, linesOf(theirs))];
  const [first, second] = isApart(other, own) ? [other, own] : isApart(own, other) ? [own, other] : [];
  if (!first || !second) return undefined;
  const parts = [
    lines.slice(0, first.from),
    first.lines,
    lines.slice(first.to, second.from),
    second.lines,
    lines.slice(second.to),
  ];
  return Buffer.from(parts.flat().join(""), "latin1");
}

/** Whether the first change ends before the second begins. Where they touch, only added lines stand beside each other. */
function isApart(first: Hunk, second: Hunk): boolean {
  if (first.to !== second.from) return first.to < second.from;
  const isAdding = ({ from, to }: Hunk): boolean => from === to;
  const isNone = (change: Hunk): boolean => isAdding(change) && change.lines.length === 0;
  return isNone(first) || isNone(second) || (isAdding(first) && isAdding(second));
}

/** Bytes stay what they are, whatever they are: a line break is one in every encoding that notes have. */
function linesOf(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes).toString("latin1").match(LINE) ?? [];
}

/** The one place in which two texts differ, by lines. */
function hunk(before: readonly string[], after: readonly string[]): Hunk {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: start, to: before.length - end, lines: after.slice(start, after.length - end) };
}
