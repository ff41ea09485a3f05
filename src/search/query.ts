/** Parses search queries into terms, and finds their misspellings among the words of documents. */
import { editDistance } from "../text/nearest.js";
import { ownCopy, fold } from "../text/fold.js";
import { bitCount, eachRun, letterMask, SPACED } from "./words.js";

/** The rest of a query is ignored. */
const MAX_CHARACTERS = 1_000;
const MAX_TERMS = 32;
/**
 * Lengths (UTF-16 units) of words that may have typing errors: shorter ones have too many neighbours, longer ones are
 * slow.
 */
const ONE_TYPO_FROM = 4;
const TWO_TYPOS_FROM = 8;
const TYPOS_UP_TO = 32;
/** A run of this many Chinese characters may be several words. */
const MIN_SEVERAL_WORDS = 3;

/**
 * A document must have it. `word` matches a word, its beginning or a misspelling; `inside` matches anywhere (text
 * without spaces, emoji, or punctuation alone).
 */
export interface Term {
  readonly kind: "word" | "inside";
  readonly text: string;
  /** Typing errors allowed. */
  readonly typos: number;
  readonly mask: number;
  /** Every misspelling contains one of these. */
  readonly traces: readonly string[];
  /** Existing misspellings, if all words are known. */
  readonly spellings?: readonly string[];
  /** Cached, by the document's word; more than `typos` means another word. */
  readonly distances: Map<string, number>;
}

export interface Query {
  /** Folded, with single spaces. */
  readonly phrase: string;
  /** Each once; empty for a blank query. */
  readonly terms: readonly Term[];
}

/** Nothing in a query has a special meaning. */
export function parseQuery(text: string): Query {
  const chunks = fold(text.slice(0, MAX_CHARACTERS)).split(/\s+/).filter(Boolean);
  const found = new Map<string, Term>();
  const add = (kind: Term["kind"], text: string): void => {
    if (found.size < MAX_TERMS && !found.has(text)) found.set(text, makeTerm(kind, text));
  };
  for (const chunk of chunks) addChunk(chunk, add);
  // A query of punctuation alone means the punctuation.
  if (found.size === 0) for (const chunk of chunks) add("inside", chunk);
  return { phrase: chunks.join(" "), terms: withoutParticles([...found.values()]) };
}

/** Japanese changes script between words. */
const SCRIPT_PIECES =
  /\p{Script=Han}+|\p{Script=Hiragana}[\p{Script=Hiragana}ー]*|[\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

function addChunk(chunk: string, add: (kind: Term["kind"], text: string) => void): void {
  let words = 0;
  eachRun(chunk, (start, end, kind) => {
    words++;
    const run = chunk.slice(start, end);
    if (kind === SPACED) add("word", run);
    else for (const piece of run.match(SCRIPT_PIECES) ?? []) for (const word of wordsOf(piece)) add("inside", word);
  });
  if (words === 0 && PICTURE.test(chunk)) add("inside", chunk);
}

let segmenter: Intl.Segmenter | undefined;

/** A note may have the words in another order, or apart. */
function wordsOf(piece: string): readonly string[] {
  if (piece.length < MIN_SEVERAL_WORDS || !/^\p{Script=Han}/u.test(piece)) return [piece];
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return Array.from(segmenter.segment(piece), ({ segment }) => segment);
}

/** Single Hiragana characters (`の`, `を`) and some Chinese ones, beside other terms. */
function withoutParticles(terms: readonly Term[]): readonly Term[] {
  const content = terms.filter((term) => !/^(?:\p{Script=Hiragana}|[的了吗呢吧])$/u.test(term.text));
  return content.length > 0 ? content : terms;
}

function makeTerm(kind: Term["kind"], text: string): Term {
  const typos = kind === "word" ? typosAllowed(text) : 0;
  return { kind, text, typos, mask: letterMask(text), traces: tracesOf(text, typos), distances: new Map() };
}

/**
 * Every misspelling contains one of these. One error spares one of two halves, or swaps the letters between them; two
 * errors spare one of three thirds, or include such a swap.
 */
function tracesOf(word: string, typos: number): string[] {
  const swapped = (text: string, at: number): string =>
    `${text.slice(0, at - 1)}${text.charAt(at)}${text.charAt(at - 1)}${text.slice(at + 1)}`;
  if (typos === 0) return [];
  if (typos === 1) {
    const half = word.length >> 1;
    return [word.slice(0, half), word.slice(half), swapped(word, half)];
  }
  const [first, second] = [Math.floor(word.length / 3), Math.floor((word.length * 2) / 3)];
  return [
    word.slice(0, first),
    word.slice(first, second),
    word.slice(second),
    swapped(word.slice(0, second), first),
    swapped(word.slice(first), second - first),
    swapped(swapped(word, first), second),
  ];
}

function typosAllowed(word: string): number {
  // A different number is no misspelling, and letters of two UTF-16 units would be cut.
  if (word.length < ONE_TYPO_FROM || word.length > TYPOS_UP_TO || /\p{N}|[^\0-\uffff]/u.test(word)) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

/** False is certain; true must be verified. @param mask as from `letterMask` */
function mayBeTypo(term: Term, length: number, mask: number): boolean {
  return Math.abs(length - term.text.length) <= term.typos && bitCount(mask ^ term.mask) <= 2 * term.typos;
}

/** Undefined when `word` is a different word. */
export function typoDistance(term: Term, word: string): number | undefined {
  let distance = term.distances.get(word);
  if (distance === undefined) {
    distance = editDistance(term.text, word, term.typos);
    // Words of four letters have too many neighbours (work, fork, pork) unless the first letter is right.
    if (term.text.length === ONE_TYPO_FROM && word.charCodeAt(0) !== term.text.charCodeAt(0)) distance = term.typos + 1;
    term.distances.set(word, distance);
  }
  return distance <= term.typos ? distance : undefined;
}

export class Vocabulary {
  /** By length: words with their letter masks. Words of removed documents stay. */
  readonly #words = new Map<number, Map<string, number>>();

  add(text: string): void {
    eachRun(text, (start, end, kind, mask) => {
      if (kind !== SPACED) return;
      let words = this.#words.get(end - start);
      if (!words) this.#words.set(end - start, (words = new Map()));
      const word = text.slice(start, end);
      if (!words.has(word)) words.set(ownCopy(word), mask);
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
export function withMisspellings(term: Term, vocabulary: Vocabulary): Term {
  return { ...term, spellings: vocabulary.misspellings(term) };
}
