/** Parses search queries into terms, the same for every source of candidates. */
import { editDistance } from "../text/edit-distance.js";
import { fold } from "../text/fold.js";
import { SPACED, bitCount, eachRun, letterMask } from "./words.js";

/** The rest of a longer query is ignored. */
const MAX_CHARACTERS = 1_000;
const MAX_TERMS = 32;
/**
 * Typing errors are allowed in words of these lengths (UTF-16 units): shorter ones have too many neighbours, longer ones cost
 * too much.
 */
const ONE_TYPO_FROM = 4;
const TWO_TYPOS_FROM = 8;
const TYPOS_UP_TO = 32;
/** Chinese characters that may be more than one word. */
const MIN_SEVERAL_WORDS = 3;

/**
 * A term that must occur in a document. A `word` matches a word, the beginning of one, or a misspelling; `inside` matches
 * anywhere (text without spaces between words, emoji, and punctuation when there is nothing else).
 */
export interface Term {
  readonly kind: "word" | "inside";
  readonly text: string;
  /** How many typing errors are allowed. */
  readonly typos: number;
  readonly mask: number;
  /** Every misspelling of the term contains one of these parts, which show where to look for it. */
  readonly traces: readonly string[];
  /** The existing misspellings of the term, if all words are known in advance. */
  readonly spellings?: readonly string[];
  /** Cached distances by the document's word; more than `typos` means "another word". */
  readonly distances: Map<string, number>;
}

export interface Query {
  /** The query folded, with single spaces. */
  readonly phrase: string;
  /** Each once; none when the query is blank. */
  readonly terms: readonly Term[];
}

/** Parses a query. Nothing in it has a special meaning: it is not a pattern. */
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

/** Pieces of one script: Japanese changes script where one word ends and the next begins. */
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

/** The words of a run of Chinese characters: a note may have them in another order, or apart. */
function wordsOf(piece: string): readonly string[] {
  if (piece.length < MIN_SEVERAL_WORDS || !/^\p{Script=Han}/u.test(piece)) return [piece];
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return Array.from(segmenter.segment(piece), ({ segment }) => segment);
}

/** Drops particles next to other terms: single Hiragana characters (`の`, `を`) and some Chinese ones. */
function withoutParticles(terms: readonly Term[]): readonly Term[] {
  const content = terms.filter((term) => !/^(?:\p{Script=Hiragana}|[的了吗呢吧])$/u.test(term.text));
  return content.length > 0 ? content : terms;
}

function makeTerm(kind: Term["kind"], text: string): Term {
  const typos = kind === "word" ? typosAllowed(text) : 0;
  return { kind, text, typos, mask: letterMask(text), traces: tracesOf(text, typos), distances: new Map() };
}

/**
 * Parts of which every misspelling keeps at least one whole. One typing error leaves one of a word's two halves whole, unless
 * it swaps the letters where they meet. Two errors leave one of three thirds whole, unless one is such a swap, and then what
 * the other error spares is whole.
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
  // A different number is not a misspelling; and letters of two UTF-16 units would be cut.
  if (word.length < ONE_TYPO_FROM || word.length > TYPOS_UP_TO || /\p{N}|[^\0-\uffff]/u.test(word)) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

/** Whether a word of this length and letter mask may be a misspelling of the term; false is certain, true must be verified. */
export function mayBeTypo(term: Term, length: number, mask: number): boolean {
  return Math.abs(length - term.text.length) <= term.typos && bitCount(mask ^ term.mask) <= 2 * term.typos;
}

/** The number of typing errors between the term and a document's word; undefined when it is another word. */
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
