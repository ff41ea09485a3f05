/** A note's headings, description and checkboxes. */
import { VaultError } from "../errors.js";
import { splitNote } from "./frontmatter/frontmatter.js";
import { type Heading, scanBlocks, unescapedWords } from "./blocks.js";
import { lineEnding, withLineEnding } from "./line-edit.js";

/** UTF-16 offsets into a note. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** In the body, except in code, comments, math and quotes. @param bodyStart from `splitNote` */
export function headings(text: string, bodyStart: number, limit = Infinity): Heading[] {
  const found: Heading[] = [];
  if (limit > 0) visitHeadings(text, bodyStart, (heading) => found.push(heading) >= limit);
  return found;
}

/** What is added at the end would be inside an unclosed code block or comment. */
export function endsUnclosed(text: string): boolean {
  const { bodyStart } = splitNote(text);
  const probe = `${text}\n\n# probe\n`;
  return headings(probe, bodyStart).at(-1)?.end !== probe.length;
}

export function leftOpen(before: string, after: string): string | undefined {
  if (!endsUnclosed(after) || endsUnclosed(before)) return undefined;
  return "A code block or comment is not closed now: all below it is inside.";
}

/**
 * The body's first level-1 heading, and the text below it, or the whole body, without surrounding blank lines. Perhaps
 * an empty range.
 */
export function titleAndDescription(
  text: string,
  bodyStart: number,
): { readonly title: Heading | undefined; readonly description: TextRange } {
  let title: Heading | undefined;
  visitHeadings(text, bodyStart, (heading) => {
    if (heading.level === 1) title = heading;
    return title !== undefined;
  });
  return { title, description: withoutBlankLines(text, title?.end ?? bodyStart, text.length) };
}

function withoutBlankLines(text: string, from: number, to: number): TextRange {
  let end = to;
  while (end > from && isWhite(text.charCodeAt(end - 1))) end -= 1;
  let start = from;
  for (let index = from; index < end && isWhite(text.charCodeAt(index)); index += 1) {
    if (text.charCodeAt(index) === 10) start = index + 1;
  }
  return { start: Math.min(start, end), end };
}

/** Never ends in half a character. */
export function textExcerpt(text: string, range: TextRange, length: number): string {
  let end = Math.min(range.end, range.start + length);
  if (end < range.end && end > range.start && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(range.start, end);
}

/**
 * Replaces the text below the title, or with `keep` only what is above its first heading.
 * @throws INVALID_ARGUMENT when that would change the meaning of the rest
 */
export function replaceDescription(text: string, bodyStart: number, description: string, keep?: Heading): string {
  const ending = lineEnding(text);
  const { title } = titleAndDescription(text, bodyStart);
  const above = title?.end ?? bodyStart;
  const limit = keep?.start ?? text.length;
  const old = withoutBlankLines(text, above, limit);
  const wanted = trimmed(withLineEnding(description, ending));
  if (wanted === text.slice(old.start, old.end)) return text;
  if (keep !== undefined) {
    const below = text.slice(limit);
    const [lead, tail] = [text.slice(above, old.start), text.slice(old.end, limit)];
    const blank = title !== undefined && lead === "" && old.start === old.end ? ending : lead;
    const rest = wanted === "" ? blank : `${blank}${wanted}${/\n[ \t]*\r?\n/.test(tail) ? tail : ending + ending}`;
    const result = guarded(text, bodyStart, above, rest + below);
    const names = (note: string): string => JSON.stringify(sectionsOf(note).map((one) => one.text));
    if (names(result) === names(text) && result.endsWith(below)) return result;
    throw new VaultError("INVALID_ARGUMENT", "The new description would swallow the sections below it.", {
      hint: "Close the code, comment or math that it opens, or give the sections with it. Nothing was changed.",
    });
  }
  if (wanted === "") return text.slice(0, above);
  if (old.start < old.end) return guarded(text, bodyStart, old.start, wanted + text.slice(old.end));
  const openLine =
    above > 0 && text.charCodeAt(above - 1) !== 10 && text.charCodeAt(above - 1) !== 0xfeff ? ending : "";
  const blankLine = title === undefined ? "" : ending;
  return guarded(text, bodyStart, above, openLine + blankLine + wanted + (text.endsWith("\n") ? ending : ""));
}

/** The headings below the title. */
export function sectionsOf(text: string): readonly Heading[] {
  const { bodyStart } = splitNote(text);
  const { title } = titleAndDescription(text, bodyStart);
  return headings(text, bodyStart).filter(({ start }) => start >= (title?.end ?? bodyStart));
}

function guarded(text: string, bodyStart: number, from: number, rest: string): string {
  const result = text.slice(0, from) + rest;
  if (splitNote(result).frontmatter?.end === splitNote(text).frontmatter?.end) return result;
  // Keeps a `---` that begins the body from becoming frontmatter.
  if (from === bodyStart) return text.slice(0, from) + lineEnding(text) + rest;
  throw new VaultError(
    "INVALID_ARGUMENT",
    "A `---` line in the description would close the unfinished frontmatter above it.",
    {
      hint: "Close the frontmatter of this note with a line of `---`, or leave such lines out of the description.",
      line: 1,
      column: 1,
    },
  );
}

function trimmed(description: string): string {
  const { start, end } = withoutBlankLines(description, 0, description.length);
  return description.slice(start, end);
}

/** Line breaks in `words` become spaces. */
export function setHeadingText(text: string, heading: Heading, words: string): string {
  const escaped = headingWords(words);
  const blank = heading.textStart > heading.start && text.charAt(heading.textStart - 1) === "#" ? " " : "";
  const changed = text.slice(0, heading.textStart) + blank + escaped + text.slice(heading.textEnd);
  const [found] = headings(changed, heading.start, 1);
  if (found?.start === heading.start && found.level === heading.level && found.text === unescapedWords(escaped))
    return changed;
  // Words that begin like a list or heading cannot be underlined.
  const lineEnd = /\r?\n$/.exec(text.slice(heading.start, heading.end))?.[0] ?? "";
  return `${text.slice(0, heading.start)}${"#".repeat(heading.level)} ${escaped}${lineEnd}${text.slice(heading.end)}`;
}

/** As written after `# `: on one line, with a final `#` escaped. */
export function headingWords(words: string): string {
  const parts = words.split(/[\r\n\u2028\u2029]+/).map((part) => part.trim());
  const line = parts.filter((part) => part !== "").join(" ");
  let before = line.length;
  while (line.charAt(before - 1) === "#") before -= 1;
  const isMarker = before < line.length && (before === 0 || isWhite(line.charCodeAt(before - 1)));
  return isMarker ? `${line.slice(0, -1)}\\#` : line;
}

function visitHeadings(text: string, bodyStart: number, visit: (heading: Heading) => boolean): void {
  scanBlocks(text, bodyStart, { heading: visit });
}

function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export interface Checklist {
  readonly done: number;
  /** Without cancelled ones (`[-]`). */
  readonly total: number;
}

const CHECKBOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?=[ \t]|$)/u;
const CANCELLED = "-";

