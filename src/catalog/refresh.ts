/** One refresh: compares the catalog's rows with the storage, by a sweep or by its dirty paths, and reads what changed. */
import { isVaultError } from "../errors.js";
import { folderOf, ROOT, type VaultPath } from "../storage/path.js";
import { isUnreadable, type FileStat, type ListOptions, type PassedOver, type Stamp } from "../storage/storage.js";
import { type Entry, noContent, type CatalogTable, type RowChanges } from "./table.js";
import { countingReaders, type DigestCounts } from "./readers.js";
import { EntrySource, type SourceContext } from "./entry-source.js";
import { HEAD_BYTES } from "./read-note.js";
import type { Progress, RefreshOptions } from "./catalog.js";
import { isListed } from "./ignore.js";
import { placeOf } from "./unlisted.js";
import type { Run } from "../async/coalesce.js";
import { TimeSlice } from "../async/yield-to-loop.js";

/** With more unknown or vanished paths than this, a listing costs less than looking for each. */
const MAX_LOST = 8;

export interface RefreshContext extends SourceContext {
  readonly table: CatalogTable;
  /** What the storage did not list when it was last looked at. */
  readonly passedOver: readonly PassedOver[];
  readonly run: Run<Progress>;
  readonly onRead: NonNullable<RefreshOptions["onRead"]>;
}

export class Refresh {
  readonly #context: RefreshContext;
  readonly #changes = new Map<VaultPath, Entry | undefined>();
  /** Notes whose content is unchanged, but whose stamp now proves it. */
  newlySettled = 0;
  #source: EntrySource;
  #passedOver: readonly PassedOver[];
  #counts: DigestCounts = new Map();

  constructor(context: RefreshContext) {
    this.#context = context;
    this.#source = new EntrySource(context);
    this.#passedOver = context.passedOver;
  }

  /** What the storage does not list, as far as this refresh looked. */
  get passedOver(): readonly PassedOver[] {
    return this.#passedOver;
  }

  /** What was counted of all files, if this refresh read them all. */
  get counts(): DigestCounts {
    return this.#counts;
  }

  /** All files of a vault that this process looks at for the first time; reads those that no snapshot proves. */
  async first(): Promise<Entry[]> {
    const { snapshots, coverage } = this.#context;
    const readAll = snapshots.length === 0 && !coverage.files ? await this.#readAll() : undefined;
    return readAll ?? this.#compare();
  }

  /**
   * Reads every file without a stat beforehand: opening a file gives the same stat. Undefined where the storage cannot do that, and when a
   * file was missing or unreadable: then stats tell why.
   */
  async #readAll(): Promise<Entry[] | undefined> {
    const { storage, run } = this.#context;
    if (!storage.paths) return undefined;
    const passedOver: PassedOver[] = [];
    const onPassedOver = (what: PassedOver): void => void passedOver.push(what);
    const paths: VaultPath[] = [];
    for await (const batch of storage.paths({ wants: this.#isListed, onPassedOver })) {
      for (const path of batch) paths.push(path);
      run.report({ done: paths.length, total: undefined });
    }
    const entries: Entry[] = [];
    const { readers, coverage, rules } = this.#context;
    const counting = countingReaders(readers, coverage.facts, (path) => rules.ignores(path));
    this.#source = new EntrySource({ ...this.#context, readers: counting.readers });
    await this.#readEach(paths, (entry) => entries.push(entry));
    this.#passedOver = passedOver;
    const isComplete = entries.length === paths.length && !entries.some(({ content }) => content.unreadable);
    if (isComplete) this.#counts = counting.counts;
    return isComplete ? entries : undefined;
  }

  /** Looks at every file, and reads those whose stamp no snapshot knows. */
  async #compare(): Promise<Entry[]> {
    const entries: Entry[] = [];
    const stale: VaultPath[] = [];
    const take = (entry: Entry | undefined): boolean => entry !== undefined && entries.push(entry) > 0;
    const isKnown = (path: VaultPath, stamp: Stamp): boolean => take(this.#source.recall(path, stamp, undefined));
    await this.#sweep(isKnown, (stat) => take(this.#see(stat, stale)));
    await this.#readEach(stale, take);
    return entries;
  }

  /** Looks at every file. */
  async everything(): Promise<RowChanges> {
    const { table } = this.#context;
    const { entries } = table.rows;
    this.#changes.clear();
    const seen = new Uint8Array(entries.length);
    const stale: VaultPath[] = [];
    const isKnown = (path: VaultPath, stamp: Stamp): boolean => {
      const place = table.place(path);
      if (place !== undefined) seen[place] = 1;
      const row = place === undefined ? undefined : entries[place];
      return this.#change(path, this.#source.recall(path, stamp, row), row);
    };
    await this.#sweep(isKnown, (stat) => this.#change(stat.path, this.#see(stat, stale)));
    entries.forEach((entry, place) => {
      if (entry && seen[place] === 0) this.#changes.set(entry.path, undefined);
    });
    await this.#read(stale);
    return this.#changes;
  }

  /** Records what is known of a file, if that is not its present row. @returns whether anything is known */
  #change(path: VaultPath, entry: Entry | undefined, row?: Entry): boolean {
    if (entry && entry !== row) this.#changes.set(path, entry);
    return entry !== undefined;
  }

  /** The known entry of a file that is new or has changed; undefined when it must be read. */
  #see(stat: FileStat, stale: VaultPath[]): Entry | undefined {
    if (!this.#source.reads(stat.path)) return this.#source.ofStat(stat, noContent());
    stale.push(stat.path);
    return undefined;
  }

