/** Changes one value in frontmatter and nothing else. */
import { assertNothingDropped } from "../nothing-dropped.js";
import { cannotEdit, findKey, itemsOf, readableLayout, readLayout, type FrontmatterLayout } from "./layout.js";
import {
  type Arrangement,
  arrangedByText,
  blockListSplices,
  canJoin,
  flowListSplice,
  commaList,
  type NewValue,
  removals,
  type SetOptions,
  sharedStyle,
  writeProperty,
  writeValue,
} from "./write.js";
import { type ScalarStyle } from "./scalar.js";
import { beginsWithFence, splitNote, tomlEnd, unreadableFrontmatter, type NoteParts } from "./frontmatter.js";
import { lineEnding, applySplices, type Splice, withLineEnding } from "../line-edit.js";
import { type ListItem, positionAt, type Property, type PropertyValue, type ValueSlot } from "./property.js";

export { type Arrangement, writeFrontmatter, type NewValue, type SetOptions } from "./write.js";

/** A former list item by item. */
type Goal =
  | { readonly value: NewValue; readonly entries?: never }
  | { readonly entries: Arrangement; readonly old: readonly ListItem[] };

/**
 * Matches `key` exactly, then ignoring case; adds a missing one last, and a missing block. Changes only the value's
 * bytes;
 * an equal value stays. Reads the result back.
 * @throws INVALID_ARGUMENT with line, column and advice, for frontmatter that is no valid YAML mapping, or an edit that
 * would change other bytes or drop an item that its request does not name
 */
export function setProperty(text: string, key: string, value: NewValue, options: SetOptions = {}): string {
  const parts = splitNote(text);
  const block = parts.frontmatter;
  if (block === undefined) return withNewBlock(text, parts, key, value, options);
  const layout = readLayout(text, block);
  const index = findKey(layout.properties, key);
  const slot = layout.slots[index];
  const property = layout.properties[index];
  if (slot === undefined || property === undefined) {
    const line = writeProperty(key, value, options, lineEnding(text), layout.indent);
    const result = applySplices(text, [{ start: block.end, end: block.end, text: line }]);
    return checked({ text, layout, index: layout.properties.length }, result, { value }, options);
  }
  const old = itemsOf(text, layout, index);
  const byText = old !== undefined && typeof value !== "string";
  const goal: Goal = byText ? { entries: arrangedByText(slot.items, value), old } : { value };
  return withGoal({ text, layout, index }, goal, options);
}

/** Undefined for no list, or when items cannot be told apart. */
export function listItems(text: string, key: string): readonly ListItem[] | undefined {
  const block = splitNote(text).frontmatter;
  if (block === undefined) return undefined;
  const layout = readLayout(text, block);
  return itemsOf(text, layout, findKey(layout.properties, key));
}

/** @param entries for this text's `listItems`; others are named by the request @throws as `setProperty` */
export function arrangeList(text: string, key: string, entries: Arrangement, options: SetOptions = {}): string {
  const block = splitNote(text).frontmatter;
  const layout = block && readLayout(text, block);
  const index = layout === undefined ? -1 : findKey(layout.properties, key);
  const old = layout && itemsOf(text, layout, index);
  if (layout === undefined || old === undefined) throw new Error("The property is no list.");
  return withGoal({ text, layout, index }, { entries, old }, { ...options, whole: true });
}

interface Place {
  readonly text: string;
  readonly layout: FrontmatterLayout;
  readonly index: number;
}

function withGoal(place: Place, goal: Goal, options: SetOptions): string {
  const { text, layout, index } = place;
  const [property, slot] = [layout.properties[index], layout.slots[index]];
  if (property === undefined || slot === undefined || says(place, goal, options)) return text;
  const splices = valueSplices(text, property, slot, layout.indent, goal, options);
  if (splices !== undefined) return checked(place, applySplices(text, splices), goal, options);
  const { line } = property;
  const at = slot.start > 0 ? positionAt(text, slot.start) : { line, column: 1 };
  throw cannotEdit({ message: NESTED, ...at });
}

/** Also an empty block. @throws as `setProperty` */
export function removeProperty(text: string, key: string): string {
  const parts = splitNote(text);
  if (parts.frontmatter === undefined) return text;
  const layout = readLayout(text, parts.frontmatter);
  const index = findKey(layout.properties, key);
  const slot = layout.slots[index];
  if (index === -1) return text;
  const { line = 1 } = layout.properties[index] ?? {};
  if (slot === undefined || slot.colonEnd === -1) throw cannotEdit({ message: ENTANGLED, line, column: 1 });
  const { start, end } = linesOf(text, slot);
  const result = text.slice(0, start) + text.slice(end);
  const block = splitNote(result).frontmatter;
  if (block !== undefined && result.slice(block.start, block.end).trim() === "") {
    const bare = text.slice(0, text.startsWith("\uFEFF") ? 1 : 0) + text.slice(parts.bodyStart);
    // A rule at the top of the text must not open another block.
    return beginsWithFence(bare) ? result : bare;
  }
  const after = readableLayout(result);
  const rest = layout.properties.filter((_, at) => at !== index);
  const stays =
    rest.length === after?.properties.length && rest.every((old, at) => sameProperty(old, after.properties[at]));
  if (stays && result.endsWith(text.slice(parts.bodyStart))) return result;
  throw cannotEdit({ message: ENTANGLED, line, column: 1 });
}

