/** What a session remembers of files' texts in a few hundred bytes each: enough to know most files that cannot hold a given text. */
import { isAscii } from "node:buffer";
import { fold } from "../fold.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";

/**
 * What a text must hold to hold a needle: the numbers of the needle's three-byte sequences (ASCII letters in lower case). Empty for a
 * needle of less than three bytes, which any text may hold.
 */
export type Trigrams = Int32Array;

/** Longer needles are told apart by their first sequences well enough. */
const MOST_TRIGRAMS = 24;
/** Bits of a signature for each sequence in the text. At 2 a text lacks a sequence and seems to hold it in 39 cases of 100. */
const BITS_EACH = 2;
/** Larger files take longer to sign than they are worth; they are read every time. */
export const MAX_SIGNED_BYTES = 512 * 1024;
const CHUNK_WORDS = 256 * 1024;
/** A sequence with a line's end in it is in no needle. */
const NEWLINE = 10;
const RETURN = 13;

/** Byte by byte the same, but A to Z as a to z. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/** The sequences of a needle. Where it is folded, texts are asked for it in their folded form, else as they stand. */
export function trigramsOf(needle: string): Trigrams {
  const found = new Set<number>();
  const bytes = Buffer.from(needle, "utf8");
  for (let at = 2; at < bytes.length && found.size < MOST_TRIGRAMS; at++)
    found.add((lower(bytes, at - 2) << 16) | (lower(bytes, at - 1) << 8) | lower(bytes, at));
  return Int32Array.from(found);
}

function lower(bytes: Uint8Array, at: number): number {
  return LOWER[bytes[at] ?? 0] ?? 0;
}

interface Signature {
  /** The file it stands for; it says nothing of a file with another stamp. */
  stat: FileStat;
  /** Where its bits are; undefined for a file that is no text. */
  readonly chunk: Uint32Array | undefined;
  readonly start: number;
  /** How many bits there are, a multiple of 32. */
  readonly bits: number;
}

/** The text cannot hold the needle; it may; the file is no text. */
export const CANNOT_HOLD = 0;
export const MAY_HOLD = 1;
export const NO_TEXT = 2;

export class TextSignatures {
  readonly #known = new Map<VaultPath, Signature>();
  /** The signatures of lists that were asked for, file by file. */
  #aligned = new WeakMap<readonly FileStat[], (Signature | undefined)[]>();
  #chunk = new Uint32Array(0);
  #used = 0;
  /** Words of all signatures that count, and of all there is room for. */
  #live = 0;
  #held = 0;
  #collector: TrigramCollector | undefined;

  /**
   * What is known of each of the files and a needle, in their text as it stands or folded. Asked again with the same array, which
   * must not have changed, it is quicker.
   */
  verdicts(files: readonly FileStat[], needle: Trigrams): Uint8Array {
    const signatures = this.#ofAll(files);
    const verdicts = new Uint8Array(files.length);
    for (let index = 0; index < signatures.length; index++) {
      const signature = signatures[index];
      verdicts[index] = signature ? verdictOf(signature, needle) : MAY_HOLD;
    }
    return verdicts;
  }

