/** The settings footer of a Kanban board. With text after it, the plugin loses the settings or the text. */
import { VaultError } from "../../errors.js";
import { splitNote } from "../frontmatter/frontmatter.js";
import { headings } from "../outline.js";

/** `%% kanban:settings`, a fenced block of JSON, `%%`. */
const FOOTER = /^%%[ \t]*kanban:settings[ \t]*\r?\n```[^\n]*\n([\s\S]*?)\n```[ \t]*\r?\n%%[ \t]*\r?$/m;
const OPENING = /^%%[ \t]*kanban:settings\b/m;

export function isBoard(text: string): boolean {
  const { frontmatter } = splitNote(text);
  return frontmatter !== undefined && /^kanban-plugin[ \t]*:/m.test(text.slice(frontmatter.start, frontmatter.end));
}

export interface Footer {
  /** In UTF-16 units. */
  readonly start: number;
  readonly json: string;
}

/** Undefined for a footer with text after it, which the plugin ignores. */
export function footerOf(text: string): Footer | undefined {
  const found = FOOTER.exec(text);
  return found !== null && text.slice(found.index + found[0].length).trim() === ""
    ? { start: found.index, json: found[1] ?? "" }
    : undefined;
}

/** Where a footer begins, even if the plugin ignores it: nothing is written after it. */
export const settingsStart = (text: string): number | undefined => OPENING.exec(text)?.index;

/** Non-blank lines; of a footer that is never closed, those after its first line. */
export function linesBehindFooter(text: string): readonly string[] {
  const found = FOOTER.exec(text) ?? OPENING.exec(text);
  if (found === null || !isBoard(text)) return [];
  return text
    .slice(found.index + found[0].length)
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/**
 * Text already there may stay, move or go.
 * @param name for messages
 * @throws VaultError INVALID_ARGUMENT for new text after a footer
 */
export function assertNothingBehindFooter(name: string, before: string, after: string): void {
  if (!after.includes("kanban:settings") || footerOf(after)?.start === OPENING.exec(after)?.index) return;
  const known = linesBehindFooter(before);
  if (linesBehindFooter(after).some((line) => !known.includes(line))) throw droppedText(name, after);
}

export function droppedText(name: string, text: string): VaultError {
  const lanes = headings(text, splitNote(text).bodyStart).map((heading) => heading.text);
  return new VaultError("INVALID_ARGUMENT", `'${name}' is a Kanban board; the plugin would drop this text.`, {
    hint:
      lanes.length === 0
        ? "Add a heading for its first lane above the settings at its end."
        : `Name a lane as heading (${lanes.join(", ")}) and write list items.`,
  });
}
