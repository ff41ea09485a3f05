/** Makes and removes folders of new files. */
import fs from "node:fs";
import { fileInTheWay } from "../errors.js";
import { baseName, folderOf, ROOT, type VaultPath } from "../path.js";
import { systemCode } from "../../errors.js";
import { deadLink, translate, vaultNotFound } from "./failure.js";
import type { OpenFolder } from "./open-folder.js";
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
