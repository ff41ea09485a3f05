/** The tables of the index's database: their schema, the rows of one file, and the sums of hashes that prove these. */
import { type SqliteDatabase, type SqlValue, SqliteError } from "../database.js";
import { storedText, type StoreForm, type StoreLocation } from "../cache/cache-database.js";
import { hashNumber } from "../text/hash.js";
import { type SubjectRow, ROWS_PER_FILE, type Table, type Subject } from "./subject.js";
import type { TimeSlice } from "../async/timers.js";
import { isNote } from "../obsidian/ignore.js";
import { baseName, stemOf, type VaultPath } from "../storage/path.js";

/**
 * `change` numbers the transactions, so that a process sees what others stored. The row of a deleted file stays, with
 * `present` 0, for the same reason. `sum` is the sum of the hashes of the file's rows.
 */
const SCHEMA = `
  CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stem TEXT NOT NULL, present INTEGER NOT NULL,
    note INTEGER NOT NULL, hidden INTEGER NOT NULL, stat TEXT NOT NULL, size INTEGER NOT NULL, modified REAL NOT NULL, created REAL NOT NULL,
    flags INTEGER NOT NULL, problems TEXT NOT NULL, checksum INTEGER NOT NULL, sum INTEGER NOT NULL,
    change INTEGER NOT NULL
  );
  CREATE INDEX file_change ON file (change);
  CREATE INDEX file_stem ON file (stem) WHERE present = 1;
  CREATE INDEX file_modified ON file (modified) WHERE present = 1 AND note = 1 AND hidden = 0;
  CREATE INDEX file_problems ON file (id) WHERE problems <> '';
  CREATE VIRTUAL TABLE body USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE fields USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fields, row);`;
const FORM = 6;

/** The database is replaced when rows of deleted files outnumber the others by this. */
const MAX_GONE = 10_000;

export function formOf({ epoch, identity }: StoreLocation, subjects: readonly Subject[]): StoreForm {
  return {
    what: "the index",
    schema: SCHEMA + subjects.flatMap(({ tables }) => tables.map(tableText)).join(""),
    form: JSON.stringify([FORM, epoch, identity]),
    isWorthKeeping: (database) => {
      const [rows, files] = database
        .prepare<[number, number]>("SELECT count(*), coalesce(sum(present), 0) FROM file")
        .get() ?? [0, 0];
      return rows - files <= files + MAX_GONE;
    },
  };
}

function tableText({ name, columns }: Table): string {
  return `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns.join(", ")});`;
}

const ROWS_AT_ONCE = 1000;
/** Each is part of several indexes. */
const ROWS_A_STEP = 50;

export class StoredTable {
  readonly name: string;
  readonly #database: SqliteDatabase;
  readonly #insert: string;
  readonly #select: string;
  readonly #remove: string;
  readonly #nextIds: string;
  /** Where values are ids of rows. */
  readonly #ids: readonly number[];

  constructor({ name, columns, places = [] }: Table, database: SqliteDatabase) {
    const names = columns.map((column) => column.slice(0, column.indexOf(" ")));
    const read = names.map((column, at) => (/ TEXT\b/.test(columns[at] ?? "") ? `CAST(${column} AS BLOB)` : column));
    const ofFile = `FROM ${name} WHERE id BETWEEN ? AND ?`;
    this.name = name;
    this.#database = database;
    this.#insert = `INSERT INTO ${name} VALUES (?${", ?".repeat(names.length)})`;
    this.#select = `SELECT id, ${read.join()} ${ofFile} ORDER BY id LIMIT ${ROWS_AT_ONCE}`;
    this.#remove = `DELETE ${ofFile}`;
    this.#nextIds = `SELECT id ${ofFile} ORDER BY id LIMIT 1 OFFSET ${ROWS_A_STEP}`;
    this.#ids = [0, ...places.map((place) => names.indexOf(place) + 1)];
  }

