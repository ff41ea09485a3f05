/** Listens to the storage's announcements, and knows when they can stand in for a look at everything. */
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";

/** What is to be looked at again: these paths, or everything. */
export type Doubt = ReadonlySet<VaultPath> | "everything";

/** With more paths than this in doubt a look at everything costs no more. */
const MAX_PATHS = 512;

/**
 * Milliseconds after a look at everything for which announcements alone are believed. Some changes no system announces: those
 * made through a memory map, or by a second name of the file outside the vault.
 */
const BELIEVED = 30_000;

export class ChangeWatch {
  readonly #log: Log;
  readonly #abort = new AbortController();
  #paths = new Set<VaultPath>();
  #everything = true;
  #listening = false;
  #lookedAt = -Infinity;

  constructor(storage: Storage, log: Log) {
    this.#log = log;
    void this.#listen(storage);
  }

  /**
   * What changed up to this call, as far as doubt goes; the caller takes it over and gives it back when it fails.
   * Events of writes that were finished before the call are in only after the event loop has asked the system once more.
   */
  async take(): Promise<Doubt> {
    if (!this.#listening) return "everything";
    // The first turn may be this round's last phase; the second comes after the system was asked.
    await turn();
    await turn();
    const now = performance.now();
    const isDue = now - this.#lookedAt > BELIEVED;
    const doubt = this.#everything || isDue || !this.#listening ? "everything" : this.#paths;
    if (doubt === "everything") this.#lookedAt = now;
    this.#everything = false;
    this.#paths = new Set();
    return doubt;
  }

  giveBack(doubt: Doubt): void {
    if (doubt === "everything") this.#doubtEverything();
    else for (const path of doubt) this.#doubt(path);
  }

  stop(): void {
    this.#listening = false;
    this.#abort.abort();
  }

  async #listen(storage: Storage): Promise<void> {
    try {
      // The first announcement says that the watch stands.
      for await (const change of storage.changes?.(this.#abort.signal) ?? []) {
        this.#listening = !this.#abort.signal.aborted;
        if (change.kind === "unsure") this.#doubtEverything();
        else this.#doubt(change.path);
      }
    } catch (error) {
      this.#log.warn("changes can no longer be watched; every call looks at all files", { error: String(error) });
    }
    this.#listening = false;
  }

  #doubt(path: VaultPath): void {
    if (this.#paths.size >= MAX_PATHS) this.#doubtEverything();
    else if (!this.#everything) this.#paths.add(path);
  }

  #doubtEverything(): void {
    this.#everything = true;
    this.#paths.clear();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
