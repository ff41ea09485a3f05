/** Summarises a note by extracting sentences, reproducibly (docs: notes-and-files, "summarise_note"). */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { plainBlocks, type PlainBlock } from "../markdown/plain-text.js";
import { endWithin } from "../text/answer-weight.js";
import { fold } from "../text/fold.js";

export interface Summary {
  readonly text: string;
  /** By spaces, or by `Intl.Segmenter` in scripts without spaces. */
  readonly words: number;
}

/** UTF-16 units, about a hundred pages. */
const MAX_READ = 200_000;
/** Of the budget; taken before any sentence. */
const HEADINGS_SHARE = 0.25;
/** Average weight of a word (text/answer-weight); real words weigh a third. */
const WORD_WEIGHT = 24;

/** A heading's only sentence is itself. */
interface Part {
  readonly block: PlainBlock;
  readonly sentences: readonly Sentence[];
}

/** Headings and the most representative sentences, in order; the whole text if it fits, without frontmatter, code, tables and markup. */
export function summarise(note: string, maxWords: number): Summary {
  const parts = partsOf(plainBlocks(note, splitNote(note).bodyStart, MAX_READ), maxWords);
  const all = parts.flatMap(({ sentences }) => sentences);
  if (totalWithin(all, maxWords)) return summaryOf(parts, new Map(all.map((one) => [one, one.text])), maxWords);
  const chosen = new Set(chosenHeadings(all, Math.floor(maxWords * HEADINGS_SHARE)));
  const room = maxWords - [...chosen].reduce((words, { words: more }) => words + more, 0);
  pickSentences(all, chosen, room);
  const shown = new Map([...chosen].map((one) => [one, one.text]));
  const first = all.find(({ level }) => level === 0);
  // No sentence is short enough.
  if (first && ![...chosen].some(({ level }) => level === 0)) shown.set(first, `${firstWords(first.text, room)}…`);
  return summaryOf(parts, shown, maxWords);
}

function partsOf(blocks: readonly PlainBlock[], maxWords: number): Part[] {
  let heading: Sentence | undefined;
  let inSection = 0;
  return blocks.map((block) => {
    if (block.level > 0) {
      heading = sentence(block.text, maxWords, { level: block.level, heading: undefined, place: 0 });
      inSection = 0;
      return { block, sentences: [heading] };
    }
    const sentences = sentencesOf(block.text).map((text) =>
      sentence(text, maxWords, { level: 0, heading, place: inSection++ }),
    );
    return { block, sentences };
  });
}

function sentence(text: string, most: number, rest: Pick<Sentence, "level" | "heading" | "place">): Sentence {
  let words: number | undefined;
  return {
    ...rest,
    text,
    // Lazy: few sentences are chosen.
    get words() {
      return (words ??= wordCount(text, most));
    },
  };
}

function totalWithin(sentences: readonly Sentence[], maxWords: number): boolean {
  let total = 0;
  return sentences.every(({ words }) => (total += words) <= maxWords);
}

/** Whole levels while they fit, then headings from the top. */
function chosenHeadings(sentences: readonly Sentence[], budget: number): Sentence[] {
  const chosen: Sentence[] = [];
  let room = budget;
  for (let level = 1; level <= 6; level++)
    for (const heading of sentences) {
      if (heading.level !== level) continue;
      if (heading.words > room) return chosen;
      chosen.push(heading);
      room -= heading.words;
    }
  return chosen;
}

/** Blank lines precede headings. Truncates endless "words". */
function summaryOf(parts: readonly Part[], shown: ReadonlyMap<Sentence, string>, maxWords: number): Summary {
  const lines: string[] = [];
  for (const { block, sentences } of parts) {
    const kept = sentences.flatMap((one) => shown.get(one) ?? []);
    if (kept.length === 0) continue;
    if (block.level > 0 && lines.length > 0) lines.push("");
    lines.push(kept.join(" "));
  }
  const whole = lines.join("\n");
  const end = endWithin(whole, 0, maxWords * WORD_WEIGHT);
  const text = end === whole.length ? whole : `${whole.slice(0, end)}…`;
  return { text, words: wordCount(text) };
}

interface Sentence {
  readonly text: string;
  /** Exact up to the budget. */
  readonly words: number;
  /** 1 to 6 for a heading, 0 for text. */
  readonly level: number;
  readonly heading: Sentence | undefined;
  /** Index of the sentence under its heading. */
  readonly place: number;
}

