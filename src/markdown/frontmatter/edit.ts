/** Changes one value in a note's frontmatter and nothing else. */
import { isVaultError } from "../../errors.js";
import { cannotEdit, readLayout, type FrontmatterLayout } from "./layout.js";
import {
  blockListSplices,
  canJoin,
  flowListSplice,
  commaList,
  type NewValue,
  removals,
  type SetOptions,
  writeProperty,
  writeValue,
} from "./write.js";
import type { ScalarStyle } from "./scalar.js";
import { beginsWithFence, splitNote, unreadableFrontmatter, type NoteParts } from "./frontmatter.js";
import { lineEnding, applySplices, type Splice } from "../line-edit.js";
import { positionAt, type Property, type PropertyValue, type ValueSlot } from "./property.js";

export { writeFrontmatter, type NewValue, type SetOptions } from "./write.js";

/**
 * `key` is matched exactly, then ignoring case; a missing one is added last, and a note without frontmatter gets a
 * block. Only the value's bytes change; an equal value stays as written. The result is read back.
 * @throws VaultError INVALID_ARGUMENT with line, column and advice, when the frontmatter is not a valid YAML mapping or
 * the edit would change other bytes
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
    return checked(text, result, parts, layout, layout.properties.length, value, options);
  }
  if (says(property, slot, value, options)) return text;
  const splices = valueSplices(text, property, slot, layout.indent, value, options);
  if (splices === undefined)
    throw cannotEdit({ message: NESTED, ...positionAt(text, Math.max(slot.start, block.start)) });
  return checked(text, applySplices(text, splices), parts, layout, index, value, options);
}

/**
 * Also removes a block that becomes empty.
 * @throws VaultError INVALID_ARGUMENT as `setProperty`
 */
export function removeProperty(text: string, key: string): string {
  const parts = splitNote(text);
  if (parts.frontmatter === undefined) return text;
  const layout = readLayout(text, parts.frontmatter);
  const index = findKey(layout.properties, key);
  const slot = layout.slots[index];
  if (index === -1) return text;
  const { line = 1 } = layout.properties[index] ?? {};
  if (slot === undefined || slot.colonEnd === -1) throw cannotEdit({ message: ENTANGLED, line, column: 1 });
  const start = text.lastIndexOf("\n", slot.colonEnd - 1) + 1;
  const last = Math.max(slot.end, slot.colonEnd, ...slot.items.map(({ end }) => end));
  const end = text.charAt(last - 1) === "\n" ? last : text.indexOf("\n", last) + 1;
  const result = text.slice(0, start) + text.slice(end);
  const block = splitNote(result).frontmatter;
  if (block !== undefined && result.slice(block.start, block.end).trim() === "")
    return text.slice(0, text.startsWith("\uFEFF") ? 1 : 0) + text.slice(parts.bodyStart);
  const after = block && readLayoutOf(result, block);
  const rest = layout.properties.filter((_, at) => at !== index);
  const stays =
    rest.length === after?.properties.length && rest.every((old, at) => sameProperty(old, after.properties[at]));
  if (stays && result.endsWith(text.slice(parts.bodyStart))) return result;
  throw cannotEdit({ message: ENTANGLED, line, column: 1 });
}

const NESTED = "This property holds more than text or a list of texts: change it by hand.";
const ENTANGLED =
  "This property cannot be changed without changing others (an anchor, a tag or unusual layout): change it by hand.";
const NOT_CLOSED =
  "The note begins with a `---` line but has no readable frontmatter: close it with another `---` line, or put an empty line first.";

function withNewBlock(text: string, parts: NoteParts, key: string, value: NewValue, options: SetOptions): string {
  if (beginsWithFence(text)) throw cannotEdit({ message: NOT_CLOSED, line: 1, column: 1 });
  const ending = lineEnding(text);
  const start = parts.bodyStart;
  const block = `---${ending}${writeProperty(key, value, options, ending, "")}---${ending}`;
  const result = text.slice(0, start) + block + text.slice(start);
  return checked(text, result, parts, { properties: [], slots: [], indent: "" }, 0, value, options);
}

