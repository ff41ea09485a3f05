/** The first characters of frontmatter values, which show quoted values and lists in brackets. */
import type { Property } from "../../markdown/frontmatter/property.js";

/** Fastest when called from top to bottom. */
export class Signs {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  #line = FIRST_LINE;
  #lineStart: number;

  constructor(text: string, { start, end }: { readonly start: number; readonly end: number }) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#lineStart = start;
  }

  /** `""` when there is none. */
  of({ key, line }: Property): string {
    this.#goTo(line);
    const text = this.#text;
    // Nearly all lines are `key: value`, or `key:` above a list.
    const colon = this.#lineStart + key.length;
    if (text.charCodeAt(colon) === COLON && text.startsWith(key, this.#lineStart)) {
      const next = text.charCodeAt(colon + 1);
      if (next === NEWLINE) return "";
      const sign = text.charCodeAt(colon + 2);
      if (next === SPACE && sign > SPACE && sign < DELETE) return text.charAt(colon + 2);
    }
    return this.#ofOddLine(key);
  }

  #ofOddLine(key: string): string {
    const text = this.#text;
    let at = text.indexOf(key, this.#lineStart) + key.length;
    const feed = text.indexOf("\n", this.#lineStart);
    const end = feed === -1 || feed > this.#end ? this.#end : feed;
    if (at < key.length + this.#lineStart || at > end) return "";
    const quote = text.charCodeAt(at);
    const colon = this.#pastBlanks(quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? at + 1 : at, end);
    if (colon < end && text.charCodeAt(colon) === COLON) at = colon + 1;
    at = this.#pastBlanks(at, end);
    return at < end ? text.charAt(at) : "";
  }

  #goTo(line: number): void {
    if (line < this.#line) [this.#line, this.#lineStart] = [FIRST_LINE, this.#start];
    for (; this.#line < line && this.#lineStart < this.#end; this.#line++) {
      const feed = this.#text.indexOf("\n", this.#lineStart);
      this.#lineStart = feed === -1 ? this.#end : feed + 1;
    }
  }

  #pastBlanks(from: number, end: number): number {
    let at = from;
    while (at < end && isBlank(this.#text.charCodeAt(at))) at++;
    return at;
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));
}

/** Line 1 of the file is the opening fence. */
const FIRST_LINE = 2;
const NEWLINE = 10;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COLON = 58;
const DELETE = 127;
