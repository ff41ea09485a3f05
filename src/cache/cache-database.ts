/** Databases in the cache folder, replaced when damaged; in memory as a last resort. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.js";
import { openSqlite, type SqliteDatabase, SqliteError } from "../sqlite.js";
import { VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { hashNumber, sha256 } from "../text/hash.js";

export interface StoreLocation {
  /** Absolute; undefined: in memory. */
  readonly folder: string | undefined;
  /** Each identity has files of its own. */
  readonly identity: string;
  /** So has each epoch; those used least go when there are many. Default: none. */
  readonly epoch?: string;
  readonly clock: Clock;
}

export interface StoreForm {
  readonly what: string;
  /** The tables besides `meta`. */
  readonly schema: string;
  /** A database with another text is replaced. */
  readonly form: string;
  /** Whether to keep an existing database; default: yes. */
  readonly isWorthKeeping?: (database: SqliteDatabase) => boolean;
}

export interface StoredDatabase {
  readonly database: SqliteDatabase;
  readonly file: string | undefined;
}

/** Processes hold the lock for one transaction; while waiting, this one answers other calls. */
const LOCK_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 20;
/** Pages of 4 KiB; then SQLite flushes its journal to disk, which may take long. */
const MAX_JOURNAL_PAGES = 8_000;
/** With SQLite's 2 MiB, a transaction writes the pages of indexes to disk several times. */
const CACHE_KIB = 8_192;
const META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;";

/**
 * Falls back to memory when there can be no database on disk.
 */
export async function openStored(
  { folder, identity, epoch, clock }: StoreLocation,
  form: StoreForm,
  log: Log,
): Promise<StoredDatabase> {
  if (folder === undefined) return openInMemory(form);
  const family = `${sha256(identity).slice(0, 16)}-`;
  const prefix = epoch === undefined ? family : `${family}${epoch.slice(0, 8)}-`;
  const existing = databasesIn(folder, prefix);
  const newest = existing.at(-1);
  // Never reuse a name: a process with the old database open would remove the new one's journal.
  const next = nameFor(prefix, Math.max(clock.now(), newest === undefined ? 0 : madeAt(newest) + 1));
  for (const name of newest === undefined ? [next] : [newest, next])
    try {
      const file = join(folder, name);
      const database = await openAt(file, form);
      if (!database) continue;
      for (const old of existing) if (old !== name) removeDatabase(join(folder, old));
      if (epoch !== undefined) removeLeastUsed(folder, family, name, clock.now() / 1000);
      return { database, file };
    } catch (error) {
      if (!(error instanceof SqliteError)) throw error;
      const facts = { error: error.message };
      if (name !== next && isDamage(error))
        log.warn(`${form.what} in the cache folder is damaged; it is built again`, facts);
      else {
        log.warn(`${form.what} cannot be kept in the cache folder; --cache-folder names another`, facts);
        break;
      }
    }
  return openInMemory(form);
}

/** @throws VaultError UNAVAILABLE where this machine has no SQLite, or cannot load it now */
export function openInMemory({ schema }: StoreForm): StoredDatabase {
  try {
    const database = openConnection();
    database.exec(META + schema);
    return { database, file: undefined };
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    throw new VaultError("UNAVAILABLE", "SQLite cannot be loaded at present.", {
      hint: "Try again in a moment; the machine may be out of memory or file handles.",
      cause: error,
    });
  }
}

