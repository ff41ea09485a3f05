/** Says that a change has broken a note's properties. */
import { readFrontmatter, splitNote } from "./frontmatter.js";

/**
 * Why Obsidian or our own edits refuse the properties of a note after a change; undefined where they accept them, and
 * where they refused them before. @param before empty for a new note
 */
export function brokenProperties(before: string, after: string): string | undefined {
  const { frontmatter: block, bodyStart } = splitNote(before);
  if (block !== undefined && faultIn(before) !== undefined) return undefined;
  const fault = faultIn(after);
  if (fault !== undefined || block === undefined || splitNote(after).frontmatter) return fault;
  return after.includes(before.slice(block.start, bodyStart))
    ? "the frontmatter no longer begins in line 1."
    : undefined;
}

function faultIn(text: string): string | undefined {
  const { problem, warning } = readFrontmatter(text);
  const fault = problem ?? (warning?.editable === true ? undefined : warning);
  return fault && `line ${fault.line}, column ${fault.column}: ${fault.message}`;
}
