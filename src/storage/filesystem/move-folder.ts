/** Renames a folder of the vault with everything in it, in one step. */
import fs from "node:fs";
import { alreadyExists, folderNotFound, intoItself } from "../errors.js";
import { baseName, foldName, folderOf, ROOT, type VaultPath } from "../path.js";
import type { Settled } from "../storage.js";
import { leavesVault, systemCode, translate } from "./failure.js";
import { makeFolders, removeFolders } from "./make-folder.js";
import { renameOver } from "./new-file.js";
import type { OpenFolder } from "./open-folder.js";
import { isFlushed, type Safeguards } from "./replace.js";
import type { VaultRoot } from "./vault-root.js";

interface Entry {
  readonly path: VaultPath;
  readonly parent: OpenFolder;
  readonly name: string;
}

/** As `Storage.moveFolder`. A link to a folder is not moved, since it could lead elsewhere from its new place. */
export async function moveFolder(
  root: VaultRoot,
  from: VaultPath,
  to: VaultPath,
  safeguards: Safeguards,
): Promise<Settled | undefined> {
  if (from === ROOT) throw folderNotFound(from);
  if (to.startsWith(`${from}/`)) throw intoItself(from);
  const source = entryOf(root, from);
  if (!source) throw folderNotFound(from);
  let made: VaultPath[] = [];
  let target: Entry | undefined;
  let moved = false;
  try {
    const folder = fs.lstatSync(source.parent.at(source.name), { throwIfNoEntry: false });
    if (folder?.isSymbolicLink()) throw leavesVault(from);
    if (!folder?.isDirectory()) throw folderNotFound(from);
    made = await makeFolders(root, folderOf(to));
    target = entryOf(root, to);
    if (!target) throw folderNotFound(folderOf(to));
    if (!isFree(source, target, folder)) throw alreadyExists(to);
    moved = rename(source, target);
    if (!moved) return undefined;
    const durable = (await isFlushed(target.parent, safeguards)) && (await isFlushed(source.parent, safeguards));
    return { durable };
  } catch (error) {
    throw translate(error, to);
  } finally {
    source.parent.close();
    target?.parent.close();
    if (!moved) removeFolders(root, made);
  }
}

/** Undefined when the parent is missing or is not a folder. */
function entryOf(root: VaultRoot, path: VaultPath): Entry | undefined {
  const parent = root.folder(folderOf(path));
  return parent && { path, parent, name: baseName(path) };
}

/** Whether the name is free, or is the folder itself on a disk that ignores case. */
function isFree(source: Entry, target: Entry, folder: fs.Stats): boolean {
  const present = fs.lstatSync(target.parent.at(target.name), { throwIfNoEntry: false });
  if (!present) return true;
  const isOneName =
    source.name !== target.name &&
    foldName(source.name) === foldName(target.name) &&
    source.parent.path === target.parent.path;
  return isOneName && present.dev === folder.dev && present.ino === folder.ino;
}

/** @returns false when the new place is on another disk */
function rename(source: Entry, target: Entry): boolean {
  source.parent.confirm();
  target.parent.confirm();
  try {
    renameOver(source.parent.at(source.name), target.parent.at(target.name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EXDEV") return false;
    // The system compares whole paths with links resolved, so only it notices a folder that is moved into itself
    // through a link.
    if (code === "EINVAL") throw intoItself(source.path);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") throw alreadyExists(target.path);
    throw error;
  }
}
