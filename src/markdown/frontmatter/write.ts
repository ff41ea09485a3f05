/** Writes new properties in Obsidian's style. */
import { VaultError } from "../../errors.js";
import { writeKey, writeScalar, type ScalarStyle } from "./scalar.js";

/** Always written as text; a list keeps the existing style. `""` empties the value (`key:`). */
export type NewValue = string | readonly string[];

export interface SetOptions {
  /** Without quotes if YAML reads the same text back (`2025-09-01`, `done`), or in the old value's quotes. */
  readonly plain?: boolean;
  /** For a new list: `block` (default, as Obsidian), `flow`, or `comma` (one comma-separated scalar). */
  readonly listStyle?: "block" | "flow" | "comma";
}

/** The block with its `---` lines, in LF line ends. */
export function writeFrontmatter(
  properties: readonly (readonly [key: string, value: NewValue, options?: SetOptions])[],
): string {
  const keys = new Set<string>();
  let lines = "";
  for (const [key, value, options] of properties) {
    if (keys.has(key))
      throw new VaultError("INVALID_ARGUMENT", "A property is given twice; each key may occur only once.");
    keys.add(key);
    lines += writeProperty(key, value, options ?? {}, "\n", "");
  }
  return `---\n${lines}---\n`;
}

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

/** The text on the key's line, and the lines below. `style` is for a scalar. */
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
