/** Signatures of texts, packed into a few blocks: they tell for most texts that a given text cannot occur in them. */

/**
 * What a text must hold to hold a needle: the numbers of the needle's three-byte sequences (ASCII letters in lower case). Empty for a
 * needle of less than three bytes, which any text may hold.
 */
export type Trigrams = Int32Array;

/** Longer needles are distinguished well enough by their first sequences. */
const MOST_TRIGRAMS = 24;
/** Bits of a signature for each sequence in the text. With 2, a sequence that a text lacks seems to be there in 39 cases of 100. */
const BITS_EACH = 2;
/** Larger texts take longer to sign than they are worth. */
export const MAX_SIGNED_BYTES = 512 * 1024;
/** A block has 2 ** 18 words, so that a word's number gives its block; no signature crosses blocks. */
const BLOCK_BITS = 18;
export const BLOCK_WORDS = 1 << BLOCK_BITS;
const FIRST_SLOTS = 64;
/** No needle contains a line end, so sequences with one are left out. */
const NEWLINE = 10;
const RETURN = 13;

/** Byte by byte the same, but A to Z as a to z. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/** The sequences of a needle. For a folded needle, texts are compared in their folded form, otherwise as they are. */
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

/** Signatures have numbers, counted from 0, and stay as long as the store does. */
export class SignatureStore {
  readonly #blocks: Uint32Array[] = [];
  /** By number: the first word, and how many words there are. */
  #starts = new Uint32Array(FIRST_SLOTS);
  #lengths = new Uint16Array(FIRST_SLOTS);
  #count = 0;
  /** Words in use, including those left over at the ends of blocks. */
  #used = 0;
  #collector: TrigramCollector | undefined;

  /** How many words all signatures have. */
  get words(): number {
    return this.#used;
  }

  wordsOf(number: number): number {
    return this.#lengths[number] ?? 0;
  }

  /**
   * @param texts one text in all its forms, each of at most `MAX_SIGNED_BYTES`
   * @returns the number of its signature
   */
  add(...texts: readonly Uint8Array[]): number {
    const collector = (this.#collector ??= new TrigramCollector());
    for (const text of texts) collector.add(text);
    const trigrams = collector.take();
    const words = Math.max(1, Math.ceil((trigrams.length * BITS_EACH) / 32));
    const start = this.#room(words);
    const block = this.#blocks[start >>> BLOCK_BITS] ?? new Uint32Array();
    const first = start & (BLOCK_WORDS - 1);
    for (const trigram of trigrams) {
      const bit = place(trigram, words * 32);
      block[first + (bit >>> 5)] = (block[first + (bit >>> 5)] ?? 0) | (1 << (bit & 31));
    }
    return this.#number(start, words);
  }

  /** Adds a signature as `copyTo` gave it. @returns its number */
  addWords(words: Uint32Array): number {
    const start = this.#room(words.length);
    this.#blocks[start >>> BLOCK_BITS]?.set(words, start & (BLOCK_WORDS - 1));
    return this.#number(start, words.length);
  }

  /** Writes the words of a signature to a place in others. */
  copyTo(target: Uint32Array, at: number, number: number): void {
    const start = this.#starts[number] ?? 0;
    const first = start & (BLOCK_WORDS - 1);
    const words = this.#blocks[start >>> BLOCK_BITS]?.subarray(first, first + this.wordsOf(number));
    if (words) target.set(words, at);
  }

  /** @returns the number of a signature without words, which excludes nothing: its text may hold any needle */
  addBlank(): number {
    return this.#number(this.#used, 0);
  }

  /** Whether the text of a signature may hold a needle; false is certain. */
  mayHold(number: number, needle: Trigrams): boolean {
    const start = this.#starts[number] ?? 0;
    const bits = (this.#lengths[number] ?? 0) * 32;
    if (bits === 0) return true;
    const block = this.#blocks[start >>> BLOCK_BITS] ?? new Uint32Array();
    const first = start & (BLOCK_WORDS - 1);
    for (let index = 0; index < needle.length; index++) {
      const bit = place(needle[index] ?? 0, bits);
      if (((block[first + (bit >>> 5)] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  /** Frees the memory for collecting, which is needed only while signatures are added. */
  rest(): void {
    this.#collector = undefined;
  }

  #room(words: number): number {
    const left = this.#blocks.length * BLOCK_WORDS - this.#used;
    if (left < words) {
      this.#used += left;
      this.#blocks.push(new Uint32Array(BLOCK_WORDS));
    }
    const start = this.#used;
    this.#used += words;
    return start;
  }

  #number(start: number, words: number): number {
    if (this.#count === this.#starts.length) {
      const [starts, lengths] = [new Uint32Array(this.#count * 2), new Uint16Array(this.#count * 2)];
      starts.set(this.#starts);
      lengths.set(this.#lengths);
      [this.#starts, this.#lengths] = [starts, lengths];
    }
    this.#starts[this.#count] = start;
    this.#lengths[this.#count] = words;
    return this.#count++;
  }
}

/** The bit of a sequence; sequences of similar value get distant bits. */
function place(trigram: number, bits: number): number {
  const mixed = Math.imul(trigram ^ (trigram >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % bits;
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
    // Only complete sequences count: each line begins anew.
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

  /** Returns what was collected and starts again from nothing. Valid until the next text is added. */
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
