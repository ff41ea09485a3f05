/** Types of frontmatter. */

/** As YAML 1.2 core reads it; dates stay text, and mappings have no prototype. */
export type PropertyValue = string | number | boolean | null | PropertyValue[] | { [key: string]: PropertyValue };

export interface Property {
  /** Never converted to a number or boolean. */
  readonly key: string;
  readonly value: PropertyValue;
  /** A scalar's text, never converted (`00123`, `1.10`, `yes` stay). Undefined for lists and mappings. */
  readonly text: string | undefined;
  /** In the file, from 1. */
  readonly line: number;
}

/** Why frontmatter cannot be read or changed; never quotes the note. Positions in the file, from 1. */
export interface FrontmatterProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** Other properties may still be edited. */
  readonly editable?: true;
}

/** A value's UTF-16 offsets in the note. */
export interface ValueSlot {
  readonly style: "empty" | "plain" | "single" | "double" | "block-scalar" | "flow-list" | "block-list" | "other";
  /** After the colon; -1 without one. */
  readonly colonEnd: number;
  /** Without comment and spaces; both `colonEnd` without a value. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly ItemSlot[];
}

export interface ItemSlot {
  /** Or the source of an item that is no scalar (`[[link]]`). */
  readonly text: string;
  /** Of the item's `-`; in brackets, of the item. */
  readonly dash: number;
  readonly start: number;
  readonly end: number;
}

export interface ListItem {
  /** Undefined for no text: a mapping, a list other than `[[link]]`, nothing. */
  readonly text: string | undefined;
  readonly value: PropertyValue;
  /** As written: its lines from the dash on, without the dash's indentation; in brackets the item alone. */
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
