/** Where files are before and after moves of the journal: by their own steps, or with their folders. */
import type { VaultPath } from "../storage/path.js";
import type { StepRecord } from "./record.js";
import type { TakenBack } from "./take-back.js";

export function isWithin(path: VaultPath, place: VaultPath | undefined): boolean {
  return place !== undefined && (path === place || path.startsWith(`${place}/`));
}

/** Whether a step moved a file there, by itself or with its folder. */
export function isMoveTo({ kind, path, folder }: StepRecord, to: VaultPath): boolean {
  return kind === "move" && (folder ? isWithin(to, path) : path === to);
}

/** Where a file is after a step was taken back, by where it was before that. */
export function followed(path: VaultPath, { step }: TakenBack): VaultPath {
  if (step.from === undefined || !isMoveTo(step, path)) return path;
  return `${step.from}${path.slice(step.path.length)}` as VaultPath;
}

/** Where the files are in the end that were taken back one after the other, sorted: notes written side by side were kept in any order. */
export function placesNow(taken: readonly TakenBack[]): readonly VaultPath[] {
  return [...new Set(taken.map(({ path }, index) => taken.slice(index + 1).reduce(followed, path)))].sort();
}
