/** Undoes a file's newest change, or its operation. */
import { currentCall } from "../async/caller.js";
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { contentRevision } from "../storage/storage.js";
import { decodeText } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import {
  cutOff,
  isLinkStep,
  kindOf,
  lostStep,
  mayHoldText,
  stillUnderWay,
  nothingTaken,
  type EarlierText,
  type StepNotUndone,
  type LastChange,
  noHistory,
  perhapsAnotherVaults,
  noOperation,
  type Operation,
  type OperationPlan,
  type OperationUndo,
  type UndoOutcome,
  type UnfinishedOperation,
  type OperationRecord,
  type StepRecord,
} from "./journal-records.js";
import {
  pathAfterUndo,
  isMoveTo,
  isOldNameTaken,
  isWithin,
  newestStep,
  newestStepAround,
  wasMade,
  judge,
  placesNow,
  readUndone,
  verdictOn,
  changedSince,
  inTheWay,
  undoStep,
  type UndoneStep,
} from "./undo-step.js";
import type { Recorder, UndoAll } from "./recorder.js";

const PAGE = 20;
const STEPS_OF_OWNER =
  "operation IN (SELECT number FROM operations WHERE owner IS ?) AND sequence < ? ORDER BY sequence DESC LIMIT ?";

/** @param isLink only link updates changed the file @throws for a file that may not be changed */
export type UndoGuard = (path: VaultPath, isLink: boolean) => Promise<void>;

