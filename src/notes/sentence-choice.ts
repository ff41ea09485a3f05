/**
 * Chooses the sentences that best represent a text: they share words with other sentences and headings, are in prominent
 * places, and do not repeat each other.
 */
import { fold } from "../text/fold.js";

export interface Sentence {
  readonly text: string;
  /** Exact up to the budget; a longer sentence has more. */
  readonly words: number;
  /** 1 to 6: a heading; 0: text. */
  readonly level: number;
  /** The heading above it. */
  readonly heading: Sentence | undefined;
  /** How many sentences precede it under that heading. */
  readonly place: number;
}

/** Limits how many of the best sentences are compared with each other. */
const MAX_CANDIDATES = 400;
/** The weight of a word that an earlier chosen sentence has. */
const SAID_AGAIN = 0.35;
/** The weight of a sentence from a section that already contributed one. */
const SAME_SECTION = 0.8;
/** Words are compared by this many letters, which ignores endings. */
const STEM = 7;

/** English words of more than three letters that say nothing about the subject. Shorter ones are always skipped. */
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

/**
 * Adds to `chosen` the best sentences, with their headings, within `maxWords`. Equal ones keep their order. Takes linear time.
 */
export function pickSentences(sentences: readonly Sentence[], chosen: Set<Sentence>, maxWords: number): void {
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

/** The weight of its words, each further one counting less, so that length alone does not win. */
function score(
  { sentence, terms, factor }: Candidate,
  weights: ReadonlyMap<string, number>,
  fromSection: ReadonlyMap<Sentence | undefined, number> = new Map(),
): number {
  let sum = 0;
  for (const term of terms) sum += weights.get(term) ?? 0;
  return (sum / Math.sqrt(terms.length + 6)) * factor * SAME_SECTION ** (fromSection.get(sentence.heading) ?? 0);
}

/** Texts and sections usually begin with their subject. Questions and announcements say less than what follows them. */
function factorOf({ text, place }: Sentence, index: number): number {
  const first = place === 0 ? 1.5 : place === 1 ? 1.15 : 1;
  const opening = index <= 2 ? 1.3 : 1;
  const form = /[:：]$/u.test(text) ? 0.5 : /[?？؟]$/u.test(text) ? 0.7 : 1;
  return first * opening * form;
}

/** A term weighs most when several, but not all, sentences have it, and more when a heading has it. */
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

/** The words of a sentence, each once; in scripts without spaces, each pair of neighbouring characters. */
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
