/** Excludes documents by their undecoded JSON, for a search that looks at each document once. */
import { fold, foldsByCharacter } from "../text/fold.js";
import { parseQuery, type Term } from "./query.js";

/**
 * Whether a document may match the query; false is certain.
 * @param json as `JSON.stringify` writes it, with every searched text in it or in `beside`
 */
export type Sieve = (json: string, beside: string) => boolean;

export function sieveFor(query: string): Sieve {
  return sieveOf(parseQuery(query).terms.map(needlesOf));
}

/** Whether one of the terms may occur in a document, as typed or misspelt; otherwise like `Sieve`. */
export function anySieveFor(terms: readonly Term[]): Sieve {
  return sieveOf([terms.flatMap(needlesOf)]);
}

/** @param needles in groups; a document must hold one of each group */
function sieveOf(needles: readonly (readonly string[])[]): Sieve {
  // One look tells of most documents that they are ASCII and hold no such word. Of the others, those in Latin-1 are folded and looked
  // at again; one whose characters do not fold one by one is let through.
  const quick = needles.map((anyOf) => new RegExp([...anyOf, ...ODD].join("|"), "i"));
  const exact = needles.map((anyOf) => new RegExp(anyOf.join("|")));
  return (json, beside) => {
    for (const pattern of quick) if (!pattern.test(json) && !pattern.test(beside)) return false;
    if (!foldsByCharacter(json) || json.includes(ESCAPED) || !foldsByCharacter(beside)) return true;
    const [inside, outside] = [fold(json), fold(beside)];
    return exact.every((pattern) => pattern.test(inside) || pattern.test(outside));
  };
}

/** How JSON escapes begin. */
const ESCAPED = String.raw`\u`;
const ODD = [String.raw`[^\0-\x7f]`, String.raw`\\u`];

/** Patterns of which a document must hold one for the term to match, as typed or misspelt: in plain text, and as JSON escapes it. */
function needlesOf({ text, traces }: Term): string[] {
  const parts = traces.length > 0 ? traces : [text];
  const written = new Set(parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]));
  return Array.from(written, (part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
}
