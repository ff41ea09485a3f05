/** The index of a vault's files, refreshed before every answer at the cost of what changed. */
import { Coalesced, type Run } from "../async/coalesce.js";
import { Deferred, keepAlive } from "../async/timers.js";
import type { Clock } from "../clock.js";
import { SqliteError } from "../database.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { UnlistedEntry, Storage } from "../storage/storage.js";
import { ChangeWatch, type DirtyPaths } from "./change-watch.js";
import { Digests, storedDigest } from "./digests.js";
import type { FactReader } from "./facts.js";
import { type FileChanges, FileTable, type IndexedFile } from "./files.js";
import { IgnoreRules } from "../obsidian/ignore.js";
import { IndexWriter } from "./index-writer.js";
import { NO_KINDS, type FactKinds, Readers, TEXT_WORDS } from "./readers.js";
import { type Progress, type FileWithWords, Refresh, type RefreshOptions } from "./refresh.js";
import type { SettingsKeeper, VaultSettings } from "../obsidian/settings.js";
import { type IndexPlace, IndexStore, statText, type StoredRow } from "./store.js";
import { isDamage } from "../cache/cache-database.js";
import { placeOf } from "./unlisted.js";
import { type Coverage, IndexView } from "./view.js";

export interface VaultIndexOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly readers: readonly FactReader<unknown>[];
  readonly settings: SettingsKeeper;
  /** Default: in memory. */
  readonly cache?: { readonly folder: string; readonly edition: string } | undefined;
  /** Larger files are not read whole; default: no limit. */
  readonly maxBytes?: number;
  readonly log: Log;
}

/** After an answer. */
const STORE_DELAY_MS = 500;

export class VaultIndex {
  readonly #options: VaultIndexOptions;
  readonly #readers: Readers;
  readonly #runs: Coalesced<IndexView, Progress>;
  readonly #table = new FileTable();
  #store: Promise<IndexStore> | undefined;
  /** By all callers so far. A refresh loads what was requested before it began. */
  #requested: Coverage = { facts: NO_KINDS, files: false };
  #loaded: Coverage = this.#requested;
  #view: IndexView | undefined;
  #isViewCurrent = false;
  #arrangement = 0;
  #settings: VaultSettings | undefined;
  #rules: IgnoreRules | undefined;
  #unreadable: readonly VaultPath[] = [];
  #unlisted: readonly UnlistedEntry[] = [];
  readonly #digests = new Digests();
  readonly #writer: IndexWriter;
  #isSession = false;
  /** Missing words are then left out. */
  #isEnding = false;
  #watch: ChangeWatch | undefined;
  readonly #later = new Deferred(() => void this.#storeAll());
  #storing: Promise<void> | undefined;

