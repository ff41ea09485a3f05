/** The index of a vault's files, refreshed before every answer at the cost of what changed. */
import { Coalesced, type Run } from "../async/coalesce.js";
import { Deferred, keepAlive } from "../async/timers.js";
import { isDamage, type StoreLocation } from "../cache/cache-database.js";
import { type Clock, machineTime } from "../clock.js";
import { SqliteError } from "../sqlite.js";
import type { Log } from "../log.js";
import { IgnoreRules } from "../obsidian/ignore.js";
import { changedFolders, type ParaFolders } from "../obsidian/para.js";
import type { SettingsKeeper, VaultSettings } from "../obsidian/settings.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage, UnlistedEntry } from "../storage/storage.js";
import { hashText } from "../text/hash.js";
import { ChangeWatch, type DirtyPaths } from "./change-watch.js";
import { completeRows, verifiedRows } from "./complete-rows.js";
import { type FilesByPath, HAS_LATER, HAS_WORDS, partOf } from "./file-stamps.js";
import { type Progress, type ReadingContext, Refresh, type RefreshOptions } from "./refresh.js";
import { IndexStore } from "./store.js";
import type { Subject } from "./subject.js";
import { closedPlaces } from "../obsidian/unlisted.js";
import { IndexView } from "./view.js";

export interface VaultIndexOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly subjects: readonly Subject[];
  readonly settings: SettingsKeeper;
  readonly para: () => Promise<ParaFolders>;
  /** Default: in memory. */
  readonly cache?: { readonly folder: string; readonly edition: string } | undefined;
  /** Larger files are not read whole; default: no limit. */
  readonly maxBytes?: number;
  readonly log: Log;
}

const STORE_DELAY_MS = 500;
/** A disk that is full or may not be written to is tried again after this. */
const RETRY_AFTER_MS = 5 * 60_000;

export class VaultIndex {
  readonly #options: VaultIndexOptions;
  readonly #runs: Coalesced<IndexView, Progress>;
  readonly #known: FilesByPath = new Map();
  #store: Promise<IndexStore> | undefined;
  #epoch = "";
  #used: object | undefined;
  /** Found between answers; the next refresh builds the index again. */
  #damage: SqliteError | undefined;
  /** Undefined: all are verified. */
  #verifiedUpTo: number | undefined = 0;
  /** While the database in the cache folder cannot be used: when to try it again. */
  #inMemoryUntil: number | undefined;
  /** What callers need from now on. A refresh stores what was asked for before it began. */
  #parts = 0;
  /** The same of these notes: rows of `Subject.readLater`. */
  readonly #laterOf = new Set<VaultPath>();
  /** Notes with later rows in the last view; -1: all. */
  #laterSeen = 0;
  #view: IndexView | undefined;
  /** Somebody asks for the vault as it is now. */
  #asksForNow = false;
  #settings: VaultSettings | undefined;
  #rules: IgnoreRules | undefined;
  #para: ParaFolders | undefined;
  #unlisted: readonly UnlistedEntry[] = [];
  #isSession = false;
  #isEnding = false;
  #watch: ChangeWatch | undefined;
  readonly #later = new Deferred(() => void this.#completeRows());
  #completing: Promise<void> | undefined;

  constructor(options: VaultIndexOptions) {
    this.#options = options;
    this.#runs = new Coalesced((run) => this.#refresh(run));
  }

  /**
   * The index as of the time of the call.
   * @throws VaultError UNAVAILABLE where this machine has no SQLite
   */
  async refresh(options: RefreshOptions = {}): Promise<IndexView> {
    this.#parts |= this.#partsOf(options);
    this.#asksForNow ||= options.asOf === undefined || options.asOf !== this.#view?.generation;
    if (Array.isArray(options.later)) for (const path of options.later) this.#laterOf.add(path);
    return this.#runs.join(options);
  }

  #partsOf({ rows, words = false, later = false }: RefreshOptions): number {
    let parts = (words ? HAS_WORDS : 0) | (later === true ? HAS_LATER : 0);
    for (const [number, { name, isRare = false }] of this.#options.subjects.entries())
      if (rows?.includes(name) ?? !isRare) parts |= partOf(number);
    return parts;
  }

  /**
   * Refreshes and answers. Runs `work` again when the database proves damaged.
   * @throws what `work` throws
   */
  async ask<Result>(options: RefreshOptions, work: (view: IndexView) => Result | Promise<Result>): Promise<Result> {
    const view = await this.refresh(options);
    try {
      return await work(view);
    } catch (error) {
      await this.#replaceStore(error, view.database);
      return await work(await this.refresh(options));
    }
  }

  get latest(): IndexView | undefined {
    return this.#view;
  }

  /** For long-lived processes: follows the storage's change feed instead of sweeping, and completes rows. */
  startSession(): void {
    this.#isSession = true;
  }

