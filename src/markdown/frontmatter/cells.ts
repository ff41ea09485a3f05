/** Frontmatter scalars that can hold links. */
import { parseJson } from "../../text/decoded.js";
import type { Scalar, YAMLSeq } from "yaml";
import { splitNote, unreadableFrontmatter } from "./frontmatter.js";
import { positionAt } from "./property.js";
import type { ScalarStyle } from "./scalar.js";
import { loadYaml, parseForEdit } from "./yaml-reader.js";
import { showMarks } from "./yaml-values.js";

/** A one-line key, value or list item, or an unquoted `[[x]]`, which YAML reads as lists. */
export interface Cell {
  /** Without quotes; UTF-16 offsets into the note. */
  readonly start: number;
  readonly end: number;
  readonly style: ScalarStyle | "brackets";
  readonly text: string;
}

export interface Cells {
  readonly cells: readonly Cell[];
  readonly faults: readonly { readonly start: number; readonly end: number; readonly reason: string }[];
}

/** By top-level key when the whole cannot be read. */
export function readCells(text: string): Cells {
  const block = splitNote(text).frontmatter;
  if (block === undefined) return { cells: [], faults: [] };
  const refusal = unreadableFrontmatter(text, block);
  if (refusal !== undefined) return { cells: [], faults: [{ ...block, reason: refusal.message }] };
  const whole = cellsBetween(text, block.start, block.end);
  if (whole.faults.length === 0) return whole;
  const starts = [...text.slice(block.start, block.end).matchAll(/^(?![ \t\r\n#]|-\s)./gm)].map(({ index }) => index);
  const parts = starts.map((start, at) =>
    cellsBetween(text, block.start + start, block.start + (starts[at + 1] ?? block.end - block.start)),
  );
  return { cells: parts.flatMap(({ cells }) => cells), faults: parts.flatMap(({ faults }) => faults) };
}

function cellsBetween(text: string, start: number, end: number): Cells {
  const unreadable = (message: string, offset: number): Cells => {
    const { line, column } = positionAt(text, start + offset);
    return { cells: [], faults: [{ start, end, reason: `line ${line}, column ${column}: ${message}` }] };
  };
  const { isMap, isScalar, isSeq, visit } = loadYaml();
  const document = parseForEdit(text.slice(start, end));
  if ("message" in document) return unreadable(document.message, document.offset);
  if (isMap(document.contents) && document.contents.flow === true)
    return unreadable("Frontmatter in braces (JSON) is read but not rewritten.", 0);
  const cells: Cell[] = [];
  const add = (node: Scalar | YAMLSeq, says?: string): void => {
    const [from = 0, to = 0] = node.range ?? [];
    const written = text.slice(start + from, start + to);
    cells.push(cellAt(text, start + from, start + to, says === undefined ? written : showMarks(says, written)));
  };
  visit(document, {
    Seq(_key, node, path) {
      const parent = path.at(-1);
      const isLink = isSeq(parent) && parent.flow === true && node.flow === true && node.items.every(isScalar);
      if (!isLink) return undefined;
      add(node);
      return visit.SKIP;
    },
    Scalar: (_key, node) => add(node, node.source),
  });
  // Folded scalars and unusual escapes cannot be replaced.
  return {
    cells: cells.filter((cell) => unquote(text.slice(cell.start, cell.end), cell.style) === cell.text),
    faults: [],
  };
}

function cellAt(text: string, start: number, end: number, says: string): Cell {
  const first = text.charAt(start);
  const isQuoted = end - start >= 2 && text.charAt(end - 1) === first && (first === "'" || first === '"');
  if (isQuoted) return { start: start + 1, end: end - 1, style: first === "'" ? "single" : "double", text: says };
  return { start, end, style: first === "[" ? "brackets" : "plain", text: says };
}

/** Undefined for half an escape. */
export function unquote(piece: string, style: Cell["style"]): string | undefined {
  if (/[\r\n]/.test(piece)) return undefined;
  if (style === "single") return /^(?:[^']|'')*$/.test(piece) ? piece.replaceAll("''", "'") : undefined;
  if (style !== "double") return piece;
  if (!piece.includes("\\")) return piece;
  // Others (`\x41`, `\_`) are not changed.
  const value = parseJson(`"${piece.replaceAll("\t", "\\t")}"`);
  return typeof value === "string" ? value : undefined;
}

/** Undefined when the style cannot hold the text. */
export function quotePiece(text: string, style: Cell["style"]): string | undefined {
  if (/[\p{Cc}\u2028\u2029\ufeff]/u.test(text)) return undefined;
  if (style === "single") return text.replaceAll("'", "''");
  if (style === "double") return text.replace(/["\\]/g, "\\$&");
  // They begin a mapping or a comment.
  if (style === "plain") return /:\s|\s#|:$/.test(text) ? undefined : text;
  return /[,[\]{}#:&*!|>'"%@`?]|^-/.test(text) ? undefined : text;
}
