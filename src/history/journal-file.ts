/** The undo journal of a vault as a file in the user's state folder, readable by nobody else. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.js";
import { openSqlite } from "../database.js";
import { contentRevision } from "../storage/content-revision.js";
import { hasEnded, ownIdentity } from "../storage/filesystem/process-identity.js";
import type { JournalDatabase, JournalPlace } from "./connection.js";

export interface JournalFileOptions {
  /**
   * Absolute path of the program's own state folder, such as `~/.local/state/obsidian-vault-mcp-server`. It is created when
   * missing.
   */
  readonly folder: string;
  /** From the vault's storage: all processes with the same vault share one journal. */
  readonly identity: string;
  readonly clock: Clock;
}

/** The subfolder for journals. */
export const JOURNALS = "undo";
/** Milliseconds for which SQLite itself waits for a lock of another process. This blocks the event loop. */
const BUSY_TIMEOUT_MS = 20;

export class JournalFile implements JournalPlace {
  readonly #file: string;
  readonly #clock: Clock;

  constructor({ folder, identity, clock }: JournalFileOptions) {
    const vault = contentRevision(Buffer.from(identity)).slice(0, 32);
    this.#file = join(folder, JOURNALS, vault, "journal.sqlite");
    this.#clock = clock;
  }

  get maker(): string {
    return ownIdentity();
  }

  hasEnded(maker: string, since: number): boolean {
    return hasEnded(maker, since, this.#clock.now());
  }

  exists(): boolean {
    return fs.statSync(this.#file, { throwIfNoEntry: false }) !== undefined;
  }

  async open(): Promise<JournalDatabase | undefined> {
    return openSqlite({ file: this.#file, synchronous: "FULL", busyTimeout: BUSY_TIMEOUT_MS });
  }
}
