/** A note's lines: those that can be replaced singly, and the facts that are stored of checkboxes: JSON that depends on the note only. */
import type { NoteSource } from "../../index/subject.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { scanBlocks } from "../../markdown/blocks.js";
import { type FieldName, fieldNamed } from "../fields/field-table.js";
import { COMMON_SPELLING } from "../fields/spelling.js";
import { textsOf } from "../fields/property-values.js";
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { isCheckbox } from "./task-line.js";
import { type LineEnding, lineEnding } from "../../markdown/line-edit.js";

export interface LineFacts {
  /** From 1. */
  readonly numbers: readonly number[];
  readonly texts: string;
  /** Index of the enclosing checkbox, or -1. */
  readonly parents: readonly number[];
  readonly area?: string;
  readonly projects?: readonly string[];
  readonly archived?: true;
  /** Of a Kanban board. */
  readonly board?: string;
  /** The lines belong to the note's project. */
  readonly isProject?: true;
}

export function lineFactsOf(text: string): LineFacts | undefined {
  const parts = splitNote(text);
  return mayHoldLines(text) ? factsFrom(text, parts.bodyStart, readFrontmatter(text, parts).properties) : undefined;
}

export function readLines({ text, truncated, parts, frontmatter }: NoteSource): LineFacts | undefined {
  if (!mayHoldLines(text)) return undefined;
  // The last line may be cut.
  const seen = truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return factsFrom(seen, parts.bodyStart, frontmatter.properties);
}

const ANY_CHECKBOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[/m;

export const mayHoldLines = (text: string): boolean => (text.includes("[") && ANY_CHECKBOX.test(text)) || isBoard(text);

function factsFrom(text: string, bodyStart: number, properties: readonly Property[]): LineFacts | undefined {
  const board = isBoard(text) ? readBoard(text) : undefined;
  const cards = [...(board?.lanes ?? []), ...(board?.archive ? [board.archive] : [])].flatMap((lane) => lane.cards);
  const { numbers, texts, parents } = checkboxesIn(text, bodyStart, new Set(cards.map(({ start }) => start)));
  if (numbers.length === 0) return undefined;
  const facts = { numbers, texts: texts.join("\n"), parents, ...aboutNote(properties) };
  return board === undefined ? facts : { ...facts, board: text };
}

/** @param cards offsets of cards, which need no box */
function checkboxesIn(text: string, bodyStart: number, cards: ReadonlySet<number>) {
  const [numbers, texts, parents]: [number[], string[], number[]] = [[], [], []];
  /** Outermost first; `place`: index of the own or enclosing checkbox. */
  const open: { readonly indent: number; readonly place: number }[] = [];
  let [within, line, counted] = [0, 1, 0];
  const numberAt = (start: number): number => {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
  const item = (start: number, end: number): void => {
    const own = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    const { quotes, indent } = depthOf(own);
    if (quotes !== within) open.length = 0;
    within = quotes;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const parent = open.at(-1)?.place ?? -1;
    const isBox = isCheckbox(own) || cards.has(start);
    open.push({ indent, place: isBox ? numbers.length : parent });
    if (!isBox) return;
    numbers.push(numberAt(start));
    texts.push(own);
    parents.push(parent);
  };
  const heading = (): boolean => {
    open.length = 0;
    return false;
  };
  scanBlocks(text, bodyStart, { item, heading });
  return { numbers, texts, parents };
}

export function depthOf(line: string): { readonly quotes: number; readonly indent: number } {
  let [quotes, indent] = [0, 0];
  for (let at = 0; ; at++) {
    const character = line[at];
    if (character === ">") {
      quotes++;
      indent = 0;
    } else if (character === " ") indent++;
    else if (character === "\t") indent += 4 - (indent % 4);
    else break;
  }
  return { quotes, indent };
}

const PROJECT = /^(?:\[\[)?project(?:\]\])?$/i;

function aboutNote(properties: readonly Property[]): Omit<LineFacts, "numbers" | "texts" | "parents" | "board"> {
  if (properties.length === 0) return {};
  const found = COMMON_SPELLING.fieldProperties(properties);
  const read = (name: FieldName): unknown => {
    const property = found.get(name);
    return property && fieldNamed(name).read(property).value;
  };
  const [area, projects, tags, type] = [read("area"), read("projects"), read("tags"), found.get("type")];
  const kinds = [...(type ? textsOf(type) : []), ...(Array.isArray(tags) ? tags.map(String) : [])];
  return {
    ...(typeof area === "string" && { area }),
    ...(Array.isArray(projects) && { projects: projects.map(String) }),
    ...(read("archived") === true && { archived: true }),
    ...(kinds.some((kind) => PROJECT.test(kind)) && { isProject: true }),
  };
}

export interface NoteLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

export class NoteLines {
  /** Split at LF; keeps CR. */
  #rows: string[];
  readonly #ending: LineEnding;

  constructor(text: string) {
    this.#rows = text.split("\n");
    this.#ending = lineEnding(text);
  }

  get text(): string {
    return this.#rows.join("\n");
  }

  reset(text: string): void {
    this.#rows = text.split("\n");
  }

  at(number: number): NoteLine | undefined {
    const row = this.#rows[number - 1];
    // No line follows the last line ending.
    if (row === undefined || (row === "" && number > 1 && number === this.#rows.length)) return undefined;
    return { number, text: row.endsWith("\r") ? row.slice(0, -1) : row };
  }

  after({ number }: NoteLine): NoteLine | undefined {
    return this.at(number + 1);
  }

  before({ number }: NoteLine): NoteLine | undefined {
    return this.at(number - 1);
  }

  /** More indented lines, and blank lines between. */
  below(line: NoteLine): readonly NoteLine[] {
    const { quotes, indent } = depthOf(line.text);
    const below: NoteLine[] = [];
    let filled = 0;
    for (let at = this.after(line); at; at = this.after(at)) {
      const depth = depthOf(at.text);
      const isBlank = at.text.replace(/[\s>]+/g, "") === "";
      if (depth.quotes !== quotes || (!isBlank && depth.indent <= indent)) break;
      below.push(at);
      if (!isBlank) filled = below.length;
    }
    return below.slice(0, filled);
  }

  /** An empty list removes the line. */
  replace({ number, text }: NoteLine, lines: readonly string[]): boolean {
    if (lines.length === 1 && lines[0] === text) return false;
    const [place, last] = [number - 1, this.#rows.length - 1];
    if (lines.length === 0) {
      // The line above keeps its ending.
      if (place === last) this.#rows[place] = "";
      else this.#rows.splice(place, 1);
      return true;
    }
    const mark = (this.#rows[place] ?? "").slice(text.length);
    const ending = place < last ? `${mark}\n` : mark || this.#ending;
    this.#rows.splice(place, 1, ...`${lines.join(ending)}${mark}`.split("\n"));
    return true;
  }
}
