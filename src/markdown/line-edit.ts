/**
 * Edits by lines and exact text (docs: notes-and-files, "Line rules"). Lines end at `\n` only; a final newline begins
 * no
 * line, and a byte order mark belongs to none.
 */
import { seenPattern, isAscii } from "../text/fold.js";

const BOM = "\uFEFF";
const MAX_PLACES = 10;
/** Longer texts must match exactly. */
const MAX_PATTERN_LENGTH = 100_000;

export function linesOf(text: string): string[] {
  const lines = withoutMark(text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function lineCount(text: string): number {
  const end = text.endsWith("\n") || withoutMark(text) === "" ? 0 : 1;
  return newlinesBefore(text, text.length) + end;
}

/**
 * After line `after` (0: first), with the file's line endings. A final newline of `addition` makes no extra line; the
 * last
 * line keeps its newline or lack of one. An empty file takes `addition` as it is. @throws RangeError without such a
 * line
 */
export function insertLines(text: string, after: number, addition: string): string {
  const ending = lineEnding(text);
  const added = withEnding(addition, ending);
  if (withoutMark(text) === "" && after === 0) return text + (added === "" ? "\n" : added);
  const at = endOfLine(text, after);
  const lines = added.endsWith(ending) ? added.slice(0, -ending.length) : added;
  const isUnended = at === text.length && !text.endsWith("\n");
  return text.slice(0, at) + (isUnended ? ending + lines : lines + ending) + text.slice(at);
}

type Replacement =
  /** Where the replaced text began, from 1. */
  | { readonly kind: "replaced"; readonly text: string; readonly line: number }
  | { readonly kind: "none" }
  /** Of the first occurrences. */
  | { readonly kind: "several"; readonly count: number; readonly lines: readonly number[] };

/**
 * A text that occurs once, else what looks the same. A line break in `sought` matches either ending unless the file
 * contains
 * `sought` exactly; those of `replacement` become those of the replaced text, else the file's. @param sought not empty
 */
export function replaceOnly(text: string, sought: string, replacement: string): Replacement {
  const exact = find(text, sought);
  const isExact = exact.count > 0 || sought.length > MAX_PATTERN_LENGTH || isAscii(text + sought);
  const { count, spans, words } = isExact ? { ...exact, words: replacement } : findAlike(text, sought, replacement);
  const [start, end] = spans[0] ?? [];
  if (start === undefined || end === undefined) return { kind: "none" };
  const lineAt = (offset = 0): number => newlinesBefore(text, offset) + 1;
  if (count > 1) return { kind: "several", count, lines: spans.map(([offset]) => lineAt(offset)) };
  const replaced = text.slice(start, end);
  const inserted = withEnding(words, lineEnding(replaced.includes("\n") ? replaced : text));
  return { kind: "replaced", text: text.slice(0, start) + inserted + text.slice(end), line: lineAt(start) };
}

type Span = readonly number[];

interface Found {
  readonly count: number;
  readonly spans: readonly Span[];
}

const NOTHING: Found = { count: 0, spans: [] };

function find(text: string, sought: string): Found {
  // Else it would match inside `\r\n`.
  const isSpelledOut = !/(?<!\r)\n/.test(sought);
  const exact = isSpelledOut ? findIn(text, sought) : NOTHING;
  if (exact.count > 0 || !sought.includes("\n")) return exact;
  const unified = sought.replaceAll("\r\n", "\n");
  if (!text.includes("\r\n")) return findIn(text, unified);
  const { count, spans } = findIn(text.replaceAll("\r\n", "\n"), unified);
  return { count, spans: spans.map((span) => span.map(offsetsIn(text))) };
}

function findIn(text: string, sought: string): Found {
  const spans: Span[] = [];
  let count = 0;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
    if (++count <= MAX_PLACES) spans.push([at, at + sought.length]);
  }
  return { count, spans };
}

/** Other code points. What both share at the ends keeps its bytes. */
function findAlike(text: string, sought: string, replacement: string): Found & { readonly words: string } {
  const [before, after] = [Array.from(sought.normalize("NFC")), Array.from(replacement)];
  const most = Math.min(before.length, after.length);
  let [from, to] = [0, 0];
  while (from < most && before[from] === after[from]) from++;
  while (to < most - from && before.at(-1 - to) === after.at(-1 - to)) to++;
  const parts = [before.slice(0, from), before.slice(from, before.length - to), before.slice(before.length - to)];
  const [lead = "", middle = "", tail = ""] = parts.map((part) => seenPattern(part.join("")));
  const found = [...text.matchAll(new RegExp(`${lead}(${middle})${tail}`, "dgu"))];
  const spans = found.slice(0, MAX_PLACES).flatMap(({ indices }) => (indices?.[1] ? [indices[1]] : []));
  return { count: found.length, spans, words: after.slice(from, after.length - to).join("") };
}

/** From text with `\n` for `\r\n`; at a line break, before its `\r`. */
function offsetsIn(text: string): (offset: number) => number {
  return (offset) => {
    let removed = 0;
    for (let at = text.indexOf("\r\n"); at >= 0 && at - removed < offset; at = text.indexOf("\r\n", at + 2)) removed++;
    return offset + removed;
  };
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function withEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r?\n/g, ending);
}

function newlinesBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Or the text's end. */
function endOfLine(text: string, line: number): number {
  let end = text.startsWith(BOM) ? 1 : 0;
  if (!Number.isInteger(line) || line < 0) throw new RangeError("a line's number is a whole number from 0 on");
  for (let number = 1; number <= line; number++) {
    if (end >= text.length) throw new RangeError(`there is no line ${line}`);
    const newline = text.indexOf("\n", end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}

export type LineEnding = "\n" | "\r\n";

/** LF for a single line. */
export function lineEnding(text: string): LineEnding {
  const at = text.indexOf("\n");
  return at > 0 && text.charCodeAt(at - 1) === 13 ? "\r\n" : "\n";
}

export function withLineEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r\n?|\n/g, ending);
}

export interface Splice {
  /** Equal for an insertion. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices must not overlap; two at one place keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = "";
  let done = 0;
  for (const splice of splices.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(done, splice.start) + splice.text;
    done = splice.end;
  }
  return result + text.slice(done);
}
