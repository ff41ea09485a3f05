/** Finds the links of a `.canvas` file: its file nodes, the backgrounds of its groups, and the links in its text nodes. */
import { nodeStrings, type JsonString } from "./canvas-json.js";
import { splitNote } from "../frontmatter/frontmatter.js";
import { scanLinks } from "./scan.js";
import { subpathPlace } from "./target.js";
import type { LinkSpan } from "./wikilink.js";

/** Offsets are UTF-16 units into the file. The target between them is JSON, so its replacement must be escaped (`jsonText`). */
export interface CanvasLink {
  /** `file` and `background` hold a path from the vault's root; `text` is a link as in a note. */
  readonly kind: "file" | "background" | "text";
  readonly embed: boolean;
  readonly target: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** With its `#`; empty without one. */
  readonly subpath: string;
  /** Where the subpath is, as JSON. */
  readonly subpathPlace: { readonly start: number; readonly end: number } | undefined;
  readonly display: string | undefined;
  /** For `kind: "text"`: the link in the node's text; its offsets are into that text. */
  readonly span: LinkSpan | undefined;
}

/** In the order of the nodes; none when the text is not a canvas. */
export function canvasLinks(text: string): CanvasLink[] {
  const links: CanvasLink[] = [];
  for (const node of nodeStrings(text)) {
    const { type, file, subpath, background, text: words } = node;
    if (type?.value === "file" && file) links.push(pathLink("file", file, subpath));
    if (type?.value === "group" && background) links.push(pathLink("background", background));
    if (type?.value === "text" && words) for (const link of textLinks(text, words)) links.push(link);
  }
  return links;
}

export function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function pathLink(kind: "file" | "background", { value, start, end }: JsonString, subpath?: JsonString): CanvasLink {
  return {
    kind,
    embed: true,
    target: value,
    targetStart: start,
    targetEnd: end,
    subpath: subpath?.value ?? "",
    subpathPlace: subpath,
    display: undefined,
    span: undefined,
  };
}

function textLinks(text: string, { value, start }: JsonString): CanvasLink[] {
  const places = new RawPlaces(text, start);
  return scanLinks(value, splitNote(value)).map((span) => {
    const [targetStart, targetEnd] = [places.of(span.targetStart), places.of(span.targetEnd)];
    const within = subpathPlace(value, span);
    return {
      kind: "text",
      embed: span.embed,
      target: span.target,
      targetStart,
      targetEnd,
      subpath: span.subpath,
      subpathPlace: within && { start: places.of(within.start), end: places.of(within.end) },
      display: span.display,
      span,
    };
  });
}

/** Maps offsets in a JSON string to offsets in its source. Offsets must ascend, so that one pass suffices. */
class RawPlaces {
  readonly #text: string;
  #raw: number;
  #index = 0;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#raw = start;
  }

  of(index: number): number {
    for (; this.#index < index; this.#index += 1) {
      if (this.#text.charCodeAt(this.#raw) !== 92) this.#raw += 1;
      else this.#raw += this.#text.charAt(this.#raw + 1) === "u" ? 6 : 2;
    }
    return this.#raw;
  }
}
