/** The words of notes: which note holds which word, answered by FTS5. Texts are folded, and split into words, by our own rules. */
import type { SqliteDatabase } from "../database.js";
import type { TimeSlice } from "../async/yield-to-loop.js";
import { classAt, indexWords, SEPARATOR, UNSPACED } from "../search/words.js";
import { Vocabulary } from "../search/vocabulary.js";
import { fold } from "../text/fold.js";

/** A text is folded in pieces of this many UTF-16 units, so that no note keeps others waiting for long; a longer word is cut. */
const PIECE = 64 * 1024;
/** Files that a query reads before other work gets a turn. */
const FILES_AT_ONCE = 20_000;

/** The words of a text, with anything that is no word between them. */
export async function wordsIn(text: string, slice: TimeSlice): Promise<string> {
  if (text.length <= PIECE) return separated(fold(text));
  const pieces: string[] = [];
  for (const piece of foldedPieces(text)) {
    pieces.push(separated(piece));
    if (slice.isOver) await slice.yield();
  }
  return pieces.join(" ");
}

/**
 * A folded text in which FTS5's tokenizer `ascii` finds the words that `indexWords` finds: it splits at all ASCII characters but letters and
 * digits, and nowhere else. Leaving the splitting to SQLite halves the time of the first `find_notes` of a vault.
 */
function separated(folded: string): string {
  let hasUnspaced = false;
  const spaced = folded.replace(/[^\0-\u007f]/gu, (character) => {
    const kind = classAt(character, 0);
    if (kind === UNSPACED) hasUnspaced = true;
    return kind === SEPARATOR ? " " : character;
  });
  return hasUnspaced ? indexWords(folded).join(" ") : spaced;
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

/** Where words are looked for: in the bodies of notes, or in their titles, aliases, tags, headings and properties. */
export type TextPart = "body" | "fields";

/** What to look for: notes that hold all of these words, or any of them, or words that begin so. */
export type WordQuery =
  | { readonly all: readonly string[] }
  | { readonly any: readonly string[] }
  | { readonly beginning: string };

export class FullText {
  readonly #database: SqliteDatabase;
  #vocabulary: Vocabulary | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  add(number: number, { body, fields }: FileWords): void {
    this.#database.prepare("INSERT INTO body (rowid, words) VALUES (?, ?)").run(number, body);
    this.#database.prepare("INSERT INTO fields (rowid, words) VALUES (?, ?)").run(number, fields);
    this.#vocabulary?.add(fields);
  }

  remove(number: number): void {
    this.#database.prepare("DELETE FROM body WHERE rowid = ?").run(number);
    this.#database.prepare("DELETE FROM fields WHERE rowid = ?").run(number);
  }

  /** Marks the files that answer a query, by their numbers: 1 for those that do. */
  async find(part: TextPart, query: WordQuery, slice: TimeSlice): Promise<Uint8Array> {
    const match = matchText(query);
    const [last = 0] = this.#database.prepare<[number | null]>("SELECT max(number) FROM files").get() ?? [];
    const marks = new Uint8Array((last ?? 0) + 1);
    if (match === "") return marks;
    // One value for all rows: each row that is handed over by itself costs a microsecond or two.
    const select = this.#database.prepare<[string]>(
      `SELECT json_group_array(rowid) FROM ${part} WHERE ${part} MATCH ? AND rowid >= ? AND rowid < ?`,
    );
    for (let from = 0; from < marks.length; from += FILES_AT_ONCE) {
      const [numbers = "[]"] = select.get(match, from, from + FILES_AT_ONCE) ?? [];
      for (const number of JSON.parse(numbers) as number[]) marks[number] = 1;
      if (slice.isOver) await slice.yield();
    }
    return marks;
  }

  /** To be called when another process has stored words. */
  forgetVocabulary(): void {
    this.#vocabulary = undefined;
  }

  /** All words of titles, aliases, tags, headings and properties; some may be in no note any more. */
  get vocabulary(): Vocabulary {
    if (!this.#vocabulary) {
      this.#vocabulary = new Vocabulary();
      const row = this.#database
        .prepare<[Uint8Array]>("SELECT CAST(coalesce(group_concat(term, ' '), '') AS BLOB) FROM vocabulary")
        .get();
      // As bytes, because libsql ends the process when a damaged database gives it text that is not UTF-8.
      this.#vocabulary.add(row ? Buffer.from(row[0]).toString() : "");
    }
    return this.#vocabulary;
  }
}

function matchText(query: WordQuery): string {
  if ("beginning" in query) return `${quoted(query.beginning)} *`;
  return "all" in query ? query.all.map(quoted).join(" AND ") : query.any.map(quoted).join(" OR ");
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

export interface FileWords {
  readonly body: string;
  /** Of what a note is found by besides its body. */
  readonly fields: string;
}
