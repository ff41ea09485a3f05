/** The database of an undo journal; commits concurrent changes together. */
import { sleep, loopTurn } from "../async/timers.js";
import type { EpochMilliseconds } from "../clock.js";
import { openSqlite, type SqliteDatabase, SqliteError, type SqlValue } from "../sqlite.js";

export type JournalDatabase = Pick<SqliteDatabase, "exec" | "prepare" | "transaction" | "close">;

export interface JournalStorage {
  /** This process's name, by which others ask whether it runs. */
  readonly maker: string;
  /** Operations that this process has begun or resumed and not ended. */
  readonly running: Set<string>;
  /** False in doubt. @param since when it is known to have run */
  hasEnded(maker: string, since: EpochMilliseconds): boolean;
  exists(): boolean;
  /** @returns undefined on a machine without SQLite */
  open(): Promise<JournalDatabase | undefined>;
  /** Differs when an open database is no longer the file at this path. */
  state(): string;
  /** Birth time of the vault's folder, if the disk knows it. Without this method the vault is certain. */
  readonly born?: () => string | undefined;
  /** Renames the database if it is still that of `state`, so that a new one is made. */
  putAside(state: string, why: "damaged" | "other-vault"): void;
  readonly aside?: () => readonly string[];
}

interface MemoryPlaceOptions {
  readonly maker?: string;
  /** For tests: processes that have ended. */
  readonly ended?: ReadonlySet<string>;
  /** For tests: whose journal to share. */
  readonly sharedWith?: MemoryJournalStorage;
}

/** For vaults in memory, and without a state folder. */
export class MemoryJournalStorage implements JournalStorage {
  readonly maker: string;
  readonly #ended: ReadonlySet<string>;
  readonly running: Set<string>;
  readonly #database: { opened?: JournalDatabase | undefined };

  constructor({ maker = "memory", ended = new Set(), sharedWith }: MemoryPlaceOptions = {}) {
    this.maker = maker;
    this.#ended = ended;
    this.#database = sharedWith ? sharedWith.#database : {};
    this.running = sharedWith?.maker === maker ? sharedWith.running : new Set();
  }

  hasEnded(maker: string): boolean {
    return this.#ended.has(maker);
  }

  exists(): boolean {
    return this.#database.opened !== undefined;
  }

