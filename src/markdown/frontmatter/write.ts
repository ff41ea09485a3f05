/** Writes new properties in Obsidian's style: whole blocks, single properties, lists. */
import { VaultError } from "../../errors.js";
import { writeKey, writeScalar, type ScalarStyle } from "./scalar.js";

/** Text is always written as a string; a list keeps the existing list style. `""` empties the value (`key:`). */
export type NewValue = string | readonly string[];

export interface SetOptions {
  /**
   * For text that readers should take as a value of its own kind, such as `2025-09-01` or `done`: written without quotes if
   * YAML reads the same text back, or in the quotes of the old value.
   */
  readonly plain?: boolean;
  /**
   * List style for a key that is new or held no list: `block` (Obsidian's, default), `flow`, or `comma` (one scalar,
   * comma-separated).
   */
  readonly listStyle?: "block" | "flow" | "comma";
}

/** A new frontmatter block with fences, for a new note; Obsidian's style, `\n` line ends. */
export function writeFrontmatter(
  properties: readonly (readonly [key: string, value: NewValue, options?: SetOptions])[],
): string {
  const keys = new Set<string>();
  let lines = "";
  for (const [key, value, options] of properties) {
    if (keys.has(key))
      throw new VaultError("INVALID_ARGUMENT", "A property is given twice; each key may stand only once.");
    keys.add(key);
    lines += writeProperty(key, value, options ?? {}, "\n", "");
  }
  return `---\n${lines}---\n`;
}

/** The line or lines of a new property, each begun with `indent` and ended by `ending`. */
export function writeProperty(
  key: string,
  value: NewValue,
  options: SetOptions,
  ending: string,
  indent: string,
): string {
  const head = `${indent}${writeKey(key)}:`;
  const { inline, lines } = writeValue(value, options, "plain", ending, indent);
  return `${head}${inline === "" ? "" : ` ${inline}`}${ending}${lines}`;
}

/** A new value: the text on the line of its key, and the lines below it. `style` is the preferred style of a scalar. */
export function writeValue(
  value: NewValue,
  options: SetOptions,
  style: ScalarStyle,
  ending: string,
  indent: string,
): { readonly inline: string; readonly lines: string } {
  const plain = options.plain === true;
  if (typeof value === "string") {
    return { inline: value === "" ? "" : writeScalar(value, { style, plain, inFlow: false }), lines: "" };
  }
  if (options.listStyle === "comma" && canJoin(value)) {
    return writeValue(joined(value), options, style, ending, indent);
  }
  if (value.length === 0) return { inline: "[]", lines: "" };
  if (options.listStyle === "flow") {
    const items = value.map((item) => writeScalar(item, { style: "plain", plain, inFlow: true }));
    return { inline: `[${items.join(", ")}]`, lines: "" };
  }
  const items = value.map((item) => writeItem(`${indent}  - `, item, plain, "plain", ending));
  return { inline: "", lines: items.join("") };
}

export function writeItem(prefix: string, item: string, plain: boolean, style: ScalarStyle, ending: string): string {
  return `${prefix}${writeScalar(item, { style, plain, inFlow: false })}${ending}`;
}

export function canJoin(items: readonly string[]): boolean {
  return items.every((item) => item !== "" && item === item.trim() && !item.includes(","));
}

export function joined(items: readonly string[]): string {
  return items.join(", ");
}
