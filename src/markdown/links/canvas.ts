/** Finds the links of a `.canvas` file: file nodes, group backgrounds, links in text nodes. */
import { splitNote } from "../frontmatter/frontmatter.js";
import { scanLinks } from "./scan.js";
import { subpathPlace } from "./target.js";
import type { LinkSpan } from "./wikilink.js";

/** UTF-16 offsets into the file, where the target is JSON (`jsonText` escapes it). */
export interface CanvasLink {
  /** `file` and `background` hold a vault path. */
  readonly kind: "file" | "background" | "text";
  readonly embed: boolean;
  readonly target: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** With its `#`. */
  readonly subpath: string;
  readonly subpathPlace: { readonly start: number; readonly end: number } | undefined;
  readonly display: string | undefined;
  /** For `text`, with offsets into the node's text. */
  readonly span: LinkSpan | undefined;
}

/** Empty when the text is not a canvas. */
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

/** Maps offsets in a JSON string to its source; they must ascend. */
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

export interface JsonString {
  readonly value: string;
  /** Between the quotes, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Of a repeated key the last, as in `JSON.parse`. */
export type NodeStrings = Readonly<Record<string, JsonString | undefined>>;

interface Level {
  readonly isObject: boolean;
  key: string | undefined;
  expectsKey: boolean;
}

const MARK = /["{}[\],:]/g;

/** None when the text is no JSON object. Iterative: deep nesting cannot exhaust the stack. */
export function nodeStrings(text: string): NodeStrings[] {
  return isObject(text) ? new Walk(text).nodes() : [];
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

class Walk {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #nodes: NodeStrings[] = [];
  #node: Record<string, JsonString> = {};

  constructor(text: string) {
    this.#text = text;
  }

  nodes(): NodeStrings[] {
    for (let at = 0; ;) {
      MARK.lastIndex = at;
      const mark = MARK.exec(this.#text);
      if (mark === null) return this.#nodes;
      at = mark[0] === '"' ? this.#string(mark.index) : this.#bracket(mark[0], mark.index);
    }
  }

  #bracket(mark: string, at: number): number {
    const level = this.#levels.at(-1);
    if (mark === "{" || mark === "[") this.#enter(mark === "{");
    else if (mark === "}" || mark === "]") this.#leave();
    else if (level?.isObject === true) level.expectsKey = mark === ",";
    return at + 1;
  }

  #enter(isObject: boolean): void {
    const isNodes = this.#levels.length === 1 && this.#levels[0]?.key === "nodes";
    if (isNodes) this.#nodes = [];
    this.#levels.push({ isObject, key: undefined, expectsKey: isObject });
    if (this.#isInNode()) this.#node = Object.create(null) as Record<string, JsonString>;
  }

  #leave(): void {
    if (this.#isInNode()) this.#nodes.push(this.#node);
    this.#levels.pop();
  }

  #isInNode(): boolean {
    const [root, list, node] = this.#levels;
    return this.#levels.length === 3 && root?.key === "nodes" && list?.isObject === false && node?.isObject === true;
  }

  #string(at: number): number {
    const start = at + 1;
    const end = stringEnd(this.#text, start);
    const level = this.#levels.at(-1);
    if (level?.isObject === true && this.#levels.length <= 3) {
      const value = String(JSON.parse(this.#text.slice(at, end + 1)));
      if (level.expectsKey) level.key = value;
      else if (this.#isInNode() && level.key !== undefined) this.#node[level.key] = { value, start, end };
    }
    return end + 1;
  }
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at += 1;
  }
  return text.length;
}
