/** Writes properties in Obsidian's style, and lists item by item. */
import { VaultError } from "../../errors.js";
import { type ScalarStyle, writeKey, writeScalar } from "./scalar.js";
import type { ItemSlot, ListItem, ValueSlot } from "./property.js";
import type { Splice } from "../line-edit.js";

/** A list keeps its style. `""` empties the value. */
export type NewValue = string | readonly string[];

export interface SetOptions {
  /** Without quotes if it reads back the same (`2025-09-01`, `done`), or in the old quotes. */
  readonly plain?: boolean;
  /** `block` (default), `flow`, or `comma` (one scalar). */
  readonly listStyle?: "block" | "flow" | "comma";
  /** Such a text becomes a list. */
  readonly splits?: boolean | undefined;
  /** Any old item may go. */
  readonly whole?: boolean;
}

/** Places of old items, ascending; places whose text changes; new texts; items of elsewhere. */
export type Arrangement = readonly (number | ChangedItem | string | ListItem)[];

interface ChangedItem {
  readonly place: number;
  readonly text: string;
}

type Entry = Arrangement[number];

const isChanged = (entry: Entry): entry is ChangedItem => typeof entry === "object" && "place" in entry;
const isCopied = (entry: Entry): entry is ListItem => typeof entry === "object" && "source" in entry;

function placeOf(entry: Entry): number | undefined {
  return isChanged(entry) ? entry.place : typeof entry === "number" ? entry : undefined;
}

/** In LF line ends. */
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

/** `style` is for a scalar. */
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
  /** The style of texts that are added. */
  readonly style: ScalarStyle;
}

/** Undefined when an item cannot be written there. */
export function blockListSplices(
  text: string,
  slot: ValueSlot,
  wanted: Arrangement,
  options: PropertyListOptions,
): Splice[] | undefined {
  const [first] = slot.items;
  if (first === undefined) return undefined;
  const indent = text.slice(lineStart(text, first.dash), first.dash);
  const prefix = indent + dashPrefix(text, first);
  const splices: Splice[] = [];
  let at = lineStart(text, first.dash);
  for (const entry of wanted) {
    const old = slot.items[placeOf(entry) ?? -1];
    if (old !== undefined) {
      at = lineEnd(text, old.end);
      if (isChanged(entry))
        splices.push({ start: old.start, end: old.end, text: changedText(text, old, entry, options.plain, false) });
    } else if (typeof entry === "string") {
      const line = writeItem(prefix, entry, options.plain, options.style, options.ending);
      splices.push({ start: at, end: at, text: line });
    } else if (isCopied(entry)) {
      const [head = "", ...below] = entry.source.split(/\r?\n/);
      const lines = [head.startsWith("- ") ? head : `- ${head}`, ...below.map((line) => line && indent + line)];
      splices.push({ start: at, end: at, text: indent + lines.map((line) => line + options.ending).join("") });
    }
  }
  if (wanted.length === 0) splices.push({ start: slot.colonEnd, end: slot.colonEnd, text: " []" });
  const stay = new Set(wanted.map(placeOf));
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

/** Undefined when an item cannot be written there, or a comment would go. */
export function flowListSplice(
  text: string,
  slot: ValueSlot,
  wanted: Arrangement,
  { plain, style }: PropertyListOptions,
): Splice | undefined {
  const { items } = slot;
  const [first, second] = items;
  const last = items.at(-1);
  if (wanted.some((entry) => isCopied(entry) && /^- |\n/.test(entry.source))) return undefined;
  const write = (entry: Entry): string => {
    if (typeof entry === "string") return writeScalar(entry, { style, plain, inFlow: true });
    if (isCopied(entry)) return entry.source;
    const old = items[placeOf(entry) ?? -1];
    if (old === undefined) return "";
    return isChanged(entry) ? changedText(text, old, entry, plain, true) : text.slice(old.start, old.end);
  };
  const gaps = items.slice(1).map((item, before) => text.slice(items[before]?.end ?? item.start, item.start));
  if (first === undefined || last === undefined || wanted.length === 0) {
    const around = [text.slice(slot.start, first?.start ?? slot.end), text.slice(last?.end ?? slot.end, slot.end)];
    if ([...around, ...gaps].some((gap) => gap.includes("#"))) return undefined;
    return { start: slot.start, end: slot.end, text: `[${wanted.map(write).join(", ")}]` };
  }
  const between = second === undefined ? ", " : text.slice(first.end, second.start);
  const separator = /^\s*,\s*$/.test(between) ? between : ", ";
  const places = wanted.map(placeOf);
  const kept = new Set(places.filter((place, at) => place !== undefined && places[at + 1] === place + 1));
  if (gaps.some((gap, before) => gap.includes("#") && !kept.has(before))) return undefined;
  let result = "";
  wanted.forEach((entry, at) => {
    const before = places[at - 1];
    if (at > 0) result += before !== undefined && kept.has(before) ? (gaps[before] ?? separator) : separator;
    result += write(entry);
  });
  return { start: first.start, end: last.end, text: result };
}

/** Old items keep their order. */
export function arrangedByText(items: readonly ItemSlot[], wanted: readonly string[]): Arrangement {
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
    if (place === undefined) return text;
    next = place + 1;
    return place;
  });
}

/** In the old quotes. */
function changedText(text: string, old: ItemSlot, { text: now }: ChangedItem, plain: boolean, inFlow: boolean): string {
  return writeScalar(now, { style: sharedStyle(text, [old]), plain, inFlow });
}

export function sharedStyle(text: string, items: readonly ItemSlot[]): ScalarStyle {
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
