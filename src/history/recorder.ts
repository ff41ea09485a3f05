/** Records every change in the journal before it is made. */
import type { Log } from "../log.js";
import { folderOf, ROOT, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import type { StepNotUndone, Operation, OperationPlan, Draft, OperationRecord, StepRecord } from "./journal-records.js";
import { judge } from "./undo-step.js";
import type { JournalStore } from "./journal-store.js";

export interface JournalChange {
  /** Whether it can be undone. */
  confirm(): Promise<boolean>;
  discard(): Promise<void>;
  /** After a failed change. @returns whether it was made */
  settle(): Promise<boolean>;
}

/** For changes that the journal cannot hold. */
export const NOT_KEPT: JournalChange = {
  confirm: async () => false,
  discard: async () => {},
  settle: async () => false,
};

/** By paths after the operation. @throws the database's errors */
export type UndoAll = (
  record: OperationRecord,
) => Promise<{ readonly undone: readonly VaultPath[]; readonly kept: readonly StepNotUndone[] }>;

interface OperationJournal {
  readonly record: OperationRecord;
  readonly store: JournalStore;
  readonly log: Log;
  readonly undoAll: UndoAll;
}

/** Without `journal`, nothing can be undone. */
export class RunningOperation implements Operation {
  readonly plan: OperationPlan;
  readonly #journal: OperationJournal | undefined;
  readonly #changed = new Set<VaultPath>();
  #isUndoable = true;
  /** Too large, or a change is not even recorded as lost. */
  isBroken = false;

  constructor(plan: OperationPlan, journal?: OperationJournal) {
    this.plan = plan;
    this.#journal = journal;
  }

  get id(): string {
    return this.record?.id ?? "";
  }

  get record(): OperationRecord | undefined {
    return this.#journal?.record;
  }

  made(path: VaultPath, undoable: boolean): void {
    this.#changed.add(path);
    this.#isUndoable &&= undoable;
  }

  async changedBack(path: VaultPath): Promise<void> {
    const { record, store } = this.#journal ?? {};
    const steps = record && store ? await store.stepsOf(record).catch(() => []) : [];
    const own = steps.filter((step) => step.path === path);
    if (own[0]?.before !== own.at(-1)?.after) return;
    this.#changed.delete(path);
    for (const step of own) await store?.drop(step).catch(() => undefined);
  }

  async done(): Promise<boolean> {
    const isStored = await this.#end();
    return this.#changed.size > 0 && this.#isUndoable && isStored;
  }

  async #end(): Promise<boolean> {
    if (!this.#journal) return false;
    const { record, store, log } = this.#journal;
    try {
      // Never undone in part.
      await (this.isBroken ? store.forget(record) : store.end(record));
      return !this.isBroken;
    } catch (error) {
      // It counts as interrupted.
      log.debug("the end of an operation could not be written", { error: String(error) });
      return false;
    }
  }

  async undo(): Promise<readonly StepNotUndone[]> {
    const journal = this.#journal;
    const { undone = [], kept = [] } = (await journal?.undoAll(journal.record).catch(() => undefined)) ?? {};
    const named = new Set([...undone, ...kept.map(({ path }) => path)]);
    const others = [...this.#changed].filter((path) => !named.has(path));
    return [...kept, ...others.map((path) => ({ path, reason: "The undo journal does not hold its former text." }))];
  }
}

export class Recorder {
  readonly store: JournalStore;
  readonly storage: Storage;
  readonly #log: Log;
  #hasWarned = false;

  constructor(store: JournalStore, storage: Storage, log: Log) {
    this.store = store;
    this.storage = storage;
    this.#log = log;
  }

  /** To disk, before the change. @param image the file before, if replaced or removed */
  async recordBefore(draft: Draft, operation: Operation | undefined, image?: Uint8Array): Promise<JournalChange> {
    const running = operation instanceof RunningOperation ? operation : undefined;
    const record = running?.record;
    if (operation && !record) return NOT_KEPT;
    try {
      const made = draft.before === undefined ? await newFolders(this.storage, draft.path) : 0;
      const step = await this.store.add({ ...draft, made }, record, image);
      if (typeof step !== "string") return recordedChange(this.store, this.storage, step);
      if (running) running.isBroken ||= step === "operation";
    } catch (error) {
      this.#warn(error);
    }
    if (running && record) await this.#lose(draft, running, record);
    return NOT_KEPT;
  }

  /** Undoing skips this file and names it. */
  async #lose(draft: Draft, running: RunningOperation, record: OperationRecord): Promise<void> {
    try {
      // No undo without the move.
      running.isBroken ||= draft.from !== undefined;
      await this.store.lose(draft, record);
    } catch {
      running.isBroken = true;
    }
  }

  async begin(plan: OperationPlan, undoAll: UndoAll): Promise<Operation> {
    try {
      return this.#follow(await this.store.begin(plan), plan, undoAll);
    } catch (error) {
      this.#warn(error);
      return new RunningOperation(plan);
    }
  }

  /** A new operation when the journal has lost it. */
  async resume(id: string, plan: OperationPlan, undoAll: UndoAll): Promise<Operation> {
    try {
      const record = await this.store.operation(id);
      if (!record || !this.store.isAbandoned(record)) return await this.begin(plan, undoAll);
      await this.store.take(record, "open");
      const operation = this.#follow(record, plan, undoAll);
      for (const { path, state } of await this.store.stepsOf(record)) operation.made(path, state !== "lost");
      return operation;
    } catch (error) {
      this.#warn(error);
      return new RunningOperation(plan);
    }
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const advice = "changes are made all the same, but cannot be undone; `doctor` tells more";
    this.#log.warn(`the undo journal cannot be written: ${advice}`, { error: String(error) });
  }

  #follow(record: OperationRecord, plan: OperationPlan, undoAll: UndoAll): RunningOperation {
    return new RunningOperation(plan, { record, store: this.store, log: this.#log, undoAll });
  }
}

/** The number of missing folders above a new file. */
async function newFolders(storage: Storage, path: VaultPath): Promise<number> {
  let count = 0;
  for (let at = folderOf(path); at !== ROOT && (await storage.isVacant?.(at)); at = folderOf(at)) count += 1;
  return count;
}

function recordedChange(store: JournalStore, storage: Storage, step: StepRecord): JournalChange {
  const confirm = async (): Promise<boolean> => {
    try {
      if (await store.become(step, "done")) return true;
      // Another process may have judged it.
      return (await store.step(step.sequence))?.state === "done";
    } catch {
      return false;
    }
  };
  // Else later readers judge by the file.
  const discard = async (): Promise<void> => await store.drop(step).catch(() => undefined);
  const settle = async (): Promise<boolean> => {
    try {
      const verdict = await judge(storage, step);
      if (verdict === "happened") await confirm();
      else if (verdict === "not") await discard();
      return verdict === "happened";
    } catch {
      // The next use judges the step.
      return false;
    }
  };
  return { confirm, discard, settle };
}
