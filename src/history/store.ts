/** Stores the undo journal, with the former texts of files. */
import type { SqlValue } from "../database.js";
import type { Clock, Ids } from "../clock.js";
import type { Log } from "../log.js";
import { contentRevision } from "../storage/content-revision.js";
import type { VaultPath } from "../storage/path.js";
import {
  dropEmpty,
  insertRow,
  JournalConnection,
  type JournalDatabase,
  type JournalPlace,
  readAsBytes,
} from "./connection.js";
import {
  currentCall,
  type Draft,
  type OperationPlan,
  type OperationRecord,
  type OperationState,
  readOperation,
  readStep,
  type StepRecord,
  type StepState,
} from "./journal-records.js";

export interface JournalOptions {
  /** A function is called at first use. Default: in memory. */
  readonly place?: JournalPlace | (() => Promise<JournalPlace>) | undefined;
  /** Steps per file; the oldest are removed. Default 100 (`UNDO_STACK_LIMIT`). */
  readonly limit?: number | undefined;
  /** Bytes of all steps; the oldest are removed. Default 100 MiB (`UNDO_MAX_SIZE`). */
  readonly maxSize?: number | undefined;
}

const STEP = readAsBytes(
  "sequence, operation, state, kind, path, source, reason, at, before, after, mark, permanent, folder",
);
const OPERATION = readAsBytes("number, id, state, plan, reason, began, maker, taken, owner, client, tool");

/** Bytes; sizes are counted in blocks. */
const BLOCK = 4096;
const DEFAULT_LIMIT = 100;
const DEFAULT_MAX_SIZE = 100 * 1024 * 1024;
/** Share of the maximum size at which removing stops. */
const KEPT_SHARE = 7 / 8;
/** Share of the maximum size after which the total is computed again. */
const CHECKED_SHARE = 1 / 16;

/** Ids of operations that this process has begun or resumed and not ended. */
const running = new Set<string>();

export interface StoreContext {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export class JournalStore {
  readonly connection: JournalConnection;
  readonly #place: JournalPlace;
  readonly #limit: number;
  readonly #maxSize: number;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Log;
  /** Bytes since the total size was computed. */
  #unchecked = Infinity;
  #hasWarned = false;

  constructor(place: JournalPlace, options: Pick<JournalOptions, "limit" | "maxSize">, context: StoreContext) {
    this.connection = new JournalConnection(place);
    this.#place = place;
    this.#limit = options.limit ?? DEFAULT_LIMIT;
    this.#maxSize = options.maxSize ?? DEFAULT_MAX_SIZE;
    this.#clock = context.clock;
    this.#ids = context.ids;
    this.#log = context.log;
  }

  /** All methods may throw the database's errors. */
  async begin(plan: OperationPlan): Promise<OperationRecord> {
    const began = this.#clock.now();
    const id = `${began.toString(36)}-${this.#ids.next()}`;
    running.add(id);
    try {
      return await this.connection.write((database) =>
        this.#insertOperation(database, { id, plan, began, reason: plan.reason }),
      );
    } catch (error) {
      running.delete(id);
      throw error;
    }
  }

