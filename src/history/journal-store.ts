/** Stores the undo journal, with the former texts of files. */
import { currentCall } from "../async/caller.js";
import type { SqlValue } from "../sqlite.js";
import type { Clock, EpochMilliseconds, Ids } from "../clock.js";
import type { Log } from "../log.js";
import { contentRevision } from "../storage/storage.js";
import type { VaultPath } from "../storage/path.js";
import {
  dropEmpty,
  insertRow,
  nextNumber,
  JournalConnection,
  OPERATION_COLUMNS,
  STEP_COLUMNS,
  type JournalDatabase,
  type JournalStorage,
} from "./connection.js";
import {
  type Draft,
  kindOf,
  type OperationPlan,
  type OperationRecord,
  type OperationState,
  readOperation,
  readStep,
  sumOfOperation,
  sumOfStep,
  type StepRecord,
  type StepState,
} from "./journal-records.js";

export interface JournalOptions {
  /** Default: in memory. */
  readonly place?: JournalStorage | (() => Promise<JournalStorage>) | undefined;
  /** Steps per file; the oldest operations go whole. Default 100 (`UNDO_STACK_LIMIT`). */
  readonly limit?: number | undefined;
  /** Bytes, likewise. Default 100 MiB (`UNDO_MAX_SIZE`). */
  readonly maxSize?: number | undefined;
}

/** Sizes are counted in blocks. */
const BLOCK = 4096;
const DEFAULT_LIMIT = 100;
const DEFAULT_MAX_SIZE = 100 * 1024 * 1024;
/** Share of the maximum size at which removing stops. */
const KEPT_SHARE = 7 / 8;
/** Growth, as a share of the maximum, before counting again. */
const CHECKED_SHARE = 1 / 16;

export interface StoreContext {
  /** In the vault, or its trash. */
  readonly isThere: (path: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export interface JournalReport {
  readonly changes: number;
  /** Unreadable records and texts. */
  readonly damaged: number;
  readonly isOurs: boolean;
  readonly aside: readonly string[];
}

export class JournalStore {
  readonly connection: JournalConnection;
  readonly #limit: number;
  readonly #maxSize: number;
  readonly #context: StoreContext;
  #unchecked = Infinity;

  constructor(place: JournalStorage, options: Pick<JournalOptions, "limit" | "maxSize">, context: StoreContext) {
    this.connection = new JournalConnection(place, context.isThere);
    this.#limit = options.limit ?? DEFAULT_LIMIT;
    this.#maxSize = options.maxSize ?? DEFAULT_MAX_SIZE;
    this.#context = context;
  }

  #now(): EpochMilliseconds {
    return this.#context.clock.now();
  }

  /** Methods throw the database's errors. */
  async begin(plan: OperationPlan): Promise<OperationRecord> {
    const began = this.#now();
    const id = `${began.toString(36)}-${this.#context.ids.next()}`;
    this.connection.place.running.add(id);
    const inserting = this.connection.write((database) =>
      this.#insertOperation(database, { id, plan, began, reason: plan.reason }),
    );
    return await inserting.catch((error: unknown) => {
      this.connection.place.running.delete(id);
      throw error;
    });
  }

  /**
   * Survives a power cut. @param image the file before, if replaced or removed
   * @returns what is too large to store: the step, or its operation
   */
  async add(draft: Draft, operation?: OperationRecord, image?: Uint8Array): Promise<StepRecord | "step" | "operation"> {
    const size = Math.max(1, Math.ceil((image?.byteLength ?? 0) / BLOCK)) * BLOCK;
    if (size > this.#maxSize) return "step";
    const step = await this.connection.write((database) => {
      if (operation && size + sizeOf(database, operation) > this.#maxSize) {
        // Its texts would only displace others.
        const emptied = "UPDATE steps SET state = 'lost', size = 0, image = NULL, sum = NULL WHERE operation = ?";
        database.prepare(emptied).run(operation.number);
        return "operation";
      }
      const added = this.#insert(database, draft, operation, { state: "open", size, image });
      const beyond = database.prepare<[number]>(BEYOND_LIMIT).all(draft.path, this.#limit);
      if (beyond.length > 0) removeWithOlder(database, beyond.flat(), this.#now());
      return added;
    });
    this.#unchecked += size;
    if (!operation) await this.#prune();
    return step;
  }

  async lose(draft: Draft, operation: OperationRecord): Promise<void> {
    await this.connection.write(
      (database) => void this.#insert(database, draft, operation, { state: "lost", size: 0 }),
    );
  }

  /** Whether the step's state was `from`. */
  async become(step: StepRecord, state: StepState, from = step.state): Promise<boolean> {
    const sql = `UPDATE steps SET state = ? WHERE ${SAME_STEP} AND state = ?`;
    return await this.connection.write(
      (database) => database.prepare(sql).run(state, ...namesOf(step), from).changes > 0,
    );
  }

  async drop(step: StepRecord): Promise<void> {
    await this.connection.write((database) => {
      const { changes } = database.prepare(`DELETE FROM steps WHERE ${SAME_STEP}`).run(...namesOf(step));
      if (changes === 0) return;
      database.prepare("UPDATE operations SET steps = steps - 1 WHERE number = ?").run(step.operation);
      dropEmpty(database, step.operation);
    });
  }

  async end(operation: OperationRecord, state: OperationState = "done"): Promise<void> {
    const count = "steps = (SELECT COUNT(*) FROM steps WHERE operation = number)";
    await this.#ending(operation, (database) => {
      database.prepare(`UPDATE operations SET state = ?, ${count} WHERE id = ?`).run(state, operation.id);
      dropEmpty(database, operation.number);
    });
    await this.#prune();
  }

  /** Running, not interrupted, until the journal says otherwise. */
  async #ending({ id }: OperationRecord, work: (database: JournalDatabase) => void): Promise<void> {
    try {
      await this.connection.write(work);
    } finally {
      this.connection.place.running.delete(id);
    }
  }

  async take({ id }: OperationRecord, state: "open" | "undo"): Promise<void> {
    if (state === "open") this.connection.place.running.add(id);
    const sql = "UPDATE operations SET state = ?, maker = ?, taken = ? WHERE id = ?";
    await this.connection.write((database) =>
      database.prepare(sql).run(state, this.connection.place.maker, this.#now(), id),
    );
  }

  async forget(operation: OperationRecord): Promise<void> {
    await this.#ending(operation, (database) => {
      if (isThere(database, operation)) remove(database, [operation.number]);
    });
  }