  /**
   * Remembers a text.
   * @param stat its stamp must prove the bytes
   * @param bytes the whole file, valid UTF-8; undefined for a file that is no text
   */
  learn(stat: FileStat, bytes: Buffer | undefined): void {
    if (this.#of(stat)) return;
    this.#forget(stat.path);
    if (bytes === undefined) {
      this.#known.set(stat.path, { stat, chunk: undefined, start: 0, bits: 0 });
      return;
    }
    if (bytes.length > MAX_SIGNED_BYTES) return;
    const collector = (this.#collector ??= new TrigramCollector());
    collector.add(bytes);
    if (!isAscii(bytes)) collector.add(Buffer.from(fold(bytes.toString("utf8")), "utf8"));
    this.#known.set(stat.path, this.#sign(stat, collector.take()));
  }

  /** Lets go of files that are gone, when they are many. */
  keepOnly(files: readonly FileStat[]): void {
    if (this.#known.size <= files.length + 1000) return;
    const kept = new Set(files.map(({ path }) => path));
    for (const path of this.#known.keys()) if (!kept.has(path)) this.#forget(path);
  }

  /** The memory for collecting is needed while files are learned only. */
  rest(): void {
    this.#collector = undefined;
    // Bits of files that changed are not used again: when they outweigh the others it is cheaper to read all files once more.
    if (this.#held > 4 * CHUNK_WORDS && this.#live * 2 < this.#held) {
      this.#known.clear();
      this.#aligned = new WeakMap();
      [this.#chunk, this.#used, this.#live, this.#held] = [new Uint32Array(0), 0, 0, 0];
    }
  }

  #ofAll(files: readonly FileStat[]): readonly (Signature | undefined)[] {
    let aligned = this.#aligned.get(files);
    if (!aligned) this.#aligned.set(files, (aligned = files.map((stat) => this.#of(stat))));
    else if (aligned.includes(undefined))
      for (const [index, stat] of files.entries()) aligned[index] ??= this.#of(stat);
    return aligned;
  }

  #of(stat: FileStat): Signature | undefined {
    const signature = this.#known.get(stat.path);
    if (!signature || signature.stat === stat) return signature;
    if (!sameStamp(signature.stat, stat)) return undefined;
    signature.stat = stat;
    return signature;
  }

  #forget(path: VaultPath): void {
    this.#live -= (this.#known.get(path)?.bits ?? 0) >>> 5;
    this.#known.delete(path);
  }

  #sign(stat: FileStat, trigrams: Int32Array): Signature {
    const words = Math.max(1, Math.ceil((trigrams.length * BITS_EACH) / 32));
    if (this.#used + words > this.#chunk.length) {
      this.#chunk = new Uint32Array(Math.max(CHUNK_WORDS, words));
      this.#held += this.#chunk.length;
      this.#used = 0;
    }
    const [chunk, start, bits] = [this.#chunk, this.#used, words * 32];
    this.#used += words;
    this.#live += words;
    for (const trigram of trigrams) {
      const bit = place(trigram, bits);
      chunk[start + (bit >>> 5)] = (chunk[start + (bit >>> 5)] ?? 0) | (1 << (bit & 31));
    }
    return { stat, chunk, start, bits };
  }
}

function verdictOf({ chunk, start, bits }: Signature, needle: Trigrams): number {
  if (!chunk) return NO_TEXT;
  for (let index = 0; index < needle.length; index++) {
    const bit = place(needle[index] ?? 0, bits);
    if (((chunk[start + (bit >>> 5)] ?? 0) & (1 << (bit & 31))) === 0) return CANNOT_HOLD;
  }
  return MAY_HOLD;
}

/** The bit of a sequence: sequences that are near to each other in value are far apart. */
function place(trigram: number, bits: number): number {
  const mixed = Math.imul(trigram ^ (trigram >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % bits;
}

function sameStamp({ stamp: one }: FileStat, { stamp: other }: FileStat): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Collects the different sequences of texts. */
class TrigramCollector {
  /** A bit for each of the 2 ** 24 sequences. */
  readonly #seen = new Uint32Array(1 << 19);
  #found = new Int32Array(1 << 12);
  #count = 0;

  add(bytes: Uint8Array): void {
    const seen = this.#seen;
    let trigram = 0;
    // Sequences that are complete: a line's end begins anew.
    let length = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === NEWLINE || byte === RETURN) {
        length = 0;
        continue;
      }
      trigram = ((trigram << 8) | (LOWER[byte] ?? 0)) & 0xffffff;
      if (++length < 3) continue;
      const word = trigram >>> 5;
      const bit = 1 << (trigram & 31);
      if (((seen[word] ?? 0) & bit) !== 0) continue;
      seen[word] = (seen[word] ?? 0) | bit;
      this.#note(trigram);
    }
  }

  /** What was collected; collects from nothing again. Valid until the next is added. */
  take(): Int32Array {
    const found = this.#found.subarray(0, this.#count);
    for (const trigram of found) this.#seen[trigram >>> 5] = 0;
    this.#count = 0;
    return found;
  }

  #note(trigram: number): void {
    if (this.#count === this.#found.length) {
      const larger = new Int32Array(this.#count * 2);
      larger.set(this.#found);
      this.#found = larger;
    }
    this.#found[this.#count++] = trigram;
  }
}
