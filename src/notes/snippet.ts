/** What an answer shows of a note: its beginning, or the line with the words. */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { Term } from "../search/words.js";
import { hasTerm } from "../search/score.js";
import { endWithin, wholeCharacter } from "../text/answer-weight.js";
import { fold } from "../text/fold.js";

/** UTF-16 units; docs: notes-and-files, "find_notes". */
const MAX_CONTENT_LENGTH = 3_000;
/** UTF-16 units; a third of them before the word. */
const SNIPPET = 240;
/** UTF-16 units. */
const MAX_SEARCHED = 1_000_000;

interface Content {
  readonly content: string;
  readonly truncated: boolean;
}

/**
 * Cut between characters, with a marker that explains how to read the rest.
 * @param room weight left (text/answer-weight), possibly 0
 * @param uri for `resources/read`
 */
export function shownContent(text: string, room: number, uri: string): Content {
  const end = wholeCharacter(text, Math.min(endWithin(text, 0, room), MAX_CONTENT_LENGTH));
  if (end === text.length) return { content: text, truncated: false };
  const shown = text.slice(0, end);
  const marker = `[… ${shown.length} of ${text.length} characters; resources/read ${uri} gives all of them]`;
  return { content: `${shown}\n\n${marker}`, truncated: true };
}

/** The body's first line with the most query words, except a heading that repeats the title. */
export function snippetOf(text: string, terms: readonly Term[], title: string, length = SNIPPET): string | undefined {
  const body = text.slice(splitNote(text).bodyStart, MAX_SEARCHED);
  let best: { readonly line: string; readonly at: number; readonly found: number } | undefined;
  for (const line of body.split("\n")) {
    const folded = fold(line);
    if (isTitle(folded, title)) continue;
    const present = terms.filter((term) => hasTerm(folded, term));
    const [first] = present;
    if (first === undefined || present.length <= (best?.found ?? 0)) continue;
    best = { line, at: folded.indexOf(first.text), found: present.length };
    if (present.length === terms.length) break;
  }
  return best && around(best.line, best.at, length);
}

function isTitle(line: string, title: string): boolean {
  return line.startsWith("#") && line.replace(/^#+\s*|\s+$/g, "") === fold(title);
}

function around(line: string, at: number, length: number): string {
  const start = Math.max(0, Math.min(at - Math.floor(length / 3), line.length - length));
  const end = Math.min(line.length, start + length);
  const shown = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .trim();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}
