/**
 * One refresh: compares what is known with the storage, by a sweep or by dirty paths, and stores rows of what changed.
 */
import type { Run } from "../async/coalesce.js";
import { TimeSlice } from "../async/timers.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { type IgnoreRules, isListed, isNote } from "../obsidian/ignore.js";
import { folderOf, ROOT, type VaultPath } from "../storage/path.js";
import {
  type FileStat,
  isUnreadable,
  type ListOptions,
  type Stamp,
  type Storage,
  type StoredFile,
  type UnlistedEntry,
  type UnreadableFile,
} from "../storage/storage.js";
import { type FileWords, wordsIn } from "./full-text.js";
import {
  ALL_PARTS,
  type KnownFile,
  type FilesByPath,
  HAS_LATER,
  HAS_WORDS,
  partOf,
  statText,
  hasStamp,
  isRacy,
} from "./file-stamps.js";
import { noteSource, unreadableProblems } from "./read-note.js";
import type { FileWrite, IndexStore } from "./store.js";
import type { NoteSource, RowContext, Rows, Subject } from "./subject.js";
import { placeOf } from "../obsidian/unlisted.js";

export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
}

export interface ProgressOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface AskOptions extends ProgressOptions {
  /** @internal The generation of a view that the caller works with: while it is the latest, nothing is listed again. */
  readonly asOf?: number | undefined;
  /** @internal False: the caller expects to find nothing, and shows no nearest names. */
  readonly suggests?: boolean;
}

export interface RefreshOptions extends AskOptions {
  /** Names of the subjects whose rows are needed; default: all but rare ones. Without any, no file is read. */
  readonly rows?: readonly string[];
  /** Needs the words of all notes. */
  readonly words?: boolean;
  /** Needs the rows of `Subject.readLater`: of all notes, or of these. */
  readonly later?: boolean | readonly VaultPath[];
}

/** With more unknown or vanished paths, a listing is cheaper than looking for each. */
const MAX_LOST = 8;
const FILES_A_WRITE = 200;

export interface ReadingContext {
  readonly storage: Storage;
  readonly subjects: readonly Subject[];
  readonly rules: IgnoreRules;
  readonly about: Omit<RowContext, "hidden">;
  /** When the reading began, by this machine's clock. */
  readonly startedAt: number;
  /** Larger files are not read whole. */
  readonly maxBytes: number;
}

interface RefreshContext extends ReadingContext {
  readonly store: IndexStore;
  readonly known: FilesByPath;
  /** Needed of a file. */
  readonly partsOf: (path: VaultPath) => number;
  /** By the storage's last listing. */
  readonly unlisted: readonly UnlistedEntry[];
  readonly run: Run<Progress>;
}

export class Refresh {
  readonly #context: RefreshContext;
  unlisted: readonly UnlistedEntry[];
  /** Whether any row or file did. */
  hasChanged = false;

  constructor(context: RefreshContext) {
    this.#context = context;
    this.unlisted = context.unlisted;
  }

  async everything(): Promise<void> {
    await this.#sweep(listsFile, new Set(this.#context.known.keys()), []);
  }

