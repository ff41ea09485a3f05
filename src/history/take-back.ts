/**
 * Undoes one step. The files show whether it was made (reliability, "Rules"), and must be as it left them (file-tools,
 * "undo_edit").
 */
import { isVaultError, VaultError } from "../errors.js";
import { contentRevision } from "../storage/content-revision.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Storage, StoredFile } from "../storage/storage.js";
import type { JournalStore } from "./store.js";
import type { Kept, StepRecord } from "./journal-records.js";
import { moveToTrash } from "../storage/trash.js";

/** `other`: neither as before the step nor as after it. */
type Verdict = "happened" | "not" | "other";

export async function verdictOn(storage: Storage, step: StepRecord): Promise<Verdict> {
  return step.state === "done" ? "happened" : await judge(storage, step);
}

export async function judge(storage: Storage, step: StepRecord): Promise<Verdict> {
  const { kind, path, from, before, after } = step;
  if (step.folder) return await judgeFolder(storage, step);
  const now = await hashAt(storage, path);
  if (kind === "move") {
    // A crash in a move may leave both names.
    if (now === after) return "happened";
    return from !== undefined && (await hashAt(storage, from)) === after ? "not" : "other";
  }
  if (now === after) return "happened";
  return now === before ? "not" : "other";
}

/** A folder moves in one step, so it has only one name. */
async function judgeFolder(storage: Storage, { path, from }: StepRecord): Promise<Verdict> {
  const isAt = async (place: VaultPath): Promise<boolean> => (await storage.children(place)) !== undefined;
  // Some disks ignore case.
  if (from !== undefined && foldName(from) === foldName(path)) return (await isAt(path)) ? "happened" : "other";
  if (from === undefined || (await isAt(from))) return (await isAt(path)) ? "other" : "not";
  return (await isAt(path)) ? "happened" : "other";
}

async function hashAt(storage: Storage, path: VaultPath): Promise<string | undefined> {
  const file = await storage.read(path);
  return file && contentRevision(file.bytes);
}

async function isThere(storage: Storage, path: VaultPath): Promise<boolean> {
  return (await storage.stat(path)) !== undefined || (await storage.children(path)) !== undefined;
}

export function isWithin(path: VaultPath, place: VaultPath | undefined): boolean {
  return place !== undefined && (path === place || path.startsWith(`${place}/`));
}

export function isMoveTo({ kind, path, folder }: StepRecord, to: VaultPath): boolean {
  return kind === "move" && (folder ? isWithin(to, path) : path === to);
}

interface Undone {
  readonly step: StepRecord;
  readonly path: VaultPath;
}

export function pathAfterUndo(path: VaultPath, { step }: Undone): VaultPath {
  if (step.from === undefined || !isMoveTo(step, path)) return path;
  return `${step.from}${path.slice(step.path.length)}` as VaultPath;
}

/** Where the files are now, sorted: a later undo may have moved a file. */
export function placesNow(undone: readonly Undone[]): readonly VaultPath[] {
  return [...new Set(undone.map(({ path }, index) => undone.slice(index + 1).reduce(pathAfterUndo, path)))].sort();
}

export interface TakenBack {
  readonly step: StepRecord;
  /** Where the file is now, or was before it went to the trash. */
  readonly path: VaultPath;
  readonly durable: boolean;
  readonly trashedTo: VaultPath | undefined;
}

/**
 * Marks the step before the change and removes it after: a crash in between can be judged.
 * @throws VaultError CONFLICT when the file has changed since, or another file has its name; nothing is overwritten
 */
export async function takeBack(store: JournalStore, storage: Storage, step: StepRecord): Promise<TakenBack> {
  const image = await store.imageOf(step);
  if (!(await store.become(step, "undo"))) throw changedSince(step.path);
  let result: Result;
  try {
    result = await KINDS[step.kind](storage, step, image);
  } catch (error) {
    // Failures other than a refusal may come after the file was restored.
    const isBack = !isVaultError(error, "CONFLICT") && (await isUndone(storage, step));
    if (!isBack) {
      await store.become(step, step.state, ["undo"]).catch(() => undefined);
      throw error;
    }
    result = { path: step.from ?? step.path, durable: false };
  }
  // The next undo sees from the file that the step is undone.
  await store.drop(step).catch(() => undefined);
  return { durable: true, trashedTo: undefined, ...result, step };
}

/** False in doubt. */
async function isUndone(storage: Storage, step: StepRecord): Promise<boolean> {
  try {
    return (await judge(storage, step)) === "not";
  } catch {
    return false;
  }
}

type Result = Pick<TakenBack, "path"> & Partial<Pick<TakenBack, "durable" | "trashedTo">>;

/** @param image the file before the step */
type TakeBack = (storage: Storage, step: StepRecord, image: Uint8Array) => Promise<Result>;

const KINDS: Readonly<Record<StepRecord["kind"], TakeBack>> = {
  async edit(storage, step, image) {
    const { path } = step;
    const file = await storage.update(path, (current) => {
      assertAsLeft(step, current);
      return image;
    });
    return { path, durable: file?.durable ?? true };
  },

  async create(storage, step) {
    const { path } = step;
    const current = assertAsLeft(step, await storage.read(path));
    return { path, ...(await moveToTrash(storage, path, { kind: "revision", revision: current.revision })) };
  },

  async delete(storage, { path }, image) {
    const file = await storage.write(path, image, { kind: "absent" }).catch((error: unknown) => {
      throw isVaultError(error, "ALREADY_EXISTS") ? inTheWay(path) : error;
    });
    return { path, durable: file.durable };
  },

  async move(storage, step) {
    const { path, from = path } = step;
    if (step.folder) return await moveFolderBack(storage, path, from);
    const current = assertAsLeft(step, await storage.read(path));
    const expected = { kind: "revision", revision: current.revision } as const;
    const old = step.state === "done" || foldName(path) === foldName(from) ? undefined : await storage.read(from);
    if (old && contentRevision(old.bytes) === step.after) {
      // After a crash with both names; the second could be a link to the first.
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
  return new VaultError("CONFLICT", `Something else is at '${path}' by now; nothing was overwritten.`, {
    path,
    hint: "Rename that, then undo again.",
  });
}

/** By another file than the step's. */
export async function isOldNameTaken(storage: Storage, { kind, path, from, state }: StepRecord): Promise<boolean> {
  if (kind === "delete") return state === "done" && (await isThere(storage, path));
  if (kind !== "move" || from === undefined || foldName(from) === foldName(path)) return false;
  // A crash in a move leaves both names.
  return state === "done" && (await isThere(storage, from));
}

/** A failure here must not suggest that nothing was undone. */
export async function readUndone(
  storage: Storage,
  path: VaultPath,
): Promise<{ readonly file: StoredFile | undefined; readonly unread: readonly Kept[] }> {
  try {
    return { file: await storage.read(path), unread: [] };
  } catch (error) {
    const reason = isVaultError(error) ? error.message : "The disk reported an error.";
    return { file: undefined, unread: [{ path, reason: `It was undone, but cannot be read now: ${reason}` }] };
  }
}
