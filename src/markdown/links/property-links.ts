/** Wikilinks and tags in properties. */
import { VaultError } from "../../errors.js";
import { argument, said } from "../../text/wording.js";
import { percentDecoded } from "../../text/decoded.js";
import type { PropertyValue } from "../frontmatter/property.js";
import type { Property } from "../frontmatter/frontmatter.js";

const SIMPLE_LINK = /^\[\[(\w(?:[\w -]*\w)?)\]\]$/;

export function simpleLink(text: string): string | undefined {
  return SIMPLE_LINK.exec(text)?.[1];
}

/**
 * `Note` for `[[Folder/Note#heading|shown]]` and `[shown](Folder/Note.md)`. Plain text is trimmed and keeps its
 * slashes. Docs: tasks, "Fields".
 */
export function bareLink(text: string): string {
  const simple = simpleLink(text);
  if (simple !== undefined) return simple;
  const trimmed = text.trim();
  const wiki = /^!?\[\[([^\]]*)\]\]$/.exec(trimmed)?.[1];
  if (wiki !== undefined) return bareTarget(wiki);
  const markdown = /^!?\[[^\]]*\]\(<?([^)>]*)>?\)$/.exec(trimmed)?.[1];
  return markdown === undefined ? trimmed : bareTarget(percentDecoded(markdown) ?? markdown);
}

function bareTarget(target: string): string {
  const path = (/^[^|#^]*/.exec(target)?.[0] ?? "").trim().replace(/\\$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.replace(/\.md$/i, "").trim();
}

/**
 * One text for a scalar, one per list item, and `[[Work]]` for an unquoted `[[Work]]`, which YAML reads as a nested
 * list.
 */
export function linkTexts(value: PropertyValue, text?: string): string[] {
  if (value === null) return [];
  if (text !== undefined) return text.trim() === "" ? [] : [text];
  if (!Array.isArray(value)) return typeof value === "object" ? [] : [String(value)];
  const nested = nestedLink(value);
  if (nested) return nested;
  const texts: string[] = [];
  for (const item of value) {
    if (typeof item !== "string") texts.push(...itemTexts(item));
    else if (item.trim() !== "") texts.push(item);
  }
  return texts;
}

/** As `linkTexts`; what is no text is JSON. */
export function valueTexts(value: PropertyValue, text?: string): string[] {
  const json = (item: PropertyValue): string[] =>
    typeof item === "object" && item !== null ? [JSON.stringify(item)] : [];
  if (text !== undefined || typeof value !== "object" || value === null) return linkTexts(value, text);
  if (!Array.isArray(value)) return json(value);
  const nested = nestedLink(value);
  return (
    nested ??
    value.flatMap((item) => {
      if (typeof item === "string") return item.trim() === "" ? [] : [item];
      const texts = itemTexts(item);
      return texts.length > 0 ? texts : json(item);
    })
  );
}

/** At most one text. */
export function itemTexts(item: PropertyValue): string[] {
  if (!Array.isArray(item)) return linkTexts(item, typeof item === "string" ? item : undefined);
  return nestedLink(item) ?? [];
}

/** `[[a]]` as YAML reads it, and `[[a, b]]` for a name with a comma. */
export function nestedLink(value: readonly PropertyValue[]): string[] | undefined {
  const [inner] = value;
  if (value.length !== 1 || !Array.isArray(inner)) return undefined;
  const words = inner.flatMap((word) => (typeof word === "object" ? [] : [String(word)]));
  return words.length === inner.length && words.length > 0 ? [`[[${words.join(", ")}]]`] : undefined;
}

export const wikilink = (target: string): string => `[[${target}]]`;

export const isTagKey = (key: string): boolean => /^tags?$/i.test(key);

/**
 * Removes `#` and invalid characters; spaces become `-`. Undefined when nothing or only digits are left (docs:
 * obsidian, "Frontmatter").
 */
export function normaliseTag(text: string): string | undefined {
  const tag = text
    .trim()
    .replace(/^#+/, "")
    .trim()
    .replace(/\s+/g, "-")
    .replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Component}\u200d_/-]|[#*]/gu, "")
    .replace(/\/{2,}/g, "/")
    .replace(/^\/|\/$/g, "");
  return /[^\d/_-]/u.test(tag) || /_|-/.test(tag) ? tag : undefined;
}

/** At commas, and where another `#` begins. A blank alone belongs to a tag (`my tag`). */
export function splitTags(text: string): readonly string[] {
  return text.split(/,|\s+(?=#)/);
}

/**
 * As given, and normalised (`#my tag` is `my-tag`).
 * @throws INVALID_ARGUMENT for `!tag` and `not tag`, which would be read as tags
 */
export function tagsMeant(text: string): string[] {
  return splitTags(text)
    .flatMap((tag) => {
      if (EXCLUDED_TAG.test(tag)) throw excludedTag(tag.trim());
      return [tag.trim().replace(/^#+/, ""), normaliseTag(tag) ?? ""];
    })
    .filter((tag) => tag !== "");
}

/** `#not done` is a tag. */
const EXCLUDED_TAG = /^\s*(?:#*!|not\s)/i;

function excludedTag(tag: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", said`${argument("tags")} "${tag}": no filter excludes a tag.`, {
    hint: 'Name only tags that are wanted; write a tag that begins with "not" with its #.',
  });
}

/** Without `#`, each once (case ignored); a scalar splits at commas and spaces. */
export function readTags(value: PropertyValue, text?: string): string[] {
  const tags = new Map<string, string>();
  const add = (tag: string): void => {
    const folded = tag.toLowerCase();
    if (tag !== "" && !tags.has(folded)) tags.set(folded, tag);
  };
  const addEach = (item: string): void => {
    if (SIMPLE_TAG.test(item)) add(item);
    else for (const part of item.split(/[,\s]+/)) add(part.replace(/^#+/, ""));
  };
  if (!Array.isArray(value)) addEach(value === null ? "" : (text ?? scalarText(value)));
  else for (const item of value) if (typeof item !== "object") addEach(String(item));
  return [...tags.values()];
}

const SIMPLE_TAG = /^[\w/-]+$/;

function scalarText(value: PropertyValue): string {
  return value === null || typeof value === "object" ? "" : String(value);
}

/** Each once (case ignored), those of properties first. @param inline from `visitNote` */
export function noteTags(properties: readonly Property[], inline: readonly string[]): string[] {
  const tags = new Map<string, string>();
  const own = properties.filter(({ key }) => isTagKey(key)).flatMap(({ value, text: word }) => readTags(value, word));
  for (const tag of [...own, ...inline]) {
    const key = tag.toLowerCase();
    if (!tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
}

/** With the tags above nested ones. */
export const withOuterTags = (tags: readonly string[]): readonly string[] => [
  ...new Set(tags.flatMap((tag) => tag.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/")))),
];
