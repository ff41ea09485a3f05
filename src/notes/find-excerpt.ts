/** The part of a note's text that an answer shows: its beginning, or a snippet around the query's words. */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { fold } from "../text/fold.js";
import { endWithin, wholeCharacter } from "../text/answer-weight.js";
import { parseQuery } from "../search/query.js";
import { holds } from "../search/score.js";

/** UTF-16 units; docs: notes-and-files, "find_notes". */
const MAX_CONTENT_LENGTH = 3_000;
/** UTF-16 units of a snippet, and of its part before the word. */
const SNIPPET = 240;
const BEFORE = 80;
/** A snippet is searched for in this many units of a text. */
const LOOKED_AT = 1_000_000;

export interface Content {
  readonly content: string;
  readonly truncated: boolean;
}

/**
 * A note's text. When it is too long or does not fit, it is cut between two characters and ends with a marker that says how to
 * read all of it. @param room the weight left (text/answer-weight), possibly none @param uri for `resources/read`
 */
export function shownContent(text: string, room: number, uri: string): Content {
  const end = wholeCharacter(text, Math.min(endWithin(text, 0, room), MAX_CONTENT_LENGTH));
  if (end === text.length) return { content: text, truncated: false };
  const shown = text.slice(0, end);
  const marker = `[… ${shown.length} of ${text.length} characters; resources/read ${uri} gives all of them]`;
  return { content: `${shown}\n\n${marker}`, truncated: true };
}

/**
 * The surroundings of the body's first line with the most words of the query, on one line; undefined when no line has any. A heading that
 * repeats the title says nothing more than the title does.
 */
export function snippetOf(text: string, query: string, title = ""): string | undefined {
  const { terms } = parseQuery(query);
  const body = text.slice(splitNote(text).bodyStart, LOOKED_AT);
  let best: { readonly line: string; readonly at: number; readonly found: number } | undefined;
  for (const line of body.split("\n")) {
    const folded = fold(line);
    if (isTitle(folded, title)) continue;
    const standing = terms.filter((term) => holds(folded, term));
    const [first] = standing;
    if (first === undefined || standing.length <= (best?.found ?? 0)) continue;
    best = { line, at: folded.indexOf(first.text), found: standing.length };
    if (standing.length === terms.length) break;
  }
  return best && around(best.line, best.at);
}

function isTitle(line: string, title: string): boolean {
  return line.startsWith("#") && line.replace(/^#+\s*|\s+$/g, "") === fold(title);
}

/** Folding can shift positions: the word may be a few characters away from `at`. */
function around(line: string, at: number): string {
  const start = Math.max(0, Math.min(at - BEFORE, line.length - SNIPPET));
  const end = Math.min(line.length, start + SNIPPET);
  const shown = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .trim();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}
