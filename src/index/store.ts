/** The index's database: its schema, and how files are loaded and stored. */
import type { SqliteDatabase } from "../database.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { hashNumber } from "../text/hash.js";
import type { NoteProblem } from "./facts.js";
import { FullText, type FileWords } from "./full-text.js";
import { NO_KINDS, type FactKinds, type Readers, TEXT_WORDS } from "./readers.js";
import {
  assertSound,
  atOnce,
  closeStored,
  metaOf,
  openInMemory,
  openStored,
  removeDatabase,
  type StoredDatabase,
  type StoreForm,
  type StorePlace,
  storedText,
  whenFree,
} from "../cache/cache-database.js";

export interface IndexPlace extends StorePlace {
  /** The program's version; an index of another one is dropped. */
  readonly edition: string;
}

export interface StoredRow {
  readonly number: number;
  readonly path: VaultPath;
  /** JSON of `statText`; empty when nothing proves the content. */
  readonly stat: string;
  readonly kinds: FactKinds;
  /** JSON, or empty. */
  readonly problems: string;
}

export interface FileWrite {
  readonly path: VaultPath;
  /** Undefined when nothing proves the content for another process. */
  readonly stat: FileStat | undefined;
  readonly problems: readonly NoteProblem[];
  readonly kinds: FactKinds;
  /** JSON by position of the reader. */
  readonly facts: readonly (string | undefined)[];
  readonly words?: FileWords | undefined;
}

/**
 * `files.change` numbers the transactions, so that a process sees what others stored. A deleted file's row stays with
 * an empty stat, so that a path keeps its number.
 */
const SCHEMA = `
  CREATE TABLE files (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stat TEXT NOT NULL, kinds INTEGER NOT NULL,
    problems TEXT NOT NULL, checksum INTEGER NOT NULL, change INTEGER NOT NULL
  );
  CREATE INDEX changes ON files (change);
  CREATE VIRTUAL TABLE body USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE fields USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fields, row);`;
const FORM = 3;

/** The database is replaced when rows of deleted files outnumber the others by this. */
const MAX_GONE = 10_000;

export class IndexStore {
  readonly text: FullText;
  readonly #database: SqliteDatabase;
  readonly #readers: Readers;
  readonly #file: string | undefined;
  /** The last transaction this process knows. */
  #seen = 0;
  #hasWritten = false;

  private constructor({ database, file }: StoredDatabase, readers: Readers) {
    this.#database = database;
    this.#readers = readers;
    this.#file = file;
    this.text = new FullText(database);
  }

  get isInMemory(): boolean {
    return this.#file === undefined;
  }

  static async open(place: IndexPlace, readers: Readers, log: Log): Promise<IndexStore> {
    return new IndexStore(await openStored(place, formOf(place, readers), log), readers);
  }

  static inMemory(place: IndexPlace, readers: Readers): IndexStore {
    return new IndexStore(openInMemory(formOf(place, readers)), readers);
  }