  /**
   * Lists files, and reads those that are new or changed.
   * @param gone files that are gone unless they are listed
   * @param unlisted what still cannot be listed elsewhere
   */
  async #sweep(
    wants: NonNullable<ListOptions["wants"]>,
    gone: Set<VaultPath>,
    unlisted: UnlistedEntry[],
    isIn: (path: VaultPath) => boolean = () => true,
  ): Promise<void> {
    const { storage, run } = this.#context;
    const stale: VaultPath[] = [];
    const others: FileStat[] = [];
    let done = 0;
    const isKnown = (path: VaultPath, stamp: Stamp): boolean => {
      gone.delete(path);
      const is = this.#isCurrent(path, stamp);
      if (is) done++;
      return is;
    };
    const onUnlisted = (what: UnlistedEntry): void => {
      if (isIn(placeOf(what))) unlisted.push(what);
    };
    for await (const batch of storage.list({ wants, onUnlisted, isKnown })) {
      for (const stat of batch) {
        // A storage need not call `isKnown`.
        if (isKnown(stat.path, stat.stamp)) continue;
        if (this.#reads(stat.path)) stale.push(stat.path);
        else others.push(stat);
      }
      done += batch.length;
      run.report({ done, total: undefined });
    }
    this.unlisted = unlisted;
    await this.#storeUnread(others, [...gone]);
    await this.#read(stale);
  }

  /** With all below those that are folders. */
  async paths(dirty: ReadonlySet<VaultPath>): Promise<void> {
    const { known } = this.#context;
    if (dirty.has(ROOT)) return this.everything();
    const notes = [...dirty].filter((path) => known.get(path) !== undefined && this.#reads(path));
    const missing = await this.#read(notes);
    const lost = [...missing];
    for (const path of dirty)
      if (known.get(path) === undefined ? await this.#mayHoldFiles(path) : !this.#reads(path)) lost.push(path);
    if (lost.length > MAX_LOST) return this.everything();
    if (lost.length > 0) await this.#within(new Set(lost));
  }

  /** They were known before and lack rows. */
  async incomplete(): Promise<void> {
    const { known, partsOf, subjects } = this.#context;
    const stale = [...known.values()].filter((file) => lacks(file, partsOf(file.path), subjects));
    await this.#read(stale.map(({ path }) => path));
  }

  #reads(path: VaultPath): boolean {
    const { partsOf, subjects } = this.#context;
    return (partsOf(path) & partsFor(path, subjects)) !== 0;
  }

  /** The stamp proves that all rows are those of the file. */
  #isCurrent(path: VaultPath, stamp: Stamp): boolean {
    const { known, partsOf, subjects } = this.#context;
    const file = known.get(path);
    return file?.settled === true && hasStamp(file, stamp) && !lacks(file, partsOf(path), subjects);
  }

  /** Lists again what is at or below these paths. */
  async #within(scope: ReadonlySet<VaultPath>): Promise<void> {
    const around = new Set<VaultPath>();
    for (const path of scope)
      for (let folder = path; folder !== ROOT; folder = folderOf(folder)) around.add(folderOf(folder));
    // Runs for every file, so nothing is allocated.
    const tops = [...scope].map((top) => ({ top, below: `${top}/` }));
    const inScope = (path: VaultPath): boolean => {
      for (const { top, below } of tops) if (path === top || path.startsWith(below)) return true;
      return false;
    };
    const gone = new Set([...this.#context.known.keys()].filter(inScope));
    const wants = (path: VaultPath, kind: "file" | "folder"): boolean =>
      listsFile(path, kind) && (inScope(path) || (kind === "folder" && around.has(path)));
    const elsewhere = this.unlisted.filter((what) => !inScope(placeOf(what)));
    await this.#sweep(wants, gone, elsewhere, inScope);
  }

  /** What cannot be examined may be a folder. */
  async #mayHoldFiles(path: VaultPath): Promise<boolean> {
    const { storage, known } = this.#context;
    // A vacant path is often the temporary file of an editor that saves safely.
    if (!(await storage.isVacant?.(path))) return true;
    const isOfPath = (other: VaultPath): boolean => other === path || other.startsWith(`${path}/`);
    for (const other of known.keys()) if (isOfPath(other)) return true;
    return this.unlisted.some((what) => isOfPath(placeOf(what)));
  }

  async #storeUnread(stats: readonly FileStat[], gone: readonly VaultPath[]): Promise<void> {
    const files = stats.map((stat) => knownFile(stat, false, 0, this.#context));
    await this.#store(
      files.map((file) => ({ file, problems: [], isAddition: false, rows: [] })),
      gone,
    );
  }

  /** @returns files that are gone */
  async #read(paths: readonly VaultPath[]): Promise<readonly VaultPath[]> {
    if (paths.length === 0) return [];
    const { storage, run, known, maxBytes, partsOf } = this.#context;
    const missing = new Set(paths);
    let writes: FileWrite[] = [];
    // A batch may take long, and a caller that sees no progress gives up.
    const report = (): void => run.report({ done: paths.length - missing.size, total: paths.length });
    for await (const batch of storage.readMany(paths, { limit: maxBytes })) {
      // The first unusual frontmatter loads a slow YAML parser; a batch must not keep a `ping` waiting.
      const slice = new TimeSlice(undefined, report);
      for (const read of batch) {
        const path = isUnreadable(read) ? read.path : read.stat.path;
        missing.delete(path);
        writes.push(await writeOf(read, known.get(path), partsOf(path), this.#context, slice));
        if (slice.isOver) await slice.yield();
      }
      if (writes.length >= FILES_A_WRITE) {
        await this.#store(writes, [], report);
        writes = [];
      }
      report();
    }
    const gone = [...missing].filter((path) => known.get(path) !== undefined);
    await this.#store(writes, gone, report);
    return gone;
  }

  async #store(
    writes: readonly FileWrite[],
    gone: readonly VaultPath[],
    onStored: () => void = () => {},
  ): Promise<void> {
    if (writes.length === 0 && gone.length === 0) return;
    const { store, known } = this.#context;
    await store.put(writes, gone, onStored);
    for (const { file, isAddition } of writes) {
      const before = known.get(file.path);
      if (!isAddition || !before) this.hasChanged = true;
      known.set(file.path, isAddition ? { ...file, parts: file.parts | (before?.parts ?? 0) } : file);
    }
    for (const path of gone) this.hasChanged = known.delete(path) || this.hasChanged;
  }
}

