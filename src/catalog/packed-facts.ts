/**
 * Facts as bytes of JSON in large blocks outside V8's heap: the garbage collector never walks them, and they are copied unchanged between
 * blocks and snapshots.
 */
import type { FileStat } from "../storage/storage.js";
import type { NoteRecord } from "./catalog.js";

/** What all readers found in one file. */
interface FileFacts {
  readonly content: { readonly facts: readonly (PackedFacts | undefined)[] };
}

/** The place of one reader's facts about one file. Each character of the JSON is one byte: what Latin-1 cannot hold is escaped. */
export class PackedFacts implements NoteRecord<unknown> {
  readonly stat: FileStat;
  readonly #block: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(stat: FileStat, block: Buffer, start: number, end: number) {
    this.stat = stat;
    this.#block = block;
    this.#start = start;
    this.#end = end;
  }

  get facts(): unknown {
    return JSON.parse(this.#json());
  }

  factsIf(test: (json: string) => boolean): unknown {
    const json = this.#json();
    return test(json) ? JSON.parse(json) : undefined;
  }

  /** In bytes. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The bytes of a reader's facts about these files, in their order and as they lie in the blocks: neighbours become one piece. */
  static pieces(files: Iterable<FileFacts>, reader: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let first: PackedFacts | undefined;
    let last: PackedFacts | undefined;
    for (const { content } of files) {
      const record = content.facts[reader];
      if (!record) continue;
      if (!first || !last || record.#block !== last.#block || record.#start !== last.#end) {
        if (first && last) pieces.push(first.#block.subarray(first.#start, last.#end));
        first = record;
      }
      last = record;
    }
    if (first && last) pieces.push(first.#block.subarray(first.#start, last.#end));
    return pieces;
  }

  saysTheSameAs(other: PackedFacts | undefined): boolean {
    if (!other || other.length !== this.length) return false;
    return this.#block.compare(other.#block, other.#start, other.#end, this.#start, this.#end) === 0;
  }

  #json(): string {
    return this.#block.toString("latin1", this.#start, this.#end);
  }
}

/** The first block is small, for short runs over few files; later ones grow up to the largest. */
const FIRST_BLOCK = 16 * 1024;
const LARGEST_BLOCK = 512 * 1024;

export class FactBlocks {
  #block: Buffer = Buffer.alloc(0);
  #end = 0;

  /** Keeps the JSON of facts; nothing of it refers to the text it was taken from. */
  add(stat: FileStat, facts: unknown): PackedFacts {
    const json = JSON.stringify(facts).replace(/[^\0-\xff]/g, escaped);
    if (this.#end + json.length > this.#block.byteLength) this.#grow(json.length);
    const start = this.#end;
    this.#end += this.#block.write(json, start, "latin1");
    return new PackedFacts(stat, this.#block, start, this.#end);
  }

  #grow(least: number): void {
    const size = Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, this.#block.byteLength * 2));
    this.#block = Buffer.allocUnsafeSlow(Math.max(least, size));
    this.#end = 0;
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
