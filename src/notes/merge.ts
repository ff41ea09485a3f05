/** Merges the texts of two notes (docs: notes-and-files, "Surgery on notes"). */
import { VaultError } from "../errors.js";
import { setProperty, type NewValue } from "../markdown/frontmatter/edit.js";
import { readFrontmatter, splitNote, type Property } from "../markdown/frontmatter/frontmatter.js";
import { linkTexts } from "../markdown/links/property-links.js";
import { appendText } from "./insertion.js";

export interface MergedNote {
  readonly text: string;
  /** Keys that only the other note has, and keys of lists that were joined. */
  readonly added: readonly string[];
  readonly joined: readonly string[];
  /** The other note's differing values, now lines of text above its body. */
  readonly kept: readonly string[];
}

const LISTS = /^(?:tags?|alias(?:es)?|cssclass(?:es)?)$/i;

/** @throws VaultError INVALID_ARGUMENT for frontmatter that cannot be read or changed */
export function mergedNote(text: string, other: string): MergedNote {
  const parts = splitNote(other);
  const { properties, problem } = readFrontmatter(other, parts);
  if (problem)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `The frontmatter of the note to merge cannot be read: ${problem.message}`,
      {
        hint: `Fix its line ${problem.line} first; nothing was changed.`,
      },
    );
  const [added, joined, kept]: string[][] = [[], [], []];
  let merged = text;
  for (const property of properties) {
    const { key } = property;
    const own = propertyNamed(merged, key);
    if (isSame(own, property)) continue;
    const list = own && joinedList(own, property);
    if (own === undefined && valueOf(property) !== undefined) {
      merged = withValue(merged, property);
      added?.push(key);
    } else if (list) {
      const before = merged;
      merged = setProperty(merged, own.key, list, { plain: true });
      if (merged !== before) joined?.push(own.key);
    } else kept?.push(sourceOf(other, property));
  }
  const body = other.slice(parts.bodyStart).replace(/^(?:[ \t]*\r?\n)+/, "");
  const block = [(kept ?? []).map((line) => `- ${line}\n`).join(""), body]
    .filter((part) => part.trim() !== "")
    .join("\n");
  const isBodyEmpty = merged.slice(splitNote(merged).bodyStart).trim() === "";
  return {
    text:
      block === "" ? merged : appendText(merged, isBodyEmpty || /\n[ \t]*\r?\n$/.test(merged) ? block : `\n${block}`),
    added: added ?? [],
    joined: joined ?? [],
    kept: kept ?? [],
  };
}

function propertyNamed(text: string, key: string): Property | undefined {
  const { properties } = readFrontmatter(text);
  return (
    properties.find((property) => property.key === key) ??
    properties.find((property) => property.key.toLowerCase() === key.toLowerCase())
  );
}

const isSame = (own: Property | undefined, { value, text }: Property): boolean =>
  own !== undefined &&
  (own.text === undefined ? JSON.stringify(own.value) === JSON.stringify(value) : own.text === text);

/** Undefined: the value is a mapping. */
function valueOf({ value, text }: Property): NewValue | undefined {
  if (text !== undefined) return text;
  return Array.isArray(value) && value.every((item) => typeof item !== "object") ? value.map(String) : undefined;
}

function withValue(text: string, property: Property): string {
  const value = valueOf(property) ?? "";
  const plain = setProperty(text, property.key, value, { plain: true });
  return isSame(propertyNamed(plain, property.key), property) && typeOf(plain, property) === typeof property.value
    ? plain
    : setProperty(text, property.key, value);
}

const typeOf = (text: string, { key }: Property): string => typeof propertyNamed(text, key)?.value;

/** Undefined unless both are lists, or the key always holds one. */
function joinedList(own: Property, other: Property): string[] | undefined {
  const areLists = Array.isArray(own.value) && Array.isArray(other.value);
  if (!areLists && !LISTS.test(own.key)) return undefined;
  const [items, more] = [linkTexts(own.value, own.text), linkTexts(other.value, other.text)];
  const known = new Set(items.map((item) => item.toLowerCase()));
  return [...items, ...more.filter((item) => !known.has(item.toLowerCase()))];
}

/** The property's lines without indentation. */
function sourceOf(text: string, { line }: Property): string {
  const lines = text.split(/\r?\n/);
  const rest = lines.slice(line).findIndex((next) => !/^[ \t]+\S|^-\s/.test(next));
  const all = lines.slice(line - 1, line + Math.max(rest, 0));
  return all.map((one) => one.trim()).join(" ");
}
