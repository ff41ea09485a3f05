/** Reads a note once for its headings, tags and links. */
import { scanBlocks } from "./blocks.js";
import type { NoteParts } from "./frontmatter/frontmatter.js";
import type { Heading } from "./heading.js";
import { scanFrontmatterLinks } from "./links/frontmatter-links.js";
import { InlineScanner, type InlineVisitor } from "./links/inline.js";
import type { FoundLink } from "./links/wikilink.js";

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
