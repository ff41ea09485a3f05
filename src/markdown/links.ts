/** Wikilinks and tags as they stand in properties. */
import type { PropertyValue } from "./property.js";

/**
 * The note a link points to, bare: `[[Folder/Note#heading|shown]]`, `[shown](Folder/Note.md)` and plain text all give `Note`
 * (plain text is given back trimmed, with its slashes). Spec: tasks, section 2.
 */
export function bareLink(text: string): string {
  const trimmed = text.trim();
  const wiki = /^!?\[\[([^\]]*)\]\]$/.exec(trimmed)?.[1];
  if (wiki !== undefined) return bareTarget(wiki);
  const markdown = /^!?\[[^\]]*\]\(<?([^)>]*)>?\)$/.exec(trimmed)?.[1];
  return markdown === undefined ? trimmed : bareTarget(decoded(markdown));
}

function bareTarget(target: string): string {
  const path = (/^[^|#^]*/.exec(target)?.[0] ?? "").trim().replace(/\\$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.replace(/\.md$/i, "").trim();
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/**
 * The texts a property's value holds, as its writer meant them: a scalar gives one, a list one an item, an unquoted
 * `[[Work]]`, which YAML reads as a list in a list, the link `[[Work]]`. `text` is the property's own text, when it has one.
 */
export function linkTexts(value: PropertyValue, text?: string): string[] {
  if (text !== undefined) return text.trim() === "" ? [] : [text];
  if (!Array.isArray(value)) return value === null || typeof value === "object" ? [] : [String(value)];
  return nestedLink(value) ?? value.flatMap((item) => listed(item));
}

function listed(item: PropertyValue): string[] {
  if (!Array.isArray(item)) return linkTexts(item, typeof item === "string" ? item : undefined);
  return nestedLink(item) ?? [];
}

/** `[[a]]` as YAML reads it, and `[[a, b]]` for a note with a comma in its name. */
function nestedLink(value: readonly PropertyValue[]): string[] | undefined {
  const [inner] = value;
  if (value.length !== 1 || !Array.isArray(inner)) return undefined;
  const words = inner.flatMap((word) => (typeof word === "object" ? [] : [String(word)]));
  return words.length === inner.length && words.length > 0 ? [`[[${words.join(", ")}]]`] : undefined;
}

/** A wikilink to `target`, with `shown` as its text when that differs. */
export function wikilink(target: string, shown?: string): string {
  return shown === undefined || shown === target ? `[[${target}]]` : `[[${target}|${shown}]]`;
}

/**
 * A tag as Obsidian allows it: without `#`, blanks made `-`, other characters it cannot hold left out. Undefined when nothing
 * is left, or only digits. Spec: obsidian, section 1.
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

/** The tags of a property, without `#`, each once (case ignored): from a list, or from a scalar split at commas and blanks. */
export function readTags(value: PropertyValue, text?: string): string[] {
  const tags = new Map<string, string>();
  const texts = Array.isArray(value)
    ? value.filter((item) => typeof item !== "object").map(String)
    : [text ?? scalarText(value)];
  for (const part of texts.flatMap((item) => item.split(/[,\s]+/))) {
    const tag = part.replace(/^#+/, "");
    const folded = tag.toLowerCase();
    if (tag !== "" && !tags.has(folded)) tags.set(folded, tag);
  }
  return [...tags.values()];
}

function scalarText(value: PropertyValue): string {
  return value === null || typeof value === "object" ? "" : String(value);
}
