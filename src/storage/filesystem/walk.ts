/** Walks the vault's real folders: every visible file once, with its stat, in bounded slices. */
import fs from "node:fs";
import { isHiddenName, joinPath, ROOT, storedPath, type VaultPath } from "../path.js";
import type { FileStat, FolderEntry, ListOptions } from "../storage.js";
import { isMissing, systemCode, translate } from "./failure.js";
import type { OpenFolder } from "./open-folder.js";
import { fileStat } from "./read.js";
import { Slice } from "./slice.js";
import type { VaultRoot } from "./vault-root.js";

const ABSENCE_IS_A_VALUE = { throwIfNoEntry: false } as const;

export interface WalkOptions extends ListOptions {
  /** Is shown the hidden names of each folder, for the clearing of left-overs. */
  readonly onHidden?: (folder: VaultPath, name: string) => void;
}

/**
 * Every visible regular file, in batches. Links are passed over: one that leaves the vault is not followed,
 * and the target of one that stays is listed where it stands.
 */
export async function* walk(
  root: VaultRoot,
  { wants, signal, onHidden }: WalkOptions,
): AsyncGenerator<readonly FileStat[]> {
  const slice = new Slice();
  const folders: VaultPath[] = [ROOT];
  let batch: FileStat[] = [];
  signal?.throwIfAborted();
  root.identity();
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const place = root.absolute(folder);
    for (const entry of entriesOf(root, folder)) {
      const { name } = entry;
      if (isHiddenName(name)) {
        onHidden?.(folder, name);
        continue;
      }
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      const path = storedPath(folder, name);
      if (path === undefined || (wants && !wants(path, isFolder ? "folder" : "file"))) continue;
      if (isFolder) folders.push(path);
      else addStat(batch, path, `${place}/${name}`);
      if (!slice.over) continue;
      if (batch.length > 0) yield batch;
      batch = [];
      await slice.next(signal);
    }
  }
  if (batch.length > 0) yield batch;
}

/** What stands directly in an open folder and may be seen. Links are shown as what they lead to, when that may be seen. */
export function children(root: VaultRoot, folder: OpenFolder, requested: VaultPath): FolderEntry[] {
  const shown: FolderEntry[] = [];
  for (const entry of fs.readdirSync(folder.at(), { withFileTypes: true })) {
    const allowed = storedPath(requested, entry.name, {}) !== undefined;
    if (!allowed) continue;
    const path = joinPath(requested, entry.name);
    const kind = entry.isSymbolicLink() ? linkKind(root, path) : kindOf(entry);
    if (kind) shown.push({ name: entry.name, path, kind });
  }
  folder.confirm();
  return shown;
}

function linkKind(root: VaultRoot, path: VaultPath): FolderEntry["kind"] | undefined {
  try {
    const target = root.linkTarget(path);
    const stat = target === undefined ? undefined : fs.lstatSync(root.absolute(target), ABSENCE_IS_A_VALUE);
    return stat && kindOf(stat);
  } catch {
    // Leads out of the vault, or to a closed place: not shown.
    return undefined;
  }
}

function kindOf(entry: { isDirectory(): boolean; isFile(): boolean }): FolderEntry["kind"] | undefined {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : undefined;
}

/** A folder that is gone, or may not be read, has no entries; any other failure must not look like an empty folder. */
function entriesOf(root: VaultRoot, path: VaultPath): fs.Dirent[] {
  let folder: OpenFolder | undefined;
  try {
    folder = root.realFolder(path);
    const entries = folder ? fs.readdirSync(folder.at(), { withFileTypes: true }) : [];
    folder?.confirm();
    return entries;
  } catch (error) {
    if (path === ROOT) root.identity();
    else if (isMissing(error) || ["EACCES", "EPERM", "ELOOP"].includes(systemCode(error) ?? "")) return [];
    throw translate(error, path);
  } finally {
    folder?.close();
  }
}

/** The plain path suffices here: were it redirected, the numbers of another file would show, which no later look would confirm. */
function addStat(batch: FileStat[], path: VaultPath, location: string): void {
  let stat: fs.Stats | undefined;
  try {
    stat = fs.lstatSync(location, ABSENCE_IS_A_VALUE);
  } catch (error) {
    if (!isMissing(error) && systemCode(error) !== "EACCES") throw translate(error, path);
  }
  if (stat?.isFile()) batch.push(fileStat(path, stat));
}
