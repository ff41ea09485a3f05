/** The tables of the index's database: their schema, the rows of one file, and the sums of hashes that prove these. */
import { type SqliteDatabase, type SqlValue, SqliteError } from "../sqlite.js";
import { storedText, type StoreForm, type StoreLocation } from "../cache/cache-database.js";
import { hashNumber } from "../text/hash.js";
import { type SubjectRow, ROWS_PER_FILE, type Table, type Subject } from "./subject.js";
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
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fields, row);
  CREATE VIRTUAL TABLE body_vocabulary USING fts5vocab(body, row);`;
const FORM = 7;

/** The database is replaced when rows of deleted files outnumber the others by this. */
const MAX_GONE = 10_000;

export function formOf({ epoch, identity }: StoreLocation, subjects: readonly Subject[]): StoreForm {
  return {
    what: "the index",
    schema: SCHEMA + subjects.flatMap(({ tables }) => tables.map(tableText)).join(""),
    form: JSON.stringify([FORM, epoch, identity]),
    isWorthKeeping: (database) => {
      const [rows = 0, files = 0] =
        database
          .prepare<[number, number]>("SELECT (SELECT count(*) FROM file), count(*) FROM file WHERE present = 1")
          .get() ?? [];
      return rows - files <= files + MAX_GONE;
    },
  };
}

function tableText({ name, columns }: Table): string {
  return `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns.join(", ")});`;
}

const ROWS_AT_ONCE = 500;
const FILES_AT_ONCE = 50;
/** Of their files. */
const BYTES_AT_ONCE = 256 * 1024;
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
    const ofFile = `FROM ${name} WHERE id BETWEEN ? AND ?`;
    this.name = name;
    this.#database = database;
    this.#insert = `INSERT INTO ${name} VALUES (?${", ?".repeat(names.length)})`;
    // As one value, because each row costs time. No JSON of SQLite's holds a line break.
    this.#select = `SELECT CAST(group_concat(json_array(id, ${names.join()}), char(10)) AS BLOB)
      FROM (SELECT * ${ofFile} ORDER BY id LIMIT ${ROWS_AT_ONCE})`;
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
      sum = (sum + hashNumber(this.name + JSON.stringify(values))) >>> 0;
    }
    return sum;
  }

  /** Adds the hashes of the rows of files, from the first to the last, to the sums by file. Yields between steps. */
  *addSums(first: number, last: number, sums: Map<number, number>): Generator<void> {
    const statement = this.#database.prepare<[Uint8Array | null]>(this.#select);
    const end = (last + 1) * ROWS_PER_FILE - 1;
    for (let from = first * ROWS_PER_FILE; from <= end; yield) {
      const [bytes] = statement.get(from, end) ?? [];
      const rows = bytes ? storedText(bytes).split("\n") : [];
      let id = 0;
      for (const row of rows) {
        id = Number.parseInt(row.slice(1));
        const file = Math.floor(id / ROWS_PER_FILE);
        sums.set(file, ((sums.get(file) ?? 0) + hashNumber(this.name + row)) >>> 0);
      }
      from = rows.length < ROWS_AT_ONCE ? Infinity : id + 1;
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
}

interface StoredSum extends Readonly<Record<"id" | "sum" | "change" | "size", number>> {
  /** Of a note. */
  readonly length: number;
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
  const [file] = sumsFrom(database, id, 1);
  if (file?.id !== id) throw damagedRows();
  if (file.size <= maxBytes) for (const _ of compare(database, tables, [file])) continue;
}

/**
 * Of all files after this one, a long one alone. Yields between steps the last file that was verified.
 * @throws SqliteError `corrupt`
 */
export function* verifyAfter(database: SqliteDatabase, tables: readonly StoredTable[], id: number): Generator<number> {
  for (let last: number | undefined = id; last !== undefined;) {
    const files = sumsFrom(database, last + 1, FILES_AT_ONCE);
    let bytes = 0;
    const some = files.filter(({ length }, at) => (bytes += length) <= BYTES_AT_ONCE || at === 0);
    for (const _ of compare(database, tables, some)) yield last;
    last = some.at(-1)?.id;
  }
}

function* compare(
  database: SqliteDatabase,
  tables: readonly StoredTable[],
  files: readonly StoredSum[],
): Generator<void> {
  const sums = new Map<number, number>();
  const [first, last] = [files[0]?.id ?? 0, files.at(-1)?.id ?? 0];
  for (const table of tables) yield* table.addSums(first, last, sums);
  for (const { id, sum, change } of files)
    // A file that changed meanwhile was written whole.
    if (sum !== (sums.get(id) ?? 0) && sumsFrom(database, id, 1)[0]?.change === change) throw damagedRows();
}

/**
 * `checksum` does not cover the columns that repeat others.
 * @throws SqliteError `corrupt` when one of them differs
 */
function sumsFrom(database: SqliteDatabase, first: number, count: number): StoredSum[] {
  const rows = database
    .prepare<[number, number, number, Uint8Array, Uint8Array, Uint8Array, number, number, number, number]>(
      `SELECT id, CAST(sum AS INTEGER), CAST(change AS INTEGER), CAST(path AS BLOB), CAST(stem AS BLOB),
         CAST(stat AS BLOB), present, note, size, modified
       FROM file WHERE id >= ? ORDER BY id LIMIT ?`,
    )
    .all(first, count);
  return rows.map(([id, sum, change, bytes, stem, stat, present, note, size, modified]) => {
    const path = storedText(bytes) as VaultPath;
    const isOfStat = storedText(stat).startsWith(`${JSON.stringify([size, modified]).slice(0, -1)},`);
    const isOfPath = storedText(stem) === stemOf(baseName(path)) && note === Number(isNote(path));
    if (!isOfPath || !(isOfStat || present === 0)) throw damagedRows();
    return { id, sum, change, size, length: size * note };
  });
}

function damagedRows(): SqliteError {
  return new SqliteError("corrupt", "the rows of a file do not fit their checksum");
}
