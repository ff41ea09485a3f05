/** The catalog as it was at the end of one refresh; it never changes under its reader. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat, PassedOver } from "../storage/storage.js";
import type { Entry } from "./catalog-entry.js";
import type { Rows } from "./catalog-table.js";
import type { CatalogView, FactReader, NoteProblem, NoteRecord } from "./catalog.js";

export class RowsView implements CatalogView {
  readonly generation: number;
  readonly arrangement: number;
  readonly passedOver: readonly PassedOver[];
  readonly #readers: readonly FactReader<unknown>[];
  readonly #rows: Rows;
  readonly #records: (readonly NoteRecord<unknown>[] | undefined)[] = [];
  readonly #summaries = new Map<string, unknown>();
  #problems: readonly NoteProblem[] | undefined;

  constructor(
    { generation, arrangement }: Pick<CatalogView, "generation" | "arrangement">,
    readers: readonly FactReader<unknown>[],
    rows: Rows,
    passedOver: readonly PassedOver[],
  ) {
    this.generation = generation;
    this.arrangement = arrangement;
    this.passedOver = passedOver;
    this.#readers = readers;
    this.#rows = rows;
  }

  get noteCount(): number {
    return this.#rows.visible;
  }

  records<Facts>(reader: FactReader<Facts>): readonly NoteRecord<Facts>[] {
    const position = this.#position(reader);
    const records = (this.#records[position] ??= this.#collect(position));
    return records as readonly NoteRecord<Facts>[];
  }

  get<Facts>(reader: FactReader<Facts>, path: VaultPath): NoteRecord<Facts> | undefined {
    const position = this.#position(reader);
    const entry = this.#entry(path);
    if (!entry || entry.hidden) return undefined;
    return entry.content.facts[position] as NoteRecord<Facts> | undefined;
  }

  has(path: VaultPath): boolean {
    return this.#entry(path) !== undefined;
  }

  files(): readonly FileStat[] {
    return this.#visible().map(({ stat }) => stat);
  }

  problems(): readonly NoteProblem[] {
    this.#problems ??= this.#visible().flatMap((entry) => entry.content.problems);
    return this.#problems;
  }

  /** The reader's digest of all its facts; undefined when it makes none. */
  summary<Facts>(reader: FactReader<Facts>): unknown {
    if (!reader.summarise) return undefined;
    if (!this.#summaries.has(reader.name))
      this.#summaries.set(reader.name, reader.summarise(this.records(reader).map(({ facts }) => facts)));
    return this.#summaries.get(reader.name);
  }

  #entry(path: VaultPath): Entry | undefined {
    const place = this.#rows.index.get(path);
    return place === undefined ? undefined : this.#rows.entries[place];
  }

  /** One plain loop: after every change it goes over all rows. */
  #collect(position: number): NoteRecord<unknown>[] {
    const records: NoteRecord<unknown>[] = [];
    for (const entry of this.#rows.entries) {
      const record = entry?.hidden === false ? entry.content.facts[position] : undefined;
      if (record) records.push(record);
    }
    return records;
  }

  #visible(): Entry[] {
    return this.#rows.entries.filter((entry) => entry !== undefined && !entry.hidden) as Entry[];
  }

  #position(reader: FactReader<unknown>): number {
    const position = this.#readers.findIndex(({ name }) => name === reader.name);
    if (position < 0) throw new Error(`The catalog has no fact reader "${reader.name}".`);
    return position;
  }
}
