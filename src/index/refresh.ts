/** One refresh: compares what is known with the storage, by a sweep or by dirty paths, and reads what changed. */
import { isVaultError } from "../errors.js";
import { folderOf, ROOT, type VaultPath } from "../storage/path.js";
import type { FileStat, ListOptions, UnlistedEntry, Stamp } from "../storage/storage.js";
import type { FactReader } from "./facts.js";
import type { FileChanges, FileTable, IndexedFile } from "./files.js";
import { FileSource, type SourceContext } from "./file-source.js";
import { HEAD_BYTES } from "./read-note.js";
import { isListed } from "../obsidian/ignore.js";
import { NO_KINDS } from "./readers.js";
import type { FileWords } from "./full-text.js";
import { placeOf } from "./unlisted.js";
import type { Run } from "../async/coalesce.js";
import { TimeSlice } from "../async/yield-to-loop.js";

export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
}

export interface RefreshOptions {
  /**
   * Readers whose facts the caller needs. Their first request makes them active. Default: the active ones (in a new
   * process the first one).
   */
  readonly facts?: readonly FactReader<unknown>[];
  /** Whether to keep other files than notes up to date from now on. */
  readonly files?: boolean;
  /** Whether to store the words of changed notes from now on. */
  readonly words?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** With more unknown or vanished paths, a listing is cheaper than looking for each. */
const MAX_LOST = 8;
const MIN_FILES_A_TRANSACTION = 200;

interface RefreshContext extends SourceContext {
  readonly table: FileTable;
  /** What the storage last failed to list. */
  readonly unlisted: readonly UnlistedEntry[];
  readonly run: Run<Progress>;
  /** Larger files are not read whole. */
  readonly maxBytes: number;
  /** `onStored` is called after each transaction. */
  readonly storeWords: (files: readonly FileWithWords[], onStored: () => void) => Promise<void>;
}

export interface FileWithWords {
  readonly file: IndexedFile;
  readonly words: FileWords;
}

export class Refresh {
  readonly #context: RefreshContext;
  readonly #changes = new Map<VaultPath, IndexedFile | undefined>();
  /** Unchanged files with new knowledge: a stamp now proves them, or they have words. */
  readonly confirmed: VaultPath[] = [];
  readonly #source: FileSource;
  #unlisted: readonly UnlistedEntry[];

  constructor(context: RefreshContext) {
    this.#context = context;
    this.#source = new FileSource(context);
    this.#unlisted = context.unlisted;
  }

  get unlisted(): readonly UnlistedEntry[] {
    return this.#unlisted;
  }

  async everything(): Promise<FileChanges> {
    const { table } = this.#context;
    this.#changes.clear();
    const gone = new Set<VaultPath>();
    for (const { path } of table) gone.add(path);
    const stale: VaultPath[] = [];
    const isKnown = (path: VaultPath, stamp: Stamp): boolean => {
      gone.delete(path);
      const known = table.get(path);
      return this.#change(path, this.#source.recall(path, stamp, known), known);
    };
    await this.#sweep(isKnown, (stat) => this.#change(stat.path, this.#see(stat, stale)));
    for (const path of gone) this.#changes.set(path, undefined);
    await this.#read(stale);
    return this.#changes;
  }

  #change(path: VaultPath, file: IndexedFile | undefined, known?: IndexedFile): boolean {
    if (file && file !== known) this.#changes.set(path, file);
    return file !== undefined;
  }

  /** Undefined when the file must be read. */
  #see(stat: FileStat, stale: VaultPath[]): IndexedFile | undefined {
    if (!this.#source.reads(stat.path)) return this.#source.ofStat(stat);
    stale.push(stat.path);
    return undefined;
  }

  readonly #keeps = (path: VaultPath): boolean => this.#source.keeps(path);

  readonly #isListed = (path: VaultPath, kind: "file" | "folder"): boolean => isListed(path, kind, this.#keeps);

