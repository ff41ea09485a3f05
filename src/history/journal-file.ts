/** The undo journal as a file in the user's state folder, private to the user. */
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../clock.js";
import { openSqlite } from "../sqlite.js";
import { contentRevision } from "../storage/storage.js";
import { hasEnded, ownIdentity } from "../storage/filesystem/process-identity.js";
import type { JournalDatabase, JournalStorage } from "./connection.js";

interface JournalFileOptions {
  /** Created when missing. */
  readonly folder: string;
  /** Processes of one vault share a journal. */
  readonly identity: string;
  readonly clock: Clock;
  /** For a vault that is a folder, whose inode may be reused. */
  readonly born?: (() => string | undefined) | undefined;
}

export const JOURNALS = "undo";
const JOURNAL = "journal.sqlite";
/** What SQLite keeps next to a database. */
const COMPANIONS = ["-journal", "-wal", "-shm"];
/** Milliseconds; SQLite blocks the event loop. */
const BUSY_TIMEOUT_MS = 20;

/** By file: a process's vaults share it. */
const RUNNING = new Map<string, Set<string>>();

export class JournalFile implements JournalStorage {
  readonly #file: string;
  readonly #clock: Clock;
  readonly running: Set<string>;
  readonly born?: () => string | undefined;

  constructor({ folder, identity, clock, born }: JournalFileOptions) {
    const vault = contentRevision(Buffer.from(identity)).slice(0, 32);
    this.#file = join(folder, JOURNALS, vault, JOURNAL);
    this.#clock = clock;
    this.running = RUNNING.get(this.#file) ?? new Set();
    RUNNING.set(this.#file, this.running);
    if (born) this.born = born;
  }

  get maker(): string {
    return ownIdentity();
  }

  hasEnded(maker: string, since: number): boolean {
    return hasEnded(maker, since, this.#clock.now());
  }

  exists(): boolean {
    try {
      fs.statSync(this.#file);
      return true;
    } catch (error) {
      // `throwIfNoEntry` hides a file in place of a folder since Node 22: the journal is then unusable, not missing.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  state(): string {
    const stat = fs.statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.dev}-${stat.ino}` : "";
  }

  async open(): Promise<JournalDatabase | undefined> {
    return openSqlite({ file: this.#file, durable: true, busyTimeout: BUSY_TIMEOUT_MS });
  }

  aside(): readonly string[] {
    const place = dirname(this.#file);
    if (!fs.existsSync(place)) return [];
    const names = fs.readdirSync(place).filter((name) => /^(?:damaged|other-vault)-\d+\.sqlite$/.test(name));
    return names.sort().map((name) => join(place, name));
  }

  putAside(state: string, why: "damaged" | "other-vault"): void {
    if (state === "" || this.state() !== state) return;
    const place = dirname(this.#file);
    const taken = new Set(fs.readdirSync(place));
    let [number, name] = [1, `${why}-1.sqlite`];
    while (taken.has(name)) name = `${why}-${++number}.sqlite`;
    for (const end of [...COMPANIONS, ""])
      if (taken.has(JOURNAL + end)) fs.renameSync(this.#file + end, join(place, name + end));
  }
}
