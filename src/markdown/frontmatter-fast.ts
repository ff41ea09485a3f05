/**
 * Reads frontmatter of the plain shapes that make up nearly all notes, at a tenth of the cost of a YAML parser; gives up
 * whenever it is not certain to read exactly what YAML reads.
 */
import { resolvePlain } from "./frontmatter-scalar.js";
import type { ItemSlot, Property, PropertyValue, ValueSlot } from "./property.js";

/**
 * The properties of the block `[start, end)` of `text`, or undefined when it holds anything but comments and top-level keys
 * with a one-line scalar, a one-line list or a simple block list. With `slots`, also notes where each value stands.
 */
export function readPlainFrontmatter(
  text: string,
  start: number,
  end: number,
  slots?: ValueSlot[],
): Property[] | undefined {
  return new PlainReader(text, start, end, slots).read();
}

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const DOUBLE = 34;
const HASH = 35;
const SINGLE = 39;
const COMMA = 44;
const DASH = 45;
const COLON = 58;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Below this many properties a look through the list finds a repeated key sooner than a set does. */
const FEW = 24;
const MAX_KEY = 256;
const MAX_DEPTH = 4;

/** Characters a plain scalar of ours may begin with; all beyond ASCII but the BOM are allowed too. */
const PLAIN_START = new Uint8Array(128);
for (let code = 33; code < 127; code += 1) {
  if (!"!\"#%&'*,-:>?@[]`{|}".includes(String.fromCharCode(code))) PLAIN_START[code] = 1;
}

/** Characters a key of ours may begin with. */
const KEY_START = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") {
  KEY_START[char.charCodeAt(0)] = 1;
}

class PlainReader {
  private readonly text: string;
  private readonly end: number;
  private readonly slots: ValueSlot[] | undefined;
  private readonly properties: Property[] = [];
  private keys: Set<string> | undefined;
  private at: number;
  private line = 2;
  /** The value read last: its meaning, its text, where it stands and how. */
  private value: PropertyValue = null;
  private meant: string | undefined = "";
  private valueEnd = 0;
  private style: ValueSlot["style"] = "empty";
  private items: ItemSlot[] = [];

  constructor(text: string, start: number, end: number, slots: ValueSlot[] | undefined) {
    this.text = text;
    this.at = start;
    this.end = end;
    this.slots = slots;
  }

  read(): Property[] | undefined {
    while (this.at < this.end) {
      const code = this.text.charCodeAt(this.at);
      if (code === HASH) this.skipLine();
      else if (code === NEWLINE || code === RETURN || code === SPACE) {
        const next = this.afterBlanks(this.at);
        if (next === -1) return undefined;
        this.at = next;
        this.line += 1;
      } else if (!this.property(code)) return undefined;
    }
    return this.properties;
  }

  /** One top-level key with its value; leaves `at` on the line that follows. */
  private property(first: number): boolean {
    if (first < 128 ? KEY_START[first] === 0 : first === 0xfeff) return false;
    const colon = this.colon();
    if (colon === -1) return false;
    const key = this.text.slice(this.at, colon);
    if (this.isRepeated(key)) return false;
    const { line } = this;
    const start = this.skipSpaces(colon + 1);
    const next = this.afterBlanks(start);
    if (next === -1 && !(this.text.charCodeAt(start) === HASH && start > colon + 1)) {
      if (!this.readValue(start, false, 0)) return false;
      const after = this.afterValue(this.valueEnd);
      if (after === -1) return false;
      this.at = after;
      this.line += 1;
      this.slots?.push({ style: this.style, colonEnd: colon + 1, start, end: this.valueEnd, items: this.items });
    } else {
      this.skipLine();
      if (!this.blockList(colon + 1)) return false;
    }
    this.properties.push({ key, value: this.value, text: this.meant, line });
    this.keys?.add(key);
    return true;
  }

