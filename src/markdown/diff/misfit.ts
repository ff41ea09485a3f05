/** Explains why a hunk does not match a text, and where it would, by line numbers and without quoting the text. */
import { VaultError } from "../../errors.js";
import type { Hunk } from "./unified-diff.js";

export type Misfit =
  /** The text has only this many lines. */
  | { readonly kind: "short"; readonly lines: number }
  | { readonly kind: "text"; readonly noteLine: number; readonly actual: string; readonly expected: string }
  /** The patch says that the line has no line end and it has one; the reverse. */
  | { readonly kind: "ended"; readonly noteLine: number }
  | { readonly kind: "unended"; readonly noteLine: number };

export interface MisfitPlace {
  readonly hunk: Hunk;
  /** The line of the patch that does not match, counted from 1. */
  readonly patchLine: number;
  readonly note: string;
  readonly expected: readonly string[];
  /** How many lines the hunks above added. */
  readonly growth: number;
}

export function misfit(wrong: Misfit, place: MisfitPlace): VaultError {
  const { hunk, patchLine } = place;
  const message = `The patch cannot be applied: Hunk ${hunk.number} does not fit: ${sentence(wrong, patchLine)}`;
  return new VaultError("INVALID_ARGUMENT", message, { hint: hintFor(wrong, place) });
}

function sentence(wrong: Misfit, patchLine: number): string {
  if (wrong.kind === "short")
    return `line ${patchLine} of the patch is behind the end of the note, which has ${wrong.lines} lines.`;
  const where = `line ${wrong.noteLine} of the note`;
  if (wrong.kind === "unended") return `${where}, its last one, has no line end.`;
  if (wrong.kind === "ended") return `${where} does have a line end.`;
  return `${where} is not what line ${patchLine} of the patch says${degree(wrong.actual, wrong.expected)}.`;
}

/** Longer lines are not compared in detail. */
const COMPARED = 10_000;

function degree(actual: string, expected: string): string {
  if (withoutReturn(actual) === withoutReturn(expected)) return " (they differ in their line ends only)";
  if (actual.length > COMPARED || expected.length > COMPARED) return "";
  const [bare, otherBare] = [actual, expected].map((line) => line.replace(/\s+/g, ""));
  return bare === otherBare ? " (they differ in white space only)" : "";
}

function hintFor(wrong: Misfit, { hunk, note, expected, growth }: MisfitPlace): string {
  if (wrong.kind === "unended") return "Put `\\ No newline at end of file` below that line of the patch.";
  if (wrong.kind === "ended") return "Leave `\\ No newline at end of file` out below that line of the patch.";
  if (wrong.kind === "text" && withoutReturn(wrong.actual) === withoutReturn(wrong.expected))
    return "Send the patch without any \\r: its lines then fit either line end, and new lines get the note's own.";
  const again = "Read the note again and make the patch from what it says now.";
  if (expected.length === 0) return again;
  const lines = note.replace(/^\uFEFF/, "").split("\n");
  const places = placesOf(expected.map(withoutReturn), lines.map(withoutReturn));
  const [at] = places;
  if (at === undefined) return again;
  if (places.length > 1)
    return "The hunk's lines stand in several places of the note: make its header name the right one.";
  const young = at + growth + (hunk.newCount === 0 ? 0 : 1);
  return `The hunk's lines stand at line ${at + 1} of the note: its header would be @@ -${at + 1},${hunk.oldCount} +${young},${hunk.newCount} @@.`;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** The first two places of a run of lines, counted from 0, in linear time (Knuth, Morris and Pratt). */
function placesOf(run: readonly string[], lines: readonly string[]): number[] {
  const fallback = fallbacksOf(run);
  const places: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && run[matched] !== line) matched = fallback[matched - 1] ?? 0;
    if (run[matched] === line) matched += 1;
    if (matched === run.length) {
      places.push(index - run.length + 1);
      if (places.length === 2) break;
      matched = fallback[matched - 1] ?? 0;
    }
  }
  return places;
}

/** For each prefix of a run, the length of the longest shorter prefix that it ends with. */
function fallbacksOf(run: readonly string[]): number[] {
  const fallback = [0];
  let length = 0;
  for (let index = 1; index < run.length; index += 1) {
    while (length > 0 && run[length] !== run[index]) length = fallback[length - 1] ?? 0;
    if (run[length] === run[index]) length += 1;
    fallback.push(length);
  }
  return fallback;
}
