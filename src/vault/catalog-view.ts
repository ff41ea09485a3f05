/** The catalog as it was at the end of one refresh; it never changes under its reader. */
import type { VaultPath } from "../storage/path.js";
import type { CatalogView, FactReader, NoteProblem, NoteRecord } from "./catalog.js";
import type { Entry } from "./catalog-entry.js";

export class EntryView implements CatalogView {
  readonly generation: number;
  readonly noteCount: number;
  readonly #readers: readonly FactReader<unknown>[];
  readonly #entries: ReadonlyMap<VaultPath, Entry>;
  readonly #records: (readonly NoteRecord<unknown>[])[] = [];
  #problems: readonly NoteProblem[] | undefined;

  constructor(generation: number, readers: readonly FactReader<unknown>[], entries: ReadonlyMap<VaultPath, Entry>) {
    this.generation = generation;
    this.#readers = readers;
    this.#entries = entries;
    let count = 0;
    for (const entry of entries.values()) if (!entry.hidden) count++;
    this.noteCount = count;
  }

  records<Facts>(reader: FactReader<Facts>): readonly NoteRecord<Facts>[] {
    const position = this.#position(reader);
    const records = (this.#records[position] ??= this.#collect(position));
    return records as readonly NoteRecord<Facts>[];
  }

  get<Facts>(reader: FactReader<Facts>, path: VaultPath): NoteRecord<Facts> | undefined {
    const entry = this.#entries.get(path);
    if (!entry || entry.hidden) return undefined;
    return entry.record(this.#position(reader)) as NoteRecord<Facts> | undefined;
  }

  has(path: VaultPath): boolean {
    return this.#entries.has(path);
  }

  problems(): readonly NoteProblem[] {
    this.#problems ??= [...this.#entries.values()].flatMap((entry) => (entry.hidden ? [] : entry.content.problems));
    return this.#problems;
  }

  #collect(position: number): readonly NoteRecord<unknown>[] {
    const records: NoteRecord<unknown>[] = [];
    for (const entry of this.#entries.values()) {
      const record = entry.hidden ? undefined : entry.record(position);
      if (record) records.push(record);
    }
    return records;
  }

  #position(reader: FactReader<unknown>): number {
    const position = this.#readers.findIndex(({ name }) => name === reader.name);
    if (position < 0) throw new Error(`The catalog has no fact reader "${reader.name}".`);
    return position;
  }
}
