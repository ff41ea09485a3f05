/** Filters joined by AND, OR, XOR and NOT, each in one kind of brackets. */
import { type Filter, negated, withOperator } from "./filter-sql.js";
import { Misread } from "../answer.js";

const BRACKETS = ["()", "[]", "{}", '""'];
const LOOSEST_FIRST = ["OR", "AND", "XOR"] as const;
const MAX_DEPTH = 64;

export const looksCombined = (text: string): boolean =>
  /(?:AND|OR|XOR|NOT)\s*[([{"]/.test(text) || /[([{"].+[)\]}"]/.test(text);

type ReadPart = (text: string, depth: number) => Filter;

export function combined(text: string, depth: number, readPart: ReadPart): Filter {
  const bare = text.replace(/^[A-Z ]*\s*/, "");
  const [open, close] = BRACKETS.find(([open = "", close = ""]) => bare.startsWith(open) && text.endsWith(close)) ?? "";
  if (open === undefined || close === undefined)
    throw new Misread('each filter that is joined by AND, OR, XOR or NOT stands in one kind of ( ), [ ], { } or " "');
  return new Combination(text, open, close, readPart).read(depth);
}

class Combination {
  #rest: string;
  readonly #open: string;
  readonly #close: string;
  readonly #readPart: ReadPart;
  readonly #operator: RegExp;
  /** What may follow the bracket that closes a filter. */
  readonly #behind: RegExp;

  constructor(text: string, open: string, close: string, readPart: ReadPart) {
    this.#rest = text;
    this.#open = open;
    this.#close = close;
    this.#readPart = readPart;
    const next = `(?:(?:AND|OR)(?: +NOT)?|XOR)\\s*\\${open}`;
    this.#operator = new RegExp(`^\\s*(?=${next})(AND|OR|XOR)`);
    this.#behind = new RegExp(`^[\\s\\${close}]*(?:$|${next})`);
  }

  read(depth: number): Filter {
    const filter = this.#joined(0, depth);
    if (this.#rest.trim() !== "") throw this.#malformed();
    return filter;
  }

  #joined(level: number, depth: number): Filter {
    if (level === LOOSEST_FIRST.length) return this.#single(depth);
    let filter = this.#joined(level + 1, depth);
    for (;;) {
      const [next = "", operator] = this.#operator.exec(this.#rest) ?? [];
      const wanted = LOOSEST_FIRST[level];
      if (operator === undefined || operator !== wanted) return filter;
      this.#rest = this.#rest.slice(next.length);
      filter = withOperator(wanted, filter, this.#joined(level + 1, depth));
    }
  }

  #single(depth: number): Filter {
    if (depth >= MAX_DEPTH) throw new Misread(`brackets are nested deeper than ${MAX_DEPTH} levels`);
    this.#rest = this.#rest.trimStart();
    if (this.#startsWithNot()) {
      this.#rest = this.#rest.slice(3);
      return negated(this.#single(depth));
    }
    this.#take(this.#open);
    this.#rest = this.#rest.trimStart();
    if (this.#open === this.#close || !(this.#rest.startsWith(this.#open) || this.#startsWithNot()))
      return this.#readPart(this.#part(), depth + 1);
    const filter = this.#joined(0, depth + 1);
    this.#rest = this.#rest.trimStart();
    this.#take(this.#close);
    return filter;
  }

  #take(bracket: string): void {
    if (!this.#rest.startsWith(bracket)) throw this.#malformed();
    this.#rest = this.#rest.slice(1);
  }

  #startsWithNot(): boolean {
    return this.#rest.startsWith("NOT") && this.#rest.slice(3).trimStart().startsWith(this.#open);
  }

  /** The filter's text may hold the bracket itself, such as in a regular expression. */
  #part(): string {
    for (let end = this.#rest.indexOf(this.#close); end >= 0; end = this.#rest.indexOf(this.#close, end + 1)) {
      const behind = this.#rest.slice(end + 1);
      if (!this.#behind.test(behind)) continue;
      const part = this.#rest.slice(0, end).trim();
      this.#rest = behind;
      return part;
    }
    throw this.#malformed();
  }

  #malformed(): Misread {
    const near = this.#rest.trim() === "" ? "its end" : `"${this.#rest.trim().slice(0, 40)}"`;
    return new Misread(`the combination of filters is not understood at ${near}`);
  }
}
