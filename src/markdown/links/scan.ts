/** Finds every link in a note, with the offsets of its parts. */
import type { NoteParts } from "../frontmatter/frontmatter.js";
import { visitNote } from "../visit-note.js";
import type { LinkSpan, FoundLink } from "./wikilink.js";

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
