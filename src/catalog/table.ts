/** The catalog's rows: changed all at once at the end of a refresh, while earlier views keep the rows they had. */
import { folderOf, type VaultPath } from "../storage/path.js";
import type { Stamp } from "../storage/storage.js";
import { NO_READERS, type ReaderBits } from "./readers.js";
import type { NoteProblem } from "./catalog.js";
import type { PackedFacts } from "./packed-facts.js";
import { isNote } from "./ignore.js";
import type { PackedStat } from "./packed-stat.js";

/** What a file's text says, whenever and wherever it was read. */
export interface EntryContent {
  /** The frontmatter still holds placeholders: the note is a template, whatever folder it is in. */
  readonly templated: boolean;
  readonly problems: readonly NoteProblem[];
  /** The readers that were shown the file. */
  readonly shown: ReaderBits;
  /** The facts by position of their reader; empty when no reader took any. */
  readonly facts: readonly (PackedFacts | undefined)[];
  /** The file is there and could not be read; it is tried again at every refresh. */
  readonly unreadable?: true;
}

const NOTHING: EntryContent = { templated: false, problems: [], shown: NO_READERS, facts: [] };
const nothings = new Map<ReaderBits, EntryContent>([[NO_READERS, NOTHING]]);

/** The same object for all files without facts, which are most files. */
export function entryContent(content: EntryContent): EntryContent {
  const { templated, problems, facts, unreadable, shown } = content;
  return templated || unreadable || problems.length > 0 || facts.length > 0 ? content : noContent(shown);
}

/** The content of a file that was shown to these readers and gave none of them facts. */
export function noContent(shown: ReaderBits = NO_READERS): EntryContent {
  let nothing = nothings.get(shown);
  if (!nothing) nothings.set(shown, (nothing = { ...NOTHING, shown }));
  return nothing;
}

/** Combines what two sets of readers found in the same text. */
export function mergeContents(one: EntryContent | undefined, other: EntryContent): EntryContent {
  if (!one) return other;
  const { templated, problems } = one;
  const length = Math.max(one.facts.length, other.facts.length);
  const facts = Array.from({ length }, (_, reader) => one.facts[reader] ?? other.facts[reader]);
  return entryContent({ templated, problems, shown: one.shown | other.shown, facts });
}

const NOTE = 1;
const HIDDEN = 2;
const SETTLED = 4;

export class Entry {
  readonly stat: PackedStat;
  #content: EntryContent;
  /** There is one entry for every file, so three numbers share one. */
  #flags: number;

  constructor(stat: PackedStat, content: EntryContent, settled: boolean, ignored: boolean) {
    this.stat = stat;
    this.#content = content;
    this.#flags =
      (isNote(stat.path) ? NOTE : 0) | (ignored || content.templated ? HIDDEN : 0) | (settled ? SETTLED : 0);
  }

  get content(): EntryContent {
    return this.#content;
  }

  /**
   * Adds what more readers found in the same text. Views that hold this entry do not change: they refuse the facts of readers they were not
   * made for, and nothing else differs.
   */
  learn(more: EntryContent): void {
    this.#content = mergeContents(this.#content, more);
  }

