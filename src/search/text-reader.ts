/** Reads the texts of many files fast, leaving out those that a session knows cannot hold what is looked for. */
import { isUtf8 } from "node:buffer";
import { Deferred } from "../async/deferred.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import type { Clock } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import { isRacy, isUnreadable, type FileStat, type Storage, type StoredFile } from "../storage/storage.js";
import { MAX_SIGNED_BYTES, trigramsOf, type Trigrams } from "./text-signature-store.js";
import { CANNOT_HOLD, hasSameStamp, NO_TEXT, type SignatureColumns, TextSignatures } from "./text-filter.js";

export { trigramsOf, type Trigrams } from "./text-signature-store.js";

/** A text file; its bytes are valid until the next batch is asked for. */
export interface ScannedText {
  readonly stat: FileStat;
  /** The whole file, valid UTF-8. */
  readonly bytes: Buffer;
}

/** A file that was to be read and holds no text that could be. */
export interface SkippedFile {
  /** For reading only: it may break the rules of a path. */
  readonly path: string;
  /** Why, in a sentence that names it. */
  readonly message: string;
}

export interface ScanOptions {
  /** Files that lack one of these are left out, as far as that is known. */
  readonly holding?: Trigrams | undefined;
  /** Is told of each file that cannot be searched, whether it is read or known from before. */
  readonly onSkipped?: ((file: SkippedFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Where what is remembered of texts lasts between processes. Nothing here throws. */
export interface SignatureMemory {
  load(): Promise<SignatureColumns | undefined>;
  save(columns: SignatureColumns): Promise<void>;
}

export interface TextScanOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Bytes; larger files are passed over. */
  readonly maxBytes: number;
  readonly memory?: SignatureMemory | undefined;
}

export class TextScan {
  readonly #options: TextScanOptions;
  #signatures: TextSignatures | undefined;
  /** Files that were read and are not signed yet: that takes longer than reading them, and no answer waits for it. */
  #unsigned: FileStat[] = [];
  readonly #signing = new Deferred(() => void this.prepare().catch(() => undefined));
  readonly #saving = new Deferred(() => void this.save());
  #recalling: Promise<void> | undefined;
  /** Whether more is learnt than what an earlier process left. */
  #isLearning = false;
  #unsaved = 0;
  /** Searches that are reading; what goes on behind the answers waits for them. */
  #readers = 0;
  #isClosed = false;

  constructor(options: TextScanOptions) {
    this.#options = options;
  }

  /** For processes that live on: remembers of each file it reads what it cannot hold, 300 to 400 bytes for 4 KB of text. */
  liveOn(): void {
    this.#isLearning = true;
    this.#signatures ??= new TextSignatures();
  }

  /** Recalls what earlier processes learnt; to be waited for before `mayHold` is asked, which knows less without. */
  recall(): Promise<void> {
    return (this.#recalling ??= this.#recall());
  }

  async #recall(): Promise<void> {
    const { memory, storage } = this.#options;
    const columns = await memory?.load();
    if (!columns || (this.#signatures?.size ?? 0) > 0) return;
    this.#signatures ??= new TextSignatures();
    this.#signatures.restore(columns, storage.stampLength);
  }

  /**
   * Which of the files may hold a needle, without reading any; those left out certainly do not. All, where nothing is remembered.
   * Asked again with the same array, which must not have changed, it is quicker.
   */
  mayHold(files: readonly FileStat[], needle: Trigrams): (index: number) => boolean {
    const verdicts = this.#signatures?.verdicts(files, needle);
    return verdicts ? (index) => verdicts[index] !== CANNOT_HOLD && verdicts[index] !== NO_TEXT : () => true;
  }

  /** Lets go of what it knows of files that are gone. */
  keepOnly(files: readonly FileStat[]): void {
    this.#signatures?.keepOnly(files);
  }

  /** The texts of files in the order of their paths, in batches; files that are gone are left out. */
  async *read(files: readonly FileStat[], options: ScanOptions = {}): AsyncGenerator<readonly ScannedText[]> {
    const { storage, clock, maxBytes } = this.#options;
    const { onSkipped, signal, onProgress } = options;
    await this.recall();
    const wanted = this.#wanted(files, options);
    if (wanted.length === 0) return;
    const look = clock.now();
    const unsigned: FileStat[] = [];
    let done = 0;
    this.#readers++;
    try {
      for await (const batch of storage.readMany(wanted, { limit: maxBytes, ...(signal ? { signal } : {}) })) {
        const texts: ScannedText[] = [];
        for (const file of batch) {
          if (isUnreadable(file)) onSkipped?.({ path: file.path, message: file.error.message });
          else if (file.bytes.length < file.stat.size) onSkipped?.(this.#tooLarge(file.stat));
          else {
            const bytes = textBytes(file);
            if (this.#isToSign(file.stat) && !isRacy(file.stat, look, storage.stampGranularity))
              unsigned.push(file.stat);
            if (bytes) texts.push({ stat: file.stat, bytes });
            else onSkipped?.(noText(file.stat));
          }
        }
        onProgress?.({ done: (done += batch.length), total: wanted.length });
        yield texts;
      }
    } finally {
      this.#readers--;
      this.#unsigned = this.#unsigned.concat(unsigned);
      if (unsigned.length > 0) this.#signing.in(SIGN_AFTER);
    }
  }

  #isToSign(stat: FileStat): boolean {
    return (
      this.#isLearning &&
      this.#signatures !== undefined &&
      stat.size <= MAX_SIGNED_BYTES &&
      !this.#signatures.knows(stat)
    );
  }

  /** Resolves once all that was read before is remembered, or a search has come in between: none waits for it. */
  async prepare(): Promise<void> {
    this.#signing.cancel();
    const { storage, maxBytes } = this.#options;
    const files = this.#unsigned;
    this.#unsigned = [];
    const known = new Map(files.map((stat) => [stat.path, stat]));
    const slice = new TimeSlice();
    try {
      for await (const batch of storage.readMany([...known.keys()], { limit: maxBytes }))
        for (const file of batch) {
          if (this.#isClosed) return;
          if (this.#readers > 0) return this.#signLater(known);
          const stat = isUnreadable(file) ? undefined : known.get(file.stat.path);
          // What changed since is read again by the next search.
          if (!stat || isUnreadable(file) || !hasSameStamp(stat, file.stat)) continue;
          this.#signatures?.learn(stat, textBytes(file));
          this.#unsaved++;
          known.delete(stat.path);
          if (slice.isOver) await slice.yield();
        }
    } finally {
      this.#signatures?.rest();
      if (this.#isWorthSaving) this.#saving.in(SAVE_AFTER);
    }
  }

  #signLater(files: ReadonlyMap<VaultPath, FileStat>): void {
    this.#unsigned = [...files.values(), ...this.#unsigned];
    this.#signing.in(SIGN_AFTER);
  }

  /** Few texts are read again sooner than all signatures are written. */
  get #isWorthSaving(): boolean {
    return this.#unsaved > Math.max(FEW_CHANGES, (this.#signatures?.size ?? 0) * SMALL_PART);
  }

  /** Writes down what is remembered, if that is worth it. */
  async save(): Promise<void> {
    const { memory, storage } = this.#options;
    if (!memory || !this.#signatures || !this.#isWorthSaving) return;
    this.#unsaved = 0;
    await memory.save(this.#signatures.columns(storage.stampLength));
  }

  /** Stops what goes on behind the answers. */
  close(): void {
    this.#isClosed = true;
    this.#signing.cancel();
    this.#saving.cancel();
  }

  /** The paths of the files that have to be read, sorted. */
  #wanted(files: readonly FileStat[], { holding = ANYTHING, onSkipped }: ScanOptions): VaultPath[] {
    const { maxBytes } = this.#options;
    const verdicts = this.#signatures?.verdicts(files, holding);
    const wanted: VaultPath[] = [];
    // A plain loop: it goes over every file of the vault, most of which are left out.
    for (let index = 0; index < files.length; index++) {
      const verdict = verdicts?.[index];
      const stat = files[index];
      if (verdict === CANNOT_HOLD || !stat) continue;
      if (verdict === NO_TEXT) onSkipped?.(noText(stat));
      else if (stat.size > maxBytes) onSkipped?.(this.#tooLarge(stat));
      else wanted.push(stat.path);
    }
    return wanted.sort();
  }

  #tooLarge({ path, size }: FileStat): SkippedFile {
    const [have, most] = [size, this.#options.maxBytes].map((bytes) => Math.ceil(bytes / 1024).toLocaleString("en-US"));
    return { path, message: `'${path}' has ${have} KiB; the most a file may have is ${most} KiB.` };
  }
}

const ANYTHING = trigramsOf("");
/** Milliseconds after a search, when its answer is out. */
const SIGN_AFTER = 100;
const SAVE_AFTER = 10_000;
const FEW_CHANGES = 32;
const SMALL_PART = 0.02;

function textBytes({ bytes }: StoredFile): Buffer | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function noText({ path }: FileStat): SkippedFile {
  return { path, message: `'${path}' is not UTF-8 text.` };
}
