/** Merges two texts of one origin by lines: every change of both, or nothing. */
import { diffArrays } from "diff";

/** Lines `from` to `to` of the base (exclusive) become `lines`. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

const LINE = /[^\n]*\n|[^\n]+$/g;
/** Comparing more different lines takes too long. */
const MAX_EDITS = 2000;

/**
 * `diff` has no three-way merge, and other packages see a conflict in lines added at the same place.
 * @returns undefined when both changed the same lines differently; of lines added in one place theirs come first
 */
export function merged(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | undefined {
  const lines = linesOf(base);
  const [own, others] = [hunks(lines, linesOf(ours)), hunks(lines, linesOf(theirs))];
  if (!own || !others) return undefined;
  const hunksInOrder = inOrder(others, own);
  if (!hunksInOrder) return undefined;
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, lines: changed } of hunksInOrder) {
    parts.push(...lines.slice(done, from), ...changed);
    done = to;
  }
  return Buffer.from([...parts, ...lines.slice(done)].join(""), "latin1");
}

/** Undefined for a conflict. */
function inOrder(theirs: readonly Hunk[], ours: readonly Hunk[]): readonly Hunk[] | undefined {
  const result: Hunk[] = [];
  let [at, own] = [0, 0];
  for (;;) {
    const [first, second] = [theirs[at], ours[own]];
    if (!first || !second) return [...result, ...theirs.slice(at), ...ours.slice(own)];
    if (isIncluded(second, first)) {
      result.push(first);
      [at, own] = [at + 1, own + 1];
    } else if (isBefore(first, second)) {
      result.push(first);
      at++;
    } else if (isBefore(second, first)) {
      result.push(second);
      own++;
    } else return undefined;
  }
}

/** A version merged before is not merged twice. */
function isIncluded(ours: Hunk, theirs: Hunk): boolean {
  if (ours.from !== theirs.from || ours.to !== theirs.to) return false;
  if (ours.lines.length === 0) return theirs.lines.length === 0;
  return theirs.lines.some((_, at) => ours.lines.every((line, index) => theirs.lines[at + index] === line));
}

/** Hunks that touch conflict, unless both only add lines. */
function isBefore(first: Hunk, second: Hunk): boolean {
  if (first.to < second.from) return true;
  return first.to === second.from && first.from === first.to && second.from === second.to;
}

/** Latin-1 keeps the bytes, and line breaks are the same in every encoding. */
function linesOf(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString("latin1").match(LINE) ?? [];
}

function hunks(before: string[], after: string[]): readonly Hunk[] | undefined {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const found: Hunk[] = [];
  let at = 0;
  let open: { from: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open) found.push({ ...open, to: at });
    open = undefined;
  };
  for (const { added, removed, value } of parts) {
    if (!added && !removed) close();
    else open ??= { from: at, lines: [] };
    if (added) open?.lines.push(...value);
    else at += value.length;
  }
  close();
  return found;
}
