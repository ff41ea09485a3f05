/** The catalog over a storage: brought up to date before every answer, kept between processes by a snapshot. */
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import { joinPath, type VaultPath } from "../storage/path.js";
import type { PassedOver, Storage } from "../storage/storage.js";
import type { SnapshotStore } from "./cache.js";
import { Entry } from "./catalog-entry.js";
import { Refresh } from "./catalog-refresh.js";
import { CatalogTable, type RowChanges } from "./catalog-table.js";
import { RowsView } from "./catalog-view.js";
import type { Catalog, CatalogView, FactReader, Pauses, Progress, RefreshOptions } from "./catalog.js";
import { ChangeWatch, type Doubt } from "./change-watch.js";
import { Chore } from "./chore.js";
import { IgnoreRules } from "./ignore.js";
import type { SettingsKeeper, VaultSettings } from "./settings.js";
import { SharedRuns, type Run } from "./shared-runs.js";
import { decodeSnapshot, encodeSnapshot, type SnapshotKind, type SnapshotRows, summaryOf } from "./snapshot.js";

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

/** By then an answer should have left, and a process that only wanted this one has closed its vault. */
const WATCH_AFTER = 30;
const FIRST_SAVE_AFTER = 500;
/** A process that is killed loses no more than what changed in so long. */
const SAVE_AFTER = 60_000;

export class NoteCatalog implements Catalog {
  readonly #options: NoteCatalogOptions;
  readonly #kind: SnapshotKind;
  readonly #runs: SharedRuns<CatalogView, Progress>;
  readonly #table = new CatalogTable();
  #view: RowsView | undefined;
  #isViewCurrent = false;
  #arrangement = 0;
  #settings: VaultSettings | undefined;
  #rules: IgnoreRules | undefined;
  #unreadable: readonly VaultPath[] = [];
  #passedOver: readonly PassedOver[] = [];
  #pauses: Pauses | undefined;
  #watch: ChangeWatch | undefined;
  readonly #watching = new Chore(() => (this.#watch = new ChangeWatch(this.#options.storage, this.#options.log)));
  readonly #keeping = new Chore(() => void this.save());
  #saving: Promise<void> | undefined;
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

  liveOn({ watch = WATCH_AFTER, firstSave = FIRST_SAVE_AFTER, save = SAVE_AFTER }: Partial<Pauses> = {}): void {
    this.#pauses = { watch, firstSave, save };
  }

  async summary<Facts>(reader: FactReader<Facts>): Promise<unknown> {
    if (this.#view) return this.#view.summary(reader);
    const start = await this.#options.snapshots?.loadHead(this.#kind.identity);
    return start && summaryOf(start, this.#kind, reader.name);
  }

  async save(): Promise<void> {
    await this.#saving;
    this.#saving = this.#save().catch((error: unknown) => {
      this.#options.log.debug("the catalog's snapshot was not made", { error: String(error) });
    });
    await this.#saving;
  }

  async #save(): Promise<void> {
    const { snapshots } = this.#options;
    const view = this.#view;
    if (!snapshots || !view || !this.#isWorthSaving()) return;
    const summaries = this.#options.readers.map((reader) => view.summary(reader));
    this.#unsaved = 0;
    // Even a snapshot that could not be saved: trying again after every answer would cost more than it may save.
    this.#hasSnapshot = true;
    await snapshots.save(this.#kind.identity, encodeSnapshot(this.#kind, this.#table, summaries));
  }

  async close(): Promise<void> {
    this.#pauses = undefined;
    this.#watching.cancel();
    this.#keeping.cancel();
    this.#watch?.stop();
    await this.#runs.idle();
    await this.#saving;
  }

  async #refresh(run: Run<Progress>): Promise<CatalogView> {
    const watch = this.#watch;
    const doubt = (await watch?.take()) ?? "everything";
    try {
      const rules = await this.#currentRules();
      await this.#resolve(this.#view ? doubt : "everything", rules, run);
      this.#planChores();
      return this.#currentView();
    } catch (error) {
      watch?.giveBack(doubt);
      throw error;
    }
  }

