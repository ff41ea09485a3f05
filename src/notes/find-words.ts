/** Finds the words of a query in notes, mostly from the index alone. */
import { TimeSlice } from "../async/yield-to-loop.js";
import { type FullText, type TextPart, foldedPieces } from "../index/full-text.js";
import type { RefreshOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { parseQuery, type Query, withMisspellings, type Term } from "../search/query.js";
import { asTyped, foldDocument, misspelt, POINTS, togetherness, type SearchField } from "../search/score.js";
import { classAt, neighbourPairs, UNSPACED } from "../search/words.js";
import { decodeText } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import type { TextReader } from "../vault/text-reader.js";
import type { FoundRecord } from "./find-filter.js";
import { noteReader, searchedTexts, type SearchedTexts } from "./note-facts.js";

/** The body's weight is 1. A field that is exactly the word counts more (`WHOLE_FIELD`). */
const FIELDS: readonly SearchField<SearchedTexts>[] = [
  { name: "title", weight: 28, text: ({ title }) => title },
  { name: "file name", weight: 28, text: ({ fileName }) => fileName },
  { name: "aliases", weight: 12, text: ({ aliases }) => aliases },
  { name: "tags", weight: 5, text: ({ tags }) => tags },
  { name: "headings", weight: 4, text: ({ headings }) => headings },
  { name: "properties", weight: 2, text: ({ properties }) => properties },
];
const WEIGHTS = FIELDS.map(({ weight }) => weight);

export interface RankedNote {
  readonly record: FoundRecord;
  /** A positive integer; more is better. */
  readonly score: number;
}

interface TermPlaces {
  readonly term: Term;
  /** By file number: the score in the body, or `UNSURE`. */
  readonly body: Uint8Array;
  /** By file number: 1 where another field may have the term. */
  readonly fields: Uint8Array;
}

const UNSURE = 255;

/** In scripts without spaces, longer terms are found by pairs of characters. */
const MAX_SURE_CHARACTERS = 2;

/**
 * Finds notes with every word, exact or as a beginning, outside the body also misspelt; unordered.
 * @param view with words and the facts of `noteReader`
 */
export async function findWords(
  view: IndexView,
  text: string,
  accepts: (record: FoundRecord) => boolean,
  texts: TextReader,
  { signal, onProgress }: Pick<RefreshOptions, "signal" | "onProgress">,
): Promise<RankedNote[]> {
  const { noteCount } = view;
  const slice = new TimeSlice(signal, () => onProgress?.({ done: noteCount, total: noteCount }));
  // Searches after one refresh must not share a turn of the loop.
  await slice.yield();
  const parsed = parseQuery(text);
  if (parsed.terms.length === 0) return [];
  const query = { ...parsed, terms: parsed.terms.map((term) => withMisspellings(term, view.text.vocabulary)) };
  const places: TermPlaces[] = [];
  for (const term of query.terms) places.push(await placesOf(term, view.text, slice));
  const found: RankedNote[] = [];
  const unsure = new Map<VaultPath, FoundRecord>();
  for (const record of view.records(noteReader)) {
    if (slice.isOver) await slice.yield();
    if (!mayMatch(record, places) || !accepts(record)) continue;
    const score = scoreOf(record, query, places);
    if (score === UNKNOWN) unsure.set(record.stat.path, record);
    else if (score > 0) found.push({ record, score });
  }
  for await (const batch of texts.read(
    [...unsure.values()].map(({ stat }) => stat),
    { signal, onProgress },
  ))
    for (const { stat, bytes } of batch) {
      const record = unsure.get(stat.path);
      unsure.delete(stat.path);
      const held = await termsIn(decodeText(bytes) ?? "", query, slice);
      const score = record ? scoreOf(record, query, places, held) : 0;
      if (record && score > 0) found.push({ record, score });
    }
  // An unreadable note still has a title.
  for (const record of unsure.values()) {
    const score = scoreOf(record, query, places, new Set());
    if (score > 0) found.push({ record, score });
  }
  return found;
}

async function placesOf(term: Term, text: FullText, slice: TimeSlice): Promise<TermPlaces> {
  if (term.kind === "inside") return await placesInside(term, text, slice);
  const [exact, beginning] = [
    await text.find("body", { all: [term.text] }, slice),
    await text.find("body", { beginning: term.text }, slice),
  ];
  const body = beginning.map((mark, number) => (exact[number] ? POINTS.exact : mark * POINTS.beginning));
  const fields = await text.find("fields", { beginning: term.text }, slice);
  const { spellings = [] } = term;
  if (spellings.length > 0)
    for (const [number, mark] of (await text.find("fields", { any: spellings }, slice)).entries())
      if (mark) fields[number] = 1;
  return { term, body, fields };
}

/** Of text without spaces the index has characters and pairs; it has no emoji or punctuation. */
async function placesInside(term: Term, text: FullText, slice: TimeSlice): Promise<TermPlaces> {
  const characters = Array.from(term.text);
  const all = characters.length === 1 ? characters : neighbourPairs(term.text);
  const isIndexed = classAt(term.text, 0) === UNSPACED;
  const find = async (part: TextPart): Promise<Uint8Array> =>
    isIndexed ? await text.find(part, { all }, slice) : (await text.find(part, { all: [] }, slice)).fill(1);
  const points = isIndexed && characters.length <= MAX_SURE_CHARACTERS ? POINTS.inside : UNSURE;
  const body = await find("body");
  return { term, body: body.map((mark) => mark * points), fields: await find("fields") };
}

function mayMatch({ number = -1 }: FoundRecord, places: readonly TermPlaces[]): boolean {
  for (const { body, fields } of places) if (!body[number] && !fields[number]) return false;
  return true;
}

const UNKNOWN = -1;

/** 0 when a term is missing, `UNKNOWN` when the text must be read. @param held unsure terms in a body that was read */
function scoreOf(
  { number = -1, stat, facts }: FoundRecord,
  query: Query,
  places: readonly TermPlaces[],
  held?: ReadonlySet<Term>,
): number {
  const isInFields = places.some(({ fields }) => fields[number]);
  const folded = isInFields ? foldDocument(FIELDS, searchedTexts(stat.path, facts)) : undefined;
  let score = folded ? togetherness(folded, query, WEIGHTS) : 0;
  let isUnknown = false;
  for (const { term, body } of places) {
    const inBody = body[number] === UNSURE ? held && (held.has(term) ? POINTS.inside : 0) : (body[number] ?? 0);
    const inFields = folded ? asTyped(folded, term, WEIGHTS) : 0;
    if (inFields === 0 && inBody === undefined) isUnknown = true;
    const points = inFields || inBody || (folded ? misspelt(folded, term, WEIGHTS) : 0);
    if (points === 0 && inBody !== undefined) return 0;
    score += points;
  }
  return isUnknown ? UNKNOWN : score;
}

/** Terms that may match within a word. */
async function termsIn(text: string, { terms }: Query, slice: TimeSlice): Promise<Set<Term>> {
  const held = new Set<Term>();
  for (const piece of foldedPieces(text.slice(splitNote(text).bodyStart))) {
    for (const term of terms) if (piece.includes(term.text)) held.add(term);
    if (slice.isOver) await slice.yield();
  }
  return held;
}
