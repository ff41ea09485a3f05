/** The catalog over a storage: a stat sweep before every answer, and only what changed is read. */
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import { isUnreadable, type FileStat, type Storage } from "../storage/storage.js";
import { Entry, HEAD_BYTES, readContent, unreadableContent } from "./catalog-entry.js";
import { EntryView } from "./catalog-view.js";
import type { Catalog, CatalogView, FactReader, RefreshOptions } from "./catalog.js";
import { IgnoreRules, isListed } from "./ignore.js";
import type { SettingsKeeper, VaultSettings } from "./settings.js";

export interface NoteCatalogOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly readers: readonly FactReader<unknown>[];
  readonly settings: SettingsKeeper;
  readonly log: Log;
}

export class NoteCatalog implements Catalog {
  readonly #options: NoteCatalogOptions;
  #entries: ReadonlyMap<VaultPath, Entry> = new Map();
  #settings: VaultSettings | undefined;
  #view: EntryView | undefined;

  constructor(options: NoteCatalogOptions) {
    this.#options = options;
  }

  async refresh({ signal, onProgress }: RefreshOptions = {}): Promise<CatalogView> {
    const { storage, readers, clock } = this.#options;
    const settings = await this.#options.settings.current();
    const rules = new IgnoreRules(settings);
    const rulesChanged = settings !== this.#settings;
    const look = clock.now();
    const entries = new Map<VaultPath, Entry>();
    const stale: VaultPath[] = [];
    for await (const batch of storage.list({ wants: isListed, ...(signal && { signal }) }))
      for (const stat of batch) {
        const known = this.#entries.get(stat.path);
        if (known?.settled && sameStamp(known.stat, stat)) {
          const kept = rulesChanged ? new Entry(known.stat, true, rules.ignores(stat.path), known.content) : known;
          entries.set(stat.path, kept);
        } else stale.push(stat.path);
      }
    let done = 0;
    let changed = rulesChanged || entries.size < this.#entries.size || this.#view === undefined;
    for await (const batch of storage.readMany(stale, { limit: HEAD_BYTES, ...(signal && { signal }) })) {
      for (const file of batch) {
        const path = isUnreadable(file) ? file.path : file.stat.path;
        const ignored = rules.ignores(path);
        changed = true;
        if (isUnreadable(file)) {
          const stat: FileStat = { path, size: 0, modified: 0, created: 0, stamp: [] };
          entries.set(path, new Entry(stat, false, ignored, unreadableContent(path, file.error)));
        } else {
          const settled = look - file.stat.modified > storage.stampGranularity || storage.stampGranularity === 0;
          entries.set(path, new Entry(file.stat, settled, ignored, readContent(file, readers)));
        }
      }
      done += batch.length;
      onProgress?.({ done, total: stale.length });
    }
    if (!changed && this.#view) return this.#view;
    this.#settings = settings;
    this.#entries = entries;
    this.#view = new EntryView((this.#view?.generation ?? 0) + 1, readers, entries);
    return this.#view;
  }

  async summary<Facts>(reader: FactReader<Facts>): Promise<unknown> {
    return reader.summarise?.(this.#view?.records(reader).map(({ facts }) => facts) ?? []);
  }

  async save(): Promise<void> {}

  async close(): Promise<void> {}
}

function sameStamp(a: FileStat, b: FileStat): boolean {
  return a.stamp.length === b.stamp.length && a.stamp.every((value, index) => value === b.stamp[index]);
}