export function undoing(recorder: Recorder, log: Log) {
  /** Other undos skip a running operation. */
  const reverse: UndoAll = async (operation) => {
    const { taken, kept } = await takeBackAll(operation);
    return { undone: taken.map(({ step }) => step.path), kept };
  };
  const { store, storage } = recorder;

  function begin(plan: OperationPlan): Promise<Operation> {
    return recorder.begin(plan, reverse);
  }

  function resume({ id, plan }: UnfinishedOperation): Promise<Operation> {
    return recorder.resume(id, plan, reverse);
  }

  /** Waits for moves and merges. */
  function undo(path: VaultPath, assertMayUndo: UndoGuard): Promise<UndoOutcome> {
    return storage.withVaultLock(() => guarded(() => undoFile(path, assertMayUndo)));
  }

  function undoOperation(id: string, assertMayUndo: UndoGuard): Promise<OperationUndo> {
    return storage.withVaultLock(() => guarded(() => undoById(id, assertMayUndo)));
  }

  function lastChange(): Promise<LastChange | undefined> {
    return guarded(async () => {
      const { owner } = currentCall();
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const steps = await store.steps(STEPS_OF_OWNER, owner ?? null, before, PAGE);
        for (const step of steps) {
          if (step.state === "lost" || !(await wasMade(storage, step))) continue;
          const operation = await store.operation(step.operation);
          if (operation?.plan) return { kind: "operation", id: operation.id };
          // Else it would undo another caller's change.
          if ((await newestStep(store, storage, step.path))?.sequence !== step.sequence) throw changedSince(step.path);
          return { kind: "file", path: step.path };
        }
        const last = steps.at(-1);
        if (!last || steps.length < PAGE) return undefined;
        before = last.sequence;
      }
    });
  }

  function marks(path: VaultPath): Promise<readonly string[]> {
    return unless(async () => {
      const steps = await store.stepsOfPath(path);
      return steps.flatMap(({ mark, state }) => (mark === undefined || state === "undo" ? [] : [mark]));
    }, []);
  }

  function unfinished(): Promise<readonly UnfinishedOperation[]> {
    return unless(() => findUnfinished(), []);
  }

  function earlierTexts(
    path: VaultPath,
    isWanted: (step: StepRecord) => boolean,
  ): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    return unless(async () => {
      const steps = await store.stepsOfPath(path);
      const found = steps.find((step) => step.state === "done" && isWanted(step));
      const operation = found && (await store.operation(found.operation));
      if (!operation?.plan) return undefined;
      const texts = new Map<VaultPath, EarlierText>();
      for (const step of await store.stepsOf(operation)) {
        const file = kindOf(step) === "edit" && step.state !== "lost" ? await storage.read(step.path) : undefined;
        if (!file || contentRevision(file.bytes) !== step.after) continue;
        const [now, before] = [decodeText(file.bytes), decodeText(await store.imageOf(step))];
        if (now !== undefined && before !== undefined) texts.set(step.path, { now, before });
      }
      return texts;
    }, undefined);
  }

  async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      if (!(await store.connection.isOurs())) throw perhapsAnotherVaults();
      return await work();
    } catch (error) {
      if (error instanceof VaultError) throw error;
      log.error("the undo journal could not be used", { error: String(error) });
      throw new VaultError("UNAVAILABLE", "The undo journal cannot be used; nothing was changed.", {
        hint: "`doctor` says what is wrong with the state folder.",
        cause: error,
      });
    }
  }

  /** Even without a readable journal files can be written. */
  async function unless<Result>(look: () => Promise<Result>, nothing: Result): Promise<Result> {
    try {
      return await look();
    } catch (error) {
      log.debug("the undo journal cannot be read", { error: String(error) });
      return nothing;
    }
  }

  async function findUnfinished(): Promise<readonly UnfinishedOperation[]> {
    const found: UnfinishedOperation[] = [];
    for (const operation of await store.unfinished()) {
      if (!store.isAbandoned(operation)) continue;
      // It must not hide the others.
      const state = await unless(() => stateOf(operation), undefined);
      if (state) found.push(state);
    }
    return found;
  }

  /** Removes an empty operation; ends a complete one. */
  async function stateOf(operation: OperationRecord): Promise<UnfinishedOperation | undefined> {
    const { id, began, plan = { reason: operation.reason, files: [] } } = operation;
    const done: StepRecord[] = [];
    const doubtful: VaultPath[] = [];
    for (const step of await store.stepsOf(operation)) {
      const verdict = step.state === "lost" ? "other" : await verdictOn(storage, step);
      if (verdict !== "not") done.push(step);
      if (verdict === "other") doubtful.push(step.path);
    }
    if (done.length === 0) {
      await store.forget(operation);
      return undefined;
    }
    const touched = new Set(done.flatMap(({ path, from }) => [path, from]));
    const missing = plan.files.filter((path) => !touched.has(path));
    const isMoved = plan.from === undefined || done.some(({ from }) => from !== undefined);
    if (!isMoved || missing.length + doubtful.length > 0)
      return { id, plan, began, done, doubtful, missing, canUndo: await canUndo(operation, done) };
    await store.end(operation);
    return undefined;
  }

  async function undoFile(path: VaultPath, assertMayUndo: UndoGuard): Promise<UndoOutcome> {
    const interrupted = new Set((await findUnfinished()).map(({ id }) => id));
    for (const operation of await store.unfinished()) {
      const isHalfUndone = operation.state === "undo" && store.isOurs(operation);
      if (!isHalfUndone && !interrupted.has(operation.id)) continue;
      const { from, to, asOne = false, files = [] } = operation.plan ?? {};
      const isOne = asOne || operation.state === "undo";
      const isOfIt = isWithin(path, from) || isWithin(path, to) || (isOne && files.includes(path));
      const undone = isOfIt ? await undoWhole(operation, path, assertMayUndo) : undefined;
      if (undone) return undone;
    }
    const top = await newestStepAround(store, storage, path);
    if (!top) throw noHistory(path);
    const operation = await store.operation(top.operation);
    if (!operation) throw new Error("the operation of a step is missing");
    assertEnded(operation);
    const undone = (await isWhole(operation, path)) && (await undoWhole(operation, path, assertMayUndo));
    if (undone) return undone;
    const taken = await undoStep(store, storage, top);
    return {
      ...(await outcome(path, [taken], [])),
      rest: await unless(() => restOf(operation), undefined),
    };
  }

  function assertEnded(operation: OperationRecord): void {
    if (operation.isDamaged) throw new Error("the operation is damaged");
    if (operation.state === "open" && !store.isAbandoned(operation)) throw stillUnderWay(operation.id);
  }

  async function restOf(operation: OperationRecord): Promise<UndoOutcome["rest"]> {
    const steps = operation.plan ? await store.stepsOf(operation) : [];
    const files = new Set(steps.flatMap(({ path, state }) => (state === "lost" ? [] : [path])));
    return files.size === 0 ? undefined : { id: operation.id, files: [...files].sort() };
  }

  async function isWhole(operation: OperationRecord, path: VaultPath): Promise<boolean> {
    const { plan } = operation;
    if (!plan) return false;
    if (plan.asOne === true || isWithin(path, plan.to)) return true;
    return (await store.stepsOf(operation)).some((step) => isMoveTo(step, path));
  }

  async function undoById(id: string, assertMayUndo: UndoGuard): Promise<OperationUndo> {
    const operation = await store.operation(id);
    if (!operation) throw noOperation(id);
    assertEnded(operation);
    await assertUndoable(operation, assertMayUndo);
    const { reason, plan } = operation;
    if (plan?.to !== undefined) await assertMovesBack(operation, plan.to);
    const { taken, kept } = await takeBackAll(operation);
    if (taken.length === 0 && kept.length === 0) throw noOperation(id);
    if (taken.length === 0) throw nothingTaken(id, kept);
    log.debug("undone", { operation: id, reason, files: taken.length });
    return {
      id,
      reason,
      reverted: placesNow(taken),
      removed: taken.flatMap(({ step }) => (kindOf(step) === "create" ? [step.path] : [])),
      kept,
      durable: taken.every(({ durable }) => durable),
    };
  }

  async function assertUndoable(operation: OperationRecord, assertMayUndo: UndoGuard): Promise<void> {
    const steps = await store.stepsOf(operation);
    for (const step of steps)
      for (const one of [step.path, step.from]) if (one) await assertMayUndo(one, isLinkStep(operation, step));
    // Damage or an earlier version may have removed steps.
    if (steps.length < (operation.steps ?? 0)) throw cutOff(operation.id);
  }

  /** Undefined when only the record was missing. */
  async function undoWhole(
    operation: OperationRecord,
    path: VaultPath,
    assertMayUndo: UndoGuard,
  ): Promise<UndoOutcome | undefined> {
    await assertUndoable(operation, assertMayUndo);
    await assertMovesBack(operation, path);
    // Else all files stay.
    for (const step of operation.plan?.asOne ? await store.stepsOf(operation) : [])
      if (step.state !== "lost" && !isLinkStep(operation, step)) await store.imageOf(step);
    const { taken, kept } = await takeBackAll(operation);
    return taken.length === 0 && kept.length === 0 ? undefined : await outcome(path, taken, kept);
  }

  /** For operations undone as a whole. */
  async function assertMovesBack(operation: OperationRecord, path: VaultPath): Promise<void> {
    const made: StepRecord[] = [];
    for (const step of await store.stepsOf(operation)) if (await wasMade(storage, step)) made.push(step);
    const own = made.findLast((step) => step.path === path || isMoveTo(step, path));
    if (own) {
      const top = await newestStep(store, storage, own.path);
      const isAsLeft = top?.sequence === own.sequence && (await judge(storage, own)) === "happened";
      if (!isAsLeft) throw changedSince(path);
    }
    for (const step of made) if (await isOldNameTaken(storage, step)) throw inTheWay(step.from ?? step.path);
  }

  async function canUndo(operation: OperationRecord, made: readonly StepRecord[]): Promise<boolean> {
    const { to } = operation.plan ?? {};
    try {
      if (to !== undefined) await assertMovesBack(operation, to);
    } catch (error) {
      if (isVaultError(error, "CONFLICT")) return false;
      throw error;
    }
    for (const step of made) {
      const isNewest =
        step.state !== "lost" && (await newestStep(store, storage, step.path))?.sequence === step.sequence;
      if (isNewest && (await judge(storage, step)) === "happened") return true;
    }
    return false;
  }

  /** The last change first. */
  async function takeBackAll(
    operation: OperationRecord,
  ): Promise<{ taken: readonly UndoneStep[]; kept: readonly StepNotUndone[] }> {
    const taken: UndoneStep[] = [];
    const steps = await store.stepsOf(operation);
    const kept: StepNotUndone[] = steps.filter(({ state }) => state === "lost").map(({ path }) => lostStep(path));
    // They may be temporary.
    let isWorthAnotherTry = false;
    const edited = steps.filter((step) => kindOf(step) === "edit" && !isLinkStep(operation, step));
    if (operation.plan) await store.take(operation, "undo");
    for (const step of steps.toReversed().filter(({ state }) => state !== "lost")) {
      const { path } = step;
      try {
        const keeper = kindOf(step) === "create" && edited.find((one) => kept.some((left) => left.path === one.path));
        if (keeper) throw mayHoldText(path, keeper.path);
        const result = await undoOne(step);
        if (result) taken.push(result);
      } catch (error) {
        if (!isVaultError(error)) log.error("a step could not be undone", { path, error: String(error) });
        isWorthAnotherTry ||= !isVaultError(error, "CONFLICT");
        const reason = isVaultError(error) ? error.message : "The undo journal cannot be used.";
        if (!kept.some((one) => one.path === path)) kept.push({ path, reason });
      }
    }
    try {
      if (kept.length === 0) await store.forget(operation);
      else if (taken.length === 0) await store.end(operation, operation.state);
      else if (!isWorthAnotherTry) await store.end(operation);
    } catch (error) {
      // The next undo will see that.
      log.error("the end of an undo could not be written", { error: String(error) });
    }
    return { taken, kept };
  }

  /** Undefined when there was nothing to do. */
  async function undoOne(step: StepRecord): Promise<UndoneStep | undefined> {
    const top = await newestStep(store, storage, step.path);
    if (top?.sequence === step.sequence) return await undoStep(store, storage, top);
    const left = await store.step(step.sequence);
    if (left && (await wasMade(storage, left))) throw changedSince(step.path);
    if (left) await store.drop(left);
    return undefined;
  }

  async function outcome(
    path: VaultPath,
    taken: readonly UndoneStep[],
    kept: readonly StepNotUndone[],
  ): Promise<UndoOutcome> {
    const main = taken.findLast(({ step }) => step.path === path || isMoveTo(step, path)) ?? taken.at(-1);
    if (!main) throw new VaultError("CONFLICT", kept[0]?.reason ?? changedSince(path).message, { path });
    const { from, reason, at, permanent } = main.step;
    const kind = kindOf(main.step);
    const now = taken.reduce(pathAfterUndo, path);
    const { file, unread } = await readUndone(storage, now);
    log.debug("undone", { path, kind, reason });
    return {
      path: now,
      text: file && decodeText(file.bytes),
      file: file && { stat: file.stat, revision: file.revision, durable: taken.every(({ durable }) => durable) },
      step: { kind, path: main.step.path, reason, at, ...(from === undefined ? {} : { from }) },
      trashedTo: main.trashedTo,
      copyInTrash: kind === "delete" && permanent !== true,
      others: placesNow(taken).filter((other) => other !== now && !isWithin(now, other)),
      kept: [...kept, ...unread],
      remaining: await unless(async () => (await store.stepsOfPath(now)).length, 0),
      rest: undefined,
    };
  }

  return { begin, resume, undo, undoOperation, lastChange, marks, unfinished, earlierTexts };
}
