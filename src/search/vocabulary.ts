/** The words of documents, for finding misspellings. */
import { apart } from "../text/memo.js";
import { mayBeTypo, typoDistance, type Term } from "./query.js";
import { SPACED, eachRun } from "./words.js";

export class Vocabulary {
  /** By length: words with their letter masks. Words of removed documents stay. */
  readonly #words = new Map<number, Map<string, number>>();

  add(text: string): void {
    eachRun(text, (start, end, kind, mask) => {
      if (kind !== SPACED) return;
      let words = this.#words.get(end - start);
      if (!words) this.#words.set(end - start, (words = new Map()));
      const word = text.slice(start, end);
      if (!words.has(word)) words.set(apart(word), mask);
    });
  }

  misspellings(term: Term): string[] {
    const found: string[] = [];
    if (term.typos === 0) return found;
    const { length } = term.text;
    for (let candidate = length - term.typos; candidate <= length + term.typos; candidate++) {
      for (const [word, mask] of this.#words.get(candidate) ?? []) {
        if (mayBeTypo(term, candidate, mask) && typoDistance(term, word) !== undefined) found.push(word);
      }
    }
    return found;
  }
}

/** The term with all its misspellings that occur. */
export function spelt(term: Term, vocabulary: Vocabulary): Term {
  return { ...term, spellings: vocabulary.misspellings(term) };
}
