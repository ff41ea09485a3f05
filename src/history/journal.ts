/**
 * The records of the undo journal: steps, operations of several steps, and the results of undoing them (file-tools, "undo_edit").
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { VaultError } from "../errors.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { SqlValue } from "../database.js";
import type { WrittenFile } from "../storage/storage.js";

export type StepKind = "edit" | "create" | "move" | "delete";

export interface Step {
  readonly kind: StepKind;
  /** The path after the step; of a deleted file the one before. */
  readonly path: VaultPath;
  /** The path of a moved file or folder before the step. */
  readonly from?: VaultPath | undefined;
  /** The purpose of the change in a few words. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a writer is about to do in several steps, such as a rename with the links to rewrite. */
export interface OperationPlan {
  readonly reason: string;
  /** Set for the rename of a file or folder. Undoing this rename undoes the whole operation. */
  readonly from?: VaultPath | undefined;
  readonly to?: VaultPath | undefined;
  /** Undoing one of its files undoes all of them, as for a task and its series. */
  readonly asOne?: boolean | undefined;
  /** Every file to change, by its path before the operation. Shows after a crash what is missing. */
  readonly files: readonly VaultPath[];
}

/**
 * Several steps that belong together. Pass it to `edit`, `create`, `move` and `delete`, then call `done`. An operation that was
 * not ended was interrupted by a crash.
 */
export interface Operation {
  readonly id: string;
  readonly plan: OperationPlan;
  /** Reports that one of its changes was made. @param undoable whether the journal has the step */
  made(path: VaultPath, undoable: boolean): void;
  /** Ends the operation, complete or not. One without steps is removed. @returns whether all of its changes can be undone */
  done(): Promise<boolean>;
  /** Undoes the steps made so far, last first, and ends the operation. Never fails. @returns the files that stay changed */
  takeBack(): Promise<readonly Kept[]>;
}

export interface UnfinishedOperation {
  readonly id: string;
  readonly plan: OperationPlan;
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly done: readonly Step[];
  /** Files that something else has changed since, so that it is unknown whether their step was made. */
  readonly doubtful: readonly VaultPath[];
  /** Files of the plan that no step has changed yet. */
  readonly missing: readonly VaultPath[];
  /** Whether undoing it would take anything back: its files may have been changed since. */
  readonly canTakeBack: boolean;
}

/** What can be done about an interrupted operation, as a sentence. Only a rename is finished by the same call: others would do their part twice. */
export function waysOut({ id, plan, canTakeBack }: UnfinishedOperation): string {
  const ways = plan.to === undefined ? [] : ["the same call again finishes it"];
  if (canTakeBack) ways.push(`undo_edit of '${plan.to ?? operationReference(id) ?? ""}' takes it back`);
  else ways.push("its files were changed since, so undo_edit cannot take it back: read them and edit what is wrong");
  return ways.join("; ");
}

/** A file that is still as an operation left it. */
export interface EarlierText {
  readonly now: string;
  /** Its text before the operation. */
  readonly before: string;
}

export interface Kept {
  readonly path: VaultPath;
  readonly reason: string;
}

export interface Reversal {
  /** The paths of the files now, in the order in which they were undone. */
  readonly reverted: readonly VaultPath[];
  readonly kept: readonly Kept[];
}

export interface OperationUndo extends Reversal {
  readonly id: string;
  /** The purpose of the operation. */
  readonly reason: string;
  /** Those of `reverted` that the operation had created, by their path then: they are in the trash now. */
  readonly removed: readonly VaultPath[];
  readonly durable: boolean;
}

export type LastChange =
  | { readonly kind: "file"; readonly path: VaultPath }
  | { readonly kind: "operation"; readonly id: string };

export interface UndoOutcome {
  /** The file now. A rename that was undone makes this another path than the requested one. */
  readonly path: VaultPath;
  /** Its text now; undefined when there is no file, or it is not text. */
  readonly text: string | undefined;
  /** Undefined when there is no file now. */
  readonly file: WrittenFile | undefined;
  readonly step: Step;
  /** The trash path of a new file whose creation was undone. */
  readonly trashedTo: VaultPath | undefined;
  /** Whether the trash still holds a copy of the restored file. */
  readonly copyInTrash: boolean;
  /** Other files undone with it, because one operation had changed them all; their paths now. */
  readonly others: readonly VaultPath[];
  /** Files of the operation that were not changed back. */
  readonly kept: readonly Kept[];
  /** How many steps of this path can still be undone. */
  readonly remaining: number;
}

export interface HistoryQuery {
  /** A file, or a folder with everything in it. */
  readonly path?: VaultPath | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** A part of the caller's name. */
  readonly by?: string | undefined;
  readonly limit: number;
  /** From a page's `next`. */
  readonly below?: number | undefined;
}

export interface HistoryEntry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly caller: CallOrigin;
  readonly reason: string;
  /** Sorted; the paths after the change. */
  readonly files: readonly VaultPath[];
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Undefined on the last page. */
  readonly next: number | undefined;
}

