/** The index's database: the tables of files and of subjects, and how a file's rows are replaced and verified. */
import {
  assertSound,
  inTransaction,
  closeStored,
  extendTables,
  metaOf,
  openConnection,
  openInMemory,
  openStored,
  removeDatabase,
  type StoredDatabase,
  type StoreLocation,
  storedText,
  whenFree,
} from "../cache/cache-database.js";
import type { SqliteDatabase } from "../sqlite.js";
import { sleep, loopTurn, TimeSlice } from "../async/timers.js";
import { baseName, stemOf, type VaultPath } from "../storage/path.js";
import type { Log } from "../log.js";
import { hashNumber } from "../text/hash.js";
import { type FileWords, type FullText, fullTextOf } from "./full-text.js";
import { flagsOf, HAS_WORDS, type KnownFile, knownFile, partOf, storedStat } from "./file-stamps.js";
import { formOf, StoredTable, verifyAfter, verifyRows } from "./tables.js";
import type { NoteProblem, Rows, Subject } from "./subject.js";

export interface FileWrite {
  readonly file: KnownFile;
  readonly problems: readonly NoteProblem[];
  /** The stored rows stay, and parts are added. */
  readonly isAddition: boolean;
  readonly rows: readonly (readonly [part: number, rows: Rows])[];
  readonly words?: FileWords;
}

const MAX_TRANSACTION_MS = 40;
/** For the last index of a transaction, which may take longer. */
const INDEXES_MS = 10;
/** Bytes. The rows of longer files are verified between answers only, and written on a connection of their own. */
const LONG = 512 * 1024;
const PAUSE_MS = 20;

interface StoredRow {
  readonly id: number;
  readonly sum: number;
  readonly file: KnownFile;
  readonly problems: string;
}

export class IndexStore {
  readonly text: FullText;
  readonly database: SqliteDatabase;
  readonly #subjects: readonly Subject[];
  readonly #tables: readonly StoredTable[];
  /** Statements to run yet, by part. */
  readonly #missingIndexes: readonly (readonly [part: number, sql: Set<string>])[];
  readonly #file: string | undefined;
  #seen = 0;
  #hasWritten = false;
  #isAtOnce = false;
  #isWritingLong = false;
  /** What the rows that this process makes depend on. */
  #follows: string | undefined;
  /** False: other processes have seen something newer. */
  #isFollowing = true;

