/** The catalog over a storage: brought up to date before every answer, kept between processes by a snapshot. */
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import type { SnapshotStore } from "./cache.js";
import { Entry } from "./catalog-entry.js";
import { Refresh } from "./catalog-refresh.js";
import { CatalogTable, type RowChanges } from "./catalog-table.js";
import { RowsView } from "./catalog-view.js";
import type { Catalog, CatalogView, FactReader, Progress, RefreshOptions } from "./catalog.js";
import { ChangeWatch, type Doubt } from "./change-watch.js";
import { IgnoreRules } from "./ignore.js";
import type { SettingsKeeper, VaultSettings } from "./settings.js";
import { SharedRuns, type Run } from "./shared-runs.js";
import { decodeSnapshot, encodeSnapshot, summaryOf, type SnapshotKind } from "./snapshot.js";

export interface NoteCatalogOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly readers: readonly FactReader<unknown>[];
  readonly settings: SettingsKeeper;
  readonly snapshots: SnapshotStore | undefined;
  readonly log: Log;
}

/** So few changed notes, or so small a part of all, are read again sooner than a snapshot is written. */
const FEW_CHANGES = 32;
const SMALL_PART = 0.02;

export class NoteCatalog implements Catalog {
  readonly #options: NoteCatalogOptions;
  readonly #kind: SnapshotKind;
  readonly #runs: SharedRuns<CatalogView, Progress>;
  #table: CatalogTable | undefined;
  #view: RowsView | undefined;
  #isViewCurrent = false;
  #settings: VaultSettings | undefined;
  #rules: IgnoreRules | undefined;
  #unreadable: readonly VaultPath[] = [];
  #wantsWatch = false;
  #watch: ChangeWatch | undefined;
  /** Rows that the snapshot does not have as they are. */
  #unsaved = 0;
  #hasSnapshot = false;

  constructor(options: NoteCatalogOptions) {
    this.#options = options;
    const { storage, readers, snapshots } = options;
    const { identity, stampLength } = storage;
    this.#kind = { edition: snapshots?.edition ?? "", identity, stampLength, readers };
    this.#runs = new SharedRuns((run) => this.#refresh(run));
  }

  refresh(options: RefreshOptions = {}): Promise<CatalogView> {
    return this.#runs.join(options);
  }

  watch(): void {
    this.#wantsWatch = this.#options.storage.changes !== undefined;
  }

  async summary<Facts>(reader: FactReader<Facts>): Promise<unknown> {
    if (this.#view) return summariseRecords(reader, this.#view);
    const head = await this.#options.snapshots?.loadHead(this.#kind.identity);
    return head && summaryOf(head, this.#kind, reader.name);
  }

  async save(): Promise<void> {
    const { snapshots } = this.#options;
    const [table, view] = [this.#table, this.#view];
    if (!snapshots || !table || !view || !this.#isWorthSaving(table)) return;
    const summaries = this.#options.readers.map((reader) => summariseRecords(reader, view));
    this.#unsaved = 0;
    // Even a snapshot that could not be saved: trying again after every answer would cost more than it may save.
    this.#hasSnapshot = true;
    await snapshots.save(this.#kind.identity, encodeSnapshot(this.#kind, table, summaries));
  }

  async close(): Promise<void> {
    this.#watch?.stop();
    this.#watch = undefined;
    this.#wantsWatch = false;
    await this.#runs.idle();
  }

  async #refresh(run: Run<Progress>): Promise<CatalogView> {
    const watch = this.#watch;
    const doubt = (await watch?.take()) ?? "everything";
    try {
      const rules = await this.#currentRules();
      const table = (this.#table ??= await this.#loadTable(rules));
      await this.#resolve(doubt, table, rules, run);
      this.#startWatch();
      return this.#currentView(table);
    } catch (error) {
      watch?.giveBack(doubt);
      throw error;
    }
  }

  /** Looks at what is in doubt and takes over what changed, all at once and only when the look is complete. */
  async #resolve(doubt: Doubt, table: CatalogTable, rules: IgnoreRules, run: Run<Progress>): Promise<void> {
    const { storage, readers, clock } = this.#options;
    const refresh = new Refresh({ storage, readers, table, rules, look: clock.now(), run });
    const changes =
      doubt === "everything"
        ? await refresh.everything()
        : await refresh.paths(new Set([...doubt, ...this.#unreadable]));
    this.#unsaved += changes.size + refresh.newlySettled;
    if (changes.size === 0) return;
    this.#apply(table, changes);
    this.#unreadable = [...table].filter(({ content }) => content.unreadable).map(({ path }) => path);
  }

  /** The rules of the settings as they stand now; when they changed, every row is judged anew. */
  async #currentRules(): Promise<IgnoreRules> {
    const settings = await this.#options.settings.current();
    if (this.#rules && settings === this.#settings) return this.#rules;
    const rules = new IgnoreRules(settings);
    if (this.#table) this.#apply(this.#table, judgeAnew(this.#table, rules));
    [this.#settings, this.#rules] = [settings, rules];
    return rules;
  }

  async #loadTable(rules: IgnoreRules): Promise<CatalogTable> {
    const bytes = await this.#options.snapshots?.load(this.#kind.identity);
    const rows = bytes && decodeSnapshot(bytes, this.#kind);
    this.#hasSnapshot = rows !== undefined;
    const table = new CatalogTable(
      rows?.map(({ stat, content, settled }) => new Entry(stat, content, settled, rules.ignores(stat.path))),
    );
    return table;
  }

  #apply(table: CatalogTable, changes: RowChanges): void {
    if (changes.size === 0) return;
    table.apply(changes);
    this.#isViewCurrent = false;
  }

  #currentView(table: CatalogTable): RowsView {
    if (!this.#view || !this.#isViewCurrent)
      this.#view = new RowsView((this.#view?.generation ?? 0) + 1, this.#options.readers, table.rows);
    this.#isViewCurrent = true;
    return this.#view;
  }

  /** Not before there is an answer to give: standing up the watch takes a while in a vault of many folders. */
  #startWatch(): void {
    if (!this.#wantsWatch || this.#watch) return;
    setImmediate(() => {
      if (this.#wantsWatch) this.#watch ??= new ChangeWatch(this.#options.storage, this.#options.log);
    });
  }

  #isWorthSaving(table: CatalogTable): boolean {
    if (!this.#hasSnapshot) return table.size > 0;
    return this.#unsaved > Math.max(FEW_CHANGES, table.size * SMALL_PART);
  }
}

function judgeAnew(table: CatalogTable, rules: IgnoreRules): RowChanges {
  const changes = new Map<VaultPath, Entry>();
  for (const entry of table) {
    const judged = new Entry(entry.stat, entry.content, entry.settled, rules.ignores(entry.path));
    if (judged.hidden !== entry.hidden) changes.set(entry.path, judged);
  }
  return changes;
}

function summariseRecords<Facts>(reader: FactReader<Facts>, view: CatalogView): unknown {
  return reader.summarise?.(view.records(reader).map(({ facts }) => facts));
}
