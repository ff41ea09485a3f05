/** The index in its database: the schema, and how files are loaded from it and stored in it. */
import fs from "node:fs";
import { join } from "node:path";
import { NoSqliteError, openSqlite, type SqliteDatabase, SqliteError, type SqliteFailure } from "../database.js";
import type { Clock } from "../clock.js";
import { VaultError } from "../errors.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import { sha256, hashNumber } from "../text/hash.js";
import type { FileStat } from "../storage/storage.js";
import { FullText, type FileWords } from "./full-text.js";
import { NO_READERS, type ReaderBits, type Readers, FULL_TEXT } from "./readers.js";
import type { NoteProblem } from "./facts.js";

export interface StorePlace {
  /** Absolute path of the cache folder; undefined: the index lives in memory. */
  readonly folder: string | undefined;
  /** The program's version: an index of another one is dropped. */
  readonly edition: string;
  /** Of the vault, from its storage. */
  readonly identity: string;
  readonly clock: Clock;
}

/** What the database knows of a file. */
export interface StoredRow {
  readonly number: number;
  readonly path: VaultPath;
  /** JSON of what `statText` says; empty when nothing proves the content, or the file is gone. */
  readonly stat: string;
  readonly readers: ReaderBits;
  /** JSON, or empty when there are none. */
  readonly problems: string;
}

/** What is to be stored of a file. */
export interface FileWrite {
  readonly path: VaultPath;
  /** Undefined: nothing proves the content for another process. */
  readonly stat: FileStat | undefined;
  readonly problems: readonly NoteProblem[];
  /** The readers whose facts are given. */
  readonly readers: ReaderBits;
  /** JSON by position of the reader. */
  readonly facts: readonly (string | undefined)[];
  readonly words?: FileWords | undefined;
}

/**
 * `files.change` numbers the transactions, so that a process sees what others stored since it last looked. The row of a file that is gone
 * stays, with an empty stat, so that a path keeps its number. The words of a text cannot be read back from `body` and `fields`.
 */