  /** For processes that end. Call after the last answer. */
  async save(): Promise<void> {
    // Also after a refresh whose caller gave up: the next process would be as slow.
    await this.#runs.idle();
    this.#isEnding = true;
    if (this.#completing) await keepAlive(this.#completing);
  }

  async close(): Promise<void> {
    this.#isSession = false;
    this.#isEnding = true;
    this.#later.cancel();
    this.#watch?.stop();
    await this.#runs.idle();
    if (this.#completing) await keepAlive(this.#completing);
    await this.#closeStore();
  }

  async #refresh(run: Run<Progress>): Promise<IndexView> {
    const watch = this.#following();
    const isForNow = this.#asksForNow;
    this.#asksForNow = false;
    const dirty = (await watch?.take()) ?? (isForNow ? "everything" : new Set<VaultPath>());
    try {
      await this.#currentSettings();
      if (this.#damage) await this.#replaceStore(this.#damage, this.#used);
      return await this.#resolve(dirty, run).catch(async (error: unknown) => {
        await this.#replaceStore(error, this.#used);
        return await this.#resolve("everything", run);
      });
    } catch (error) {
      watch?.giveBack(dirty);
      this.#asksForNow ||= isForNow;
      throw error;
    } finally {
      if (this.#isSession) this.#later.in(STORE_DELAY_MS);
    }
  }

  /** Starts before the first sweep, which makes the storage watch every listed folder. */
  #following(): ChangeWatch | undefined {
    const { storage, log } = this.#options;
    if (this.#isSession && storage.changes && storage.announcesLate !== true)
      this.#watch ??= new ChangeWatch(storage, log);
    return this.#watch;
  }

  /** Another meaning of settings has a database of its own. */
  async #currentSettings(): Promise<void> {
    const settings = await this.#options.settings.current();
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#rules = new IgnoreRules(settings);
    const epoch = this.#epochOf(settings);
    if (epoch !== this.#epoch) await this.#closeStore();
    this.#epoch = epoch;
    this.#view = undefined;
  }

  /** Of what decides about rows besides files and folders. */
  #epochOf(settings: VaultSettings): string {
    const { cache, subjects } = this.#options;
    const hiding = [settings.templateFolders, settings.ignoreFilters.map(({ entry }) => entry)];
    const meanings = subjects.map((subject) => [subject.name, subject.version, subject.epoch?.(settings)]);
    return hashText(JSON.stringify([cache?.edition, hiding, meanings]));
  }

  get #place(): StoreLocation {
    const { storage, cache, clock } = this.#options;
    return { folder: cache?.folder, identity: storage.identity, epoch: this.#epoch, clock };
  }

