/** The scalars of a frontmatter block that hold links, and how text is written into one without ending it. */
import { readLayout } from "../frontmatter/layout.js";
import type { ScalarStyle } from "../frontmatter/scalar.js";
import { splitNote } from "../frontmatter/frontmatter.js";
import type { Property } from "../frontmatter/property.js";

/** One scalar on one line: a property's value or an item of its list. */
export interface Cell {
  /** Which property of the block, counted from 0. */
  readonly property: number;
  /** Which item of its list; -1 for a value that is no list. */
  readonly item: number;
  /** Without quotes; offsets in UTF-16 units into the note's text. */
  readonly start: number;
  readonly end: number;
  readonly style: ScalarStyle | "brackets";
  /** What it says. */
  readonly text: string;
}

export interface Cells {
  readonly cells: readonly Cell[];
  readonly properties: readonly Property[];
}

/**
 * The cells of a note's frontmatter; none when it has no block.
 * @throws VaultError INVALID_ARGUMENT with line and column when the block cannot be read, or Obsidian calls it invalid
 */
export function readCells(text: string): Cells {
  const block = splitNote(text).frontmatter;
  if (block === undefined) return { cells: [], properties: [] };
  const { properties, slots } = readLayout(text, block);
  const cells = slots.flatMap((slot, index) => {
    if (slot.style === "flow-list" || slot.style === "block-list")
      return slot.items.map((item, at) => cellOf(text, item.start, item.end, item.text, index, at));
    if (slot.style !== "plain" && slot.style !== "single" && slot.style !== "double") return [];
    return [cellOf(text, slot.start, slot.end, properties[index]?.text ?? "", index, -1)];
  });
  // A scalar folded over lines, or one with escapes of its own kind, does not read as the sum of its pieces.
  return {
    cells: cells.filter((cell) => unquote(text.slice(cell.start, cell.end), cell.style) === cell.text),
    properties,
  };
}

function cellOf(text: string, start: number, end: number, says: string, property: number, item: number): Cell {
  const first = text.charAt(start);
  const last = text.charAt(end - 1);
  const quoted = first === last && end - start >= 2;
  if (quoted && first === "'") return { property, item, start: start + 1, end: end - 1, style: "single", text: says };
  if (quoted && first === '"') return { property, item, start: start + 1, end: end - 1, style: "double", text: says };
  return { property, item, start, end, style: first === "[" ? "brackets" : "plain", text: says };
}

/** The meaning of a piece of a scalar. Undefined for what cannot be a piece, such as one that ends in half an escape. */
export function unquote(piece: string, style: Cell["style"]): string | undefined {
  if (/[\r\n]/.test(piece)) return undefined;
  if (style === "single") return /^(?:[^']|'')*$/.test(piece) ? piece.replaceAll("''", "'") : undefined;
  if (style !== "double") return piece;
  if (!piece.includes("\\")) return piece;
  try {
    // JSON's escapes are those it shares with YAML; a scalar with others (`\x41`, `\_`) is left alone.
    const value: unknown = JSON.parse(`"${piece.replaceAll("\t", "\\t")}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A piece of text as it is written into a scalar of that style; undefined when it cannot hold the text. */
export function quotePiece(text: string, style: Cell["style"]): string | undefined {
  if (/[\p{Cc}\u2028\u2029\ufeff]/u.test(text)) return undefined;
  if (style === "single") return text.replaceAll("'", "''");
  if (style === "double") return text.replace(/["\\]/g, "\\$&");
  // Without quotes a mark in the text may begin something else.
  if (style === "plain") return /:\s|\s#|:$/.test(text) ? undefined : text;
  return /[,[\]{}#:&*!|>'"%@`?]|^-/.test(text) ? undefined : text;
}
