/** Finds the words of a query in notes, usually without reading them, and what an answer shows of a note. */
import { TimeSlice } from "../async/timers.js";
import { type FullText, type TextPart, foldedPieces } from "../index/full-text.js";
import type { ProgressOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { firstFound, largeOnes, nearestWords } from "../search/misspelt.js";
import type { MisspeltWord } from "../search/nothing-found.js";
import { type Query, type Term, UNSPACED, classAt, neighbourPairs, parseQuery } from "../search/words.js";
import { type FoldedDocument, POINTS, asTyped, hasTerm, togetherness } from "../search/score.js";
import { decodeText } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { FILE_OF_ROW, SEARCHED_TEXTS } from "./note-rows.js";
import { endWithin, wholeCharacter } from "../text/answer-weight.js";
import { fold, literalPattern } from "../text/fold.js";
import { allOf, ROWS_PER_FILE } from "../index/subject.js";
import { noteIds } from "./find-filter.js";

const WEIGHTS = SEARCHED_TEXTS.map(({ weight }) => weight);

export interface RankedNotes {
  /** File ids by score: a positive integer; higher is better. */
  readonly byScore: ReadonlyMap<number, readonly number[]>;
  readonly total: number;
  readonly misspelt: readonly MisspeltWord[];
  /** The searched words, if small ones were omitted. */
  readonly without?: string | undefined;
  readonly terms: readonly Term[];
}

interface PartialMatch {
  readonly file: number;
  readonly lacks: readonly string[];
}

interface Places {
  /** A note must contain one. */
  readonly readings: readonly Term[];
  /** By file: the score in the body, or `UNSURE`. */
  readonly body: Uint8Array;
  /** By file: 1 where another field may have the word. */
  readonly fields: Uint8Array;
}

const UNSURE = 255;

/** In scripts without spaces, longer terms are found by character pairs. */
const MAX_SURE_CHARACTERS = 2;

const NOTES_AT_ONCE = 500;

interface SearchOptions extends ProgressOptions {
  readonly vault: Vault;
}

/**
 * Notes with every word, exact or as a prefix. If there are none, omits small words, then replaces an unknown word by the nearest ones of other fields than the body.
 * @param view with words
 */
export async function findWords(
  view: IndexView,
  text: string,
  files: readonly number[],
  options: SearchOptions,
): Promise<RankedNotes> {
  const { signal, onProgress } = options;
  const { noteCount } = view;
  const slice = new TimeSlice(signal, () => onProgress?.({ done: noteCount, total: noteCount }));
  // Concurrent searches after one refresh must not share a turn of the loop.
  await slice.yield();
  const { phrase, terms } = parseQuery(text);
  const search = { ...options, view, phrase, files, slice };
  const places: Places[] = [];
  for (const term of terms) places.push(await placesOf([term], view.text, slice));
  const found = await firstFound(places, {
    termOf: firstTerm,
    find: async (some) => {
      const hits = await scored(search, some);
      return hits.total > 0 ? hits : undefined;
    },
    correct: async (asTerm) => {
      const term = firstTerm(asTerm);
      const readAs = term?.kind !== "word" || occurs(asTerm, search) ? [] : await nearest(term.text, search);
      if (term === undefined || readAs.length === 0) return undefined;
      const word = await placesOf(readAs.flatMap(termsIn), view.text, slice);
      return { word, misspelt: { word: term.text, readAs } };
    },
  });
  if (!found) return { byScore: new Map(), total: 0, misspelt: [], terms };
  const { hits, words, without, misspelt } = found;
  return { ...hits, misspelt, without, terms: termsOf(words) };
}

const firstTerm = ({ readings: [first] }: Places): Term | undefined => first;

const MAX_NAMED = 3;

/** What has `water:: 2`, which Dataview reads and no filter does. */
export async function inlineField(name: string, options: SearchOptions): Promise<string | undefined> {
  const { vault, signal, onProgress } = options;
  const view = await vault.index.refresh({ signal, onProgress, rows: ["notes"], words: true });
  const { byScore } = await findWords(view, name, noteIds(view, allOf([])), options);
  const files = JSON.stringify([...byScore.values()].flat());
  const pattern = new RegExp(`(?:^|[[(])[ \\t>*+-]*${literalPattern(name)}[*_]*::[ \\t]`, "imu");
  const paths: VaultPath[] = [];
  const stats = view.paths("id IN (SELECT value FROM json_each(?))", files).flatMap((path) => view.statOf(path) ?? []);
  for await (const batch of vault.texts(stats, { signal, onProgress }))
    for (const { stat, bytes } of batch) if (pattern.test(decodeText(bytes) ?? "")) paths.push(stat.path);
  if (paths.length === 0) return undefined;
  const named = paths
    .sort()
    .slice(0, MAX_NAMED)
    .map((path) => `'${path}'`);
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `No note has the property "${name}": it is an inline field, which filters do not read, in ${named.join(", ")}${more}.`;
}

const MAX_PARTIAL = 5;
const MAX_COMPARED = 100;

/** Of the most words; and words that no note has. */
export async function partialMatches(
  view: IndexView,
  text: string,
  files: readonly number[],
  options: SearchOptions,
): Promise<{ readonly best: readonly PartialMatch[]; readonly unknown: readonly string[]; readonly words: number }> {
  const slice = new TimeSlice(options.signal);
  const { phrase, terms } = parseQuery(text);
  const all: Places[] = [];
  for (const term of terms) all.push(await placesOf([term], view.text, slice));
  const places = largeOnes(all, firstTerm);
  const wordOf = (one: Places) => firstTerm(one)?.text ?? "";
  const unknown = places.filter((one) => !files.some((file) => has(one, file))).map(wordOf);
  const held = (file: number): Places[] => places.filter((one) => has(one, file));
  const counts = files.map((file) => ({ file, count: held(file).length })).filter(({ count }) => count > 0);
  const most = counts.toSorted((a, b) => b.count - a.count).slice(0, MAX_COMPARED);
  const documents = documentsOf(
    view,
    most.map(({ file }) => file),
  );
  const best = most
    .map(({ file, count }) => {
      const query = { phrase, terms: termsOf(held(file)) };
      return { file, count, score: scoreOf(file, documents.get(file), query, held(file)) };
    })
    .sort((a, b) => b.count - a.count || b.score - a.score)
    .slice(0, MAX_PARTIAL)
    .map(({ file }) => ({ file, lacks: places.filter((one) => !has(one, file)).map(wordOf) }));
  return { best, unknown, words: places.length };
}

interface Search extends SearchOptions {
  readonly view: IndexView;
  readonly phrase: string;
  readonly files: readonly number[];
  readonly slice: TimeSlice;
}

async function scored(search: Search, places: readonly Places[]): Promise<Pick<RankedNotes, "byScore" | "total">> {
  const { view, phrase, files, slice } = search;
  const byScore = new Map<number, number[]>();
  let total = 0;
  const add = (file: number, score: number): void => {
    if (score === 0) return;
    total++;
    const equal = byScore.get(score);
    if (equal) equal.push(file);
    else byScore.set(score, [file]);
  };
  const query = { phrase, terms: termsOf(places) };
  const unsure: number[] = [];
  const candidates = places.length === 0 ? [] : files.filter((file) => places.every((one) => has(one, file)));
  for (let at = 0; at < candidates.length; at += NOTES_AT_ONCE) {
    const some = candidates.slice(at, at + NOTES_AT_ONCE);
    const documents = documentsOf(
      view,
      some.filter((file) => places.some(({ fields }) => fields[file])),
    );
    for (const file of some) {
      const score = scoreOf(file, documents.get(file), query, places);
      if (score === UNKNOWN) unsure.push(file);
      else add(file, score);
    }
    if (slice.isOver) await slice.yield();
  }
  if (unsure.length === 0) return { byScore, total };
  const documents = documentsOf(view, unsure);
  for await (const [file, held] of withTexts(search, unsure, query.terms))
    add(file, scoreOf(file, documents.get(file), query, places, held));
  return { byScore, total };
}

const occurs = (places: Places, { files }: Search): boolean => files.some((file) => has(places, file));

function nearest(word: string, search: Search): Promise<string[]> {
  const { view, slice } = search;
  const { words: all, wordsFrom: from } = view.text;
  const words = { state: view, name: "notes", all, from };
  return nearestWords(words, word, async (near) => occurs(await placesOf(termsIn(near), view.text, slice), search));
}

function documentsOf(view: IndexView, files: readonly number[]): Map<number, FoldedDocument> {
  if (files.length === 0) return new Map();
  const rows = view.list<readonly [number, string]>(
    `json_array(${FILE_OF_ROW}, searched)`,
    `note WHERE id IN (SELECT value * ${ROWS_PER_FILE} FROM json_each(?))`,
    JSON.stringify(files),
  );
  return new Map(rows.map(([file, text]) => [file, documentOf(text)]));
}

/** Reads notes that may contain a word within others. */
async function* withTexts(
  { view, slice, vault, signal, onProgress }: Search,
  files: readonly number[],
  terms: readonly Term[],
): AsyncGenerator<readonly [file: number, held: ReadonlySet<Term>]> {
  const unread = new Map(
    view.list<readonly [VaultPath, number]>(
      "json_array(path, id)",
      "file WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(files),
    ),
  );
  const stats = [...unread.keys()].flatMap((path) => view.statOf(path) ?? []);
  for await (const batch of vault.texts(stats, { signal, onProgress }))
    for (const { stat, bytes } of batch) {
      yield [unread.get(stat.path) ?? 0, await termsWithin(decodeText(bytes) ?? "", terms, slice)];
      unread.delete(stat.path);
    }
  // An unreadable note still has a title.
  for (const file of unread.values()) yield [file, new Set()];
}

const has = ({ body, fields }: Places, file: number): boolean => Boolean(body[file] || fields[file]);
const termsIn = (text: string): readonly Term[] => parseQuery(text).terms;
const termsOf = (places: readonly Places[]): Term[] => places.flatMap(({ readings }) => readings);

async function placesOf(readings: readonly Term[], text: FullText, slice: TimeSlice): Promise<Places> {
  const [first, ...others] = readings;
  if (first === undefined) return { readings, body: new Uint8Array(), fields: new Uint8Array() };
  const { body, fields } = await placesOfTerm(first, text, slice);
  for (const term of others) {
    const more = await placesOfTerm(term, text, slice);
    for (const [file, points] of more.body.entries()) body[file] = Math.max(body[file] ?? 0, points);
    for (const [file, mark] of more.fields.entries()) fields[file] ||= mark;
  }
  return { readings, body, fields };
}

async function placesOfTerm(term: Term, text: FullText, slice: TimeSlice): Promise<Omit<Places, "readings">> {
  if (term.kind === "inside") return await placesInside(term, text, slice);
  if (term.kind === "whole") {
    const all = [term.text];
    const body = (await text.find("body", { all }, slice)).map((mark) => mark * POINTS.exact);
    return { body, fields: await text.find("fields", { all }, slice) };
  }
  const [exact, beginning] = [
    await text.find("body", { all: [term.text] }, slice),
    await text.find("body", { beginning: term.text }, slice),
  ];
  const body = beginning.map((mark, file) => (exact[file] ? POINTS.exact : mark * POINTS.beginning));
  return { body, fields: await text.find("fields", { beginning: term.text }, slice) };
}

/** Of text without spaces the index has characters and pairs, but no emoji or punctuation. */
async function placesInside(term: Term, text: FullText, slice: TimeSlice): Promise<Omit<Places, "readings">> {
  const characters = Array.from(term.text);
  const all = characters.length === 1 ? characters : neighbourPairs(term.text);
  const isIndexed = classAt(term.text, 0) === UNSPACED;
  const find = async (part: TextPart): Promise<Uint8Array> =>
    isIndexed ? await text.find(part, { all }, slice) : (await text.find(part, { all: [] }, slice)).fill(1);
  const points = isIndexed && characters.length <= MAX_SURE_CHARACTERS ? POINTS.inside : UNSURE;
  const body = await find("body");
  return { body: body.map((mark) => mark * points), fields: await find("fields") };
}

const UNKNOWN = -1;

/** 0 when a word is missing, `UNKNOWN` when the text must be read. @param held unsure terms found in the body */
function scoreOf(
  file: number,
  document: FoldedDocument | undefined,
  query: Query,
  places: readonly Places[],
  held?: ReadonlySet<Term>,
): number {
  let score = document ? togetherness(document, query, WEIGHTS) : 0;
  let isUnknown = false;
  for (const { readings, body } of places) {
    const isHeld = held && readings.some((term) => held.has(term));
    const inBody = body[file] === UNSURE ? held && (isHeld ? POINTS.inside : 0) : (body[file] ?? 0);
    const inFields = document ? Math.max(...readings.map((term) => asTyped(document, term, WEIGHTS))) : 0;
    if (inFields === 0 && inBody === undefined) isUnknown = true;
    const points = inFields || inBody || 0;
    if (points === 0 && inBody !== undefined) return 0;
    score += points;
  }
  return isUnknown ? UNKNOWN : score;
}

/** @param text one line per field, as in `note.searched` */
function documentOf(text: string): FoldedDocument {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  starts.push(text.length + 1);
  return { text: `${text}\n`, starts };
}

async function termsWithin(text: string, terms: readonly Term[], slice: TimeSlice): Promise<Set<Term>> {
  const held = new Set<Term>();
  for (const piece of foldedPieces(text.slice(splitNote(text).bodyStart))) {
    for (const term of terms) if (piece.includes(term.text)) held.add(term);
    if (slice.isOver) await slice.yield();
  }
  return held;
}

/** UTF-16 units; docs: notes-and-files, "find_notes". */
const MAX_CONTENT_LENGTH = 3_000;
/** UTF-16 units; a third of them before the word. */
const SNIPPET = 240;
/** UTF-16 units. */
const MAX_SEARCHED = 1_000_000;

interface Content {
  readonly content: string;
  readonly truncated: boolean;
}

/**
 * Cut between characters, with a marker that explains how to read the rest.
 * @param room weight left (text/answer-weight), possibly 0
 * @param uri for `resources/read`
 */
export function shownContent(text: string, room: number, uri: string): Content {
  const end = wholeCharacter(text, Math.min(endWithin(text, 0, room), MAX_CONTENT_LENGTH));
  if (end === text.length) return { content: text, truncated: false };
  const shown = text.slice(0, end);
  const marker = `[… ${shown.length} of ${text.length} characters; resources/read ${uri} gives all of them]`;
  return { content: `${shown}\n\n${marker}`, truncated: true };
}

/** The body's first line with the most query words, text before headings; no heading that repeats the title. */
export function snippetOf(text: string, terms: readonly Term[], title: string, length = SNIPPET): string | undefined {
  const body = text.slice(splitNote(text).bodyStart, MAX_SEARCHED);
  let best: { readonly line: string; readonly at: number; readonly found: number } | undefined;
  for (const line of body.split("\n")) {
    const folded = fold(line);
    if (isTitle(folded, title)) continue;
    const present = terms.filter((term) => hasTerm(folded, term));
    const [first] = present;
    const found = present.length - (/^#+ /.test(line) ? 0.5 : 0);
    if (first === undefined || found <= (best?.found ?? 0)) continue;
    best = { line, at: folded.indexOf(first.text), found };
    if (found === terms.length) break;
  }
  return best && around(best.line, best.at, length);
}

function isTitle(line: string, title: string): boolean {
  return line.startsWith("#") && line.replace(/^#+\s*|\s+$/g, "") === fold(title);
}

function around(line: string, at: number, length: number): string {
  const start = Math.max(0, Math.min(at - Math.floor(length / 3), line.length - length));
  const end = Math.min(line.length, start + length);
  const shown = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .trim();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}
