/** JavaScript's regular expressions in RE2's syntax, which never backtracks. */
import { RE2JS } from "re2js";

/** The message is for the answer. */
export class RefusedPattern extends Error {}

/** The plugin's limit. */
const MAX_PATTERN = 500;
const MAX_QUANTIFIERS = 25;

const SPACES =
  "\\t\\n\\x0b\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NO_SPACES =
  "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const CODE = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})/;
const PAIR = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
const NO_LINE_END = "[^\\n\\r\\x{2028}\\x{2029}]";

/** Without the flag u JavaScript sees two characters in an emoji: each half becomes one of these. */
const FIRST_HALF = 0x10_0000;
const halfOf = (code: number): number => FIRST_HALF + code - 0xd800;
const inHalves = (text: string): string =>
  text.replace(/[\ud800-\udfff]/g, (half) => String.fromCodePoint(halfOf(half.charCodeAt(0))));
const outOfHalves = (text: string): string =>
  text.replace(/[\u{100000}-\u{1007ff}]/gu, (half) =>
    String.fromCharCode((half.codePointAt(0) ?? 0) - FIRST_HALF + 0xd800),
  );

export interface CompiledPattern {
  readonly expression: RE2JS;
  /** As the expression reads texts, and back. */
  readonly inside: (text: string) => string;
  readonly outside: (text: string) => string;
}

/**
 * @param text `/pattern/flags`
 * @throws RefusedPattern
 */
export function readPattern(text: string): (text: string) => boolean {
  const [, pattern, flags = ""] = /^\/(.+)\/([^/]*)$/.exec(text) ?? [];
  if (pattern === undefined) throw new RefusedPattern("a regular expression is written /pattern/ or /pattern/i");
  if (pattern.length > MAX_PATTERN)
    throw new RefusedPattern(`the expression has ${pattern.length} characters; at most ${MAX_PATTERN} are run`);
  const { expression, inside } = compilePattern(pattern, flags, MAX_QUANTIFIERS);
  return (value) => expression.test(inside(value));
}

/** @param mostQuantifiers default: any number @throws RefusedPattern */
export function compilePattern(pattern: string, flags: string, mostQuantifiers?: number): CompiledPattern {
  if (/[^dgimsuv]/.test(flags)) throw new RefusedPattern(`the flags "${flags}" are not known; i, m, s, u and v are`);
  const isValid = (): boolean => new RegExp(pattern, flags) instanceof RegExp;
  try {
    isValid();
    const given = (flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes("m") ? RE2JS.MULTILINE : 0);
    const expression = RE2JS.compile(
      new Translation(pattern, flags, mostQuantifiers).result,
      given | (flags.includes("s") ? RE2JS.DOTALL : 0),
    );
    return /[uv]/.test(flags)
      ? { expression, inside: String, outside: String }
      : { expression, inside: inHalves, outside: outOfHalves };
  } catch (error) {
    if (error instanceof RefusedPattern) throw error;
    // The engine's sentence, such as `Invalid regular expression: /(/: Unterminated group`.
    throw new RefusedPattern(String(error instanceof Error ? error.message : error).slice(0, 200));
  }
}

class Translation {
  readonly result: string;
  readonly #unicode: boolean;
  readonly #nestsSets: boolean;
  readonly #any: string;
  readonly #mostQuantifiers: number | undefined;
  #rest: string;
  #quantifiers = 0;
  /** Whether each open group has a quantifier. */
  readonly #groups: boolean[] = [false];

