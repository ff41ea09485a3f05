/** A note's headings, description and checkboxes, and the heading that a caller names. */
import { VaultError } from "../errors.js";
import { splitNote } from "./frontmatter/frontmatter.js";
import { type Heading, scanBlocks, unescapedWords } from "./blocks.js";
import { lineEnding, withLineEnding } from "./line-edit.js";
import { fold } from "../text/fold.js";
import { nearest } from "../text/nearest.js";
import { call, said, counted } from "../text/wording.js";

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
const BOX = /^((?:[-*+]|\d+[.)])\s+\[).\]/;

/** What a new description left out of the old one, and the sections below it. */
export function descriptionRemarks(description: string, before: string, after: string): string[] {
  const kept = headings(description, 0, 1).length === 0 ? sectionsOf(after) : [];
  const stay = kept.length === 0 ? [] : [`The sections below the new description stay: ${headingNames(kept)}.`];
  const { start, end: last } = titleAndDescription(before, splitNote(before).bodyStart).description;
  const end = kept.length === 0 ? last : (sectionsOf(before)[0]?.start ?? last);
  const linesOf = (text: string) => text.split("\n").map((line) => line.trim().replace(BOX, "$1 ]"));
  const there = new Set(["", ...linesOf(description)]);
  const lost = linesOf(before.slice(start, end)).filter((line) => !there.has(line));
  const boxes = lost.filter((line) => BOX.test(line)).length;
  if (lost.length < MIN_LOST && boxes === 0) return stay;
  const ofThem = boxes === 0 ? "" : `, ${boxes} of them ${boxes === 1 ? "a checkbox" : "checkboxes"}`;
  return [...stay, `The new description left out ${counted(lost.length, "line")}${ofThem}.`];
}

const MAX_UNSEEN = 5;
const MAX_NAME = 80;

export function headingNames(sections: readonly Heading[]): string {
  const names = sections.slice(0, MAX_UNSEEN).map(({ text }) => `"${text.slice(0, MAX_NAME)}"`);
  return names.join(", ") + (sections.length > MAX_UNSEEN ? ` and ${sections.length - MAX_UNSEEN} more` : "");
}

const MAX_NAMED = 10;
const MAX_OUTLINE = 40;
const MAX_NAME_LENGTH = 100;

/** @throws VaultError with the outline */
export function headingIn(text: string, all: readonly Heading[], wanted: string): Heading {
  const lines = all
    .slice(0, MAX_OUTLINE)
    .map(
      (one) => `${"#".repeat(one.level)} ${one.text.slice(0, MAX_NAME_LENGTH)} (line ${lineNumber(text, one.start)})`,
    );
  const more = all.length > MAX_OUTLINE ? `; ${all.length - MAX_OUTLINE} more` : "";
  return headingNamed(
    text,
    all,
    wanted,
    lines.length === 0 ? "It has no headings." : `Outline: ${lines.join("; ")}${more}.`,
  );
}

/** @throws INVALID_ARGUMENT when there is none, or several */
export function headingNamed(text: string, all: readonly Heading[], wanted: string, outline?: string): Heading {
  const heading = headingIfAny(text, all, wanted, outline);
  if (heading === undefined) throw noHeading(wordsOf(wanted).words, all, outline);
  return heading;
}

/** @throws INVALID_ARGUMENT when there are several */
export function headingIfAny(
  text: string,
  all: readonly Heading[],
  wanted: string,
  outline?: string,
): Heading | undefined {
  const { markers, words } = wordsOf(wanted);
  const ofLevel = all.filter(({ level }) => markers === "" || level === markers.length);
  const exact = ofLevel.filter((heading) => heading.text === words);
  const alike = exact.length > 0 ? exact : ofLevel.filter((heading) => fold(heading.text) === fold(words));
  // Other servers join names by these.
  const path = words.replaceAll(/\s*::\s*|\s+>\s+/gu, "#");
  const found = alike.length === 0 && path.includes("#") ? headingsBelow(all, partsOf(path)) : alike;
  const [heading, ...others] = found;
  if (others.length === 0) return heading;
  const lines = found.slice(0, MAX_NAMED).map(({ start }) => lineNumber(text, start));
  throw new VaultError("INVALID_ARGUMENT", `The note has several such headings, at lines ${lines.join(", ")}.`, {
    hint: [
      "Put its # marks before the heading if their levels differ, or the heading above it: Above#Heading.",
      said`Otherwise change the lines with ${call("insert")} or ${call("edit_note")}.`,
      outline ?? [],
    ].flat(),
  });
}

function wordsOf(wanted: string): { readonly markers: string; readonly words: string } {
  const [, markers = "", words = ""] = /^\s*(#{0,6})(?!#)\s*(.*?)\s*$/su.exec(wanted) ?? [];
  return { markers, words };
}

/**
 * Of the last name, in sections of the earlier names: directly, else at any depth. For a change, a heading of another
 * section is none.
 */
export function headingsBelow(all: readonly Heading[], names: readonly string[]): readonly Heading[] {
  const [last, ...outer] = names.map(headingKey).toReversed();
  const above: Heading[] = [];
  const found = all.flatMap((heading) => {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    const keys = above.map(({ text }) => headingKey(text)).toReversed();
    above.push(heading);
    const missing = keys.reduce((left, key) => (key === left[0] ? left.slice(1) : left), outer);
    if (headingKey(heading.text) !== last || missing.length > 0) return [];
    return { heading, isDirect: outer.every((key, at) => keys[at] === key) };
  });
  const direct = found.filter(({ isDirect }) => isDirect);
  return (direct.length > 0 ? direct : found).map(({ heading }) => heading);
}

/** Each deeper than the one before, as Obsidian resolves a link `Note#A#B`. */
export function headingsNamed(all: readonly Heading[], names: readonly string[]): readonly Heading[] | undefined {
  const found: Heading[] = [];
  for (const heading of all) {
    const wanted = names[found.length];
    if (wanted === undefined) break;
    if (heading.level > (found.at(-1)?.level ?? 0) && headingKey(heading.text) === headingKey(wanted))
      found.push(heading);
  }
  return names.length > 0 && found.length === names.length ? found : undefined;
}

export const partsOf = (subpath: string): string[] => subpath.split("#").filter((name) => name.trim() !== "");

/** Ignores punctuation, spaces and case. */
export function headingKey(text: string): string {
  return text
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n\s]+/g, " ")
    .trim()
    .toLowerCase();
}

function noHeading(words: string, all: readonly Heading[], outline: string | undefined): VaultError {
  const names = all.map((heading) => heading.text.slice(0, MAX_NAME_LENGTH));
  const near = nearest(words, names, MAX_NAMED);
  const shown = (near.length > 0 ? near : names.slice(0, MAX_NAMED)).map((name) => `"${name}"`).join(", ");
  return new VaultError("INVALID_ARGUMENT", "The note has no such heading.", {
    hint:
      outline ??
      (shown === "" ? "It has no headings; leave heading out to append at its end." : `Its headings include ${shown}.`),
  });
}

function lineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
