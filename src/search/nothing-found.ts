/** Says how the words of a query were read, and why a search found nothing. */
import { counted, call, said, type Wording } from "../text/wording.js";

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

/** As other programs write exclusion, alternatives, fields and phrases. */
const OPERATORS =
  /(?<=^|\s)(?:-\p{L}\S*|OR|AND|NOT|(?:tags?|path|file|folder|line|section|property|title):\S+|["“„«](?=\S)[^"“”„«»]*\s[^"“”„«»]*["”“»])(?=\s|$)/gu;
/** Words with signs that matter and are not searched: `C++`, `50%`, `a.b`, `don't`. */
const SIGNED =
  /[\p{L}\p{N}][+%$&=<>^|~\\]|[+%$&=<>^|~\\][\p{L}\p{N}]|(?<![\p{L}\p{N}])\p{L}[^\p{L}\p{M}\p{N}\s-]|[^\p{L}\p{M}\p{N}\s-]\p{L}(?![\p{L}\p{M}\p{N}])/u;

/** Queries have no operators, and signs are not searched: these were searched as words. */
export function operatorsRemark(query: string): readonly Wording[] {
  const operators = [...new Set(query.match(OPERATORS))];
  const signed = [...new Set(query.split(/\s+/))].filter((word) => SIGNED.test(word.replace(EDGES, "")));
  const exact = (text: string) => said` For exact text: ${call("search", { query: text })}.`.or("");
  const phrase = operators.find((word) => /^["“„«]/.test(word))?.slice(1, -1);
  return [
    ...(operators.length === 0
      ? []
      : [
          said`Searched as plain words: ${quoted(operators)}. A query has no operators, and every word must match.${phrase === undefined ? "" : exact(phrase)}`,
        ]),
    ...(signed.length === 0
      ? []
      : [said`Only letters and numbers are searched: ${quoted(signed)}.${exact(signed[0] ?? "")}`]),
  ];
}

/** Marks around a word. */
const EDGES = /^["'“”„«»‘’([{#@-]+|["'“”„«»‘’)\]},.;:!?]+$/gu;

interface PartialMatches {
  /** Best first. */
  readonly matches: readonly { readonly name: string; readonly lacks: readonly string[] }[];
  /** Words that none has. */
  readonly unknown: readonly string[];
  /** How many words were searched. */
  readonly words: number;
}

/** @param isFiltered only the notes or tasks of filters were searched */
export function partialRemarks(
  what: string,
  { matches, unknown, words }: PartialMatches,
  isFiltered: boolean,
): readonly string[] {
  if (words === 0 || (isFiltered && words < 2)) return [];
  const of = isFiltered ? " of the filters" : "";
  const has = unknown.length === 0 ? [] : [`No ${what}${of} has ${quoted(unknown)}.`];
  if (matches.length === 0 || words < 2) return has;
  const best = matches.map(({ name, lacks }) => `${name} (lacks ${quoted(lacks)})`);
  return [...has, `Only some of the words: ${best.join("; ")}.`];
}

/** Why a folder has nothing: it has no notes, or some that no search finds. */
export function folderRemark(
  folder: string,
  { all, hidden }: { readonly all: number; readonly hidden: number },
): string | undefined {
  if (all === 0) return `No note is below '${shown(folder)}'.`;
  if (hidden === 0) return undefined;
  return `Not searched: ${counted(hidden, "note")} below '${shown(folder)}' (templates, or excluded in Obsidian's settings).`;
}

/** In a sentence. */
export const HIDDEN = "templates, and notes excluded in Obsidian's settings,";

/** In a search. */
export const THE_QUERY = "the query";

interface Search {
  readonly what: string;
  /** Filters and the query, as callers write them. */
  readonly parts: readonly string[];
  /** How many are found with some of the parts. */
  readonly count: (isIn: (part: number) => boolean) => Promise<number>;
  /** Something else says why a single filter finds nothing. */
  readonly isExplained?: boolean;
}

/** Nothing for a query alone. */
export async function whatExcludes({ what, parts, count, isExplained = false }: Search): Promise<readonly string[]> {
  if (parts.length === 0 || (parts.length === 1 && (isExplained || parts[0] === THE_QUERY))) return [];
  const found = async (isIn: (part: number, own: number) => boolean) =>
    await Promise.all(parts.map(async (part, own) => ({ part, total: await count((at) => isIn(at, own)) })));
  const without = (await found((at, own) => at !== own)).filter(({ total }) => total > 0);
  if (without.length > 0)
    return [without.map(({ part, total }) => `Without ${shown(part)}: ${counted(total, what)}.`).join(" ")];
  if (parts.length === 1) return [];
  const alone = await found((at, own) => at === own);
  return [`Alone: ${alone.map(({ part, total }) => `${shown(part)} ${counted(total, what)}`).join(", ")}.`];
}
