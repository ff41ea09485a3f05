/** Planned changes of notes, how they are written, and what planning needs of the vault. */
import type { Mutex } from "async-mutex";
import { isVaultError, orIfFailed } from "../../errors.js";
import type { Operation, OperationPlan } from "../../history/journal-records.js";
import type { VaultPath } from "../../storage/path.js";
import type { FileStat, Revision } from "../../storage/storage.js";
import type { Vault } from "../../vault/vault.js";
import { stillChanged } from "../../vault/vault-history.js";
import type { ChangedText } from "../../vault/writing.js";
import type { TaskFinder } from "../query/finder.js";
import type { TaskIndex } from "../task-index.js";

export interface NoteLinks {
  find(reference: string): Promise<VaultPath>;
  /** Shortest link text. */
  linkText(to: VaultPath, from: VaultPath): Promise<string>;
  /** What links lead to a new note with a name that others have. */
  linksTaken(path: VaultPath): Promise<string | undefined>;
  /** No `line` in a canvas. */
  backlinks(path: VaultPath): Promise<readonly { readonly from: VaultPath; readonly line?: number }[]>;
  /** A text that moves to another note, its links still leading to the same targets. */
  carried(text: string, way: { readonly from: VaultPath; readonly to: VaultPath }): Promise<string>;
  /** How many links lead to a part that the note loses with the lines from `start` to `end` of `text`. */
  lost(
    path: VaultPath,
    parts: { readonly text: string; readonly rest: string; readonly start: number; readonly end: number },
  ): Promise<number>;
}

export interface WriteContext {
  readonly vault: Vault;
  readonly index: TaskIndex;
  readonly finder: TaskFinder;
  readonly links: NoteLinks | undefined;
  /** One creation at a time: titles that differ only in case must see each other's file. */
  readonly creating: Mutex;
}

export type NoteChange = { readonly path: VaultPath; readonly reason: string } & (
  | { readonly kind: "create"; readonly text: string }
  | {
      readonly kind: "edit";
      /** Gives the planned text, or plans again if the text differs from the one read. */
      readonly change: (text: string) => ChangedText | Promise<ChangedText>;
      /** Without it the note may have changed since it was read. */
      readonly expected?: Revision;
    }
  | { readonly kind: "delete"; readonly expected: Revision }
);

export interface MadeChange {
  readonly undoable: boolean;
  readonly durable: boolean;
  readonly stat?: FileStat | undefined;
}

/** @throws VaultError CONFLICT for a note that must be unchanged, ALREADY_EXISTS for a new one */
export async function writeNote(
  { vault: { writing } }: WriteContext,
  change: NoteChange,
  operation: Operation | undefined,
): Promise<MadeChange> {
  const { path, reason } = change;
  if (change.kind === "create") {
    const { undoable, durable, stat } = await writing.create(path, change.text, reason, { operation });
    return { undoable, durable, stat };
  }
  const options = { operation, expected: change.expected };
  if (change.kind === "delete") return await writing.delete(path, reason, options);
  const { undoable, file } = await writing.edit(path, change.change, reason, options);
  return { undoable, durable: file?.durable ?? true, stat: file?.stat };
}

/** Writes as steps of the current operation, else as an operation of its own, undone when it fails. */
export async function inOneOperation<Made extends object>(
  vault: Vault,
  plan: OperationPlan,
  within: Operation | undefined,
  write: (operation: Operation) => Promise<Made>,
): Promise<Made & { readonly undoable: boolean; readonly operation?: string }> {
  if (within !== undefined) return { ...(await write(within)), undoable: true };
  const { result, operation, undoable } = await vault.history.runOperation(plan, write);
  return { ...result, undoable, ...(undoable && operation !== undefined && { operation }) };
}

/**
 * Removes the new note of two changes whose second failed, unless that may have been made.
 * @returns the error, naming what stays changed
 */
export async function withoutFirst(
  { vault: { writing } }: WriteContext,
  { kind, path, reason }: NoteChange,
  operation: Operation,
  error: unknown,
): Promise<unknown> {
  const isSure = kind === "create" && !(isVaultError(error) && error.isUncertain);
  const removing = async () => writing.delete(path, reason, { operation, permanent: true });
  const removed = isSure ? await orIfFailed(removing(), undefined) : undefined;
  return stillChanged(error, removed ? [] : [path]);
}
