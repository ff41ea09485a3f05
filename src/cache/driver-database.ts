/** A storage driver's database: rows about its files, and texts that never change under their names. */
import { type SqliteDatabase, SqliteError } from "../sqlite.js";
import { isVaultError } from "../errors.js";
import type { Log } from "../log.js";
import type { DriverStore } from "../storage/storage.js";
import { hashNumber } from "../text/hash.js";
import {
  assertSound,
  inTransaction,
  closeStored,
  isDamage,
  metaOf,
  openInMemory,
  openStored,
  removeDatabase,
  type StoredDatabase,
  type StoreForm,
  type StoreLocation,
  storedText,
  whenFree,
} from "./cache-database.js";

/** Separate from the index's database: downloads stay valid when the program's version changes. */
const FORM = {
  what: "what was downloaded",
  schema: `
    CREATE TABLE rows (name TEXT PRIMARY KEY, checksum INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE texts (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL, value TEXT NOT NULL
    );`,
};
const EDITION = 1;

// Names are stored as JSON, because SQLite cannot store invalid Unicode.

/** Bytes of all texts on disk; the oldest go first. */
const MAX_TEXTS = 256 * 1024 * 1024;
const MAX_TEXTS_IN_MEMORY = 64 * 1024 * 1024;

export class DriverDatabase implements DriverStore {
  readonly #place: StoreLocation;
  readonly #form: StoreForm;
  readonly #log: Log;
  readonly #maxTexts: number;
  #stored: Promise<StoredDatabase> | undefined;
  #hasWritten = false;
  /** The number of the last save this process read or made. */
  #save = "";

  /** @param maxTexts bytes of all texts, for tests */
  constructor(place: StoreLocation, log: Log, maxTexts?: number) {
    const identity = `driver of ${place.identity}`;
    this.#place = { ...place, identity };
    this.#form = { ...FORM, form: JSON.stringify([EDITION, identity]) };
    this.#log = log;
    this.#maxTexts = maxTexts ?? (place.folder === undefined ? MAX_TEXTS_IN_MEMORY : MAX_TEXTS);
  }

  async rows(): Promise<ReadonlyMap<string, string>> {
    return this.#using(new Map(), ({ database }) => {
      const select = database.prepare<[Uint8Array, number, Uint8Array]>(
        "SELECT CAST(name AS BLOB), CAST(checksum AS INTEGER), CAST(value AS BLOB) FROM rows",
      );
      const [save, found] = inTransaction(database, () => [metaOf(database, "save") ?? "", select.all()]);
      const rows = new Map<string, string>();
      for (const [bytes, checksum, value] of found) {
        const name = storedText(bytes);
        const text = soundText(name, checksum, value);
        rows.set(JSON.parse(name) as string, text);
      }
      this.#save = save;
      return rows;
    });
  }

  async saveRows(
    changed: ReadonlyMap<string, string | undefined> | undefined,
    all: () => Iterable<readonly [string, string]>,
  ): Promise<void> {
    await this.#using(undefined, async ({ database, file }) => {
      if (file === undefined) return;
      await whenFree(() =>
        database.transaction(() => {
          const rows = this.#save !== "" && metaOf(database, "save") === this.#save ? changed : undefined;
          if (!rows) database.exec("DELETE FROM rows");
          const remove = database.prepare("DELETE FROM rows WHERE name = ?");
          const insert = database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)");
          for (const [plain, value] of rows ?? all()) {
            const name = JSON.stringify(plain);
            if (value === undefined) remove.run(name);
            else insert.run(name, hashNumber(`${name}\n${value}`), value);
          }
          this.#save = String((Number(metaOf(database, "save")) || 0) + 1);
          setMeta(database, "save", this.#save);
        }),
      );
      this.#hasWritten = true;
    });
  }

  async texts(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#using(new Map(), ({ database }) => {
      const texts = new Map<string, string>();
      const select = database.prepare<[number, Uint8Array]>(
        "SELECT CAST(checksum AS INTEGER), CAST(value AS BLOB) FROM texts WHERE name = ?",
      );
      for (const plain of names) {
        const name = JSON.stringify(plain);
        const row = select.get(name);
        if (row) texts.set(plain, soundText(name, ...row));
      }
      return texts;
    });
  }

  async addTexts(texts: ReadonlyMap<string, string>): Promise<void> {
    if (texts.size === 0) return;
    await this.#using(undefined, async ({ database, file }) => {
      await whenFree(() =>
        database.transaction(() => {
          const insert = database.prepare("INSERT OR IGNORE INTO texts (name, checksum, value) VALUES (?, ?, ?)");
          let held = Number(metaOf(database, "held")) || 0;
          for (const [plain, value] of texts) {
            const name = JSON.stringify(plain);
            if (insert.run(name, hashNumber(`${name}\n${value}`), value).changes > 0) held += Buffer.byteLength(value);
          }
          setMeta(database, "held", String(withoutOldest(database, held, this.#maxTexts)));
        }),
      );
      this.#hasWritten = file !== undefined;
    });
  }

  async close(): Promise<void> {
    const stored = await this.#stored?.catch(() => undefined);
    if (stored) closeStored(stored.database, this.#hasWritten);
  }

  /** Returns `otherwise` when `work` fails: only cached data is lost. */
  async #using<Result>(otherwise: Result, work: (stored: StoredDatabase) => Result | Promise<Result>): Promise<Result> {
    try {
      return await work(await (this.#stored ??= openStored(this.#place, this.#form, this.#log)));
    } catch (error) {
      this.#save = "";
      if (isVaultError(error, "UNAVAILABLE")) return otherwise;
      if (!(error instanceof SqliteError)) throw error;
      this.#log.debug("what the storage driver knows was not stored", { error: error.message });
      const failed = await this.#stored;
      if (isDamage(error) && failed?.file !== undefined) {
        failed.database.close();
        removeDatabase(failed.file);
        this.#stored = (async () => openInMemory(this.#form))();
      }
      return otherwise;
    }
  }
}

function soundText(name: string, checksum: number, value: Uint8Array): string {
  const text = storedText(value);
  assertSound(checksum, `${name}\n${text}`);
  return text;
}

function setMeta(database: SqliteDatabase, key: string, value: string): void {
  database.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(key, value);
}

/** The bytes that are left. */
function withoutOldest(database: SqliteDatabase, held: number, most: number): number {
  if (held <= most) return held;
  // Removes a tenth more, so that this is rare.
  const [last, dropped] = database
    .prepare<[number, number]>(
      `SELECT number, sum FROM (SELECT number, sum(octet_length(value)) OVER (ORDER BY number) AS sum FROM texts)
       WHERE sum >= ? ORDER BY number LIMIT 1`,
    )
    .get(held - Math.floor(most * 0.9)) ?? [0, 0];
  database.prepare("DELETE FROM texts WHERE number <= ?").run(last);
  return held - dropped;
}
