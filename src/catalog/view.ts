/** The catalog as it was at the end of one refresh; it never changes under its reader. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat, PassedOver } from "../storage/storage.js";
import type { Entry, EntryReplacement, Rows } from "./table.js";
import { type ReaderBits, Readers } from "./readers.js";
import type { VaultSettings } from "./settings.js";
import type { CatalogView, FactReader, NoteProblem, NoteRecord, RecordChange, ViewOptions } from "./catalog.js";

/** What a refresh guarantees. */
export interface Coverage {
  /** The readers whose facts are known. */
  readonly facts: ReaderBits;
  /** Whether files that are no notes are known. */
  readonly files: boolean;
}

export interface ViewState extends Pick<CatalogView, "generation" | "arrangement" | "settings" | "passedOver"> {
  readonly readers: Readers;
  readonly rows: Rows;
  readonly coverage: Coverage;
}

/** The previous view, and the rows that changed since. */
export interface Earlier {
  readonly view: RowsView;
  readonly replaced: readonly EntryReplacement[];
}

/** With more replaced rows than this, going through all rows is faster. */
const FEW = 32;

export class RowsView implements CatalogView {
  readonly #state: ViewState;
  /** By reader. Lists are taken over from the previous view, except for replaced rows. */
  readonly #records: (readonly NoteRecord<unknown>[] | undefined)[] = [];
  readonly #since: { readonly generation: number; readonly replaced: readonly EntryReplacement[] } | undefined;
  #problems: readonly NoteProblem[] | undefined;

  /** @param earlier given when only the rows named there differ */
  constructor(state: ViewState, earlier?: Earlier) {
    this.#state = state;
    if (!earlier || earlier.replaced.length > FEW) return;
    const { view, replaced } = earlier;
    this.#since = { generation: view.generation, replaced };
    for (const [position, records] of view.#records.entries())
      this.#records[position] = records && patched(records, recordChanges(replaced, position));
  }

  get generation(): number {
    return this.#state.generation;
  }

  get arrangement(): number {
    return this.#state.arrangement;
  }

  get settings(): VaultSettings {
    return this.#state.settings;
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

  changedSince<Facts>(reader: FactReader<Facts>, generation: number): readonly RecordChange<Facts>[] | undefined {
    const position = this.#position(reader);
    if (generation !== this.#since?.generation) return undefined;
    return recordChanges(this.#since.replaced, position) as readonly RecordChange<Facts>[];
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

  unread(): readonly VaultPath[] {
    const paths: VaultPath[] = [];
    for (const entry of this.#state.rows.entries) if (entry?.content.unreadable) paths.push(entry.path);
    return paths;
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

  /** One plain loop over all rows. */
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

/** What a reader sees of replaced rows. */
function recordChanges(replaced: readonly EntryReplacement[], position: number): RecordChange<unknown>[] {
  const changes: RecordChange<unknown>[] = [];
  for (const { before, now } of replaced) {
    const change = { before: before.content.facts[position], now: now.content.facts[position] };
    if (!now.hidden && change.before !== change.now) changes.push(change);
  }
  return changes;
}

/**
 * The list with these records in the places of the old ones; undefined when one appeared or disappeared, so that others would have to move.
 */
function patched(
  records: readonly NoteRecord<unknown>[],
  changes: readonly RecordChange<unknown>[],
): readonly NoteRecord<unknown>[] | undefined {
  if (changes.length === 0) return records;
  const list = records.slice();
  for (const { before, now } of changes) {
    const place = before && now ? list.indexOf(before) : -1;
    if (!now || place < 0) return undefined;
    list[place] = now;
  }
  return list;
}
