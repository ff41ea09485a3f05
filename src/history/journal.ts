/** What the undo journal keeps and answers: steps, operations of several steps, and what undoing them did (file-tools, "undo_edit"). */
import type { VaultPath } from "../storage/path.js";
import type { WrittenFile } from "../storage/storage.js";

export type StepKind = "edit" | "create" | "move" | "delete";

/** One change of one file that can be taken back. */
export interface Step {
  readonly kind: StepKind;
  /** Where the file stands after the step; for a deletion where it stood. */
  readonly path: VaultPath;
  /** Where a moved file or folder stood before. */
  readonly from?: VaultPath | undefined;
  /** What the change was for, in a few words. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a writer plans to do in several steps, such as a rename and the links that it rewrites. */
export interface OperationPlan {
  readonly reason: string;
  /** The file or folder that is renamed: undoing it undoes the whole operation. */
  readonly from?: VaultPath | undefined;
  readonly to?: VaultPath | undefined;
  /** Every file that is to be changed, by its path before the operation; tells after a crash what is missing. */
  readonly files: readonly VaultPath[];
}

/**
 * Several steps that belong together. Give it to `edit`, `create`, `move` and `delete`, then end it with `done`: an operation
 * that was not ended is one that a crash interrupted.
 */
export interface Operation {
  readonly id: string;
  readonly plan: OperationPlan;
  /** Ends the operation, whole or not; one without steps leaves no trace. */
  done(): Promise<void>;
  /** Takes back what was done so far, the last step first, and ends the operation. */
  takeBack(): Promise<Reversal>;
}

/** An operation that a crash interrupted. */
export interface UnfinishedOperation {
  readonly id: string;
  readonly plan: OperationPlan;
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly done: readonly Step[];
  /** Files of which nobody can tell whether their step was made: something else has changed them since. */
  readonly doubtful: readonly VaultPath[];
  /** Files of the plan that no step has changed yet. */
  readonly missing: readonly VaultPath[];
}

/** A file that is still what an operation left. */
export interface EarlierText {
  readonly now: string;
  /** What it said before the operation. */
  readonly before: string;
}

/** A file that was left as it is, and why, in words for the caller. */
export interface Kept {
  readonly path: VaultPath;
  readonly reason: string;
}

/** What was taken back of an operation. */
export interface Reversal {
  /** Where the files stand now, in the order in which they were taken back. */
  readonly reverted: readonly VaultPath[];
  readonly kept: readonly Kept[];
}

/** What undoing an operation by its id did. */
export interface OperationUndo extends Reversal {
  readonly id: string;
  /** What the operation was for. */
  readonly reason: string;
  /** Those of `reverted` that were new, by where they were: they are in the trash. */
  readonly removed: readonly VaultPath[];
  readonly durable: boolean;
}

/** What was done last: one change of a file, or an operation. */
export type LastChange =
  | { readonly kind: "file"; readonly path: VaultPath }
  | { readonly kind: "operation"; readonly id: string };

/** What an undo did. */
export interface UndoOutcome {
  /** The file now: another path than the one asked for when a rename was taken back. */
  readonly path: VaultPath;
  /** What it holds now; undefined when nothing stands there (a new file was taken back) or it is not text. */
  readonly text: string | undefined;
  /** Undefined when nothing stands there now. */
  readonly file: WrittenFile | undefined;
  /** The step that was taken back. */
  readonly step: Step;
  /** Where a new file went that was taken back. */
  readonly trashedTo: VaultPath | undefined;
  /** Whether the trash still holds a copy of a deleted file that is restored. */
  readonly copyInTrash: boolean;
  /** Other files that were taken back because one operation had changed them all, where they stand now. */
  readonly others: readonly VaultPath[];
  /** Files of the operation that were left as they are. */
  readonly kept: readonly Kept[];
  /** Steps of this path that can still be taken back. */
  readonly remaining: number;
}
