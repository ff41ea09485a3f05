/** Learns, behind the answers, what the texts that were read cannot hold, and keeps it between processes. */
import { isUtf8 } from "node:buffer";
import { Deferred } from "../async/deferred.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import { stopwatch } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import { isUnreadable, type FileStat, type Storage, type StoredFile } from "../storage/storage.js";
import { type SignatureColumns, hasSameStamp, TextSignatures } from "./text-filter.js";
import { MAX_SIGNED_BYTES } from "./text-signature-store.js";

/** Where what is remembered of texts lasts between processes. Nothing here throws. */
export interface SignatureMemory {
  load(): Promise<SignatureColumns | undefined>;
  save(columns: SignatureColumns): Promise<void>;
}

export interface TextLearnerOptions {
  readonly storage: Storage;
  /** Bytes; larger files are passed over. */
  readonly maxBytes: number;
  readonly memory?: SignatureMemory | undefined;
  /**
   * Of the time that its searches took, the part for which a process that answers once learns before it ends: whoever waits for its
   * end hardly feels it, and after some such processes all texts are known. Default: a tenth.
   */
  readonly share?: number | undefined;
}

/** Milliseconds after a search, when its answer is out. */
const SIGN_AFTER = 100;
const SAVE_AFTER = 10_000;
const FEW_CHANGES = 32;
const SMALL_PART = 0.02;
const SHARE = 0.1;

export class TextLearner {
  readonly #options: TextLearnerOptions;
  readonly signatures = new TextSignatures();
  /** Files that were read and are not signed yet: that takes longer than reading them, and no answer waits for it. */
  #unsigned: FileStat[] = [];
  readonly #signing = new Deferred(() => void this.prepare().catch(() => undefined));
  readonly #saving = new Deferred(() => void this.save());
  #recalling: Promise<void> | undefined;
  #livesOn = false;
  #unsaved = 0;
  /** Searches that are reading; what goes on behind the answers waits for them. */
  #searches = 0;
  /** Milliseconds that all searches took. */
  #searched = 0;
  #isClosed = false;

  constructor(options: TextLearnerOptions) {
    this.#options = options;
  }

  /** For processes that live on: 300 to 400 bytes are remembered for 4 KB of text. */
  liveOn(): void {
    this.#livesOn = true;
  }

  /** Recalls what earlier processes learnt. */
  recall(): Promise<void> {
    return (this.#recalling ??= this.#recall());
  }

  async #recall(): Promise<void> {
    const { memory, storage } = this.#options;
    const columns = await memory?.load();
    if (columns && this.signatures.size === 0) this.signatures.restore(columns, storage.stampLength);
  }

  /** A search reads; to be called with what it read when it has ended. */
  beginSearch(): (read: readonly FileStat[]) => void {
    const since = stopwatch();
    this.#searches++;
    return (read) => {
      this.#searches--;
      this.#searched += stopwatch() - since;
      const unsigned = read.filter((stat) => stat.size <= MAX_SIGNED_BYTES && !this.signatures.knows(stat));
      // What dies with the process is not worth learning when that answers once.
      if (unsigned.length === 0 || !(this.#livesOn || this.#options.memory)) return;
      this.#unsigned = this.#unsigned.concat(unsigned);
      if (this.#livesOn) this.#signing.in(SIGN_AFTER);
    };
  }

  /**
   * Resolves once all that was read before is remembered, or a search has come in between: none waits for it.
   * @param milliseconds the most it may take
   */
  async prepare(milliseconds = Infinity): Promise<void> {
    this.#signing.cancel();
    const { storage, maxBytes } = this.#options;
    const files = this.#unsigned;
    this.#unsigned = [];
    const known = new Map(files.map((stat) => [stat.path, stat]));
    const [since, slice] = [stopwatch(), new TimeSlice()];
    try {
      for await (const batch of storage.readMany([...known.keys()], { limit: maxBytes }))
        for (const file of batch) {
          if (this.#isClosed || stopwatch() - since > milliseconds) return;
          if (this.#searches > 0) return this.#signLater(known);
          const stat = isUnreadable(file) ? undefined : known.get(file.stat.path);
          // What changed since is read again by the next search.
          if (!stat || isUnreadable(file) || !hasSameStamp(stat, file.stat)) continue;
          this.signatures.learn(stat, textBytes(file));
          this.#unsaved++;
          known.delete(stat.path);
          if (slice.isOver) await slice.yield();
        }
    } finally {
      this.signatures.rest();
      if (this.#livesOn && this.#isWorthSaving) this.#saving.in(SAVE_AFTER);
    }
  }

  #signLater(files: ReadonlyMap<VaultPath, FileStat>): void {
    this.#unsigned = [...files.values(), ...this.#unsigned];
    this.#signing.in(SIGN_AFTER);
  }

  /** Few texts are read again sooner than all signatures are written. */
  get #isWorthSaving(): boolean {
    return this.#unsaved > Math.max(FEW_CHANGES, this.signatures.size * SMALL_PART);
  }

  /** Writes down what is remembered, if that is worth it; a process that answers once learns a part of what it has read first. */
  async save(): Promise<void> {
    const { memory, storage, share = SHARE } = this.#options;
    if (!memory) return;
    if (!this.#livesOn && this.#unsigned.length > 0) await this.prepare(this.#searched * share);
    if (!this.#isWorthSaving) return;
    this.#unsaved = 0;
    await memory.save(this.signatures.columns(storage.stampLength));
  }

  /** Stops what goes on behind the answers. */
  close(): void {
    this.#isClosed = true;
    this.#signing.cancel();
    this.#saving.cancel();
  }
}

/** The bytes of a text; undefined where they are none. */
export function textBytes({ bytes }: StoredFile): Buffer | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
