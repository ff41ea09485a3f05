/** The catalog as it was at the end of one refresh; it never changes under its reader. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat, PassedOver } from "../storage/storage.js";
import type { Entry } from "./catalog-entry.js";
import type { Rows } from "./catalog-table.js";
import { type ReaderBits, Readers } from "./catalog-readers.js";
import type { CatalogView, FactReader, NoteProblem, NoteRecord, ViewOptions } from "./catalog.js";

/** What a refresh made sure of. */
export interface Coverage {
  /** The readers whose facts are known. */
  readonly facts: ReaderBits;
  /** Whether files that are no notes are known. */
  readonly files: boolean;
}

export interface ViewState extends Pick<CatalogView, "generation" | "arrangement" | "passedOver"> {
  readonly readers: Readers;
  readonly rows: Rows;
  readonly coverage: Coverage;
}

export class RowsView implements CatalogView {
  readonly #state: ViewState;
  readonly #records: (readonly NoteRecord<unknown>[] | undefined)[] = [];
  #problems: readonly NoteProblem[] | undefined;

  constructor(state: ViewState) {
    this.#state = state;
  }

  get generation(): number {
    return this.#state.generation;
  }

  get arrangement(): number {
    return this.#state.arrangement;
  }

  get passedOver(): readonly PassedOver[] {
    return this.#state.passedOver;
  }

  get noteCount(): number {
    return this.#state.rows.visible;
  }

  records<Facts>(reader: FactReader<Facts>, { hidden = false }: ViewOptions = {}): readonly NoteRecord<Facts>[] {
    const position = this.#position(reader);
    const records = hidden
      ? this.#collect(position, true)
      : (this.#records[position] ??= this.#collect(position, false));
    return records as readonly NoteRecord<Facts>[];
  }

  get<Facts>(reader: FactReader<Facts>, path: VaultPath): NoteRecord<Facts> | undefined {
    const position = this.#position(reader);
    const entry = this.#entry(path);
    if (!entry || entry.hidden) return undefined;
    return entry.content.facts[position] as NoteRecord<Facts> | undefined;
  }

  has(path: VaultPath): boolean {
    return this.#entry(path)?.isNote === true;
  }

  files({ hidden = false }: ViewOptions = {}): readonly FileStat[] {
    const { rows, coverage } = this.#state;
    const stats: FileStat[] = [];
    for (const entry of rows.entries)
      if (entry && (entry.isNote || coverage.files) && (hidden || !entry.hidden)) stats.push(entry.stat);
    return stats;
  }

  problems(): readonly NoteProblem[] {
    this.#problems ??= this.#collectProblems();
    return this.#problems;
  }

  /** Whether facts of this reader may be asked for. */
  covers(position: number): boolean {
    return (this.#state.coverage.facts & (1 << position)) !== 0;
  }

  #entry(path: VaultPath): Entry | undefined {
    const place = this.#state.rows.index.get(path);
    return place === undefined ? undefined : this.#state.rows.entries[place];
  }

  #collectProblems(): NoteProblem[] {
    const problems: NoteProblem[] = [];
    for (const entry of this.#state.rows.entries) if (entry?.hidden === false) problems.push(...entry.content.problems);
    return problems;
  }

  /** One plain loop: after every change it goes over all rows. */
  #collect(position: number, hidden: boolean): NoteRecord<unknown>[] {
    const records: NoteRecord<unknown>[] = [];
    for (const entry of this.#state.rows.entries) {
      const record = entry && (hidden || !entry.hidden) ? entry.content.facts[position] : undefined;
      if (record) records.push(record);
    }
    return records;
  }

  #position(reader: FactReader<unknown>): number {
    const { readers, coverage } = this.#state;
    const position = readers.position(reader);
    if (coverage.facts & (1 << position)) return position;
    throw new Error(`The catalog was not refreshed for the facts of "${reader.name}".`);
  }
}
