/** The tags of a note, from its properties and its text. */
import type { Property } from "./frontmatter/frontmatter.js";
import { readTags } from "./links/property-links.js";

/**
 * Each tag once regardless of case, those of the properties (`tags`, `tag`) first. @param properties as from `readFrontmatter`
 * @param inline those in the text, from `visitNote`
 */
export function noteTags(properties: readonly Property[], inline: readonly string[]): string[] {
  const tags = new Map<string, string>();
  const own = properties
    .filter(({ key }) => /^tags?$/i.test(key))
    .flatMap(({ value, text: word }) => readTags(value, word));
  for (const tag of [...own, ...inline]) {
    const key = tag.toLowerCase();
    if (!tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
}
