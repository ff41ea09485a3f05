/** What properties say, read the way people write them: words, links, lists, flags (docs: tasks, "Fields"). */
import { bareLink, linkTexts, wikilink } from "../../markdown/links/property-links.js";
import type { Property } from "../../markdown/frontmatter/property.js";

const LINE_BREAK = /[\r\n\u000b\u000c\u0085\u2028\u2029]/;
const LINK = /^!?\[\[([^[\]]+)\]\]$/;
const LINKS = /^(?:[,\s]*!?\[\[[^[\]]+\]\])+[,\s]*$/;

/** Text on one line: a title or name with line breaks in it could pass for several lines of an answer. */
export function onOneLine(text: string): string {
  if (!LINE_BREAK.test(text)) return text.trim();
  return text.replace(/\s*[\r\n\u000b\u000c\u0085\u2028\u2029]+\s*/g, " ").trim();
}

/** The texts a property holds, each on one line: one for a scalar, one an item for a list, none for an empty value or a mapping. */
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

/** The first of a property's texts; undefined when there is none. */
export function firstText(property: Property): string | undefined {
  if (property.text === undefined) return textsOf(property)[0];
  return onOneLine(property.text) || undefined;
}

/** Whether a text is one wikilink and nothing else. */
export function isLink(text: string): boolean {
  return text.includes("[[") && LINK.test(text.trim());
}

/** The wikilinks of a text that is made of nothing else (`[[A]], [[B]]`); otherwise the text itself. */
export function splitLinks(text: string): string[] {
  if (!text.includes("[[") || (LINK.test(text) && !text.startsWith("!"))) return [text];
  return LINKS.test(text) ? (text.match(/\[\[[^[\]]+\]\]/g) ?? []) : [text];
}

/** The name a link points to, or plain text as it stands: `[[_areas/Work.md#Now|my work]]` gives `Work`. */
export function bareName(text: string): string {
  return text.includes("[") ? bareLink(text) || text.trim() : text.trim();
}

/** A name as a wikilink where one can hold it and is read back as that name; otherwise the name itself. */
export function asLink(name: string): string {
  const link = wikilink(name);
  return /[\\/:[\]|#^]/.test(name) || bareLink(link) !== name ? name : link;
}

/** Yes or no, as checkboxes and plugins write it: a date means yes. Undefined for an empty or unclear value. */
export function readFlag(property: Property): boolean | undefined {
  const text = (property.text ?? "").trim().toLowerCase();
  if (/^(?:true|yes|y|on|x|1|\u2705|done)$/.test(text) || /^\d{4}-\d{2}-\d{2}/.test(text)) return true;
  return /^(?:false|no|n|off|0)$/.test(text) ? false : undefined;
}