  /** Rows that any process stored since the last call. */
  changed(): StoredRow[] {
    const rows = this.#database
      .prepare<[number, number, number, number, Uint8Array]>(
        `SELECT number, CAST(kinds AS INTEGER), CAST(checksum AS INTEGER), CAST(change AS INTEGER), CAST(path || char(0) || stat || char(0) || problems AS BLOB)
         FROM files WHERE change > ?`,
      )
      .all(this.#seen);
    return rows.map(([number, kinds, checksum, change, bytes]) => {
      if (change > this.#seen) this.#seen = change;
      const [path = "", stat = "", problems = ""] = storedText(bytes).split("\0");
      assertSound(checksum, `${path}\n${stat}\n${problems}${kinds}`);
      return { number, path: path as VaultPath, stat, kinds, problems };
    });
  }

  /** Whether a path or a fact contains `text`. */
  holds(text: string, positions: readonly number[]): boolean {
    const isIn = (table: string, column: string, wanted: string): boolean =>
      this.#database.prepare(`SELECT 1 FROM ${table} WHERE instr(${column}, ?) > 0 LIMIT 1`).get(wanted) !== undefined;
    const json = JSON.stringify(text).slice(1, -1);
    return isIn("files", "path", text) || positions.some((position) => isIn(`facts${position}`, "json", json));
  }

  /** JSON, by the number of the file. */
  facts(position: number): readonly (string | undefined)[] {
    const facts: string[] = [];
    const rows = this.#database
      .prepare<[number, number, Uint8Array]>(
        `SELECT file, CAST(checksum AS INTEGER), CAST(json AS BLOB) FROM facts${position}`,
      )
      .all();
    for (const [number, checksum, bytes] of rows) {
      const json = storedText(bytes);
      assertSound(checksum, json);
      facts[number] = json;
    }
    return facts;
  }

  atOnce<Result>(work: () => Result): Result {
    return atOnce(this.#database, work);
  }

  meta(key: string): string | undefined {
    return metaOf(this.#database, key);
  }

  async setMeta(key: string, value: string): Promise<void> {
    const statement = this.#database.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)");
    await whenFree(() => statement.run(key, value));
  }

  /**
   * Stores files in one transaction, so at most 500.
   * @returns their numbers, in order
   * @throws SqliteError `busy` when another process keeps the lock
   */
  async put(writes: readonly FileWrite[], gone: readonly VaultPath[] = []): Promise<number[]> {
    this.#hasWritten = !this.isInMemory;
    return await whenFree(() =>
      this.#database.transaction(() => {
        const last =
          this.#database.prepare<[number]>("SELECT CAST(coalesce(max(change), 0) AS INTEGER) FROM files").get()?.[0] ??
          0;
        const numbers = writes.map((write) => this.#putFile(write, last + 1));
        for (const path of gone) this.#drop(path, last + 1);
        if (last === this.#seen) this.#seen = last + 1;
        return numbers;
      }),
    );
  }

  #putFile({ path, stat, problems, kinds, facts, words }: FileWrite, change: number): number {
    const text = stat ? statText(stat) : "";
    const before = this.#row(path);
    // Stored facts of the same content stay.
    const kept = before && text !== "" && before.stat === text ? before.kinds & ~kinds : NO_KINDS;
    const problemText = problems.length > 0 ? JSON.stringify(problems) : "";
    const checksum = hashNumber(`${path}\n${text}\n${problemText}${kept | kinds}`);
    const values = [text, kept | kinds, problemText, checksum, change];
    let number: number;
    if (before) {
      number = before.number;
      this.#database
        .prepare("UPDATE files SET stat = ?, kinds = ?, problems = ?, checksum = ?, change = ? WHERE number = ?")
        .run(...values, number);
    } else
      number = this.#database
        .prepare("INSERT INTO files (stat, kinds, problems, checksum, change, path) VALUES (?, ?, ?, ?, ?, ?)")
        .run(...values, path).lastId;
    for (const position of this.#readers.positionsOf(kinds)) {
      const json = facts[position];
      if (json !== undefined)
        this.#database
          .prepare(`INSERT OR REPLACE INTO facts${position} VALUES (?, ?, ?)`)
          .run(number, hashNumber(json), json);
      else if (before) this.#database.prepare(`DELETE FROM facts${position} WHERE file = ?`).run(number);
    }
    if (before && before.kinds & TEXT_WORDS && !(kept & TEXT_WORDS)) this.text.remove(number);
    if (kinds & TEXT_WORDS && words) this.text.add(number, words);
    return number;
  }

  #drop(path: VaultPath, change: number): void {
    const row = this.#row(path);
    if (!row) return;
    const { number, kinds } = row;
    this.#database
      .prepare("UPDATE files SET stat = '', kinds = 0, problems = '', checksum = ?, change = ? WHERE number = ?")
      .run(hashNumber(`${path}\n\n0`), change, number);
    for (const position of this.#readers.positionsOf(kinds))
      this.#database.prepare(`DELETE FROM facts${position} WHERE file = ?`).run(number);
    if (kinds & TEXT_WORDS) this.text.remove(number);
  }

  #row(path: VaultPath): Pick<StoredRow, "number" | "stat" | "kinds"> | undefined {
    const row = this.#database
      .prepare<[number, Uint8Array, number]>(
        "SELECT number, CAST(stat AS BLOB), CAST(kinds AS INTEGER) FROM files WHERE path = ?",
      )
      .get(path);
    return row && { number: row[0], stat: storedText(row[1]), kinds: row[2] };
  }

  discard(): void {
    this.#database.close();
    if (this.#file !== undefined) removeDatabase(this.#file);
  }

  close(): void {
    closeStored(this.#database, this.#hasWritten);
  }
}

function formOf({ edition, identity }: IndexPlace, readers: Readers): StoreForm {
  const versions = readers.all.map(({ name, version }) => [name, version]);
  return {
    what: "the index",
    schema: SCHEMA + factTables(readers),
    form: JSON.stringify([FORM, edition, identity, versions]),
    isWorthKeeping: (database) => {
      const [rows, files] = database
        .prepare<[number, number]>("SELECT count(*), count(nullif(stat, '')) FROM files")
        .get() ?? [0, 0];
      return rows - files <= files + MAX_GONE;
    },
  };
}

/** What proves that a file is unchanged. */
export function statText({ size, modified, created, stamp }: FileStat): string {
  return JSON.stringify([size, modified, created, ...stamp]);
}

export function parseStat(path: VaultPath, text: string): FileStat {
  const numbers = JSON.parse(text) as number[];
  const [size = 0, modified = 0, created = 0] = numbers;
  return { path, size, modified, created, stamp: numbers.slice(3) };
}

function factTables({ all }: Readers): string {
  return all
    .map(
      (_, position) =>
        `CREATE TABLE facts${position} (file INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, json TEXT NOT NULL);`,
    )
    .join("");
}