  /** The offset of the colon that ends the key at `at`; -1 when there is none or the key is not plain enough. */
  private colon(): number {
    const { text } = this;
    const limit = Math.min(this.end, this.at + MAX_KEY);
    for (let index = this.at; index < limit; index += 1) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code === HASH) return -1;
      if (code !== COLON) continue;
      const next = text.charCodeAt(index + 1);
      const ends = next === SPACE || next === NEWLINE || next === RETURN;
      return ends && text.charCodeAt(index - 1) !== SPACE ? index : -1;
    }
    return -1;
  }

  private isRepeated(key: string): boolean {
    const { properties } = this;
    if (this.keys === undefined && properties.length >= FEW) {
      this.keys = new Set(properties.map((property) => property.key));
    }
    if (this.keys !== undefined) return this.keys.has(key);
    for (const property of properties) if (property.key === key) return true;
    return false;
  }

  /** Reads the value that begins at `start`; false when it is none of the plain shapes. */
  private readValue(start: number, inFlow: boolean, depth: number): boolean {
    switch (this.text.charCodeAt(start)) {
      case DOUBLE:
        return this.doubleQuoted(start);
      case SINGLE:
        return this.singleQuoted(start);
      case OPEN:
        return this.flowList(start, depth);
      default:
        return inFlow ? this.plainInFlow(start) : this.plain(start);
    }
  }

  private startsPlain(start: number): boolean {
    const code = this.text.charCodeAt(start);
    if (code === DASH) {
      const next = this.text.charCodeAt(start + 1);
      return next < 128 && KEY_START[next] === 1;
    }
    return code < 128 ? PLAIN_START[code] === 1 : code !== 0xfeff;
  }

  private plain(start: number): boolean {
    if (!this.startsPlain(start)) return false;
    const { text, end } = this;
    let last = start;
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code === SPACE) continue;
      if (code === NEWLINE) break;
      if (code === RETURN && text.charCodeAt(index + 1) === NEWLINE) break;
      if (code < SPACE) return false;
      if (code === HASH && text.charCodeAt(index - 1) === SPACE) break;
      if (code === COLON && isBlank(text.charCodeAt(index + 1))) return false;
      last = index;
    }
    return this.plainRead(start, last + 1);
  }

  private plainInFlow(start: number): boolean {
    if (!this.startsPlain(start)) return false;
    const { text, end } = this;
    let last = start;
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code === SPACE) continue;
      if (code === COMMA || code === CLOSE) return this.plainRead(start, last + 1);
      if (code < SPACE || code === OPEN || code === OPEN_BRACE || code === CLOSE_BRACE) return false;
      if (code === HASH && text.charCodeAt(index - 1) === SPACE) return false;
      if (code === COLON && isFlowEnd(text.charCodeAt(index + 1))) return false;
      last = index;
    }
    return false;
  }

  private plainRead(start: number, end: number): true {
    const meant = this.text.slice(start, end);
    return this.scalarRead("plain", resolvePlain(meant), meant, end);
  }

  private scalarRead(style: "plain" | "single" | "double", value: PropertyValue, meant: string, end: number): true {
    this.style = style;
    this.value = value;
    this.meant = meant;
    this.valueEnd = end;
    if (this.items.length > 0) this.items = [];
    return true;
  }

  private doubleQuoted(start: number): boolean {
    const { text, end } = this;
    let escaped = false;
    for (let index = start + 1; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code < SPACE) return false;
      if (code === DOUBLE) {
        const inner = text.slice(start + 1, index);
        const meant = escaped ? inner.replace(/\\(.)/g, "$1") : inner;
        return this.scalarRead("double", meant, meant, index + 1);
      }
      if (code !== BACKSLASH) continue;
      const next = text.charCodeAt(index + 1);
      if (next !== DOUBLE && next !== BACKSLASH) return false;
      escaped = true;
      index += 1;
    }
    return false;
  }

  private singleQuoted(start: number): boolean {
    const { text, end } = this;
    let escaped = false;
    for (let index = start + 1; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code < SPACE) return false;
      if (code !== SINGLE) continue;
      if (text.charCodeAt(index + 1) !== SINGLE) {
        const inner = text.slice(start + 1, index);
        const meant = escaped ? inner.replaceAll("''", "'") : inner;
        return this.scalarRead("single", meant, meant, index + 1);
      }
      escaped = true;
      index += 1;
    }
    return false;
  }

  /** A list in brackets on one line. */
  private flowList(start: number, depth: number): boolean {
    if (depth === MAX_DEPTH) return false;
    const values: PropertyValue[] = [];
    const items: ItemSlot[] = [];
    let index = this.skipSpaces(start + 1);
    if (this.text.charCodeAt(index) !== CLOSE) {
      for (;;) {
        if (!this.readValue(index, true, depth + 1)) return false;
        values.push(this.value);
        this.item(items, index, index);
        const after = this.skipSpaces(this.valueEnd);
        const code = this.text.charCodeAt(after);
        index = after;
        if (code === CLOSE) break;
        if (code !== COMMA) return false;
        index = this.skipSpaces(after + 1);
      }
    }
    this.listRead("flow-list", values, items);
    this.valueEnd = index + 1;
    return true;
  }

  private item(items: ItemSlot[], dash: number, start: number): void {
    if (this.slots === undefined) return;
    items.push({ text: this.meant ?? this.text.slice(start, this.valueEnd), dash, start, end: this.valueEnd });
  }

  private listRead(style: "flow-list" | "block-list", values: PropertyValue[], items: ItemSlot[]): void {
    this.style = style;
    this.value = values;
    this.meant = undefined;
    this.items = items;
  }

  /** The lines of a block list after a key without a value on its own line; an empty value when there is none. */
  private blockList(colonEnd: number): boolean {
    const first = this.nextContent();
    const indent = first.at - first.lineStart;
    if (!this.isDash(first.at)) {
      this.scalarRead("plain", null, "", colonEnd);
      this.slots?.push({ style: "empty", colonEnd, start: colonEnd, end: colonEnd, items: [] });
      return indent === 0;
    }
    if (first.comment) return false;
    const values: PropertyValue[] = [];
    const items: ItemSlot[] = [];
    for (let next = first; ;) {
      this.line += next.lines + 1;
      if (!this.listItem(next.at, values, items)) return false;
      next = this.nextContent();
      if (this.isDash(next.at) && next.at - next.lineStart === indent) {
        if (next.comment) return false;
      } else if (next.at === next.lineStart) break;
      else return false;
    }
    this.listRead("block-list", values, items);
    const start = items[0]?.start ?? colonEnd;
    this.slots?.push({ style: "block-list", colonEnd, start, end: this.valueEnd, items });
    return true;
  }

  /** One `- item` whose dash is at `dash`; leaves `at` on the next line. */
  private listItem(dash: number, values: PropertyValue[], items: ItemSlot[]): boolean {
    const start = this.skipSpaces(dash + 1);
    if (!this.readValue(start, false, 1)) return false;
    values.push(this.value);
    this.item(items, dash, start);
    this.at = this.afterValue(this.valueEnd);
    return this.at !== -1;
  }

  /** The next line with content after `at`, without moving there: its start, where its content begins, what was passed. */
  private nextContent(): { at: number; lineStart: number; lines: number; comment: boolean } {
    const { text, end } = this;
    let lineStart = this.at;
    let lines = 0;
    let comment = false;
    while (lineStart < end) {
      const at = this.skipSpaces(lineStart);
      const code = text.charCodeAt(at);
      if (code === HASH) comment = true;
      else if (code !== NEWLINE && code !== RETURN) return { at, lineStart, lines, comment };
      lineStart = this.lineAfter(at);
      lines += 1;
    }
    return { at: end, lineStart: end, lines, comment };
  }

  private isDash(at: number): boolean {
    return at < this.end && this.text.charCodeAt(at) === DASH && this.text.charCodeAt(at + 1) === SPACE;
  }

  private skipSpaces(from: number): number {
    let index = from;
    while (this.text.charCodeAt(index) === SPACE) index += 1;
    return index;
  }

  /** The start of the next line when only blanks are left on this one, else -1. */
  private afterBlanks(from: number): number {
    const index = this.skipSpaces(from);
    const code = this.text.charCodeAt(index);
    if (code === NEWLINE) return index + 1;
    return code === RETURN && this.text.charCodeAt(index + 1) === NEWLINE ? index + 2 : -1;
  }

  /** The start of the next line when only blanks and a comment are left on this one, else -1. */
  private afterValue(from: number): number {
    const index = this.skipSpaces(from);
    if (index > from && this.text.charCodeAt(index) === HASH) return this.lineAfter(index);
    return this.afterBlanks(index);
  }

  private lineAfter(from: number): number {
    return this.text.indexOf("\n", from) + 1;
  }

  private skipLine(): void {
    this.at = this.lineAfter(this.at);
    this.line += 1;
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === RETURN || code === 9 || Number.isNaN(code);
}

function isFlowEnd(code: number): boolean {
  return (
    isBlank(code) || code === COMMA || code === OPEN || code === CLOSE || code === OPEN_BRACE || code === CLOSE_BRACE
  );
}
