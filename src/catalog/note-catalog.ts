/** The catalog over a storage: brought up to date before every answer, kept between processes by a snapshot. */
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { PassedOver, Storage } from "../storage/storage.js";
import type { SnapshotStore } from "./snapshot/store.js";
import { Entry, CatalogTable, type EntryReplacement, type RowChanges } from "./table.js";
import { Digests, NO_READERS, Readers, type ReaderBits } from "./readers.js";
import { Refresh } from "./refresh.js";
import { type Coverage, RowsView } from "./view.js";
import type { Catalog, CatalogView, FactReader, Pauses, Progress, RefreshOptions } from "./catalog.js";
import { ChangeWatch, type DirtyPaths } from "./change-watch.js";
import { Deferred } from "../async/deferred.js";
import { FactBlocks } from "./packed-facts.js";
import { IgnoreRules } from "./ignore.js";
import { placeOf } from "./unlisted.js";
import type { SettingsKeeper, VaultSettings } from "./settings.js";
import { StatBlocks } from "./packed-stat.js";
import { Coalesced, type Run } from "../async/coalesce.js";
import { SnapshotKeeper } from "./snapshot/keeper.js";

export interface NoteCatalogOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly readers: readonly FactReader<unknown>[];
  readonly settings: SettingsKeeper;
  readonly snapshots: SnapshotStore | undefined;
  /** Bytes that are read of a file for readers that need whole files; default: all. */
  readonly maxBytes?: number;
  readonly log: Log;
}

const FIRST_SAVE_AFTER = 500;
/** A process that is killed loses at most the changes of this many milliseconds. */
const SAVE_AFTER = 60_000;

export class NoteCatalog implements Catalog {
  readonly #options: NoteCatalogOptions;
  readonly #readers: Readers;
  readonly #snapshots: SnapshotKeeper | undefined;
  readonly #runs: Coalesced<CatalogView, Progress>;
  /** Callers who look at what is read while they wait. */
  readonly #onlookers = new Set<NonNullable<RefreshOptions["onRead"]>>();
  readonly #table = new CatalogTable();
  /** What callers have requested so far; a refresh loads what was requested before it began. */
  #requested: Coverage = { facts: NO_READERS, files: false };
  /** What the rows are known to hold. */
  #loaded: Coverage = this.#requested;
  readonly #blocks = new FactBlocks();
  readonly #stats = new StatBlocks();
  readonly #digests = new Digests();
  #view: RowsView | undefined;
  #isViewCurrent = false;
  #arrangement = 0;
  /** Rows replaced since the view was made; undefined when more than single rows changed. */
  #replaced: readonly EntryReplacement[] | undefined;
  #settings: VaultSettings | undefined;
  #rules: IgnoreRules | undefined;
  #unreadable: readonly VaultPath[] = [];
  #passedOver: readonly PassedOver[] = [];
  #pauses: Pauses | undefined;
  #watch: ChangeWatch | undefined;
  readonly #keeping = new Deferred(() => void this.save());
  #saving: Promise<void> | undefined;

  constructor(options: NoteCatalogOptions) {
    this.#options = options;
    const { storage, snapshots } = options;
    this.#readers = new Readers(options.readers);
    this.#snapshots = snapshots && new SnapshotKeeper(snapshots, storage, this.#readers, options.log);
    this.#runs = new Coalesced((run) => this.#refresh(run));
  }

  async refresh(options: RefreshOptions = {}): Promise<CatalogView> {
    const { facts, files } = this.#requested;
    this.#requested = { facts: facts | this.#requestedBy(options), files: files || options.files === true };
    const { onRead } = options;
    if (!onRead) return this.#runs.join(options);
    this.#onlookers.add(onRead);
    return this.#runs.join(options).finally(() => this.#onlookers.delete(onRead));
  }

