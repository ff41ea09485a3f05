/** Undoing: finds what was done last to a file, whole operations included, and takes it back. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { foldName, folderOf, ROOT, type VaultPath } from "../storage/path.js";
import { contentRevision } from "../storage/content-revision.js";
import type { Storage, StoredFile } from "../storage/storage.js";
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
import { currentCaller } from "./caller.js";
import { noHistory, noOperation } from "./change.js";
import { judge } from "./judge.js";
import { operationReference } from "./operation-reference.js";
import {
  isMoveOf,
  stands,
  stateOf,
  stepsOf,
  unkeptStep,
  unreadableMove,
  unreadableStep,
  verdictOn,
} from "./operation-steps.js";
import type { KeptOperation } from "./operations.js";
import type { StepRecord } from "./record.js";
import type { Recorder } from "./recorder.js";
import type { KeptStep } from "./steps.js";
import { changedSince, inTheWay, takeBack, type TakenBack } from "./take-back.js";
import { decodeText } from "../storage/note-text.js";

export class Undoing {
  readonly #recorder: Recorder;
  readonly #storage: Storage;
  readonly #log: Log;
  /** Undoing is rare, and two at once would only refuse each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(recorder: Recorder, log: Log) {
    this.#recorder = recorder;
    this.#storage = recorder.storage;
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
    return this.#guarded(() => this.#lastChange());
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
      if (isOfIt) return await this.#undoOperation(operation, path);
    }
    const top = await this.#newestAround(path);
    if (!top) throw this.#isMoveUnreadable(path) ? unreadableMove(path) : noHistory(path);
    const operation =
      top.record.operation === undefined ? undefined : this.#recorder.operations.find(top.record.operation);
    const isMoved =
      operation && stepsOf(operation, this.#recorder.steps).steps.some(({ record }) => isMoveTo(record, path));
    if (isMoved) return await this.#undoOperation(operation, path);
    return await this.#outcome(path, [await takeBack(this.#storage, top)], []);
  }

  async #undoById(id: string, assertMayWrite: (path: VaultPath) => void): Promise<OperationUndo> {
    const operation = this.#recorder.operations.find(id);
    if (!operation) throw noOperation(operationReference(id) ?? id);
    if (operation.isUnderWay) throw stillUnderWay(id);
    const { steps, unreadable } = stepsOf(operation, this.#recorder.steps);
    for (const { record } of steps) for (const path of [record.path, record.from]) if (path) assertMayWrite(path);
    const { reason, to } = operation.plan;
    if (to !== undefined) await this.#assertMovesBack(operation, to);
    const { taken, kept } = await this.#takeBackAll(operation);
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

  async #lastChange(): Promise<LastChange | undefined> {
    const caller = currentCaller();
    for (const step of this.#recorder.steps.allNewestFirst()) {
      if (step.record.caller !== caller || !(await this.#hasHappened(step))) continue;
      const { path, operation } = step.record;
      const known = operation === undefined ? undefined : this.#recorder.operations.find(operation);
      return known ? { kind: "operation", id: known.id } : { kind: "file", path };
    }
    return undefined;
  }

  async #undoOperation(operation: KeptOperation, path: VaultPath): Promise<UndoOutcome> {
    await this.#assertMovesBack(operation, path);
    const { taken, kept } = await this.#takeBackAll(operation);
    return await this.#outcome(path, taken, kept);
  }

  /** Refuses before anything is touched when the file that was asked for cannot be taken back. */
  async #assertMovesBack(operation: KeptOperation, path: VaultPath): Promise<void> {
    const isOwn = (record: StepRecord): boolean => record.path === path || isMoveTo(record, path);
    const happened: KeptStep[] = [];
    const { steps, unreadable } = stepsOf(operation, this.#recorder.steps);
    if (unreadable.some((id) => isMoveOf(operation.plan, id))) throw unreadableMove(path);
    for (const step of steps) if (await this.#hasHappened(step)) happened.push(step);
    const own = happened.findLast(({ record }) => isOwn(record));
    if (own) {
      const top = await this.#newest(own.record.path);
      const isAsLeft = top?.id === own.id && (await judge(this.#storage, own.record)) === "happened";
      if (!isAsLeft) throw changedSince(path);
    }
    for (const step of happened) if (await this.#isOldNameTaken(step)) throw inTheWay(step.record.from ?? path);
  }

  /** Whether something else has the name that a moved file or folder had. */
  async #isOldNameTaken({ record, state }: KeptStep): Promise<boolean> {
    const { kind, path, from } = record;
    if (kind !== "move" || from === undefined || foldName(from) === foldName(path)) return false;
    // A crash in the middle of a move leaves both names.
    return state === "done" && (await stands(this.#storage, from));
  }

  /** Whether the last thing that was done to a path is an operation whose move the journal can no longer tell. */
  #isMoveUnreadable(path: VaultPath): boolean {
    const newest = this.#recorder.operations.ended().findLast(({ plan }) => isWithin(path, plan.to));
    return (
      newest !== undefined && stepsOf(newest, this.#recorder.steps).unreadable.some((id) => isMoveOf(newest.plan, id))
    );
  }

  async #reverse(operation: KeptOperation): Promise<Reversal> {
    const { taken, kept } = await this.#takeBackAll(operation);
    return { reverted: placesNow(taken), kept };
  }

  /** The last step first; those that cannot be taken back stay, and so do their files. */
  async #takeBackAll(operation: KeptOperation): Promise<{ taken: readonly TakenBack[]; kept: readonly Kept[] }> {
    const taken: TakenBack[] = [];
    const { steps, unreadable } = stepsOf(operation, this.#recorder.steps);
    const kept = [...operation.lost.map(unkeptStep), ...unreadable.map((id) => unreadableStep(operation.plan, id))];
    // What failed for another reason than that a file is not as it was left may succeed when it is tried again.
    let isWorthAnotherTry = false;
    const unmark = await operation.markUndoing(this.#recorder.clock.now());
    for (const step of steps.toReversed()) {
      const { path } = step.record;
      try {
        const result = await this.#takeBackOne(step);
        if (result) taken.push(result);
      } catch (error) {
        if (!isVaultError(error)) this.#log.error("a step could not be taken back", { path, error: String(error) });
        isWorthAnotherTry ||= !isVaultError(error, "CONFLICT");
        kept.push({ path, reason: isVaultError(error) ? error.message : "The undo journal cannot be used." });
      }
    }
    try {
      if (kept.length === 0) operation.drop();
      else if (taken.length === 0) unmark();
      else if (!isWorthAnotherTry) operation.end();
    } catch (error) {
      // What was taken back is; the next look at the operation finds that by the files.
      this.#log.error("the end of an undo could not be written down", { error: String(error) });
    }
    return { taken, kept };
  }

  /** Undefined when it was taken back before, or never happened. @throws VaultError CONFLICT when something was done since */
  async #takeBackOne(step: KeptStep): Promise<TakenBack | undefined> {
    const top = await this.#newest(step.record.path);
    if (top?.id === step.id) return await takeBack(this.#storage, top);
    if (this.#recorder.steps.find(step.id) !== "gone") throw changedSince(step.record.path);
    return undefined;
  }

  /**
   * What was done last to a path and stands, or cannot be told from what stands. Steps that never happened, or were taken back
   * by a process that did not live to say so, are dropped on the way.
   */
  async #newest(path: VaultPath): Promise<KeptStep | undefined> {
    for (const step of this.#recorder.steps.newestFirst(path)) {
      if (await this.#hasHappened(step)) return step;
      if (step.state === "undo" || step.isAbandoned) step.drop();
    }
    return undefined;
  }

  /** The newest step of a path, or of a folder above it that came to stand there later. */
  async #newestAround(path: VaultPath): Promise<KeptStep | undefined> {
    let newest = await this.#newest(path);
    for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) {
      const step = await this.#newest(folder);
      if (step?.record.folder && (!newest || step.record.at > newest.record.at)) newest = step;
    }
    return newest;
  }

  async #hasHappened(step: KeptStep): Promise<boolean> {
    return (await verdictOn(this.#storage, step)) !== "not";
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

function isWithin(path: VaultPath, place: VaultPath | undefined): boolean {
  return place !== undefined && (path === place || path.startsWith(`${place}/`));
}

/** Whether a step moved a file there, by itself or with its folder. */
function isMoveTo({ kind, path, folder }: StepRecord, to: VaultPath): boolean {
  return kind === "move" && (folder ? isWithin(to, path) : path === to);
}

/** Where a file is after a step was taken back, by where it was before that. */
function followed(path: VaultPath, { step }: TakenBack): VaultPath {
  if (step.from === undefined || !isMoveTo(step, path)) return path;
  return `${step.from}${path.slice(step.path.length)}` as VaultPath;
}

/** Where the files are in the end that were taken back one after the other. */
function placesNow(taken: readonly TakenBack[]): readonly VaultPath[] {
  return [...new Set(taken.map(({ path }, index) => taken.slice(index + 1).reduce(followed, path)))];
}
