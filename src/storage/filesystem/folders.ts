/** Makes and removes the folders that a new file needs, and renames folders. */
import fs from "node:fs";
import { alreadyExists, fileInTheWay, folderNotFound, intoItself } from "../errors.js";
import { baseName, foldName, folderOf, ROOT, type VaultPath } from "../path.js";
import type { Settled } from "../storage.js";
import { deadLink, leavesVault, systemCode, translate, vaultNotFound } from "./failure.js";
import { renameOver } from "./temporary.js";
import type { OpenFolder } from "./open-folder.js";
import { isFlushed, type Safeguards } from "./replace.js";
import type { VaultRoot } from "./vault-root.js";

/** @returns outermost first */
export async function makeFolders(root: VaultRoot, path: VaultPath): Promise<VaultPath[]> {
  const made: VaultPath[] = [];
  try {
    await make(root, path, made);
    return made;
  } catch (error) {
    removeFolders(root, made);
    throw translate(error, path);
  }
}

async function make(root: VaultRoot, path: VaultPath, made: VaultPath[]): Promise<void> {
  const folder = root.folder(path);
  if (folder) {
    folder.close();
    return;
  }
  if (path === ROOT) throw vaultNotFound();
  await make(root, folderOf(path), made);
  const parent = reopen(root, folderOf(path));
  try {
    fs.mkdirSync(parent.at(baseName(path)));
    made.push(path);
    await parent.flush();
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    parent.close();
  }
  reopen(root, path).close();
}

function reopen(root: VaultRoot, path: VaultPath): OpenFolder {
  const folder = root.folder(path);
  if (!folder) throw isLink(root.absolute(path)) ? deadLink(path) : fileInTheWay(path);
  return folder;
}

function isLink(location: string): boolean {
  return fs.lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

export function removeFolders(root: VaultRoot, paths: readonly VaultPath[]): void {
  for (const path of paths.toReversed()) {
    let parent: OpenFolder | undefined;
    try {
      parent = root.folder(folderOf(path));
      if (parent) fs.rmdirSync(parent.at(baseName(path)));
    } catch {
      return;
    } finally {
      parent?.close();
    }
  }
}

interface Entry {
  readonly path: VaultPath;
  readonly parent: OpenFolder;
  readonly name: string;
}

/** A link is not moved: its target could be another from the new place. */
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

function entryOf(root: VaultRoot, path: VaultPath): Entry | undefined {
  const parent = root.folder(folderOf(path));
  return parent && { path, parent, name: baseName(path) };
}

/** The name is free, or names the folder itself on a disk that ignores case. */
function isFree(source: Entry, target: Entry, folder: fs.Stats): boolean {
  const present = fs.lstatSync(target.parent.at(target.name), { throwIfNoEntry: false });
  if (!present) return true;
  const isOneName =
    source.name !== target.name &&
    foldName(source.name) === foldName(target.name) &&
    source.parent.path === target.parent.path;
  return isOneName && present.dev === folder.dev && present.ino === folder.ino;
}

/** @returns false for another disk */
function rename(source: Entry, target: Entry): boolean {
  source.parent.confirm();
  target.parent.confirm();
  try {
    renameOver(source.parent.at(source.name), target.parent.at(target.name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EXDEV") return false;
    // Links can hide that the target is in the folder; the system resolves them.
    if (code === "EINVAL") throw intoItself(source.path);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") throw alreadyExists(target.path);
    throw error;
  }
}
