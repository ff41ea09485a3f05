/** A note's text as lines that can be replaced singly. */
import { type LineEnding, lineEnding } from "../../markdown/line-edit.js";
import { depthOf } from "./line-facts.js";

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
