/** Tells by the files themselves whether a step that was left unmarked has happened (reliability, "Rules"). */
import { contentRevision } from "../storage/content-revision.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import type { StepRecord } from "./record.js";

/** `other`: the file is neither what it was before the step nor what the step made of it. */
export type Verdict = "happened" | "not" | "other";

export async function judge(storage: Storage, record: StepRecord): Promise<Verdict> {
  const { kind, path, from, before, after } = record;
  if (record.folder) return await judgeFolder(storage, record);
  const now = await hashAt(storage, path);
  if (kind === "move") {
    // Killed in the middle of a move, a file may have both names: that counts as happened.
    if (now === after) return "happened";
    return from !== undefined && (await hashAt(storage, from)) === after ? "not" : "other";
  }
  if (now === after) return "happened";
  return now === before ? "not" : "other";
}

/** A folder is moved in one step: what stands at one of its names has not stood at the other. */
async function judgeFolder(storage: Storage, { path, from }: StepRecord): Promise<Verdict> {
  const isAt = async (place: VaultPath): Promise<boolean> => (await storage.children(place)) !== undefined;
  // On some disks both spellings of a name are one.
  if (from !== undefined && foldName(from) === foldName(path)) return (await isAt(path)) ? "happened" : "other";
  if (from === undefined || (await isAt(from))) return (await isAt(path)) ? "other" : "not";
  return (await isAt(path)) ? "happened" : "other";
}

/** Hash of what stands at a path; undefined when nothing does. */
async function hashAt(storage: Storage, path: VaultPath): Promise<string | undefined> {
  const file = await storage.read(path);
  return file && contentRevision(file.bytes);
}
