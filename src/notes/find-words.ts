/** Finds the words of a query in notes: titles, aliases, tags, headings and properties come from the catalog, and few bodies are read. */
import { isAscii } from "node:buffer";
import type { RefreshOptions } from "../catalog/catalog.js";
import type { Clock } from "../clock.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { fold } from "../text/fold.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { decodeText } from "../storage/note-text.js";
import { FieldTerms, pointsInBody, type TermPoints } from "../search/field-index.js";
import { PassingTexts } from "../search/passing-texts.js";
import { parseQuery } from "../search/query.js";
import type { Sieve } from "../search/prefilter.js";
import type { SearchField } from "../search/ranker.js";
import { trigramsOf, type ScannedText } from "../search/text-reader.js";
import { Deferred } from "../async/deferred.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import type { Vault } from "../vault/vault.js";
import type { FoundRecord } from "./find-filter.js";
import { nameOf, thingsIn, type Kind } from "./reader.js";

/** A word in a title counts for more than an alias, tag or heading that consists of that word (`WHOLE_FIELD`); the body counts 1. */
const FIELDS: readonly SearchField<ReadNote>[] = [
  { name: "title", weight: 28, text: ({ things }) => things.title.join(" ") },
  { name: "file name", weight: 28, text: ({ path }) => nameOf(path) },
  { name: "aliases", weight: 12, text: ({ things }) => things.alias.join(" ") },
  { name: "tags", weight: 5, text: ({ things }) => things.tag.join(" ") },
  { name: "headings", weight: 4, text: ({ things }) => things.heading.join(" ") },
  { name: "properties", weight: 2, text: ({ things }) => things.property.map(valueOf).join(" ") },
];

/** What the fields of a note are taken from. */
interface ReadNote {
  readonly path: VaultPath;
  readonly things: Readonly<Record<Kind, readonly string[]>>;
}

/** A body is folded in pieces of this many UTF-16 units, so that no note keeps others waiting. A longer word is cut. */
const PIECE = 64 * 1024;

/** Milliseconds after a search until the next one is prepared. */
const PREPARE_AFTER = 100;

export interface WordLookOptions extends Pick<RefreshOptions, "signal" | "onProgress"> {
  /** What is known of the texts that the catalog read for this search. */
  readonly passing: PassingTexts;
}

export interface RankedNote {
  readonly record: FoundRecord;
  /** A positive whole number; more is better. */
  readonly score: number;
}

export class NoteWords {
  readonly #vault: Vault;
  readonly #fields: FieldTerms<FoundRecord, ReadNote>;
  /** The stats of the records that were asked for last, in their order. */
  #stats: { readonly of: readonly FoundRecord[]; readonly stats: readonly FileStat[] } = { of: [], stats: [] };

  /** The records searched last; they are prepared for the next search once the answer is out. */
  #searched: readonly FoundRecord[] = [];
  readonly #preparing = new Deferred(() => this.#prepare());
  /** Searches that are under way; they have the next one prepared when they end. */
  #searches = 0;

  /** @param indexFrom from how many notes on to remember which words there are; undefined: never */
  constructor(vault: Vault, indexFrom: number | undefined) {
    this.#vault = vault;
    const read = (record: FoundRecord, sieve?: Sieve): ReadNote | undefined => {
      const { path } = record.stat;
      const facts = sieve ? record.factsIf((json) => sieve(json, path)) : record.facts;
      return facts === undefined ? undefined : { path, things: thingsIn(facts) };
    };
    this.#fields = new FieldTerms({ read, fields: FIELDS, indexFrom });
  }

  /**
   * The notes that hold every word of the query, in no particular order: anywhere as it is or as the beginning of a word, outside the body
   * also misspelt.
   */
  async find(
    records: readonly FoundRecord[],
    query: string,
    accepts: (record: FoundRecord) => boolean,
    look: WordLookOptions,
  ): Promise<RankedNote[]> {
    this.#searched = records;
    this.#searches++;
    try {
      return await this.#find(records, query, accepts, look);
    } finally {
      this.#searches--;
      this.#preparing.in(PREPARE_AFTER);
    }
  }

  #prepare(): void {
    if (this.#searches === 0) void this.#fields.prepare(this.#searched).catch(() => undefined);
  }

