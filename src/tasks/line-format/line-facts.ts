/** What is remembered of a note's checkbox lines: plain JSON that depends on the note alone, not on settings, folders or the day. */
import type { FactReader, NoteSource } from "../../catalog/catalog.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { scanBlocks } from "../../markdown/blocks.js";
import { type FieldName, fieldNamed } from "../fields/fields.js";
import { COMMON_SPELLING } from "../fields/spelling.js";
import { textsOf } from "../fields/property-values.js";
import { isCheckbox } from "./task-line.js";

export interface LineFacts {
  /** The number of each checkbox's line, from 1. */
  readonly numbers: readonly number[];
  /** Their texts, one a line. */
  readonly texts: string;
  /** Of each the place in this list of the checkbox it stands below; -1 for none. */
  readonly parents: readonly number[];
  /** What the note's frontmatter says. */
  readonly area?: string;
  readonly projects?: readonly string[];
  readonly archived?: true;
  /** The note is that of a project, which its lines then belong to. */
  readonly isProject?: true;
}

export const lineReader: FactReader<LineFacts> = {
  name: "lines",
  version: 1,
  whole: true,
  read: readLines,
};

/** The facts of a note by its text alone. */
export function lineFactsOf(text: string): LineFacts | undefined {
  const parts = splitNote(text);
  return mayHoldCheckbox(text) ? factsFrom(text, parts.bodyStart, readFrontmatter(text, parts).properties) : undefined;
}

function readLines({ text, truncated, parts, frontmatter }: NoteSource): LineFacts | undefined {
  if (!mayHoldCheckbox(text)) return undefined;
  // The last line of a note that was not read whole may be cut.
  const seen = truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return factsFrom(seen, parts.bodyStart, frontmatter.properties);
}

const ANY_CHECKBOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[/m;

/** Most notes have none, which is seen without scanning their blocks. */
function mayHoldCheckbox(text: string): boolean {
  return text.includes("[") && ANY_CHECKBOX.test(text);
}

function factsFrom(text: string, bodyStart: number, properties: readonly Property[]): LineFacts | undefined {
  const lines = new Checkboxes(text);
  scanBlocks(text, bodyStart, {
    item: (start, end) => lines.item(start, end),
    heading: () => lines.leave(),
  });
  const { numbers, texts, parents } = lines;
  return numbers.length === 0 ? undefined : { numbers, texts: texts.join("\n"), parents, ...aboutNote(properties) };
}

/** Counts lines, and remembers in which items an item stands. */
class Checkboxes {
  readonly numbers: number[] = [];
  readonly texts: string[] = [];
  readonly parents: number[] = [];
  readonly #text: string;
  /** The items that are open, outermost first; `place` of one that is no checkbox is that of the checkbox around it. */
  readonly #open: { readonly indent: number; readonly place: number }[] = [];
  #quotes = 0;
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  item(start: number, end: number): void {
    const line = this.#text.slice(start, this.#text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    const { quotes, indent } = depthOf(line);
    if (quotes !== this.#quotes) this.leave();
    this.#quotes = quotes;
    while ((this.#open.at(-1)?.indent ?? -1) >= indent) this.#open.pop();
    const parent = this.#open.at(-1)?.place ?? -1;
    if (!isCheckbox(line)) {
      this.#open.push({ indent, place: parent });
      return;
    }
    this.#open.push({ indent, place: this.numbers.length });
    this.numbers.push(this.#lineAt(start));
    this.texts.push(line);
    this.parents.push(parent);
  }

  /** What follows stands in no item. @returns false: the scan goes on */
  leave(): boolean {
    this.#open.length = 0;
    return false;
  }

  #lineAt(start: number): number {
    for (
      let at = this.#text.indexOf("\n", this.#counted);
      at >= 0 && at < start;
      at = this.#text.indexOf("\n", at + 1)
    ) {
      this.#line++;
      this.#counted = at + 1;
    }
    return this.#line;
  }
}

/** How many quote marks a line has, and the column behind them at which its text begins. */
export function depthOf(line: string): { readonly quotes: number; readonly indent: number } {
  let [quotes, indent] = [0, 0];
  for (const character of line) {
    if (character === ">") [quotes, indent] = [quotes + 1, 0];
    else if (character === " ") indent++;
    else if (character === "\t") indent += 4 - (indent % 4);
    else break;
  }
  return { quotes, indent };
}

const PROJECT = /^(?:\[\[)?project(?:\]\])?$/i;

function aboutNote(properties: readonly Property[]): Omit<LineFacts, "numbers" | "texts" | "parents"> {
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
