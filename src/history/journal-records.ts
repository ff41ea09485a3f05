/** The records of the undo journal (file-tools, "undo_edit"). */
import type { CallOrigin } from "../async/caller.js";
import { call, joined, type Said, said } from "../text/wording.js";
import type { EpochMilliseconds } from "../clock.js";
import { VaultError } from "../errors.js";
import { hashText } from "../text/hash.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { SqlValue } from "../sqlite.js";
import type { WrittenFile } from "../storage/storage.js";

interface Step {
  /** After the step, or before a deletion. */
  readonly path: VaultPath;
  readonly from?: VaultPath | undefined;
  readonly reason: string;
  readonly at: EpochMilliseconds;
}

export interface OperationPlan {
  readonly reason: string;
  /** For a rename, which is undone as a whole. */
  readonly from?: VaultPath | undefined;
  readonly to?: VaultPath | undefined;
  /** A folder renamed with a note, before the note in it. */
  readonly folder?: { readonly from: VaultPath; readonly to: VaultPath } | undefined;
  /** Undoing one file undoes all. */
  readonly asOne?: boolean | undefined;
  /** Files in which only links change; in a rename (with `to`), all edited files. */
  readonly links?: readonly VaultPath[] | undefined;
  /** Named by their earlier paths. */
  readonly files: readonly VaultPath[];
}

/** Pass it to `edit`, `create`, `move` and `delete`, then call `done`; otherwise it counts as interrupted. */
export interface Operation {
  readonly id: string;
  readonly plan: OperationPlan;
  /** @param undoable whether the journal has the step */
  made(path: VaultPath, undoable: boolean): void;
  /** Drops the steps of a file that they leave unchanged. */
  changedBack(path: VaultPath): Promise<void>;
  /** Ends the operation, or removes it without steps. @returns whether all of it can be undone */
  done(): Promise<boolean>;
  /** Undoes the steps, last first, and ends the operation. Never fails. @returns files that stay changed */
  undo(): Promise<readonly StepNotUndone[]>;
}

export interface UnfinishedOperation {
  readonly id: string;
  readonly plan: OperationPlan;
  readonly began: EpochMilliseconds;
  readonly done: readonly StepRecord[];
  /** Changed since by something else: their step may have been made. */
  readonly doubtful: readonly VaultPath[];
  readonly missing: readonly VaultPath[];
  /** False when undoing would change nothing. */
  readonly canUndo: boolean;
}

/** How to finish or undo an interrupted operation. Only a rename is finished by repeating its call. */
export function waysOut({ id, plan, canUndo }: UnfinishedOperation): Said {
  const path = plan.to ?? operationReference(id) ?? "";
  return joined(
    [
      plan.to === undefined ? undefined : "the same call again finishes it",
      canUndo
        ? said`${call("undo_edit", { path }, `undo_edit of '${path}'`)} takes it back`
        : said`its files were changed since, so ${call("undo_edit")} cannot take it back: read them and edit what is wrong`,
    ],
    "; ",
  );
}

/** For a file still as an operation left it. */
export interface EarlierText {
  readonly now: string;
  readonly before: string;
}

export interface StepNotUndone {
  readonly path: VaultPath;
  readonly reason: string;
}

interface Reversal {
  /** Current paths, in the order of undoing. */
  readonly reverted: readonly VaultPath[];
  readonly kept: readonly StepNotUndone[];
}

export interface OperationUndo extends Reversal {
  readonly id: string;
  readonly reason: string;
  /** Now in the trash. */
  readonly removed: readonly VaultPath[];
  readonly durable: boolean;
}

export type LastChange =
  | { readonly kind: "file"; readonly path: VaultPath }
  | { readonly kind: "operation"; readonly id: string };

export interface UndoOutcome {
  /** Differs from the requested path after undoing a rename. */
  readonly path: VaultPath;
  /** Undefined without a file, or when it is not text. */
  readonly text: string | undefined;
  readonly file: WrittenFile | undefined;
  readonly step: Step & { readonly kind: StepKind };
  readonly trashedTo: VaultPath | undefined;
  /** The trash still has a copy. */
  readonly copyInTrash: boolean;
  /** Current paths of files undone with it. */
  readonly others: readonly VaultPath[];
  readonly kept: readonly StepNotUndone[];
  readonly remaining: number;
  /** The remainder of the undone step's operation. */
  readonly rest: OperationRest | undefined;
}

interface OperationRest {
  readonly id: string;
  readonly files: readonly VaultPath[];
}

