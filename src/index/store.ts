/** The index's database: the table of files, the tables of the subjects, and how a file's rows are replaced and verified. */
import {
  assertSound,
  inTransaction,
  closeStored,
  extendTables,
  metaOf,
  openInMemory,
  openStored,
  removeDatabase,
  type StoredDatabase,
  storedText,
  whenFree,
} from "../cache/cache-database.js";
import { type SqliteDatabase, SqliteError } from "../database.js";
import { loopTurn, type TimeSlice } from "../async/yield-to-loop.js";
import { isNote } from "../obsidian/ignore.js";
import { baseName, stemOf, type VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { Log } from "../log.js";
import { hashNumber } from "../text/hash.js";
import { type FileWords, type FullText, fullTextOf } from "./full-text.js";
import { ALL_PARTS, type KnownFile, HAS_WORDS, partOf } from "./known-files.js";
import { formOf, type IndexLocation } from "./schema.js";
import { StoredTable } from "./stored-table.js";
import type { NoteProblem, Rows, Subject } from "./subject.js";

export interface FileWrite {
  readonly file: KnownFile;
  readonly problems: readonly NoteProblem[];
  /** The stored rows stay, and parts are added. */
  readonly isAddition: boolean;
  readonly rows: readonly (readonly [part: number, rows: Rows])[];
  readonly words?: FileWords;
}

/** Bits of `flags`, above those of `parts`. */
const SETTLED = ALL_PARTS + 1;
const UNREADABLE = 2 * SETTLED;

const MAX_TRANSACTION_MS = 40;
/** Bytes. The rows of longer files are verified between answers only. */
const LONG = 512 * 1024;

export class IndexStore {
  readonly text: FullText;
  readonly database: SqliteDatabase;
  readonly #tables: readonly StoredTable[];
  /** Statements that make the indexes which are not there, by part. */
  readonly #missingIndexes: readonly (readonly [part: number, sql: Set<string>])[];
  readonly #file: string | undefined;
  #seen = 0;
  #hasWritten = false;
  #isAtOnce = false;
  /** What the rows that this process makes depend on. */
  #follows: string | undefined;
  /** Whether other processes have not seen something newer. */
  #isFollowing = true;

  private constructor({ database, file }: StoredDatabase, subjects: readonly Subject[]) {
    this.database = database;
    this.#tables = subjects.flatMap(({ tables }) => tables.map((table) => new StoredTable(table, database)));
    const made = new Set(
      database.prepare<[string]>("SELECT name FROM sqlite_master WHERE type = 'index'").all().flat(),
    );
    this.#missingIndexes = subjects.map(({ tables }, number) => [
      partOf(number),
      new Set(
        tables
          .flatMap(({ indexes = [] }) => indexes)
          .filter((index) => !made.has(index.slice(0, index.indexOf(" "))))
          .map((index) => `CREATE INDEX IF NOT EXISTS ${index}`),
      ),
    ]);
    this.#file = file;
    this.text = fullTextOf(database);
  }

  get isInMemory(): boolean {
    return this.#file === undefined;
  }

  get isFree(): boolean {
    try {
      this.database.transaction(() => undefined);
      return true;
    } catch {
      return false;
    }
  }

  static async open(place: IndexLocation, subjects: readonly Subject[], log: Log): Promise<IndexStore> {
    return new IndexStore(await openStored(place, formOf(place, subjects), log), subjects);
  }

  static inMemory(place: IndexLocation, subjects: readonly Subject[]): IndexStore {
    return new IndexStore(openInMemory(formOf(place, subjects)), subjects);
  }

  /** Files whose rows any process changed since the last call; `file` is undefined for one that is gone. */
  changed(): { readonly path: VaultPath; readonly file: KnownFile | undefined }[] {
    const rows = this.database
      .prepare<[Uint8Array, number, number]>(
        `SELECT CAST(${FILE_TEXT} AS BLOB), CAST(checksum AS INTEGER), CAST(change AS INTEGER) FROM file WHERE change > ?`,
      )
      .all(this.#seen);
    return rows.map(([bytes, checksum, change]) => {
      if (change > this.#seen) this.#seen = change;
      const text = storedText(bytes);
      assertSound(checksum, text);
      const [path = "", present, hidden, flags, stat = ""] = text.split("\0");
      if (present === "0") return { path: path as VaultPath, file: undefined };
      return { path: path as VaultPath, file: knownFile(path as VaultPath, hidden === "1", Number(flags), stat) };
    });
  }

  /**
   * Replaces the rows of these files, in transactions short enough for others to wait.
   * @param onStored called after each transaction
   * @throws SqliteError `busy` when another process keeps the lock
   */
  async put(
    writes: readonly FileWrite[],
    gone: readonly VaultPath[] = [],
    onStored: () => void = () => {},
  ): Promise<void> {
    this.#hasWritten = !this.isInMemory;
    const work: readonly (FileWrite | VaultPath)[] = [...writes, ...gone];
    for (let at = 0; at < work.length;) {
      at = await whenFree(() =>
        this.database.transaction(() => {
          this.#isFollowing = metaOf(this.database, "follows") === this.#follows;
          // Else this process reads the files again, as the others do.
          const change = this.#isFollowing ? this.#nextChange() : this.#lastChange() + 1;
          const since = performance.now();
          let next = at;
          for (; next < work.length && (next === at || performance.now() - since < MAX_TRANSACTION_MS); next++) {
            const one = work[next];
            if (typeof one === "string") this.#drop(one, change);
            else if (one) this.#put(one, change);
          }
          return next;
        }),
      );
      onStored();
      if (at < work.length) await loopTurn();
    }
  }

  /** Makes the indexes of the tables after their first rows: keeping them up to date costs more. */
  async makeIndexes(parts: number): Promise<void> {
    for (const [part, missing] of this.#missingIndexes)
      if (parts & part)
        for (const sql of missing) {
          await extendTables(this.database, sql);
          missing.delete(sql);
          await loopTurn();
        }
  }

  /**
   * What rows depend on besides files and the epoch. Where it changed, nothing proves the rows below some folders, and
   * `changed` returns their files in every process.
   * @param text as JSON
   * @param changed the folders
   * @returns the folders
   */
  async follow(text: string, changed: (before: string) => readonly VaultPath[]): Promise<readonly VaultPath[]> {
    this.#follows = text;
    if (metaOf(this.database, "follows") === text) return [];
    this.#hasWritten = !this.isInMemory;
    return await whenFree(() =>
      this.database.transaction(() => {
        const before = metaOf(this.database, "follows");
        const folders = before === undefined ? [] : changed(before);
        // This process learns of it as the others do.
        const change = this.#lastChange() + 1;
        for (const folder of folders) this.#doubt(folder, change);
        this.database.prepare("INSERT OR REPLACE INTO meta VALUES ('follows', ?)").run(text);
        return folders;
      }),
    );
  }

  #doubt(folder: VaultPath, change: number): void {
    const paths = this.database
      .prepare<[Uint8Array]>("SELECT CAST(path AS BLOB) FROM file WHERE present = 1 AND path > ? AND path < ?")
      .all(`${folder}/`, `${folder}0`);
    for (const [path] of paths) {
      const row = this.#row(storedText(path) as VaultPath);
      if (row) this.#putFile({ ...row.file, settled: false }, row.id, row.problems, row.sum, change);
    }
  }

  /**
   * Proves that the rows of these files are those that were stored: SQLite detects damage to pages, not to their content.
   * @throws SqliteError `corrupt`
   */
  verify(ids: Iterable<number>): void {
    // Else another process could replace the rows after their sum was read.
    this.inTransaction(() => {
      for (const id of ids) {
        const { sum: expected, size } = this.#sumOf(id);
        if (size > LONG) continue;
        let sum = 0;
        for (const piece of this.#sums(id)) sum = (sum + piece) >>> 0;
        if (expected !== sum) throw damagedRows();
      }
    });
  }

  /**
   * Verifies some files, long ones too.
   * @returns the last one; undefined when no more follow
   * @throws SqliteError `corrupt`
   */
  async verifyAfter(id: number, slice: TimeSlice): Promise<number | undefined> {
    const [next] =
      this.database.prepare<[number]>("SELECT id FROM file WHERE id > ? ORDER BY id LIMIT 1").get(id) ?? [];
    if (next === undefined) return undefined;
    const change = this.#changeOf(next);
    const { sum: expected } = this.#sumOf(next);
    let sum = 0;
    for (const piece of this.#sums(next)) {
      sum = (sum + piece) >>> 0;
      if (slice.isOver) await slice.yield();
    }
    // A file that changed meanwhile was written whole.
    if (expected !== sum && this.#changeOf(next) === change) throw damagedRows();
    return next;
  }

  *#sums(id: number): Generator<number> {
    for (const table of this.#tables) yield* table.sums(id);
  }

  #changeOf(id: number): number | undefined {
    return this.database.prepare<[number]>("SELECT change FROM file WHERE id = ?").get(id)?.[0];
  }

  /**
   * `checksum` does not cover the columns that repeat others.
   * @throws SqliteError `corrupt` when one of them differs
   */
  #sumOf(id: number): { readonly sum: number; readonly size: number } {
    const row = this.database
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

  #lastChange(): number {
    const [last = 0] =
      this.database.prepare<[number]>("SELECT CAST(coalesce(max(change), 0) AS INTEGER) FROM file").get() ?? [];
    return last;
  }

  #nextChange(): number {
    const last = this.#lastChange();
    // What others stored meanwhile is still to be seen.
    if (last === this.#seen) this.#seen = last + 1;
    return last + 1;
  }

  #put({ file, problems, isAddition, rows, words }: FileWrite, change: number): void {
    const before = this.#row(file.stat.path);
    // Another process may have stored the same text, or a newer one.
    const isSame = before?.file.settled === true && statText(before.file.stat) === statText(file.stat);
    if (isAddition && !isSame) return;
    const id = before?.id ?? this.#newId();
    if (before && !isSame) this.#deleteRows(id, before.file.parts);
    const stored = isSame ? before.file.parts : 0;
    let sum = isSame ? before.sum : 0;
    for (const [part, ofPart] of rows) {
      if (stored & part) continue;
      for (const table of this.#tables) {
        const ofTable = ofPart[table.name];
        if (ofTable) sum = (sum + table.insert(id, ofTable)) >>> 0;
      }
    }
    if (words && !(stored & HAS_WORDS)) this.text.add(id, words);
    const parts = file.parts | stored;
    this.#putFile({ ...file, parts }, id, problems.length > 0 ? JSON.stringify(problems) : "", sum, change);
  }

  #newId(): number {
    return (this.database.prepare<[number | null]>("SELECT max(id) FROM file").get()?.[0] ?? 0) + 1;
  }

  #putFile(file: KnownFile, id: number, problems: string, sum: number, change: number): void {
    const { stat, isNote, hidden, unreadable, parts } = file;
    const settled = file.settled && this.#isFollowing;
    const flags = parts | (settled ? SETTLED : 0) | (unreadable ? UNREADABLE : 0);
    const text = statText(stat);
    const checksum = hashNumber([stat.path, 1, Number(hidden), flags, text, problems, id].join("\0"));
    this.database
      .prepare("INSERT OR REPLACE INTO file VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        id,
        stat.path,
        stemOf(baseName(stat.path)),
        Number(isNote),
        Number(hidden),
        text,
        stat.size,
        stat.modified,
        stat.created,
        flags,
        problems,
        checksum,
        sum,
        change,
      );
  }

  #deleteRows(id: number, parts: number): void {
    for (const table of this.#tables) table.remove(id);
    if (parts & HAS_WORDS) this.text.remove(id);
  }

  #drop(path: VaultPath, change: number): void {
    const row = this.#row(path);
    if (!row) return;
    this.#deleteRows(row.id, row.file.parts);
    const checksum = hashNumber([path, 0, 0, 0, "", "", row.id].join("\0"));
    this.database
      .prepare(
        `UPDATE file SET present = 0, hidden = 0, stat = '', flags = 0, problems = '', checksum = ?, sum = 0, change = ?
         WHERE id = ?`,
      )
      .run(checksum, change, row.id);
  }

  #row(path: VaultPath) {
    const row = this.database
      .prepare<[number, number, number, Uint8Array, Uint8Array, number, number]>(
        `SELECT id, CAST(hidden AS INTEGER), CAST(flags AS INTEGER), CAST(stat AS BLOB), CAST(problems AS BLOB),
           CAST(sum AS INTEGER), CAST(present AS INTEGER)
         FROM file WHERE path = ?`,
      )
      .get(path);
    if (!row) return undefined;
    const [id, hidden, flags, stat, problems, sum, present] = row;
    const file = knownFile(path, hidden === 1, present === 1 ? flags : 0, storedText(stat));
    return { id, sum, file, problems: storedText(problems) };
  }

  /** Runs `work` in one transaction, so that its statements see one state. */
  inTransaction<Result>(work: () => Result): Result {
    if (this.#isAtOnce) return work();
    this.#isAtOnce = true;
    try {
      return inTransaction(this.database, work);
    } finally {
      this.#isAtOnce = false;
    }
  }

  discard(): void {
    this.database.close();
    if (this.#file !== undefined) removeDatabase(this.#file);
  }

  close(): void {
    closeStored(this.database, this.#hasWritten);
  }
}

/** What `checksum` is of. */
const FILE_TEXT = ["path", "present", "hidden", "flags", "stat", "problems", "id"].join(" || char(0) || ");

function damagedRows(): SqliteError {
  return new SqliteError("corrupt", "the rows of a file do not fit their checksum");
}

function statText({ size, modified, created, stamp }: FileStat): string {
  return JSON.stringify([size, modified, created, ...stamp]);
}

function knownFile(path: VaultPath, hidden: boolean, flags: number, text: string): KnownFile {
  const [size = 0, modified = 0, created = 0, ...stamp] = text === "" ? [] : (JSON.parse(text) as number[]);
  return {
    stat: { path, size, modified, created, stamp },
    isNote: isNote(path),
    hidden,
    unreadable: (flags & UNREADABLE) !== 0,
    settled: (flags & SETTLED) !== 0,
    parts: flags & ALL_PARTS,
  };
}