  constructor(options: VaultIndexOptions) {
    this.#options = options;
    this.#readers = new Readers(options.readers);
    this.#runs = new Coalesced((run) => this.#refresh(run));
    const { storage, clock, maxBytes = Infinity, log } = options;
    const [readers, table] = [this.#readers, this.#table];
    this.#writer = new IndexWriter({ storage, clock, readers, table, maxBytes, log, open: () => this.#open() });
  }

  /**
   * The index as of the time of the call.
   * @throws VaultError UNAVAILABLE where this machine has no SQLite
   */
  async refresh(options: RefreshOptions = {}): Promise<IndexView> {
    const { facts, files } = this.#requested;
    this.#requested = { facts: facts | this.#requestedBy(options), files: files || options.files === true };
    return this.#runs.join(options);
  }

  /**
   * Runs `work` again when the database proves damaged.
   * @throws what `work` throws
   */
  async search<Result>(options: RefreshOptions, work: (view: IndexView) => Promise<Result>): Promise<Result> {
    const view = await this.refresh({ ...options, words: true });
    try {
      return await work(view);
    } catch (error) {
      if (!(error instanceof SqliteError)) throw error;
      await this.#replaceStore(error);
      return await work(await this.refresh({ ...options, words: true }));
    }
  }

  #requestedBy({ facts, words }: RefreshOptions): FactKinds {
    const kinds = facts ? this.#readers.kindsOf(facts) : NO_KINDS;
    const isNothingKnown = !facts && this.#requested.facts === NO_KINDS;
    return (
      (isNothingKnown ? this.#readers.kindsOf(this.#readers.all.slice(0, 1)) : kinds) | (words ? TEXT_WORDS : NO_KINDS)
    );
  }

  /** The last view, without a refresh. */
  get latest(): IndexView | undefined {
    return this.#view;
  }

  /**
   * For long-lived processes: follows the storage's change feed, if any, instead of sweeping, and stores between
   * answers.
   */
  liveOn(): void {
    this.#isSession = true;
  }

  /**
   * The digest as of the last refresh, accurate to two percent of the files; before the first one, the stored digest,
   * however old. Costs no sweep.
   */
  async summary<Facts>(reader: FactReader<Facts>): Promise<unknown> {
    if (this.#view?.covers(reader)) return this.#digests.of(reader, this.#view);
    return storedDigest(reader, await this.#open());
  }

  /** Whether a stored path or fact contains the text. Costs no sweep. */
  async mayHold(text: string, readers: readonly FactReader<unknown>[]): Promise<boolean> {
    const store = await this.#open();
    try {
      const positions = this.#readers.positionsOf(this.#readers.kindsOf(readers));
      return store.holds(text, positions);
    } catch (error) {
      if (error instanceof SqliteError) return false;
      throw error;
    }
  }

  /** For processes that end: stores what was read. Call after the last answer. */
  async save(): Promise<void> {
    // Also after a refresh whose caller gave up: the next process would be as slow.
    await this.#runs.idle();
    this.#isEnding = true;
    if (this.#storing) await keepAlive(this.#storing);
    await (this.#storing = this.#storeFacts());
  }

  async close(): Promise<void> {
    this.#isSession = false;
    this.#isEnding = true;
    this.#later.cancel();
    this.#watch?.stop();
    await this.#runs.idle();
    if (this.#storing) await keepAlive(this.#storing);
    (await this.#opened())?.close();
    this.#store = undefined;
  }

  async #refresh(run: Run<Progress>): Promise<IndexView> {
    const watch = this.#following();
    const dirty = (await watch?.take()) ?? "everything";
    try {
      const { settings, rules } = await this.#currentRules();
      const store = await this.#resolve(dirty, rules, run).catch(async (error: unknown) => {
        await this.#replaceStore(error);
        return await this.#resolve("everything", rules, run);
      });
      if (this.#isSession) this.#later.in(STORE_DELAY_MS);
      return this.#currentView(settings, store);
    } catch (error) {
      watch?.giveBack(dirty);
      throw error;
    }
  }

  /** Starts before the first sweep, which makes the storage watch every listed folder. */
  #following(): ChangeWatch | undefined {
    const { storage, log } = this.#options;
    if (this.#isSession && storage.changes && storage.announcesLate !== true)
      this.#watch ??= new ChangeWatch(storage, log);
    return this.#watch;
  }

  get #place(): IndexPlace {
    const { storage, cache, clock } = this.#options;
    return { folder: cache?.folder, edition: cache?.edition ?? "", identity: storage.identity, clock };
  }

  #open(): Promise<IndexStore> {
    this.#store ??= IndexStore.open(this.#place, this.#readers, this.#options.log).catch((error: unknown) => {
      this.#store = undefined;
      throw error;
    });
    return this.#store;
  }

  async #opened(): Promise<IndexStore | undefined> {
    try {
      return await this.#store;
    } catch {
      return undefined;
    }
  }

