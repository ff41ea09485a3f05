/** Learns, after the answers, which words the texts that were read cannot hold, and keeps that between processes. */
import { isUtf8 } from "node:buffer";
import { Deferred } from "../async/deferred.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import { stopwatch } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import { isUnreadable, type FileStat, type Storage, type StoredFile } from "../storage/storage.js";
import { type SignatureColumns, hasSameStamp, TextSignatures } from "./text-filter.js";
import { MAX_SIGNED_BYTES } from "./text-signature-store.js";

/** Where what was learnt is kept between processes. Nothing here throws. */
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
   * The share of its searches' time that a process which answers once spends on learning before it ends: hardly felt by whoever waits for
   * its end, and after some such processes all texts are known. Default: a tenth.
   */
  readonly share?: number | undefined;
}

/** Milliseconds from a search to the learning, when its answer is out. */
const SIGN_AFTER = 100;
/** Files that are read for signing in one sweep: what is known of them meanwhile is gone before it grows old. */
const AT_ONCE = 256;
const SAVE_AFTER = 10_000;
const FEW_CHANGES = 32;
const SMALL_PART = 0.02;
const SHARE = 0.1;

export class TextLearner {
  readonly #options: TextLearnerOptions;
  readonly signatures = new TextSignatures();
  /** Files that were read and have no signature yet: signing takes longer than reading, and no answer waits for it. */
  readonly #unsigned = new Set<FileStat>();
  readonly #signing = new Deferred(() => void this.prepare().catch(() => undefined));
  readonly #saving = new Deferred(() => void this.save());
  #recalling: Promise<void> | undefined;
  #livesOn = false;
  #unsaved = 0;
  /** Searches that are reading; work in the background waits for them. */
  #searches = 0;
  /** Milliseconds that all searches took. */
  #searched = 0;
  #isClosed = false;

  constructor(options: TextLearnerOptions) {
    this.#options = options;
  }

  /** For long-lived processes: 300 to 400 bytes are kept for 4 KB of text. */
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

  /** Marks the beginning of a search; call the result with the files it read when it has ended. */
  beginSearch(): (read: readonly FileStat[]) => void {
    const since = stopwatch();
    this.#searches++;
    return (read) => {
      this.#searches--;
      this.#searched += stopwatch() - since;
      const unsigned = read.filter((stat) => stat.size <= MAX_SIGNED_BYTES && !this.signatures.knows(stat));
      // In a process that answers once, only what is kept for the next process is worth learning.
      if (unsigned.length === 0 || !(this.#livesOn || this.#options.memory)) return;
      for (const stat of unsigned) this.#unsigned.add(stat);
      if (this.#livesOn) this.#signing.in(SIGN_AFTER);
    };
  }

  /**
   * Resolves once everything read before has been learnt, or a search has begun: none waits for this.
   * @param milliseconds the most it may take
   */
  async prepare(milliseconds = Infinity): Promise<void> {
    this.#signing.cancel();
    const [since, slice] = [stopwatch(), new TimeSlice()];
    const isOver = (): boolean => this.#isClosed || this.#searches > 0 || stopwatch() - since > milliseconds;
    try {
      while (this.#unsigned.size > 0 && !isOver()) await this.#signSome(isOver, slice);
      if (this.#searches > 0) this.#signing.in(SIGN_AFTER);
    } finally {
      this.signatures.rest();
      if (this.#livesOn && this.#isWorthSaving) this.#saving.in(SAVE_AFTER);
    }
  }

  async #signSome(isOver: () => boolean, slice: TimeSlice): Promise<void> {
    const { storage, maxBytes } = this.#options;
    const files = new Map<VaultPath, FileStat>();
    for (const stat of this.#unsigned) {
      files.set(stat.path, stat);
      if (files.size === AT_ONCE) break;
    }
    for await (const batch of storage.readMany([...files.keys()], { limit: maxBytes }))
      for (const file of batch) {
        if (isOver()) return;
        const stat = isUnreadable(file) ? undefined : files.get(file.stat.path);
        // A file that changed since is read again by the next search.
        if (!stat || isUnreadable(file) || !hasSameStamp(stat, file.stat)) continue;
        this.signatures.learn(stat, textBytes(file));
        this.#unsaved++;
        this.#unsigned.delete(stat);
        if (slice.isOver) await slice.yield();
      }
    // Also what changed, went or cannot be read.
    for (const stat of files.values()) this.#unsigned.delete(stat);
  }

  /** Few texts are read again faster than all signatures are written. */
  get #isWorthSaving(): boolean {
    return this.#unsaved > Math.max(FEW_CHANGES, this.signatures.size * SMALL_PART);
  }

  /** Saves what was learnt, if that is worth it; a process that answers once first learns some of what it has read. */
  async save(): Promise<void> {
    const { memory, storage, share = SHARE } = this.#options;
    if (!memory) return;
    if (!this.#livesOn && this.#unsigned.size > 0) await this.prepare(this.#searched * share);
    if (!this.#isWorthSaving) return;
    this.#unsaved = 0;
    await memory.save(this.signatures.columns(storage.stampLength));
  }

  /** Stops the work in the background. */
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
