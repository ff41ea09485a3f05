/** Frontmatter, read: splits a note into frontmatter and body and reads the properties, exactly as they stand. */

/** A property's value as YAML 1.2 core reads it; dates stay text, and mappings have no prototype. */
export type PropertyValue = string | number | boolean | null | PropertyValue[] | { [key: string]: PropertyValue };

export interface Property {
  /** The key as it is spelled in the note. */
  readonly key: string;
  readonly value: PropertyValue;
  /**
   * For a scalar: the text it was meant to be, quotes and escapes resolved but no number or boolean made of it (`00123`,
   * `1.10`, `12e5`, `yes` stay themselves; empty for an empty value). Undefined for lists and mappings.
   */
  readonly text: string | undefined;
  /** Line in the file, counted from 1. */
  readonly line: number;
}

/** Why the frontmatter cannot be read; positions are in the file, counted from 1. */
export interface FrontmatterProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Where the parts of a note are: offsets in UTF-16 units into its text. */
export interface NoteParts {
  /** The text between the fences, without them; undefined when the note has no frontmatter. */
  readonly frontmatter: { readonly start: number; readonly end: number; readonly language: string } | undefined;
  /** Where the body begins (after the closing fence's line end). */
  readonly bodyStart: number;
}

export interface Frontmatter {
  /** In file order; of duplicate keys only the first. Empty when there is no frontmatter or it is unreadable. */
  readonly properties: readonly Property[];
  /** Set when the block is there but cannot be read whole (invalid YAML, over 64 KiB, multiplying aliases, not a mapping, another language). */
  readonly problem: FrontmatterProblem | undefined;
  /** Readable, but Obsidian calls it invalid: a duplicate key, a tab. Read goes on, an edit refuses. */
  readonly warning: FrontmatterProblem | undefined;
}

/** Finds frontmatter and body: `---` on the first line (a BOM may precede), closed by a line of `---` with optional trailing blanks. */
export function splitNote(text: string): NoteParts {
  void text;
  throw new Error("not written yet");
}

/** Reads a note's frontmatter; never throws, never runs anything, takes linear time. */
export function readFrontmatter(text: string, parts: NoteParts = splitNote(text)): Frontmatter {
  void parts;
  throw new Error("not written yet");
}
