/** Adds or replaces lines of a note. */
import { VaultError } from "../errors.js";
import { lineEnding } from "../markdown/line-edit.js";
import { splitNote, tomlEnd } from "../markdown/frontmatter/frontmatter.js";
import type { Heading } from "../markdown/blocks.js";
import { headingIn, headingNamed, endsUnclosed, headings } from "../markdown/outline.js";

/**
 * With the note's line endings; a final line break stays.
 * @throws VaultError INVALID_ARGUMENT for a missing or ambiguous heading, or content that would become frontmatter
 */
export function appendText(text: string, content: string, heading?: string): string {
  if (heading === undefined) return insertBlock(text, text.length, content);
  return insertBlock(text, endOfSection(text, heading), belowHeading(content, sectionOf(text, heading)));
}

/** Of an unclosed code block or comment. */
export function appendsInside(text: string, heading?: string): boolean {
  return endsUnclosed(heading === undefined ? text : text.slice(0, endOfSection(text, heading)));
}

export function prependText(text: string, content: string): string {
  return insertBlock(text, Math.max(splitNote(text).bodyStart, tomlEnd(text)), content);
}

/**
 * With all below the heading.
 * @throws VaultError INVALID_ARGUMENT with the outline for a missing or ambiguous heading
 */
export function sectionText(text: string, heading: string): string {
  const { start, end } = sectionOf(text, heading);
  return text.slice(start, end);
}

/**
 * Keeps the section's first and last blank lines.
 * @throws VaultError INVALID_ARGUMENT as `sectionText`
 */
export function withSection(text: string, heading: string, content: string): string {
  const section = sectionOf(text, heading);
  const { bodyStart, end } = section;
  const old = text.slice(bodyStart, end);
  const before = /^(?:[ \t]*\r?\n)*/.exec(old)?.[0] ?? "";
  const after = old.length === before.length ? "" : (/\n(?:[ \t]*\r?\n)*$/.exec(old)?.[0].slice(1) ?? "");
  const ending = lineEnding(text);
  const words = belowHeading(content, section).replace(/\r?\n/g, ending);
  assertNotTwice(headings(words, 0), headings(text, end), section.level);
  const isOpen = words !== "" && !words.endsWith("\n") && (end < text.length || text.endsWith("\n"));
  // The heading is the last line, without a line break.
  const isInLine = words !== "" && before === "" && !text.slice(0, bodyStart).endsWith("\n");
  return (
    text.slice(0, bodyStart) +
    (isInLine ? ending : "") +
    before +
    words +
    (isOpen ? ending : "") +
    (words === "" && before !== "" ? "" : after) +
    (/\n/.test(after) ? "" : gapAbove(text, end, words)) +
    text.slice(end)
  );
}

/** From its heading. @throws VaultError as `sectionText` */
export function sectionOf(text: string, wanted: string) {
  const all = headings(text, splitNote(text).bodyStart);
  const heading = headingIn(text, all, wanted);
  const next = all.find(({ start, level }) => start > heading.start && level <= heading.level);
  const { start, end: bodyStart, text: name, level } = heading;
  return { start, bodyStart, end: next?.start ?? text.length, name, level };
}

/** Drops the section's own heading. */
function belowHeading(content: string, { name, level }: { readonly name: string; readonly level: number }): string {
  const [first] = headings(content, 0, 1);
  const isOwn = first?.text === name && first.level === level && content.slice(0, first.start).trim() === "";
  return isOwn ? content.slice(first.end).replace(/^(?:[ \t]*\r?\n)+/, "") : content;
}

/** Content that includes the sections below would duplicate them. */
function assertNotTwice(added: readonly Heading[], below: readonly Heading[], level: number): void {
  const above = below.findIndex((heading) => heading.level < level);
  const siblings = above < 0 ? below : below.slice(0, above);
  const names = new Set(siblings.flatMap((one) => (one.level === level ? one.text : [])));
  const twice = added.find((one) => one.level === level && names.has(one.text));
  if (twice === undefined) return;
  throw new VaultError("INVALID_ARGUMENT", `The note would have the section "${twice.text}" twice.`, {
    hint: "Leave it out, and replace that section in another call. Nothing was changed.",
  });
}

