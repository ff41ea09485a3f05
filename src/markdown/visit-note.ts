/** Reads a note once for its headings, tags and links, with offsets. */
import { parseJson } from "../text/decoded.js";
import { type Heading, scanBlocks } from "./blocks.js";
import { InlineScanner, type InlineVisitor } from "./links/inline.js";
import { type FoundLink, type LinkSpan, readDestination, readWikilink, splitDestination } from "./links/wikilink.js";
import type { NoteParts } from "./frontmatter/frontmatter.js";

/** In document order, frontmatter first. Kinds without a callback cost nothing. */
interface NoteVisitor {
  readonly heading?: (heading: Heading) => void;
  /** Without `#` and outer slashes. */
  readonly tag?: (tag: string, start: number) => void;
  readonly link?: (link: FoundLink) => void;
}

/** Skips code, comments and math, as Obsidian does. */
export function visitNote(text: string, parts: NoteParts, visitor: NoteVisitor): void {
  const inline = inlineVisitor(text, parts.bodyStart, visitor);
  const { frontmatter } = parts;
  if (inline.link && frontmatter?.language === "")
    scanFrontmatterLinks(text, frontmatter.start, frontmatter.end, inline.link);
  const { heading } = visitor;
  const scanner = inline.link || inline.tag ? new InlineScanner(text, inline) : undefined;
  if (!heading && !scanner) return;
  scanBlocks(text, parts.bodyStart, {
    ...(heading && { heading: (found) => (heading(found), false) }),
    ...(scanner && { prose: (start, end, isHtml) => scanner.scan(start, end, isHtml) }),
  });
}

function inlineVisitor(text: string, bodyStart: number, { tag, link }: NoteVisitor): InlineVisitor {
  return {
    ...(link && mayHoldLinks(text) && { link }),
    ...(tag && text.includes("#", bodyStart) && { tag: (found, start) => visitTag(found, start, tag) }),
  };
}

function mayHoldLinks(text: string): boolean {
  return text.includes("[[") || text.includes("](") || text.includes("]:");
}

/** `#project/` is the tag `project`. */
function visitTag(found: string, start: number, visit: (tag: string, start: number) => void): void {
  const tag = found.replace(/^\/+|\/+$/g, "");
  if (tag !== "") visit(tag, start + found.indexOf(tag));
}

/**
 * Links to a file of the vault or into the note itself (`#Heading`, with an empty target), in order, without overlaps:
 * wikilinks, embeds, Markdown links, reference definitions, links in properties. Like Obsidian, not those to other
 * places (`https:`, `obsidian:`) or in code, comments or math. Linear time. Docs: obsidian, "Links".
 * @param parts from `splitNote`
 */
export function scanLinks(text: string, parts: NoteParts): LinkSpan[] {
  const links: LinkSpan[] = [];
  visitLinks(text, parts, (link, line) => void links.push({ ...link, line }));
  return links;
}

export function visitLinks(text: string, parts: NoteParts, visit: (link: FoundLink, line: number) => void): void {
  const lineOf = lineCounter(text);
  visitNote(text, parts, { link: (link) => visit(link, lineOf(link.start)) });
}

/** Offsets must ascend. */
function lineCounter(text: string): (place: number) => number {
  let line = 1;
  let newline = text.indexOf("\n");
  return (place) => {
    for (; newline !== -1 && newline < place; newline = text.indexOf("\n", newline + 1)) line += 1;
    return line;
  };
}

type Quote = "" | "'" | '"';

const MARK = /["'#[\]]/g;

function scanFrontmatterLinks(text: string, start: number, end: number, take: (link: FoundLink) => void): void {
  if (!/\[\[|\]\(/.test(text.slice(start, end))) return;
  let property: string | undefined;
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline === -1 || newline >= end ? end : newline;
    property = keyOf(text.slice(at, lineEnd)) ?? property;
    scanLine(text, at, lineEnd, (link) => take({ ...link, property }));
    at = lineEnd + 1;
  }
}

function keyOf(line: string): string | undefined {
  if (/^(?:[\s#-]|$)/.test(line)) return undefined;
  const quoted = /^(?:"([^"]*)"|'([^']*)')\s*:/.exec(line);
  if (quoted) return quoted[1] ?? quoted[2];
  const colon = /:(?=\s|$)/.exec(line);
  return colon ? line.slice(0, colon.index).trimEnd() : undefined;
}

function scanLine(text: string, from: number, end: number, take: (link: FoundLink) => void): void {
  let quote: Quote = "";
  for (let at = from; at < end;) {
    MARK.lastIndex = at;
    const index = MARK.exec(text)?.index ?? end;
    if (index >= end) return;
    const mark = text.charAt(index);
    at = index + 1;
    if (mark === quote) quote = "";
    else if (quote === "" && isAtBeginning(text, index, from)) {
      if (mark === "#") return;
      if (mark === '"' || mark === "'") quote = mark;
    }
    if (mark !== "[") continue;
    const link = linkAt(text, index, end, from);
    if (link === undefined) continue;
    take(inQuotes(text, link, quote));
    at = link.end;
  }
}

/** A quote or `#` counts only after a space or a YAML mark. */
function isAtBeginning(text: string, at: number, from: number): boolean {
  return at === from || /[\s[{,:-]/.test(text.charAt(at - 1));
}

const WIKILINK = /\[\[[^[\]\n]+\]\]/y;
const LINK_TEXT = /\[[^[\]\n]*\]\(/y;

function linkAt(text: string, at: number, end: number, from: number): FoundLink | undefined {
  const start = at > from && text.charAt(at - 1) === "!" ? at - 1 : at;
  WIKILINK.lastIndex = at;
  if (WIKILINK.test(text) && WIKILINK.lastIndex <= end)
    return readWikilink(text, start, at + 2, WIKILINK.lastIndex - 2);
  LINK_TEXT.lastIndex = at;
  if (!LINK_TEXT.test(text)) return undefined;
  const textEnd = LINK_TEXT.lastIndex - 2;
  const destination = readDestination(text, LINK_TEXT.lastIndex, end);
  const split = destination && splitDestination(text, destination);
  if (destination === undefined || split === undefined || text.charAt(destination.after) !== ")") return undefined;
  return {
    form: "markdown",
    embed: start < at,
    start,
    end: destination.after + 1,
    targetStart: destination.start,
    angled: destination.angled,
    display: text.slice(at + 1, textEnd),
    property: undefined,
    ...split,
  };
}

/** Removes the escapes of the surrounding quotes. */
function inQuotes(text: string, link: FoundLink, quote: Quote): FoundLink {
  const raw = text.slice(link.targetStart, link.targetEnd);
  if (quote === "" || link.form === "markdown" || !/''|\\/.test(raw)) return link;
  return { ...link, target: unquoted(raw, quote) };
}

function unquoted(raw: string, quote: Quote): string {
  return quote === "'" ? raw.replaceAll("''", "'") : ((parseJson(`"${raw}"`) as string | undefined) ?? raw);
}
