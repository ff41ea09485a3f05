/** Writes new properties in Obsidian's style, and changes lists item by item: other items keep their bytes and order. */
import { VaultError } from "../../errors.js";
import { type ScalarStyle, writeKey, writeScalar } from "./scalar.js";
import type { ItemSlot, ValueSlot } from "./property.js";
import type { Splice } from "../line-edit.js";

/** Always written as text; a list keeps the existing style. `""` empties the value (`key:`). */
export type NewValue = string | readonly string[];

export interface SetOptions {
  /** Without quotes if YAML reads the same text back (`2025-09-01`, `done`), or in the old value's quotes. */
  readonly plain?: boolean;
  /** For a new list: `block` (default, as Obsidian), `flow`, or `comma` (one comma-separated scalar). */
  readonly listStyle?: "block" | "flow" | "comma";
}

/** The block with its `---` lines, in LF line ends. */
export function writeFrontmatter(
  properties: readonly (readonly [key: string, value: NewValue, options?: SetOptions])[],
): string {
  const keys = new Set<string>();
  let lines = "";
  for (const [key, value, options] of properties) {
    if (keys.has(key))
      throw new VaultError("INVALID_ARGUMENT", "A property is given twice; each key may occur only once.");
    keys.add(key);
    lines += writeProperty(key, value, options ?? {}, "\n", "");
  }
  return `---\n${lines}---\n`;
}

export function writeProperty(
  key: string,
  value: NewValue,
  options: SetOptions,
  ending: string,
  indent: string,
): string {
  const head = `${indent}${writeKey(key)}:`;
  const { inline, lines } = writeValue(value, options, "plain", ending, indent);
  return `${head}${inline === "" ? "" : ` ${inline}`}${ending}${lines}`;
}

/** The text on the key's line, and the lines below. `style` is for a scalar. */
export function writeValue(
  value: NewValue,
  options: SetOptions,
  style: ScalarStyle,
  ending: string,
  indent: string,
): { readonly inline: string; readonly lines: string } {
  const plain = options.plain === true;
  if (typeof value === "string") {
    return { inline: value === "" ? "" : writeScalar(value, { style, plain, inFlow: false }), lines: "" };
  }
  if (options.listStyle === "comma" && canJoin(value)) {
    return writeValue(commaList(value), options, style, ending, indent);
  }
  if (value.length === 0) return { inline: "[]", lines: "" };
  if (options.listStyle === "flow") {
    const items = value.map((item) => writeScalar(item, { style: "plain", plain, inFlow: true }));
    return { inline: `[${items.join(", ")}]`, lines: "" };
  }
  const items = value.map((item) => writeItem(`${indent}  - `, item, plain, "plain", ending));
  return { inline: "", lines: items.join("") };
}

function writeItem(prefix: string, item: string, plain: boolean, style: ScalarStyle, ending: string): string {
  return `${prefix}${writeScalar(item, { style, plain, inFlow: false })}${ending}`;
}

export function canJoin(items: readonly string[]): boolean {
  return items.every((item) => item !== "" && item === item.trim() && !item.includes(","));
}

export function commaList(items: readonly string[]): string {
  return items.join(", ");
}

interface PropertyListOptions {
  readonly plain: boolean;
  readonly ending: string;
}

export function blockListSplices(
  text: string,
  slot: ValueSlot,
  wanted: readonly string[],
  options: PropertyListOptions,
): Splice[] {
  const [first] = slot.items;
  if (first === undefined) return [];
  const kept = keptPlaces(slot.items, wanted);
  const prefix = text.slice(lineStart(text, first.dash), first.dash) + dashPrefix(text, first);
  const style = sharedStyle(text, slot.items);
  const splices: Splice[] = [];
  let at = lineStart(text, first.dash);
  wanted.forEach((item, index) => {
    const old = slot.items[kept[index] ?? -1];
    if (old !== undefined) at = lineEnd(text, old.end);
    else splices.push({ start: at, end: at, text: writeItem(prefix, item, options.plain, style, options.ending) });
  });
  if (wanted.length === 0) splices.push({ start: slot.colonEnd, end: slot.colonEnd, text: " []" });
  const stay = new Set(kept);
  return [
    ...splices,
    ...removals(
      text,
      slot.items.filter((_, place) => !stay.has(place)),
    ),
  ];
}

export function removals(text: string, items: readonly ItemSlot[]): Splice[] {
  return items.map((item) => ({ start: lineStart(text, item.dash), end: lineEnd(text, item.end), text: "" }));
}

export function flowListSplice(
  text: string,
  slot: ValueSlot,
  wanted: readonly string[],
  options: PropertyListOptions,
): Splice {
  const [first, second] = slot.items;
  const last = slot.items.at(-1);
  const style = sharedStyle(text, slot.items);
  const write = (item: string): string => writeScalar(item, { style, plain: options.plain, inFlow: true });
  if (first === undefined || last === undefined || wanted.length === 0) {
    return { start: slot.start, end: slot.end, text: `[${wanted.map(write).join(", ")}]` };
  }
  const between = second === undefined ? ", " : text.slice(first.end, second.start);
  const separator = /^\s*,\s*$/.test(between) ? between : ", ";
  const kept = keptPlaces(slot.items, wanted);
  let result = "";
  wanted.forEach((item, index) => {
    const place = kept[index] ?? -1;
    const old = slot.items[place];
    const before = slot.items[place - 1];
    if (index > 0) {
      const isNext = old !== undefined && before !== undefined && kept[index - 1] === place - 1;
      result += isNext ? text.slice(before.end, old.start) : separator;
    }
    result += old === undefined ? write(item) : text.slice(old.start, old.end);
  });
  return { start: first.start, end: last.end, text: result };
}

/** For each wanted text, the index of an old item that can stay. Old items keep their order. */
function keptPlaces(items: readonly ItemSlot[], wanted: readonly string[]): (number | undefined)[] {
  const places = new Map<string, number[]>();
  items.forEach(({ text }, place) => {
    const same = places.get(text);
    if (same === undefined) places.set(text, [place]);
    else same.push(place);
  });
  for (const same of places.values()) same.reverse();
  let next = 0;
  return wanted.map((text) => {
    const same = places.get(text);
    let place = same?.pop();
    while (place !== undefined && place < next) place = same?.pop();
    if (place !== undefined) next = place + 1;
    return place;
  });
}

function sharedStyle(text: string, items: readonly ItemSlot[]): ScalarStyle {
  const styles = new Set(items.map(({ start }) => text.charAt(start)));
  if (styles.size !== 1) return "plain";
  if (styles.has('"')) return "double";
  return styles.has("'") ? "single" : "plain";
}

function dashPrefix(text: string, item: ItemSlot): string {
  const between = text.slice(item.dash, item.start);
  return /^- +$/.test(between) ? between : "- ";
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  return newline === -1 ? text.length : newline + 1;
}
