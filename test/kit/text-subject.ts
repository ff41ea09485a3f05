/** A subject for tests of the index: a row with the text of each note. */
import { storedText } from "../../src/cache/cache-database.js";
import { ROWS_PER_FILE, type Subject } from "../../src/index/subject.js";
import type { IndexView } from "../../src/index/view.js";

/** @param holds which texts have a row; default: all */
export function textSubject(name = "texts", holds: (text: string) => boolean = () => true): Subject {
  return {
    name,
    version: 1,
    tables: [{ name, columns: ["text TEXT NOT NULL"] }],
    read: ({ text }) => (holds(text) ? { [name]: [[0, text]] } : undefined),
  };
}

/** The verified rows of a table that has a column `text`, by path. */
export function textsIn(view: IndexView, table = "texts", hidden = false): Record<string, string> {
  const rows = view.all<[number, Uint8Array, Uint8Array]>(
    `SELECT ${table}.id, CAST(path AS BLOB), CAST(text AS BLOB)
     FROM ${table} JOIN file ON file.id = ${table}.id / ${ROWS_PER_FILE} WHERE present = 1 AND hidden <= ?`,
    Number(hidden),
  );
  view.verify(rows.map(([id]) => id));
  return Object.fromEntries(rows.map(([, path, text]) => [storedText(path), storedText(text)]));
}
