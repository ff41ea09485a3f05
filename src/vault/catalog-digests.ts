/** The readers' digests of all their facts, made anew only when so much has changed that they may come out otherwise. */
import { type CatalogView, type FactReader, factsOf } from "./catalog.js";

/** One changed file in so many leaves a digest as it is. */
const FEW = 50;

interface Digest {
  readonly digest: unknown;
  /** How many files had changed by then. */
  readonly changes: number;
}

export class Digests {
  readonly #known = new Map<string, Digest>();
  #changes = 0;

  /** Is told that so many files have changed. */
  drift(files: number): void {
    this.#changes += files;
  }

  /** The reader's digest; undefined when it makes none. */
  of<Facts>(reader: FactReader<Facts>, view: CatalogView): unknown {
    if (!reader.summarise) return undefined;
    const known = this.#known.get(reader.name);
    if (known && (this.#changes - known.changes) * FEW <= view.noteCount) return known.digest;
    const digest = reader.summarise(factsOf(view.records(reader)));
    this.#known.set(reader.name, { digest, changes: this.#changes });
    return digest;
  }
}
