/** The fact readers of an index, and sets of them: bit `n` is the reader at position `n`. */
import type { VaultPath } from "../storage/path.js";
import type { FactReader } from "./facts.js";
import { isNote } from "../obsidian/ignore.js";

export type ReaderBits = number;

export const NO_READERS: ReaderBits = 0;
/** The full text, which only the database holds. */
export const FULL_TEXT: ReaderBits = 1 << 30;

/** The readers of a set by position; undefined: not in the set. */
export type Audience = readonly (FactReader<unknown> | undefined)[];

export class Readers {
  readonly all: readonly FactReader<unknown>[];
  readonly #audiences = new Map<ReaderBits, Audience>();

  constructor(all: readonly FactReader<unknown>[]) {
    this.all = all;
  }

  /** @throws Error when the index does not have this reader, which is a programming error */
  position(reader: FactReader<unknown>): number {
    const position = this.all.findIndex(({ name }) => name === reader.name);
    if (position < 0) throw new Error(`The index has no fact reader "${reader.name}".`);
    return position;
  }

  bitsOf(readers: readonly FactReader<unknown>[]): ReaderBits {
    return readers.reduce((bits, reader) => bits | (1 << this.position(reader)), NO_READERS);
  }

  positionsOf(bits: ReaderBits): number[] {
    return [...this.all.keys()].filter((position) => bits & (1 << position));
  }

  /** For a path, the readers of a set that want it. */
  wanting(bits: ReaderBits): (path: VaultPath) => ReaderBits {
    const asked = this.positionsOf(bits).map((position) => ({
      bit: 1 << position,
      wants: this.all[position]?.wants ?? isNote,
    }));
    if (bits & FULL_TEXT) asked.push({ bit: FULL_TEXT, wants: isNote });
    return (path) => {
      let wanting = NO_READERS;
      for (const { bit, wants } of asked) if (wants(path)) wanting |= bit;
      return wanting;
    };
  }

  /** The reader of what a search covers besides the body. */
  get searched(): ReaderBits {
    const position = this.all.findIndex((reader) => reader.searched !== undefined);
    return position < 0 ? NO_READERS : 1 << position;
  }

  searchedText(file: { readonly path: VaultPath; json(position: number): string | undefined }): string {
    const position = this.all.findIndex((reader) => reader.searched !== undefined);
    const json = file.json(position);
    return json === undefined ? "" : (this.all[position]?.searched?.(file.path, JSON.parse(json)) ?? "");
  }

  needWhole(bits: ReaderBits): boolean {
    return (bits & FULL_TEXT) !== 0 || this.audience(bits).some((reader) => reader?.whole === true);
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
