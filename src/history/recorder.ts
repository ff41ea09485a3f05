/** Writes every change down ahead, settles it afterwards, and keeps the operations that are under way together. */
import type { Clock, Ids } from "../clock.js";
import type { Log } from "../log.js";
import type { Storage } from "../storage/storage.js";
import type { Operation, OperationPlan, Reversal } from "./journal.js";
import { currentCaller } from "./caller.js";
import { judge } from "./judge.js";
import { type KeptOperation, OperationBook } from "./operations.js";
import { type JournalChange, NOT_KEPT, unkept } from "./change.js";
import type { JournalOptions, JournalPlace } from "./store.js";
import type { StepRecord } from "./record.js";
import type { OpenStep } from "./kept-step.js";
import { StepBook } from "./steps.js";

const DEFAULT_UNDO_LIMIT = 100;
const DEFAULT_UNDO_SIZE = 100 * 1024 * 1024;

export type Draft = Omit<StepRecord, "at" | "maker" | "caller" | "operation">;

export interface RecorderOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export class Recorder {
  readonly steps: StepBook;
  readonly operations: OperationBook;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly #log: Log;
  readonly #underWay = new Map<string, KeptOperation>();

  constructor(
    place: JournalPlace,
    { limit, maxSize }: Pick<JournalOptions, "limit" | "maxSize">,
    { storage, clock, ids, log }: RecorderOptions,
  ) {
    this.storage = storage;
    this.clock = clock;
    this.#log = log;
    this.operations = new OperationBook(place, clock, ids);
    this.steps = new StepBook({
      place,
      clock,
      log,
      limit: limit ?? DEFAULT_UNDO_LIMIT,
      maxSize: maxSize ?? DEFAULT_UNDO_SIZE,
    });
  }

  /**
   * Writes a step ahead of its change.
   * @param image the file before, where the change replaces or removes it
   */
  ahead(draft: Draft, operation: Operation | undefined, image?: Uint8Array): JournalChange {
    const kept = operation && this.#underWay.get(operation.id);
    if (operation && !kept) return NOT_KEPT;
    const caller = currentCaller();
    const made = { ...draft, ...(kept && { operation: kept.id }), ...(caller !== undefined && { caller }) };
    const step = this.steps.record(made, image);
    if (!kept) return step ? new RecordedChange(this.storage, step) : NOT_KEPT;
    const lose = (): Promise<void> => kept.lose(draft.path, draft.kind === "move");
    return step ? new RecordedStep(this.storage, step, this.#addTo(kept, step), lose) : { ...NOT_KEPT, written: lose };
  }

  /** @param takeBack takes back what was done of a kept operation and ends it */
  async begin(plan: OperationPlan, takeBack: (kept: KeptOperation) => Promise<Reversal>): Promise<Operation> {
    try {
      return this.#follow(await this.operations.begin(plan), takeBack);
    } catch (error) {
      this.#log.debug("an operation could not be written into the undo journal", { error: String(error) });
      return unkept(plan);
    }
  }

  /** Goes on with an operation that was interrupted; as a new one when it is not known any more. */
  async resume(
    id: string,
    plan: OperationPlan,
    takeBack: (kept: KeptOperation) => Promise<Reversal>,
  ): Promise<Operation> {
    try {
      const kept = this.operations.find(id);
      if (!kept?.isAbandoned) return await this.begin(plan, takeBack);
      await kept.take(this.clock.now());
      return this.#follow(kept, takeBack);
    } catch (error) {
      this.#log.debug("an operation could not be gone on with in the undo journal", { error: String(error) });
      return unkept(plan);
    }
  }

  #follow(kept: KeptOperation, takeBack: (kept: KeptOperation) => Promise<Reversal>): Operation {
    const { id, plan } = kept;
    this.#underWay.set(id, kept);
    return {
      id,
      plan,
      done: async () => {
        this.#underWay.delete(id);
        try {
          if (kept.isBroken) this.#forget(kept);
          else kept.end();
        } catch (error) {
          // What it did stands all the same; the next look at the journal takes it for interrupted.
          this.#log.debug("the end of an operation could not be written down", { error: String(error) });
        }
      },
      takeBack: async () => {
        this.#underWay.delete(id);
        return await takeBack(kept);
      },
    };
  }

  /** What cannot be taken back as a whole is not taken back in part either. */
  #forget(kept: KeptOperation): void {
    for (const id of kept.steps) {
      const step = this.steps.find(id);
      if (typeof step !== "string") step.dropQuietly();
    }
    kept.drop();
  }

  /** @returns whether it was written down for good */
  async #addTo(kept: KeptOperation, step: OpenStep): Promise<boolean> {
    try {
      await kept.addStep(step.kept.id);
      return true;
    } catch (error) {
      this.#log.debug("a step could not be written into its operation", { error: String(error) });
      return false;
    }
  }
}

/** A change that stands alone. */
class RecordedChange implements JournalChange {
  readonly #storage: Storage;
  readonly #step: OpenStep;

  constructor(storage: Storage, step: OpenStep) {
    this.#storage = storage;
    this.#step = step;
  }

  async written(): Promise<void> {}

  confirm(): Promise<boolean> {
    return this.#step.confirm();
  }

  discard(): void {
    this.#step.kept.dropQuietly();
  }

  async settle(): Promise<void> {
    try {
      const verdict = await judge(this.#storage, this.#step.kept.record);
      if (verdict === "happened") await this.confirm();
      else if (verdict === "not") this.discard();
    } catch {
      // The storage cannot tell now; the next look at the step will.
    }
  }
}

/** A step of an operation: where it cannot be written down for good, it is not kept at all, and the operation knows of that. */
class RecordedStep extends RecordedChange {
  readonly #isWritten: Promise<boolean>;

  constructor(storage: Storage, step: OpenStep, listed: Promise<boolean>, lose: () => Promise<void>) {
    super(storage, step);
    this.#isWritten = Promise.all([step.written(), listed]).then(async (all) => {
      const isWritten = all.every(Boolean);
      if (isWritten) return true;
      this.discard();
      await lose();
      return false;
    });
  }

  override async written(): Promise<void> {
    await this.#isWritten;
  }

  override async confirm(): Promise<boolean> {
    return (await this.#isWritten) && (await super.confirm());
  }

  override async settle(): Promise<void> {
    if (await this.#isWritten) await super.settle();
  }
}