  constructor(pattern: string, flags: string, mostQuantifiers: number | undefined) {
    this.#nestsSets = flags.includes("v");
    this.#unicode = this.#nestsSets || flags.includes("u");
    this.#mostQuantifiers = mostQuantifiers;
    this.#any = flags.includes("s") ? "." : NO_LINE_END;
    this.#rest = this.#unicode ? pattern : inHalves(pattern);
    let result = "";
    while (this.#rest !== "") result += this.#next();
    this.result = result;
  }

  #next(): string {
    const rest = this.#rest;
    if (rest.startsWith("\\")) return this.#atom(this.#escape(false));
    if (rest.startsWith("[")) return this.#atom(this.#set());
    if (rest.startsWith("(")) return this.#open();
    if (rest.startsWith(")")) {
      this.#take(1);
      return this.#atom(")", this.#groups.pop());
    }
    if (rest.startsWith(".")) return this.#atom(this.#take(1) && this.#any);
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    return this.#atom(this.#take(character.length));
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  /** @param holds the atom is a group with a quantifier */
  #atom(atom: string, holds = false): string {
    const [quantifier] = QUANTIFIER.exec(this.#rest) ?? [];
    if (holds) this.#mark();
    if (quantifier === undefined || atom === "|") return atom;
    const most = this.#mostQuantifiers;
    if (holds && most !== undefined)
      throw new RefusedPattern(`a quantifier within what "${quantifier}" repeats, which the plugin refuses as slow`);
    if (most !== undefined && ++this.#quantifiers > most)
      throw new RefusedPattern(`more than ${most} quantifiers, which the plugin refuses as slow`);
    this.#mark();
    return atom + this.#take(quantifier.length);
  }

  #mark(): void {
    this.#groups[this.#groups.length - 1] = true;
  }

  #open(): string {
    const [look] = /^\(\?<?[=!]/.exec(this.#rest) ?? [];
    if (look !== undefined) throw new RefusedPattern(`"${look}" looks around, which the engine RE2 cannot do`);
    this.#groups.push(false);
    const [opened = "("] = /^\((?:\?:|\?<[^>]+>)?/.exec(this.#rest) ?? [];
    return this.#take(opened.length);
  }

  #escape(isInSet: boolean): string {
    const [pair, high = "", low = ""] = (this.#unicode && PAIR.exec(this.#rest)) || [];
    if (pair !== undefined) {
      this.#take(pair.length);
      return String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
    }
    const code = CODE.exec(this.#rest);
    if (code !== null && (code[3] === undefined || this.#unicode)) {
      this.#take(code[0].length);
      const read = parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
      const isHalf = read >= 0xd800 && read < 0xe000 && !this.#unicode;
      return `\\x{${(isHalf ? halfOf(read) : read).toString(16)}}`;
    }
    const letter = this.#take(2)[1] ?? "";
    if (letter === "s") return isInSet ? SPACES : `[${SPACES}]`;
    if (letter === "S") return isInSet ? NO_SPACES : `[^${SPACES}]`;
    if (letter === "b" && isInSet) return "\\x08";
    if (letter === "0" && !/^\d/.test(this.#rest)) return "\\x00";
    if (/[1-9]/.test(letter) || (letter === "k" && this.#rest.startsWith("<")))
      throw new RefusedPattern(`"\\${letter}" refers back to a group, which the engine RE2 cannot do`);
    if (/[dDwWbBtnvfr]/.test(letter)) return letter === "v" ? "\\x0b" : `\\${letter}`;
    if (/[pP]/.test(letter) && this.#unicode) return `\\${letter}${this.#take(this.#rest.indexOf("}") + 1)}`;
    if (/[0cux]/.test(letter)) throw new RefusedPattern(`"\\${letter}" is not understood`);
    return /[A-Za-z]/.test(letter) ? letter : `\\${letter}`;
  }

  #set(): string {
    let set = this.#take(this.#rest.startsWith("[^") ? 2 : 1);
    // JavaScript's empty sets: no character, and any.
    if (this.#rest.startsWith("]")) set = set === "[" ? "[^\\x00-\\x{10ffff}" : "[\\x00-\\x{10ffff}";
    while (this.#rest !== "" && !this.#rest.startsWith("]")) {
      if (this.#nestsSets && /^(?:\[|--|&&|\\q)/.test(this.#rest))
        throw new RefusedPattern(`"${this.#rest.slice(0, 2)}" in a set is beyond the engine RE2`);
      if (this.#rest.startsWith("\\")) set += this.#escape(true);
      else if (this.#rest.startsWith("[")) set += `\\${this.#take(1)}`;
      else set += this.#take(1);
    }
    return set + this.#take(1);
  }
}