/** A file before and after a step. Undefined: there was no file, or its text is no longer stored. */
export interface StepTexts {
  readonly kind: StepKind;
  readonly path: VaultPath;
  readonly from: VaultPath | undefined;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

const REFERENCE = /^op-([0-9a-z]{1,10}-[0-9a-z]{1,12})$/;

/** `op-` and the id: how answers and callers refer to an operation. @param id empty when no journal has the operation */
export function operationReference(id: string): string | undefined {
  return id === "" ? undefined : `op-${id}`;
}

/** Undefined for any other text. */
export function operationIn(reference: string): string | undefined {
  return REFERENCE.exec(reference.trim())?.[1];
}

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

export function noHistory(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No undo history for '${path}'.`, {
    path,
    hint: "Only changes made through this server can be undone, and only the newest ones are kept.",
  });
}

export function lostStep(path: VaultPath): Kept {
  return {
    path,
    reason: `The former text of '${path}' could not be written into the undo journal; it stays as it is.`,
  };
}

export function stillUnderWay(id: string): VaultError {
  return new VaultError("CONFLICT", `'${operationReference(id)}' is still under way; nothing was changed.`, {
    hint: "Undo it when it has ended.",
  });
}

export function nothingTaken(id: string, kept: readonly Kept[]): VaultError {
  const [first, ...others] = kept;
  const more = others.length === 0 ? "" : ` So are ${others.length} more of its files.`;
  return new VaultError(
    "CONFLICT",
    `Nothing of '${operationReference(id)}' was undone. ${first?.reason ?? ""}${more}`,
    {
      ...(first && { path: first.path }),
      hint: "Its files were changed since; read them as they are now and edit them instead.",
    },
  );
}

/** The caller of a change, as the journal stores it. Callers find their own changes by it. */
export interface CallOrigin {
  /** The name of a token when several callers share a process; undefined: the user who runs the process. */
  readonly owner?: string | undefined;
  /** The client and its transport, such as `Claude (stdio)`. */
  readonly client?: string | undefined;
  /** Whether it may see the changes of all owners; default: if it has no owner itself. */
  readonly seesAll?: boolean | undefined;
  /** The tool that was called. */
  readonly tool?: string | undefined;
}

const calls = new AsyncLocalStorage<CallOrigin>();

/** Runs work for a caller. Fields that are not given are inherited. */
export function asCaller<Result>(caller: CallOrigin, work: () => Result): Result {
  return calls.run({ ...calls.getStore(), ...caller }, work);
}

export function currentCall(): CallOrigin {
  return calls.getStore() ?? {};
}

/**
 * `open`: written before its change, which may or may not have been made. `undo`: being undone. `lost`: the change was made,
 * but the former text could not be stored.
 */
export type StepState = "open" | "done" | "undo" | "lost";

export interface StepRecord extends Step {
  /** Increases through the whole journal: the order of changes, independent of the clock. */
  readonly sequence: number;
  /** The operation's number in the journal. */
  readonly operation: number;
  readonly state: StepState;
  /** Hash of the file before; undefined when there was none, and for a move. */
  readonly before?: string | undefined;
  /** Hash of the file after; undefined when there is none, and for a folder. */
  readonly after?: string | undefined;
  /** A text of the writer, which `VaultHistory.marks` returns. */
  readonly mark?: string | undefined;
  /** Whether a deleted file did not go to the trash. */
  readonly permanent?: boolean | undefined;
  /** Whether a folder was moved with everything in it. */
  readonly folder?: boolean | undefined;
}

export type Draft = Omit<StepRecord, "at" | "sequence" | "operation" | "state">;

/** `open`: in progress or interrupted. `undo`: being undone, or its undo was interrupted. */
export type OperationState = "open" | "undo" | "done";

/** Changes that were made together. A single change has an operation of its own, without a plan. */
export interface OperationRecord {
  readonly number: number;
  readonly id: string;
  readonly state: OperationState;
  readonly plan: OperationPlan | undefined;
  /** Whether there is a plan that cannot be read, so that nobody knows what belongs to it. */
  readonly isDamaged?: boolean | undefined;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly began: number;
  /** The process that works on it, or did last, and since when. */
  readonly maker: string;
  readonly taken: number;
  readonly caller: CallOrigin;
}

function textIn(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString() : value;
}

/** Paths in the journal must be valid paths of the vault. A row with another path is skipped. */
export function readStep(row: readonly SqlValue[]): StepRecord | undefined {
  const [sequence, operation, state, kind, path, from, reason, at, before, after, mark, permanent, folder] =
    row.map(textIn);
  if (!isPath(path) || (from !== null && !isPath(from))) return undefined;
  return {
    sequence: Number(sequence),
    operation: Number(operation),
    state: state as StepState,
    kind: kind as StepKind,
    path,
    reason: String(reason),
    at: Number(at),
    ...(from !== null && { from }),
    ...(typeof before === "string" && { before }),
    ...(typeof after === "string" && { after }),
    ...(typeof mark === "string" && { mark }),
    ...(permanent === 1 && { permanent: true }),
    ...(folder === 1 && { folder: true }),
  };
}

export function readOperation(row: readonly SqlValue[]): OperationRecord | undefined {
  const [number, id, state, plan, reason, began, maker, taken, owner, client, tool] = row.map(textIn);
  const text = (value: SqlValue | undefined): string | undefined => (typeof value === "string" ? value : undefined);
  const known = typeof plan === "string" ? readPlan(plan) : undefined;
  return {
    number: Number(number),
    id: String(id),
    state: state as OperationState,
    plan: known,
    isDamaged: plan !== null && known === undefined,
    reason: String(reason),
    began: Number(began),
    maker: String(maker),
    taken: Number(taken),
    caller: { owner: text(owner), client: text(client), tool: text(tool) },
  };
}

/** Undefined for one that cannot be read, or that leads out of the vault. */
function readPlan(json: string): OperationPlan | undefined {
  try {
    const { reason, from, to, asOne, files } = JSON.parse(json) as OperationPlan;
    if ([from, to].some((path) => path !== undefined && !isPath(path)) || !files.every(isPath)) return undefined;
    return { reason, from, to, ...(asOne === true && { asOne }), files };
  } catch {
    return undefined;
  }
}

function isPath(value: unknown): value is VaultPath {
  // Bytes that are no text are read as this sign.
  if (typeof value !== "string" || value.includes("\ufffd")) return false;
  try {
    return vaultPath(value, { allowHidden: true }) === value;
  } catch {
    return false;
  }
}
