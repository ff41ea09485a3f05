/** A note's text as lines of which single ones are replaced, every other byte as it was. */
import { type LineEnding, lineEnding } from "../../markdown/line-edit.js";
import { depthOf } from "./line-facts.js";

export interface NoteLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without its ending. */
  readonly text: string;
}

export class NoteLines {
  /** The text between line feeds: of lines that end with CR LF the CR too. */
  #rows: string[];
  /** What a line without one gets. */
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

  /** A line by its number; undefined where the text has fewer. */
  at(number: number): NoteLine | undefined {
    const row = this.#rows[number - 1];
    // Behind the last line's ending there is nothing.
    if (row === undefined || (row === "" && number > 1 && number === this.#rows.length)) return undefined;
    return { number, text: row.endsWith("\r") ? row.slice(0, -1) : row };
  }

  after({ number }: NoteLine): NoteLine | undefined {
    return this.at(number + 1);
  }

  before({ number }: NoteLine): NoteLine | undefined {
    return this.at(number - 1);
  }

  /** The lines below that are indented deeper than this one, with the blank lines between them. */
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

  /**
   * Puts these lines in place of one; with none the line goes, its ending too.
   * @returns whether the text is another now
   */
  replace({ number, text }: NoteLine, lines: readonly string[]): boolean {
    if (lines.length === 1 && lines[0] === text) return false;
    const [place, last] = [number - 1, this.#rows.length - 1];
    if (lines.length === 0) {
      // Without an ending of its own it leaves that of the line above.
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