function linesOf(text: string, slot: ValueSlot): { readonly start: number; readonly end: number } {
  const start = text.lastIndexOf("\n", slot.colonEnd - 1) + 1;
  const last = Math.max(slot.end, slot.colonEnd, ...slot.items.map(({ end }) => end));
  return { start, end: text.charAt(last - 1) === "\n" ? last : text.indexOf("\n", last) + 1 };
}

/** As written there. @throws as `setProperty`, and when it cannot be written so */
export function copyProperty(text: string, other: string, key: string): string {
  const parts = splitNote(text);
  const [from, layout] = [readableLayout(other), parts.frontmatter && readLayout(text, parts.frontmatter)];
  const index = from === undefined ? -1 : findKey(from.properties, key);
  const [property, slot] = [from?.properties[index], from?.slots[index]];
  const isLikewise = layout === undefined || layout.indent === from?.indent;
  if (
    !property ||
    !slot ||
    slot.colonEnd === -1 ||
    !isLikewise ||
    (!layout && (beginsWithFence(text) || tomlEnd(text) > 0))
  )
    throw cannotEdit({ message: ENTANGLED, line: property?.line ?? 1, column: 1 });
  const { start, end } = linesOf(other, slot);
  const ending = lineEnding(text);
  const lines = withLineEnding(other.slice(start, end), ending);
  const at = parts.frontmatter?.end ?? parts.bodyStart;
  const written = layout ? lines : `---${ending}${lines}---${ending}`;
  const result = text.slice(0, at) + written + text.slice(at);
  const after = readableLayout(result)?.properties;
  const wanted = [...(layout?.properties ?? []), property];
  const isAdded = after?.length === wanted.length && wanted.every((one, place) => sameProperty(one, after[place]));
  if (isAdded && result.endsWith(text.slice(parts.bodyStart))) return result;
  throw cannotEdit({ message: ENTANGLED, line: property.line, column: 1 });
}

const NESTED = "This property holds more than text or a list of texts: change it by hand.";
const ENTANGLED =
  "This property cannot be changed without changing others (an anchor, a tag or unusual layout): change it by hand.";
const ENDS_IN_CR = "The note's lines end in CR alone, so that its frontmatter is not read: convert them to LF.";
const IN_TOML =
  "The note's properties are in TOML (`+++`), which Obsidian does not read: change them as text, or write them as YAML between `---` lines.";
const NOT_CLOSED =
  "The note begins with a `---` line but has no readable frontmatter: close it with another `---` line, or put an empty line first.";

function withNewBlock(text: string, parts: NoteParts, key: string, value: NewValue, options: SetOptions): string {
  const message = /^.*\r(?!\n)/.test(text) ? ENDS_IN_CR : NOT_CLOSED;
  if (beginsWithFence(text)) throw cannotEdit({ message, line: 1, column: 1 });
  if (tomlEnd(text) > 0) throw cannotEdit({ message: IN_TOML, line: 1, column: 1 });
  const ending = lineEnding(text);
  const start = parts.bodyStart;
  const block = `---${ending}${writeProperty(key, value, options, ending, "")}---${ending}`;
  const result = text.slice(0, start) + block + text.slice(start);
  const layout = { properties: [], slots: [], indent: "" };
  return checked({ text, layout, index: 0 }, result, { value }, options);
}

function says({ text, layout, index }: Place, goal: Goal, options: SetOptions): boolean {
  const [property, slot] = [layout.properties[index], layout.slots[index]];
  if (property === undefined || slot === undefined) return false;
  if (goal.entries !== undefined) {
    const { entries, old } = goal;
    const items = itemsOf(text, layout, index);
    const isEntry = (item: ListItem, at: number): boolean => {
      const entry = entries[at];
      if (typeof entry === "string") return slot.items[at]?.text === entry;
      if (typeof entry === "object" && "place" in entry) return slot.items[at]?.text === entry.text;
      if (typeof entry === "object") return sameValue(item.value, entry.value);
      const stayed = old[entry ?? -1];
      return item.source === stayed?.source && sameValue(item.value, stayed.value);
    };
    return items?.length === entries.length && items.every(isEntry);
  }
  const { value } = goal;
  if (value === "") return property.value === null && property.text === "";
  if (typeof value === "string") {
    return property.text === value && (options.plain === true || typeof property.value === "string");
  }
  if (slot.style === "block-list" || slot.style === "flow-list") {
    return slot.items.length === value.length && slot.items.every((item, at) => item.text === value[at]);
  }
  return property.text !== undefined && canJoin(value) && property.text === commaList(value);
}

