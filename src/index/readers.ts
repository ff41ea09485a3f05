/** The fact readers of an index, and the kinds of facts it holds of a file. */
import type { VaultPath } from "../storage/path.js";
import type { FactReader } from "./facts.js";
import { isNote } from "../obsidian/ignore.js";

/** Bit `n` is what the reader at position `n` finds, `TEXT_WORDS` the words for full text. */
export type FactKinds = number;

export const NO_KINDS: FactKinds = 0;
/** Only the database holds them. */
export const TEXT_WORDS: FactKinds = 1 << 30;

/** The readers of a set by position; undefined: not in the set. */
export type Audience = readonly (FactReader<unknown> | undefined)[];

export class Readers {
  readonly all: readonly FactReader<unknown>[];
  readonly #audiences = new Map<FactKinds, Audience>();

  constructor(all: readonly FactReader<unknown>[]) {
    this.all = all;
  }

  /** @throws Error when the index does not have this reader, which is a programming error */
  position(reader: FactReader<unknown>): number {
    const position = this.all.findIndex(({ name }) => name === reader.name);
    if (position < 0) throw new Error(`The index has no fact reader "${reader.name}".`);
    return position;
  }

  kindsOf(readers: readonly FactReader<unknown>[]): FactKinds {
    return readers.reduce((kinds, reader) => kinds | (1 << this.position(reader)), NO_KINDS);
  }

  positionsOf(kinds: FactKinds): number[] {
    return [...this.all.keys()].filter((position) => kinds & (1 << position));
  }

  /** For a path, which of these kinds its file can have. */
  wanting(kinds: FactKinds): (path: VaultPath) => FactKinds {
    const asked = this.positionsOf(kinds).map((position) => ({
      bit: 1 << position,
      wants: this.all[position]?.wants ?? isNote,
    }));
    if (kinds & TEXT_WORDS) asked.push({ bit: TEXT_WORDS, wants: isNote });
    return (path) => {
      let wanting = NO_KINDS;
      for (const { bit, wants } of asked) if (wants(path)) wanting |= bit;
      return wanting;
    };
  }

  get searched(): FactKinds {
    const position = this.all.findIndex((reader) => reader.searched !== undefined);
    return position < 0 ? NO_KINDS : 1 << position;
  }

  searchedText(file: { readonly path: VaultPath; json(position: number): string | undefined }): string {
    const position = this.all.findIndex((reader) => reader.searched !== undefined);
    const json = file.json(position);
    return json === undefined ? "" : (this.all[position]?.searched?.(file.path, JSON.parse(json)) ?? "");
  }

  needWhole(kinds: FactKinds): boolean {
    return (kinds & TEXT_WORDS) !== 0 || this.audience(kinds).some((reader) => reader?.whole === true);
  }

  audience(kinds: FactKinds): Audience {
    let audience = this.#audiences.get(kinds);
    if (!audience) {
      audience = this.all.map((reader, position) => (kinds & (1 << position) ? reader : undefined));
      this.#audiences.set(kinds, audience);
    }
    return audience;
  }
}
