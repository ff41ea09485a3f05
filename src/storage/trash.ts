/** Where a deleted file goes: `.trash/` with its relative path kept, numbered when that name is taken (docs: obsidian, "Deleting"). */
import { isVaultError, VaultError } from "../errors.js";
import { joinPath, numberedPath, type VaultPath } from "./path.js";
import type { Expected, Settled, Storage } from "./storage.js";

export const TRASH = ".trash" as VaultPath;

/**
 * The path in the trash for the `attempt`-th try, counted from 1: `.trash/a/note.md`, then `.trash/a/note 2.md`.
 * A file that is in the trash already keeps its place there.
 */
export function trashPath(path: VaultPath, attempt = 1): VaultPath {
  const kept = path.startsWith(`${TRASH}/`) ? path : joinPath(TRASH, path);
  return attempt <= 1 ? kept : numberedPath(kept, attempt);
}

/** More files of one name in the trash than this: something is wrong, or the trash wants emptying. */
const MAX_TRASH_COPIES = 1000;

export interface Trashed extends Settled {
  /** Where it is now; undefined where the storage has no room for a trash: there the file is removed. */
  readonly trashedTo: VaultPath | undefined;
}

/**
 * @param trying called with each place in the trash before the file is moved there
 * @throws VaultError FILE_NOT_FOUND, CONFLICT, ALREADY_EXISTS when the trash is full of files of that name
 */
export async function moveToTrash(
  storage: Storage,
  path: VaultPath,
  expected: Expected,
  trying?: (target: VaultPath) => void,
): Promise<Trashed> {
  if (storage.keepsHidden === false) {
    return { trashedTo: undefined, ...(await storage.remove(path, expected)) };
  }
  for (let attempt = 1; attempt <= MAX_TRASH_COPIES; attempt++) {
    const target = trashPath(path, attempt);
    trying?.(target);
    try {
      const { durable } = await storage.move(path, target, expected);
      return { trashedTo: target, durable };
    } catch (error) {
      if (!isVaultError(error, "ALREADY_EXISTS")) throw error;
    }
  }
  throw new VaultError("ALREADY_EXISTS", `The trash holds too many files named '${path}'; nothing was deleted.`, {
    path,
    hint: "Empty the .trash folder of the vault.",
  });
}
