/** Reads plain frontmatter at a tenth of a parser's cost. Gives up unless certain. */
import { resolvePlain } from "./scalar.js";
import type { ItemSlot, Property, PropertyValue, ValueSlot } from "./property.js";

/**
 * Undefined for anything but comments and keys with a one-line scalar, a block scalar, a one-line list or mapping in
 * brackets, a simple block list, or a mapping of such keys, two levels deep. `slots` records offsets, and leaves block
 * scalars and mappings to YAML.
 */
export function readPlainFrontmatter(
  text: string,
  start: number,
  end: number,
  slots?: ValueSlot[],
): Property[] | undefined {
  return new PlainReader(text, start, end, slots).read();
}

const MAX_BRACKETS = 4;
const MAX_MAPS = 2;

// Stops at the closing fence.
const BLANK_LINES = /(?: *(?:#[^\n]*)?\r?\n)*/y;
/** Spaces and a comment. */
const LINE_END = / *(?:(?<= )#[^\n]*)?\r?\n/y;
/** With its colon. */
const KEY = /[\w\u0080-\ufefe\uff00-\uffff][^\x00-\x1f#:]{0,254}(?<! ):(?=[ \r\n])/y;
const KEY_IN_BRACES = /\w[\w -]{0,254}(?<! ):(?= )/y;
const DOUBLE_QUOTED = /"(?:[^"\\\x00-\x1f]|\\["\\])*"/y;
const SINGLE_QUOTED = /'(?:[^'\x00-\x1f]|'')*'(?!')/y;
/** Ends at a comment, trailing spaces, or a key's colon. */
const PLAIN =
  /(?:[^\x00-\x20!"#%&'*,\-:>?@[\]`{|}\x7f\ufeff]|-(?=\w))(?: *(?:[^\x00-\x20#:]|:(?![ \t\r\n])|(?<! )#))*/y;
const PLAIN_IN_BRACKETS =
  /(?:[^\x00-\x20!"#%&'*,\-:>?@[\]`{|}\x7f\ufeff]|-(?=\w))(?: *(?:[^\x00-\x20#:,[\]{}]|:(?![ \t\r\n,[\]{}])|(?<! )#))*/y;
const BLOCK_SCALAR = /[|>]-? *\r?\n/y;

interface Value extends Pick<ValueSlot, "style" | "start" | "end" | "items"> {
  readonly value: PropertyValue;
  readonly text: string | undefined;
}

const NO_ITEMS: readonly ItemSlot[] = [];

class PlainReader {
  readonly #text: string;
  readonly #end: number;
  readonly #slots: ValueSlot[] | undefined;
  #at: number;
  #line = 2;
  #counted: number;

  constructor(text: string, start: number, end: number, slots: ValueSlot[] | undefined) {
    this.#text = text;
    this.#end = end;
    this.#slots = slots;
    this.#at = start;
    this.#counted = start;
  }

  read(): Property[] | undefined {
    const properties: Property[] = [];
    const keys = new Set<string>();
    let indent = this.#nextLine();
    for (; indent === 0; indent = this.#nextLine()) {
      const colonEnd = this.#match(KEY, this.#at);
      if (colonEnd === -1) return undefined;
      const key = this.#text.slice(this.#at, colonEnd - 1);
      const line = this.#lineOf(this.#at);
      const read = this.#valueAfter(colonEnd, 0, 0);
      if (read === undefined || keys.has(key)) return undefined;
      keys.add(key);
      const { style, value, text, start, end, items } = read;
      properties.push({ key, value, text, line });
      this.#slots?.push({ style, colonEnd, start, end, items });
    }
    return indent === -1 ? properties : undefined;
  }

  #match(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.#text) ? pattern.lastIndex : -1;
  }

  #afterSpaces(at: number): number {
    let after = at;
    while (this.#text[after] === " ") after += 1;
    return after;
  }

  /** @returns its indentation, or -1 at the end */
  #nextLine(): number {
    this.#at = this.#match(BLANK_LINES, this.#at);
    return this.#at < this.#end ? this.#afterSpaces(this.#at) - this.#at : -1;
  }

  /** Offsets must ascend. */
  #lineOf(offset: number): number {
    for (let feed = this.#text.indexOf("\n", this.#counted); feed < offset && feed !== -1; this.#line += 1) {
      this.#counted = feed + 1;
      feed = this.#text.indexOf("\n", this.#counted);
    }
    return this.#line;
  }

  #valueAfter(colonEnd: number, indent: number, level: number): Value | undefined {
    const below = this.#match(LINE_END, colonEnd);
    if (below !== -1) {
      this.#at = below;
      return this.#valueBelow(colonEnd, indent, level);
    }
    const start = this.#afterSpaces(colonEnd);
    const first = this.#text[start];
    return first === "|" || first === ">" ? this.#blockScalar(start, indent) : this.#toLineEnd(this.#value(start, 0));
  }

  #toLineEnd(value: Value | undefined): Value | undefined {
    if (value === undefined) return undefined;
    this.#at = this.#match(LINE_END, value.end);
    return this.#at === -1 ? undefined : value;
  }

  #valueBelow(colonEnd: number, outer: number, level: number): Value | undefined {
    const indent = this.#nextLine();
    if (level === 0 && this.#isDash(indent)) return this.#blockList(indent);
    if (indent > outer) return this.#isDash(indent) ? undefined : this.#blockMap(indent, level + 1);
    return { style: "empty", value: null, text: "", start: colonEnd, end: colonEnd, items: NO_ITEMS };
  }

  #isDash(indent: number): boolean {
    return indent !== -1 && this.#text.startsWith("- ", this.#at + indent);
  }

  #blockList(indent: number): Value | undefined {
    const values: PropertyValue[] = [];
    const items: ItemSlot[] = [];
    let next = indent;
    do {
      const dash = this.#at + indent;
      const item = this.#toLineEnd(this.#value(this.#afterSpaces(dash + 1), 1));
      if (item === undefined) return undefined;
      values.push(item.value);
      items.push(this.#itemSlot(item, dash));
      next = this.#nextLine();
    } while (next === indent && this.#isDash(next));
    if (next > 0) return undefined;
    return {
      style: "block-list",
      value: values,
      text: undefined,
      start: items[0]?.start ?? 0,
      end: items.at(-1)?.end ?? 0,
      items,
    };
  }

  #itemSlot({ text, start, end }: Value, dash: number): ItemSlot {
    return { text: text ?? this.#text.slice(start, end), dash, start, end };
  }

  #blockMap(indent: number, level: number): Value | undefined {
    if (this.#slots !== undefined || level > MAX_MAPS) return undefined;
    const { map, add } = newMap();
    const start = this.#at;
    let next = indent;
    do {
      const at = this.#at + indent;
      const colonEnd = this.#match(KEY, at);
      if (colonEnd === -1 || !add(this.#text.slice(at, colonEnd - 1), this.#valueAfter(colonEnd, indent, level)))
        return undefined;
      next = this.#nextLine();
    } while (next === indent);
    return next > indent ? undefined : mapValue(map, start, this.#at);
  }

  /** Of one indentation. */
  #blockScalar(start: number, outer: number): Value | undefined {
    const text = this.#text;
    let at = this.#match(BLOCK_SCALAR, start);
    if (at === -1 || this.#slots !== undefined) return undefined;
    const isFolded = text[start] === ">";
    const indent = this.#afterSpaces(at) - at;
    let value = "";
    for (let empty = 0; ;) {
      const content = this.#afterSpaces(at);
      const feed = text.indexOf("\n", content);
      const line = text.slice(content, text[feed - 1] === "\r" ? feed - 1 : feed);
      const inside = content - at;
      if (line === "") {
        if (inside > 0 || value === "") return undefined;
        empty += 1;
      } else if (inside <= outer) {
        break;
      } else {
        if (inside < indent || (isFolded && inside > indent) || /[\x00-\x1f]/.test(line)) return undefined;
        if (value !== "") value += isFolded && empty === 0 ? " " : "\n".repeat(isFolded ? empty : empty + 1);
        value += " ".repeat(inside - indent) + line;
        empty = 0;
      }
      at = feed + 1;
    }
    if (value === "") return undefined;
    if (text[start + 1] !== "-") value += "\n";
    this.#at = at;
    return { style: "block-scalar", value, text: value, start, end: at, items: NO_ITEMS };
  }

  #value(start: number, depth: number, inBrackets = false): Value | undefined {
    switch (this.#text.charAt(start)) {
      case '"':
        return this.#quoted(start, "double", DOUBLE_QUOTED, /\\(.)/g);
      case "'":
        return this.#quoted(start, "single", SINGLE_QUOTED, /'(')/g);
      case "[":
        return depth < MAX_BRACKETS ? this.#flowList(start, depth + 1) : undefined;
      case "{":
        return depth < MAX_BRACKETS ? this.#flowMap(start, depth + 1) : undefined;
      default:
        return this.#plain(start, inBrackets ? PLAIN_IN_BRACKETS : PLAIN);
    }
  }

  #plain(start: number, pattern: RegExp): Value | undefined {
    const end = this.#match(pattern, start);
    if (end === -1) return undefined;
    const text = this.#text.slice(start, end);
    return { style: "plain", value: resolvePlain(text), text, start, end, items: NO_ITEMS };
  }

  #quoted(start: number, style: "double" | "single", pattern: RegExp, escape: RegExp): Value | undefined {
    const end = this.#match(pattern, start);
    if (end === -1) return undefined;
    const text = this.#text.slice(start + 1, end - 1).replace(escape, "$1");
    return { style, value: text, text, start, end, items: NO_ITEMS };
  }

  #flowList(start: number, depth: number): Value | undefined {
    const values: PropertyValue[] = [];
    const items: ItemSlot[] = [];
    let at = this.#afterSpaces(start + 1);
    while (this.#text[at] !== "]") {
      const item = this.#value(at, depth, true);
      if (item === undefined) return undefined;
      values.push(item.value);
      items.push(this.#itemSlot(item, at));
      at = this.#afterItem(item.end, "]");
      if (at === -1) return undefined;
    }
    return { style: "flow-list", value: values, text: undefined, start, end: at + 1, items };
  }

  #flowMap(start: number, depth: number): Value | undefined {
    if (this.#slots !== undefined) return undefined;
    const { map, add } = newMap();
    let at = this.#afterSpaces(start + 1);
    while (this.#text[at] !== "}") {
      const colonEnd = this.#match(KEY_IN_BRACES, at);
      const value = colonEnd === -1 ? undefined : this.#value(this.#afterSpaces(colonEnd), depth, true);
      if (value === undefined || !add(this.#text.slice(at, colonEnd - 1), value)) return undefined;
      at = this.#afterItem(value.end, "}");
      if (at === -1) return undefined;
    }
    return mapValue(map, start, at + 1);
  }

  /** -1 at anything but a comma or the closing bracket. */
  #afterItem(end: number, close: string): number {
    const at = this.#afterSpaces(end);
    if (this.#text[at] === ",") return this.#afterSpaces(at + 1);
    return this.#text[at] === close ? at : -1;
  }
}

type ValueMap = { [key: string]: PropertyValue };

/** `add` refuses a repeated key. */
function newMap(): { map: ValueMap; add: (key: string, value: Value | undefined) => boolean } {
  const map = Object.create(null) as ValueMap;
  const add = (key: string, value: Value | undefined): boolean => {
    if (value === undefined || key in map) return false;
    map[key] = value.value;
    return true;
  };
  return { map, add };
}

const mapValue = (value: ValueMap, start: number, end: number): Value => ({
  style: "other",
  value,
  text: undefined,
  start,
  end,
  items: NO_ITEMS,
});
