/** Takes back one step of the journal, and refuses when the file is not what the step left (file-tools, "undo_edit"). */
import { isVaultError, VaultError } from "../errors.js";
import { contentRevision } from "../storage/content-revision.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Storage, StoredFile } from "../storage/storage.js";
import { judge } from "./judge.js";
import type { KeptStep } from "./kept-step.js";
import type { StepRecord } from "./record.js";
import { moveToTrash } from "../storage/trash.js";

export interface TakenBack {
  readonly step: StepRecord;
  /** Where the file is now, or was before it went to the trash. */
  readonly path: VaultPath;
  readonly durable: boolean;
  readonly trashedTo: VaultPath | undefined;
}

/**
 * Marked in the journal before and removed from it after, so that a crash in between is judged like one in the middle of a write.
 * @throws VaultError CONFLICT when the file was changed since, or something stands in the way; nothing is overwritten then
 */
export async function takeBack(storage: Storage, step: KeptStep): Promise<TakenBack> {
  const wasSettled = step.state === "done";
  const unmark = step.markUndoing();
  if (!unmark) throw changedSince(step.record.path);
  let result: Result;
  try {
    result = await KINDS[step.record.kind](storage, step, wasSettled);
  } catch (error) {
    // Refused is refused; any other failure may have come after the file was put back.
    const isBack = !isVaultError(error, "CONFLICT") && (await isUndone(storage, step.record));
    if (!isBack) {
      unmark();
      throw error;
    }
    result = { path: step.record.from ?? step.record.path, durable: false };
  }
  step.dropQuietly();
  return { durable: true, trashedTo: undefined, ...result, step: step.record };
}

/** Whether the files say that the step is taken back. In doubt it is not. */
async function isUndone(storage: Storage, record: StepRecord): Promise<boolean> {
  try {
    return (await judge(storage, record)) === "not";
  } catch {
    return false;
  }
}

type Result = Pick<TakenBack, "path"> & Partial<Pick<TakenBack, "durable" | "trashedTo">>;

/** @param wasSettled false where a crash may have left the step half done */
type TakeBack = (storage: Storage, step: KeptStep, wasSettled: boolean) => Promise<Result>;

const KINDS: Readonly<Record<StepRecord["kind"], TakeBack>> = {
  async edit(storage, { record, image }) {
    const { path } = record;
    const file = await storage.update(path, (current) => {
      assertAsLeft(record, current);
      return image;
    });
    return { path, durable: file?.durable ?? true };
  },

  async create(storage, { record }) {
    const { path } = record;
    const current = assertAsLeft(record, await storage.read(path));
    return { path, ...(await moveToTrash(storage, path, { kind: "revision", revision: current.revision })) };
  },

  async delete(storage, { record, image }) {
    const { path } = record;
    const file = await storage.write(path, image, { kind: "absent" }).catch((error: unknown) => {
      throw isVaultError(error, "ALREADY_EXISTS") ? inTheWay(path) : error;
    });
    return { path, durable: file.durable };
  },

  async move(storage, { record }, wasSettled) {
    const { path, from = path } = record;
    if (record.folder) return await moveFolderBack(storage, path, from);
    const current = assertAsLeft(record, await storage.read(path));
    const expected = { kind: "revision", revision: current.revision } as const;
    const old = wasSettled || foldName(path) === foldName(from) ? undefined : await storage.read(from);
    if (old && contentRevision(old.bytes) === record.after) {
      // A crash left the file with both names. To the trash: what looks like a second name could be a link to the first.
      return { path: from, ...(await moveToTrash(storage, path, expected)) };
    }
    const file = await storage.move(path, from, expected).catch((error: unknown) => {
      throw isVaultError(error, "ALREADY_EXISTS") ? inTheWay(from) : error;
    });
    return { path: from, durable: file.durable };
  },
};

async function moveFolderBack(storage: Storage, path: VaultPath, from: VaultPath): Promise<Result> {
  try {
    const moved = await storage.moveFolder?.(path, from);
    if (!moved) throw changedSince(path);
    return { path: from, durable: moved.durable };
  } catch (error) {
    if (isVaultError(error, "ALREADY_EXISTS")) throw inTheWay(from);
    throw isVaultError(error, "FILE_NOT_FOUND") ? isGone(path) : error;
  }
}

/** @throws VaultError CONFLICT */
function assertAsLeft({ path, after }: StepRecord, current: StoredFile | undefined): StoredFile {
  if (!current) throw isGone(path);
  if (contentRevision(current.bytes) !== after) throw changedSince(path);
  return current;
}

export function changedSince(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `'${path}' was changed since by something else; nothing was overwritten.`, {
    path,
    hint: "Read it as it is now and edit it instead; it can be undone again once it is as that last change left it.",
  });
}

function isGone(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `There is no '${path}' any more; nothing was changed.`, {
    path,
    hint: "If it was renamed, undo it by its new path.",
  });
}

export function inTheWay(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `Something else stands at '${path}' by now; nothing was overwritten.`, {
    path,
    hint: "Rename that, then undo again.",
  });
}
