/** The shapes in which a note's frontmatter is known: properties, their values, and what is wrong with them. */

/** A property's value as YAML 1.2 core reads it; dates stay text, and mappings have no prototype. */
export type PropertyValue = string | number | boolean | null | PropertyValue[] | { [key: string]: PropertyValue };

export interface Property {
  /** The key as the note means it: quotes and escapes resolved, no number or boolean made of it. */
  readonly key: string;
  readonly value: PropertyValue;
  /**
   * A scalar's text as it was meant, quotes and escapes resolved but no number or boolean made of it (`00123`, `1.10`, `12e5`, `yes`,
   * `null` stay as they are; empty for an empty value). Undefined for lists and mappings.
   */
  readonly text: string | undefined;
  /** Line in the file, counted from 1. */
  readonly line: number;
}

/** Why frontmatter cannot be read or changed; positions are in the file, counted from 1. The message holds none of the note's text. */
export interface FrontmatterProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** Other properties may be edited all the same. */
  readonly editable?: true;
}

/**
 * Where a property's value is, in UTF-16 units into the note's text: what an edit needs to replace it. Both readers give the same slot for
 * the same plain line.
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
  /** What the item says: a scalar's text, or its source when it is no scalar (an unquoted `[[link]]`). */
  readonly text: string;
  /** Where the item's `-` stands; in brackets, where the item begins. */
  readonly dash: number;
  readonly start: number;
  readonly end: number;
}

/** The position of `offset` in `text`, as line and column counted from 1; a BOM has no width. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = text.startsWith("\uFEFF") ? 1 : 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: Math.max(offset - lineStart, 0) + 1 };
}