  private constructor({ database, file }: StoredDatabase, subjects: readonly Subject[]) {
    this.database = database;
    this.#subjects = subjects;
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

  static async open(place: StoreLocation, subjects: readonly Subject[], log: Log): Promise<IndexStore> {
    return new IndexStore(await openStored(place, formOf(place, subjects), log), subjects);
  }

  static inMemory(place: StoreLocation, subjects: readonly Subject[]): IndexStore {
    return new IndexStore(openInMemory(formOf(place, subjects)), subjects);
  }

  /** By any process since the last call; `file` is undefined for one that is gone. */
  changed(): { readonly path: VaultPath; readonly file: KnownFile | undefined }[] {
    // As one value, because each row costs time. No path holds a line break.
    const [bytes] =
      this.database
        .prepare<[Uint8Array | null]>(
          `SELECT CAST(group_concat(CAST(checksum AS INTEGER) || ' ' || CAST(change AS INTEGER) || ' ' || ${FILE_TEXT}, char(10)) AS BLOB)
           FROM file WHERE change > ?`,
        )
        .get(this.#seen) ?? [];
    const rows = bytes ? storedText(bytes).split("\n") : [];
    return rows.map((row) => {
      const ends = row.indexOf(" ");
      const start = row.indexOf(" ", ends + 1) + 1;
      const text = row.slice(start);
      assertSound(Number(row.slice(0, ends)), text);
      this.#seen = Math.max(this.#seen, Number(row.slice(ends + 1, start)));
      const { file, isPresent } = fileIn(text);
      return { path: file.path, file: isPresent ? file : undefined };
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
      const long = await this.#whenFree(onStored, () =>
        this.database.transaction(() => {
          const since = performance.now();
          let change: number | undefined;
          for (const first = at; at < work.length; at++) {
            if (at > first && performance.now() - since >= MAX_TRANSACTION_MS) return undefined;
            const one = work[at] as FileWrite | VaultPath;
            const before = this.#row(pathOf(one));
            if (!this.isInMemory && isLong(one, before?.file)) return one;
            atEnd(this.#replace(one, before, (change ??= this.#beginChange())));
          }
          return undefined;
        }),
      );
      onStored();
      if (long !== undefined) await this.#putLong(work[at++] as FileWrite | VaultPath, onStored);
      if (at < work.length) await loopTurn();
    }
  }

  /** While other calls read the former rows. */
  async #putLong(one: FileWrite | VaultPath, onStored: () => void): Promise<void> {
    const writer = new IndexStore({ database: openConnection(this.#file), file: this.#file }, this.#subjects);
    const slice = new TimeSlice(undefined, onStored);
    let isWriting = false;
    try {
      await this.#whenFree(onStored, () => writer.database.exec("BEGIN IMMEDIATE"));
      this.#isWritingLong = isWriting = true;
      writer.#follows = this.#follows;
      writer.#seen = this.#seen;
      const change = writer.#beginChange();
      const steps = writer.#replace(one, writer.#row(pathOf(one)), change);
      while (!steps.next().done) if (slice.isOver) await slice.yield();
      writer.database.exec("COMMIT");
      this.#seen = writer.#seen;
    } finally {
      if (isWriting) this.#isWritingLong = false;
      // Takes back what was not committed.
      writer.database.close();
    }
  }

  /** Waits for this process's own long transaction as long as that takes. */
  async #whenFree<Result>(onWait: () => void, work: () => Result): Promise<Result> {
    while (this.#isWritingLong) {
      await sleep(PAUSE_MS);
      onWait();
    }
    return await whenFree(work);
  }

  /**
   * Makes the indexes of the tables after their first rows: keeping them up to date costs more. Those of small tables share a
   * transaction, which costs more than one of them.
   */
  async makeIndexes(parts: number, onMade: () => void = () => {}): Promise<void> {
    const wanted = this.#missingIndexes.flatMap(([part, missing]) => (parts & part ? [missing] : []));
    for (const missing of wanted)
      while (missing.size > 0) {
        while (this.#isWritingLong) await sleep(PAUSE_MS);
        const statements = [...missing];
        const done = await extendTables(this.database, statements, INDEXES_MS);
        for (const sql of statements.slice(0, done)) missing.delete(sql);
        onMade();
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
    return await this.#whenFree(
      () => {},
      () =>
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
   * By the sum of the file's rows. A long file's are verified between answers only.
   * @throws SqliteError `corrupt`
   */
  verify(id: number): void {
    // Else another process could replace the rows after their sum was read.
    this.inTransaction(() => verifyRows(this.database, this.#tables, id, LONG));
  }

  verifyAfter(id: number): Generator<number> {
    return verifyAfter(this.database, this.#tables, id);
  }

  #lastChange(): number {
    const [last = 0] =
      this.database.prepare<[number]>("SELECT CAST(coalesce(max(change), 0) AS INTEGER) FROM file").get() ?? [];
    return last;
  }

  #beginChange(): number {
    this.#isFollowing = metaOf(this.database, "follows") === this.#follows;
    const last = this.#lastChange();
    // What others stored meanwhile is still to be seen; else this process reads the files again, as the others do.
    if (this.#isFollowing && last === this.#seen) this.#seen = last + 1;
    return last + 1;
  }

  /** Yields between steps. */
  *#replace(one: FileWrite | VaultPath, before: StoredRow | undefined, change: number): Generator<void> {
    if (typeof one !== "string") yield* this.#put(one, before, change);
    else if (before) yield* this.#drop(one, before, change);
  }

  *#put(
    { file, problems, isAddition, rows, words }: FileWrite,
    before: StoredRow | undefined,
    change: number,
  ): Generator<void> {
    // Another process may have stored the same text, or a newer one.
    const isSame = before?.file.settled === true && before.file.stat === file.stat;
    if (isAddition && !isSame) return;
    const id = before?.id ?? this.#newId();
    if (before && !isSame) yield* this.#deleteRows(id, before.file.parts);
    const stored = isSame ? before.file.parts : 0;
    let sum = isSame ? before.sum : 0;
    for (const [part, ofPart] of rows) {
      if (stored & part) continue;
      for (const table of this.#tables) {
        const ofTable = ofPart[table.name];
        if (ofTable) sum = (sum + (yield* table.insert(id, ofTable))) >>> 0;
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
    const { path, hidden } = file;
    const { size, modified, created } = storedStat(file);
    const flags = flagsOf({ ...file, settled: file.settled && this.#isFollowing });
    const checksum = hashNumber([path, 1, Number(hidden), flags, file.stat, problems, id].join("\0"));
    const named = [id, path, stemOf(baseName(path)), Number(file.isNote), Number(hidden), file.stat];
    // With REPLACE, FTS5 would write its words before each row.
    this.database.prepare("DELETE FROM file WHERE id = ?").run(id);
    this.database
      .prepare("INSERT INTO file VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(...named, size, modified, created, flags, problems, checksum, sum, change);
  }

  *#deleteRows(id: number, parts: number): Generator<void> {
    for (const table of this.#tables) yield* table.remove(id);
    if (parts & HAS_WORDS) this.text.remove(id);
  }

  *#drop(path: VaultPath, row: StoredRow, change: number): Generator<void> {
    yield* this.#deleteRows(row.id, row.file.parts);
    const checksum = hashNumber([path, 0, 0, 0, "", "", row.id].join("\0"));
    this.database
      .prepare(
        `UPDATE file SET present = 0, hidden = 0, stat = '', flags = 0, problems = '', checksum = ?, sum = 0, change = ?
         WHERE id = ?`,
      )
      .run(checksum, change, row.id);
  }

  #row(path: VaultPath): StoredRow | undefined {
    const row = this.database
      .prepare<[number, number, Uint8Array]>(
        `SELECT id, CAST(sum AS INTEGER), CAST(${FILE_TEXT} AS BLOB) FROM file WHERE path = ?`,
      )
      .get(path);
    if (!row) return undefined;
    const [id, sum, text] = row;
    return { id, sum, ...fileIn(storedText(text)) };
  }

  /** `work` sees one state. */
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

const pathOf = (one: FileWrite | VaultPath): VaultPath => (typeof one === "string" ? one : one.file.path);

function isLong(one: FileWrite | VaultPath, before: KnownFile | undefined): boolean {
  return Math.max(typeof one === "string" ? 0 : storedStat(one.file).size, before ? storedStat(before).size : 0) > LONG;
}

function atEnd(steps: Generator<void>): void {
  while (!steps.next().done) continue;
}

/** What `checksum` is of. */
const FILE_TEXT = ["path", "present", "hidden", "flags", "stat", "problems", "id"].join(" || char(0) || ");

function fileIn(text: string): Pick<StoredRow, "file" | "problems"> & { readonly isPresent: boolean } {
  const [path = "", present, hidden, flags, stat = "", problems = ""] = text.split("\0", 6);
  const file = knownFile(path as VaultPath, hidden === "1", Number(flags), stat);
  return { file, problems, isPresent: present === "1" };
}
