/** Where a deleted file goes: `.trash/` with its relative path kept, numbered when that name is taken (obsidian, section 5). */
import { joinPath, numberedPath, type VaultPath } from "./path.js";

export const TRASH = ".trash" as VaultPath;

/**
 * The path in the trash for the `attempt`-th try, counted from 1: `.trash/a/note.md`, then `.trash/a/note 2.md`.
 * A file that is in the trash already keeps its place there.
 */
export function trashPath(path: VaultPath, attempt = 1): VaultPath {
  const kept = path.startsWith(`${TRASH}/`) ? path : joinPath(TRASH, path);
  return attempt <= 1 ? kept : numberedPath(kept, attempt);
}
