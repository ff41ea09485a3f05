/** What the undo journal stores and answers: steps, operations of several steps, and what undoing them did (file-tools, "undo_edit"). */
import { AsyncLocalStorage } from "node:async_hooks";
import { VaultError } from "../errors.js";
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
  /** Undoing one of its files undoes all of it: its files belong together, as a task and its series do. */
  readonly asOne?: boolean | undefined;
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
  /** Reports a change that was made as a step of it. @param undoable whether the journal holds the step */
  made(path: VaultPath, undoable: boolean): void;
  /** Ends the operation, whole or not; one without steps leaves no trace. @returns whether all of its changes can be undone */
  done(): Promise<boolean>;
  /** Undoes what was done so far, the last step first, and ends the operation; never fails. @returns the files that stay changed */
  takeBack(): Promise<readonly Kept[]>;
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

export interface HistoryQuery {
  /** A file, or a folder with all that is in it. */
  readonly path?: VaultPath | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** A part of the caller's name. */
  readonly by?: string | undefined;
  readonly limit: number;
  /** From a page's `next`. */
  readonly below?: number | undefined;
}

/** Changes made together, and what is known of the call that made them. */
export interface HistoryEntry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly caller: CallOrigin;
  readonly reason: string;
  /** Sorted; where the files were after the change. */
  readonly files: readonly VaultPath[];
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Undefined: there are no more. */
  readonly next: number | undefined;
}

/** A file before and after a step; undefined when there was none, or its text is no longer kept. */
export interface StepTexts {
  readonly kind: StepKind;
  readonly path: VaultPath;
  readonly from: VaultPath | undefined;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

const REFERENCE = /^op-([0-9a-z]{1,10}-[0-9a-z]{1,12})$/;

/**
 * What callers call an operation: `op-` and its id, in answers and as what is to be undone.
 * @param id empty where no journal holds the operation
 */
export function operationReference(id: string): string | undefined {
  return id === "" ? undefined : `op-${id}`;
}

/** The id in a reference; undefined for a text that is none. */
export function operationIn(reference: string): string | undefined {
  return REFERENCE.exec(reference.trim())?.[1];
}

/** The journal knows of no such operation. */
export function noOperation(id: string): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is nothing of 'op-${id}' to undo.`, {
    hint: "It was undone before, or is too old: only the newest changes are kept. Its files may have changes of their own to undo.",
  });
}

export function unknownOperation(id: string): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No operation op-${id}; get_history lists them.`, {
    hint: "It was undone, or is too old: only the newest changes are kept.",
  });
}

/** Nothing that could be undone is known of a path. */
export function noHistory(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No undo history for '${path}'.`, {
    path,
    hint: "Only changes made through this server can be undone, and only the newest ones are kept.",
  });
}

/** For whom a change is made: what the journal remembers of each change, and by which callers find their own. */
export interface CallOrigin {
  /** The name of a token, where several callers share a process; undefined: the user whose process it is. */
  readonly owner?: string | undefined;
  /** The client and its transport in words, such as `Claude (stdio)`. */
  readonly client?: string | undefined;
  /** Whether it may see the changes of all owners; default: where it is no owner itself. */
  readonly seesAll?: boolean | undefined;
  /** The tool that was called. */
  readonly tool?: string | undefined;
}

const calls = new AsyncLocalStorage<CallOrigin>();

/** Runs work for a caller; what is not given stays as it was outside. */
export function asCaller<Result>(caller: CallOrigin, work: () => Result): Result {
  return calls.run({ ...calls.getStore(), ...caller }, work);
}

export function currentCall(): CallOrigin {
  return calls.getStore() ?? {};
}