  #requestedBy({ facts }: RefreshOptions): ReaderBits {
    const bits = facts ? this.#readers.bitsOf(facts) : NO_READERS;
    // A snapshot knows which notes are templates only if some reader was shown them.
    const needsOne = bits === NO_READERS && this.#requested.facts === NO_READERS && (!facts || this.#snapshots);
    return needsOne ? this.#readers.bitsOf(this.#readers.all.slice(0, 1)) : bits;
  }

  get latest(): CatalogView | undefined {
    return this.#view;
  }

  liveOn({ firstSave = FIRST_SAVE_AFTER, save = SAVE_AFTER }: Partial<Pauses> = {}): void {
    this.#pauses = { firstSave, save };
  }

  async summary<Facts>(reader: FactReader<Facts>): Promise<unknown> {
    const position = this.#readers.position(reader);
    return this.#view?.covers(position) ? this.#digests.of(reader, this.#view) : this.#snapshots?.summary(position);
  }

  async save(): Promise<void> {
    // Also after a refresh whose caller gave up: if it was too slow for one caller, it would be for the next process too.
    await this.#runs.idle();
    await this.#saving;
    this.#saving = this.#save().catch((error: unknown) => {
      this.#options.log.debug("the catalog's snapshot was not made", { error: String(error) });
    });
    await this.#saving;
  }

  async #save(): Promise<void> {
    const view = this.#view;
    if (view) await this.#snapshots?.save(this.#table, (reader) => this.#digests.of(reader, view));
  }

  async close(): Promise<void> {
    this.#pauses = undefined;
    this.#keeping.cancel();
    this.#watch?.stop();
    await this.#runs.idle();
    await this.#saving;
  }

  async #refresh(run: Run<Progress>): Promise<CatalogView> {
    const watch = this.#following();
    const dirty = (await watch?.take()) ?? "everything";
    try {
      const { settings, rules } = await this.#currentRules();
      await this.#resolve(this.#view ? dirty : "everything", rules, run);
      this.#deferWork();
      return this.#currentView(settings);
    } catch (error) {
      watch?.giveBack(dirty);
      throw error;
    }
  }

  /** A process that lives on listens before its first look, which has every folder that it lists watched. */
  #following(): ChangeWatch | undefined {
    const { storage, log } = this.#options;
    if (this.#pauses && storage.changes && storage.announcesLate !== true)
      this.#watch ??= new ChangeWatch(storage, log);
    return this.#watch;
  }

  /** Looks at what may have changed and applies all changes at once, only when the look is complete. */
  async #resolve(dirty: DirtyPaths, rules: IgnoreRules, run: Run<Progress>): Promise<void> {
    const { storage, clock, maxBytes = Infinity } = this.#options;
    const [table, passedOver, coverage, readers] = [this.#table, this.#passedOver, this.#requested, this.#readers];
    const activated = coverage.facts & ~this.#loaded.facts;
    const look = clock.now();
    const snapshots = (await this.#snapshots?.load(activated)) ?? [];
    const refresh = new Refresh({
      storage,
      readers,
      coverage,
      snapshots,
      blocks: this.#blocks,
      stats: this.#stats,
      maxBytes,
      table,
      rules,
      passedOver,
      look,
      run,
      onRead: (file) => this.#onlookers.forEach((look) => look(file)),
    });
    if (this.#view) await this.#look(refresh, coverage, dirty);
    else this.#table.reset(await refresh.first());
    this.#digests.learn(refresh.counts);
    this.#takePassedOver(refresh);
    if (!this.#view) this.#noteUnreadable();
    if (!sameCoverage(coverage, this.#loaded)) this.#isViewCurrent = false;
    this.#loaded = coverage;
    this.#snapshots?.activate(activated, snapshots, table, (...digest) => this.#digests.remember(...digest));
  }

  async #look(refresh: Refresh, coverage: Coverage, dirty: DirtyPaths): Promise<void> {
    const unreadable = this.#unreadable;
    const changes =
      dirty === "everything" || !sameCoverage(coverage, this.#loaded)
        ? await refresh.everything()
        : await refresh.paths(new Set([...dirty, ...unreadable, ...closedPlaces(this.#passedOver)]));
    this.#snapshots?.count(changes, this.#table, refresh.newlySettled);
    this.#apply(changes);
    if (unreadable.length > 0 || [...changes.values()].some(isUnreadable)) this.#noteUnreadable();
  }

  #noteUnreadable(): void {
    const unreadable: VaultPath[] = [];
    for (const entry of this.#table.rows.entries) if (entry?.content.unreadable) unreadable.push(entry.path);
    this.#unreadable = unreadable;
  }

  #takePassedOver({ passedOver }: Refresh): void {
    if (JSON.stringify(passedOver) !== JSON.stringify(this.#passedOver)) this.#isViewCurrent = false;
    this.#passedOver = passedOver;
  }

  /** The current settings and their rules; when they changed, every row is judged anew. */
  async #currentRules(): Promise<{ readonly settings: VaultSettings; readonly rules: IgnoreRules }> {
    const settings = await this.#options.settings.current();
    if (this.#rules && settings === this.#settings) return { settings, rules: this.#rules };
    const rules = new IgnoreRules(settings);
    this.#apply(judgeAnew(this.#table, rules));
    [this.#settings, this.#rules, this.#isViewCurrent] = [settings, rules, false];
    return { settings, rules };
  }

  #apply(changes: RowChanges): void {
    if (changes.size === 0) return;
    const replaced = this.#table.replacements(changes);
    if (!replaced) this.#arrangement++;
    this.#replaced = replaced && this.#replaced?.concat(replaced);
    this.#table.apply(changes);
    this.#digests.drift(changes.size);
    this.#isViewCurrent = false;
  }

  #currentView(settings: VaultSettings): RowsView {
    if (!this.#view || !this.#isViewCurrent) {
      const state = {
        generation: (this.#view?.generation ?? 0) + 1,
        arrangement: this.#arrangement,
        settings,
        passedOver: this.#passedOver,
        readers: this.#readers,
        rows: this.#table.rows,
        coverage: this.#loaded,
      };
      this.#view = new RowsView(state, this.#view && this.#replaced && { view: this.#view, replaced: this.#replaced });
      this.#replaced = [];
    }
    this.#isViewCurrent = true;
    return this.#view;
  }

  /** Work that makes the next process faster waits until this answer is out. */
  #deferWork(): void {
    const [pauses, snapshots] = [this.#pauses, this.#snapshots];
    if (pauses && snapshots?.isWorthSaving(this.#table))
      this.#keeping.in(snapshots.lacksOne ? pauses.firstSave : pauses.save);
  }
}

function sameCoverage(one: Coverage, other: Coverage): boolean {
  return one.facts === other.facts && one.files === other.files;
}

/** Closed folders that may have become readable without an announcement: a parent's rights or the user's groups may have changed. */
function closedPlaces(passedOver: readonly PassedOver[]): VaultPath[] {
  return passedOver.filter(({ reason }) => reason === "closed").map(placeOf);
}

function isUnreadable(entry: Entry | undefined): boolean {
  return entry?.content.unreadable === true;
}

function judgeAnew(table: CatalogTable, rules: IgnoreRules): RowChanges {
  const changes = new Map<VaultPath, Entry>();
  for (const entry of table) {
    const judged = new Entry(entry.stat, entry.content, entry.settled, rules.ignores(entry.path));
    if (judged.hidden !== entry.hidden) changes.set(entry.path, judged);
  }
  return changes;
}