function findKey(properties: readonly Property[], key: string): number {
  const exact = properties.findIndex((property) => property.key === key);
  if (exact !== -1) return exact;
  const folded = key.toLowerCase();
  return properties.findIndex((property) => property.key.toLowerCase() === folded);
}

function says(property: Property, slot: ValueSlot, value: NewValue, options: SetOptions): boolean {
  if (value === "") return property.value === null && property.text === "";
  if (typeof value === "string") {
    return property.text === value && (options.plain === true || typeof property.value === "string");
  }
  if (slot.style === "block-list" || slot.style === "flow-list") {
    return slot.items.length === value.length && slot.items.every((item, index) => item.text === value[index]);
  }
  return property.text !== undefined && canJoin(value) && property.text === commaList(value);
}

function valueSplices(
  text: string,
  property: Property,
  slot: ValueSlot,
  indent: string,
  value: NewValue,
  options: SetOptions,
): Splice[] | undefined {
  if (slot.style === "other" || slot.colonEnd === -1) return undefined;
  const ending = lineEnding(text);
  if (typeof value !== "string") {
    const list = { plain: options.plain === true, ending };
    if (slot.style === "block-list") return blockListSplices(text, slot, value, list);
    if (slot.style === "flow-list") return [flowListSplice(text, slot, value, list)];
  }
  const joins = property.text?.includes(",") === true && typeof value !== "string" && canJoin(value);
  const wanted = writeValue(
    value,
    joins ? { ...options, listStyle: "comma" } : options,
    scalarStyle(slot),
    ending,
    indent,
  );
  const below = text.indexOf("\n", slot.end) + 1;
  const lines = wanted.lines === "" ? [] : [{ start: below, end: below, text: wanted.lines }];
  if (slot.style === "block-list") return [insertion(text, slot, wanted.inline), ...removals(text, slot.items)];
  if (slot.style === "empty") return [insertion(text, slot, wanted.inline), ...lines];
  return [replacement(text, slot, wanted.inline), ...lines];
}

function scalarStyle({ style }: ValueSlot): ScalarStyle {
  return style === "single" || style === "double" ? style : "plain";
}

/** For a key without a value: one space before the new value, and one before a comment. */
function insertion(text: string, { colonEnd }: ValueSlot, inline: string): Splice {
  const blanks = /^[ \t]*/.exec(text.slice(colonEnd, colonEnd + 1_000))?.[0].length ?? 0;
  const commented = text.charAt(colonEnd + blanks) === "#";
  const room = commented ? Math.min(1, blanks - 1) : blanks;
  const at = colonEnd + room;
  return { start: at, end: at, text: inline !== "" && room === 0 ? ` ${inline}` : inline };
}

/** An emptied value leaves no space; a block scalar keeps its comment. */
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

function checked(
  text: string,
  result: string,
  parts: NoteParts,
  layout: FrontmatterLayout,
  index: number,
  value: NewValue,
  options: SetOptions,
): string {
  const after = splitNote(result);
  const block = after.frontmatter;
  const tooLarge = block === undefined ? undefined : unreadableFrontmatter(result, block);
  if (tooLarge !== undefined) throw cannotEdit(tooLarge);
  const bodyStays =
    result.length - after.bodyStart === text.length - parts.bodyStart && result.endsWith(text.slice(parts.bodyStart));
  if (block !== undefined && bodyStays && readsAs(readLayoutOf(result, block), layout, index, value, options))
    return result;
  const line = layout.properties[index]?.line ?? 1;
  throw cannotEdit({ message: ENTANGLED, line, column: 1 });
}

function readLayoutOf(text: string, block: NonNullable<NoteParts["frontmatter"]>): FrontmatterLayout | undefined {
  try {
    return readLayout(text, block);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

function readsAs(
  after: FrontmatterLayout | undefined,
  before: FrontmatterLayout,
  index: number,
  value: NewValue,
  options: SetOptions,
): boolean {
  const property = after?.properties[index];
  const slot = after?.slots[index];
  if (after === undefined || property === undefined || slot === undefined) return false;
  if (after.properties.length !== Math.max(before.properties.length, index + 1)) return false;
  const others = before.properties.every((old, at) => at === index || sameProperty(old, after.properties[at]));
  return others && says(property, slot, value, options);
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
