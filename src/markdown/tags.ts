/** The tags of a note: those of its properties and those in its text. */
import type { NoteParts, Property } from "./frontmatter/frontmatter.js";
import { InlineScanner } from "./links/inline.js";
import { readTags } from "./links/property-links.js";
import { scanBlocks } from "./blocks.js";

/** The tags in a note's text, without `#`, as they stand there and in order; those in code, comments and math are none. */
export function inlineTags(text: string, bodyStart: number): string[] {
  const tags: string[] = [];
  if (!text.includes("#", bodyStart)) return tags;
  const inline = new InlineScanner(text, { tag: (tag) => void tags.push(trimmed(tag)) });
  scanBlocks(text, bodyStart, { prose: (start, end) => inline.scan(start, end) });
  return tags.filter((tag) => tag !== "");
}

/**
 * A note's tags, those of its properties (`tags`, `tag`) first, each once whatever its case.
 * @param properties as from `readFrontmatter`
 */
export function noteTags(text: string, parts: NoteParts, properties: readonly Property[]): string[] {
  const tags = new Map<string, string>();
  const own = properties
    .filter(({ key }) => /^tags?$/i.test(key))
    .flatMap(({ value, text: word }) => readTags(value, word));
  for (const tag of [...own, ...inlineTags(text, parts.bodyStart)]) {
    const key = tag.toLowerCase();
    if (!tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
}

/** Without slashes at the ends: `#project/` is the tag `project`. */
function trimmed(tag: string): string {
  return tag.replace(/^\/+|\/+$/g, "");
}
