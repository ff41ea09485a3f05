/**
 * Says how the words of a query were read, and why a search found nothing: which filter or word excludes everything, and
 * what has most of the words.
 */
import { counted } from "../text/plural.js";

const MAX_SHOWN = 80;
const shown = (text: string): string => text.replace(/\s+/g, " ").slice(0, MAX_SHOWN);
const quoted = (words: readonly string[]): string => words.map((word) => `"${shown(word)}"`).join(", ");

/** @param what is searched, such as `note` @param read the words that were searched */
export function smallWordsRemark(what: string, query: string, read: string): string {
  return `No ${what} has all words of "${shown(query)}": it was read as "${shown(read)}".`;
}

/** A word that nothing has as written. */
export interface MisspeltWord {
  readonly word: string;
  /** Words of the vault. */
  readonly readAs: readonly string[];
}

const MAX_NAMED = 3;

/** @param what is searched, such as `note` */
export function misspeltRemark(what: string, { word, readAs }: MisspeltWord): string {
  const more = readAs.length > MAX_NAMED ? ` and ${readAs.length - MAX_NAMED} more` : "";
  return `No ${what} has "${shown(word)}"; it was read as ${readAs.slice(0, MAX_NAMED).map(shown).join(", ")}${more}.`;
}

/** As other programs write exclusion, alternatives and fields. */
const OPERATORS = /(?<=^|\s)(?:-\p{L}\S*|OR|AND|NOT|(?:tags?|path|file|folder|line|section|property):\S+)(?=\s|$)/gu;

/** Queries have no operators: these were searched as words. */
export function operatorsRemark(query: string): readonly string[] {
  const found = [...new Set(query.match(OPERATORS))];
  if (found.length === 0) return [];
  return [`Searched as plain words: ${quoted(found)}. A query has no operators, and every word must match.`];
}

interface PartialMatches {
  /** Best first. */
  readonly matches: readonly { readonly name: string; readonly lacks: readonly string[] }[];
  /** Words that none has. */
  readonly unknown: readonly string[];
  /** How many words were searched. */
  readonly words: number;
}

export function partialRemarks(what: string, { matches, unknown, words }: PartialMatches): readonly string[] {
  if (words < 2 || matches.length === 0) return [];
  const has = unknown.length === 0 ? [] : [`No ${what} has ${quoted(unknown)}.`];
  const best = matches.map(({ name, lacks }) => `${name} (lacks ${quoted(lacks)})`);
  return [...has, `Only some of the words: ${best.join("; ")}.`];
}

interface Search {
  readonly what: string;
  /** Filters and the query, as callers write them. */
  readonly parts: readonly string[];
  /** How many are found with some of the parts. */
  readonly count: (isIn: (part: number) => boolean) => Promise<number>;
}

/** Nothing for a single part. */
export async function whatExcludes({ what, parts, count }: Search): Promise<readonly string[]> {
  if (parts.length < 2) return [];
  const found = async (isIn: (part: number, own: number) => boolean) =>
    await Promise.all(parts.map(async (part, own) => ({ part, total: await count((at) => isIn(at, own)) })));
  const without = (await found((at, own) => at !== own)).filter(({ total }) => total > 0);
  if (without.length > 0)
    return [without.map(({ part, total }) => `Without ${shown(part)}: ${counted(total, what)}.`).join(" ")];
  const alone = await found((at, own) => at === own);
  return [`Alone: ${alone.map(({ part, total }) => `${shown(part)} ${counted(total, what)}`).join(", ")}.`];
}
