/**
 * Reads frontmatter of the plain forms that nearly all notes have, at a tenth of the cost of a YAML parser. Gives up unless it
 * is certain to read what YAML reads.
 */
import { FOLDED, LITERAL, readBlockScalar } from "./plain-block.js";
import { emptyMap, KEY_START, MAX_KEY, PlainValueReader } from "./plain-value.js";
import type { ItemSlot, Property, PropertyValue, ValueSlot } from "./property.js";

/**
 * The properties of the block `[start, end)` of `text`; undefined when it contains anything but comments and keys with a
 * one-line scalar, a block scalar, a list or mapping in brackets on one line, a simple block list, or a mapping of such keys,
 * two levels deep. With `slots`, also records the offsets of values; block scalars and mappings are then left to YAML.
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
const HASH = 35;
const DASH = 45;
const COLON = 58;

/** Below this many properties, comparing with each finds a repeated key faster than a set does. */
const MAX_SCANNED = 24;
/** Deeper mappings are left to YAML. */
const MAX_LEVEL = 2;

class PlainReader extends PlainValueReader {
  private readonly slots: ValueSlot[] | undefined;
  private readonly properties: Property[] = [];
  private keys: Set<string> | undefined;
  private at: number;
  private line = 2;
  constructor(text: string, start: number, end: number, slots: ValueSlot[] | undefined) {
    super(text, end, slots !== undefined);
    this.at = start;
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

  /** Leaves `at` on the next line, like the methods below. */
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
      if (!this.inlineValue(start, 0)) return false;
      this.slots?.push({ style: this.style, colonEnd: colon + 1, start, end: this.valueEnd, items: this.items });
    } else {
      this.skipLine();
      if (!this.valueBelow(colon + 1)) return false;
    }
    this.properties.push({ key, value: this.value, text: this.meant, line });
    this.keys?.add(key);
    return true;
  }

  private inlineValue(start: number, indent: number): boolean {
    const code = this.text.charCodeAt(start);
    if (code === LITERAL || code === FOLDED) return this.blockScalar(start, indent);
    if (!this.readValue(start, false, 0)) return false;
    const after = this.afterValue(this.valueEnd);
    if (after === -1) return false;
    this.at = after;
    this.line += 1;
    return true;
  }

  private blockScalar(start: number, indent: number): boolean {
    const scalar = this.wantsPlaces ? undefined : readBlockScalar(this.text, start, this.end, indent);
    if (scalar === undefined) return false;
    this.passTo(scalar.next);
    return this.scalarRead("block-scalar", scalar.value, scalar.value, scalar.next);
  }

  private passTo(next: number): void {
    for (let at = this.at; at < next; at = this.lineAfter(at)) this.line += 1;
    this.at = next;
  }

  /** The offset of the colon that ends the key at `at`; -1 when there is none or the key is not plain. */
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
    if (this.keys === undefined && properties.length >= MAX_SCANNED) {
      this.keys = new Set(properties.map((property) => property.key));
    }
    if (this.keys !== undefined) return this.keys.has(key);
    for (const property of properties) if (property.key === key) return true;
    return false;
  }

  private valueBelow(colonEnd: number): boolean {
    const first = this.nextContent();
    const indent = first.at - first.lineStart;
    if (!this.isDash(first.at)) {
      if (indent > 0) return this.blockMap(indent, 1);
      this.scalarRead("plain", null, "", colonEnd);
      this.slots?.push({ style: "empty", colonEnd, start: colonEnd, end: colonEnd, items: [] });
      return true;
    }
    const values: PropertyValue[] = [];
    const items: ItemSlot[] = [];
    for (let next = first; ;) {
      this.line += next.lines + 1;
      if (!this.listItem(next.at, values, items)) return false;
      next = this.nextContent();
      if (this.isDash(next.at) && next.at - next.lineStart === indent) continue;
      if (next.at === next.lineStart) break;
      return false;
    }
    this.listRead("block-list", values, items);
    const start = items[0]?.start ?? colonEnd;
    this.slots?.push({ style: "block-list", colonEnd, start, end: this.valueEnd, items });
    return true;
  }

  private blockMap(indent: number, level: number): boolean {
    if (this.wantsPlaces || level > MAX_LEVEL) return false;
    const map = emptyMap();
    for (let next = this.nextContent(); ;) {
      this.line += next.lines;
      this.at = next.at;
      const colon = KEY_START[this.text.charCodeAt(this.at)] === 1 ? this.colon() : -1;
      if (colon === -1) return false;
      const key = this.text.slice(this.at, colon);
      if (key in map || !this.mapValue(colon + 1, indent, level)) return false;
      map[key] = this.value;
      next = this.nextContent();
      const nextIndent = next.at - next.lineStart;
      if (nextIndent > indent || this.isDash(next.at)) return false;
      if (nextIndent < indent) return this.mapRead(map, this.at);
    }
  }

  private mapValue(colonEnd: number, indent: number, level: number): boolean {
    const start = this.skipSpaces(colonEnd);
    if (this.afterBlanks(start) === -1) return this.inlineValue(start, indent);
    this.skipLine();
    const next = this.nextContent();
    const nextIndent = next.at - next.lineStart;
    if (nextIndent > indent) return !this.isDash(next.at) && this.blockMap(nextIndent, level + 1);
    return this.scalarRead("plain", null, "", colonEnd);
  }

  private listItem(dash: number, values: PropertyValue[], items: ItemSlot[]): boolean {
    const start = this.skipSpaces(dash + 1);
    if (!this.readValue(start, false, 1)) return false;
    values.push(this.value);
    this.item(items, dash, start);
    this.at = this.afterValue(this.valueEnd);
    return this.at !== -1;
  }

  /**
   * The next line after `at` with more than a comment, without moving: its start, its content, and the number of lines skipped.
   */
  private nextContent(): { at: number; lineStart: number; lines: number } {
    const { text, end } = this;
    let lineStart = this.at;
    let lines = 0;
    while (lineStart < end) {
      const at = this.skipSpaces(lineStart);
      const next = text.charCodeAt(at) === HASH ? this.lineAfter(at) : this.afterBlanks(at);
      if (next === -1) return { at, lineStart, lines };
      lineStart = next;
      lines += 1;
    }
    return { at: end, lineStart: end, lines };
  }

  private isDash(at: number): boolean {
    return at < this.end && this.text.charCodeAt(at) === DASH && this.text.charCodeAt(at + 1) === SPACE;
  }

  /** The start of the next line if only spaces are left on this one, else -1. */
  private afterBlanks(from: number): number {
    const index = this.skipSpaces(from);
    const code = this.text.charCodeAt(index);
    if (code === NEWLINE) return index + 1;
    return code === RETURN && this.text.charCodeAt(index + 1) === NEWLINE ? index + 2 : -1;
  }

  /** The start of the next line if only spaces and a comment are left on this one, else -1. */
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
