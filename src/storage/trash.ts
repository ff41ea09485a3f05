/** Moves deleted files to `.trash/` (docs: obsidian, "Deleting"). */
import { isVaultError, VaultError } from "../errors.js";
import { joinPath, numberedPath, type VaultPath } from "./path.js";
import type { Expected, Settled, Storage } from "./storage.js";

export const TRASH = ".trash" as VaultPath;

/** `.trash/a/note.md`, then `.trash/a/note 2.md`. A file in the trash keeps its folder. */
export function trashPath(path: VaultPath, attempt = 1): VaultPath {
  const kept = path.startsWith(`${TRASH}/`) ? path : joinPath(TRASH, path);
  return attempt <= 1 ? kept : numberedPath(kept, attempt);
}

const MAX_TRASH_COPIES = 1000;

interface Trashed extends Settled {
  /** Undefined without a trash. */
  readonly trashedTo: VaultPath | undefined;
}

/**
 * @param trying called before each move
 * @throws FILE_NOT_FOUND, CONFLICT, ALREADY_EXISTS for too many files of that name
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
