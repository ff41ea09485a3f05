/** Changes one value in a note's frontmatter and touches nothing else. */

/** What to write: text stays a string whatever it looks like; a list keeps the list style that is there. `""` empties the value (`key:`). */
export type NewValue = string | readonly string[];

export interface SetOptions {
  /**
   * Text that is to be read as what it says rather than kept a string: a date or a bare word such as `2025-09-01` or `done`,
   * written without quotes wherever YAML reads the same text back, in the quotes of the old value where it had some.
   */
  readonly plain?: boolean;
  /** List style for a key that is new or was no list: `block` (Obsidian's, default), `flow`, or `comma` (one scalar, comma-separated). */
  readonly listStyle?: "block" | "flow" | "comma";
}

/**
 * Sets one top-level property, spelled `key` exactly as in the note or, when missing, added as the last property.
 * A note without frontmatter gets a block. Only the bytes of that value change: comments, order, quoting, indentation, list
 * style, line endings, BOM and a missing final newline stay; the result is read back and compared before it is returned.
 * @throws VaultError INVALID_ARGUMENT with line, column and what to mend, when the frontmatter is no valid YAML mapping or
 *   the edit cannot be made without touching other bytes
 */
export function setProperty(text: string, key: string, value: NewValue, options: SetOptions = {}): string {
  void text;
  void key;
  void value;
  void options;
  throw new Error("not written yet");
}

/** A whole new frontmatter block, fences included, for a new note; Obsidian's style, `\n` line ends. */
export function writeFrontmatter(
  properties: readonly (readonly [key: string, value: NewValue, options?: SetOptions])[],
): string {
  void properties;
  throw new Error("not written yet");
}