  async open(): Promise<JournalDatabase | undefined> {
    return (this.#database.opened ??= openSqlite());
  }

  state(): string {
    return "";
  }

  putAside(): void {
    this.#database.opened = undefined;
  }
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS operations (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  plan TEXT,
  reason TEXT NOT NULL,
  began INTEGER NOT NULL,
  maker TEXT NOT NULL,
  taken INTEGER NOT NULL,
  owner TEXT,
  client TEXT,
  tool TEXT,
  steps INTEGER,
  sum TEXT
);
CREATE TABLE IF NOT EXISTS steps (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  operation INTEGER NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  source TEXT,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  before TEXT,
  after TEXT,
  mark TEXT,
  permanent INTEGER NOT NULL,
  folder INTEGER NOT NULL,
  size INTEGER NOT NULL,
  image BLOB,
  sum TEXT
);
CREATE INDEX IF NOT EXISTS steps_of_path ON steps (path, sequence);
CREATE INDEX IF NOT EXISTS steps_of_operation ON steps (operation, sequence);
CREATE INDEX IF NOT EXISTS step_sizes ON steps (sequence, size);
CREATE INDEX IF NOT EXISTS unfinished ON operations (state) WHERE state <> 'done';`;

/** Missing in journals of earlier versions. */
const ADDED = [
  ["operations", "steps INTEGER"],
  ["operations", "sum TEXT"],
  ["steps", "sum TEXT"],
  ["steps", "made INTEGER"],
] as const;

/** One of these files must exist if the disk does not know the vault's birth time. */
const MAX_WITNESSES = 20;

/** Wait for other processes, and between attempts. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_PAUSE_MS = 5;
const REOPEN_DELAY_MS = 1_000;

interface Queued {
  readonly work: (database: JournalDatabase) => unknown;
  readonly confirms: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Opened {
  readonly database: JournalDatabase;
  readonly state: string;
  /** Of the vault's folder, once known. */
  born: string | undefined;
  /** False: perhaps of another vault, whose folder had this one's inode. */
  isOurs: boolean;
}

export class JournalConnection {
  readonly place: JournalStorage;
  readonly #isThere: (path: string) => Promise<boolean>;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  readonly #queue: Queued[] = [];
  #isDraining = false;

  /** @param isThere whether the vault or its trash has the file */
  constructor(place: JournalStorage, isThere: (path: string) => Promise<boolean>) {
    this.place = place;
    this.#isThere = isThere;
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    if (this.#opened) this.#forget(this.#opened);
  }

  #forget(opened: Opened): void {
    if (this.#opened === opened) this.#opening = this.#opened = undefined;
    opened.database.close();
  }

  async read<Result>(look: (database: JournalDatabase) => Result, nothing: Result): Promise<Result> {
    if (!this.place.exists()) return nothing;
    const opened = await this.#current();
    return await this.#orAside(opened, () => this.#inTime(() => look(opened.database)));
  }

  async isOurs(): Promise<boolean> {
    return !this.place.exists() || (await this.#current()).isOurs;
  }

  async confirm(): Promise<void> {
    await this.write((database) => recordBirth(database, this.place.born?.() ?? CONFIRMED), { confirms: true });
  }

  /** Reopens it when it was removed or moved, or the vault has changed. */
  async #current(): Promise<Opened> {
    const opened = this.#opened;
    const born = this.place.born?.();
    if (opened && (opened.state !== this.place.state() || (opened.born ?? born) !== born)) this.#forget(opened);
    const opening = (this.#opening ??= this.#open());
    try {
      return await opening;
    } catch (error) {
      // With libsql, failed attempts can leave files open until garbage collection.
      setTimeout(() => {
        if (this.#opening === opening) this.#opening = undefined;
      }, REOPEN_DELAY_MS).unref();
      throw error;
    }
  }

  /** Puts a damaged database aside; the next call begins a new one. */
  async #orAside<Result>(opened: Opened, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#forget(opened);
      this.place.putAside(opened.state, "damaged");
      throw error;
    }
  }

  async #open(): Promise<Opened> {
    const before = this.place.state();
    const opened = await this.#tryToOpen().catch((error: unknown) => {
      if (!isCorrupt(error)) throw error;
      this.place.putAside(before, "damaged");
      return this.#tryToOpen();
    });
    this.#opened = opened;
    return opened;
  }

  async #tryToOpen(): Promise<Opened> {
    const database = await this.place.open();
    if (!database) throw new Error("There is no SQLite here: install Node 22.16 or later.");
    try {
      await this.#inTime(() => prepare(database));
      const state = this.place.state();
      const born = this.place.born?.();
      const origin = this.place.born ? await this.#originOf(database, born) : "ours";
      if (origin !== "other") return { database, state, born, isOurs: origin === "ours" };
      database.close();
      this.place.putAside(state, "other-vault");
      return await this.#tryToOpen();
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** `unknown`: neither birth time nor a file proves it. */
  async #originOf(database: JournalDatabase, born: string | undefined): Promise<"ours" | "other" | "unknown"> {
    const recorded = textOf(database.prepare(`SELECT ${readAsBytes("value")} FROM meta WHERE key = 'born'`).get()?.[0]);
    if (recorded === CONFIRMED || (recorded !== undefined && recorded === born)) return "ours";
    if (recorded !== undefined && born !== undefined) return "other";
    const newest = `SELECT ${readAsBytes("path, source")} FROM steps ORDER BY sequence DESC LIMIT ?`;
    const steps = database.prepare(newest).all(MAX_WITNESSES);
    let isOurs = steps.length === 0;
    for (const path of steps.flat().map(textOf)) isOurs ||= path !== undefined && (await this.#isThere(path));
    if (!isOurs) return "unknown";
    if (born !== undefined) await this.#inTime(() => recordBirth(database, born));
    return "ours";
  }

  write<Result>(work: (database: JournalDatabase) => Result, { confirms = false } = {}): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ work, confirms, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#queue.length > 0) {
        await loopTurn();
        await this.#commit(this.#queue.splice(0));
      }
    } finally {
      this.#isDraining = false;
    }
  }

  /** When the batch fails, commits each change separately. */
  async #commit(batch: readonly Queued[], isAgain = false): Promise<void> {
    try {
      const opened = await this.#toWrite(batch.some(({ confirms }) => confirms));
      const { database } = opened;
      const results = await this.#orAside(opened, () =>
        this.#inTime(() => database.transaction(() => batch.map(({ work }) => work(database)))),
      );
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]);
    } catch (error) {
      if (isCorrupt(error) && !isAgain) await this.#commit(batch, true);
      else if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await this.#commit([one]);
    }
  }

  /** Does not continue another vault's journal. */
  async #toWrite(confirms: boolean): Promise<Opened> {
    const opened = await this.#current();
    if (opened.isOurs) return await this.#withBirth(opened);
    if (confirms) return Object.assign(opened, { isOurs: true });
    this.#forget(opened);
    this.place.putAside(opened.state, "other-vault");
    return await this.#current();
  }

  /** A new folder's birth time is unknown until its first change. */
  async #withBirth(opened: Opened): Promise<Opened> {
    const born = this.place.born?.();
    if (opened.born !== undefined || born === undefined) return opened;
    await this.#inTime(() => recordBirth(opened.database, born));
    return Object.assign(opened, { born });
  }

  async #inTime<Result>(work: () => Result): Promise<Result> {
    const end = performance.now() + LOCK_TIMEOUT_MS;
    for (;;)
      try {
        return work();
      } catch (error) {
        if (!(error instanceof SqliteError) || error.failure !== "busy" || performance.now() > end) throw error;
        await sleep(LOCK_PAUSE_MS);
      }
  }
}

const textOf = (value: SqlValue | undefined): string | undefined =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : undefined;

const isCorrupt = (error: unknown): boolean => error instanceof SqliteError && error.failure === "corrupt";

/** Recorded instead of a birth time. */
const CONFIRMED = "confirmed";

function recordBirth(database: JournalDatabase, born: string): void {
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('born', ?)").run(born);
}

function prepare(database: JournalDatabase): void {
  database.exec(SCHEMA);
  for (const [table, column] of ADDED) {
    const name = column.split(" ")[0] ?? "";
    const known = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, name);
    if (!known) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  }
}

export function insertRow(database: JournalDatabase, table: string, row: Readonly<Record<string, SqlValue>>): void {
  const columns = Object.keys(row);
  const marks = columns.map(() => "?").join(", ");
  database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`).run(...Object.values(row));
}

