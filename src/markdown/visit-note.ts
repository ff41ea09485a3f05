/** Reads a note once for its headings, tags and links, with the offsets of their parts. */
import { scanBlocks } from "./blocks.js";
import type { Heading } from "./heading.js";
import { scanFrontmatterLinks } from "./links/frontmatter-links.js";
import { InlineScanner, type InlineVisitor } from "./links/inline.js";
import type { FoundLink, LinkSpan } from "./links/wikilink.js";
import type { NoteParts } from "./frontmatter/frontmatter.js";

/** Kinds without a callback cost nothing. Document order, frontmatter first. */
export interface NoteVisitor {
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
    ...(scanner && { prose: (start, end) => scanner.scan(start, end) }),
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
 * Links to a file of the vault or into the note itself (`#Heading`, with an empty target), in order and never
 * overlapping: wikilinks, embeds, Markdown links, reference definitions, links in properties. Like Obsidian, not
 * those to other places (`https:`, `obsidian:`) or in code, comments or math. Linear time. Docs: obsidian, "Links".
 * @param parts from `splitNote`
 */
export function scanLinks(text: string, parts: NoteParts): LinkSpan[] {
  const links: LinkSpan[] = [];
  visitLinks(text, parts, (link, line) => void links.push({ ...link, line }));
  return links;
}

export function visitLinks(text: string, parts: NoteParts, visit: (link: FoundLink, line: number) => void): void {
  const lines = new LineCount(text);
  visitNote(text, parts, { link: (link) => visit(link, lines.at(link.start)) });
}

/** Offsets must ascend. */
class LineCount {
  readonly #text: string;
  #line = 1;
  #newline: number;

  constructor(text: string) {
    this.#text = text;
    this.#newline = text.indexOf("\n");
  }

  at(place: number): number {
    while (this.#newline !== -1 && this.#newline < place) {
      this.#line += 1;
      this.#newline = this.#text.indexOf("\n", this.#newline + 1);
    }
    return this.#line;
  }
}
