/** Reads one value of plain frontmatter: a scalar, or a list or mapping in brackets, on one line. */
import { resolvePlain } from "./scalar.js";
import type { ItemSlot, PropertyValue, ValueSlot } from "./property.js";

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

/** Deeper brackets are left to YAML. */
const MAX_DEPTH = 4;
/** Longer keys are left to YAML. */
export const MAX_KEY = 256;

/** ASCII characters that a plain scalar may begin with here; beyond ASCII all but the BOM are allowed. */
const PLAIN_START = new Uint8Array(128);
for (let code = 33; code < 127; code += 1) {
  if (!"!\"#%&'*,-:>?@[]`{|}".includes(String.fromCharCode(code))) PLAIN_START[code] = 1;
}

/** ASCII characters that a key may begin with here. */
export const KEY_START = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") {
  KEY_START[char.charCodeAt(0)] = 1;
}

/** Characters of a key in braces, in addition to spaces. */
const FLOW_KEY = Uint8Array.from(KEY_START);
FLOW_KEY[DASH] = 1;

export type ValueMap = { [key: string]: PropertyValue };

/** A mapping without a prototype, so that every key is one of the note's. */
export function emptyMap(): ValueMap {
  return Object.create(null) as ValueMap;
}

/** Reads values and stores the last one; the subclass finds where they begin. */
export class PlainValueReader {
  protected readonly text: string;
  protected readonly end: number;
  protected value: PropertyValue = null;
  protected meant: string | undefined = "";
  protected valueEnd = 0;
  protected style: ValueSlot["style"] = "empty";
  protected items: ItemSlot[] = [];
  protected readonly wantsPlaces: boolean;

  /** `wantsPlaces`: record the offsets of list items. The offsets of other collections are left to YAML. */
  constructor(text: string, end: number, wantsPlaces: boolean) {
    this.text = text;
    this.end = end;
    this.wantsPlaces = wantsPlaces;
  }

  /** Reads the value at `start`; false when it has none of the plain forms. */
  protected readValue(start: number, inFlow: boolean, depth: number): boolean {
    switch (this.text.charCodeAt(start)) {
      case DOUBLE:
        return this.doubleQuoted(start);
      case SINGLE:
        return this.singleQuoted(start);
      case OPEN:
        return this.flowList(start, depth);
      case OPEN_BRACE:
        return this.flowMap(start, depth);
      default:
        return inFlow ? this.plainInFlow(start) : this.plain(start);
    }
  }

  protected startsPlain(start: number): boolean {
    const code = this.text.charCodeAt(start);
    if (code === DASH) {
      const next = this.text.charCodeAt(start + 1);
      return next < 128 && KEY_START[next] === 1;
    }
    return code < 128 ? PLAIN_START[code] === 1 : code !== 0xfeff;
  }

  protected plain(start: number): boolean {
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

  protected plainInFlow(start: number): boolean {
    if (!this.startsPlain(start)) return false;
    const { text, end } = this;
    let last = start;
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code === SPACE) continue;
      if (code === COMMA || code === CLOSE || code === CLOSE_BRACE) return this.plainRead(start, last + 1);
      if (code < SPACE || code === OPEN || code === OPEN_BRACE) return false;
      if (code === HASH && text.charCodeAt(index - 1) === SPACE) return false;
      if (code === COLON && isFlowEnd(text.charCodeAt(index + 1))) return false;
      last = index;
    }
    return false;
  }

  protected plainRead(start: number, end: number): true {
    const meant = this.text.slice(start, end);
    return this.scalarRead("plain", resolvePlain(meant), meant, end);
  }

  protected scalarRead(
    style: "plain" | "single" | "double" | "block-scalar",
    value: PropertyValue,
    meant: string,
    end: number,
  ): true {
    this.style = style;
    this.value = value;
    this.meant = meant;
    this.valueEnd = end;
    if (this.items.length > 0) this.items = [];
    return true;
  }

  protected doubleQuoted(start: number): boolean {
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

  protected singleQuoted(start: number): boolean {
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

  protected flowList(start: number, depth: number): boolean {
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

  protected flowMap(start: number, depth: number): boolean {
    if (depth === MAX_DEPTH || this.wantsPlaces) return false;
    const map = emptyMap();
    let index = this.skipSpaces(start + 1);
    if (this.text.charCodeAt(index) !== CLOSE_BRACE) {
      for (;;) {
        const colon = this.flowColon(index);
        if (colon === -1) return false;
        const key = this.text.slice(index, colon);
        if (key in map || !this.readValue(this.skipSpaces(colon + 1), true, depth + 1)) return false;
        map[key] = this.value;
        index = this.skipSpaces(this.valueEnd);
        const code = this.text.charCodeAt(index);
        if (code === CLOSE_BRACE) break;
        if (code !== COMMA) return false;
        index = this.skipSpaces(index + 1);
      }
    }
    return this.mapRead(map, index + 1);
  }

  /** The offset of the colon that ends the key at `start` in braces; -1 when the key is not plain. */
  private flowColon(start: number): number {
    const { text } = this;
    if (KEY_START[text.charCodeAt(start)] !== 1) return -1;
    let index = start + 1;
    while (index < start + MAX_KEY && (FLOW_KEY[text.charCodeAt(index)] === 1 || text.charCodeAt(index) === SPACE)) {
      index += 1;
    }
    const ends = text.charCodeAt(index) === COLON && text.charCodeAt(index + 1) === SPACE;
    return ends && text.charCodeAt(index - 1) !== SPACE ? index : -1;
  }

  protected mapRead(map: ValueMap, end: number): true {
    this.style = "other";
    this.value = map;
    this.meant = undefined;
    this.valueEnd = end;
    if (this.items.length > 0) this.items = [];
    return true;
  }

  protected item(items: ItemSlot[], dash: number, start: number): void {
    if (!this.wantsPlaces) return;
    items.push({ text: this.meant ?? this.text.slice(start, this.valueEnd), dash, start, end: this.valueEnd });
  }

  protected listRead(style: "flow-list" | "block-list", values: PropertyValue[], items: ItemSlot[]): void {
    this.style = style;
    this.value = values;
    this.meant = undefined;
    this.items = items;
  }

  protected skipSpaces(from: number): number {
    let index = from;
    while (this.text.charCodeAt(index) === SPACE) index += 1;
    return index;
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
