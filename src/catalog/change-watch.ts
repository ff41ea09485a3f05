/** Listens to the storage's announcements, and knows when they can replace a sweep of the vault. */
import { loopTurn } from "../async/yield-to-loop.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";

/** What may have changed since the last look: these paths, or everything. */
export type DirtyPaths = ReadonlySet<VaultPath> | "everything";

/** With more dirty paths than this a look at everything costs no more. */
const MAX_PATHS = 512;

/**
 * Milliseconds after a look at everything for which announcements alone are believed. Some changes no system announces: those
 * made through a memory map, or by a second name of the file outside the vault.
 */
const BELIEVED = 30_000;

/** Milliseconds after which a watch that failed is tried again. */
const TRIED_AGAIN_AFTER = 5 * 60_000;

export class ChangeWatch {
  readonly #storage: Storage;
  readonly #log: Log;
  #abort = new AbortController();
  /** What the storage stood on when listening began. */
  #ground: string | undefined;
  #startedAt = -Infinity;
  #isStopped = false;
  #paths = new Set<VaultPath>();
  #everything = true;
  #listening = false;
  #lookedAt = -Infinity;

  constructor(storage: Storage, log: Log) {
    this.#storage = storage;
    this.#log = log;
    this.#start(storage.ground?.());
  }

  /**
   * What changed up to this call, to be looked at again; the caller takes it over and gives it back when it fails.
   * Events of writes that were finished before the call are in only after the event loop has asked the system once more.
   */
  async take(): Promise<DirtyPaths> {
    this.#confirmGround();
    if (!this.#listening) return "everything";
    // The first turn may be this round's last phase; the second comes after the system was asked.
    await loopTurn();
    await loopTurn();
    const now = performance.now();
    const isDue = now - this.#lookedAt > BELIEVED;
    const dirty = this.#everything || isDue || !this.#listening ? "everything" : this.#paths;
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

  /** Begins anew where the storage stands on another ground than when it began, and now and then where listening failed. */
  #confirmGround(): void {
    if (this.#isStopped) return;
    const ground = this.#storage.ground?.();
    const isOther = ground !== this.#ground;
    if (isOther) this.#log.warn("the vault's folder, or a disk in it, was exchanged; all files are looked at anew");
    const isDue = this.#abort.signal.aborted && performance.now() - this.#startedAt > TRIED_AGAIN_AFTER;
    if (isOther || isDue) this.#start(ground);
  }

  #start(ground: string | undefined): void {
    this.#abort.abort();
    this.#listening = false;
    this.#markEverything();
    this.#ground = ground;
    this.#startedAt = performance.now();
    this.#abort = new AbortController();
    void this.#listen(this.#abort);
  }

  async #listen(abort: AbortController): Promise<void> {
    try {
      // The first announcement says that the watch stands.
      for await (const change of this.#storage.changes?.(abort.signal) ?? []) {
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
