/** One refresh: compares the catalog's rows with the storage, by a sweep or by the paths in doubt, and reads what changed. */
import { isVaultError } from "../errors.js";
import { folderOf, isMarkdown, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import {
  isUnreadable,
  type FileStat,
  type PassedOver,
  type Storage,
  type StoredFile,
  type UnreadableFile,
} from "../storage/storage.js";
import { Entry } from "./catalog-entry.js";
import { HEAD_BYTES, readContent, unreadableContent } from "./catalog-read.js";
import type { CatalogTable, RowChanges } from "./catalog-table.js";
import type { FactReader, Progress } from "./catalog.js";
import { isListed, type IgnoreRules } from "./ignore.js";
import type { Run } from "./shared-runs.js";
import type { SnapshotRows } from "./snapshot.js";

/** More unknown or vanished paths than this are not worth looking for one by one. */
const MAX_LOST = 8;
/** Milliseconds of reading notes before others get their turn. */
const SLICE = 10;

export interface RefreshContext {
  readonly storage: Storage;
  readonly readers: readonly FactReader<unknown>[];
  readonly table: CatalogTable;
  readonly rules: IgnoreRules;
  /** What the storage did not list when it was last looked at. */
  readonly passedOver: readonly PassedOver[];
  /** A moment not later than the first look at a file, in the storage's time. */
  readonly look: number;
  readonly run: Run<Progress>;
}

export class Refresh {
  readonly #context: RefreshContext;
  readonly #changes = new Map<VaultPath, Entry | undefined>();
  /** Notes that say what they said, but whose stamp now proves it. */
  newlySettled = 0;
  #passedOver: readonly PassedOver[];

  constructor(context: RefreshContext) {
    this.#context = context;
    this.#passedOver = context.passedOver;
  }

  /** What the storage does not list, as far as this refresh looked. */
  get passedOver(): readonly PassedOver[] {
    return this.#passedOver;
  }

  /** All notes of a vault that this process has not looked at yet; reads those that the snapshot does not vouch for. */
  async first(snapshot: SnapshotRows | undefined): Promise<Entry[]> {
    const { rules } = this.#context;
    const entries: Entry[] = [];
    const stale: VaultPath[] = [];
    await this.#sweep((stat) => {
      const content = snapshot?.contentOf(stat);
      if (content) entries.push(new Entry(stat, content, true, rules.ignores(stat.path)));
      else stale.push(stat.path);
    });
    await this.#readEach(stale, (entry) => entries.push(entry));
    return entries;
  }

  /** Looks at every note. */
  async everything(): Promise<RowChanges> {
    const { table } = this.#context;
    const { entries } = table.rows;
    this.#changes.clear();
    const seen = new Uint8Array(entries.length);
    const stale: VaultPath[] = [];
    await this.#sweep((stat) => {
      const place = table.place(stat.path);
      if (place !== undefined) seen[place] = 1;
      if (place === undefined || !entries[place]?.isProvenBy(stat)) stale.push(stat.path);
    });
    entries.forEach((entry, place) => {
      if (entry && seen[place] === 0) this.#changes.set(entry.path, undefined);
    });
    await this.#read(stale);
    return this.#changes;
  }

  /** Looks only at the paths in doubt, and below those that are folders. */
  async paths(doubted: ReadonlySet<VaultPath>): Promise<RowChanges> {
    const { table } = this.#context;
    if (doubted.has(ROOT)) return this.everything();
    const known = [...doubted].filter((path) => table.get(path) !== undefined);
    await this.#read(known);
    const lost = known.filter((path) => this.#changes.has(path) && this.#changes.get(path) === undefined);
    for (const path of doubted) if (table.get(path) === undefined && (await this.#mayHoldNotes(path))) lost.push(path);
    if (lost.length > MAX_LOST) return this.everything();
    if (lost.length > 0) await this.#within(new Set(lost));
    return this.#changes;
  }

  /** Lists only these paths and what is below them: a note that is new, a folder that came, went or moved. */
  async #within(scope: ReadonlySet<VaultPath>): Promise<void> {
    const around = new Set<VaultPath>();
    for (const path of scope)
      for (let folder = path; folder !== ROOT; folder = folderOf(folder)) around.add(folderOf(folder));
    // Every row is asked, so nothing is made anew for each.
    const tops = [...scope].map((top) => ({ top, below: `${top}/` }));
    const inScope = (path: VaultPath): boolean => {
      for (const { top, below } of tops) if (path === top || path.startsWith(below)) return true;
      return false;
    };
    const gone = new Set<VaultPath>();
    for (const entry of this.#context.table.rows.entries) if (entry && inScope(entry.path)) gone.add(entry.path);
    const stale: VaultPath[] = [];
    const wants = (path: VaultPath, kind: "file" | "folder"): boolean =>
      isListed(path, kind) && (inScope(path) || (kind === "folder" && around.has(path)));
    const passedOver = this.#passedOver.filter((what) => !inScope(placeOf(what)));
    const onPassedOver = (what: PassedOver): void => {
      if (inScope(placeOf(what))) passedOver.push(what);
    };
    for await (const batch of this.#list(wants, onPassedOver))
      for (const stat of batch) {
        gone.delete(stat.path);
        this.#changes.delete(stat.path);
        if (!this.#context.table.get(stat.path)?.isProvenBy(stat)) stale.push(stat.path);
      }
    this.#passedOver = passedOver;
    for (const path of gone) this.#changes.set(path, undefined);
    await this.#read(stale);
  }

  /** An attachment that changed is no folder and no note; what may not be looked at may be anything. */
  async #mayHoldNotes(path: VaultPath): Promise<boolean> {
    if (isMarkdown(path)) return true;
    try {
      return (await this.#context.storage.stat(path)) === undefined;
    } catch (error) {
      if (isVaultError(error, "PERMISSION_DENIED")) return true;
      throw error;
    }
  }

  #list(
    wants: (path: VaultPath, kind: "file" | "folder") => boolean,
    onPassedOver: (what: PassedOver) => void,
  ): AsyncIterable<readonly FileStat[]> {
    return this.#context.storage.list({ wants, onPassedOver, signal: this.#context.run.signal });
  }

  async #sweep(look: (stat: FileStat) => void): Promise<void> {
    let listed = 0;
    const passedOver: PassedOver[] = [];
    for await (const batch of this.#list(isListed, (what) => passedOver.push(what))) {
      for (const stat of batch) look(stat);
      listed += batch.length;
      this.#context.run.report({ done: listed, total: undefined });
    }
    this.#passedOver = passedOver;
  }

  async #read(paths: readonly VaultPath[]): Promise<void> {
    for (const path of paths) if (this.#context.table.get(path)) this.#changes.set(path, undefined);
    await this.#readEach(paths, (entry) => this.#take(entry));
  }

  /** What is gone meanwhile is left out. */
  async #readEach(paths: readonly VaultPath[], take: (entry: Entry) => void): Promise<void> {
    if (paths.length === 0) return;
    const { storage, run } = this.#context;
    let done = 0;
    for await (const batch of storage.readMany(paths, { limit: HEAD_BYTES, signal: run.signal })) {
      let turnedAt = performance.now();
      for (const file of batch) {
        take(this.#entryOf(file));
        if (performance.now() - turnedAt < SLICE) continue;
        // The first notes of odd frontmatter cost a hundred times what others do; a batch of them must not keep a `ping` waiting.
        await new Promise((resolve) => setImmediate(resolve));
        run.signal.throwIfAborted();
        turnedAt = performance.now();
      }
      done += batch.length;
      run.report({ done, total: paths.length });
    }
  }

  /** An entry that says what the old one said replaces nothing, so that no caller takes it for a change. */
  #take(entry: Entry): void {
    const known = this.#context.table.get(entry.path);
    if (known?.sameAs(entry)) {
      if (entry.settled && !known.settled) this.newlySettled++;
      known.settled = entry.settled;
      this.#changes.delete(entry.path);
    } else this.#changes.set(entry.path, entry);
  }

  #entryOf(file: StoredFile | UnreadableFile): Entry {
    const { storage, readers, rules } = this.#context;
    if (isUnreadable(file)) {
      const stat: FileStat = { path: file.path, size: 0, modified: 0, created: 0, stamp: [] };
      return new Entry(stat, unreadableContent(file.path, file.error), false, rules.ignores(file.path));
    }
    const settled = !isRacy(file.stat, this.#context.look, storage.stampGranularity);
    return new Entry(file.stat, readContent(file, readers), settled, rules.ignores(file.stat.path));
  }
}

/** Where it stands; no path that a storage may be asked for, unless it was passed over as `closed`. */
function placeOf({ folder, name }: PassedOver): VaultPath {
  return joinPath(folder, name);
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Whether the file may change again and keep its stamp: one of its times is within the granularity of the look, or after it
 * (a disk whose clock is ahead). The sizes, inodes and devices among the numbers are far from any time of day.
 */
function isRacy({ stamp, modified }: FileStat, look: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = look - granularity;
  if (modified >= earliest) return true;
  for (const value of stamp) if (value >= earliest && value < look + DAY) return true;
  return false;
}
