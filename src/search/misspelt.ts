/**
 * What is tried when nothing has all words of a query: without small words, then with near words for misspelt ones (the
 * radix tree of MiniSearch).
 */
import type SearchableMap from "minisearch/SearchableMap";
import { loopTurn } from "../async/timers.js";
import { editDistance } from "../text/nearest.js";
import type { MisspeltWord } from "./nothing-found.js";
import { isSmallWord, type Term } from "./words.js";

/**
 * Lengths (UTF-16 units) of words that may have typing errors: shorter ones have too many neighbours, longer ones are
 * slow.
 */
const ONE_TYPO_FROM = 4;
const TWO_TYPOS_FROM = 8;
const TYPOS_UP_TO = 32;
/** Added to the tree before other work gets a turn. */
const WORDS_AT_ONCE = 5_000;

interface Words {
  /** What changes with the words: a view of the index. */
  readonly state: { once<Value>(name: string, make: () => Value): Value };
  readonly name: string;
  /** Folded, each once. */
  readonly all: () => Iterable<string>;
  /** With a beginning, also beyond `all`. */
  readonly from?: (beginning: string) => Iterable<string>;
}

/**
 * Other English forms of the word, else those with the fewest typing errors, sorted; none for a short word or a number.
 * Swapped letters are one error.
 * @param wanted folded
 * @param occurs leaves out words that nothing has any more
 */
export async function nearestWords(
  words: Words,
  wanted: string,
  occurs: (word: string) => boolean | Promise<boolean> = () => true,
): Promise<string[]> {
  const typos = typosAllowed(wanted);
  if (typos === 0) return [];
  const { state, name, all, from } = words;
  const tree = await state.once(`words of ${name}`, () => treeWith(all()));
  const stems = stemsOf(wanted);
  const stem = stems.at(-1) ?? wanted;
  const known = new Set(from?.(stem) ?? tree.atPrefix(stem).keys());
  const isForm = (word: string) => word !== wanted && stemsOf(word).some((one) => stems.includes(one));
  // MiniSearch counts two for swapped letters.
  const near = tree.fuzzyGet(wanted, typos + 1);
  const byErrors: string[][] = [[...known].filter(isForm)];
  for (const word of near.keys()) {
    const errors = editDistance(wanted, word, typos);
    // Words of four letters have too many neighbours (work, fork, pork) unless the first letter is right.
    const isOther = wanted.length === ONE_TYPO_FROM && word.charCodeAt(0) !== wanted.charCodeAt(0);
    if (errors > 0 && errors <= typos && !isOther) (byErrors[errors] ??= []).push(word);
  }
  for (const candidates of byErrors) {
    const found: string[] = [];
    for (const word of candidates?.sort() ?? []) if (await occurs(word)) found.push(word);
    if (found.length > 0) return found;
  }
  return [];
}

/** Stems without an English ending: `plann` and `plan` of planned, `batter` of batteries. */
function stemsOf(word: string): string[] {
  const stem = word.replace(/(?<=^[a-z]{3,})(?:ie[sd]|ings?|e[sd]|[esy])$/, "");
  return stem === word ? [word] : [stem, stem.replace(/([^aeiou])\1$/, "$1")];
}

function typosAllowed(word: string): number {
  // A different number is no misspelling, and letters of two UTF-16 units would be cut.
  if (word.length < ONE_TYPO_FROM || word.length > TYPOS_UP_TO || /\p{N}|[^\0-\uffff]/u.test(word)) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

async function treeWith(words: Iterable<string>): Promise<SearchableMap> {
  const { default: Tree } = await import("minisearch/SearchableMap");
  const tree: SearchableMap = new Tree();
  let added = 0;
  for (const word of words) {
    tree.set(word, true);
    if (++added % WORDS_AT_ONCE === 0) await loopTurn();
  }
  return tree;
}

interface Attempts<Word, Hits> {
  /** What a word of the query is searched as; of several terms for a misspelt word, the first. */
  readonly termOf: (word: Word) => Term | undefined;
  /** What has all the words; undefined for nothing. */
  readonly find: (words: readonly Word[]) => Promise<Hits | undefined>;
  /** The nearest words for one that nothing has; undefined for any other. */
  readonly correct: (word: Word) => Promise<{ readonly word: Word; readonly misspelt: MisspeltWord } | undefined>;
}

interface Attempt<Word, Hits> {
  readonly hits: Hits;
  readonly words: readonly Word[];
  /** The words searched, where small ones were left out. */
  readonly without: string | undefined;
}

/** The first attempt that finds something, and the misspelt words that it searched. */
export async function firstFound<Word, Hits>(
  words: readonly Word[],
  attempts: Attempts<Word, Hits>,
): Promise<(Attempt<Word, Hits> & { readonly misspelt: readonly MisspeltWord[] }) | undefined> {
  const found = await withOrWithoutSmall(words, attempts);
  if (found) return { ...found, misspelt: [] };
  const misspelt = new Map<Word, MisspeltWord>();
  const read: Word[] = [];
  for (const word of words) {
    const corrected = await attempts.correct(word);
    read.push(corrected?.word ?? word);
    if (corrected) misspelt.set(corrected.word, corrected.misspelt);
  }
  const again = misspelt.size === 0 ? undefined : await withOrWithoutSmall(read, attempts);
  return again && { ...again, misspelt: again.words.flatMap((word) => misspelt.get(word) ?? []) };
}

async function withOrWithoutSmall<Word, Hits>(
  words: readonly Word[],
  { termOf, find }: Attempts<Word, Hits>,
): Promise<Attempt<Word, Hits> | undefined> {
  const large = largeOnes(words, termOf);
  for (const some of large.length === words.length ? [words] : [words, large]) {
    const hits = await find(some);
    const without = some === words ? undefined : some.flatMap((word) => termOf(word)?.text ?? []).join(" ");
    if (hits !== undefined) return { hits, words: some, without };
  }
  return undefined;
}

/** All of them, if all are small. */
export function largeOnes<Word>(words: readonly Word[], termOf: (word: Word) => Term | undefined): readonly Word[] {
  const isSmall = (term: Term | undefined): boolean => term !== undefined && isSmallWord(term);
  const large = words.filter((word) => !isSmall(termOf(word)));
  return large.length === 0 ? words : large;
}
