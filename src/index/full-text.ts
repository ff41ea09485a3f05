/** Full-text search of notes with FTS5, by our own folding and word splitting. */
import type { SqliteDatabase } from "../sqlite.js";
import type { TimeSlice } from "../async/timers.js";
import { classAt, indexWords, SEPARATOR, UNSPACED } from "../search/words.js";
import { fold } from "../text/fold.js";

/** UTF-16 units folded at once, so that no note blocks others for long. */
const PIECE = 64 * 1024;

/** Separated by non-word characters. */
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
 * Makes FTS5's fast tokenizer `ascii` find the same words as `indexWords`: it splits exactly at ASCII characters other
 * than letters and digits.
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

/** Cut at white space, so never within a word. */
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

/** The bodies, or titles, aliases, tags, headings and properties. */
export type TextPart = "body" | "fields";

/** Notes with all of these words, any of them, or words that begin so. */
type WordQuery =
  | { readonly all: readonly string[] }
  | { readonly any: readonly string[] }
  | { readonly beginning: string };

export type FullText = ReturnType<typeof fullTextOf>;

export function fullTextOf(database: SqliteDatabase) {
  function add(number: number, { body, fields }: FileWords): void {
    database.prepare("INSERT INTO body (rowid, words) VALUES (?, ?)").run(number, body);
    database.prepare("INSERT INTO fields (rowid, words) VALUES (?, ?)").run(number, fields);
  }

  function remove(number: number): void {
    database.prepare("DELETE FROM body WHERE rowid = ?").run(number);
    database.prepare("DELETE FROM fields WHERE rowid = ?").run(number);
  }

  /** One byte for each id of a file: 1 for a match. */
  async function find(part: TextPart, query: WordQuery, slice: TimeSlice): Promise<Uint8Array> {
    const match = matchText(query);
    const [last = 0] = database.prepare<[number | null]>("SELECT max(id) FROM file").get() ?? [];
    const marks = new Uint8Array((last ?? 0) + 1);
    if (match === "") return marks;
    // One value holds all rows, because each value costs time. A range of rows costs as much as all.
    const [numbers = "[]"] =
      database.prepare<[string]>(`SELECT json_group_array(rowid) FROM ${part} WHERE ${part} MATCH ?`).get(match) ?? [];
    for (const number of JSON.parse(numbers) as number[]) marks[number] = 1;
    if (slice.isOver) await slice.yield();
    return marks;
  }

  function listed(source: string, ...given: string[]): string[] {
    const statement = `SELECT CAST(coalesce(group_concat(term, ' '), '') AS BLOB) FROM ${source}`;
    const row = database.prepare<[Uint8Array]>(statement).get(...given);
    return row ? Buffer.from(row[0]).toString().split(" ") : [];
  }
  /** Of all but bodies, including some of former notes. */
  const words = (): string[] => listed("vocabulary");
  /** Those with a beginning, of bodies too. */
  const wordsFrom = (beginning: string): string[] =>
    ["vocabulary", "body_vocabulary"].flatMap((table) =>
      listed(`${table} WHERE term BETWEEN ? AND ?`, beginning, `${beginning}\u{10ffff}`),
    );

  return { add, remove, find, words, wordsFrom };
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
  readonly fields: string;
}