  /** Continues in memory after a failure of the database. @throws `error` when it is another failure */
  async #replaceStore(error: unknown): Promise<void> {
    const failed = await this.#opened();
    if (!(error instanceof SqliteError) || failed?.isInMemory !== false) throw error;
    this.#options.log.warn("the index in the cache folder cannot be used; this process keeps its own in memory", {
      failure: error.failure,
    });
    if (isDamage(error)) failed.discard();
    else failed.close();
    this.#store = (async () => IndexStore.inMemory(this.#place, this.#readers))();
    for (const file of this.#table) {
      file.number = undefined;
      file.stored = NO_KINDS;
    }
    // The words of all notes are now missing.
    this.#loaded = { ...this.#loaded, facts: this.#loaded.facts & ~TEXT_WORDS };
  }

  /** Finds all changes, then applies them at once. */
  async #resolve(dirty: DirtyPaths, rules: IgnoreRules, run: Run<Progress>): Promise<IndexStore> {
    const { storage, clock, maxBytes = Infinity } = this.#options;
    const [table, coverage, readers, unlisted] = [this.#table, this.#requested, this.#readers, this.#unlisted];
    const startedAt = clock.now();
    const store = await this.#open();
    const { rows, facts, doubtful } = this.#stored(store, coverage.facts & ~this.#loaded.facts & ~TEXT_WORDS);
    const storeWords = (files: readonly FileWithWords[], onStored: () => void) =>
      this.#writer.storeWords(store, files, onStored);
    const refresh = new Refresh({
      storage,
      readers,
      coverage,
      rows,
      facts,
      rules,
      startedAt,
      table,
      unlisted,
      run,
      maxBytes,
      storeWords,
    });
    const changes =
      dirty === "everything" || !this.#view || !isSameCoverage(coverage, this.#loaded)
        ? await refresh.everything()
        : await refresh.paths(new Set([...dirty, ...doubtful, ...this.#unreadable, ...closedPlaces(unlisted)]));
    this.#apply(changes);
    const wanting = readers.wanting(coverage.facts);
    const gone = [...rows.values()].filter(
      ({ path, stat }) => stat !== "" && wanting(path) !== NO_KINDS && !table.get(path),
    );
    this.#writer.markUnsaved(changes, [...refresh.confirmed, ...gone.map(({ path }) => path)]);
    if (this.#unreadable.length > 0 || [...changes.values()].some((file) => file?.unreadable))
      this.#unreadable = [...table].filter(({ unreadable }) => unreadable).map(({ path }) => path);
    if (JSON.stringify(refresh.unlisted) !== JSON.stringify(unlisted)) this.#isViewCurrent = false;
    this.#unlisted = refresh.unlisted;
    if (!isSameCoverage(coverage, this.#loaded)) this.#isViewCurrent = false;
    this.#loaded = coverage;
    return store;
  }

  /** What is stored of files and readers new to this process, and of files that another process stored since. */
  #stored(store: IndexStore, activated: FactKinds) {
    const rows = new Map<VaultPath, StoredRow>();
    const facts = new Map<number, readonly (string | undefined)[]>();
    const doubtful: VaultPath[] = [];
    if (store.isInMemory) return { rows, facts, doubtful };
    store.atOnce(() => {
      for (const row of store.changed()) {
        const file = this.#table.get(row.path);
        if (!file) {
          rows.set(row.path, row);
          continue;
        }
        const stored = file.settled && row.stat === statText(file.stat) ? row.kinds : NO_KINDS;
        if (file.stored & ~stored & TEXT_WORDS) doubtful.push(row.path);
        file.number = row.number;
        file.stored = stored;
      }
      for (const position of this.#readers.positionsOf(activated)) facts.set(position, store.facts(position));
    });
    if (this.#view && (rows.size > 0 || doubtful.length > 0)) store.text.forgetVocabulary();
    return { rows, facts, doubtful };
  }

  #apply(changes: FileChanges): void {
    if (changes.size === 0) return;
    if (this.#table.apply(changes)) this.#arrangement++;
    let unstored = 0;
    for (const file of changes.values()) if (!file || file.known & ~file.stored) unstored++;
    this.#digests.drift(unstored);
    this.#isViewCurrent = false;
  }

  /** When the rules changed, every file is judged again. */
  async #currentRules(): Promise<{ readonly settings: VaultSettings; readonly rules: IgnoreRules }> {
    const settings = await this.#options.settings.current();
    if (this.#rules && settings === this.#settings) return { settings, rules: this.#rules };
    const rules = new IgnoreRules(settings);
    const changes = new Map<VaultPath, IndexedFile>();
    for (const file of this.#table)
      if (rules.ignores(file.path) !== file.hidden) changes.set(file.path, file.judged(!file.hidden));
    this.#apply(changes);
    this.#digests.drift(changes.size);
    this.#settings = settings;
    this.#rules = rules;
    this.#isViewCurrent = false;
    return { settings, rules };
  }

  #currentView(settings: VaultSettings, store: IndexStore): IndexView {
    if (!this.#view || !this.#isViewCurrent || this.#view.text !== store.text) {
      this.#view = new IndexView({
        generation: (this.#view?.generation ?? 0) + 1,
        arrangement: this.#arrangement,
        settings,
        unlisted: this.#unlisted,
        readers: this.#readers,
        list: this.#table.list,
        coverage: this.#loaded,
        text: store.text,
      });
    }
    this.#isViewCurrent = true;
    return this.#view;
  }

  /** First what was read, then missing words. */
  async #storeAll(): Promise<void> {
    if (this.#storing) return;
    this.#storing = this.#storeFactsAndWords();
    await this.#storing;
    this.#storing = undefined;
  }

  async #storeFactsAndWords(): Promise<void> {
    await this.#storeFacts();
    if (this.#rules) await this.#writer.storeMissingWords(this.#rules, () => this.#isEnding);
  }

  async #storeFacts(): Promise<void> {
    await this.#writer.storeFacts(() => this.#isEnding);
    const store = await this.#opened();
    if (!this.#view || store?.isInMemory !== false) return;
    try {
      await this.#digests.store(this.#readers.all, this.#view, store);
    } catch (error) {
      this.#options.log.debug("the index was not stored", { error: String(error) });
    }
  }
}

function isSameCoverage(one: Coverage, other: Coverage): boolean {
  return one.facts === other.facts && one.files === other.files;
}

/** Folders may become readable without an announcement, by rights of a parent or the user's groups. */
function closedPlaces(unlisted: readonly UnlistedEntry[]): VaultPath[] {
  return unlisted.filter(({ reason }) => reason === "closed").map(placeOf);
}
