/** A subject's table: one file's rows, and their sum. */
import type { SqliteDatabase, SqlValue } from "../database.js";
import { storedText } from "../cache/cache-database.js";
import { hashNumber } from "../text/hash.js";
import { type SubjectRow, ROWS_PER_FILE, type Table } from "./subject.js";

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
