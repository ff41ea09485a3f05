/** The fact readers of a catalog, and sets of them as bits: bit `n` stands for the reader at position `n`. */
import type { VaultPath } from "../storage/path.js";
import type { FactReader } from "./catalog.js";
import { isNote } from "./ignore.js";

/** A set of readers. */
export type ReaderBits = number;

export const NO_READERS: ReaderBits = 0;

/** Readers by position; undefined: not in the set. */
export type Audience = readonly (FactReader<unknown> | undefined)[];

export class Readers {
  readonly all: readonly FactReader<unknown>[];
  readonly #audiences = new Map<ReaderBits, Audience>();

  constructor(all: readonly FactReader<unknown>[]) {
    this.all = all;
  }

  /** @throws Error when the catalog does not have this reader: no caller can mean that */
  position(reader: FactReader<unknown>): number {
    const position = this.all.findIndex(({ name }) => name === reader.name);
    if (position < 0) throw new Error(`The catalog has no fact reader "${reader.name}".`);
    return position;
  }

  /** @throws Error as `position` does */
  bitsOf(readers: readonly FactReader<unknown>[]): ReaderBits {
    return readers.reduce((bits, reader) => bits | (1 << this.position(reader)), NO_READERS);
  }

  positionsOf(bits: ReaderBits): number[] {
    return [...this.all.keys()].filter((position) => bits & (1 << position));
  }

  /** Says of a file which readers of a set read it; quickly where all of them read notes. */
  wanting(bits: ReaderBits): (path: VaultPath) => ReaderBits {
    const readNotes = this.audience(bits).every((reader) => reader?.wants === undefined);
    return readNotes ? (path) => (isNote(path) ? bits : NO_READERS) : (path) => this.#wanting(path, bits);
  }

  #wanting(path: VaultPath, bits: ReaderBits): ReaderBits {
    let wanting = NO_READERS;
    for (const [position, { wants = isNote }] of this.all.entries())
      if (bits & (1 << position) && wants(path)) wanting |= 1 << position;
    return wanting;
  }

  /** Whether one of a set needs whole files. */
  needWhole(bits: ReaderBits): boolean {
    return this.audience(bits).some((reader) => reader?.whole === true);
  }

  audience(bits: ReaderBits): Audience {
    let audience = this.#audiences.get(bits);
    if (!audience) {
      audience = this.all.map((reader, position) => (bits & (1 << position) ? reader : undefined));
      this.#audiences.set(bits, audience);
    }
    return audience;
  }
}