/** Undefined for a database of another form. */
async function openAt(file: string, { schema, form, isWorthKeeping }: StoreForm): Promise<SqliteDatabase | undefined> {
  const database = openConnection(file);
  try {
    await makeTables(database, schema, form);
    if (metaOf(database, "form") === form) {
      if (metaOf(database, "tables") !== tablesOf(database)) throw new SqliteError("corrupt", "a table was changed");
      if (isWorthKeeping?.(database) !== false) return database;
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

async function makeTables(database: SqliteDatabase, schema: string, form: string): Promise<void> {
  const isEmpty = () => database.prepare<[number]>("SELECT count(*) FROM sqlite_master").get()?.[0] === 0;
  if (!isEmpty()) return;
  await whenFree(() =>
    database.transaction(() => {
      // Another process may have made the tables.
      if (!isEmpty()) return;
      database.exec(META + schema);
      database.prepare("INSERT INTO meta VALUES ('form', ?), ('tables', ?)").run(form, tablesOf(database));
    }),
  );
}

/**
 * Adds to the schema in one transaction, as much as `time` allows.
 * @param statements which leave what is there as it is
 * @param time milliseconds; the last statement may take longer
 * @returns how many were run
 */
export async function extendTables(
  database: SqliteDatabase,
  statements: readonly string[],
  time: number,
): Promise<number> {
  return await whenFree(() =>
    database.transaction(() => {
      const begun = performance.now();
      let done = 0;
      do database.exec(statements[done++] ?? "");
      while (done < statements.length && performance.now() - begun < time);
      database.prepare("UPDATE meta SET value = ? WHERE key = 'tables'").run(tablesOf(database));
      return done;
    }),
  );
}

/** The tables' declarations: SQLite accepts a damaged one and reads its rows wrongly. */
function tablesOf(database: SqliteDatabase): string {
  const rows = database
    .prepare<[Uint8Array]>("SELECT CAST(sql AS BLOB) FROM sqlite_master WHERE sql NOT NULL ORDER BY name")
    .all();
  return String(hashNumber(rows.map(([sql]) => storedText(sql)).join("\n")));
}

export function openConnection(file?: string): SqliteDatabase {
  const setup = `PRAGMA wal_autocheckpoint = ${MAX_JOURNAL_PAGES}; PRAGMA cache_size = -${CACHE_KIB}`;
  const database = openSqlite({ file, busyTimeout: RETRY_DELAY_MS, setup });
  if (database) return database;
  throw new VaultError("UNAVAILABLE", "This program needs SQLite, which this Node.js does not have.", {
    hint: "Install Node 22.16 or later.",
    isOfSetup: true,
  });
}

export function isDamage({ failure }: SqliteError): boolean {
  return failure === "corrupt" || failure === "other";
}

export function metaOf(database: SqliteDatabase, key: string): string | undefined {
  const row = database.prepare<[Uint8Array]>("SELECT CAST(value AS BLOB) FROM meta WHERE key = ?").get(key);
  return row && storedText(row[0]);
}

/** As bytes: libsql ends the process when a damaged database returns text that is not UTF-8. */
export function storedText(bytes: Uint8Array): string {
  // A damaged row may lack a value.
  if (!(bytes instanceof Uint8Array)) throw new SqliteError("corrupt", "a row lacks a value");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** SQLite detects damage to pages, not to their content. @throws SqliteError `corrupt` */
export function assertSound(checksum: number, text: string): void {
  if (hashNumber(text) !== checksum) throw new SqliteError("corrupt", "a row does not fit its checksum");
}

/** Runs `work` in one transaction, unaffected by other processes. */
export function inTransaction<Result>(database: SqliteDatabase, work: () => Result): Result {
  database.exec("BEGIN");
  try {
    return work();
  } finally {
    database.exec("COMMIT");
  }
}

export async function whenFree<Result>(work: () => Result): Promise<Result> {
  for (let waited = 0; ; waited += 2 * RETRY_DELAY_MS)
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SqliteError && error.failure === "busy";
      if (!isBusy || waited >= LOCK_TIMEOUT_MS) throw error;
      await new Promise((resolve) => void setTimeout(resolve, RETRY_DELAY_MS));
    }
}

/**
 * Merges the journal into the file; else another process must.
 * @param hasWritten whether anything was stored
 */
export function closeStored(database: SqliteDatabase, hasWritten: boolean): void {
  if (hasWritten && database.isOpen)
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The next process tries again.
    }
  database.close();
}

const SUFFIX = ".index";
/** Of all epochs of one identity. */
const MAX_DATABASES = 8;

function removeLeastUsed(folder: string, family: string, used: string, now: number): void {
  try {
    fs.utimesSync(join(folder, used), now, now);
    const others = databasesIn(folder, family).filter((name) => name !== used);
    const usedAt = new Map(others.map((name) => [name, fs.statSync(join(folder, name)).mtimeMs]));
    others.sort((a, b) => (usedAt.get(b) ?? 0) - (usedAt.get(a) ?? 0));
    for (const name of others.slice(MAX_DATABASES - 1)) removeDatabase(join(folder, name));
  } catch {
    // The next process tries again.
  }
}

/** Newest last. */
function databasesIn(folder: string, prefix: string): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith(SUFFIX))
      .sort();
  } catch {
    return [];
  }
}

function nameFor(prefix: string, made: number): string {
  return `${prefix}${made.toString(36).padStart(10, "0")}${SUFFIX}`;
}

function madeAt(name: string): number {
  return Number.parseInt(name.slice(name.lastIndexOf("-") + 1), 36);
}

/** Processes that have it open keep working on the removed files. */
export function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"])
    try {
      fs.rmSync(file + suffix, { force: true });
    } catch {
      // Windows keeps an open file.
    }
}