  readonly #keeps = (path: VaultPath): boolean => this.#source.keeps(path);

  readonly #isListed = (path: VaultPath, kind: "file" | "folder"): boolean => isListed(path, kind, this.#keeps);

  /** Looks only at the dirty paths, and below those that are folders. */
  async paths(dirty: ReadonlySet<VaultPath>): Promise<RowChanges> {
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

  /** Lists only these paths and what is below them: a note that is new, a folder that came, went or moved. */
  async #within(scope: ReadonlySet<VaultPath>): Promise<void> {
    const around = new Set<VaultPath>();
    for (const path of scope)
      for (let folder = path; folder !== ROOT; folder = folderOf(folder)) around.add(folderOf(folder));
    // This runs for every row, so nothing is allocated for each.
    const tops = [...scope].map((top) => ({ top, below: `${top}/` }));
    const inScope = (path: VaultPath): boolean => {
      for (const { top, below } of tops) if (path === top || path.startsWith(below)) return true;
      return false;
    };
    const gone = new Set<VaultPath>();
    for (const entry of this.#context.table.rows.entries) if (entry && inScope(entry.path)) gone.add(entry.path);
    const stale: VaultPath[] = [];
    const wants = (path: VaultPath, kind: "file" | "folder"): boolean =>
      isListed(path, kind, this.#keeps) && (inScope(path) || (kind === "folder" && around.has(path)));
    const passedOver = this.#passedOver.filter((what) => !inScope(placeOf(what)));
    const onPassedOver = (what: PassedOver): void => {
      if (inScope(placeOf(what))) passedOver.push(what);
    };
    for await (const batch of this.#list(wants, onPassedOver))
      for (const stat of batch) {
        gone.delete(stat.path);
        this.#changes.delete(stat.path);
        const row = this.#context.table.get(stat.path);
        this.#change(stat.path, this.#source.recall(stat.path, stat.stamp, row) ?? this.#see(stat, stale), row);
      }
    this.#passedOver = passedOver;
    for (const path of gone) this.#changes.set(path, undefined);
    await this.#read(stale);
  }

  /**
   * Whether a path may be a folder: an attachment that changed is none, although no row is kept for it; what cannot be looked at may be
   * anything.
   */
  async #mayHoldFiles(path: VaultPath): Promise<boolean> {
    const { storage, table } = this.#context;
    // Names come and go: editors that save safely write a temporary file first.
    if (await storage.isVacant?.(path)) return table.holdsBelow(path) || this.#passedOver.some(isAtOrBelow(path));
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
    onPassedOver: (what: PassedOver) => void,
    more: Pick<ListOptions, "isKnown"> = {},
  ): AsyncIterable<readonly FileStat[]> {
    const { storage } = this.#context;
    return storage.list({ wants, onPassedOver, ...more });
  }

  /** Lists every file; `look` is called for those that `isKnown` does not know. */
  async #sweep(isKnown: (path: VaultPath, stamp: Stamp) => boolean, look: (stat: FileStat) => void): Promise<void> {
    const passedOver: PassedOver[] = [];
    let done = 0;
    const ask = (path: VaultPath, stamp: Stamp): boolean => {
      const known = isKnown(path, stamp);
      if (known) done++;
      return known;
    };
    for await (const batch of this.#list(this.#isListed, (what) => passedOver.push(what), { isKnown: ask })) {
      // A storage need not call `isKnown`.
      for (const stat of batch) if (!isKnown(stat.path, stat.stamp)) look(stat);
      done += batch.length;
      this.#context.run.report({ done, total: undefined });
    }
    this.#passedOver = passedOver;
  }

  async #read(paths: readonly VaultPath[]): Promise<void> {
    const { table } = this.#context;
    const found = new Uint8Array(table.rows.entries.length);
    await this.#readEach(paths, (entry) => {
      const place = table.place(entry.path);
      if (place !== undefined) found[place] = 1;
      this.#take(entry);
    });
    for (const path of paths) {
      const place = table.place(path);
      if (place !== undefined && found[place] === 0 && table.get(path)) this.#changes.set(path, undefined);
    }
  }

  /** Reads each file; those that vanished meanwhile are left out. */
  async #readEach(paths: readonly VaultPath[], take: (entry: Entry) => void): Promise<void> {
    if (paths.length === 0) return;
    const { storage, run, readers, coverage, maxBytes, onRead } = this.#context;
    const limit = readers.needWhole(coverage.facts) ? Math.max(maxBytes, HEAD_BYTES) : HEAD_BYTES;
    let done = 0;
    for await (const batch of storage.readMany(paths, { limit })) {
      // The first notes with unusual frontmatter load a YAML parser and take far longer; a batch of them must not keep a `ping` waiting.
      const slice = new TimeSlice();
      for (const file of batch) {
        const entry = this.#source.ofFile(file);
        take(entry);
        if (!isUnreadable(file)) onRead({ stat: entry.stat, bytes: file.bytes });
        if (slice.isOver) await slice.yield();
      }
      done += batch.length;
      run.report({ done, total: paths.length });
    }
  }

  /** Replaces a row only if the new entry differs, so that no caller takes it for a change. */
  #take(entry: Entry): void {
    const known = this.#context.table.get(entry.path);
    if (known?.sameAs(entry)) {
      if (entry.settled && !known.settled) this.newlySettled++;
      known.settled = entry.settled;
      this.#changes.delete(entry.path);
    } else this.#changes.set(entry.path, entry);
  }
}

function isAtOrBelow(path: VaultPath): (what: PassedOver) => boolean {
  return (what) => {
    const place = placeOf(what);
    return place === path || place.startsWith(`${path}/`);
  };
}
