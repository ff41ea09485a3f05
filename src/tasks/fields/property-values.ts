/** Values of properties as people write them: words, links, lists, flags (docs: tasks, "Fields"). */
import { bareLink, linkTexts, wikilink } from "../../markdown/links/property-links.js";
import type { Property } from "../../markdown/frontmatter/property.js";

const LINE_BREAK = /[\r\n\u000b\u000c\u0085\u2028\u2029]/;
const LINK = /^!?\[\[([^[\]]+)\]\]$/;
const LINKS = /^(?:[,\s]*!?\[\[[^[\]]+\]\])+[,\s]*$/;

/** A line break in a title could fake lines of an answer. */
export function onOneLine(text: string): string {
  if (!LINE_BREAK.test(text)) return text.trim();
  return text.replace(/\s*[\r\n\u000b\u000c\u0085\u2028\u2029]+\s*/g, " ").trim();
}

/** One-line texts: of a scalar, or of each list item; none for empty values and mappings. */
export function textsOf(property: Property): string[] {
  const { text } = property;
  if (text !== undefined) {
    const line = onOneLine(text);
    return line === "" ? [] : [line];
  }
  const texts: string[] = [];
  for (const item of linkTexts(property.value)) {
    const line = onOneLine(item);
    if (line !== "") texts.push(line);
  }
  return texts;
}

export function firstText(property: Property): string | undefined {
  if (property.text === undefined) return textsOf(property)[0];
  return onOneLine(property.text) || undefined;
}

export function isLink(text: string): boolean {
  return text.includes("[[") && LINK.test(text.trim());
}

/** Splits a text that consists of links: `[[A]], [[B]]`. */
export function splitLinks(text: string): string[] {
  if (!text.includes("[[") || (LINK.test(text) && !text.startsWith("!"))) return [text];
  return LINKS.test(text) ? (text.match(/\[\[[^[\]]+\]\]/g) ?? []) : [text];
}

/** `[[_areas/Work.md#Now|my work]]` gives `Work`; plain text stays. */
export function bareName(text: string): string {
  return text.includes("[") ? bareLink(text) || text.trim() : text.trim();
}

/** The name itself if no wikilink can hold it. */
export function asLink(name: string): string {
  const link = wikilink(name);
  return /[\\/:[\]|#^]/.test(name) || bareLink(link) !== name ? name : link;
}

/** A date means true. Undefined for empty or unclear values. */
export function readFlag(property: Property): boolean | undefined {
  const text = (property.text ?? "").trim().toLowerCase();
  if (/^(?:true|yes|y|on|x|1|\u2705|done)$/.test(text) || /^\d{4}-\d{2}-\d{2}/.test(text)) return true;
  return /^(?:false|no|n|off|0)$/.test(text) ? false : undefined;
}