  /** Newest first. @throws when the newest cannot be read */
  async stepsOfPath(path: VaultPath): Promise<readonly StepRecord[]> {
    const rows = await this.#rows("path = ? ORDER BY sequence DESC", path);
    if (rows[0] && !readStep(rows[0])) throw new Error("the newest step of the file is damaged");
    return rows.flatMap((row) => readStep(row) ?? []);
  }

  /** In order. @throws when one cannot be read */
  async stepsOf({ number }: OperationRecord): Promise<readonly StepRecord[]> {
    const rows = await this.#rows("operation = ? ORDER BY sequence", number);
    return rows.map((row) => {
      const step = readStep(row);
      if (!step) throw new Error("a step of the operation is damaged");
      return step;
    });
  }

  async step(sequence: number): Promise<StepRecord | undefined> {
    return (await this.steps("sequence = ?", sequence))[0];
  }

  /** @throws when its hash is wrong */
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

  /** Oldest first, without those running at the start. */
  async unfinished(): Promise<readonly OperationRecord[]> {
    const running = new Set(this.connection.place.running);
    const found = await this.#operations("state <> 'done' ORDER BY number");
    const isRunning = (one: OperationRecord): boolean =>
      one.state === "open" && this.isOurs(one) && running.has(one.id);
    return found.filter((one) => !one.isDamaged && !isRunning(one));
  }

  isAbandoned(operation: OperationRecord): boolean {
    const { state, id } = operation;
    if (state === "open" && this.isOurs(operation)) return !this.connection.place.running.has(id);
    return state !== "done" && this.hasMakerEnded(operation);
  }

  hasMakerEnded({ maker, taken }: OperationRecord): boolean {
    return this.connection.place.hasEnded(maker, taken);
  }

  isOurs({ maker }: OperationRecord): boolean {
    return maker === this.connection.place.maker;
  }

  /** Reads every row and text. */
  async inspect(): Promise<JournalReport> {
    const operations = await this.#operations("1 ORDER BY number");
    const rows = await this.#rows("1 ORDER BY sequence");
    const check = await this.connection.read((database) => database.prepare("PRAGMA quick_check").all(), []);
    const faults = check.filter(([verdict]) => verdict !== "ok").length;
    let damaged = operations.filter(({ isDamaged }) => isDamaged).length + faults;
    for (const row of rows) {
      const step = readStep(row);
      const image = step?.state === "lost" || (step && (await this.imageOf(step).catch(() => false)));
      if (!image) damaged += 1;
    }
    const isOurs = await this.connection.isOurs();
    return { changes: rows.length, damaged, isOurs, aside: this.connection.place.aside?.() ?? [] };
  }

