/** What a session remembers of files' texts in a few hundred bytes each, so that most files that cannot hold a text are not read. */
import { isAscii } from "node:buffer";
import { fold } from "../text/fold.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { BLOCK_WORDS, MAX_SIGNED_BYTES, SignatureStore, type Trigrams } from "./text-signature-store.js";

/** The text cannot hold the needle; it may; the file is no text. */
export const CANNOT_HOLD = 0;
export const MAY_HOLD = 1;
export const NO_TEXT = 2;

/** All that is remembered, file by file: what lasts between processes. */
export interface SignatureColumns {
  readonly paths: readonly VaultPath[];
  /** Stamp after stamp. */
  readonly stamps: Float64Array;
  /** How many words each signature has; none for a file that is no text. */
  readonly lengths: Uint32Array;
  /** Signature after signature. */
  readonly words: Uint32Array;
}

/** Stands for the number of a signature where nothing is known of a file. */
const UNKNOWN = -1;

export class TextSignatures {
  #store = new SignatureStore();
  readonly #numbers = new Map<VaultPath, number>();
  /** By number of the signature, the file it stands for; it says nothing of a file with another stamp. */
  #stats: (Pick<FileStat, "stamp"> | undefined)[] = [];
  /** The numbers for lists that were asked for, file by file. */
  #aligned = new WeakMap<readonly FileStat[], Int32Array>();
  /** Words of all signatures that count. */
  #live = 0;

  /**
   * What is known of each of the files and a needle, in their text as it stands or folded. Asked again with the same array, which
   * must not have changed, it is quicker.
   */
  verdicts(files: readonly FileStat[], needle: Trigrams): Uint8Array {
    const numbers = this.#ofAll(files);
    const verdicts = new Uint8Array(files.length);
    for (let index = 0; index < numbers.length; index++)
      verdicts[index] = this.#verdict(numbers[index] ?? UNKNOWN, needle);
    return verdicts;
  }

  /** How many files something is remembered of. */
  get size(): number {
    return this.#numbers.size;
  }

  columns(stampLength: number): SignatureColumns {
    const paths = [...this.#numbers.keys()];
    const stamps = new Float64Array(paths.length * stampLength);
    const lengths = new Uint32Array(paths.length);
    const words = new Uint32Array(this.#live);
    let [file, end] = [0, 0];
    for (const number of this.#numbers.values()) {
      stamps.set(this.#stats[number]?.stamp ?? [], file * stampLength);
      this.#store.copyTo(words, end, number);
      end += lengths[file] = this.#store.wordsOf(number);
      file++;
    }
    return { paths, stamps, lengths, words };
  }

  /** Takes over what an earlier process remembered; to be called before anything is learnt. */
  restore({ paths, stamps, lengths, words }: SignatureColumns, stampLength: number): void {
    let end = 0;
    for (const [file, path] of paths.entries()) {
      const start = end;
      end += lengths[file] ?? 0;
      const number = start === end ? this.#store.addBlank() : this.#store.addWords(words.subarray(start, end));
      this.#numbers.set(path, number);
      this.#stats[number] = { stamp: Array.from(stamps.subarray(file * stampLength, (file + 1) * stampLength)) };
    }
    this.#live = end;
  }

  /** Whether something is remembered of the file as it stands. */
  knows(stat: FileStat): boolean {
    return this.#of(stat) !== UNKNOWN;
  }

  /**
   * Remembers a text.
   * @param stat its stamp must prove the bytes
   * @param bytes the whole file, valid UTF-8; undefined for a file that is no text
   */
  learn(stat: FileStat, bytes: Buffer | undefined): void {
    if (this.#of(stat) !== UNKNOWN) return;
    this.#forget(stat.path);
    const number = this.#sign(bytes);
    if (number === undefined) return;
    this.#numbers.set(stat.path, number);
    this.#stats[number] = stat;
    this.#live += this.#store.wordsOf(number);
  }

  /** Lets go of files that are gone, when they are many. */
  keepOnly(files: readonly FileStat[]): void {
    if (this.#numbers.size <= files.length + 1000) return;
    const kept = new Set(files.map(({ path }) => path));
    for (const path of this.#numbers.keys()) if (!kept.has(path)) this.#forget(path);
  }

  /** The memory for learning is needed while files are learned only. */
  rest(): void {
    this.#store.rest();
    // Signatures of files that changed are not used again: when they outweigh the others it is cheaper to read all files once more.
    if (this.#store.words <= 4 * BLOCK_WORDS || this.#live * 2 >= this.#store.words) return;
    this.#store = new SignatureStore();
    this.#numbers.clear();
    this.#stats = [];
    this.#aligned = new WeakMap();
    this.#live = 0;
  }

  #verdict(number: number, needle: Trigrams): number {
    if (number === UNKNOWN) return MAY_HOLD;
    if (this.#store.wordsOf(number) === 0) return NO_TEXT;
    return this.#store.mayHold(number, needle) ? MAY_HOLD : CANNOT_HOLD;
  }

  /** @returns undefined for a text that is too large */
  #sign(bytes: Buffer | undefined): number | undefined {
    if (bytes === undefined) return this.#store.addBlank();
    if (bytes.length > MAX_SIGNED_BYTES) return undefined;
    if (isAscii(bytes)) return this.#store.add(bytes);
    return this.#store.add(bytes, Buffer.from(fold(bytes.toString("utf8")), "utf8"));
  }

  #ofAll(files: readonly FileStat[]): Int32Array {
    let aligned = this.#aligned.get(files);
    if (!aligned) this.#aligned.set(files, (aligned = Int32Array.from(files, (stat) => this.#of(stat))));
    else if (aligned.includes(UNKNOWN))
      for (const [index, stat] of files.entries()) if (aligned[index] === UNKNOWN) aligned[index] = this.#of(stat);
    return aligned;
  }

  #of(stat: FileStat): number {
    const number = this.#numbers.get(stat.path);
    if (number === undefined) return UNKNOWN;
    const known = this.#stats[number];
    if (known === stat) return number;
    if (!known || !hasSameStamp(known, stat)) return UNKNOWN;
    this.#stats[number] = stat;
    return number;
  }

  #forget(path: VaultPath): void {
    const number = this.#numbers.get(path);
    if (number === undefined) return;
    this.#live -= this.#store.wordsOf(number);
    this.#stats[number] = undefined;
    this.#numbers.delete(path);
  }
}

/** Whether two looks found a file the same. */
export function hasSameStamp(
  { stamp: one }: Pick<FileStat, "stamp">,
  { stamp: other }: Pick<FileStat, "stamp">,
): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
