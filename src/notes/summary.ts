/** Summaries of notes: extracted, never invented, and the same for the same note (docs: notes-and-files, "summarise_note"). */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { plainBlocks, type PlainBlock } from "../markdown/plain-text.js";
import { firstWords, sentencesOf, wordCount } from "../text/sentences.js";
import { endWithin } from "../text/answer-weight.js";
import { pickSentences, type Sentence } from "./sentence-choice.js";

export interface Summary {
  readonly text: string;
  /** Words of `text`: tokens between spaces; in scripts without spaces what `Intl.Segmenter` calls a word. */
  readonly words: number;
}

/** How much of a note's text is used (UTF-16 units), about a hundred pages. Bounds the time. */
const LOOKED_AT = 200_000;
/** The headings' share of the budget before any sentence is chosen. */
const HEADINGS_SHARE = 0.25;
/** Maximum average weight of a word (text/answer-weight); real words have a third of it, in any language. */
const WORD_WEIGHT = 24;

/** A block with its sentences; a heading is its own only sentence. */
interface Part {
  readonly block: PlainBlock;
  readonly sentences: readonly Sentence[];
}

/**
 * The note's headings and most representative sentences in order, within `maxWords`; the whole text when it fits. Frontmatter,
 * code, tables and markup are omitted; a note without other text has an empty summary.
 */
export function summarise(note: string, maxWords: number): Summary {
  const parts = partsOf(plainBlocks(note, splitNote(note).bodyStart, LOOKED_AT), maxWords);
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
    // Counted on demand, because most sentences of a long note are never chosen.
    get words() {
      return (words ??= wordCount(text, most));
    },
  };
}

function totalWithin(sentences: readonly Sentence[], maxWords: number): boolean {
  let total = 0;
  return sentences.every(({ words }) => (total += words) <= maxWords);
}

/** Headings level by level while whole levels fit; of the first level that does not fit, those from the top. */
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

/**
 * Headings and blocks on their own lines, with a blank line before each heading. Cut if its "words" are endless runs of
 * characters.
 */
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
