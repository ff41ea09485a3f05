/**
 * Undoes one step, by what the files show (reliability, "Rules"; file-tools,
 * "undo_edit").
 */
import { isVaultError, VaultError } from "../errors.js";
import { contentRevision, type Storage, type StoredFile } from "../storage/storage.js";
import { foldName, folderOf, ROOT, type VaultPath } from "../storage/path.js";
import type { JournalStore } from "./journal-store.js";
import { STEP_COLUMNS } from "./connection.js";
import { readStep, type StepNotUndone, type StepRecord, sumOfStep, SUM_AT, columnValue } from "./journal-records.js";
import { moveToTrash } from "../storage/trash.js";

/** `other`: neither as before nor as after the step. */
type Verdict = "happened" | "not" | "other";

export async function verdictOn(storage: Storage, step: StepRecord): Promise<Verdict> {
  return step.state === "done" ? "happened" : await judge(storage, step);
}

/** True where that is unknown. */
export async function wasMade(storage: Storage, step: StepRecord): Promise<boolean> {
  return step.state === "lost" || (await verdictOn(storage, step)) !== "not";
}

/** Drops steps never made, or undone without a record. */
export async function newestStep(
  store: JournalStore,
  storage: Storage,
  path: VaultPath,
): Promise<StepRecord | undefined> {
  for (const step of await store.stepsOfPath(path)) {
    if (await wasMade(storage, step)) return step;
    const operation = await store.operation(step.operation);
    if (step.state === "undo" || !operation || store.hasMakerEnded(operation)) await store.drop(step);
  }
  return undefined;
}

/** Or of a folder above it, moved later. */
export async function newestStepAround(
  store: JournalStore,
  storage: Storage,
  path: VaultPath,
): Promise<StepRecord | undefined> {
  let newest = await newestStep(store, storage, path);
  for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) {
    const step = await newestStep(store, storage, folder);
    if (step?.folder && (!newest || step.sequence > newest.sequence)) newest = step;
  }
  return newest;
}

export async function judge(storage: Storage, step: StepRecord): Promise<Verdict> {
  const { path, from, folder = false } = step;
  const after = folder ? FOLDER : step.after;
  const before = from === undefined ? step.before : after;
  const isAfter = (await contentAt(storage, path, folder)) === after;
  // A crash may leave both names of a file; a folder moves atomically. Some disks ignore case.
  if (isAfter && (!folder || from === undefined || foldName(from) === foldName(path))) return "happened";
  const isBefore = (await contentAt(storage, from ?? path, folder)) === before;
  if (isAfter === isBefore) return "other";
  return isAfter ? "happened" : "not";
}

const FOLDER = "folder";

async function contentAt(storage: Storage, path: VaultPath, folder: boolean): Promise<string | undefined> {
  if (folder) return (await storage.children(path)) && FOLDER;
  const file = await storage.read(path);
  return file && contentRevision(file.bytes);
}

async function isThere(storage: Storage, path: VaultPath): Promise<boolean> {
  return (await storage.stat(path)) !== undefined || (await storage.children(path)) !== undefined;
}

export function isWithin(path: VaultPath, place: VaultPath | undefined): boolean {
  return place !== undefined && (path === place || path.startsWith(`${place}/`));
}

export function isMoveTo({ from, path, folder }: StepRecord, to: VaultPath): boolean {
  return from !== undefined && (folder ? isWithin(to, path) : path === to);
}

interface Undone {
  readonly step: StepRecord;
  readonly path: VaultPath;
}

export function pathAfterUndo(path: VaultPath, { step }: Undone): VaultPath {
  if (step.from === undefined || !isMoveTo(step, path)) return path;
  return `${step.from}${path.slice(step.path.length)}` as VaultPath;
}

/** A later undo may have moved a file. */
export function placesNow(undone: readonly Undone[]): readonly VaultPath[] {
  return [...new Set(undone.map(({ path }, index) => undone.slice(index + 1).reduce(pathAfterUndo, path)))].sort();
}

export interface UndoneStep {
  readonly step: StepRecord;
  /** Or that before deletion. */
  readonly path: VaultPath;
  readonly durable: boolean;
  readonly trashedTo: VaultPath | undefined;
}

/**
 * Marks the step first: a crash in between can be judged. Overwrites nothing.
 * @throws CONFLICT when the file has changed since, or its name is taken
 */
