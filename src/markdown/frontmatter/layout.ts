/** Offsets of a note's properties. */
import type { CST, Pair, ParsedNode, YAMLSeq } from "yaml";
import { type Wording } from "../../text/wording.js";

import { isVaultError, VaultError } from "../../errors.js";
import { itemTexts, nestedLink } from "../links/property-links.js";
import { readPlainFrontmatter } from "./plain-reader.js";
import { loadYaml, parseForEdit, readYamlFrontmatter } from "./yaml-reader.js";
import { showMarks } from "./yaml-values.js";
import { splitNote, unreadableFrontmatter, type NoteParts } from "./frontmatter.js";
import {
  positionAt,
  type FrontmatterProblem,
  type ItemSlot,
  type ListItem,
  type Property,
  type ValueSlot,
} from "./property.js";

export interface FrontmatterLayout {
  readonly properties: readonly Property[];
  /** In order. */
  readonly slots: readonly ValueSlot[];
  /** Before each top-level key. */
  readonly indent: string;
}

/** @throws INVALID_ARGUMENT with line and column */
export function readLayout(text: string, block: NonNullable<NoteParts["frontmatter"]>): FrontmatterLayout {
  const refusal = unreadableFrontmatter(text, block);
  if (refusal !== undefined) throw cannotEdit(refusal);
  const slots: ValueSlot[] = [];
  const plain = readPlainFrontmatter(text, block.start, block.end, slots);
  if (plain !== undefined) return { properties: plain, slots, indent: "" };
  const { properties, problem, warning } = readYamlFrontmatter(text, block.start, block.end);
  const invalid = problem ?? warning;
  if (invalid !== undefined && invalid.editable !== true) throw cannotEdit(invalid);
  return yamlLayout(text, block.start, block.end, properties);
}

/** Undefined where `readLayout` throws. */
export function readableLayout(text: string): FrontmatterLayout | undefined {
  const block = splitNote(text).frontmatter;
  try {
    return block && readLayout(text, block);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

export function cannotEdit(
  { message, line, column }: FrontmatterProblem,
  hint: Wording | readonly Wording[] = "Fix that line in the note, then try again. Nothing was changed.",
): VaultError {
  const place = `line ${line}, column ${column}`;
  return new VaultError("INVALID_ARGUMENT", `The frontmatter cannot be changed: ${place}: ${message}`, {
    hint,
    line,
    column,
    unplaced: `The frontmatter cannot be changed: ${message}`,
  });
}

export function findKey(properties: readonly Property[], key: string): number {
  const exact = properties.findIndex((property) => property.key === key);
  if (exact !== -1) return exact;
  const folded = key.toLowerCase();
  return properties.findIndex((property) => property.key.toLowerCase() === folded);
}

/** Undefined for no list (`[[a]]` is a link), or when items cannot be told apart. */
export function itemsOf(text: string, { properties, slots }: FrontmatterLayout, index: number) {
  const [property, slot] = [properties[index], slots[index]];
  if (!property || !slot || (slot.style !== "block-list" && slot.style !== "flow-list")) return undefined;
  const { value } = property;
  if (!Array.isArray(value) || value.length !== slot.items.length) return undefined;
  if (slot.style === "flow-list" && nestedLink(value)) return undefined;
  return slot.items.map((item, at): ListItem => {
    const own = value[at] ?? null;
    const isScalar = typeof own !== "object";
    return { text: isScalar ? item.text : itemTexts(own)[0], value: own, source: sourceOf(text, slot, item) };
  });
}

function sourceOf(text: string, { style }: ValueSlot, { dash, start, end }: ItemSlot): string {
  if (style === "flow-list") return text.slice(start, end);
  const lineStart = text.lastIndexOf("\n", dash - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const written = text.slice(dash, lineEnd === -1 ? text.length : lineEnd).replace(/\r$/, "");
  const indent = text.slice(lineStart, dash);
  return indent === "" ? written : written.replaceAll(`\n${indent}`, "\n");
}

/** Read without a warning. */
export function yamlLayout(
  text: string,
  start: number,
  end: number,
  properties: readonly Property[],
): FrontmatterLayout {
  const document = parseForEdit(text.slice(start, end));
  const root = "message" in document ? undefined : document.contents;
  if (!loadYaml().isMap(root)) return { properties, slots: [], indent: "" };
  const first = start + root.range[0];
  const indent = text.slice(text.lastIndexOf("\n", first - 1) + 1, first);
  if (root.flow === true || /\S/.test(indent)) {
    const message = "Frontmatter in braces (JSON) is read but not rewritten: write it as `key: value` lines.";
    throw cannotEdit({ message, ...positionAt(text, first) });
  }
  return { properties, slots: root.items.map((pair) => slotOf(pair, text, start)), indent };
}

function slotOf(pair: Pair<ParsedNode, ParsedNode | null>, text: string, start: number): ValueSlot {
  const { isSeq, isCollection } = loadYaml();
  const { sep } = (pair.srcToken ?? {}) as Partial<CST.CollectionItem>;
  const colon = sep?.find(({ type }) => type === "map-value-ind");
  const colonEnd = colon === undefined ? -1 : start + colon.offset + 1;
  const node = pair.value;
  if (node === null || isEmpty(node)) {
    const style = node !== null && isMarked(node) ? "other" : "empty";
    return { style, colonEnd, start: colonEnd, end: colonEnd, items: [] };
  }
  const from = start + node.range[0];
  const to = start + node.range[1];
  if (isSeq(node) && !node.items.some(isMarked)) {
    const items = node.items.map((item, index) => itemOf(item, dashOf(node, index), text, start));
    if (node.flow === true) return { style: "flow-list", colonEnd, start: from, end: to, items };
    return { style: "block-list", colonEnd, start: items[0]?.start ?? from, end: items.at(-1)?.end ?? to, items };
  }
  if (isCollection(node)) return { style: "other", colonEnd, start: from, end: to, items: [] };
  return { style: scalarStyle(node), colonEnd, start: from, end: withoutLineEnd(text, from, to), items: [] };
}

function isEmpty(node: ParsedNode): boolean {
  return loadYaml().isScalar(node) && node.range[0] === node.range[1];
}

function isMarked(node: ParsedNode): boolean {
  return node.tag !== undefined || ("anchor" in node && node.anchor !== undefined);
}

function scalarStyle(node: ParsedNode): ValueSlot["style"] {
  const type = loadYaml().isScalar(node) ? node.type : "PLAIN";
  if (type === "QUOTE_DOUBLE") return "double";
  if (type === "QUOTE_SINGLE") return "single";
  return type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED" ? "block-scalar" : "plain";
}

function itemOf(item: ParsedNode, dash: number | undefined, text: string, start: number): ItemSlot {
  const from = start + item.range[0];
  const end = withoutLineEnd(text, from, start + item.range[1]);
  const written = text.slice(from, end);
  const meant = loadYaml().isScalar(item) ? showMarks(item.source, written) : written;
  return { text: meant, dash: dash === undefined ? from : start + dash, start: from, end };
}

/** Undefined in brackets. */
function dashOf(list: YAMLSeq.Parsed, index: number): number | undefined {
  const token = list.srcToken?.type === "block-seq" ? list.srcToken.items[index] : undefined;
  return token?.start.find(({ type }) => type === "seq-item-ind")?.offset;
}

/** A block scalar or nested list may include it. */
function withoutLineEnd(text: string, from: number, to: number): number {
  let end = to;
  if (end > from && text.charCodeAt(end - 1) === 10) end -= 1;
  if (end > from && end < to && text.charCodeAt(end - 1) === 13) end -= 1;
  return end;
}