export function checklistIn(text: string, bodyStart: number): Checklist {
  let [done, total] = [0, 0];
  const item = (start: number, end: number): void => {
    const symbol = CHECKBOX.exec(text.slice(start, Math.min(end, start + MAX_READ)))?.[1];
    if (symbol === undefined || symbol === CANCELLED) return;
    total++;
    if (symbol === "x" || symbol === "X") done++;
  };
  scanBlocks(text, bodyStart, { item });
  return { done, total };
}

/** UTF-16 units; a checkbox is near its line's beginning. */
const MAX_READ = 200;

const MIN_LOST = 4;
const MIN_BOXES_LOST = 2;
const BOX = /^((?:[-*+]|\d+[.)])\s+\[).\]/;

/** What a new description left out of the old one, and the sections below it. */
export function descriptionRemarks(description: string, before: string, after: string): string[] {
  const kept = headings(description, 0, 1).length === 0 ? sectionsOf(after) : [];
  if (kept.length > 0) return [`The sections below the new description stay: ${headingNames(kept)}.`];
  const { start, end } = titleAndDescription(before, splitNote(before).bodyStart).description;
  const linesOf = (text: string) => text.split("\n").map((line) => line.trim().replace(BOX, "$1 ]"));
  const there = new Set(["", ...linesOf(description)]);
  const lost = linesOf(before.slice(start, end)).filter((line) => !there.has(line));
  const boxes = lost.filter((line) => BOX.test(line)).length;
  if (lost.length < MIN_LOST && boxes < MIN_BOXES_LOST) return [];
  const ofThem = boxes === 0 ? "" : `, ${boxes} of them ${boxes === 1 ? "a checkbox" : "checkboxes"}`;
  return [`The new description left out ${lost.length} lines${ofThem}.`];
}

const MAX_NAMED = 5;
const MAX_NAME = 80;

export function headingNames(sections: readonly Heading[]): string {
  const names = sections.slice(0, MAX_NAMED).map(({ text }) => `"${text.slice(0, MAX_NAME)}"`);
  return names.join(", ") + (sections.length > MAX_NAMED ? ` and ${sections.length - MAX_NAMED} more` : "");
}