  /** Yields between steps. @returns the sum of the rows' hashes */
  *insert(file: number, rows: readonly SubjectRow[]): Generator<void, number> {
    const statement = this.#database.prepare(this.#insert);
    const first = file * ROWS_PER_FILE;
    let sum = 0;
    for (const [at, row] of rows.entries()) {
      if (at > 0 && at % ROWS_A_STEP === 0) yield;
      const values: SqlValue[] = row.slice();
      for (const column of this.#ids) {
        const place = values[column];
        if (typeof place === "number") values[column] = first + place;
      }
      statement.run(...values);
      sum = (sum + this.#hashOf(values)) >>> 0;
    }
    return sum;
  }

  /** The sums of the hashes of some rows each, together of all rows of the file. */
  *sums(file: number): Generator<number> {
    const statement = this.#database.prepare<[number, ...SqlValue[]]>(this.#select);
    const last = (file + 1) * ROWS_PER_FILE - 1;
    for (let from = file * ROWS_PER_FILE; ;) {
      const rows = statement.all(from, last);
      let sum = 0;
      for (const row of rows)
        sum = (sum + this.#hashOf(row.map((value) => (value instanceof Uint8Array ? storedText(value) : value)))) >>> 0;
      yield sum;
      if (rows.length < ROWS_AT_ONCE) return;
      from = (rows.at(-1)?.[0] ?? last) + 1;
    }
  }

  /** Yields between steps. */
  *remove(file: number): Generator<void> {
    const last = (file + 1) * ROWS_PER_FILE - 1;
    const next = this.#database.prepare<[number]>(this.#nextIds);
    for (let from: number | undefined = file * ROWS_PER_FILE; from !== undefined; yield) {
      const [end]: readonly (number | undefined)[] = next.get(from, last) ?? [];
      this.#database.prepare(this.#remove).run(from, end === undefined ? last : end - 1);
      from = end;
    }
  }

  #hashOf(values: readonly SqlValue[]): number {
    return hashNumber(this.name + JSON.stringify(values));
  }
}

/**
 * @param maxBytes the rows of a longer file are not read
 * @throws SqliteError `corrupt` when rows of the file are not those that were stored
 */
export function verifyRows(
  database: SqliteDatabase,
  tables: readonly StoredTable[],
  id: number,
  maxBytes: number,
): void {
  const { sum: expected, size } = sumOf(database, id);
  if (size > maxBytes) return;
  let sum = 0;
  for (const table of tables) for (const piece of table.sums(id)) sum = (sum + piece) >>> 0;
  if (expected !== sum) throw damagedRows();
}

/**
 * The file after this one, however long.
 * @returns its id; undefined when there is none
 * @throws SqliteError `corrupt`
 */
export async function verifyAfter(
  database: SqliteDatabase,
  tables: readonly StoredTable[],
  id: number,
  slice: TimeSlice,
): Promise<number | undefined> {
  const [next] = database.prepare<[number]>("SELECT id FROM file WHERE id > ? ORDER BY id LIMIT 1").get(id) ?? [];
  if (next === undefined) return undefined;
  const change = changeOf(database, next);
  const { sum: expected } = sumOf(database, next);
  let sum = 0;
  for (const table of tables)
    for (const piece of table.sums(next)) {
      sum = (sum + piece) >>> 0;
      if (slice.isOver) await slice.yield();
    }
  // A file that changed meanwhile was written whole.
  if (expected !== sum && changeOf(database, next) === change) throw damagedRows();
  return next;
}

function changeOf(database: SqliteDatabase, id: number): number | undefined {
  return database.prepare<[number]>("SELECT change FROM file WHERE id = ?").get(id)?.[0];
}

/**
 * `checksum` does not cover the columns that repeat others.
 * @throws SqliteError `corrupt` when one of them differs
 */
function sumOf(database: SqliteDatabase, id: number): { readonly sum: number; readonly size: number } {
  const row = database
    .prepare<[number, Uint8Array, Uint8Array, Uint8Array, number, number, number, number]>(
      `SELECT CAST(sum AS INTEGER), CAST(path AS BLOB), CAST(stem AS BLOB), CAST(stat AS BLOB), present, note, size, modified
       FROM file WHERE id = ?`,
    )
    .get(id);
  if (!row) throw damagedRows();
  const [sum, bytes, stem, stat, present, note, size, modified] = row;
  const path = storedText(bytes) as VaultPath;
  const isOfStat = storedText(stat).startsWith(`${JSON.stringify([size, modified]).slice(0, -1)},`);
  const isOfPath = storedText(stem) === stemOf(baseName(path)) && note === Number(isNote(path));
  if (!isOfPath || !(isOfStat || present === 0)) throw damagedRows();
  return { sum, size };
}

function damagedRows(): SqliteError {
  return new SqliteError("corrupt", "the rows of a file do not fit their checksum");
}
