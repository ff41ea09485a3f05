/** Types of frontmatter. */

/** As YAML 1.2 core; dates stay text, mappings have no prototype. */
export type PropertyValue = string | number | boolean | null | PropertyValue[] | { [key: string]: PropertyValue };

export interface Property {
  /** Always text. */
  readonly key: string;
  readonly value: PropertyValue;
  /** As written (`00123`, `1.10`, `yes`). Undefined for lists and mappings. */
  readonly text: string | undefined;
  /** In the file, from 1. */
  readonly line: number;
}

/** Never quotes the note. Positions from 1. */
export interface FrontmatterProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** Other properties may still be edited. */
  readonly editable?: true;
}

/** UTF-16 offsets. */
export interface ValueSlot {
  readonly style: "empty" | "plain" | "single" | "double" | "block-scalar" | "flow-list" | "block-list" | "other";
  /** -1 without one. */
  readonly colonEnd: number;
  /** Without comment; `colonEnd` without a value. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly ItemSlot[];
}

export interface ItemSlot {
  /** Or the source of `[[link]]`. */
  readonly text: string;
  /** In brackets, of the item. */
  readonly dash: number;
  readonly start: number;
  readonly end: number;
}

export interface ListItem {
  /** Undefined for a mapping, a list other than `[[link]]`, nothing. */
  readonly text: string | undefined;
  readonly value: PropertyValue;
  /** From the dash on, without indentation. */
  readonly source: string;
}

/** From 1; a BOM has no width. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = text.startsWith("\uFEFF") ? 1 : 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: Math.max(offset - lineStart, 0) + 1 };
}

const MAX_KEY_LENGTH = 100;

export const isPropertyName = (name: string): boolean =>
  name.trim() !== "" && name.trim().length <= MAX_KEY_LENGTH && !/[\p{Cc}\u2028\u2029]/u.test(name.trim());