export interface HistoryQuery {
  /** A folder includes everything in it. */
  readonly path?: VaultPath | undefined;
  readonly since?: EpochMilliseconds | undefined;
  readonly by?: string | undefined;
  readonly limit: number;
  /** From a page's `next`. */
  readonly below?: number | undefined;
}

export interface HistoryEntry {
  readonly id: string;
  readonly at: EpochMilliseconds;
  readonly caller: CallOrigin;
  readonly reason: string;
  /** Sorted; paths after the change. */
  readonly files: readonly VaultPath[];
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly next: number | undefined;
}

/** Undefined: there was none (see `kind`), or it is no longer stored. */
export interface StepTexts {
  readonly kind: StepKind;
  readonly path: VaultPath;
  readonly from: VaultPath | undefined;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

const REFERENCE = /^op-([0-9a-z]{1,10}-[0-9a-z]{1,12})$/;

/** @param id empty without a journal */
export function operationReference(id: string): string | undefined {
  return id === "" ? undefined : `op-${id}`;
}

export function operationIn(reference: string): string | undefined {
  return REFERENCE.exec(reference.trim())?.[1];
}

export function noOperation(id: string): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is nothing of 'op-${id}' to undo.`, {
    hint: "It was undone before, or is too old: only the newest changes are kept. Its files may have changes of their own to undo.",
  });
}

export function unknownOperation(id: string): VaultError {
  return new VaultError(
    "FILE_NOT_FOUND",
    said`No operation op-${id}; ${call("get_history")} lists them.`.or(`No operation op-${id}.`),
    {
      hint: "It was undone, or is too old: only the newest changes are kept.",
    },
  );
}

export function noHistory(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No undo history for '${path}'.`, {
    path,
    hint: "Only changes made through this server can be undone, and only the newest ones are kept.",
  });
}

export function lostStep(path: VaultPath): StepNotUndone {
  return {
    path,
    reason: `The former text of '${path}' could not be written into the undo journal; it stays as it is.`,
  };
}

export function perhapsAnotherVaults(): VaultError {
  return new VaultError(
    "CONFLICT",
    "The undo journal may be of another vault: none of the files that it changed last is in this one. Nothing was undone.",
    { hint: "The person who runs the server confirms that it is this vault's with `doctor --accept-journal`." },
  );
}

export function cutOff(id: string): VaultError {
  return new VaultError(
    "CONFLICT",
    `A part of '${operationReference(id)}' is missing in the journal; nothing was undone.`,
    {
      hint: [
        said`${call("get_history", { diff: operationReference(id) }, "get_history with `diff`")} shows what is there; edit the files it changed.`,
      ],
    },
  );
}

export function stillUnderWay(id: string): VaultError {
  return new VaultError("CONFLICT", `'${operationReference(id)}' is still under way; nothing was changed.`, {
    hint: "Undo it when it has ended.",
  });
}

/** For a new file whose text may come from a file that stays unchanged. */
export function mayHoldText(path: VaultPath, from: VaultPath): VaultError {
  return new VaultError("CONFLICT", `It may hold text of '${from}', which is left as it is.`, { path });
}

export function nothingTaken(id: string, kept: readonly StepNotUndone[]): VaultError {
  const [first, ...others] = kept;
  const more = others.length === 0 ? "" : ` So are ${others.length} more of its files.`;
  return new VaultError(
    "CONFLICT",
    `Nothing of '${operationReference(id)}' was undone. ${first?.reason ?? ""}${more}`,
    {
      ...(first && { path: first.path }),
      hint: "Read its files as they are now and edit them instead.",
    },
  );
}

/**
 * `open`: recorded; its change may have been made. `undo`: being undone. `lost`: made, but the former text is not
 * stored.
 */
export type StepState = "open" | "done" | "undo" | "lost";

export interface StepRecord extends Step {
  /** Orders changes independently of the clock. */
  readonly sequence: number;
  readonly operation: number;
  readonly state: StepState;
  /** Hash; undefined without a file, and for a move, which keeps the content. */
  readonly before?: string | undefined;
  /** Hash; undefined without a file, and for a folder. */
  readonly after?: string | undefined;
  /** As from `VaultHistory.marks`. */
  readonly mark?: string | undefined;
  /** Deleted without the trash. */
  readonly permanent?: boolean | undefined;
  readonly folder?: boolean | undefined;
  /** Number of missing folders above it. Not in the checksum: earlier versions share the journal. */
  readonly made?: number | undefined;
}

export type Draft = Omit<StepRecord, "at" | "sequence" | "operation" | "state">;

/** For answers only: paths and hashes determine what a step was. */
type StepKind = "edit" | "create" | "move" | "delete";

export function kindOf({ from, before, after }: Pick<StepRecord, "from" | "before" | "after">): StepKind {
  if (from !== undefined) return "move";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "edit";
}