/** What can be stored of a file. */
function partsFor(path: VaultPath, subjects: readonly Subject[]): number {
  if (isNote(path)) return ALL_PARTS;
  let parts = 0;
  for (const [number, { wants }] of subjects.entries()) if (wants?.(path)) parts |= partOf(number);
  return parts;
}

/** Whether some of these parts must still be stored. */
export function lacks(
  { path, parts: stored, unreadable }: KnownFile,
  parts: number,
  subjects: readonly Subject[],
): boolean {
  const missing = parts & ~stored;
  return missing !== 0 && !unreadable && (missing & partsFor(path, subjects)) !== 0;
}

/** Of all files but conflict copies and what is in `node_modules`. */
const listsFile = (path: VaultPath, kind: "file" | "folder"): boolean => isListed(path, kind, () => true);

/**
 * The rows of a file that was read.
 * @param known with the same stamp, if its rows are stored and only parts are missing
 */
export async function writeOf(
  read: StoredFile | UnreadableFile,
  known: KnownFile | undefined,
  parts: number,
  context: ReadingContext,
  slice: TimeSlice,
): Promise<FileWrite> {
  if (isUnreadable(read)) {
    const stat = { path: read.path, size: 0, modified: 0, created: 0, stamp: [] };
    const file = { ...knownFile(stat, true, ALL_PARTS, context), settled: false };
    return { file, problems: unreadableProblems(read.path, read.error), isAddition: false, rows: [] };
  }
  const { stat } = read;
  const wanted = parts & partsFor(stat.path, context.subjects);
  const file = knownFile(stat, false, wanted, context);
  const isAddition = known?.settled === true && !known.unreadable && hasStamp(known, stat.stamp);
  const missing = wanted & ~(isAddition ? known.parts : 0);
  const { note, problems } = noteSource(read);
  const words = (missing & HAS_WORDS) !== 0 && { words: await wordsOf(note, context.subjects, slice) };
  const rows = note
    ? await rowsOf(note, { ...context.about, hidden: file.hidden }, missing, context.subjects, slice)
    : [];
  return { file, problems, isAddition, rows, ...words };
}

async function rowsOf(
  note: NoteSource,
  about: RowContext,
  missing: number,
  subjects: readonly Subject[],
  slice: TimeSlice,
): Promise<FileWrite["rows"]> {
  const found: [part: number, rows: Rows][] = [];
  for (const [number, subject] of subjects.entries()) {
    if (missing & partOf(number)) found.push([partOf(number), (await subject.read(note, about, slice)) ?? {}]);
    if (missing & HAS_LATER && subject.readLater)
      found.push([HAS_LATER, (await subject.readLater(note, about, slice)) ?? {}]);
    if (slice.isOver) await slice.yield();
  }
  return found;
}

/** Of larger notes and files that are no text, only the other fields are searched. */
async function wordsOf(
  note: NoteSource | undefined,
  subjects: readonly Subject[],
  slice: TimeSlice,
): Promise<FileWords> {
  const text = note === undefined || note.truncated ? "" : note.text.slice(splitNote(note.text).bodyStart);
  const searched = note === undefined ? [] : subjects.map((subject) => subject.searched?.(note) ?? "");
  return { body: await wordsIn(text, slice), fields: await wordsIn(searched.join("\n"), slice) };
}

function knownFile(stat: FileStat, unreadable: boolean, parts: number, context: ReadingContext): KnownFile {
  const { storage, startedAt, rules } = context;
  const settled = !isRacy(stat, startedAt, storage.stampGranularity);
  const { path } = stat;
  return { path, stat: statText(stat), isNote: isNote(path), hidden: rules.ignores(path), unreadable, settled, parts };
}
