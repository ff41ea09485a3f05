/** The tags of a note: those of its properties and those in its text, each once. */
import type { Property } from "./frontmatter/frontmatter.js";
import { readTags } from "./links/property-links.js";

/**
 * A note's tags, those of its properties (`tags`, `tag`) first, each once whatever its case.
 * @param properties as from `readFrontmatter`
 * @param inline those in the text, as `visitNote` tells them
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
