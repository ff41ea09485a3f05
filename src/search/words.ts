/** Splits folded texts into words and queries into terms, in scripts with and without spaces between words. */
import { fold } from "../text/fold.js";

/** Spaces, punctuation, symbols, emoji. */
export const SEPARATOR = 0;
export const SPACED = 1;
/** Written without spaces (Chinese, Japanese, Thai), or with endings attached (Korean). */
export const UNSPACED = 2;
type CharacterClass = typeof SEPARATOR | typeof SPACED | typeof UNSPACED;

const UNKNOWN = 255;
/** Cached: a regular expression per character would dominate a search. */
const known = new Uint8Array(0x10000).fill(UNKNOWN);

function classOf(codePoint: number): CharacterClass {
  const found = known[codePoint];
  if (found !== undefined && found !== UNKNOWN) return found as CharacterClass;
  const character = String.fromCodePoint(codePoint);
  const answer = codePoint < 0x80 ? classOfAscii(character) : classByScript(character);
  if (codePoint < known.length) known[codePoint] = answer;
  return answer;
}

function classOfAscii(character: string): CharacterClass {
  return /[a-z0-9]/i.test(character) ? SPACED : SEPARATOR;
}

const PART_OF_WORD = /[\p{L}\p{N}\p{M}]/u;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

function classByScript(character: string): CharacterClass {
  if (!PART_OF_WORD.test(character)) return SEPARATOR;
  return WITHOUT_SPACES.test(character) ? UNSPACED : SPACED;
}

export function classBefore(text: string, index: number): CharacterClass {
  if (index <= 0) return SEPARATOR;
  const unit = text.charCodeAt(index - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return classOf(low && index > 1 ? (text.codePointAt(index - 2) ?? unit) : unit);
}

export function classAt(text: string, index: number): CharacterClass {
  const codePoint = text.codePointAt(index);
  return codePoint === undefined ? SEPARATOR : classOf(codePoint);
}

/** Calls `visit` with each longest run of one class except SEPARATOR. */
function eachRun(
  text: string,
  visit: (start: number, end: number, kind: typeof SPACED | typeof UNSPACED) => void,
): void {
  let start = 0;
  let kind: CharacterClass = SEPARATOR;
  for (let index = 0, width: number; index < text.length; index += width) {
    const codePoint = text.codePointAt(index) ?? 0;
    width = codePoint > 0xffff ? 2 : 1;
    const next = classOf(codePoint);
    if (next !== kind) {
      if (kind !== SEPARATOR) visit(start, index, kind);
      start = index;
      kind = next;
    }
  }
  if (kind !== SEPARATOR) visit(start, text.length, kind);
}

/** The words of a text; without spaces between them, each character and each pair. */
export function indexWords(text: string): string[] {
  const tokens: string[] = [];
  eachRun(text, (start, end, kind) => {
    const run = text.slice(start, end);
    if (kind === SPACED) tokens.push(run);
    else for (const token of [...Array.from(run), ...neighbourPairs(run)]) tokens.push(token);
  });
  return tokens;
}

export function neighbourPairs(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The rest of a query is ignored. */
const MAX_CHARACTERS = 1_000;
const MAX_TERMS = 32;
/** A run of this many Chinese characters may be several words. */
const MIN_SEVERAL_WORDS = 3;

/**
 * A document must have it. `word` matches a word or its beginning; `whole` a whole word: the letter that signs leave of
 * `C++`; `inside` matches anywhere (text without spaces, emoji, or punctuation alone).
 */
export interface Term {
  readonly kind: "word" | "whole" | "inside";
  readonly text: string;
}

export interface Query {
  /** Folded, with single spaces. */
  readonly phrase: string;
  /** Each once; empty for a blank query. */
  readonly terms: readonly Term[];
}

/** True for blanks and `*` only. */
export function meansAll(query: string): boolean {
  return /^[\s*]*$/.test(query);
}

/** Words of questions and sentences, folded: where nothing has all words of a query, these are left out. */
const SMALL_WORDS = new Set(
  `a about all am an and any are as at be been by can could did do does for from had has have how i in is it its me my of on or our
  please should show so some tell that the their them then there these they this to us was we were what when where which who
  whose why will with would you your find note notes written wrote write
  aber alle als am an auch auf aus bei bin bis das dass dem den der des die diese dieser dieses doch du durch ein eine einem einen einer
  er es fur gab hab habe haben hat hatte ich ihr im in ist kann mein meine mich mir mit nach nicht noch oder sein sich sie sind
  uber um und uns unser vom von vor war waren warum was welche welcher welches wenn wer wie wir wo zu zum zur
  au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur ma mes mon ne nous ou par pas pour
  quand que quel quelle qui sa ses son sur un une vous
  como con cual cuando de del donde el ella en es esta este la las lo los mi mis para por que se su sus un una y`.split(
    /\s+/,
  ),
);

export const isSmallWord = ({ kind, text }: Term): boolean => kind === "word" && SMALL_WORDS.has(text);

/** Nothing in a query has a special meaning. */
export function parseQuery(text: string): Query {
  const chunks = fold(text.slice(0, MAX_CHARACTERS)).split(/\s+/).filter(Boolean);
  const found = new Map<string, Term>();
  const add = (kind: Term["kind"], text: string): void => {
    if (found.size < MAX_TERMS && !found.has(text)) found.set(text, { kind, text });
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
    if (kind === SPACED) add(run.length === 1 && chunk.length > 1 ? "whole" : "word", run);
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
