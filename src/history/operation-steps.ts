/** What the steps of an operation say: which are there, which happened, and how far an interrupted operation came. */
import { VaultError } from "../errors.js";
import { ROOT, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import type { Kept, OperationPlan, UnfinishedOperation } from "./journal.js";
import { judge, type Verdict } from "./judge.js";
import type { KeptOperation } from "./operations.js";
import { keyOf, type StepRecord } from "./record.js";
import type { Recorder } from "./recorder.js";
import type { KeptStep } from "./kept-step.js";
import type { StepBook } from "./steps.js";

/** The steps of an operation that are still there, in order, and the ids of those that cannot be read. */
export function stepsOf(
  operation: KeptOperation,
  book: StepBook,
): { readonly steps: readonly KeptStep[]; readonly unreadable: readonly string[] } {
  const found = operation.steps.map((id) => ({ id, step: book.find(id) }));
  return {
    steps: found.flatMap(({ step }) => (typeof step === "string" ? [] : [step])),
    unreadable: found.filter(({ step }) => step === "unreadable").map(({ id }) => id),
  };
}

/** Whether a step happened, by its mark or by the file. */
export async function verdictOn(storage: Storage, step: KeptStep): Promise<Verdict> {
  return step.state === "done" ? "happened" : await judge(storage, step.record);
}

/** What was interrupted before anything was changed is forgotten, and what is complete is ended. */
export async function stateOf(
  operation: KeptOperation,
  { steps: book, storage }: Recorder,
): Promise<UnfinishedOperation | undefined> {
  const { id, plan, began } = operation;
  const done: StepRecord[] = [];
  const doubtful: VaultPath[] = [];
  const { steps, unreadable } = stepsOf(operation, book);
  for (const step of steps) {
    const verdict = await verdictOn(storage, step);
    if (verdict !== "not") done.push(step.record);
    if (verdict === "other") doubtful.push(step.record.path);
  }
  if (done.length === 0 && !(unreadable.length > 0 && (await hasMoved(storage, plan)))) {
    operation.drop();
    return undefined;
  }
  const touched = new Set(done.flatMap(({ path, from }) => [path, from]));
  const missing = plan.files.filter((path) => !touched.has(path));
  const isMoved = plan.from === undefined || done.some(({ kind }) => kind === "move");
  // Only its end was not written down.
  if (!isMoved || missing.length + doubtful.length > 0) return { id, plan, began, done, doubtful, missing };
  operation.end();
  return undefined;
}

/** Whether the files say that a planned move was made, where the journal cannot. */
async function hasMoved(storage: Storage, { from, to }: OperationPlan): Promise<boolean> {
  return from !== undefined && to !== undefined && (await stands(storage, to)) && !(await stands(storage, from));
}

/** Whether a file or folder stands there. */
export async function stands(storage: Storage, path: VaultPath): Promise<boolean> {
  return (await storage.stat(path)) !== undefined || (await storage.children(path)) !== undefined;
}

/** Whether a step, of which only the id is known, is the move that an operation was begun for. */
export function isMoveOf({ to }: OperationPlan, id: string): boolean {
  return to !== undefined && id.startsWith(`${keyOf(to)}.`);
}

export function unkeptStep(path: VaultPath): Kept {
  return {
    path,
    reason: `What was changed in '${path}' could not be written into the undo journal; it stays as it is.`,
  };
}

/** A step's id tells its file only by a hash, which is compared with those of the files that were to be changed. */
export function unreadableStep({ to, files, reason }: OperationPlan, id: string): Kept {
  const path = files.find((file) => id.startsWith(`${keyOf(file)}.`)) ?? to ?? ROOT;
  return { path, reason: `A part of the undo journal of ${reason} cannot be read; what it was about stays as it is.` };
}

export function unreadableMove(path: VaultPath): VaultError {
  return new VaultError(
    "CONFLICT",
    `How '${path}' came to its name can no longer be read in the undo journal; nothing was changed.`,
    {
      path,
      hint: "Rename it back: that rewrites the links too. `doctor` tells what is wrong with the state folder.",
    },
  );
}