const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stat TEXT NOT NULL, readers INTEGER NOT NULL,
    problems TEXT NOT NULL, checksum INTEGER NOT NULL, change INTEGER NOT NULL
  );
  CREATE INDEX changes ON files (change);
  CREATE VIRTUAL TABLE body USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE fields USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fields, row);`;
const FORM = 2;

/** Other processes hold the lock for one transaction at a time; while it is waited for, this process answers other calls. */
const LOCK_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 20;
/** Pages of 4 KiB after which SQLite flushes its journal to the disk, which may take long there. */
const MAX_JOURNAL_PAGES = 8_000;
/** More rows of files that are gone than of others are not worth keeping. */
const MAX_GONE = 10_000;

export class IndexStore {
  readonly text: FullText;
  readonly #database: SqliteDatabase;
  readonly #readers: Readers;
  readonly #file: string | undefined;
  /** The last transaction that this process knows. */
  #seen = 0;
  #hasWritten = false;

  private constructor(database: SqliteDatabase, readers: Readers, file?: string) {
    [this.#database, this.#readers, this.#file] = [database, readers, file];
    this.text = new FullText(database);
  }

  get isInMemory(): boolean {
    return this.#file === undefined;
  }

  /**
   * Opens the database of a vault; one that is damaged is replaced, and where none can be had on disk there is one in memory.
   * @throws VaultError UNAVAILABLE where this machine has no SQLite
   */
  static async open(place: StorePlace, readers: Readers, log: Log): Promise<IndexStore> {
    const { folder, clock } = place;
    if (folder === undefined) return IndexStore.inMemory(readers);
    const prefix = sha256(place.identity).slice(0, 16);
    const existing = databasesIn(folder, prefix);
    const newest = existing.at(-1);
    // A name is never used again: a process that has the old database open would remove the new one's journal when it closes.
    const next = nameOf(prefix, Math.max(clock.now(), newest === undefined ? 0 : madeAt(newest) + 1));
    for (const name of newest === undefined ? [next] : [newest, next])
      try {
        const store = await IndexStore.#at(join(folder, name), place, readers);
        for (const old of existing) if (store && old !== name) removeDatabase(join(folder, old));
        if (store) return store;
      } catch (error) {
        if (!(error instanceof SqliteError)) throw error;
        const isDamaged = name !== next && (error.failure === "corrupt" || error.failure === "other");
        if (isDamaged)
          log.warn("the index in the cache folder is damaged; it is built again", { error: error.message });
        else {
          log.warn("the index cannot be kept in the cache folder; --cache-folder names another", {
            error: error.message,
          });
          break;
        }
      }
    return IndexStore.inMemory(readers);
  }

  static inMemory(readers: Readers): IndexStore {
    try {
      const database = openDatabase();
      database.exec(SCHEMA + factTables(readers));
      return new IndexStore(database, readers);
    } catch (error) {
      if (!(error instanceof SqliteError)) throw error;
      throw new VaultError("UNAVAILABLE", "SQLite cannot be loaded at present.", {
        hint: "Try again in a moment; the machine may be out of memory or file handles.",
        cause: error,
      });
    }
  }

  /** Undefined for a database of another edition or vault. @throws SqliteError */
  static async #at(file: string, place: StorePlace, readers: Readers): Promise<IndexStore | undefined> {
    const versions = readers.all.map(({ name, version }) => [name, version]);
    const wanted = JSON.stringify([FORM, place.edition, place.identity, versions]);
    const database = openDatabase(file);
    database.exec(`PRAGMA wal_autocheckpoint = ${MAX_JOURNAL_PAGES}`);
    try {
      await makeTables(database, readers, wanted);
      const form = metaOf(database, "form");
      const [rows, files] = database
        .prepare<[number, number]>("SELECT count(*), count(nullif(stat, '')) FROM files")
        .get() ?? [0, 0];
      if (form === wanted && rows - files <= files + MAX_GONE) return new IndexStore(database, readers, file);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return undefined;
  }

  /** What other processes, or this one, have stored since this was asked last. */
  changed(): StoredRow[] {
    const rows = this.#database
      .prepare<[number, number, number, number, Uint8Array]>(
        `SELECT number, readers, checksum, change, CAST(path || char(0) || stat || char(0) || problems AS BLOB)
         FROM files WHERE change > ?`,
      )
      .all(this.#seen);
    return rows.map(([number, readers, checksum, change, bytes]) => {
      if (change > this.#seen) this.#seen = change;
      const [path = "", stat = "", problems = ""] = textOf(bytes).split("\0");
      assertSound(checksum, `${path}\n${stat}\n${problems}${readers}`);
      return { number, path: path as VaultPath, stat, readers, problems };
    });
  }

  /** Whether a path, or the facts of one of some readers, hold a text. */
  holds(text: string, positions: readonly number[]): boolean {
    const isIn = (table: string, column: string, wanted: string): boolean =>
      this.#database.prepare(`SELECT 1 FROM ${table} WHERE instr(${column}, ?) > 0 LIMIT 1`).get(wanted) !== undefined;
    const json = JSON.stringify(text).slice(1, -1);
    return isIn("files", "path", text) || positions.some((position) => isIn(`facts${position}`, "json", json));
  }

  /** The facts of a reader as JSON, by the number of their file. */
  facts(position: number): readonly (string | undefined)[] {
    const facts: string[] = [];
    const rows = this.#database
      .prepare<[number, number, Uint8Array]>(`SELECT file, checksum, CAST(json AS BLOB) FROM facts${position}`)
      .all();
    for (const [number, checksum, bytes] of rows) {
      const json = textOf(bytes);
      assertSound(checksum, json);
      facts[number] = json;
    }
    return facts;
  }

  /** Runs `work` over one state of the database, whatever other processes store meanwhile. */
  atOnce<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  meta(key: string): string | undefined {
    return metaOf(this.#database, key);
  }

  async setMeta(key: string, value: string): Promise<void> {
    const statement = this.#database.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)");
    await whenFree(() => statement.run(key, value));
  }

  /**
   * Stores files in one transaction, so at most 500 of them.
   * @returns their numbers, in order
   * @throws SqliteError `busy` when another process does not let go of the lock
   */
  async put(writes: readonly FileWrite[], gone: readonly VaultPath[] = []): Promise<number[]> {
    this.#hasWritten = !this.isInMemory;
    return await whenFree(() =>
      this.#database.transaction(() => {
        const last = this.#database.prepare<[number]>("SELECT coalesce(max(change), 0) FROM files").get()?.[0] ?? 0;
        const numbers = writes.map((write) => this.#putFile(write, last + 1));
        for (const path of gone) this.#drop(path, last + 1);
        if (last === this.#seen) this.#seen = last + 1;
        return numbers;
      }),
    );
  }

  #putFile({ path, stat, problems, readers, facts, words }: FileWrite, change: number): number {
    const text = stat ? statText(stat) : "";
    const before = this.#row(path);
    // What is stored of the same content stays.
    const kept = before && text !== "" && before.stat === text ? before.readers & ~readers : NO_READERS;
    const problemText = problems.length > 0 ? JSON.stringify(problems) : "";
    const checksum = hashNumber(`${path}\n${text}\n${problemText}${kept | readers}`);
    const values = [text, kept | readers, problemText, checksum, change];
    let number: number;
    if (before) {
      number = before.number;
      this.#database
        .prepare("UPDATE files SET stat = ?, readers = ?, problems = ?, checksum = ?, change = ? WHERE number = ?")
        .run(...values, number);
    } else
      number = this.#database
        .prepare("INSERT INTO files (stat, readers, problems, checksum, change, path) VALUES (?, ?, ?, ?, ?, ?)")
        .run(...values, path).lastId;
    for (const position of this.#readers.positionsOf(readers)) {
      const json = facts[position];
      if (json !== undefined)
        this.#database
          .prepare(`INSERT OR REPLACE INTO facts${position} VALUES (?, ?, ?)`)
          .run(number, hashNumber(json), json);
      else if (before) this.#database.prepare(`DELETE FROM facts${position} WHERE file = ?`).run(number);
    }
    if (before && before.readers & FULL_TEXT && !(kept & FULL_TEXT)) this.text.remove(number);
    if (readers & FULL_TEXT && words) this.text.add(number, words);
    return number;
  }

  #drop(path: VaultPath, change: number): void {
    const row = this.#row(path);
    if (!row) return;
    const { number, readers } = row;
    this.#database
      .prepare("UPDATE files SET stat = '', readers = 0, problems = '', checksum = ?, change = ? WHERE number = ?")
      .run(hashNumber(`${path}\n\n0`), change, number);
    for (const position of this.#readers.positionsOf(readers))
      this.#database.prepare(`DELETE FROM facts${position} WHERE file = ?`).run(number);
    if (readers & FULL_TEXT) this.text.remove(number);
  }

  #row(path: VaultPath): Pick<StoredRow, "number" | "stat" | "readers"> | undefined {
    const row = this.#database
      .prepare<[number, Uint8Array, number]>("SELECT number, CAST(stat AS BLOB), readers FROM files WHERE path = ?")
      .get(path);
    return row && { number: row[0], stat: textOf(row[1]), readers: row[2] };
  }

  /** Closes and removes it, so that the next process builds another. */
  discard(): void {
    this.#database.close();
    if (this.#file !== undefined) removeDatabase(this.#file);
  }

  /** Leaves all of it in the one file; without this another process has to bring the last transactions together. */
  close(): void {
    if (this.#hasWritten && this.#database.isOpen)
      try {
        this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // The next process does it.
      }
    this.#database.close();
  }
}

function metaOf(database: SqliteDatabase, key: string): string | undefined {
  const row = database.prepare<[Uint8Array]>("SELECT CAST(value AS BLOB) FROM meta WHERE key = ?").get(key);
  return row && textOf(row[0]);
}

/** Text is fetched as bytes: `libsql` ends the process when a damaged database gives it text that is not UTF-8. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** SQLite notices damage to its pages, not to what stands in them. @throws SqliteError `corrupt` */
function assertSound(checksum: number, text: string): void {
  if (hashNumber(text) !== checksum) throw new SqliteError("corrupt", "a row does not fit its checksum");
}

/** What proves that a file is unchanged, and what answers say of it. */
export function statText({ size, modified, created, stamp }: FileStat): string {
  return JSON.stringify([size, modified, created, ...stamp]);
}

/** @param text from `statText` */
export function parseStat(path: VaultPath, text: string): FileStat {
  const [size = 0, modified = 0, created = 0, ...stamp] = JSON.parse(text) as number[];
  return { path, size, modified, created, stamp };
}

/** @throws VaultError UNAVAILABLE where this machine has no SQLite; SqliteError */
function openDatabase(file?: string): SqliteDatabase {
  const database = openSqlite({ file, busyTimeout: RETRY_DELAY_MS });
  if (database) return database;
  throw new VaultError("UNAVAILABLE", "This program needs SQLite, which this Node.js does not have.", {
    hint: "Install Node 22.16 or later.",
    cause: new NoSqliteError(),
  });
}

function factTables({ all }: Readers): string {
  return all
    .map(
      (_, position) =>
        `CREATE TABLE facts${position} (file INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, json TEXT NOT NULL);`,
    )
    .join("");
}

/** Makes the tables of an empty database. */
async function makeTables(database: SqliteDatabase, readers: Readers, form: string): Promise<void> {
  const isEmpty = () => database.prepare<[number]>("SELECT count(*) FROM sqlite_master").get()?.[0] === 0;
  if (!isEmpty()) return;
  await whenFree(() =>
    database.transaction(() => {
      // Another process may have made them meanwhile.
      if (!isEmpty()) return;
      database.exec(SCHEMA + factTables(readers));
      database.prepare("INSERT INTO meta VALUES ('form', ?)").run(form);
    }),
  );
}

const SUFFIX = ".index";

/** The databases of a vault, the newest last. @param prefix of their names */
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

function nameOf(prefix: string, made: number): string {
  return `${prefix}-${made.toString(36).padStart(10, "0")}${SUFFIX}`;
}

function madeAt(name: string): number {
  return Number.parseInt(name.slice(name.indexOf("-") + 1), 36);
}

/** Processes that have it open go on with the files that are removed. */
function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"])
    try {
      fs.rmSync(file + suffix, { force: true });
    } catch {
      // On Windows a file that is open stays.
    }
}

/** Tries again while another process holds the lock, without keeping this one from answering. @throws SqliteError */
async function whenFree<Result>(work: () => Result): Promise<Result> {
  for (let waited = 0; ; waited += 2 * RETRY_DELAY_MS)
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SqliteError && error.failure === ("busy" satisfies SqliteFailure);
      if (!isBusy || waited >= LOCK_TIMEOUT_MS) throw error;
      await new Promise((resolve) => void setTimeout(resolve, RETRY_DELAY_MS));
    }
}
