/** The readers' digests of all their facts, made anew only when so much has changed that they may come out otherwise. */
import type { VaultPath } from "../storage/path.js";
import { type CatalogView, type FactDigest, type FactReader, factsOf } from "./catalog.js";
import { type ReaderBits, Readers } from "./readers.js";

/** One changed file in so many leaves a digest as it is. */
const FEW = 50;

interface Known {
  readonly count: FactDigest<never>;
  /** How many files had changed by then. */
  readonly changes: number;
  result?: unknown;
}

/** Digests in the making, by the names of their readers. */
export type DigestCounts = ReadonlyMap<string, FactDigest<never>>;

export class Digests {
  readonly #known = new Map<string, Known>();
  #changes = 0;

  /** Is told that so many files have changed. */
  drift(files: number): void {
    this.#changes += files;
  }

  /** Takes over what was counted while the files were read, of all that the next view shows. */
  learn(counts: DigestCounts): void {
    for (const [name, count] of counts) this.#known.set(name, { count, changes: this.#changes });
  }

  /** The reader's digest; undefined when it makes none. */
  of<Facts>(reader: FactReader<Facts>, view: CatalogView): unknown {
    let known = this.#known.get(reader.name);
    if (!known || (this.#changes - known.changes) * FEW > view.noteCount) {
      const count = reader.digest?.();
      if (!count) return undefined;
      for (const facts of factsOf(view.records(reader))) count.add(facts);
      known = { count, changes: this.#changes };
      this.#known.set(reader.name, known);
    }
    return (known.result ??= known.count.result());
  }
}

/**
 * The same readers, of which those of a set count for their digests what they read: afterwards nobody need decode all facts again. Who
 * reads templates does not, since not all of that is shown.
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
