/** Follows the storage's change feed and decides when it can replace a sweep of the vault. */
import { loopTurn } from "../async/timers.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";

export type DirtyPaths = ReadonlySet<VaultPath> | "everything";

/** Beyond this many, a full sweep costs no more. */
const MAX_PATHS = 512;

/** No system announces changes made through a memory map or a hard link outside the vault. */
const TRUSTED_MS = 30_000;

const RETRY_AFTER_MS = 5 * 60_000;

export class ChangeWatch {
  readonly #storage: Storage;
  readonly #log: Log;
  #abort = new AbortController();
  #mountState: string | undefined;
  #startedAt = -Infinity;
  #isStopped = false;
  #paths = new Set<VaultPath>();
  #everything = true;
  #listening = false;
  #lookedAt = -Infinity;

  constructor(storage: Storage, log: Log) {
    this.#storage = storage;
    this.#log = log;
    this.#start(storage.mountState?.());
  }

  /**
   * Forgets the paths; a caller that fails to read them gives them back. Changes from just before arrive only after the
   * event loop has polled the system again.
   */
  async take(): Promise<DirtyPaths> {
    this.#confirmMount();
    // One turn may only finish the loop's current round, without polling.
    await loopTurn();
    await loopTurn();
    if (!this.#listening) return "everything";
    const now = performance.now();
    const isDue = now - this.#lookedAt > TRUSTED_MS;
    const dirty = this.#everything || isDue ? "everything" : this.#paths;
    if (dirty === "everything") this.#lookedAt = now;
    this.#everything = false;
    this.#paths = new Set();
    return dirty;
  }

  giveBack(dirty: DirtyPaths): void {
    if (dirty === "everything") this.#markEverything();
    else for (const path of dirty) this.#mark(path);
  }

  stop(): void {
    this.#isStopped = true;
    this.#listening = false;
    this.#abort.abort();
  }

  #confirmMount(): void {
    if (this.#isStopped) return;
    const mountState = this.#storage.mountState?.();
    const isOther = mountState !== this.#mountState;
    if (isOther)
      this.#log.warn("the vault's folder, a disk in it or its access rules have changed; all files are listed again");
    const isDue = this.#abort.signal.aborted && performance.now() - this.#startedAt > RETRY_AFTER_MS;
    if (isOther || isDue) this.#start(mountState);
  }

  #start(mountState: string | undefined): void {
    this.#abort.abort();
    this.#listening = false;
    this.#markEverything();
    this.#mountState = mountState;
    this.#startedAt = performance.now();
    this.#abort = new AbortController();
    void this.#listen(this.#abort);
  }

  async #listen(abort: AbortController): Promise<void> {
    try {
      // The first announcement means that the watch is running.
      for await (const change of this.#storage.changes?.(abort.signal, { listed: true }) ?? []) {
        if (abort.signal.aborted) return;
        this.#listening = true;
        if (change.kind === "unsure") this.#markEverything();
        else this.#mark(change.path);
      }
    } catch (error) {
      this.#log.warn("changes can no longer be watched; every call looks at all files", { error: String(error) });
    }
    if (abort.signal.aborted) return;
    this.#listening = false;
    abort.abort();
  }

  #mark(path: VaultPath): void {
    if (this.#paths.size >= MAX_PATHS) this.#markEverything();
    else if (!this.#everything) this.#paths.add(path);
  }

  #markEverything(): void {
    this.#everything = true;
    this.#paths.clear();
  }
}
