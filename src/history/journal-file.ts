/** The undo journal as a file in the user's state folder, readable by nobody else. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.js";
import { openSqlite } from "../database.js";
import { contentRevision } from "../storage/content-revision.js";
import { hasEnded, ownIdentity } from "../storage/filesystem/process-identity.js";
import type { JournalDatabase, JournalPlace } from "./connection.js";

interface JournalFileOptions {
  /** Absolute, such as `~/.local/state/obsidian-vault-mcp-server`; created when missing. */
  readonly folder: string;
  /** Identifies the vault; its processes share a journal. */
  readonly identity: string;
  readonly clock: Clock;
}

export const JOURNALS = "undo";
/** Milliseconds; SQLite blocks the event loop. */
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