function insertBlock(text: string, at: number, content: string): string {
  const ending = lineEnding(text);
  const added = content.replace(/\r?\n/g, ending);
  const isInLine = at > 0 && text.charAt(at - 1) !== "\n" && !(at === 1 && text.startsWith("\uFEFF"));
  const isClosed = added.endsWith("\n") || (at === text.length && !text.endsWith("\n"));
  const before = text.slice(splitNote(text).bodyStart, isInLine ? at : Math.max(at - 1, 0));
  const above = before.slice(before.lastIndexOf("\n") + 1);
  const lead = (isInLine ? ending : "") + (wouldJoin(above, added) ? ending : "");
  const result =
    text.slice(0, at) + lead + added + (isClosed ? "" : ending) + gapAbove(text, at, added) + text.slice(at);
  assertSameFrontmatter(text, result, at, content);
  return result;
}

const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*\r?$/;
/** A line that continues the block above. */
const TEXT_LINE = /^(?![ \t]*\r?$| {0,3}(?:#{1,6}\s|[-*+]\s|1[.)]\s|>|`{3}|~{3}|\$\$|%%|<!--))/;
const ENDS_IN_BLOCK_ID = /(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*\r?$/;
const TABLE_ROW = /^[ \t]*\|/;
const FOOTNOTE = /^\[\^[^\]]+\]:/;
const QUOTE = /^ {0,3}>/;
/** An item, or indented text below it. */
const IN_ITEM = /^(?:[ \t]+[^\s|]|(?:[-*+]|\d{1,9}[.)])[ \t]+\S)/;

/** An underline makes the line above a heading; text takes its block id, or joins its table, footnote, quote or item. */
function wouldJoin(above: string, added: string): boolean {
  const first = /^[^\n]*/.exec(added)?.[0] ?? "";
  if (UNDERLINE.test(first)) return TEXT_LINE.test(above) && !UNDERLINE.test(above);
  if (!TEXT_LINE.test(first)) return false;
  return (
    ENDS_IN_BLOCK_ID.test(above) ||
    [TABLE_ROW, FOOTNOTE, QUOTE, IN_ITEM].some((kind) => kind.test(above) && !kind.test(first))
  );
}

/** A blank line where text would join the underlined heading below, a rule would underline it, or text below joins. */
function gapAbove(text: string, at: number, added: string): string {
  const words = added.trimEnd();
  const isBlank = words === "" || /\n[ \t]*\r?\n[ \t]*$/.test(added);
  if (isBlank) return "";
  const last = words.slice(words.lastIndexOf("\n") + 1);
  const next = text.slice(at, text.indexOf("\n", at) + 1 || text.length);
  if (wouldJoin(last, next)) return lineEnding(text);
  if (!TEXT_LINE.test(last)) return "";
  const isHeading = (): boolean => headings(text, splitNote(text).bodyStart).some(({ start }) => start === at);
  return UNDERLINE.test(next.trimEnd()) || (TEXT_LINE.test(next) && isHeading()) ? lineEnding(text) : "";
}

/** New lines may add frontmatter, but never turn text into it or the reverse. */
function assertSameFrontmatter(before: string, after: string, at: number, content: string): void {
  const { frontmatter, bodyStart } = splitNote(before);
  if (frontmatter?.end === splitNote(after).frontmatter?.end) return;
  if (frontmatter === undefined && at === bodyStart && splitNote(content).frontmatter !== undefined) return;
  throw new VaultError("INVALID_ARGUMENT", "A `---` line of the new text would make the note's text its frontmatter.", {
    hint: "Leave that line out, or write *** for a rule. Nothing was changed.",
  });
}

/** After the section's last non-blank line. */
function endOfSection(text: string, wanted: string): number {
  const all = headings(text, splitNote(text).bodyStart);
  const heading = headingNamed(text, all, wanted);
  const next = all.find(({ start, level }) => start > heading.start && level <= heading.level);
  let end = next?.start ?? text.length;
  const isBlankBefore = (at: number): boolean => /^[ \t]*\r?$/.test(lineBefore(text, at));
  if (next === undefined && !text.endsWith("\n")) return end;
  while (end > heading.end && isBlankBefore(end)) end = text.lastIndexOf("\n", end - 2) + 1;
  return end;
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 2) + 1, at - 1);
}
