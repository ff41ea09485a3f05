/** What an answer shows of a note's text: its beginning up to a length, or the place where the query's words are. */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { fold } from "../text/fold.js";
import { endWithin, wholeCharacter } from "../text/answer-weight.js";
import { parseQuery } from "../search/query.js";
import { holds } from "../search/score.js";

/** UTF-16 units; docs: notes-and-files, "find_notes". */
const MAX_CONTENT_LENGTH = 3_000;
/** UTF-16 units of a snippet, and how many of them stand before the word. */
const SNIPPET = 240;
const BEFORE = 80;
/** A snippet is searched for in so much of a text only. */
const LOOKED_AT = 1_000_000;

export interface Content {
  readonly content: string;
  readonly truncated: boolean;
}

/**
 * A note's text, cut between two characters when it is too long or there is no room for it, with a marker that says how to read all of it.
 * @param room what it may weigh (text/answer-weight); it may be used up
 * @param uri for `resources/read`
 */
export function shownContent(text: string, room: number, uri: string): Content {
  const end = wholeCharacter(text, Math.min(endWithin(text, 0, room), MAX_CONTENT_LENGTH));
  if (end === text.length) return { content: text, truncated: false };
  const shown = text.slice(0, end);
  const marker = `[… ${shown.length} of ${text.length} characters; resources/read ${uri} gives all of them]`;
  return { content: `${shown}\n\n${marker}`, truncated: true };
}

/** The surroundings of the first line of the body with the most words of the query, on one line; undefined when no line has any. */
export function snippetOf(text: string, query: string): string | undefined {
  const { terms } = parseQuery(query);
  const body = text.slice(splitNote(text).bodyStart, LOOKED_AT);
  let best: { readonly line: string; readonly at: number; readonly found: number } | undefined;
  for (const line of body.split("\n")) {
    const folded = fold(line);
    const standing = terms.filter((term) => holds(folded, term));
    const [first] = standing;
    if (first === undefined || standing.length <= (best?.found ?? 0)) continue;
    best = { line, at: folded.indexOf(first.text), found: standing.length };
    if (standing.length === terms.length) break;
  }
  return best && around(best.line, best.at);
}

/** Folding shifts places a little: the word may be some characters away from `at`. */
function around(line: string, at: number): string {
  const start = Math.max(0, Math.min(at - BEFORE, line.length - SNIPPET));
  const end = Math.min(line.length, start + SNIPPET);
  const shown = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .trim();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}
