/** The fact readers of a catalog, and sets of them as bits: bit `n` stands for the reader at position `n`. */
import type { VaultPath } from "../storage/path.js";
import { type FactReader, type CatalogView, type FactDigest, factsOfAll } from "./catalog.js";
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

  /** @throws Error when the catalog does not have this reader, which is a programming error */
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

  /** Tells for a path which readers of a set read that file. */
  wanting(bits: ReaderBits): (path: VaultPath) => ReaderBits {
    const asked = this.positionsOf(bits).map((position) => ({
      bit: 1 << position,
      wants: this.all[position]?.wants ?? isNote,
    }));
    return (path) => {
      let wanting = NO_READERS;
      for (const { bit, wants } of asked) if (wants(path)) wanting |= bit;
      return wanting;
    };
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

/** A digest stays valid until more than one file in so many has changed. */
const FEW = 50;

interface Known {
  readonly count: Pick<FactDigest<never>, "result">;
  /** How many files had changed when it was made. */
  readonly changes: number;
  result?: unknown;
}

/** Digests that are being made, by the names of their readers. */
export type DigestCounts = ReadonlyMap<string, FactDigest<never>>;

export class Digests {
  readonly #known = new Map<string, Known>();
  #changes = 0;

  /** Counts changed files. */
  drift(files: number): void {
    this.#changes += files;
  }

  /** Takes over digests that were counted while the files of the next view were read. */
  learn(counts: DigestCounts): void {
    for (const [name, count] of counts) this.#known.set(name, { count, changes: this.#changes });
  }

  /** Takes over a digest that an earlier process made. @param changes how many files have changed since then */
  remember(name: string, digest: unknown, changes: number): void {
    if (digest !== undefined)
      this.#known.set(name, { count: { result: () => digest }, changes: this.#changes - changes });
  }

  /** The reader's digest; undefined when it makes none. */
  of<Facts>(reader: FactReader<Facts>, view: CatalogView): unknown {
    let known = this.#known.get(reader.name);
    if (!known || (this.#changes - known.changes) * FEW > view.noteCount) {
      const count = reader.digest?.();
      if (!count) return undefined;
      for (const facts of factsOfAll(view.records(reader))) count.add(facts);
      known = { count, changes: this.#changes };
      this.#known.set(reader.name, known);
    }
    return (known.result ??= known.count.result());
  }
}

/**
 * The same readers, of which those of a set count for their digests as they read, so that the facts need not all be decoded again. Readers
 * of templates do not count, because not all they read is shown.
 */
export function countingReaders(
  { all }: Readers,
  counting: ReaderBits,
  ignores: (path: VaultPath) => boolean,
): { readonly readers: Readers; readonly counts: DigestCounts } {
  const counts = new Map<string, FactDigest<unknown>>();
  const readers = all.map((reader, position) => {
    const isCounting = (counting & (1 << position)) !== 0 && reader.templates !== true;
    const count = isCounting ? reader.digest?.() : undefined;
    if (!count) return reader;
    counts.set(reader.name, count);
    const read: typeof reader.read = (note) => {
      const facts = reader.read(note);
      if (facts !== undefined && !ignores(note.path)) count.add(facts);
      return facts;
    };
    return { ...reader, read };
  });
  return { readers: new Readers(readers), counts };
}
