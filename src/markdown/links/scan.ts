/** Finds every link in a note's text with the offsets of its parts. */
import type { NoteParts } from "../frontmatter/frontmatter.js";
import { visitNote } from "../visit-note.js";
import type { LinkSpan, FoundLink } from "./wikilink.js";

/**
 * The links of a note that lead to a file of the vault or into the note itself (`#Heading`: the target is empty), in order and
 * never overlapping: wikilinks, embeds, inline Markdown links, the definitions of reference-style ones, and links in
 * properties. Not those to other places (`https:`, `obsidian:`, `mailto:`), nor text in code, comments (`%%`, `<!-- -->`) or
 * math: Obsidian indexes none of these either. Takes linear time. Docs: obsidian, "Links". @param parts as from `splitNote`
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

/** Offsets must ascend, so that one pass suffices. */
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
