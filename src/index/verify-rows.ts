/** Proves rows by the sum of their hashes: SQLite detects damage to pages, not to their content. */
import type { TimeSlice } from "../async/yield-to-loop.js";
import { storedText } from "../cache/cache-database.js";
import { type SqliteDatabase, SqliteError } from "../database.js";
import { isNote } from "../obsidian/ignore.js";
import { baseName, stemOf, type VaultPath } from "../storage/path.js";
import type { StoredTable } from "./stored-table.js";

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