function valueSplices(
  text: string,
  property: Property,
  slot: ValueSlot,
  indent: string,
  goal: Goal,
  options: SetOptions,
): Splice[] | undefined {
  if (slot.style === "other" || slot.colonEnd === -1) return undefined;
  const ending = lineEnding(text);
  if (goal.entries !== undefined) {
    const texts = slot.items.filter((_, at) => goal.old[at]?.text !== undefined);
    const list = { plain: options.plain === true, ending, style: sharedStyle(text, texts) };
    if (slot.style === "block-list") return blockListSplices(text, slot, goal.entries, list);
    const splice = flowListSplice(text, slot, goal.entries, list);
    return splice && [splice];
  }
  const { value } = goal;
  const joins = !options.splits && property.text?.includes(",") === true && typeof value !== "string" && canJoin(value);
  const isLink = slot.style === "flow-list";
  const listStyle = joins ? "comma" : isLink ? "flow" : (options.listStyle ?? "block");
  const wanted = writeValue(value, { ...options, listStyle }, scalarStyle(slot), ending, indent);
  const below = text.indexOf("\n", slot.end) + 1;
  const lines = wanted.lines === "" ? [] : [{ start: below, end: below, text: wanted.lines }];
  if (slot.style === "block-list") return [insertion(text, slot, wanted.inline), ...removals(text, slot.items)];
  if (slot.style === "empty") return [insertion(text, slot, wanted.inline), ...lines];
  return [replacement(text, slot, wanted.inline), ...lines];
}

function scalarStyle({ style }: ValueSlot): ScalarStyle {
  return style === "single" || style === "double" ? style : "plain";
}

/** One space before the value and a comment. */
function insertion(text: string, { colonEnd }: ValueSlot, inline: string): Splice {
  const blanks = /^[ \t]*/.exec(text.slice(colonEnd, colonEnd + 1_000))?.[0].length ?? 0;
  const commented = text.charAt(colonEnd + blanks) === "#";
  const room = commented ? Math.min(1, blanks - 1) : blanks;
  const at = colonEnd + room;
  return { start: at, end: at, text: inline !== "" && room === 0 ? ` ${inline}` : inline };
}

/** A block scalar keeps its comment. */
function replacement(text: string, slot: ValueSlot, inline: string): Splice {
  const header = slot.style === "block-scalar" ? (/^[^\r\n]*/.exec(text.slice(slot.start, slot.end))?.[0] ?? "") : "";
  const comment = /[ \t]#.*$/.exec(header)?.[0] ?? "";
  const start = inline === "" ? beforeBlanks(text, slot.start, slot.colonEnd) : slot.start;
  return { start, end: slot.end, text: inline + comment };
}

function beforeBlanks(text: string, from: number, least: number): number {
  let start = from;
  while (start > least && " \t".includes(text.charAt(start - 1))) start -= 1;
  return start;
}

function checked(place: Place, result: string, goal: Goal, options: SetOptions): string {
  const { text, layout, index } = place;
  const [parts, after] = [splitNote(text), splitNote(result)];
  const tooLarge = after.frontmatter && unreadableFrontmatter(result, after.frontmatter);
  if (tooLarge !== undefined) throw cannotEdit(tooLarge);
  const bodyStays =
    result.length - after.bodyStart === text.length - parts.bodyStart && result.endsWith(text.slice(parts.bodyStart));
  const read = bodyStays ? readableLayout(result) : undefined;
  const made = read && { text: result, layout: read };
  if (made === undefined || !readsAs({ ...made, index }, place, goal, options)) {
    const line = layout.properties[index]?.line ?? 1;
    throw cannotEdit({ message: ENTANGLED, line, column: 1 });
  }
  const { key } = layout.properties[index] ?? {};
  const isOne = goal.entries !== undefined || typeof goal.value !== "string";
  assertNothingDropped(place, made, {
    item: (list, { isText, count }) => list === key && (options.whole === true || (isText && (isOne || count === 1))),
    lines: 0,
  });
  return result;
}

function readsAs(after: Place, { layout: before, index }: Place, goal: Goal, options: SetOptions): boolean {
  const { properties } = after.layout;
  if (properties.length !== Math.max(before.properties.length, index + 1)) return false;
  const others = before.properties.every((old, at) => at === index || sameProperty(old, properties[at]));
  return others && says(after, goal, options);
}

function sameProperty(one: Property, other: Property | undefined): boolean {
  return other !== undefined && one.key === other.key && one.text === other.text && sameValue(one.value, other.value);
}

function sameValue(one: PropertyValue, other: PropertyValue): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null)
    return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = Object.entries(one);
  const right = Object.entries(other);
  return (
    left.length === right.length &&
    left.every(([key, value], at) => key === right[at]?.[0] && sameValue(value, right[at][1]))
  );
}
