/** The files of a vault. They change all at once at the end of a refresh; earlier views stay as they were. */
import { folderOf, type VaultPath } from "../storage/path.js";
import type { FileStat, Stamp } from "../storage/storage.js";
import type { NoteProblem, NoteRecord } from "./facts.js";
import { isNote } from "../obsidian/ignore.js";
import { NO_KINDS, TEXT_WORDS, type FactKinds } from "./readers.js";

export interface FileContent {
  readonly problems: readonly NoteProblem[];
  /** Those that were read, even if there were none. */
  readonly kinds: FactKinds;
  /** JSON by the reader's position. */
  readonly facts: readonly (string | undefined)[];
  /** The file exists and could not be read; every refresh tries again. */
  readonly unreadable?: true;
}

const NO_PROBLEMS: readonly NoteProblem[] = [];

export function noContent(kinds: FactKinds = NO_KINDS): FileContent {
  return { problems: NO_PROBLEMS, kinds, facts: [] };
}

class FileFacts implements NoteRecord<unknown> {
  readonly #file: IndexedFile;
  readonly json: string;

  constructor(file: IndexedFile, json: string) {
    this.#file = file;
    this.json = json;
  }

  get stat(): FileStat {
    return this.#file.stat;
  }

  get number(): number | undefined {
    return this.#file.number;
  }

  get facts(): unknown {
    return JSON.parse(this.json);
  }
}

export class IndexedFile {
  readonly stat: FileStat;
  readonly isNote: boolean;
  /** A template or excluded by settings: kept out of every answer. */
  readonly hidden: boolean;
  readonly problems: readonly NoteProblem[];
  readonly unreadable: boolean;
  /** The stamp was taken long enough after the last change to prove the content (the racy-stamp rule). */
  settled: boolean;
  /** Its row in the database; undefined without one. */
  number: number | undefined;
  /** In the database. */
  stored: FactKinds = NO_KINDS;
  #kinds: FactKinds;
  readonly #facts: (FileFacts | undefined)[] = [];

  constructor(stat: FileStat, content: FileContent, settled: boolean, hidden: boolean) {
    this.stat = stat;
    this.isNote = isNote(stat.path);
    this.hidden = hidden;
    this.settled = settled;
    this.problems = content.problems;
    this.unreadable = content.unreadable === true;
    this.#kinds = NO_KINDS;
    this.learn(content);
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  /** In this process; words in the database. */
  get known(): FactKinds {
    return this.#kinds | (this.stored & TEXT_WORDS);
  }

  record(position: number): NoteRecord<unknown> | undefined {
    return this.#facts[position];
  }

  json(position: number): string | undefined {
    return this.#facts[position]?.json;
  }

  /** Views with this file are unaffected: they refuse other kinds of facts. */
  learn({ kinds, facts }: Pick<FileContent, "kinds" | "facts">): void {
    this.#kinds |= kinds;
    for (const [position, json] of facts.entries())
      if (json !== undefined) this.#facts[position] ??= new FileFacts(this, json);
  }

  judged(hidden: boolean): IndexedFile {
    const facts = this.#facts.map((record) => record?.json);
    const { problems, unreadable } = this;
    const content = { problems, kinds: this.#kinds, facts, ...(unreadable && { unreadable }) };
    const file = new IndexedFile(this.stat, content, this.settled, hidden);
    file.number = this.number;
    file.stored = this.stored;
    return file;
  }

  isProvenBy(stamp: Stamp): boolean {
    return this.settled && isSameStamp(this.stat.stamp, stamp);
  }

  sameAs(other: IndexedFile): boolean {
    return (
      isSameStamp(this.stat.stamp, other.stat.stamp) &&
      this.hidden === other.hidden &&
      this.unreadable === other.unreadable &&
      this.#kinds === other.#kinds &&
      JSON.stringify(this.problems) === JSON.stringify(other.problems) &&
      this.#facts.length === other.#facts.length &&
      this.#facts.every((record, position) => record?.json === other.json(position))
    );
  }
}

export function isSameStamp(one: Stamp, other: Stamp): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** By path; undefined for a file that is gone. */
export type FileChanges = ReadonlyMap<VaultPath, IndexedFile | undefined>;

/** Each file has a fixed place that all views share; a view may lack some files. */
export interface IndexedFiles {
  readonly files: readonly (IndexedFile | undefined)[];
  readonly places: ReadonlyMap<VaultPath, number>;
}

/** The list is rebuilt when more places than this, and most, are empty. */
const MAX_GAPS = 1_000;

export class FileTable {
  #files: (IndexedFile | undefined)[] = [];
  #places = new Map<VaultPath, number>();
  #count = 0;

  get list(): IndexedFiles {
    return { files: this.#files, places: this.#places };
  }

  /** Hidden files included. */
  get size(): number {
    return this.#count;
  }

  get(path: VaultPath): IndexedFile | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#files[place];
  }

  holdsBelow(path: VaultPath): boolean {
    const below = `${path}/`;
    for (const file of this) if (file.path.startsWith(below) || folderOf(file.path) === path) return true;
    return false;
  }

  *[Symbol.iterator](): Generator<IndexedFile> {
    for (const file of this.#files) if (file) yield file;
  }

  /** @returns whether a file came, went, or was hidden or shown */
  apply(changes: FileChanges): boolean {
    if (changes.size === 0) return false;
    let isRearranged = false;
    // Views keep the old list.
    this.#files = this.#files.slice();
    for (const [path, file] of changes) {
      const before = this.get(path);
      if (before?.hidden !== file?.hidden) isRearranged = true;
      this.#put(path, file);
    }
    if (this.#files.length - this.#count > Math.max(MAX_GAPS, this.#count)) this.#closeGaps();
    return isRearranged;
  }

  #put(path: VaultPath, file: IndexedFile | undefined): void {
    let place = this.#places.get(path);
    if (place === undefined) {
      if (!file) return;
      place = this.#files.length;
      this.#places.set(path, place);
    }
    this.#count += Number(file !== undefined) - Number(this.#files[place] !== undefined);
    this.#files[place] = file;
  }

  #closeGaps(): void {
    this.#files = [...this];
    this.#places = new Map(this.#files.flatMap((file, place) => (file ? [[file.path, place]] : [])));
  }
}
