/** Keeps one snapshot for each reader, so that a process loads and writes only what it uses, and decides when writing is worth it. */
import type { Log } from "../../log.js";
import type { Storage } from "../../storage/storage.js";
import type { SnapshotStore } from "./store.js";
import type { Entry, CatalogTable, RowChanges } from "../table.js";
import type { ReaderBits, Readers } from "../readers.js";
import type { FactReader } from "../catalog.js";
import { warnOfDamage } from "./format.js";
import { encodeSnapshot } from "./write.js";
import { decodeSnapshot, type SnapshotKind, type SnapshotRows, summaryOf } from "./read.js";

/** So few changed files, or so small a share of all, are read again faster than a snapshot is written. */
const FEW_CHANGES = 32;
const SMALL_PART = 0.02;

/** How one reader's snapshot differs from the rows. */
interface Ledger {
  readonly kind: SnapshotKind;
  hasSnapshot: boolean;
  /** Rows that the snapshot does not have as they are. */
  unsaved: number;
}

export class SnapshotKeeper {
  readonly #store: SnapshotStore;
  readonly #log: Log;
  readonly #kinds: readonly SnapshotKind[];
  /** Of the active readers. */
  readonly #ledgers: Ledger[] = [];

  constructor(store: SnapshotStore, { identity, stampLength }: Storage, readers: Readers, log: Log) {
    this.#store = store;
    this.#log = log;
    const { edition } = store;
    this.#kinds = readers.all.map((reader, position) => ({ edition, identity, stampLength, reader, position }));
  }

  /** The snapshots of readers that become active, without those that are unusable. */
  async load(readers: ReaderBits): Promise<SnapshotRows[]> {
    const found: SnapshotRows[] = [];
    for (const kind of this.#kinds) {
      const bytes = readers & (1 << kind.position) ? await this.#store.load(nameOf(kind)) : undefined;
      const rows = bytes && decodeSnapshot(bytes, kind);
      if (rows) found.push(rows);
      else if (bytes) warnOfDamage(bytes, this.#log);
    }
    return found;
  }

  /**
   * Takes note of readers that became active, of the snapshots they were loaded from, and of what the rows hold now.
   * @param remember is told a reader's digest and how many files have changed since it was made
   */
  activate(
    readers: ReaderBits,
    snapshots: readonly SnapshotRows[],
    table: CatalogTable,
    remember: (name: string, digest: unknown, changes: number) => void,
  ): void {
    for (const kind of this.#kinds) {
      const bit = 1 << kind.position;
      if (!(readers & bit)) continue;
      const snapshot = snapshots.find(({ position }) => position === kind.position);
      const ledger: Ledger = { kind, hasSnapshot: snapshot !== undefined, unsaved: 0 };
      this.#ledgers.push(ledger);
      if (!snapshot) continue;
      // Files it did not prove, and files it held that are gone.
      let rows = 0;
      for (const entry of table.rows.entries) if (entry && entry.content.shown & bit) rows++;
      ledger.unsaved = rows + snapshot.length - 2 * snapshot.recalled;
      remember(kind.reader.name, snapshot.summary, ledger.unsaved);
    }
  }

  /** Counts what is about to change in the rows. What one reader learns about an unchanged file is no change for the others. */
  count(changes: RowChanges, table: CatalogTable, newlySettled: number): void {
    for (const ledger of this.#ledgers) {
      const bit = 1 << ledger.kind.position;
      ledger.unsaved += newlySettled;
      for (const [path, entry] of changes) if (differs(table.get(path), entry, bit)) ledger.unsaved++;
    }
  }

  /** Whether some active reader has no snapshot yet. */
  get lacksOne(): boolean {
    return this.#ledgers.some(({ hasSnapshot }) => !hasSnapshot);
  }

  isWorthSaving(table: CatalogTable): boolean {
    return this.#ledgers.some((ledger) => isWorthSaving(ledger, table));
  }

  /** Writes the snapshots that are worth it. One that could not be written is not tried again after every answer. */
  async save(table: CatalogTable, summary: (reader: FactReader<unknown>) => unknown): Promise<void> {
    for (const ledger of this.#ledgers) {
      if (!isWorthSaving(ledger, table)) continue;
      const { kind } = ledger;
      [ledger.hasSnapshot, ledger.unsaved] = [true, 0];
      await this.#store.save(
        nameOf(kind),
        await encodeSnapshot(kind, { entries: table.rows.entries, summary: summary(kind.reader) }),
      );
    }
  }

  /** The reader's digest as it was when its snapshot was written. */
  async summary(position: number): Promise<unknown> {
    const kind = this.#kinds[position];
    const start = kind && (await this.#store.loadHead(nameOf(kind)));
    return start && summaryOf(start, kind);
  }
}

function nameOf({ identity, reader }: SnapshotKind): string {
  return `${identity} ${reader.name}`;
}

function isWorthSaving({ hasSnapshot, unsaved }: Ledger, { size }: CatalogTable): boolean {
  return hasSnapshot ? unsaved > Math.max(FEW_CHANGES, size * SMALL_PART) : size > 0;
}

/** Whether the two entries give a reader's snapshot different rows. */
function differs(before: Entry | undefined, after: Entry | undefined, reader: ReaderBits): boolean {
  const [had, has] = [before, after].map((entry) => ((entry?.content.shown ?? 0) & reader) !== 0);
  return had !== has || (before !== undefined && after !== undefined && !before.stat.hasStampOf(after.stat));
}