  #insertOperation(
    database: JournalDatabase,
    { reason, began, plan, id }: { reason: string; began: number; plan?: OperationPlan; id?: string },
  ): OperationRecord {
    const [maker, caller, state] = [this.connection.place.maker, currentCall(), plan ? "open" : "done"] as const;
    const number = nextNumber(database, "operations");
    const row = {
      number,
      id: id ?? `${began.toString(36)}-${number.toString(36)}`,
      state,
      plan: plan ? JSON.stringify(plan) : null,
      reason,
      began,
      maker,
      taken: began,
      owner: caller.owner ?? null,
      client: caller.client ?? null,
      tool: caller.tool ?? null,
      steps: plan ? null : 1,
    };
    const sum = sumOfOperation(Object.values(row));
    insertRow(database, "operations", { ...row, sum });
    return readOperation([...Object.values(row), sum]);
  }

  #insert(
    database: JournalDatabase,
    draft: Draft,
    operation: OperationRecord | undefined,
    {
      state,
      size,
      image,
    }: { readonly state: StepState; readonly size: number; readonly image?: Uint8Array | undefined },
  ): StepRecord {
    const at = this.#now();
    const { path, from, reason, before, after, mark, permanent = false, folder = false, made = null } = draft;
    if (operation && !isThere(database, operation)) throw new Error("the operation is no longer in the journal");
    const { number } = operation ?? this.#insertOperation(database, { reason, began: at });
    const row = {
      sequence: nextNumber(database, "steps"),
      operation: number,
      state,
      // Earlier versions that share the journal read it.
      kind: kindOf(draft),
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
    };
    insertRow(database, "steps", { ...row, sum: sumOfStep(Object.values(row)), made, image: image ?? null });
    return { ...draft, sequence: row.sequence, operation: number, state, at };
  }

  /** Without unreadable ones. @param condition SQL, with the order */
  async steps(condition: string, ...values: SqlValue[]): Promise<StepRecord[]> {
    return (await this.#rows(condition, ...values)).flatMap((row) => readStep(row) ?? []);
  }

  async #rows(condition: string, ...values: SqlValue[]): Promise<readonly (readonly SqlValue[])[]> {
    const sql = `SELECT ${STEP_COLUMNS} FROM steps WHERE ${condition}`;
    return await this.connection.read((database) => database.prepare(sql).all(...values), []);
  }

  async #operations(condition: string, ...values: SqlValue[]): Promise<OperationRecord[]> {
    const sql = `SELECT ${OPERATION_COLUMNS} FROM operations WHERE ${condition}`;
    const rows = await this.connection.read((database) => database.prepare(sql).all(...values), []);
    return rows.map(readOperation);
  }

  async #prune(): Promise<void> {
    if (this.#unchecked < this.#maxSize * CHECKED_SHARE) return;
    this.#unchecked = 0;
    try {
      await this.connection.write((database) => {
        const ended = database.prepare<[number, number]>(SIZES).all(this.#now() - UNFINISHED_LIFE_MS);
        const total = ended.at(-1)?.[1] ?? 0;
        if (total <= this.#maxSize) return;
        const excess = total - this.#maxSize * KEPT_SHARE;
        const last = ended.findIndex(([, sum]) => sum >= excess);
        const oldest = ended.slice(0, last + 1).map(([number]) => number);
        removeWithOlder(database, oldest, this.#now());
      });
    } catch (error) {
      this.#context.log.debug("the undo journal was not pruned", { error: String(error) });
    }
  }
}

/** A new journal may reuse a number. */
const SAME_STEP = "sequence = ? AND path = ? AND at = ?";
const namesOf = ({ sequence, path, at }: StepRecord): SqlValue[] => [sequence, path, at];

const BEYOND_LIMIT = "SELECT operation FROM steps WHERE path = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?";

/** Untouched parts are pruned after a crash. */
const UNFINISHED_LIFE_MS = 24 * 60 * 60 * 1000;
/** Oldest first, each with the total up to it; running ones bound themselves. */
const SIZES = `SELECT number, CAST(SUM(SUM(steps.size)) OVER (ORDER BY number) AS INTEGER) FROM operations
  JOIN steps ON steps.operation = number WHERE operations.state = 'done' OR taken < ? GROUP BY number ORDER BY number`;

/** Later operations on a file need these. */
const WITH_OLDER = `WITH RECURSIVE gone(number) AS (
  SELECT value FROM json_each(?)
  UNION
  SELECT older.operation FROM gone JOIN steps AS cut ON cut.operation = gone.number
    JOIN steps AS older ON older.path = cut.path AND older.sequence < cut.sequence
)
SELECT gone.number FROM gone JOIN operations ON operations.number = gone.number
  WHERE operations.state = 'done' OR operations.taken < ?`;

function sizeOf(database: JournalDatabase, { number }: OperationRecord): number {
  const sql = "SELECT SUM(size) FROM steps WHERE operation = ?";
  return database.prepare<[number | null]>(sql).get(number)?.[0] ?? 0;
}

function isThere(database: JournalDatabase, { number, id }: Pick<OperationRecord, "number" | "id">): boolean {
  return database.prepare("SELECT 1 FROM operations WHERE number = ? AND id = ?").get(number, id) !== undefined;
}

function remove(database: JournalDatabase, numbers: readonly number[]): void {
  for (const number of numbers) {
    database.prepare("DELETE FROM steps WHERE operation = ?").run(number);
    database.prepare("DELETE FROM operations WHERE number = ?").run(number);
  }
}

/** None is undone in part. */
function removeWithOlder(database: JournalDatabase, numbers: readonly number[], now: number): void {
  const all = database.prepare<[number]>(WITH_OLDER).all(JSON.stringify(numbers), now - UNFINISHED_LIFE_MS);
  remove(database, all.flat());
}
