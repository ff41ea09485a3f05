/** Which steps of the journal stand: what was done last to a path, or by a caller, and was not taken back since. */
import { folderOf, ROOT, type VaultPath } from "../storage/path.js";
import { currentCaller } from "./caller.js";
import type { LastChange } from "./journal.js";
import { verdictOn } from "./operation-steps.js";
import type { Recorder } from "./recorder.js";
import type { KeptStep } from "./kept-step.js";

export class StandingSteps {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /**
   * What was done last to a path and stands, or cannot be told from what stands. Steps that never happened, or were taken back
   * by a process that did not live to say so, are dropped on the way.
   */
  async newest(path: VaultPath): Promise<KeptStep | undefined> {
    for (const step of this.#recorder.steps.newestFirst(path)) {
      if (await this.hasHappened(step)) return step;
      if (step.state === "undo" || step.isAbandoned) step.drop();
    }
    return undefined;
  }

  /** The newest step of a path, or of a folder above it that came to stand there later. */
  async newestAround(path: VaultPath): Promise<KeptStep | undefined> {
    let newest = await this.newest(path);
    for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) {
      const step = await this.newest(folder);
      if (step?.record.folder && (!newest || step.record.at > newest.record.at)) newest = step;
    }
    return newest;
  }

  async hasHappened(step: KeptStep): Promise<boolean> {
    return (await verdictOn(this.#recorder.storage, step)) !== "not";
  }

  /** What the caller at work did last in this vault. */
  async lastChange(): Promise<LastChange | undefined> {
    const caller = currentCaller();
    for (const step of this.#recorder.steps.allNewestFirst()) {
      if (step.record.caller !== caller || !(await this.hasHappened(step))) continue;
      const { path, operation } = step.record;
      const known = operation === undefined ? undefined : this.#recorder.operations.find(operation);
      return known ? { kind: "operation", id: known.id } : { kind: "file", path };
    }
    return undefined;
  }
}
