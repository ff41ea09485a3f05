/** Parses an expression of Bases; understands no JavaScript beyond it. */
import { Misread, MISREAD } from "../answer.js";

export type Expression =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [key: string, value: Expression])[] }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "index"; readonly of: Expression; readonly index: Expression }
  | { readonly kind: "call"; readonly of: Expression | undefined; readonly name: string; readonly args: Expression[] }
  | { readonly kind: "unary"; readonly operator: string; readonly operand: Expression }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression };

const MAX_EXPRESSION = 4_000;
const MAX_LEVELS = 64;

interface Token {
  readonly kind: "number" | "text" | "name" | "punctuator" | "end";
  readonly text: string;
  readonly end: number;
}

const SPACE = /\s*/y;
const TOKEN =
  /(\d+(?:\.\d+)?)|("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|([\p{L}_$][\p{L}\p{M}\p{N}_$]*)|(\|\||&&|===?|!==?|<=|>=|=>|[^])/uy;
const PATTERN = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;

const LOOSEST_FIRST = [["||"], ["&&"], ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]];
const POWER = new Map(
  LOOSEST_FIRST.flatMap((operators, at) => operators.map((operator) => [operator, at + 1] as const)),
);
const UNARY = 7;

const SCRIPT = MISREAD.javaScript;
/** Syntax of other languages, and what Bases writes instead. */
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

/** @throws Misread */
export function parseExpression(input: string): Expression {
  if (input.length > MAX_EXPRESSION)
    throw new Misread(`it has ${input.length} characters, more than ${MAX_EXPRESSION}`);
  let token: Token = read(0);
  let levels = 0;

  function read(from: number): Token {
    SPACE.lastIndex = from;
    SPACE.exec(input);
    const at = SPACE.lastIndex;
    if (at >= input.length) return { kind: "end", text: "", end: at };
    TOKEN.lastIndex = at;
    const [text = "", number, quoted, name] = TOKEN.exec(input) ?? [];
    const kind =
      number !== undefined ? "number" : quoted !== undefined ? "text" : name !== undefined ? "name" : "punctuator";
    return { kind, text, end: at + text.length };
  }

  function next(): Token {
    const taken = token;
    token = read(taken.end);
    return taken;
  }

  function takes(punctuator: string): boolean {
    if (token.kind !== "punctuator" || token.text !== punctuator) return false;
    next();
    return true;
  }

  function expect(punctuator: string, opened: string): void {
    if (takes(punctuator)) return;
    if (token.kind === "end") throw new Misread(`${opened} is not closed`);
    throw unexpected();
  }

  function unexpected(): Misread {
    const { kind, text } = token;
    if (kind === "end") return new Misread("it is incomplete");
    if (text === '"' || text === "'") return new Misread("a text is not closed");
    return new Misread(FOREIGN.get(text) ?? `${text.slice(0, 20)} is not expected here`);
  }

  function expression(power: number): Expression {
    if (++levels > MAX_LEVELS) throw new Misread(`it is nested more than ${MAX_LEVELS} levels deep`);
    let left = operand();
    for (;;) {
      const { kind, text: operator } = token;
      const own = kind === "punctuator" ? POWER.get(operator) : undefined;
      if (own === undefined || own <= power) break;
      next();
      const right = expression(own);
      left = { kind: "binary", operator, left, right };
    }
    levels--;
    return left;
  }

  function operand(): Expression {
    const { kind, text } = token;
    if (kind === "punctuator" && (text === "!" || text === "-")) {
      next();
      return { kind: "unary", operator: text, operand: expression(UNARY) };
    }
    return suffixes(primary());
  }

  function primary(): Expression {
    const { kind, text } = token;
    if (kind === "number") return { kind: "literal", value: Number(next().text) };
    if (kind === "text") return { kind: "literal", value: unescaped(next().text.slice(1, -1)) };
    if (kind === "name") return name();
    if (takes("(")) {
      const inner = expression(0);
      expect(")", "(");
      return inner;
    }
    if (takes("[")) return { kind: "list", items: items("]", "[", argument) };
    if (takes("{")) return { kind: "object", entries: items("}", "{", entry) };
    if (text === "/") return pattern();
    throw unexpected();
  }

  function name(): Expression {
    const { text } = next();
    const literal = LITERALS.get(text);
    if (literal !== undefined) return { kind: "literal", value: literal };
    if (takes("(")) return { kind: "call", of: undefined, name: text, args: items(")", `${text}(`, argument) };
    // `new Date()`: a word that is followed by another one.
    if (FOREIGN.has(text) && (token.kind === "name" || text === "not")) throw new Misread(FOREIGN.get(text) ?? "");
    return { kind: "name", name: text };
  }

  function pattern(): Expression {
    const at = token.end - 1;
    PATTERN.lastIndex = at;
    const [whole, source = "", flags = ""] = PATTERN.exec(input) ?? [];
    if (whole === undefined) throw new Misread("a regular expression is not closed");
    token = read(at + whole.length);
    return { kind: "pattern", source, flags };
  }

  function suffixes(start: Expression): Expression {
    let of = start;
    for (;;) {
      if (takes(".")) {
        const { kind, text: name } = token;
        if (kind !== "name") throw unexpected();
        next();
        of = takes("(")
          ? { kind: "call", of, name, args: items(")", `${name}(`, argument) }
          : { kind: "member", of, name };
      } else if (takes("[")) {
        const index = expression(0);
        expect("]", "[");
        of =
          index.kind === "literal" && typeof index.value === "string"
            ? { kind: "member", of, name: index.value }
            : { kind: "index", of, index };
      } else return of;
    }
  }

  const argument = (): Expression => expression(0);

  function items<Item>(close: string, opened: string, item: () => Item): Item[] {
    const found: Item[] = [];
    while (!takes(close)) {
      if (found.length > 0) expect(",", opened);
      found.push(item());
    }
    return found;
  }

  function entry(): readonly [string, Expression] {
    const { kind, text } = token;
    if (kind !== "text" && kind !== "name") throw unexpected();
    const key = kind === "text" ? unescaped(text.slice(1, -1)) : text;
    next();
    expect(":", "{");
    return [key, expression(0)];
  }

  const whole = expression(0);
  if (token.kind !== "end") throw unexpected();
  return whole;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(parseInt(code, 16)),
  );