const MAX_CANDIDATES = 400;
/** Factor for a word of an earlier chosen sentence. */
const SAID_AGAIN = 0.35;
/** Factor for a section that already contributed. */
const SAME_SECTION = 0.8;
/** Letters compared: ignores endings. */
const STEM = 7;

/** Words of up to three letters are always skipped. */
const EMPTY = new Set(
  (
    "about above after again also although always another because been before being below between both cannot could does doing " +
    "down during each either else even every from further have having here hers herself himself however into itself just like made " +
    "make many more most much must myself never nevertheless only other ours over same shall should since some still such than that " +
    "their theirs them themselves then there these they this those though through thus under until upon used using very want well " +
    "were what when where whether which while will with within without would your yours yourself aber alle auch beim dass dann dem " +
    "denn diese dieser dieses doch durch eine einem einen einer eines haben hier ihre immer kann mehr nach nicht noch oder ohne " +
    "sein seine sich sind uber unter werden wenn wird wurde zwischen avec cette comme dans elle elles etre leur mais nous plus pour " +
    "sans sont tout tous vous como donde entre esta este esto hasta para pero porque sobre tambien todo"
  )
    .split(" ")
    .map((word) => word.slice(0, STEM)),
);

interface Candidate {
  readonly sentence: Sentence;
  readonly terms: readonly string[];
  readonly factor: number;
  readonly index: number;
}

/** With their headings; stable for equal scores. */
function pickSentences(sentences: readonly Sentence[], chosen: Set<Sentence>, maxWords: number): void {
  const candidates = sentences
    .map((sentence, index) => ({ sentence, index, factor: factorOf(sentence, index), terms: termsOf(sentence.text) }))
    .filter(({ sentence }) => sentence.level === 0);
  const weights = weightsOf(sentences, candidates);
  const fromSection = new Map<Sentence | undefined, number>();
  let left = best(candidates, weights).filter(({ sentence }) => sentence.words <= maxWords);
  let room = maxWords;
  while (left.length > 0) {
    const [top] = left
      .map((candidate) => [candidate, score(candidate, weights, fromSection)] as const)
      .reduce((one, other) => (other[1] > one[1] ? other : one));
    const { sentence } = top;
    chosen.add(sentence);
    room -= sentence.words;
    const { heading } = sentence;
    if (heading && !chosen.has(heading) && heading.words <= room) {
      chosen.add(heading);
      room -= heading.words;
    }
    for (const term of top.terms) weights.set(term, (weights.get(term) ?? 0) * SAID_AGAIN);
    fromSection.set(heading, (fromSection.get(heading) ?? 0) + 1);
    left = left.filter((other) => other !== top && other.sentence.words <= room);
  }
}

function best(candidates: readonly Candidate[], weights: ReadonlyMap<string, number>): Candidate[] {
  if (candidates.length <= MAX_CANDIDATES) return [...candidates];
  return candidates
    .map((candidate) => ({ candidate, value: score(candidate, weights) }))
    .sort((one, other) => other.value - one.value || one.candidate.index - other.candidate.index)
    .slice(0, MAX_CANDIDATES)
    .map(({ candidate }) => candidate)
    .sort((one, other) => one.index - other.index);
}

/** Each further word counts less: length alone must not win. */
function score(
  { sentence, terms, factor }: Candidate,
  weights: ReadonlyMap<string, number>,
  fromSection: ReadonlyMap<Sentence | undefined, number> = new Map(),
): number {
  let sum = 0;
  for (const term of terms) sum += weights.get(term) ?? 0;
  return (sum / Math.sqrt(terms.length + 6)) * factor * SAME_SECTION ** (fromSection.get(sentence.heading) ?? 0);
}

/** Texts and sections begin with their subject; questions and announcements say less. */
function factorOf({ text, place }: Sentence, index: number): number {
  const first = place === 0 ? 1.5 : place === 1 ? 1.15 : 1;
  const opening = index <= 2 ? 1.3 : 1;
  const form = /[:：]$/u.test(text) ? 0.5 : /[?？؟]$/u.test(text) ? 0.7 : 1;
  return first * opening * form;
}

/** A term weighs most in several, but not all, sentences, and more in a heading. */
function weightsOf(sentences: readonly Sentence[], candidates: readonly Candidate[]): Map<string, number> {
  const shared = new Map<string, number>();
  for (const { terms } of candidates) for (const term of terms) shared.set(term, (shared.get(term) ?? 0) + 1);
  const weights = new Map<string, number>();
  for (const [term, count] of shared)
    weights.set(term, count === 1 ? 0.5 : count * Math.log((candidates.length + 1) / count));
  for (const { text, level } of sentences) {
    if (level === 0) continue;
    for (const term of termsOf(text)) weights.set(term, 1.5 * (weights.get(term) ?? 0) + 1);
  }
  return weights;
}

