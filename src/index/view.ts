/** The index as of the end of one refresh; it never changes. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat, UnlistedEntry } from "../storage/storage.js";
import type { FactReader, NoteProblem, NoteRecord } from "./facts.js";
import type { IndexedFiles, IndexedFile } from "./files.js";
import type { FullText } from "./full-text.js";
import type { FactKinds, Readers } from "./readers.js";
import type { VaultSettings } from "../obsidian/settings.js";

interface ViewOptions {
  /** Includes templates and excluded notes. Default false. */
  readonly hidden?: boolean;
}

export interface Coverage {
  /** Whose facts are known, and whether all words are stored. */
  readonly facts: FactKinds;
  /** Whether files other than notes are known. */
  readonly files: boolean;
}

interface ViewState {
  readonly generation: number;
  readonly arrangement: number;
  readonly settings: VaultSettings;
  readonly unlisted: readonly UnlistedEntry[];
  readonly readers: Readers;
  readonly list: IndexedFiles;
  readonly coverage: Coverage;
  readonly text: FullText;
}

/** Asking for facts that the refresh did not request is a programming error and throws. */
export class IndexView {
  /** Increases with every change. */
  readonly generation: number;
  /** Increases when a file appears, disappears, or becomes hidden or visible. */
  readonly arrangement: number;
  /** As the refresh found them. */
  readonly settings: VaultSettings;
  readonly unlisted: readonly UnlistedEntry[];
  /** Usable after a refresh with `words`. */
  readonly text: FullText;
  readonly #readers: Readers;
  readonly #list: IndexedFiles;
  readonly #coverage: Coverage;
  /** By reader, without hidden files. */
  readonly #records: (readonly NoteRecord<unknown>[] | undefined)[] = [];
  #noteCount: number | undefined;
  #problems: readonly NoteProblem[] | undefined;

  constructor({ generation, arrangement, settings, unlisted, readers, list, coverage, text }: ViewState) {
    this.generation = generation;
    this.arrangement = arrangement;
    this.settings = settings;
    this.unlisted = unlisted;
    this.text = text;
    this.#readers = readers;
    this.#list = list;
    this.#coverage = coverage;
  }

  /** Without hidden notes. */
  get noteCount(): number {
    if (this.#noteCount === undefined) {
      this.#noteCount = 0;
      for (const file of this.#list.files) if (file?.isNote && !file.hidden) this.#noteCount++;
    }
    return this.#noteCount;
  }

  /** The same list for the same reader, unless hidden files are included. */
  records<Facts>(reader: FactReader<Facts>, { hidden = false }: ViewOptions = {}): readonly NoteRecord<Facts>[] {
    const position = this.#position(reader);
    const records = hidden
      ? this.#collect(position, true)
      : (this.#records[position] ??= this.#collect(position, false));
    return records as readonly NoteRecord<Facts>[];
  }

  get<Facts>(reader: FactReader<Facts>, path: VaultPath): NoteRecord<Facts> | undefined {
    const position = this.#position(reader);
    const file = this.#file(path);
    return file && !file.hidden ? (file.record(position) as NoteRecord<Facts> | undefined) : undefined;
  }

  /** Also true for templates and excluded notes: links to them resolve. */
  has(path: VaultPath): boolean {
    return this.#file(path)?.isNote === true;
  }

  /** Notes and, with `RefreshOptions.files`, other files; unordered. */
  files({ hidden = false }: ViewOptions = {}): readonly FileStat[] {
    const stats: FileStat[] = [];
    for (const file of this.#list.files)
      if (file && (file.isNote || this.#coverage.files) && (hidden || !file.hidden)) stats.push(file.stat);
    return stats;
  }

  problems(): readonly NoteProblem[] {
    this.#problems ??= this.#list.files.flatMap((file) => (file && !file.hidden ? file.problems : []));
    return this.#problems;
  }

  /** Files that could not be read: their content is unknown. */
  unread(): readonly VaultPath[] {
    return this.#list.files.flatMap((file) => (file?.unreadable ? [file.path] : []));
  }

  covers(reader: FactReader<unknown>): boolean {
    return (this.#coverage.facts & (1 << this.#readers.position(reader))) !== 0;
  }

  #file(path: VaultPath): IndexedFile | undefined {
    const place = this.#list.places.get(path);
    const file = place === undefined ? undefined : this.#list.files[place];
    return file?.path === path ? file : undefined;
  }

  #collect(position: number, hidden: boolean): NoteRecord<unknown>[] {
    const records: NoteRecord<unknown>[] = [];
    for (const file of this.#list.files) {
      const record = file && (hidden || !file.hidden) ? file.record(position) : undefined;
      if (record) records.push(record);
    }
    return records;
  }

  #position(reader: FactReader<unknown>): number {
    const position = this.#readers.position(reader);
    if (this.#coverage.facts & (1 << position)) return position;
    throw new Error(`The index was not refreshed for the facts of "${reader.name}".`);
  }
}

/** What two lists have between their common beginning and end. Unchanged items must be the same objects. */
export function listDifference<Item>(before: readonly Item[], after: readonly Item[]) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}