/** Never one used before. */
export function nextNumber(database: JournalDatabase, table: "operations" | "steps"): number {
  const used = database.prepare<[number]>("SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = ?").get(table);
  return (used?.[0] ?? 0) + 1;
}

export function dropEmpty(database: JournalDatabase, number: number): void {
  const isEmpty = "NOT EXISTS (SELECT 1 FROM steps WHERE steps.operation = operations.number)";
  database.prepare(`DELETE FROM operations WHERE number = ? AND state = 'done' AND ${isEmpty}`).run(number);
}

const NUMBERS = /^(sequence|operation|number|at|began|taken|permanent|folder|size|steps|made)$/;

/**
 * SQL that reads columns as bytes: libsql ends the process when a damaged database returns invalid UTF-8 as text.
 * @param columns separated by ", "
 */
function readAsBytes(columns: string): string {
  return columns
    .split(", ")
    .map((name) => `CAST(${name} AS ${NUMBERS.test(name) ? "INTEGER" : "BLOB"})`)
    .join(", ");
}

/** In the order of `readStep` and `readOperation`. */
export const STEP_COLUMNS = readAsBytes(
  "sequence, operation, state, kind, path, source, reason, at, before, after, mark, permanent, folder, size, sum, made",
);
export const OPERATION_COLUMNS = readAsBytes(
  "number, id, state, plan, reason, began, maker, taken, owner, client, tool, steps, sum",
);