/** Each word once; character pairs in scripts without spaces. */
function termsOf(text: string): string[] {
  const terms = new Set<string>();
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(run)) {
      const characters = Array.from(run);
      for (let at = 0; at + 1 < characters.length; at += 1)
        terms.add(`${characters[at] ?? ""}${characters[at + 1] ?? ""}`);
    } else if (run.length > 3 && !EMPTY.has(run.slice(0, STEM))) terms.add(run.slice(0, STEM));
  }
  return [...terms];
}

/** `Intl.Segmenter` is slower than linear. */
const PIECE = 2_000;
const TAIL = 40;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** These end no sentence. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|dr|mrs?|ms|prof|st|vs|cf|no|nr|fig|vol|inc|ltd|jr|sr|e\.g|i\.e|z\.\s?b|d\.\s?h|bzw|ca)\.$/iu;

let sentenceSegmenter: Intl.Segmenter | undefined;
let wordSegmenter: Intl.Segmenter | undefined;

export function sentencesOf(text: string): string[] {
  if (!mayHoldSeveral(text)) return text.trim() === "" ? [] : [text.trim()];
  sentenceSegmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: string[] = [];
  let start = 0;
  let at = 0;
  for (const piece of piecesOf(text))
    for (const { segment } of sentenceSegmenter.segment(piece)) {
      at += segment.length;
      // The last segment may continue in the next piece.
      if (!isClosed(text.slice(Math.max(start, at - TAIL), at).trimEnd()) || isInsideWord(text, at)) continue;
      sentences.push(text.slice(start, at).trim());
      start = at;
    }
  const rest = text.slice(start).trim();
  if (rest !== "") sentences.push(rest);
  return sentences.filter((sentence) => sentence !== "");
}

/** As in `example.org/?x=1`. */
const isInsideWord = (text: string, at: number): boolean =>
  /[.!?]/.test(text.charAt(at - 1)) && /[\w%&=/#?.-]/.test(text.charAt(at));

/** Most list items need no segmenter. */
function mayHoldSeveral(text: string): boolean {
  const end = text.search(/[.!?…。！？｡؟۔։]/u);
  return end !== -1 && /[\p{L}\p{N}]/u.test(text.slice(end + 1));
}

/** Between spaces, else of `Intl.Segmenter`. Stops above `most`. */
export function wordCount(text: string, most = Infinity): number {
  let count = 0;
  for (const [token] of text.matchAll(/\S+/gu)) {
    count += wordsIn(token, most - count);
    if (count > most) break;
  }
  return count;
}

export function firstWords(text: string, count: number): string {
  let words = 0;
  for (const { 0: token, index } of text.matchAll(/\S+/gu)) {
    const more = wordsIn(token, count - words);
    if (words + more > count) return text.slice(0, index + lengthOfWords(token, count - words)).trimEnd();
    words += more;
  }
  return text;
}

function isClosed(sentence: string): boolean {
  return /[.!?…。！？｡।؟۔։]["'”’»)\]」』）]*$/u.test(sentence) && !ABBREVIATED.test(sentence);
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + PIECE);
    if (end < text.length) {
      const blank = text.lastIndexOf(" ", end - 1);
      if (blank > at) end = blank + 1;
      else if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    }
    yield text.slice(at, end);
    at = end;
  }
}

function wordsIn(token: string, most: number): number {
  if (!UNSPACED.test(token)) return 1;
  let count = 0;
  for (const { isWordLike } of wordSegments(token)) {
    if (isWordLike) count += 1;
    if (count > most) break;
  }
  return Math.max(1, count);
}

/** Of the first `count` words of a token without spaces. */
function lengthOfWords(token: string, count: number): number {
  if (count === 0 || !UNSPACED.test(token)) return 0;
  let words = 0;
  let length = 0;
  for (const { segment, isWordLike } of wordSegments(token)) {
    if (isWordLike && ++words > count) break;
    length += segment.length;
  }
  return length;
}

function* wordSegments(token: string): Generator<Intl.SegmentData> {
  wordSegmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const piece of piecesOf(token)) yield* wordSegmenter.segment(piece);
}
