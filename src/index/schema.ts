/** The tables of the index's database. */
import type { StoreForm, StoreLocation } from "../cache/cache-database.js";
import type { Subject, Table } from "./subject.js";

export interface IndexLocation extends StoreLocation {
  /** The program's version, settings and options that decide about rows: another one has a database of its own. */
  readonly epoch: string;
}

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

export function formOf({ epoch, identity }: IndexLocation, subjects: readonly Subject[]): StoreForm {
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
