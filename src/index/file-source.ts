/** Takes what is known of a file from this process, from the database, or from the file. */
import { decodeText } from "../storage/note-text.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import {
  type FileStat,
  type Stamp,
  isUnreadable,
  type Storage,
  type StoredFile,
  type UnreadableFile,
} from "../storage/storage.js";
import type { TimeSlice } from "../async/yield-to-loop.js";
import { IndexedFile, type FileContent, isSameStamp, noContent } from "./files.js";
import { wordsIn, type FileWords } from "./full-text.js";
import { type IgnoreRules, isNote } from "../obsidian/ignore.js";
import { readContent, unreadableContent } from "./read-note.js";
import { NO_KINDS, type FactKinds, type Readers, TEXT_WORDS } from "./readers.js";
import { parseStat, type StoredRow } from "./store.js";
import type { Coverage } from "./view.js";

export interface SourceContext {
  readonly storage: Storage;
  readonly readers: Readers;
  readonly coverage: Coverage;
  /** Database rows of files new to this process. */
  readonly rows: ReadonlyMap<VaultPath, StoredRow>;
  /** From the database, for readers new to this process: by reader's position and file's number. */
  readonly facts: ReadonlyMap<number, readonly (string | undefined)[]>;
  readonly rules: IgnoreRules;
  /** When the refresh began to examine files, by this machine's clock. */
  readonly startedAt: number;
}

const NO_CONTENT = noContent();

export class FileSource {
  readonly #context: SourceContext;
  readonly #wanting: (path: VaultPath) => FactKinds;
  /** Unchanged files that are read because some facts are missing. */
  readonly #inPart = new Map<VaultPath, IndexedFile>();

  constructor(context: SourceContext) {
    this.#context = context;
    this.#wanting = context.readers.wanting(context.coverage.facts);
  }

  keeps(path: VaultPath): boolean {
    return isNote(path) || this.#context.coverage.files || this.reads(path);
  }

  reads(path: VaultPath): boolean {
    return this.#wanting(path) !== NO_KINDS;
  }

  isComplete(file: IndexedFile): boolean {
    return file.unreadable || (this.#wanting(file.path) & ~file.known) === NO_KINDS;
  }

  /** Undefined when the file is new or must be read. */
  recall(path: VaultPath, stamp: Stamp, known: IndexedFile | undefined): IndexedFile | undefined {
    const isKnown = known && (known.settled || !this.reads(path)) && isSameStamp(known.stat.stamp, stamp);
    const file = known ? (isKnown ? known : undefined) : this.#stored(path, stamp);
    if (!file) return undefined;
    this.learnStored(file);
    if (this.isComplete(file)) return file;
    this.#inPart.set(path, file);
    return undefined;
  }

  /** Adds what the database has for readers new to this process. */
  learnStored(file: IndexedFile): void {
    const { number } = file;
    if (number === undefined || this.#context.facts.size === 0) return;
    const facts: (string | undefined)[] = [];
    let kinds = NO_KINDS;
    for (const [position, stored] of this.#context.facts) {
      if (!(file.stored & (1 << position))) continue;
      kinds |= 1 << position;
      facts[position] = stored[number];
    }
    if (kinds !== NO_KINDS) file.learn({ kinds, facts });
  }

  #stored(path: VaultPath, stamp: Stamp): IndexedFile | undefined {
    const row = this.#context.rows.get(path);
    if (!row || row.stat === "") return undefined;
    const stat = parseStat(path, row.stat);
    if (!isSameStamp(stat.stamp, stamp)) return undefined;
    const content = row.problems === "" ? NO_CONTENT : { ...NO_CONTENT, problems: JSON.parse(row.problems) };
    const file = new IndexedFile(stat, content, true, this.#context.rules.ignores(path));
    file.number = row.number;
    file.stored = row.kinds;
    return file;
  }

  ofFile(file: StoredFile | UnreadableFile): IndexedFile {
    const { readers, rules } = this.#context;
    if (isUnreadable(file)) {
      const stat = { path: file.path, size: 0, modified: 0, created: 0, stamp: [] };
      const content = unreadableContent(file.path, file.error);
      return new IndexedFile(stat, content, false, rules.ignores(file.path));
    }
    const { path, stamp } = file.stat;
    const inPart = this.#inPart.get(path);
    // A file that was not read before has unknown problems, so it is read as new.
    const wasRead = inPart !== undefined && (inPart.known | inPart.stored) !== NO_KINDS;
    const known = wasRead && inPart.isProvenBy(stamp) ? inPart : undefined;
    const missing = this.#wanting(path) & ~(known?.known ?? NO_KINDS);
    const searched = missing & TEXT_WORDS ? readers.searched : NO_KINDS;
    const content = readContent(file, readers.audience((missing & ~TEXT_WORDS) | searched));
    known?.learn(content);
    return known ?? this.ofStat(file.stat, content);
  }

  ofStat(stat: FileStat, content: FileContent = noContent()): IndexedFile {
    const { storage, startedAt, rules } = this.#context;
    return new IndexedFile(stat, content, !isRacy(stat, startedAt, storage.stampGranularity), rules.ignores(stat.path));
  }

  /** Undefined when no words are wanted, or they are stored. */
  async words(read: StoredFile | UnreadableFile, file: IndexedFile, slice: TimeSlice): Promise<FileWords | undefined> {
    if (isUnreadable(read) || (this.#wanting(file.path) & TEXT_WORDS & ~file.known) === NO_KINDS) return undefined;
    // Of larger notes and files that are no text, only the other fields are searched.
    const text = read.bytes.length < read.stat.size ? undefined : decodeText(read.bytes);
    const body = text === undefined ? "" : await wordsIn(text.slice(splitNote(text).bodyStart), slice);
    return { body, fields: await wordsIn(this.#context.readers.searchedText(file), slice) };
  }
}

/** No disk's clock is further ahead. */
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The racy-git rule: a second change within the clock's granularity can leave a stamp equal. Times
 * after the reading come from a disk whose clock is ahead. The other numbers of a stamp are far
 * from any time of day.
 */
function isRacy({ stamp, modified }: FileStat, startedAt: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = startedAt - granularity;
  if (modified >= earliest) return true;
  return stamp.some((value) => value >= earliest && value < startedAt + DAY_MS);
}
