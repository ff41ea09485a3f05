/** Merges the texts of two notes (docs: notes-and-files, "Surgery on notes"). */
import { isVaultError, VaultError } from "../errors.js";
import { arrangeList, copyProperty, listItems, setProperty, type NewValue } from "../markdown/frontmatter/edit.js";
import { readFrontmatter, splitNote, type Property } from "../markdown/frontmatter/frontmatter.js";
import { endsUnclosed, headings, headingKey } from "../markdown/outline.js";
import type { PropertyValue } from "../markdown/frontmatter/property.js";
import { labelsIn } from "../markdown/links/labels.js";
import { linkTexts, readTags, isTagKey } from "../markdown/links/property-links.js";
import { appendText } from "./insertion.js";
import { blockIds } from "./rename-part.js";

export interface MergedNote {
  readonly text: string;
  /** Keys that only the other note has, and keys of joined lists. */
  readonly added: readonly string[];
  readonly joined: readonly string[];
  /** The other's differing values, now text above its body. */
  readonly kept: readonly string[];
  /** Headings, block ids, footnotes and link labels of both; links lead to the first note's. */
  readonly shared: readonly string[];
}

/** Another of the keys that holds the same task field. */
export type KeyOfField = (key: string, keys: readonly string[]) => string | undefined;

const LISTS = /^(?:tags?|alias(?:es)?|cssclass(?:es)?)$/i;

/** @throws VaultError INVALID_ARGUMENT for frontmatter that cannot be read or changed */
export function mergedNote(text: string, other: string, keyOfField: KeyOfField = () => undefined): MergedNote {
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
    const own = propertyMeant(merged, key, keyOfField);
    if (isSame(own, property)) continue;
    const changed = own ? withItemsOf(merged, own, other, property) : withProperty(merged, other, property);
    if (changed === undefined) kept?.push(sourceOf(other, property));
    else if (own === undefined) added?.push(key);
    else if (changed !== merged) joined?.push(own.key);
    merged = changed ?? merged;
  }
  const body = other.slice(parts.bodyStart).replace(/^(?:[ \t]*\r?\n)+/, "");
  const block = [(kept ?? []).map((line) => `- ${line}\n`).join(""), body]
    .filter((part) => part.trim() !== "")
    .join("\n");
  if (block !== "" && endsUnclosed(text))
    throw new VaultError(
      "INVALID_ARGUMENT",
      "The note to merge into ends in a code block or comment that is not closed.",
      {
        hint: "Close it first, or the text would be inside it. Nothing was changed.",
      },
    );
  const isBodyEmpty = merged.slice(splitNote(merged).bodyStart).trim() === "";
  return {
    text:
      block === "" ? merged : appendText(merged, isBodyEmpty || /\n[ \t]*\r?\n$/.test(merged) ? block : `\n${block}`),
    added: added ?? [],
    joined: joined ?? [],
    kept: kept ?? [],
    shared: sharedNames(text, other),
  };
}

function sharedNames(text: string, other: string): string[] {
  const own = new Set(partNames(text).map(([key]) => key));
  const shared = partNames(other).filter(([key]) => own.has(key));
  return [...new Map(shared).values()];
}

/** What links can name, with keys for comparison. */
function partNames(text: string): (readonly [key: string, name: string])[] {
  return [
    ...headings(text, splitNote(text).bodyStart).map(
      (heading) => [`#${headingKey(heading.text)}`, `#${heading.text}`] as const,
    ),
    ...blockIds(text).map(({ id }) => [`#^${id.toLowerCase()}`, `#^${id}`] as const),
    ...Array.from(labelsIn(text).defined, ([key, label]) => [`[${key}]`, label] as const),
  ];
}

function propertyNamed(text: string, key: string): Property | undefined {
  const { properties } = readFrontmatter(text);
  return (
    properties.find((property) => property.key === key) ??
    properties.find((property) => property.key.toLowerCase() === key.toLowerCase())
  );
}

/** Also by singular or plural of `tag`, `alias` and `cssclass`, or another key of a task's field. */
function propertyMeant(text: string, key: string, keyOfField: KeyOfField): Property | undefined {
  const named = propertyNamed(text, key);
  if (named) return named;
  const { properties } = readFrontmatter(text);
  const kind = (one: string): string => one.slice(0, 3).toLowerCase();
  if (LISTS.test(key)) return properties.find((one) => LISTS.test(one.key) && kind(one.key) === kind(key));
  const meant = keyOfField(
    key,
    properties.map((one) => one.key),
  );
  return meant === undefined ? undefined : propertyNamed(text, meant);
}

const isSame = (own: Property | undefined, { value, text }: Property): boolean =>
  own !== undefined &&
  (own.text === undefined ? JSON.stringify(own.value) === JSON.stringify(value) : own.text === text);

/** Undefined unless all are texts. */
function valueOf({ value, text }: Property): NewValue | undefined {
  if (text !== undefined) return text;
  return Array.isArray(value) && value.every((item) => typeof item !== "object") ? value.map(String) : undefined;
}

/** Undefined when the property cannot be written. */
function withProperty(text: string, other: string, property: Property): string | undefined {
  const value = valueOf(property);
  if (value === undefined) return orRefused(() => copyProperty(text, other, property.key));
  const plain = setProperty(text, property.key, value, { plain: true });
  return isSame(propertyNamed(plain, property.key), property) && typeOf(plain, property) === typeof property.value
    ? plain
    : setProperty(text, property.key, value);
}

function orRefused(change: () => string): string | undefined {
  try {
    return change();
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

const typeOf = (text: string, { key }: Property): string => typeof propertyNamed(text, key)?.value;

/** Undefined unless both are lists, or the key always holds one. */
function withItemsOf(text: string, own: Property, other: string, property: Property): string | undefined {
  const areLists = Array.isArray(own.value) && Array.isArray(property.value);
  if (!areLists && !LISTS.test(own.key)) return undefined;
  const items = listItems(text, own.key);
  const texts = textsOf(own);
  const known = new Set(texts.map((one) => one.toLowerCase()));
  const isNew = (one: string): boolean => !known.has(one.toLowerCase());
  const more = listItems(other, property.key)?.filter((item) =>
    item.text === undefined ? !hasValue(own, item.value) : isNew(item.text),
  );
  const added = more?.map((item) => item.text ?? item) ?? textsOf(property).filter(isNew);
  const plainly = { plain: true };
  if (items) return orRefused(() => arrangeList(text, own.key, [...items.keys(), ...added], plainly));
  const isText = (one: (typeof added)[number]): one is string => typeof one === "string";
  return added.every(isText) ? setProperty(text, own.key, [...texts, ...added], plainly) : undefined;
}

/** One text can hold several tags or classes. */
function textsOf({ key, value, text }: Property): string[] {
  if (isTagKey(key)) return readTags(value, text);
  const texts = linkTexts(value, text);
  return text !== undefined && /^cssclass(?:es)?$/i.test(key) ? texts.flatMap((one) => one.split(/[,\s]+/)) : texts;
}

function hasValue({ value }: Property, wanted: PropertyValue): boolean {
  return Array.isArray(value) && value.some((item) => JSON.stringify(item) === JSON.stringify(wanted));
}

/** Without indentation. */
function sourceOf(text: string, { line }: Property): string {
  const lines = text.split(/\r?\n/);
  const rest = lines.slice(line).findIndex((next) => !/^[ \t]+\S|^-\s/.test(next));
  const all = lines.slice(line - 1, line + Math.max(rest, 0));
  return all.map((one) => one.trim()).join(" ");
}
