/** SQLite: `node:sqlite` where it has FTS5, else the optional package `libsql`. */
import fs from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { makePrivateFolder } from "./private-folder.js";

/** Integers above 2^53 are text. */
export type SqlValue = string | number | null | Uint8Array;

/**
 * `busy`: another process holds the lock. `corrupt`: not a sound database. `full`: the disk. `readonly`: this user may
 * not write.
 */
type SqliteFailure = "busy" | "corrupt" | "full" | "readonly" | "other";

export class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly failure: SqliteFailure;

  constructor(failure: SqliteFailure, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.failure = failure;
  }
}

export interface Statement<Row extends readonly SqlValue[] = readonly SqlValue[]> {
  run(...values: SqlValue[]): { readonly changes: number };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export interface SqliteOptions {
  /** Absolute path, created private to this user; undefined: in memory. */
  readonly file?: string | undefined;
  /** Milliseconds to wait for a lock. */
  readonly busyTimeout?: number | undefined;
  /** Commits survive a power cut, and a failed read never damages the file; default: they survive a crash. */
  readonly durable?: boolean | undefined;
  /** Statements, run once it is open. */
  readonly setup?: string | undefined;
}

interface Connection {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: SqlValue[]): { changes: number | bigint };
    get(...values: SqlValue[]): unknown;
    all(...values: SqlValue[]): unknown[];
  };
  close(): void;
}
interface Driver {
  open(file: string): Connection;
  /** Undefined: a failed read while the log is merged is an error, as it should be. */
  readonly mergesBlindly?: true;
}

const BUSY_TIMEOUT_MS = 2_000;
const IN_MEMORY = ":memory:";

/**
 * In WAL mode. libsql ignores failed reads while merging the log, so a durable database has a rollback journal there
 * (docs: decisions, "SQLite").
 * @returns undefined without SQLite
 */
export function openSqlite(options: SqliteOptions = {}): SqliteDatabase | undefined {
  const driver = guarded(() => (loaded ??= loadDriver()));
  return driver && guarded(() => new SqliteDatabase(driver, options));
}

/** At a server's start: libsql ends the process if loaded with few file handles left. */
export function loadSqlite(): void {
  openSqlite()?.close();
}

export class SqliteDatabase {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  #isOpen = true;

  /** Use `openSqlite`. */
  constructor(driver: Driver, { file, busyTimeout = BUSY_TIMEOUT_MS, durable = false, setup }: SqliteOptions) {
    if (file !== undefined) makePrivate(file);
    this.#connection = driver.open(file ?? IN_MEMORY);
    try {
      this.#connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      if (file === undefined) return;
      this.#connection.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
      if (!durable || !driver.mergesBlindly) this.#connection.exec("PRAGMA journal_mode = WAL");
      else this.#leaveLog();
      if (setup !== undefined) this.#connection.exec(setup);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  exec(sql: string): void {
    guarded(() => this.#connection.exec(sql));
  }

  /** Cached by text. @throws SqliteError, also from its methods */
  prepare<Row extends readonly SqlValue[]>(sql: string): Statement<Row> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      const prepared = guarded(() => this.#connection.prepare(sql));
      statement = {
        run: (...values) => ({ changes: Number(guarded(() => prepared.run(...values)).changes) }),
        get: (...values) => guarded(() => prepared.get(...values)) as Row | undefined,
        all: (...values) => guarded(() => prepared.all(...values)) as Row[],
      };
      this.#statements.set(sql, statement);
    }
    return statement as Statement<Row>;
  }

  /**
   * Holds the write lock from the start; rolls back when `work` throws.
   * @throws SqliteError `busy`, and what `work` throws
   */
  transaction<Result>(work: () => Result): Result {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    this.#connection.close();
  }

  /** Leaves a log that an earlier version, or another driver, may be using. */
  #leaveLog(): void {
    try {
      this.#connection.exec("PRAGMA journal_mode = PERSIST");
    } catch (error) {
      if (failureOf(error) !== "busy") throw error;
    }
  }

  /** The failure may have ended the transaction already. */
  #rollBack(): void {
    try {
      this.#connection.exec("ROLLBACK");
    } catch {
      // Report the first failure.
    }
  }
}

let loaded: Driver | undefined;

/** Node 22.13 to 22.15 have `node:sqlite` without FTS5. */
function loadDriver(): Driver | undefined {
  for (const load of [loadNodeSqlite, loadLibsql]) {
    const driver = load();
    if (driver && hasFullText(driver)) return driver;
  }
  return undefined;
}

function hasFullText(driver: Driver): boolean {
  const connection = driver.open(IN_MEMORY);
  try {
    connection.exec("CREATE VIRTUAL TABLE t USING fts5(x, content='', contentless_delete=1)");
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** Missing in the oldest supported `@types/node`. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => {
    exec(sql: string): void;
    prepare(sql: string): ReturnType<Connection["prepare"]> & { setReturnArrays(enabled: boolean): void };
    close(): void;
  };
}

const EXPERIMENTAL = /^SQLite is an experimental feature/;

function loadNodeSqlite(): Driver | undefined {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  // Suppresses only the warning about this module.
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!EXPERIMENTAL.test(String(warning))) Reflect.apply(emitWarning as () => void, process, [warning, ...rest]);
  };
  try {
    const sqlite = process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
    return sqlite && { open: (file) => nodeConnection(new sqlite.DatabaseSync(file)) };
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}

function nodeConnection(connection: InstanceType<NodeSqlite["DatabaseSync"]>): Connection {
  return {
    exec: (sql) => connection.exec(sql),
    prepare: (sql) => {
      const statement = connection.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    },
    close: () => connection.close(),
  };
}

/** Undefined when not installed. @throws Error for lack of file handles or memory */
function loadLibsql(): Driver | undefined {
  let Libsql: typeof import("libsql");
  try {
    Libsql = createRequire(import.meta.url)("libsql") as typeof import("libsql");
  } catch (error) {
    if (NOT_INSTALLED.has(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
  return { open: (file) => libsqlConnection(new Libsql(file)), mergesBlindly: true };
}

function libsqlConnection(connection: import("libsql").Database): Connection {
  return {
    exec: (sql) => connection.exec(sql),
    prepare: (sql) => {
      const statement = connection.prepare(sql);
      if (statement.reader) statement.raw();
      return {
        run: (...values) => statement.run(values),
        get: (...values) => statement.get(values),
        all: (...values) => statement.all(values),
      };
    },
    close: () => void connection.close(),
  };
}

/** No package for this platform, or none at all. */
const NOT_INSTALLED = new Set(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);

/** Creates the file itself: others could read one created by SQLite. Journal files copy its mode. */
function makePrivate(file: string): void {
  makePrivateFolder(dirname(file));
  const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0);
  fs.closeSync(fs.openSync(file, flags, 0o600));
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof SqliteError ? error : new SqliteError(failureOf(error), error);
  }
}

/** By the primary result code (https://sqlite.org/rescode.html), or the system's. */
function failureOf(error: unknown): SqliteFailure {
  const { errcode, rawCode, code } = Object(error) as { errcode?: number; rawCode?: number; code?: unknown };
  switch ((errcode ?? rawCode ?? 0) & 0xff) {
    case 5:
    case 6:
      return "busy";
    case 11:
    case 26:
      return "corrupt";
    case 13:
      return "full";
    case 8:
      return "readonly";
    default:
      if (code === "EROFS" || code === "EACCES" || code === "EPERM") return "readonly";
      return code === "ENOSPC" || code === "EDQUOT" ? "full" : "other";
  }
}
