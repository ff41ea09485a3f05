/** The database of an undo journal; commits concurrent changes together. */
import type { EpochMilliseconds } from "../clock.js";
import { openSqlite, type SqliteDatabase, SqliteError, type SqlValue } from "../database.js";

export type JournalDatabase = Pick<SqliteDatabase, "exec" | "prepare" | "transaction" | "close">;

export interface JournalPlace {
  /** Names this process, so that others can ask whether it runs. */
  readonly maker: string;
  /** False in doubt. @param since when it is known to have run */
  hasEnded(maker: string, since: EpochMilliseconds): boolean;
  exists(): boolean;
  /** @returns undefined on a machine without SQLite */
  open(): Promise<JournalDatabase | undefined>;
}

interface MemoryPlaceOptions {
  readonly maker?: string;
  /** For tests: processes that have ended. */
  readonly ended?: ReadonlySet<string>;
  /** For tests: the place whose journal to share. */
  readonly sharedWith?: MemoryPlace;
}

/** A journal's place for vaults in memory, and without a state folder. */
export class MemoryPlace implements JournalPlace {
  readonly maker: string;
  readonly #ended: ReadonlySet<string>;
  readonly #database: { opened?: JournalDatabase | undefined };

  constructor({ maker = "memory", ended = new Set(), sharedWith }: MemoryPlaceOptions = {}) {
    this.maker = maker;
    this.#ended = ended;
    this.#database = sharedWith ? sharedWith.#database : {};
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
}

const SCHEMA = `
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
  tool TEXT
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
  image BLOB
);
CREATE INDEX IF NOT EXISTS steps_of_path ON steps (path, sequence);
CREATE INDEX IF NOT EXISTS steps_of_operation ON steps (operation, sequence);
CREATE INDEX IF NOT EXISTS step_sizes ON steps (sequence, size);
CREATE INDEX IF NOT EXISTS unfinished ON operations (state) WHERE state <> 'done';`;

/** Milliseconds to wait for other processes, and between attempts. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_PAUSE_MS = 5;
const REOPEN_DELAY_MS = 1_000;

interface Queued {
  readonly work: (database: JournalDatabase) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class JournalConnection {
  readonly place: JournalPlace;
  #opening: Promise<JournalDatabase> | undefined;
  readonly #queue: Queued[] = [];
  #isDraining = false;

  constructor(place: JournalPlace) {
    this.place = place;
  }

  async close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    database?.close();
  }

  /** @param nothing the result without a journal */
  async read<Result>(look: (database: JournalDatabase) => Result, nothing: Result): Promise<Result> {
    if (!this.#opening && !this.place.exists()) return nothing;
    return look(await this.#database());
  }

  async #database(): Promise<JournalDatabase> {
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

  async #open(): Promise<JournalDatabase> {
    const database = await this.place.open();
    if (!database) throw new Error("There is no SQLite here: install Node 22.16 or later.");
    try {
      await this.#inTime(() => database.exec(SCHEMA));
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /** Changes requested meanwhile are committed together. */
  write<Result>(work: (database: JournalDatabase) => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#queue.length > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        await this.#commit(this.#queue.splice(0));
      }
    } finally {
      this.#isDraining = false;
    }
  }

  /** When the batch fails, commits each change by itself. */
  async #commit(batch: readonly Queued[]): Promise<void> {
    try {
      const database = await this.#database();
      const results = await this.#inTime(() => database.transaction(() => batch.map(({ work }) => work(database))));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await this.#commit([one]);
    }
  }

  async #inTime<Result>(work: () => Result): Promise<Result> {
    const end = performance.now() + LOCK_TIMEOUT_MS;
    for (;;)
      try {
        return work();
      } catch (error) {
        if (!(error instanceof SqliteError) || error.failure !== "busy" || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
      }
  }
}

export function insertRow(database: JournalDatabase, table: string, row: Readonly<Record<string, SqlValue>>): number {
  const columns = Object.keys(row);
  const marks = columns.map(() => "?").join(", ");
  return database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`).run(...Object.values(row))
    .lastId;
}

export function dropEmpty(database: JournalDatabase, condition: string, value: number): void {
  const isEmpty = "NOT EXISTS (SELECT 1 FROM steps WHERE steps.operation = operations.number)";
  database.prepare(`DELETE FROM operations WHERE ${condition} AND state = 'done' AND ${isEmpty}`).run(value);
}

const NUMBERS = /^(sequence|operation|number|at|began|taken|permanent|folder|size)$/;

/**
 * SQL that reads columns as bytes: libsql ends the process when a damaged database returns text that is not UTF-8.
 * @param columns separated by ", "
 */
export function readAsBytes(columns: string): string {
  return columns
    .split(", ")
    .map((name) => `CAST(${name} AS ${NUMBERS.test(name) ? "INTEGER" : "BLOB"})`)
    .join(", ");
}