  #open(): Promise<IndexStore> {
    const { subjects, log, cache } = this.#options;
    this.#store ??= IndexStore.open(this.#place, subjects, log).then(
      (store) => {
        if (cache && store.isInMemory) this.#inMemoryUntil = performance.now() + RETRY_AFTER_MS;
        return store;
      },
      (error: unknown) => {
        this.#store = undefined;
        throw error;
      },
    );
    return this.#store;
  }

  async #opened(): Promise<IndexStore | undefined> {
    return await this.#store?.catch(() => undefined);
  }

  async #closeStore(): Promise<void> {
    (await this.#opened())?.close();
    this.#forgetStore();
  }

  #forgetStore(): void {
    this.#store = undefined;
    this.#known.clear();
    this.#para = undefined;
    this.#view = undefined;
    this.#inMemoryUntil = undefined;
    this.#damage = undefined;
    this.#verifiedUpTo = 0;
  }

  /**
   * After a failure of the database: a damaged one is built again, one that is locked or cannot be written is replaced
   * by one in memory for this call, or for a while.
   * @param used the database that failed; another caller may have replaced it
   * @throws `error` when it is another failure
   */
  async #replaceStore(error: unknown, used: object | undefined): Promise<void> {
    const failed = await this.#opened();
    if (!(error instanceof SqliteError)) throw error;
    if (failed?.database !== used) return;
    if (failed?.isInMemory !== false) throw error;
    const { log, subjects } = this.#options;
    const damaged = isDamage(error);
    log.warn(
      damaged
        ? "the index in the cache folder is damaged; it is built again"
        : "the index in the cache folder cannot be used; this process keeps its own in memory",
      { failure: error.failure },
    );
    if (damaged) failed.discard();
    else failed.close();
    this.#forgetStore();
    if (damaged) return;
    this.#store = (async () => IndexStore.inMemory(this.#place, subjects))();
    this.#inMemoryUntil = error.failure === "busy" ? 0 : performance.now() + RETRY_AFTER_MS;
  }

  /** If that can be used again. */
  async #leaveMemory(): Promise<void> {
    const { subjects, log } = this.#options;
    const store = await IndexStore.open(this.#place, subjects, log);
    if (store.isInMemory || !store.isFree) {
      store.close();
      if (this.#inMemoryUntil !== 0) this.#inMemoryUntil = performance.now() + RETRY_AFTER_MS;
      return;
    }
    await this.#closeStore();
    this.#store = Promise.resolve(store);
  }

  async #resolve(dirty: DirtyPaths, run: Run<Progress>): Promise<IndexView> {
    // The call that failed is answered first.
    if (this.#inMemoryUntil !== undefined && this.#view && performance.now() >= this.#inMemoryUntil)
      await this.#leaveMemory();
    const store = await this.#open();
    this.#used = store.database;
    let hasChanged = this.#learn(store);
    const isSweep = dirty === "everything" || this.#view === undefined;
    const moved = await this.#followPara(store);
    const parts = this.#parts;
    const later = parts & HAS_LATER ? -1 : this.#laterOf.size;
    const refresh = new Refresh({
      ...this.#reading(this.#settings as VaultSettings, this.#para as ParaFolders),
      store,
      known: this.#known,
      partsOf: (path) => (this.#laterOf.has(path) ? parts | HAS_LATER : parts),
      unlisted: this.#unlisted,
      run,
    });
    if (isSweep || moved.length > 0) await refresh.everything();
    else {
      await refresh.paths(new Set([...dirty, ...this.#doubtful(), ...closedPlaces(this.#unlisted)]));
      await refresh.incomplete();
    }
    await store.makeIndexes(parts, () => run.reportAgain());
    // Temporary tables of the last view lack the rows that were added.
    hasChanged ||= later !== this.#laterSeen;
    this.#laterSeen = later;
    hasChanged ||= refresh.hasChanged || JSON.stringify(refresh.unlisted) !== JSON.stringify(this.#unlisted);
    this.#unlisted = refresh.unlisted;
    return this.#currentView(store, parts, hasChanged);
  }

  /** Takes over what other processes stored. */
  #learn(store: IndexStore): boolean {
    let hasChanged = false;
    for (const { path, file } of store.changed()) {
      hasChanged = true;
      if (file) this.#known.set(path, file);
      else this.#known.delete(path);
    }
    return hasChanged;
  }

  /** Files whose rows nothing proves. */
  #doubtful(): VaultPath[] {
    const doubtful = [...this.#known.values()].filter(({ settled, unreadable }) => !settled || unreadable);
    return doubtful.map(({ path }) => path);
  }

  /** Rows depend on PARA folders. @returns those that came or went since rows were stored */
  async #followPara(store: IndexStore): Promise<readonly VaultPath[]> {
    const para = await this.#options.para();
    // The same object shows that nothing changed.
    if (JSON.stringify(para) !== JSON.stringify(this.#para)) this.#para = para;
    const changed = await store.follow(JSON.stringify(para), (before) => changedFolders(para, storedFolders(before)));
    if (changed.length > 0) this.#learn(store);
    return changed;
  }

  /** @param parts that are stored: a caller may have asked for others meanwhile */
  #currentView(store: IndexStore, parts: number, hasChanged: boolean): IndexView {
    const stored = this.#options.subjects.flatMap(({ name }, number) => (parts & partOf(number) ? [name] : []));
    if (!this.#view || hasChanged || this.#view.para !== this.#para || !stored.every((name) => this.#view?.holds(name)))
      this.#view = new IndexView({
        generation: hasChanged || !this.#view ? (this.#generation += 1) : this.#generation,
        settings: this.#settings as VaultSettings,
        para: this.#para as ParaFolders,
        unlisted: this.#unlisted,
        known: this.#known,
        store,
        stored: new Set(stored),
        tables: new Map(
          this.#options.subjects.flatMap(({ name, tables }) => tables.map((table) => [table.name, name])),
        ),
      });
    return this.#view;
  }

  #generation = 0;

  async #completeRows(): Promise<void> {
    await (this.#completing ??= this.#completeAll());
    this.#completing = undefined;
  }

  async #completeAll(): Promise<void> {
    const { subjects, log } = this.#options;
    const parts = this.#partsOf({ rows: subjects.map(({ name }) => name), words: true, later: true });
    const context = (): ReadingContext | undefined => this.#view && this.#reading(this.#view.settings, this.#view.para);
    try {
      await completeRows(this.#known, parts, { context, store: () => this.#open(), isOver: () => this.#isEnding });
    } catch (error) {
      log.debug("the words of some notes were not stored", { error: String(error) });
    }
    await this.#verifyAll();
  }

  /** Once a session, because SQLite does not detect damage to the content of pages. */
  async #verifyAll(): Promise<void> {
    const store = await this.#opened();
    if (!store || store.isInMemory) return;
    try {
      for await (const last of verifiedRows(store, this.#verifiedUpTo, () => this.#isEnding)) {
        // It may have been replaced meanwhile.
        if (store !== (await this.#opened())) return;
        this.#verifiedUpTo = last;
      }
    } catch (error) {
      if (store === (await this.#opened()) && error instanceof SqliteError && isDamage(error)) this.#damage = error;
      this.#options.log.debug("the rows of some files were not verified", { error: String(error) });
    }
  }

  #reading(settings: VaultSettings, para: ParaFolders): ReadingContext {
    const { storage, subjects, maxBytes = Infinity } = this.#options;
    const rules = this.#rules as IgnoreRules;
    return { storage, subjects, rules, about: { settings, para }, startedAt: machineTime(), maxBytes };
  }
}

/** @throws SqliteError `corrupt` */
function storedFolders(text: string): ParaFolders {
  try {
    return JSON.parse(text) as ParaFolders;
  } catch (error) {
    throw new SqliteError("corrupt", error);
  }
}
