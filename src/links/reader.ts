/** The reader by which the catalog takes links out of notes and canvases, and the compact text it keeps them as. */
import { canvasLinks } from "../markdown/links/canvas.js";
import { visitLinks } from "../markdown/links/scan.js";
import { extensionOf, isMarkdown, type VaultPath } from "../storage/path.js";
import type { FactReader, NoteSource } from "../index/facts.js";
import type { Link } from "./links.js";

/**
 * The links of one file: a line of text for each, with line number (followed by `!` for an embed), target, subpath, shown text and property
 * separated by tabs. Text rather than objects: a large vault has half a million links.
 */
export type LinkFacts = string;

/** A link as written, without the file it leads to. */
export type WrittenLink = Omit<Link, "from" | "to">;

/** No path is longer. */
const MAX_TARGET = 4100;
const MAX_WORDS = 120;

export const linkReader: FactReader<LinkFacts> = {
  name: "links",
  // Raise it whenever other links are found or they are kept differently: stored ones are then read anew.
  version: 2,
  whole: true,
  wants: (path) => path.endsWith(".md") || isMarkdown(path) || isCanvas(path),
  read(note) {
    const lines = isCanvas(note.path) ? canvasFacts(note.text) : noteFacts(note);
    return lines.length === 0 ? undefined : lines.join("\n");
  },
};

/** Whether a path names a canvas. */
export function isCanvas(path: VaultPath): boolean {
  return extensionOf(path) === ".canvas";
}

function noteFacts({ text, parts }: NoteSource): string[] {
  const lines: string[] = [];
  visitLinks(text, parts, (link, line) => void lines.push(factLine(String(line), link.target, link)));
  return lines;
}

/** A canvas's file node holds a whole path, which the slash in front says. */
function canvasFacts(text: string): string[] {
  return canvasLinks(text).map((link) => factLine("", link.kind === "text" ? link.target : `/${link.target}`, link));
}

function factLine(
  line: string,
  target: string,
  link: Pick<Link, "embed" | "subpath"> & { display: string | undefined; property?: string | undefined },
): string {
  const { embed, subpath, display = "", property = "" } = link;
  const more = `${field(subpath)}\t${field(display)}\t${field(property)}`;
  return `${line}${embed ? "!" : ""}\t${`${field(target, MAX_TARGET)}\t${more}`.trimEnd()}`;
}

function field(text: string, length = MAX_WORDS): string {
  const short = text.length > length ? text.slice(0, length) : text;
  return /[\t\r\n]/.test(short) ? short.replace(/[\t\r\n]+/g, " ") : short;
}

function writtenLink(line: string): WrittenLink {
  const [place = "", target = "", subpath = "", display = "", property = ""] = line.split("\t");
  const number = Number.parseInt(place, 10);
  return {
    ...(number > 0 && { line: number }),
    target,
    subpath,
    ...(display !== "" && { display }),
    embed: place.endsWith("!"),
    ...(property !== "" && { property }),
  };
}

/** The link that stands at this place of the facts, as `visitTargets` told it. */
export function linkAt(facts: LinkFacts, at: number): WrittenLink {
  const newline = facts.indexOf("\n", at);
  return writtenLink(facts.slice(at, newline === -1 ? facts.length : newline));
}

/** Calls `visit` with the target of each link and its place in the facts; the rest of a link is parsed only when asked for. */
export function visitTargets(
  facts: LinkFacts,
  visit: (target: string, link: () => WrittenLink, at: number) => void,
): void {
  for (let at = 0; at < facts.length;) {
    const newline = facts.indexOf("\n", at);
    const [from, end] = [at, newline === -1 ? facts.length : newline];
    const start = facts.indexOf("\t", from) + 1;
    const stop = facts.indexOf("\t", start);
    visit(facts.slice(start, stop === -1 || stop > end ? end : stop), () => linkAt(facts, from), from);
    at = end + 1;
  }
}
