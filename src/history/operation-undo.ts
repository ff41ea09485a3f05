/** Takes back the steps of an operation, the last one first, and refuses beforehand what cannot be taken back as it was asked. */
import { isVaultError } from "../errors.js";
import type { Log } from "../log.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Kept } from "./journal.js";
import { judge } from "./judge.js";
import { isMoveTo } from "./moved-paths.js";
import { isMoveOf, stands, stepsOf, unkeptStep, unreadableMove, unreadableStep } from "./operation-steps.js";
import type { KeptOperation } from "./operations.js";
import type { StepRecord } from "./record.js";
import type { Recorder } from "./recorder.js";
import type { StandingSteps } from "./standing-steps.js";
import type { KeptStep } from "./kept-step.js";
import { changedSince, inTheWay, takeBack, type TakenBack } from "./take-back.js";

export class OperationReversal {
  readonly #recorder: Recorder;
  readonly #standing: StandingSteps;
  readonly #log: Log;

  constructor(recorder: Recorder, standing: StandingSteps, log: Log) {
    this.#recorder = recorder;
    this.#standing = standing;
    this.#log = log;
  }

  /** Refuses before anything is touched when the file that was asked for cannot be taken back. */
  async assertMovesBack(operation: KeptOperation, path: VaultPath): Promise<void> {
    const isOwn = (record: StepRecord): boolean => record.path === path || isMoveTo(record, path);
    const happened: KeptStep[] = [];
    const { steps, unreadable } = stepsOf(operation, this.#recorder.steps);
    if (unreadable.some((id) => isMoveOf(operation.plan, id))) throw unreadableMove(path);
    for (const step of steps) if (await this.#standing.hasHappened(step)) happened.push(step);
    const own = happened.findLast(({ record }) => isOwn(record));
    if (own) {
      const top = await this.#standing.newest(own.record.path);
      const isAsLeft = top?.id === own.id && (await judge(this.#recorder.storage, own.record)) === "happened";
      if (!isAsLeft) throw changedSince(path);
    }
    for (const step of happened) if (await this.#isOldNameTaken(step)) throw inTheWay(step.record.from ?? path);
  }

  /** Whether something else has the name that a moved file or folder had. */
  async #isOldNameTaken({ record, state }: KeptStep): Promise<boolean> {
    const { kind, path, from } = record;
    if (kind !== "move" || from === undefined || foldName(from) === foldName(path)) return false;
    // A crash in the middle of a move leaves both names.
    return state === "done" && (await stands(this.#recorder.storage, from));
  }

  /** The last step first; those that cannot be taken back stay, and so do their files. */
  async takeBackAll(operation: KeptOperation): Promise<{ taken: readonly TakenBack[]; kept: readonly Kept[] }> {
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
    const top = await this.#standing.newest(step.record.path);
    if (top?.id === step.id) return await takeBack(this.#recorder.storage, top);
    if (this.#recorder.steps.find(step.id) !== "gone") throw changedSince(step.record.path);
    return undefined;
  }
}