/** A link edit that cannot be restored does not stop the undo of other steps. */
export function isLinkStep({ plan }: OperationRecord, step: StepRecord): boolean {
  return kindOf(step) === "edit" && (plan?.to !== undefined || plan?.links?.includes(step.path) === true);
}

/** `open`: in progress or interrupted. `undo`: its undo is in progress or interrupted. */
export type OperationState = "open" | "undo" | "done";

/** A single change has its own, without a plan. */
export interface OperationRecord {
  readonly number: number;
  readonly id: string;
  readonly state: OperationState;
  readonly plan: OperationPlan | undefined;
  readonly isDamaged?: boolean | undefined;
  readonly reason: string;
  readonly began: EpochMilliseconds;
  /** The last process to work on it, and since when. */
  readonly maker: string;
  readonly taken: number;
  readonly caller: CallOrigin;
  /** Steps that must be in the journal; undefined before its end, and in earlier versions. */
  readonly steps?: number | undefined;
}

const STATES: ReadonlySet<unknown> = new Set<StepState>(["open", "done", "undo", "lost"]);

/** Excludes columns that change later: state, maker, taken, step count. @param row in the order of the table */
export function sumOfOperation(row: readonly SqlValue[]): string {
  const [number, id, , plan, reason, began, , , owner, client, tool] = row;
  return sumOf([number, id, plan, reason, began, owner, client, tool]);
}

/** A stored text has its own hash. */
export function sumOfStep(row: readonly SqlValue[]): string {
  const [sequence, operation, , ...others] = row.slice(0, SUM_AT);
  return sumOf([sequence, operation, ...others]);
}

/** Position of the sum in a step's row. */
export const SUM_AT = 14;

const sumOf = (values: readonly (SqlValue | undefined)[]): string => hashText(JSON.stringify(values));

export function columnValue(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString() : value;
}

/** Undefined if damaged. */
export function readStep(row: readonly SqlValue[]): StepRecord | undefined {
  const values = row.map(columnValue);
  const [sequence, operation, state, , path, from, reason, at, before, after, mark, permanent, folder, , sum, made] =
    values;
  if (!STATES.has(state) || (sum !== null && sum !== sumOfStep(values))) return undefined;
  if (!isPath(path) || (from !== null && !isPath(from))) return undefined;
  return {
    sequence: Number(sequence),
    operation: Number(operation),
    state: state as StepState,
    path,
    reason: String(reason),
    at: Number(at),
    ...(from !== null && { from }),
    ...(typeof before === "string" && { before }),
    ...(typeof after === "string" && { after }),
    ...(typeof mark === "string" && { mark }),
    ...(permanent === 1 && { permanent: true }),
    ...(folder === 1 && { folder: true }),
    ...(typeof made === "number" && made > 0 && { made }),
  };
}

/** Says so if damaged. */
export function readOperation(row: readonly SqlValue[]): OperationRecord {
  const values = row.map(columnValue);
  const [number, id, state, plan, reason, began, maker, taken, owner, client, tool, steps, sum] = values;
  const text = (value: SqlValue | undefined): string | undefined => (typeof value === "string" ? value : undefined);
  const known = typeof plan === "string" ? readPlan(plan) : undefined;
  return {
    number: Number(number),
    id: String(id),
    state: state as OperationState,
    plan: known,
    isDamaged: (plan !== null && known === undefined) || (sum !== null && sum !== sumOfOperation(values)),
    reason: String(reason),
    began: Number(began),
    maker: String(maker),
    taken: Number(taken),
    caller: { owner: text(owner), client: text(client), tool: text(tool) },
    steps: typeof steps === "number" ? steps : undefined,
  };
}

/** Undefined when unreadable, or outside the vault. */
function readPlan(json: string): OperationPlan | undefined {
  try {
    const { reason, from, to, folder, asOne, links, files } = JSON.parse(json) as OperationPlan;
    if (
      [from, to, folder?.from, folder?.to].some((path) => path !== undefined && !isPath(path)) ||
      ![...files, ...(links ?? [])].every(isPath)
    )
      return undefined;
    const more = { ...(folder && { folder }), ...(asOne === true && { asOne }), ...(links && { links }) };
    return { reason, from, to, ...more, files };
  } catch {
    return undefined;
  }
}

export function isPath(value: unknown): value is VaultPath {
  // Invalid UTF-8 is read as this character.
  if (typeof value !== "string" || value.includes("\ufffd")) return false;
  try {
    return vaultPath(value, { allowHidden: true }) === value;
  } catch {
    return false;
  }
}
