/** What is tried when nothing has all words of a query: without small words, then with near words for misspelt ones. */
import type { MisspeltWord } from "./nothing-found.js";
import { isSmallWord, type Term } from "./query.js";

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
