/** Digests: stored counts over all facts, for callers that cannot wait for a refresh. */
import { TimeSlice } from "../async/yield-to-loop.js";
import { type FactReader, factsOfAll } from "./facts.js";
import type { IndexStore } from "./store.js";
import type { IndexView } from "./view.js";

/** Recounts when more than one file in this many has changed. */
const MAX_DRIFT = 50;

export class Digests {
  readonly #known = new Map<string, { readonly value: unknown; readonly changes: number }>();
  #changes = 0;

  drift(files: number): void {
    this.#changes += files;
  }

  /** Accurate to two percent of the files; undefined when the reader makes none. */
  async of<Facts>(reader: FactReader<Facts>, view: IndexView): Promise<unknown> {
    const known = this.#known.get(reader.name);
    if (known && (this.#changes - known.changes) * MAX_DRIFT <= view.noteCount) return known.value;
    const count = reader.digest?.();
    if (!count) return undefined;
    const slice = new TimeSlice();
    for (const facts of factsOfAll(view.records(reader))) {
      count.add(facts);
      if (slice.isOver) await slice.yield();
    }
    const value = count.result();
    this.#known.set(reader.name, { value, changes: this.#changes });
    return value;
  }

  /** Stores only digests that changed. */
  async store(readers: readonly FactReader<unknown>[], view: IndexView, store: IndexStore): Promise<void> {
    for (const reader of readers) {
      // Nothing changed in this process.
      if (this.#changes === 0 && store.meta(keyOf(reader)) !== undefined) continue;
      const digest = view.covers(reader) ? await this.of(reader, view) : undefined;
      const text = digest === undefined ? undefined : JSON.stringify(digest);
      if (text !== undefined && store.meta(keyOf(reader)) !== text) await store.setMeta(keyOf(reader), text);
    }
  }
}

/** The digest that any process stored last. */
export function storedDigest(reader: Pick<FactReader<unknown>, "name">, store: IndexStore): unknown {
  const text = store.meta(keyOf(reader));
  return text === undefined ? undefined : JSON.parse(text);
}

const keyOf = ({ name }: Pick<FactReader<unknown>, "name">): string => `digest ${name}`;
