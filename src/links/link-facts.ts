/** The fact reader for links of notes and canvases. */
import { canvasLinks } from "../markdown/links/canvas.js";
import { visitLinks } from "../markdown/visit-note.js";
import { extensionOf, isMarkdown, type VaultPath } from "../storage/path.js";
import type { FactReader, NoteSource } from "../index/facts.js";
import type { Link } from "./api.js";

/**
 * A line per link: line number (`!` for an embed), target, subpath, shown text and property, separated by tabs. Smaller
 * than objects.
 */
export type LinkFacts = string;

export type WrittenLink = Omit<Link, "from" | "to">;

/** Paths are shorter. */
const MAX_TARGET = 4100;
const MAX_WORDS = 120;

export const linkReader: FactReader<LinkFacts> = {
  name: "links",
  // Increase it when links are found or stored differently.
  version: 2,
  whole: true,
  wants: (path) => path.endsWith(".md") || isMarkdown(path) || isCanvas(path),
  read(note) {
    const lines = isCanvas(note.path) ? canvasFacts(note.text) : noteFacts(note);
    return lines.length === 0 ? undefined : lines.join("\n");
  },
};

export function isCanvas(path: VaultPath): boolean {
  return extensionOf(path) === ".canvas";
}

function noteFacts({ text, parts }: NoteSource): string[] {
  const lines: string[] = [];
  visitLinks(text, parts, (link, line) => void lines.push(factLine(String(line), link.target, link)));
  return lines;
}

/** A leading slash marks a path from the root. */
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

/** @param at from `visitTargets` */
export function linkAt(facts: LinkFacts, at: number): WrittenLink {
  const newline = facts.indexOf("\n", at);
  return writtenLink(facts.slice(at, newline === -1 ? facts.length : newline));
}

/** `link()` parses the rest of a link. */
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