  /**
   * Survives a power cut.
   * @param image the file before a change that replaces or removes it
   * @returns undefined when it is too large for the journal
   */
  async add(draft: Draft, operation?: OperationRecord, image?: Uint8Array): Promise<StepRecord | undefined> {
    const size = Math.max(1, Math.ceil((image?.byteLength ?? 0) / BLOCK)) * BLOCK;
    if (size > this.#maxSize) return undefined;
    const step = await this.connection.write((database) => {
      const added = this.#insert(database, draft, operation, "open", size, image);
      database
        .prepare(
          "DELETE FROM steps WHERE path = ? AND sequence <= (SELECT sequence FROM steps WHERE path = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?)",
        )
        .run(draft.path, draft.path, this.#limit);
      return added;
    });
    this.#unchecked += size;
    if (this.#unchecked >= this.#maxSize * CHECKED_SHARE) await this.#prune();
    return step;
  }

  async lose(draft: Draft, operation: OperationRecord): Promise<void> {
    await this.connection.write((database) => void this.#insert(database, draft, operation, "lost", 0));
  }

  /** @returns whether the step's state was one of `from` */
  async become(step: StepRecord, state: StepState, from: readonly StepState[] = [step.state]): Promise<boolean> {
    const marks = from.map(() => "?").join(", ");
    const sql = `UPDATE steps SET state = ? WHERE sequence = ? AND state IN (${marks})`;
    return await this.connection.write(
      (database) => database.prepare(sql).run(state, step.sequence, ...from).changes > 0,
    );
  }

  async drop(...steps: readonly StepRecord[]): Promise<void> {
    await this.connection.write((database) => {
      for (const { sequence, operation } of steps) {
        database.prepare("DELETE FROM steps WHERE sequence = ?").run(sequence);
        dropEmpty(database, "number = ?", operation);
      }
    });
  }

  /** Removes a finished operation without steps. */
  async end({ number, id }: OperationRecord, state: OperationState = "done"): Promise<void> {
    running.delete(id);
    await this.connection.write((database) => {
      database.prepare("UPDATE operations SET state = ? WHERE number = ?").run(state, number);
      dropEmpty(database, "number = ?", number);
    });
  }

  async take({ number, id }: OperationRecord, state: "open" | "undo"): Promise<void> {
    if (state === "open") running.add(id);
    const sql = "UPDATE operations SET state = ?, maker = ?, taken = ? WHERE number = ?";
    await this.connection.write((database) =>
      database.prepare(sql).run(state, this.#place.maker, this.#clock.now(), number),
    );
  }

  async forget({ number, id }: OperationRecord): Promise<void> {
    running.delete(id);
    await this.connection.write((database) => {
      database.prepare("DELETE FROM steps WHERE operation = ?").run(number);
      database.prepare("DELETE FROM operations WHERE number = ?").run(number);
    });
  }

  /** Newest first. */
  async stepsOfPath(path: VaultPath): Promise<readonly StepRecord[]> {
    return await this.#steps("path = ? ORDER BY sequence DESC", path);
  }

  /** In order. @throws Error when one cannot be read */
  async stepsOf({ number }: OperationRecord): Promise<readonly StepRecord[]> {
    const rows = await this.#rows("operation = ? ORDER BY sequence", number);
    return rows.map((row) => {
      const step = readStep(row);
      if (!step) throw new Error("a step of the operation is damaged");
      return step;
    });
  }

  /** Newest first. @param before the sequence number above the page */
  async stepsFor(owner: string | undefined, before: number, limit: number): Promise<readonly StepRecord[]> {
    const mine = "operation IN (SELECT number FROM operations WHERE owner IS ?)";
    return await this.#steps(`${mine} AND sequence < ? ORDER BY sequence DESC LIMIT ?`, owner ?? null, before, limit);
  }

  async deletions(limit: number): Promise<readonly StepRecord[]> {
    return await this.#steps("kind = 'delete' AND state <> 'undo' ORDER BY sequence DESC LIMIT ?", limit);
  }

  async countOf(path: VaultPath): Promise<number> {
    return (await this.stepsOfPath(path)).length;
  }

  /** Undefined when it was undone or removed. */
  async step(sequence: number): Promise<StepRecord | undefined> {
    return (await this.#steps("sequence = ?", sequence))[0];
  }

  /** @throws Error when its hash is wrong */
  async imageOf({ sequence, before }: StepRecord): Promise<Uint8Array> {
    const row = await this.connection.read(
      (database) =>
        database.prepare<[Uint8Array | null]>("SELECT CAST(image AS BLOB) FROM steps WHERE sequence = ?").get(sequence),
      undefined,
    );
    const image = Uint8Array.from(row?.[0] ?? []);
    if (before !== undefined && contentRevision(image) !== before) throw new Error("a stored text is damaged");
    return image;
  }

  async operation(key: string | number): Promise<OperationRecord | undefined> {
    return (await this.#operations(typeof key === "number" ? "number = ?" : "id = ?", key))[0];
  }

  /** Oldest first. */
  async unfinished(): Promise<readonly OperationRecord[]> {
    const found = await this.#operations("state <> 'done' ORDER BY number");
    return found.filter(({ isDamaged }) => !isDamaged);
  }

  /** The operation did not end, but its process did. */
  isAbandoned(operation: OperationRecord): boolean {
    const { state, id } = operation;
    if (state === "open" && this.isOurs(operation)) return !running.has(id);
    return state !== "done" && this.hasMakerEnded(operation);
  }

  hasMakerEnded({ maker, taken }: OperationRecord): boolean {
    return this.#place.hasEnded(maker, taken);
  }

  /** This process was the last to work on it. */
  isOurs({ maker }: OperationRecord): boolean {
    return maker === this.#place.maker;
  }

  /** Logs only once. */
  warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const advice = "changes are made all the same, but cannot be undone; `doctor` tells more";
    this.#log.warn(`the undo journal cannot be written: ${advice}`, { error: String(error) });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  #insertOperation(
    database: JournalDatabase,
    made: { readonly id: string; readonly plan?: OperationPlan; readonly reason: string; readonly began: number },
  ): OperationRecord {
    const { id, plan, reason, began } = made;
    const [maker, caller, state] = [this.#place.maker, currentCall(), plan ? "open" : "done"] as const;
    const number = insertRow(database, "operations", {
      id,
      state,
      plan: plan ? JSON.stringify(plan) : null,
      reason,
      began,
      maker,
      taken: began,
      owner: caller.owner ?? null,
      client: caller.client ?? null,
      tool: caller.tool ?? null,
    });
    return { number, id, state, plan, reason, began, maker, taken: began, caller };
  }

  #insert(
    database: JournalDatabase,
    draft: Draft,
    operation: OperationRecord | undefined,
    state: StepState,
    size: number,
    image?: Uint8Array,
  ): StepRecord {
    const at = this.#clock.now();
    const { kind, path, from, reason, before, after, mark, permanent = false, folder = false } = draft;
    const alone = operation ?? this.#insertOperation(database, { id: this.#nextId(database, at), reason, began: at });
    const sequence = insertRow(database, "steps", {
      operation: alone.number,
      state,
      kind,
      path,
      source: from ?? null,
      reason,
      at,
      before: before ?? null,
      after: after ?? null,
      mark: mark ?? null,
      permanent: Number(permanent),
      folder: Number(folder),
      size,
      image: image ?? null,
    });
    return { ...draft, sequence, operation: alone.number, state, at };
  }

  /** An id from the time and the operation's number. */
  #nextId(database: JournalDatabase, at: number): string {
    const row = database
      .prepare<[number]>("SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'operations'")
      .get();
    return `${at.toString(36)}-${((row?.[0] ?? 0) + 1).toString(36)}`;
  }

  async #steps(condition: string, ...values: SqlValue[]): Promise<StepRecord[]> {
    return (await this.#rows(condition, ...values)).flatMap((row) => readStep(row) ?? []);
  }

  async #rows(condition: string, ...values: SqlValue[]): Promise<readonly (readonly SqlValue[])[]> {
    const sql = `SELECT ${STEP} FROM steps WHERE ${condition}`;
    return await this.connection.read((database) => database.prepare(sql).all(...values), []);
  }

  async #operations(condition: string, ...values: SqlValue[]): Promise<OperationRecord[]> {
    const sql = `SELECT ${OPERATION} FROM operations WHERE ${condition}`;
    const rows = await this.connection.read((database) => database.prepare(sql).all(...values), []);
    return rows.flatMap((row) => readOperation(row) ?? []);
  }

  async #prune(): Promise<void> {
    this.#unchecked = 0;
    try {
      await this.connection.write((database) => {
        const [total = 0] = database.prepare<[number | null]>("SELECT SUM(size) FROM steps").get() ?? [];
        let excess = (total ?? 0) - this.#maxSize;
        if (excess <= 0) return;
        excess += this.#maxSize * (1 - KEPT_SHARE);
        let last = 0;
        for (const [sequence, size] of database
          .prepare<[number, number]>("SELECT sequence, CAST(size AS INTEGER) FROM steps ORDER BY sequence")
          .all()) {
          if (excess <= 0) break;
          excess -= size;
          last = sequence;
        }
        database.prepare("DELETE FROM steps WHERE sequence <= ?").run(last);
        dropEmpty(database, "number <= (SELECT MAX(number) FROM operations) - ?", 0);
      });
    } catch (error) {
      this.#log.debug("the undo journal was not pruned", { error: String(error) });
    }
  }
}
