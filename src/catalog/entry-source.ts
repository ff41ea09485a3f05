/** Where the entry of a file comes from: its row, a snapshot with the same stamp, or a reading of the file. */
import type { VaultPath } from "../storage/path.js";
import {
  type FileStat,
  type Stamp,
  isRacy,
  isUnreadable,
  type Storage,
  type StoredFile,
  type UnreadableFile,
} from "../storage/storage.js";
import { type IgnoreRules, isNote } from "./ignore.js";
import type { FactBlocks } from "./packed-facts.js";
import type { PackedStat, StatBlocks } from "./packed-stat.js";
import { readContent, unreadableContent } from "./read-note.js";
import { NO_READERS, type ReaderBits, type Readers } from "./readers.js";
import type { SnapshotRows } from "./snapshot/read.js";
import { Entry, type EntryContent } from "./table.js";
import type { Coverage } from "./view.js";

export interface SourceContext {
  readonly storage: Storage;
  readonly readers: Readers;
  /** What the refresh must know of the files. */
  readonly coverage: Coverage;
  /** What earlier processes knew, for readers that are new to this one. */
  readonly snapshots: readonly SnapshotRows[];
  readonly blocks: FactBlocks;
  readonly stats: StatBlocks;
  /** Bytes that are read of a file for readers that need whole files. */
  readonly maxBytes: number;
  readonly rules: IgnoreRules;
  /** A time no later than the first look at a file, by the storage's clock. */
  readonly look: number;
}

export class EntrySource {
  readonly #context: SourceContext;
  /** The readers that read a file. */
  readonly #wanting: (path: VaultPath) => ReaderBits;
  /** Entries with proven facts of some readers, for files that are read because another reader has none of them. */
  readonly #inPart = new Map<VaultPath, Entry>();

  constructor(context: SourceContext) {
    this.#context = context;
    this.#wanting = context.readers.wanting(context.coverage.facts);
  }

  /** Whether the catalog keeps a row for a file. */
  keeps(path: VaultPath): boolean {
    return this.reads(path) || this.#context.coverage.files;
  }

  /** Whether the catalog reads a file. */
  reads(path: VaultPath): boolean {
    return isNote(path) || this.#wanting(path) !== NO_READERS;
  }

  /** What is known of a file as it stands: its row, if nothing is missing in it; undefined when the file is new or must be read. */
  recall(path: VaultPath, stamp: Stamp, row: Entry | undefined): Entry | undefined {
    const wanted = this.#wanting(path);
    if (!wanted && !isNote(path)) return row?.stat.hasStamp(stamp) ? row : undefined;
    const proven = row?.isProvenBy(stamp) ? row : undefined;
    if (proven?.wasShownTo(wanted)) return proven;
    const { snapshots, rules } = this.#context;
    let entry = proven;
    for (const snapshot of snapshots) {
      const place = snapshot.recall(path, stamp);
      if (place === undefined) continue;
      const stat = entry?.stat ?? snapshot.statOf(place, path);
      const content = snapshot.contentOf(place, stat);
      if (entry) entry.learn(content);
      else entry = new Entry(stat, content, true, rules.ignores(path));
    }
    if (!entry) return undefined;
    if (entry.wasShownTo(wanted)) return entry;
    this.#inPart.set(path, entry);
    return undefined;
  }

  /** The entry of a file that was read just now, or could not be. */
  ofFile(file: StoredFile | UnreadableFile): Entry {
    const { readers, rules, blocks, stats } = this.#context;
    if (isUnreadable(file)) {
      const stat = stats.keep({ path: file.path, size: 0, modified: 0, created: 0, stamp: [] });
      return new Entry(stat, unreadableContent(file.path, file.error), false, rules.ignores(file.path));
    }
    const { path, stamp } = file.stat;
    const wanted = this.#wanting(path);
    const inPart = this.#inPart.size > 0 ? this.#inPart.get(path) : undefined;
    const known = inPart?.isProvenBy(stamp) ? inPart : undefined;
    const stat = known?.stat ?? stats.keep(file.stat);
    const missing = wanted & ~(known?.content.shown ?? NO_READERS);
    const content = readContent({ stat, bytes: file.bytes }, readers.audience(missing), blocks);
    known?.learn(content);
    return known ?? this.ofStat(file.stat, content, stat);
  }

  /** A row of what was found just now. */
  ofStat(stat: FileStat, content: EntryContent, kept: PackedStat = this.#context.stats.keep(stat)): Entry {
    const { storage, look, rules } = this.#context;
    return new Entry(kept, content, !isRacy(stat, look, storage.stampGranularity), rules.ignores(stat.path));
  }
}
