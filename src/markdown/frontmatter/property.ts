/** The types of frontmatter: properties, their values, and problems. */

/** A property's value as YAML 1.2 core reads it; dates stay text, and mappings have no prototype. */
export type PropertyValue = string | number | boolean | null | PropertyValue[] | { [key: string]: PropertyValue };

export interface Property {
  /** The key with quotes and escapes resolved, never converted to a number or boolean. */
  readonly key: string;
  readonly value: PropertyValue;
  /**
   * A scalar's text with quotes and escapes resolved, never converted to a number or boolean (`00123`, `1.10`, `12e5`, `yes`,
   * `null` stay as they are; empty for an empty value). Undefined for lists and mappings.
   */
  readonly text: string | undefined;
  /** Line in the file, counted from 1. */
  readonly line: number;
}

/**
 * Why frontmatter cannot be read or changed. Positions are in the file, counted from 1. The message contains none of the note's
 * text.
 */
export interface FrontmatterProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** Other properties may be edited nevertheless. */
  readonly editable?: true;
}

/**
 * The offsets of a property's value, in UTF-16 units into the note's text, for edits. Both readers give the same slot for the
 * same plain line.
 */
export interface ValueSlot {
  readonly style: "empty" | "plain" | "single" | "double" | "block-scalar" | "flow-list" | "block-list" | "other";
  /** Just after the colon; -1 when there is none. */
  readonly colonEnd: number;
  /** The value's own bytes, without comment and spaces; both equal to `colonEnd` when there is none. */
  readonly start: number;
  readonly end: number;
  /** The items of a list, in order; empty for everything else. */
  readonly items: readonly ItemSlot[];
}

export interface ItemSlot {
  /** A scalar's text, or the source of an item that is not a scalar (an unquoted `[[link]]`). */
  readonly text: string;
  /** The item's `-`; in brackets, the item's start. */
  readonly dash: number;
  readonly start: number;
  readonly end: number;
}

/** Line and column of `offset` in `text`, counted from 1; a BOM has no width. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = text.startsWith("\uFEFF") ? 1 : 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: Math.max(offset - lineStart, 0) + 1 };
}