  get isNote(): boolean {
    return (this.#flags & NOTE) !== 0;
  }

  /** Kept out of every answer: a template, or excluded by the vault's settings. */
  get hidden(): boolean {
    return (this.#flags & HIDDEN) !== 0;
  }

  /** The stamp proves the content: it was taken long enough after the last change (the racy-stamp rule). */
  get settled(): boolean {
    return (this.#flags & SETTLED) !== 0;
  }

  set settled(settled: boolean) {
    this.#flags = (this.#flags & ~SETTLED) | (settled ? SETTLED : 0);
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  /** Whether all of these readers have seen the file. */
  wasShownTo(readers: ReaderBits): boolean {
    return (readers & ~this.content.shown) === NO_READERS;
  }

  /** Whether a look that found this stamp need not read the file. */
  isProvenBy(stamp: Stamp): boolean {
    return this.settled && this.stat.hasStamp(stamp);
  }

  /** Whether the two look the same to every caller. */
  sameAs(other: Entry): boolean {
    return this.stat.hasStampOf(other.stat) && this.hidden === other.hidden && sameContent(this.content, other.content);
  }
}

function sameContent(a: EntryContent, b: EntryContent): boolean {
  return (
    a.templated === b.templated &&
    a.shown === b.shown &&
    JSON.stringify(a.problems) === JSON.stringify(b.problems) &&
    a.facts.length === b.facts.length &&
    a.facts.every((record, reader) => record?.saysTheSameAs(b.facts[reader]) ?? b.facts[reader] === undefined)
  );
}

/** By path, the new entry; undefined: the file is gone. */
export type RowChanges = ReadonlyMap<VaultPath, Entry | undefined>;

/** A row's entry before and after. */
export interface EntryReplacement {
  readonly before: Entry;
  readonly now: Entry;
}

/** Rows keep their places, so that a view needs no index of its own. */
export interface Rows {
  readonly entries: readonly (Entry | undefined)[];
  readonly index: RowIndex;
  /** How many notes are not hidden. */
  readonly visible: number;
}

/** The row of each path. Made when first asked for: a one-shot call that goes through all rows never asks. */
export class RowIndex {
  /** Dropped once the index is made, so that old entries can be freed. */
  #initial: readonly Entry[];
  #places: Map<VaultPath, number> | undefined;

  constructor(initial: readonly Entry[]) {
    this.#initial = initial;
  }

  /** May know paths that are in no row of a view, or only in later ones. */
  get(path: VaultPath): number | undefined {
    return this.#all().get(path);
  }

  set(path: VaultPath, place: number): void {
    this.#all().set(path, place);
  }

  #all(): Map<VaultPath, number> {
    if (!this.#places) {
      this.#places = new Map();
      for (const [place, entry] of this.#initial.entries()) this.#places.set(entry.path, place);
      this.#initial = [];
    }
    return this.#places;
  }
}

/** So many empty rows are kept before all rows are laid out anew. */
const MAX_GAPS = 1000;

export class CatalogTable {
  #entries: (Entry | undefined)[] = [];
  #index = new RowIndex([]);
  #visible = 0;
  #filled = 0;
  /** How many files stand in each folder; made when first asked for. */
  #inFolder: Map<VaultPath, number> | undefined;

  get rows(): Rows {
    return { entries: this.#entries, index: this.#index, visible: this.#visible };
  }

  /** How many files there are, hidden ones included. */
  get size(): number {
    return this.#filled;
  }

  place(path: VaultPath): number | undefined {
    return this.#index.get(path);
  }

  get(path: VaultPath): Entry | undefined {
    const place = this.#index.get(path);
    return place === undefined ? undefined : this.#entries[place];
  }

  /** Whether a file is known anywhere below this path. */
  holdsBelow(path: VaultPath): boolean {
    if (!this.#inFolder) {
      this.#inFolder = new Map();
      for (const entry of this) this.#count(entry.path, 1);
    }
    const below = `${path}/`;
    for (const folder of this.#inFolder.keys()) if (folder === path || folder.startsWith(below)) return true;
    return false;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const entry of this.#entries) if (entry) yield entry;
  }

  /** Replaces all rows; no two entries have the same path. */
  reset(entries: readonly Entry[]): void {
    this.#entries = [...entries];
    this.#index = new RowIndex(entries);
    this.#filled = entries.length;
    this.#inFolder = undefined;
    this.#visible = 0;
    for (const entry of entries) this.#visible += countVisible(entry);
  }

  apply(changes: RowChanges): void {
    if (changes.size === 0) return;
    this.#entries = this.#entries.slice();
    for (const [path, entry] of changes) this.#put(path, entry);
    // Views of earlier rows keep the old index with the old rows.
    if (this.#entries.length - this.#filled > Math.max(MAX_GAPS, this.#filled)) this.reset([...this]);
  }

  /** The changes as replaced rows, when no file appears, disappears or changes whether it is hidden; undefined when one does. */
  replacements(changes: RowChanges): readonly EntryReplacement[] | undefined {
    const replaced: EntryReplacement[] = [];
    for (const [path, now] of changes) {
      const before = this.get(path);
      if (before?.hidden !== now?.hidden) return undefined;
      if (before && now) replaced.push({ before, now });
    }
    return replaced;
  }

  #put(path: VaultPath, entry: Entry | undefined): void {
    let place = this.#index.get(path);
    const before = place === undefined ? undefined : this.#entries[place];
    if (place === undefined) {
      if (!entry) return;
      place = this.#entries.length;
      this.#index.set(path, place);
    }
    this.#entries[place] = entry;
    const more = Number(entry !== undefined) - Number(before !== undefined);
    this.#filled += more;
    if (more !== 0) this.#count(path, more);
    this.#visible += countVisible(entry) - countVisible(before);
  }

  #count(path: VaultPath, more: number): void {
    const folder = folderOf(path);
    const files = (this.#inFolder?.get(folder) ?? 0) + more;
    if (files > 0) this.#inFolder?.set(folder, files);
    else this.#inFolder?.delete(folder);
  }
}

function countVisible(entry: Entry | undefined): number {
  return entry?.isNote === true && !entry.hidden ? 1 : 0;
}
