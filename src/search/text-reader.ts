/** Reads the texts of many files fast, skipping those that are known not to hold what is searched for. */
import type { Clock } from "../clock.js";
import { isRacy, isUnreadable, type FileStat } from "../storage/storage.js";
import { CANNOT_HOLD, hasSameStamp, NO_TEXT } from "./text-filter.js";
import type { PassingTexts } from "./passing-texts.js";
import { textBytes, TextLearner, type TextLearnerOptions } from "./text-learner.js";
import { trigramsOf, type Trigrams } from "./text-signature-store.js";

export { trigramsOf, type Trigrams } from "./text-signature-store.js";

/** A text file; its bytes are valid until the next batch is asked for. */
export interface ScannedText {
  readonly stat: FileStat;
  /** The whole file, valid UTF-8. */
  readonly bytes: Buffer;
}

/** A file that could not be searched, because it is no text or cannot be read. */
export interface SkippedFile {
  /** For reading only: it may break the rules for paths. */
  readonly path: string;
  /** Why, in a sentence that names it. */
  readonly message: string;
}

export interface ScanOptions {
  /** Files known to lack one of these sequences are skipped. */
  readonly holding?: Trigrams | undefined;
  /** Files of which this holds are skipped. */
  readonly lacking?: ((file: FileStat) => boolean) | undefined;
  /** Called for each file that cannot be searched, whether it was read now or is known from before. */
  readonly onSkipped?: ((file: SkippedFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

export interface TextScanOptions extends TextLearnerOptions {
  readonly clock: Clock;
}

export class TextScan {
  readonly #options: TextScanOptions;
  readonly #learner: TextLearner;

  constructor(options: TextScanOptions) {
    this.#options = options;
    this.#learner = new TextLearner(options);
  }

  /** For long-lived processes: remembers for each file it reads what that file cannot hold. */
  liveOn(): void {
    this.#learner.liveOn();
  }

  /** Loads what earlier processes learnt; await it before `mayHold`, which otherwise knows less. */
  recall(): Promise<void> {
    return this.#learner.recall();
  }

  /**
   * Which of the files may hold a needle, without reading any; those excluded certainly do not. All of them, where nothing is remembered.
   * Faster when asked again with the same array, which must not have changed.
   */
  mayHold(files: readonly FileStat[], needle: Trigrams): (index: number) => boolean {
    const verdicts = this.#verdicts(files, needle);
    return verdicts ? (index) => verdicts[index] !== CANNOT_HOLD && verdicts[index] !== NO_TEXT : () => true;
  }

  /** Has texts learnt that were looked at in passing, as those are that were read here. */
  learn({ files, since }: PassingTexts): void {
    const { stampGranularity } = this.#options.storage;
    this.#learner.beginSearch()([...files].filter((file) => !isRacy(file, since, stampGranularity)));
  }

  /** Forgets files that are gone. */
  keepOnly(files: readonly FileStat[]): void {
    this.#learner.signatures.keepOnly(files);
  }

  /** The texts of files in the order of their paths, in batches; files that are gone are left out. */
  async *read(files: readonly FileStat[], options: ScanOptions = {}): AsyncGenerator<readonly ScannedText[]> {
    const { storage, clock, maxBytes } = this.#options;
    const { onSkipped, signal, onProgress } = options;
    await this.recall();
    const wanted = this.#wanted(files, options);
    if (wanted.length === 0) return;
    const look = clock.now();
    const proven: FileStat[] = [];
    let [done, place] = [0, 0];
    const end = this.#learner.beginSearch();
    try {
      for await (const batch of storage.readMany(
        wanted.map(({ path }) => path),
        { limit: maxBytes, ...(signal ? { signal } : {}) },
      )) {
        const texts: ScannedText[] = [];
        for (const file of batch) {
          if (isUnreadable(file)) onSkipped?.({ path: file.path, message: file.error.message });
          else if (file.bytes.length < file.stat.size) onSkipped?.(this.#tooLarge(file.stat));
          else {
            const bytes = textBytes(file);
            while ((wanted[place]?.path ?? file.stat.path) < file.stat.path) place++;
            const given = wanted[place];
            if (given && hasSameStamp(given, file.stat) && !isRacy(given, look, storage.stampGranularity))
              proven.push(given);
            if (bytes) texts.push({ stat: file.stat, bytes });
            else onSkipped?.(noText(file.stat));
          }
        }
        onProgress?.({ done: (done += batch.length), total: wanted.length });
        yield texts;
      }
    } finally {
      end(proven);
    }
  }

  /** Resolves once everything read before has been learnt, or a search has begun. */
  prepare(): Promise<void> {
    return this.#learner.prepare();
  }

  /** Saves what was learnt, if that is worth it. */
  save(): Promise<void> {
    return this.#learner.save();
  }

  /** Stops the work in the background. */
  close(): void {
    this.#learner.close();
  }

  #verdicts(files: readonly FileStat[], needle: Trigrams): Uint8Array | undefined {
    const { signatures } = this.#learner;
    return signatures.size === 0 ? undefined : signatures.verdicts(files, needle);
  }

  /** The files that have to be read, in the order of their paths. */
  #wanted(files: readonly FileStat[], { holding = ANYTHING, lacking, onSkipped }: ScanOptions): FileStat[] {
    const { maxBytes } = this.#options;
    const verdicts = this.#verdicts(files, holding);
    const wanted: FileStat[] = [];
    // A plain loop, because it visits every file of the vault, most of which are skipped.
    for (let index = 0; index < files.length; index++) {
      const verdict = verdicts?.[index];
      const stat = files[index];
      if (verdict === CANNOT_HOLD || !stat || lacking?.(stat)) continue;
      if (verdict === NO_TEXT) onSkipped?.(noText(stat));
      else if (stat.size > maxBytes) onSkipped?.(this.#tooLarge(stat));
      else wanted.push(stat);
    }
    return wanted.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #tooLarge({ path, size }: FileStat): SkippedFile {
    const [have, most] = [size, this.#options.maxBytes].map((bytes) => Math.ceil(bytes / 1024).toLocaleString("en-US"));
    return { path, message: `'${path}' has ${have} KiB; the most a file may have is ${most} KiB.` };
  }
}

const ANYTHING = trigramsOf("");

function noText({ path }: FileStat): SkippedFile {
  return { path, message: `'${path}' is not UTF-8 text.` };
}
