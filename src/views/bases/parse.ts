/** Parses an expression of Bases into a tree with positions; nothing of JavaScript beyond it is understood. */
import { Misread } from "../answer.js";

export type Expression = { readonly at: number } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [key: string, value: Expression])[] }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "index"; readonly of: Expression; readonly index: Expression }
  | { readonly kind: "call"; readonly of: Expression | undefined; readonly name: string; readonly args: Expression[] }
  | { readonly kind: "unary"; readonly sign: string; readonly operand: Expression }
  | { readonly kind: "binary"; readonly sign: string; readonly left: Expression; readonly right: Expression }
);

const MAX_EXPRESSION = 4_000;
const MAX_LEVELS = 64;

export function parseExpression(text: string): Expression {
  if (text.length > MAX_EXPRESSION) throw new Misread(`it has ${text.length} characters, more than ${MAX_EXPRESSION}`);
  return new Parser(text).whole();
}

interface Token {
  readonly kind: "number" | "text" | "name" | "sign" | "end";
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

const SPACE = /\s*/y;
const TOKEN =
  /(\d+(?:\.\d+)?)|("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|([\p{L}_$][\p{L}\p{M}\p{N}_$]*)|(\|\||&&|===?|!==?|<=|>=|=>|[^])/uy;
const PATTERN = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;

const LOOSEST_FIRST = [["||"], ["&&"], ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]];
const POWER = new Map(LOOSEST_FIRST.flatMap((signs, at) => signs.map((sign) => [sign, at + 1] as const)));
const UNARY = 7;

const SCRIPT = "JavaScript is not run here";
/** What other languages write, and what Bases writes instead. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["=", "= compares nothing; write =="],
  ["===", "=== is not in Bases; write =="],
  ["!==", "!== is not in Bases; write !="],
  ["?", "?: is not in Bases; write if(condition, a, b)"],
  ["and", "write && for and"],
  ["or", "write || for or"],
  ["not", "write ! for not"],
  ["in", "write contains() for in"],
  [";", "only one expression is allowed"],
  ["=>", `${SCRIPT}; filter, map and reduce take an expression over value`],
  ["`", `${SCRIPT}; a text has double or single quotes`],
  ["new", SCRIPT],
  ["function", SCRIPT],
  ["return", SCRIPT],
  ["typeof", SCRIPT],
]);
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class Parser {
  readonly #text: string;
  #token: Token;
  #levels = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#read(0);
  }

  whole(): Expression {
    const expression = this.#expression(0);
    if (this.#token.kind !== "end") throw this.#unexpected();
    return expression;
  }

  #read(from: number): Token {
    SPACE.lastIndex = from;
    SPACE.exec(this.#text);
    const at = SPACE.lastIndex;
    if (at >= this.#text.length) return { kind: "end", text: "", at, end: at };
    TOKEN.lastIndex = at;
    const [text = "", number, quoted, name] = TOKEN.exec(this.#text) ?? [];
    const kind = number !== undefined ? "number" : quoted !== undefined ? "text" : name !== undefined ? "name" : "sign";
    return { kind, text, at, end: at + text.length };
  }

  #next(): Token {
    const token = this.#token;
    this.#token = this.#read(token.end);
    return token;
  }

  #takes(sign: string): boolean {
    if (this.#token.kind !== "sign" || this.#token.text !== sign) return false;
    this.#next();
    return true;
  }

  #expect(sign: string, opened: string): void {
    if (this.#takes(sign)) return;
    if (this.#token.kind === "end") throw new Misread(`${opened} is not closed`);
    throw this.#unexpected();
  }

  #unexpected(): Misread {
    const { kind, text } = this.#token;
    if (kind === "end") return new Misread("it is incomplete");
    if (text === '"' || text === "'") return new Misread("a text is not closed");
    return new Misread(FOREIGN.get(text) ?? `${text.slice(0, 20)} is not expected here`);
  }

  #expression(power: number): Expression {
    if (++this.#levels > MAX_LEVELS) throw new Misread(`it is nested more than ${MAX_LEVELS} levels deep`);
    let left = this.#operand();
    for (;;) {
      const { kind, text: sign } = this.#token;
      const own = kind === "sign" ? POWER.get(sign) : undefined;
      if (own === undefined || own <= power) break;
      this.#next();
      const right = this.#expression(own);
      left = { kind: "binary", sign, left, right, at: left.at };
    }
    this.#levels--;
    return left;
  }

  #operand(): Expression {
    const { kind, text, at } = this.#token;
    if (kind === "sign" && (text === "!" || text === "-")) {
      this.#next();
      const operand = this.#expression(UNARY);
      return { kind: "unary", sign: text, operand, at };
    }
    return this.#suffixes(this.#primary());
  }

  #primary(): Expression {
    const { kind, text, at } = this.#token;
    if (kind === "number") return { kind: "literal", value: Number(this.#next().text), at };
    if (kind === "text") return { kind: "literal", value: unescaped(this.#next().text.slice(1, -1)), at };
    if (kind === "name") return this.#name();
    if (this.#takes("(")) {
      const inner = this.#expression(0);
      this.#expect(")", "(");
      return inner;
    }
    if (this.#takes("[")) return { kind: "list", items: this.#items("]", "["), at };
    if (this.#takes("{")) return { kind: "object", entries: this.#entries(), at };
    if (text === "/") return this.#pattern(at);
    throw this.#unexpected();
  }

  #name(): Expression {
    const { text, at } = this.#next();
    const literal = LITERALS.get(text);
    if (literal !== undefined) return { kind: "literal", value: literal, at };
    if (this.#takes("(")) return { kind: "call", of: undefined, name: text, args: this.#items(")", `${text}(`), at };
    // `new Date()`: a word that is followed by another one.
    if (FOREIGN.has(text) && (this.#token.kind === "name" || text === "not"))
      throw new Misread(FOREIGN.get(text) ?? "");
    return { kind: "name", name: text, at };
  }

  #pattern(at: number): Expression {
    PATTERN.lastIndex = at;
    const [whole, source = "", flags = ""] = PATTERN.exec(this.#text) ?? [];
    if (whole === undefined) throw new Misread("a regular expression is not closed");
    this.#token = this.#read(at + whole.length);
    return { kind: "pattern", source, flags, at };
  }

  #suffixes(start: Expression): Expression {
    let of = start;
    for (;;) {
      if (this.#takes(".")) {
        const { kind, text: name, at } = this.#token;
        if (kind !== "name") throw this.#unexpected();
        this.#next();
        of = this.#takes("(")
          ? { kind: "call", of, name, args: this.#items(")", `${name}(`), at }
          : { kind: "member", of, name, at };
      } else if (this.#takes("[")) {
        const index = this.#expression(0);
        this.#expect("]", "[");
        const { at } = of;
        of =
          index.kind === "literal" && typeof index.value === "string"
            ? { kind: "member", of, name: index.value, at }
            : { kind: "index", of, index, at };
      } else return of;
    }
  }

  #items(close: string, opened: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#takes(close)) {
      if (items.length > 0) this.#expect(",", opened);
      items.push(this.#expression(0));
    }
    return items;
  }

  #entries(): (readonly [string, Expression])[] {
    const entries: (readonly [string, Expression])[] = [];
    while (!this.#takes("}")) {
      if (entries.length > 0) this.#expect(",", "{");
      const key = this.#token.kind === "text" ? unescaped(this.#token.text.slice(1, -1)) : this.#token.text;
      if (this.#token.kind !== "text" && this.#token.kind !== "name") throw this.#unexpected();
      this.#next();
      this.#expect(":", "{");
      entries.push([key, this.#expression(0)]);
    }
    return entries;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(parseInt(code, 16)),
  );