export async function undoStep(store: JournalStore, storage: Storage, step: StepRecord): Promise<UndoneStep> {
  const image = await store.imageOf(step);
  if (!(await store.become(step, "undo"))) throw changedSince(step.path);
  let result: Result;
  try {
    result = await restore(storage, step, image);
  } catch (error) {
    // Others may follow the restore.
    const isRefused = isVaultError(error, "CONFLICT");
    const verdict = isRefused ? "happened" : await judge(storage, step).catch(() => undefined);
    if (verdict !== "not") {
      // Else the next undo judges the step.
      const isKnown = isRefused || (verdict !== undefined && step.from === undefined);
      if (isKnown) await store.become(step, step.state, "undo").catch(() => undefined);
      throw error;
    }
    result = { path: step.from ?? step.path, durable: false };
  }
  const { path, made = 0 } = step;
  if (made > 0) await storage.removeEmpty?.(folderOf(path), made);
  if (step.folder) await followFolderBack(store, step).catch(() => undefined);
  // The next undo sees it from the file.
  await store.drop(step).catch(() => undefined);
  return { durable: true, trashedTo: undefined, ...result, step };
}

/** Changes under its later name can be undone under the old one. */
async function followFolderBack(store: JournalStore, folder: StepRecord): Promise<void> {
  const old = (path: VaultPath) => pathAfterUndo(path, { step: folder, path });
  await store.connection.write((database) => {
    const later = database.prepare(`SELECT ${STEP_COLUMNS} FROM steps WHERE sequence > ?`).all(folder.sequence);
    for (const row of later) {
      const step = readStep(row);
      if (!step) continue;
      const [path, source] = [old(step.path), step.from === undefined ? null : old(step.from)];
      const values = row.map(columnValue).with(4, path).with(5, source);
      const sum = row[SUM_AT] === null ? null : sumOfStep(values);
      const sql = "UPDATE steps SET path = ?, source = ?, sum = ? WHERE sequence = ?";
      if (path !== step.path || source !== (step.from ?? null))
        database.prepare(sql).run(path, source, sum, step.sequence);
    }
  });
}

type Result = Pick<UndoneStep, "path"> & Partial<Pick<UndoneStep, "durable" | "trashedTo">>;

async function restore(storage: Storage, step: StepRecord, image: Uint8Array): Promise<Result> {
  const { path, from, before, after } = step;
  if (from !== undefined)
    return await (step.folder ? moveFolderBack(storage, path, from) : moveBack(storage, step, from));
  if (before === undefined) return { path, ...(await toTrash(storage, step)) };
  const file = await (after === undefined
    ? orInTheWay(path, storage.write(path, image, { kind: "absent" }))
    : storage.update(path, (current) => {
        assertAsLeft(step, current);
        return image;
      }));
  return { path, durable: file?.durable ?? true };
}

async function toTrash(storage: Storage, step: StepRecord): Promise<Omit<Result, "path">> {
  const { revision } = assertAsLeft(step, await storage.read(step.path));
  return await moveToTrash(storage, step.path, { kind: "revision", revision });
}

async function moveBack(storage: Storage, step: StepRecord, from: VaultPath): Promise<Result> {
  const { path, state, after } = step;
  const { revision } = assertAsLeft(step, await storage.read(path));
  const old = state === "done" || foldName(path) === foldName(from) ? undefined : await storage.read(from);
  // The second name could be a link to the first.
  if (old && contentRevision(old.bytes) === after) return { path: from, ...(await toTrash(storage, step)) };
  const file = await orInTheWay(from, storage.move(path, from, { kind: "revision", revision }));
  return { path: from, durable: file.durable };
}

async function moveFolderBack(storage: Storage, path: VaultPath, from: VaultPath): Promise<Result> {
  const moving = (async () => await storage.moveFolder?.(path, from))();
  const moved = await orInTheWay(from, moving).catch((error: unknown) => {
    throw isVaultError(error, "FILE_NOT_FOUND") ? isGone(path) : error;
  });
  if (!moved) throw changedSince(path);
  return { path: from, durable: moved.durable };
}

async function orInTheWay<Written>(path: VaultPath, writing: Promise<Written>): Promise<Written> {
  try {
    return await writing;
  } catch (error) {
    throw isVaultError(error, "ALREADY_EXISTS") ? inTheWay(path) : error;
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

export async function isOldNameTaken(storage: Storage, { path, from, after, state }: StepRecord): Promise<boolean> {
  const hasLeft = from === undefined ? after === undefined : foldName(from) !== foldName(path);
  // A crash may leave both names.
  return hasLeft && state === "done" && (await isThere(storage, from ?? path));
}

/** A failure here must not hide the undo. */
export async function readUndone(
  storage: Storage,
  path: VaultPath,
): Promise<{ readonly file: StoredFile | undefined; readonly unread: readonly StepNotUndone[] }> {
  try {
    return { file: await storage.read(path), unread: [] };
  } catch (error) {
    const reason = isVaultError(error) ? error.message : "The disk reported an error.";
    return { file: undefined, unread: [{ path, reason: `It was undone, but cannot be read now: ${reason}` }] };
  }
}
