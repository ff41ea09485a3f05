/** A change as the undo journal sees it, and what stands in for the journal where none is kept. */
import { VaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import type { Operation, OperationPlan } from "./journal.js";

/** A change that was written down ahead, or could not be. */
export interface JournalChange {
  /**
   * To be awaited before the change is made: a step of an operation is on disk by then, so that no power cut leaves a part of the
   * operation that the journal knows nothing of. A change that stands alone need not wait.
   */
  written(): Promise<void>;
  /** It was made. @returns whether it can be taken back */
  confirm(): Promise<boolean>;
  /** It was not made. */
  discard(): void;
  /** Making it failed: the file tells whether it was made all the same. */
  settle(): Promise<void>;
}

export const NOT_KEPT: JournalChange = {
  written: async () => {},
  confirm: async () => false,
  discard: () => {},
  settle: async () => {},
};

/** An operation where no journal can be kept: none of its steps is, because taking back some of them would be half an undo. */
export function unkept(plan: OperationPlan): Operation {
  return { id: "", plan, done: async () => {}, takeBack: async () => ({ reverted: [], kept: [] }) };
}

/** The journal knows of no such operation. @param reference as callers call it */
export function noOperation(reference: string): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is nothing of '${reference}' to undo.`, {
    hint: "It was undone before, or is too old: only the newest changes are kept. Its files may have changes of their own to undo.",
  });
}

/** Nothing that could be undone is known of a path. */
export function noHistory(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No undo history for '${path}'.`, {
    path,
    hint: "Only changes made through this server can be undone, and only the newest ones are kept.",
  });
}