  /** Refreshes these paths, and all below those that are folders. */
  async paths(dirty: ReadonlySet<VaultPath>): Promise<FileChanges> {
    const { table } = this.#context;
    if (dirty.has(ROOT)) return this.everything();
    const known = [...dirty].filter((path) => table.get(path) !== undefined);
    const legible = known.filter((path) => this.#source.reads(path));
    await this.#read(legible);
    const lost = legible.filter((path) => this.#changes.has(path) && this.#changes.get(path) === undefined);
    for (const path of dirty)
      if (table.get(path) === undefined ? await this.#mayHoldFiles(path) : !this.#source.reads(path)) lost.push(path);
    if (lost.length > MAX_LOST) return this.everything();
    if (lost.length > 0) await this.#within(new Set(lost));
    return this.#changes;
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
    const gone = new Set<VaultPath>();
    for (const { path } of this.#context.table) if (inScope(path)) gone.add(path);
    const stale: VaultPath[] = [];
    const wants = (path: VaultPath, kind: "file" | "folder"): boolean =>
      isListed(path, kind, this.#keeps) && (inScope(path) || (kind === "folder" && around.has(path)));
    const unlisted = this.#unlisted.filter((what) => !inScope(placeOf(what)));
    const onUnlisted = (what: UnlistedEntry): void => {
      if (inScope(placeOf(what))) unlisted.push(what);
    };
    for await (const batch of this.#list(wants, onUnlisted))
      for (const stat of batch) {
        gone.delete(stat.path);
        this.#changes.delete(stat.path);
        const known = this.#context.table.get(stat.path);
        this.#change(stat.path, this.#source.recall(stat.path, stat.stamp, known) ?? this.#see(stat, stale), known);
      }
    this.#unlisted = unlisted;
    for (const path of gone) this.#changes.set(path, undefined);
    await this.#read(stale);
  }

  /** A changed attachment is no folder, even if new; what cannot be examined may be one. */
  async #mayHoldFiles(path: VaultPath): Promise<boolean> {
    const { storage, table } = this.#context;
    // A vacant path is often the temporary file of an editor that saves safely.
    if (await storage.isVacant?.(path)) return table.holdsBelow(path) || this.#unlisted.some(isAtOrBelow(path));
    if (this.#keeps(path)) return true;
    try {
      return (await storage.stat(path)) === undefined;
    } catch (error) {
      if (isVaultError(error, "PERMISSION_DENIED")) return true;
      throw error;
    }
  }

  #list(
    wants: (path: VaultPath, kind: "file" | "folder") => boolean,
    onUnlisted: (what: UnlistedEntry) => void,
    more: Pick<ListOptions, "isKnown"> = {},
  ): AsyncIterable<readonly FileStat[]> {
    const { storage } = this.#context;
    return storage.list({ wants, onUnlisted, ...more });
  }

  /** Calls `look` for files that `isKnown` does not know. */
  async #sweep(isKnown: (path: VaultPath, stamp: Stamp) => boolean, look: (stat: FileStat) => void): Promise<void> {
    const unlisted: UnlistedEntry[] = [];
    let done = 0;
    const ask = (path: VaultPath, stamp: Stamp): boolean => {
      const known = isKnown(path, stamp);
      if (known) done++;
      return known;
    };
    for await (const batch of this.#list(this.#isListed, (what) => unlisted.push(what), { isKnown: ask })) {
      // A storage need not call `isKnown`.
      for (const stat of batch) if (!isKnown(stat.path, stat.stamp)) look(stat);
      done += batch.length;
      this.#context.run.report({ done, total: undefined });
    }
    this.#unlisted = unlisted;
  }

  /** Omits files that are gone meanwhile. */
  async #read(paths: readonly VaultPath[]): Promise<void> {
    if (paths.length === 0) return;
    const { storage, table, run, readers, coverage, maxBytes, storeWords } = this.#context;
    const limit = readers.needWhole(coverage.facts) ? Math.max(maxBytes, HEAD_BYTES) : HEAD_BYTES;
    const missing = new Set(paths);
    let withWords: FileWithWords[] = [];
    // A batch may take long, and a caller that sees no progress gives up.
    const report = (): void => run.report({ done: paths.length - missing.size, total: paths.length });
    for await (const batch of storage.readMany(paths, { limit })) {
      // The first unusual frontmatter loads a slow YAML parser; a batch must not keep a `ping` waiting.
      const slice = new TimeSlice(undefined, report);
      for (const read of batch) {
        const file = this.#source.ofFile(read);
        missing.delete(file.path);
        const words = await this.#source.words(read, file, slice);
        const taken = this.#take(file);
        if (words) withWords.push({ file: taken, words });
        if (slice.isOver) await slice.yield();
      }
      if (withWords.length >= MIN_FILES_A_TRANSACTION) {
        await storeWords(withWords, report);
        withWords = [];
      }
      report();
    }
    if (withWords.length > 0) await storeWords(withWords, report);
    for (const path of missing) if (table.get(path)) this.#changes.set(path, undefined);
  }

  /** Keeps an equal known file, so that no caller sees a change. @returns the one kept */
  #take(file: IndexedFile): IndexedFile {
    const known = this.#context.table.get(file.path);
    if (!known?.sameAs(file)) {
      if (known) file.number = known.number;
      this.#changes.set(file.path, file);
      return file;
    }
    // Nothing proved it, so the stored facts may be of another text.
    if (file !== known) known.stored = NO_KINDS;
    this.confirmed.push(file.path);
    known.settled = file.settled;
    this.#changes.delete(file.path);
    return known;
  }
}

function isAtOrBelow(path: VaultPath): (what: UnlistedEntry) => boolean {
  return (what) => {
    const place = placeOf(what);
    return place === path || place.startsWith(`${path}/`);
  };
}