  /** Looks at what is in doubt and takes over what changed, all at once and only when the look is complete. */
  async #resolve(doubt: Doubt, rules: IgnoreRules, run: Run<Progress>): Promise<void> {
    const { storage, readers, clock } = this.#options;
    const table = this.#table;
    const passedOver = this.#passedOver;
    const refresh = new Refresh({ storage, readers, table, rules, passedOver, look: clock.now(), run });
    if (!this.#view) return this.#lookFirst(refresh);
    const unreadable = this.#unreadable;
    const changes =
      doubt === "everything"
        ? await refresh.everything()
        : await refresh.paths(new Set([...doubt, ...unreadable, ...closedPlaces(passedOver)]));
    this.#takePassedOver(refresh);
    this.#unsaved += changes.size + refresh.newlySettled;
    this.#apply(changes);
    if (unreadable.length > 0 || [...changes.values()].some(isUnreadable)) this.#noteUnreadable();
  }

  async #lookFirst(refresh: Refresh): Promise<void> {
    const snapshot = await this.#loadSnapshot();
    const entries = await refresh.first(snapshot);
    this.#table.reset(entries);
    this.#noteUnreadable();
    this.#takePassedOver(refresh);
    this.#hasSnapshot = snapshot !== undefined;
    // What the snapshot did not vouch for, and what it had besides.
    if (snapshot) this.#unsaved = entries.length + snapshot.length - 2 * snapshot.recalled;
  }

  #noteUnreadable(): void {
    this.#unreadable = [...this.#table].filter(isUnreadable).map(({ path }) => path);
  }

  #takePassedOver({ passedOver }: Refresh): void {
    if (JSON.stringify(passedOver) !== JSON.stringify(this.#passedOver)) this.#isViewCurrent = false;
    this.#passedOver = passedOver;
  }

  /** The rules of the settings as they stand now; when they changed, every row is judged anew. */
  async #currentRules(): Promise<IgnoreRules> {
    const settings = await this.#options.settings.current();
    if (this.#rules && settings === this.#settings) return this.#rules;
    const rules = new IgnoreRules(settings);
    this.#apply(judgeAnew(this.#table, rules));
    [this.#settings, this.#rules] = [settings, rules];
    return rules;
  }

  async #loadSnapshot(): Promise<SnapshotRows | undefined> {
    const bytes = await this.#options.snapshots?.load(this.#kind.identity);
    return bytes && decodeSnapshot(bytes, this.#kind);
  }

  #apply(changes: RowChanges): void {
    if (changes.size === 0) return;
    for (const [path, entry] of changes)
      if (this.#table.get(path)?.hidden !== entry?.hidden) {
        this.#arrangement++;
        break;
      }
    this.#table.apply(changes);
    this.#isViewCurrent = false;
  }

  #currentView(): RowsView {
    if (!this.#view || !this.#isViewCurrent)
      this.#view = new RowsView(
        { generation: (this.#view?.generation ?? 0) + 1, arrangement: this.#arrangement },
        this.#options.readers,
        this.#table.rows,
        this.#passedOver,
      );
    this.#isViewCurrent = true;
    return this.#view;
  }

  /** What makes later answers cheaper, and the next process, waits until this answer is out. */
  #planChores(): void {
    const { storage, snapshots } = this.#options;
    const pauses = this.#pauses;
    if (!pauses) return;
    if (!this.#watch && storage.changes) this.#watching.in(pauses.watch);
    if (snapshots && this.#isWorthSaving()) this.#keeping.in(this.#hasSnapshot ? pauses.save : pauses.firstSave);
  }

  #isWorthSaving(): boolean {
    const { size } = this.#table;
    return this.#hasSnapshot ? this.#unsaved > Math.max(FEW_CHANGES, size * SMALL_PART) : size > 0;
  }
}

/** What may be open by now, without an announcement: a parent's rights or the user's groups may have changed. */
function closedPlaces(passedOver: readonly PassedOver[]): VaultPath[] {
  return passedOver.filter(({ reason }) => reason === "closed").map(({ folder, name }) => joinPath(folder, name));
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
