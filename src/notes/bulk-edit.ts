/** Changes many notes as one operation, with or without a plan first. */
import { inTurns } from "../async/turns.js";
import { type Wording } from "../text/wording.js";
import { TimeSlice } from "../async/timers.js";
import { isVaultError } from "../errors.js";
import type { Operation } from "../history/journal-records.js";
import type { ProgressOptions } from "../links/api.js";
import type { Named } from "../markdown/nothing-dropped.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import { asksForPlan, assertPlanFits, planName } from "../vault/plan.js";
import type { Vault } from "../vault/vault.js";
import { MAX_CONCURRENT_WRITES } from "../vault/writing.js";

/** More notes need a plan. */
export const MAX_WITHOUT_PLAN = 20;

/** No text edit, such as of a task's fields. */
export interface OtherChange {
  preview(): Promise<boolean>;
  write(operation: Operation): Promise<unknown>;
}

interface BulkEdit extends ProgressOptions {
  readonly reason: string;
  readonly asked: unknown;
  readonly paths: readonly VaultPath[];
  readonly needsPlan: boolean;
  readonly plan?: string | undefined;
  readonly mark?: string;
  /** Undoing one note undoes all; these change only links. */
  readonly asOneWithLinks?: readonly VaultPath[];
  /** What the request may remove; default: nothing. */
  readonly named?: Named;
  /** @throws VaultError to leave the note unchanged */
  change(text: string, path: VaultPath): string;
  other?(path: VaultPath): Promise<OtherChange | undefined>;
}

export interface ChangedNotes {
  /** If nothing is written yet. */
  readonly plan?: string;
  /** Undefined when nothing changed. */
  readonly operation?: string | undefined;
  readonly changed: readonly VaultPath[];
  readonly unchanged: number;
  readonly leftOut: readonly { readonly path: VaultPath; readonly reason: string }[];
  readonly adjustments?: readonly Wording[];
  readonly undoable: boolean;
  readonly durable: boolean;
}

interface Prepared {
  readonly path: VaultPath;
  readonly revision: Revision;
  readonly changes: boolean;
  readonly other: OtherChange | undefined;
}

/** @throws VaultError CONFLICT when the plan does not fit */
export async function editMany(vault: Vault, request: BulkEdit): Promise<ChangedNotes> {
  const { paths, reason, signal, onProgress } = request;
  const ready: Prepared[] = [];
  const leftOut: { path: VaultPath; reason: string }[] = [];
  const slice = new TimeSlice(signal);
  let unchanged = 0;
  for (const [at, path] of paths.entries()) {
    const prepared = await orReason(prepare(vault, path, request));
    if (typeof prepared === "string") leftOut.push({ path, reason: prepared });
    else if (prepared === undefined) unchanged += 1;
    else ready.push(prepared);
    onProgress?.({ done: at + 1, total: paths.length });
    if (slice.isOver) await slice.yield();
  }
  const plan = planName([request.asked, ready.map(({ path, revision }) => [path, revision])]);
  const shared = { unchanged, undoable: false, durable: true };
  const isPlanned = request.plan !== undefined && !asksForPlan(request.plan);
  if (isPlanned) assertPlanFits(request.plan, plan, "notes or arguments");
  else if (ready.length > 0 && (request.needsPlan || request.plan !== undefined))
    return { plan, changed: ready.map(({ path }) => path), leftOut, ...shared };
  const { asOneWithLinks: links } = request;
  // Without the main note links would lead nowhere.
  const main = links && ready.find(({ path }) => path === paths[0]);
  if (ready.length === 0 || (links && !main)) return { changed: [], leftOut, ...shared };
  const changed = new Set<VaultPath>();
  const files = ready.map(({ path }) => path);
  const steps = { reason, files, ...(links && { asOne: true, links }) };
  const { result, operation, undoable } = await vault.history.runOperation(steps, async (operation) => {
    const first = main && (await write(vault, main, request, operation));
    if (main) changed.add(main.path);
    const others = ready.filter((one) => one !== main);
    const rest = await inTurns(others, MAX_CONCURRENT_WRITES, async (one) => {
      signal?.throwIfAborted();
      const written = await orReason(write(vault, one, request, operation));
      if (typeof written === "string") leftOut.push({ path: one.path, reason: written });
      else changed.add(one.path);
      return written;
    });
    return [first, ...rest];
  });
  return {
    operation: changed.size === 0 ? undefined : operation,
    changed: files.filter((path) => changed.has(path)),
    unchanged,
    leftOut,
    undoable,
    durable: result.every((durable) => durable !== false),
  };
}

/** Undefined for an unchanged note. */
async function prepare(vault: Vault, path: VaultPath, request: BulkEdit): Promise<Prepared | undefined> {
  const { text, revision } = await vault.read(path);
  const other = await request.other?.(path);
  const after = request.change(text, path);
  const changes = after !== text;
  const isOther = (await other?.preview()) ?? false;
  if (!changes && !isOther) return undefined;
  vault.assertMayWrite(path);
  if (changes) vault.writing.mayBecome(path, text, { text: after, named: request.named });
  return { path, revision, changes, other: isOther ? other : undefined };
}

/** @returns whether the disk confirmed it */
async function write(
  vault: Vault,
  { path, revision, changes, other }: Prepared,
  request: BulkEdit,
  operation: Operation,
) {
  const options = { operation, expected: revision, mark: request.mark, named: request.named };
  const edit = changes
    ? await vault.writing.edit(path, (text) => request.change(text, path), request.reason, options)
    : undefined;
  await other?.write(operation);
  return edit?.file?.durable ?? true;
}

async function orReason<Result>(work: Promise<Result>): Promise<Result | string> {
  try {
    return await work;
  } catch (error) {
    if (isVaultError(error)) return error.message;
    throw error;
  }
}