  async #find(
    records: readonly FoundRecord[],
    query: string,
    accepts: (record: FoundRecord) => boolean,
    look: WordLookOptions,
  ): Promise<RankedNote[]> {
    const slice = new TimeSlice(look.signal);
    // Searches that waited for one refresh all go on in the turn of the loop in which it ends: from here on each has turns of its own.
    await slice.yield();
    const { terms, together } = await this.#fields.look(records, query, slice);
    if (terms.length === 0) return [];
    this.#vault.texts.learn(look.passing);
    await this.#vault.texts.recall();
    const stats = this.#statsOf(records);
    const isLacked = (file: FileStat | undefined, term: number) => file !== undefined && look.passing.lacks(file, term);
    const mayStand: ((place: number) => boolean)[] = [];
    for (const [index, { term }] of terms.entries()) {
      const mayHold = this.#vault.texts.mayHold(stats, trigramsOf(term.text));
      mayStand.push((place) => mayHold(place) && !isLacked(stats[place], index));
      if (slice.isOver) await slice.yield();
    }
    const found: RankedNote[] = [];
    const doubtful = new Map<string, number>();
    for (const [place, record] of records.entries()) {
      if (slice.isOver) await slice.yield();
      const chance = chanceOf(place, terms, mayStand);
      if (chance === "none" || !accepts(record)) continue;
      if (chance === "body") doubtful.set(record.stat.path, place);
      else found.push({ record, score: scoreOf(place, terms, []) + (together[place] ?? 0) });
    }
    const settle = (place: number, inBody: readonly number[]): void => {
      const score = scoreOf(place, terms, inBody);
      const record = records[place];
      if (record && score > 0) found.push({ record, score: score + (together[place] ?? 0) });
    };
    await this.#read(records, doubtful, terms, settle, { ...look, slice });
    return found;
  }

  /** Reads the notes whose bodies decide, and returns for each what every term scores there. */
  async #read(
    records: readonly FoundRecord[],
    places: Map<string, number>,
    terms: readonly TermPoints[],
    settle: (place: number, inBody: readonly number[]) => void,
    { slice, signal, onProgress }: WordLookOptions & { readonly slice: TimeSlice },
  ): Promise<void> {
    const stats = [...places.values()].flatMap((place) => records[place]?.stat ?? []);
    for await (const batch of this.#vault.texts.read(stats, { signal, onProgress }))
      for (const { path, text } of batch.map(bodyOf)) {
        const place = places.get(path);
        if (place === undefined) continue;
        places.delete(path);
        settle(place, await pointsIn(text, place, terms, slice));
      }
    // A note that could not be read still has a title.
    for (const place of places.values()) settle(place, []);
  }

  #statsOf(records: readonly FoundRecord[]): readonly FileStat[] {
    if (this.#stats.of !== records) this.#stats = { of: records, stats: records.map(({ stat }) => stat) };
    return this.#stats.stats;
  }
}

/** Looks for the words of a query in texts that pass by. */
export function passingTexts(query: string, clock: Clock): PassingTexts {
  const { terms } = parseQuery(query);
  return new PassingTexts(clock.now(), (bytes) => {
    const text = decodeText(bytes) ?? "";
    const folded = isAscii(bytes) ? text.toLowerCase() : fold(text);
    let lacking = 0;
    for (const [index, term] of terms.entries()) if (!folded.includes(term.text)) lacking |= 1 << index;
    return lacking;
  });
}

/** Whether a note matches by its fields alone, cannot match, or may match by its body, which then counts before misspelt words. */
function chanceOf(
  place: number,
  terms: readonly TermPoints[],
  mayStand: readonly ((place: number) => boolean)[],
): "fields" | "body" | "none" {
  let chance: "fields" | "body" = "fields";
  for (let index = 0; index < terms.length; index++) {
    const points = terms[index];
    if (points?.asTyped[place] !== 0) continue;
    if (mayStand[index]?.(place)) chance = "body";
    else if (points.misspelt[place] === 0) return "none";
  }
  return chance;
}

/** The score of all terms together; 0 when one is missing. */
function scoreOf(place: number, terms: readonly TermPoints[], inBody: readonly number[]): number {
  let score = 0;
  for (const [index, { asTyped, misspelt }] of terms.entries()) {
    const points = (asTyped[place] ?? 0) || (inBody[index] ?? 0) || (misspelt[place] ?? 0);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

/** What each term scores in a body; 0 for those that need not be there. */
async function pointsIn(
  text: string,
  place: number,
  terms: readonly TermPoints[],
  slice: TimeSlice,
): Promise<number[]> {
  const points = terms.map(() => 0);
  for (const piece of foldedPieces(text)) {
    for (const [index, { term, asTyped }] of terms.entries())
      if (asTyped[place] === 0) points[index] = Math.max(points[index] ?? 0, pointsInBody(piece, term));
    if (text.length > PIECE && slice.isOver) await slice.yield();
  }
  return points;
}

/** The folded text in pieces, cut at white space, so never within a word. */
export function* foldedPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + PIECE >= text.length ? text.length : cutBetween(text, start, start + PIECE);
    yield fold(text.slice(start, end));
    start = end;
  }
}

function cutBetween(text: string, start: number, end: number): number {
  const piece = text.slice(start, end);
  const blank = Math.max(piece.lastIndexOf(" "), piece.lastIndexOf("\n"));
  if (blank > 0) return start + blank;
  const splits = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1));
  return splits ? end - 1 : end;
}

function bodyOf({ stat, bytes }: ScannedText): { readonly path: string; readonly text: string } {
  const text = decodeText(bytes) ?? "";
  return { path: stat.path, text: text.slice(splitNote(text).bodyStart) };
}

function valueOf(line: string): string {
  return line.slice(line.indexOf("=") + 1);
}
