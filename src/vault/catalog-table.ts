/** The catalog's rows: changed all at once at the end of a refresh, while earlier views keep the rows they had. */
import type { VaultPath } from "../storage/path.js";
import type { Entry } from "./catalog-entry.js";

/** By path, what is new there; undefined: nothing is there any more. */
export type RowChanges = ReadonlyMap<VaultPath, Entry | undefined>;

/** Rows keep their places, so that a view needs no index of its own. */
export interface Rows {
  readonly entries: readonly (Entry | undefined)[];
  /** Where a path's row is; may know paths that are in no row, or in later rows only. */
  readonly places: ReadonlyMap<VaultPath, number>;
  readonly visible: number;
}

/** Empty rows that are kept before all rows are laid out anew. */
const MAX_GAPS = 1000;

export class CatalogTable {
  #entries: (Entry | undefined)[] = [];
  #places = new Map<VaultPath, number>();
  #visible = 0;
  #filled = 0;

  get rows(): Rows {
    return { entries: this.#entries, places: this.#places, visible: this.#visible };
  }

  place(path: VaultPath): number | undefined {
    return this.#places.get(path);
  }

  get(path: VaultPath): Entry | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#entries[place];
  }

  get size(): number {
    return this.#filled;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const entry of this.#entries) if (entry) yield entry;
  }

  apply(changes: RowChanges): void {
    if (changes.size === 0) return;
    this.#entries = this.#entries.slice();
    for (const [path, entry] of changes) this.#put(path, entry);
    if (this.#entries.length - this.#filled > Math.max(MAX_GAPS, this.#filled)) this.#closeGaps();
  }

  #put(path: VaultPath, entry: Entry | undefined): void {
    let place = this.#places.get(path);
    const before = place === undefined ? undefined : this.#entries[place];
    if (place === undefined) {
      if (!entry) return;
      place = this.#entries.length;
      this.#places.set(path, place);
    }
    this.#entries[place] = entry;
    this.#filled += Number(entry !== undefined) - Number(before !== undefined);
    this.#visible += countVisible(entry) - countVisible(before);
  }

  /** Views of earlier rows keep the old index with the old rows. */
  #closeGaps(): void {
    this.#entries = this.#entries.filter((entry) => entry !== undefined);
    this.#places = new Map([...this].map((entry, place) => [entry.path, place]));
  }
}

function countVisible(entry: Entry | undefined): number {
  return entry !== undefined && !entry.hidden ? 1 : 0;
}
