/** Splits a note into frontmatter and body, and reads its properties. */
import { readPlainFrontmatter } from "./plain-reader.js";
import { readYamlFrontmatter } from "./yaml-reader.js";
import { positionAt, type FrontmatterProblem, type Property } from "./property.js";

export type { FrontmatterProblem, Property, PropertyValue } from "./property.js";

/** Of UTF-8. */
const MAX_FRONTMATTER_BYTES = 64 * 1024;

/** UTF-16 offsets. */
export interface NoteParts {
  /** Between the fences. `language`: the word after the opening fence (`---js`), `""` for YAML. */
  readonly frontmatter: { readonly start: number; readonly end: number; readonly language: string } | undefined;
  /** Without frontmatter, after any BOM. */
  readonly bodyStart: number;
}

export interface Frontmatter {
  /** The first of duplicate keys. */
  readonly properties: readonly Property[];
  /** Invalid YAML, over 64 KiB, many aliases, no mapping, another language. */
  readonly problem: FrontmatterProblem | undefined;
  /** Invalid for Obsidian: edits are refused. */
  readonly warning: FrontmatterProblem | undefined;
}

const NEWLINE = 10;
const RETURN = 13;

/**
 * From `---` on the first line, after any BOM, to a line of `---`. An unclosed block is body, and so is text between
 * two
 * rules that cannot be a mapping.
 */
export function splitNote(text: string): NoteParts {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const none: NoteParts = { frontmatter: undefined, bodyStart: first };
  if (!text.startsWith("---", first)) return none;
  const lineEnd = text.indexOf("\n", first);
  if (lineEnd === -1) return none;
  const language = lineEnd === first + 3 ? "" : fenceLanguage(text.slice(first + 3, lineEnd));
  if (language === undefined) return none;
  const start = lineEnd + 1;
  const closing = closingFence(text, lineEnd);
  if (closing === undefined) return none;
  if (language === "" && cannotBeMapping(text, start, closing.start)) return none;
  return { frontmatter: { start, end: closing.start, language }, bodyStart: closing.end };
}

const TOML = /^\uFEFF?\+\+\+[ \t]*\r?\n(?:[^]*?\n)?\+\+\+[ \t]*(?:\r?\n|$)/;

/** The end of Hugo's TOML frontmatter; 0 without one. */
export const tomlEnd = (text: string): number => (text.includes("+++") ? (TOML.exec(text)?.[0].length ?? 0) : 0);

export function beginsWithFence(text: string): boolean {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith("---", first)) return false;
  const lineEnd = text.slice(first + 3).search(/[\r\n]/);
  return fenceLanguage(text.slice(first + 3, lineEnd === -1 ? text.length : first + 3 + lineEnd)) !== undefined;
}

function fenceLanguage(rest: string): string | undefined {
  const word = rest.trim();
  return word === "" || /^[A-Za-z][\w.+-]*$/.test(word) ? word : undefined;
}

/** @returns the starts of the fence's line and of the next */
function closingFence(text: string, from: number): { start: number; end: number } | undefined {
  for (let at = text.indexOf("\n---", from); at !== -1; at = text.indexOf("\n---", at + 1)) {
    let end = at + 4;
    while (text.charCodeAt(end) === 32 || text.charCodeAt(end) === 9) end += 1;
    if (end >= text.length) return { start: at + 1, end: text.length };
    if (text.charCodeAt(end) === RETURN && (end + 1 === text.length || text.charCodeAt(end + 1) === NEWLINE)) end += 1;
    if (end >= text.length) return { start: at + 1, end: text.length };
    if (text.charCodeAt(end) === NEWLINE) return { start: at + 1, end: end + 1 };
  }
  return undefined;
}

function cannotBeMapping(text: string, start: number, end: number): boolean {
  const colon = text.indexOf(":", start);
  if (colon !== -1 && colon < end) return false;
  const block = text.slice(start, end);
  return !/[{?]/.test(block) && /^[ \t]*[^\s#]/m.test(block);
}

/** Never throws or runs anything. @param most bytes */
export function readFrontmatter(
  text: string,
  parts: NoteParts = splitNote(text),
  most: number = MAX_FRONTMATTER_BYTES,
): Frontmatter {
  const block = parts.frontmatter;
  if (block === undefined) return { properties: [], problem: undefined, warning: undefined };
  const refusal = unreadableFrontmatter(text, block, most);
  if (refusal !== undefined) return { properties: [], problem: refusal, warning: undefined };
  const properties = readPlainFrontmatter(text, block.start, block.end);
  if (properties !== undefined) return { properties, problem: undefined, warning: undefined };
  return readYamlFrontmatter(text, block.start, block.end);
}

export function readYamlFile(text: string): Frontmatter {
  return readYamlFrontmatter(text, 0, text.length);
}

export function unreadableFrontmatter(
  text: string,
  block: { readonly start: number; readonly end: number; readonly language: string },
  most: number = MAX_FRONTMATTER_BYTES,
): FrontmatterProblem | undefined {
  if (block.language !== "") {
    const message = "Frontmatter in another language is not read: the first line must be `---` alone.";
    return { message, ...positionAt(text, text.indexOf("---") + 3) };
  }
  const units = block.end - block.start;
  // A UTF-16 unit is at most three bytes of UTF-8.
  if (units * 3 <= most) return undefined;
  const bytes = units > most ? units : Buffer.byteLength(text.slice(block.start, block.end));
  if (bytes <= most) return undefined;
  const message = "The frontmatter is larger than 64 KiB and is not read: move the long text into the body.";
  return { message, ...positionAt(text, block.start) };
}

/** Why a change makes properties unusable. @param before empty for a new note */
export function brokenProperties(before: string, after: string): string | undefined {
  const { frontmatter: block, bodyStart } = splitNote(before);
  if (block !== undefined && faultIn(before) !== undefined) return undefined;
  const fault = faultIn(after);
  if (fault !== undefined || block === undefined || splitNote(after).frontmatter) return fault;
  return after.includes(before.slice(block.start, bodyStart))
    ? "the frontmatter no longer begins in line 1."
    : undefined;
}

function faultIn(text: string): string | undefined {
  const { problem, warning } = readFrontmatter(text);
  const fault = problem ?? (warning?.editable === true ? undefined : warning);
  return fault && `line ${fault.line}, column ${fault.column}: ${fault.message}`;
}
