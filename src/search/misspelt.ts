/** Finds the words that a misspelt one may mean, with the radix tree of MiniSearch. */
import type SearchableMap from "minisearch/SearchableMap";
import { loopTurn } from "../async/yield-to-loop.js";
import { editDistance } from "../text/nearest.js";

/**
 * Lengths (UTF-16 units) of words that may have typing errors: shorter ones have too many neighbours, longer ones are
 * slow.
 */
const ONE_TYPO_FROM = 4;
const TWO_TYPOS_FROM = 8;
const TYPOS_UP_TO = 32;
/** Added to the tree before other work gets a turn. */
const WORDS_AT_ONCE = 5_000;

/** By the state that they are the words of, and a name. */
const trees = new WeakMap<object, Map<string, Promise<SearchableMap>>>();

export interface Words {
  /** What changes with the words, such as a view of the index. */
  readonly state: object;
  readonly name: string;
  /** Folded, each once. Called once for each state. */
  readonly all: () => Iterable<string>;
}

/**
 * The words with the fewest typing errors, in the alphabet's order; none for a short word or a number. Swapped letters
 * are one error.
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
  // MiniSearch counts two for swapped letters.
  const near = (await treeOf(words)).fuzzyGet(wanted, typos + 1);
  const byErrors: string[][] = [];
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

function typosAllowed(word: string): number {
  // A different number is no misspelling, and letters of two UTF-16 units would be cut.
  if (word.length < ONE_TYPO_FROM || word.length > TYPOS_UP_TO || /\p{N}|[^\0-\uffff]/u.test(word)) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

function treeOf({ state, name, all }: Words): Promise<SearchableMap> {
  let known = trees.get(state);
  if (!known) trees.set(state, (known = new Map()));
  let tree = known.get(name);
  if (!tree) known.set(name, (tree = treeWith(all())));
  return tree;
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
