/** First characters of frontmatter values, which tell quoted values and flow lists. */
import type { Property } from "../../markdown/frontmatter/property.js";

/** Line 1 is the opening fence. */
const FIRST_LINE = 2;
/** Closing quote of the key, colon, and the value's first character. */
const AFTER_KEY = /["']?[^\S\n]*:?[^\S\n]*(\S?)/y;

/** Finds the first character of properties' values. Fastest from top to bottom. */
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

  /** `""` if there is none. */
  of({ key, line }: Property): string {
    this.#goTo(line);
    const at = this.#text.indexOf(key, this.#lineStart);
    const feed = this.#text.indexOf("\n", this.#lineStart);
    if (at === -1 || at + key.length > (feed === -1 ? this.#end : feed)) return "";
    AFTER_KEY.lastIndex = at + key.length;
    return AFTER_KEY.exec(this.#text)?.[1] ?? "";
  }

  #goTo(line: number): void {
    if (line < this.#line) [this.#line, this.#lineStart] = [FIRST_LINE, this.#start];
    for (; this.#line < line && this.#lineStart < this.#end; this.#line++) {
      const feed = this.#text.indexOf("\n", this.#lineStart);
      this.#lineStart = feed === -1 ? this.#end : feed + 1;
    }
  }
}
