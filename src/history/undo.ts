/** Undoing: finds what was done last to a file, whole operations included, and takes it back. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { contentRevision } from "../storage/content-revision.js";
import { decodeText } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage, StoredFile } from "../storage/storage.js";
import { noHistory, noOperation } from "./change.js";
import type {
  EarlierText,
  Kept,
  LastChange,
  Operation,
  OperationPlan,
  OperationUndo,
  Reversal,
  UndoOutcome,
  UnfinishedOperation,
} from "./journal.js";
import { followed, isMoveTo, isWithin, placesNow } from "./moved-paths.js";
import { operationReference } from "./operation-reference.js";
import { isMoveOf, stateOf, stepsOf, unreadableMove } from "./operation-steps.js";
import { OperationReversal } from "./operation-undo.js";
import type { KeptOperation } from "./operations.js";
import type { Recorder } from "./recorder.js";
import { StandingSteps } from "./standing-steps.js";
import { changedSince, takeBack, type TakenBack } from "./take-back.js";

export class Undoing {
  readonly #recorder: Recorder;
  readonly #storage: Storage;
  readonly #standing: StandingSteps;
  readonly #operations: OperationReversal;
  readonly #log: Log;
  /** Undoing is rare, and two at once would only refuse each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(recorder: Recorder, log: Log) {
    this.#recorder = recorder;
    this.#storage = recorder.storage;
    this.#standing = new StandingSteps(recorder);
    this.#operations = new OperationReversal(recorder, this.#standing, log);
    this.#log = log;
  }

  begin(plan: OperationPlan): Promise<Operation> {
    return this.#recorder.begin(plan, (kept) => this.#inTurn(() => this.#reverse(kept)));
  }

  resume({ id, plan }: UnfinishedOperation): Promise<Operation> {
    return this.#recorder.resume(id, plan, (kept) => this.#inTurn(() => this.#reverse(kept)));
  }

  /** As `Vault.undo`. */
  undo(path: VaultPath): Promise<UndoOutcome> {
    return this.#guarded(() => this.#undo(path));
  }

  /** As `Vault.undoOperation`. @param assertMayWrite refuses a file that may not be written */
  undoOperation(id: string, assertMayWrite: (path: VaultPath) => void): Promise<OperationUndo> {
    return this.#guarded(() => this.#undoById(id, assertMayWrite));
  }

  /** As `Vault.lastChange`. */
  lastChange(): Promise<LastChange | undefined> {
    return this.#guarded(() => this.#standing.lastChange());
  }

  #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof VaultError) throw error;
        this.#log.error("the undo journal could not be used", { error: String(error) });
        throw new VaultError("UNAVAILABLE", "The undo journal cannot be used; nothing was changed.", {
          hint: "`doctor` tells what is wrong with the state folder.",
          cause: error,
        });
      }
    });
  }

  /** As `Vault.unfinished`. */
  unfinished(): Promise<readonly UnfinishedOperation[]> {
    return this.#unless(() => this.#findUnfinished(), []);
  }

  /** As `Vault.earlierTexts`. */
  earlierTexts(from: VaultPath, to: VaultPath): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    return this.#unless(() => this.#earlierTexts(from, to), undefined);
  }

  /** A journal that cannot be read knows nothing, and keeps no writer from writing. */
  async #unless<Result>(look: () => Promise<Result>, nothing: Result): Promise<Result> {
    try {
      return await look();
    } catch (error) {
      this.#log.debug("the undo journal cannot be read", { error: String(error) });
      return nothing;
    }
  }

  async #findUnfinished(): Promise<readonly UnfinishedOperation[]> {
    const found: UnfinishedOperation[] = [];
    for (const operation of this.#recorder.operations.abandoned()) {
      // One that cannot be judged now hides no other.
      const state = await this.#unless(() => stateOf(operation, this.#recorder), undefined);
      if (state) found.push(state);
    }
    return found;
  }

  async #earlierTexts(from: VaultPath, to: VaultPath): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    for (const { record, state } of this.#recorder.steps.newestFirst(to)) {
      if (record.kind !== "move" || record.from !== from || state !== "done") continue;
      const operation = this.#recorder.operations.find(record.operation ?? "");
      return operation && (await this.#textsBefore(operation));
    }
    return undefined;
  }

  async #textsBefore(operation: KeptOperation): Promise<ReadonlyMap<VaultPath, EarlierText>> {
    const texts = new Map<VaultPath, EarlierText>();
    for (const { record, image } of stepsOf(operation, this.#recorder.steps).steps) {
      const file = record.kind === "edit" ? await this.#storage.read(record.path) : undefined;
      if (!file || contentRevision(file.bytes) !== record.after) continue;
      const [now, before] = [decodeText(file.bytes), decodeText(image)];
      if (now !== undefined && before !== undefined) texts.set(record.path, { now, before });
    }
    return texts;
  }

  async #undo(path: VaultPath): Promise<UndoOutcome> {
    const { operations } = this.#recorder;
    const interrupted = (await this.unfinished()).flatMap(({ id }) => operations.find(id) ?? []);
    for (const operation of [...interrupted, ...operations.halfUndone()]) {
      const { from, to, files } = operation.plan;
      const isOfIt = isWithin(path, from) || isWithin(path, to) || (operation.isHalfUndone && files.includes(path));
      const undone = isOfIt ? await this.#undoOperation(operation, path) : undefined;
      if (undone) return undone;
    }
    const top = await this.#standing.newestAround(path);
    if (!top) throw this.#isMoveUnreadable(path) ? unreadableMove(path) : noHistory(path);
    const operation =
      top.record.operation === undefined ? undefined : this.#recorder.operations.find(top.record.operation);
    const isMoved =
      operation && stepsOf(operation, this.#recorder.steps).steps.some(({ record }) => isMoveTo(record, path));
    const undone = isMoved ? await this.#undoOperation(operation, path) : undefined;
    return undone ?? (await this.#outcome(path, [await takeBack(this.#storage, top)], []));
  }

  async #undoById(id: string, assertMayWrite: (path: VaultPath) => void): Promise<OperationUndo> {
    const operation = this.#recorder.operations.find(id);
    if (!operation) throw noOperation(operationReference(id) ?? id);
    if (operation.isUnderWay) throw stillUnderWay(id);
    const { steps, unreadable } = stepsOf(operation, this.#recorder.steps);
    for (const { record } of steps) for (const path of [record.path, record.from]) if (path) assertMayWrite(path);
    const { reason, to } = operation.plan;
    if (to !== undefined) await this.#operations.assertMovesBack(operation, to);
    const { taken, kept } = await this.#operations.takeBackAll(operation);
    if (taken.length === 0 && kept.length === 0 && unreadable.length === 0)
      throw noOperation(operationReference(id) ?? id);
    if (taken.length === 0) throw nothingTaken(id, kept);
    this.#log.debug("undone", { operation: id, reason, files: taken.length });
    return {
      id,
      reason,
      reverted: placesNow(taken),
      removed: taken.flatMap(({ step }) => (step.kind === "create" ? [step.path] : [])),
      kept,
      durable: taken.every(({ durable }) => durable),
    };
  }

  /** Undefined when all of it had been taken back before, and only that could not be written down. */
  async #undoOperation(operation: KeptOperation, path: VaultPath): Promise<UndoOutcome | undefined> {
    await this.#operations.assertMovesBack(operation, path);
    const { taken, kept } = await this.#operations.takeBackAll(operation);
    return taken.length === 0 && kept.length === 0 ? undefined : await this.#outcome(path, taken, kept);
  }

  /** Whether the last thing that was done to a path is an operation whose move the journal can no longer tell. */
  #isMoveUnreadable(path: VaultPath): boolean {
    const newest = this.#recorder.operations.ended().findLast(({ plan }) => isWithin(path, plan.to));
    return (
      newest !== undefined && stepsOf(newest, this.#recorder.steps).unreadable.some((id) => isMoveOf(newest.plan, id))
    );
  }

  async #reverse(operation: KeptOperation): Promise<Reversal> {
    const { taken, kept } = await this.#operations.takeBackAll(operation);
    return { reverted: placesNow(taken), kept };
  }

  /** @param path as it was asked for */
  async #outcome(path: VaultPath, taken: readonly TakenBack[], kept: readonly Kept[]): Promise<UndoOutcome> {
    const main = taken.findLast(({ step }) => step.path === path || isMoveTo(step, path)) ?? taken.at(-1);
    // Every step had something in its way: the first of them says what.
    if (!main) throw new VaultError("CONFLICT", kept[0]?.reason ?? changedSince(path).message, { path });
    const { kind, from, reason, at, permanent } = main.step;
    const now = taken.reduce(followed, path);
    const { file, unread } = await this.#fileAt(now);
    this.#log.debug("undone", { path, kind, reason });
    return {
      path: now,
      text: file && decodeText(file.bytes),
      file: file && { stat: file.stat, revision: file.revision, durable: taken.every(({ durable }) => durable) },
      step: { kind, path: main.step.path, reason, at, ...(from === undefined ? {} : { from }) },
      trashedTo: main.trashedTo,
      copyInTrash: kind === "delete" && permanent !== true,
      others: placesNow(taken).filter((other) => other !== now && !isWithin(now, other)),
      kept: [...kept, ...unread],
      remaining: this.#countOf(now),
    };
  }

  /** What stands at a path after an undo, which nothing that fails now may make look as if it had not been. */
  async #fileAt(path: VaultPath): Promise<{ readonly file: StoredFile | undefined; readonly unread: readonly Kept[] }> {
    try {
      return { file: await this.#storage.read(path), unread: [] };
    } catch (error) {
      const reason = isVaultError(error) ? error.message : "The disk reported an error.";
      return { file: undefined, unread: [{ path, reason: `It was taken back, but cannot be read now: ${reason}` }] };
    }
  }

  #countOf(path: VaultPath): number {
    try {
      return this.#recorder.steps.countOf(path);
    } catch (error) {
      this.#log.error("the undo journal could not be used", { error: String(error) });
      return 0;
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

function stillUnderWay(id: string): VaultError {
  return new VaultError("CONFLICT", `'${operationReference(id) ?? id}' is still under way; nothing was changed.`, {
    hint: "Undo it when it has ended.",
  });
}

function nothingTaken(id: string, kept: readonly Kept[]): VaultError {
  const [first, ...others] = kept;
  const more = others.length === 0 ? "" : ` So are ${others.length} more of its files.`;
  return new VaultError(
    "CONFLICT",
    `Nothing of '${operationReference(id) ?? id}' was undone. ${first?.reason ?? ""}${more}`,
    {
      ...(first && { path: first.path }),
      hint: "Its files were changed since; read them as they are now and edit them instead.",
    },
  );
}
