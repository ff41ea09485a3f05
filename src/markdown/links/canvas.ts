/** Finds the links of a `.canvas` file: file nodes, group backgrounds, links in text nodes. */
import { isRecord, parseJson } from "../../text/decoded.js";
import { splitNote } from "../frontmatter/frontmatter.js";
import { scanLinks } from "../visit-note.js";
import { subpathPlace, type LinkSpan } from "./wikilink.js";

/** UTF-16 offsets into the file, where the target is JSON (`jsonText` escapes it). */
export interface CanvasLink extends Pick<
  LinkSpan,
  "embed" | "target" | "targetStart" | "targetEnd" | "subpath" | "display"
> {
  /** `file` and `background` hold a vault path. */
  readonly kind: "file" | "background" | "text";
  readonly subpathPlace: { readonly start: number; readonly end: number } | undefined;
  /** Offsets into the node's text, for `text`. */
  readonly span: LinkSpan | undefined;
}

/** Empty for a text that is no canvas. */
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
  const placeOf = rawPlaces(text, start);
  return scanLinks(value, splitNote(value)).map((span) => {
    const [targetStart, targetEnd] = [placeOf(span.targetStart), placeOf(span.targetEnd)];
    const within = subpathPlace(value, span);
    return {
      kind: "text",
      embed: span.embed,
      target: span.target,
      targetStart,
      targetEnd,
      subpath: span.subpath,
      subpathPlace: within && { start: placeOf(within.start), end: placeOf(within.end) },
      display: span.display,
      span,
    };
  });
}

/** Maps offsets in a JSON string, ascending, to its source. */
function rawPlaces(text: string, start: number): (index: number) => number {
  let [raw, at] = [start, 0];
  return (index) => {
    for (; at < index; at += 1) {
      if (text.charCodeAt(raw) !== 92) raw += 1;
      else raw += text.charAt(raw + 1) === "u" ? 6 : 2;
    }
    return raw;
  };
}

interface JsonString {
  readonly value: string;
  /** Between the quotes, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Of a repeated key the last, as in `JSON.parse`. */
type NodeStrings = Readonly<Record<string, JsonString | undefined>>;

const TOKEN = /("[^"\\]*(?:\\[^][^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** None for a text that is no JSON object. Iterative: deep nesting cannot exhaust the stack. */
function nodeStrings(text: string): NodeStrings[] {
  if (!isJsonObject(text)) return [];
  let nodes: Record<string, JsonString>[] = [];
  let brackets = "";
  let [rootKey, nodeKey] = ["", ""];
  for (const { 0: token, 1: quoted, 2: colon, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      if (brackets === "{" && rootKey === "nodes") nodes = [];
      brackets += token;
      if (brackets === NODE && rootKey === "nodes") nodes.push(Object.create(null) as Record<string, JsonString>);
    } else if (quoted === undefined) brackets = brackets.slice(0, -1);
    else if (colon !== undefined && brackets === "{") rootKey = String(JSON.parse(quoted));
    else if (brackets === NODE && rootKey === "nodes") {
      const value = String(JSON.parse(quoted));
      const node = nodes.at(-1);
      if (colon !== undefined) nodeKey = value;
      else if (node) node[nodeKey] = { value, start: index + 1, end: index + quoted.length - 1 };
    }
  }
  return nodes;
}

/** The open brackets in a node. */
const NODE = "{[{";

function isJsonObject(text: string): boolean {
  return isRecord(parseJson(text.startsWith("\ufeff") ? text.slice(1) : text));
}
