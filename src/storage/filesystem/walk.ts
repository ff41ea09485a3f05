/** Lists every visible file of real folders once, in time slices. */
import fs from "node:fs";
import { TimeSlice } from "../../async/timers.js";
import { baseName, folderOf, isHiddenName, joinPath, ROOT, storedPath, type VaultPath } from "../path.js";
import type { FileStat, FolderEntry, ListOptions, UnlistedEntry } from "../storage.js";
import { isOnDemand, nameInCloud, fileStat, stampOf } from "./read.js";
import { systemCode } from "../../errors.js";
import { isMissing, translate } from "./failure.js";
import type { OpenFolder, VaultRoot } from "./vault-root.js";

const MAX_BATCH = 64;
const ABSENCE_IS_A_VALUE = { throwIfNoEntry: false } as const;

interface WalkOptions extends ListOptions {
  readonly onFolder?: (folder: VaultPath) => void;
  readonly onHidden?: (folder: VaultPath, name: string) => void;
}

/** Skips links. */
export async function* walk(root: VaultRoot, options: WalkOptions): AsyncGenerator<readonly FileStat[]> {
  const { signal } = options;
  const slice = new TimeSlice(signal);
  const folders: VaultPath[] = [ROOT];
  let batch: FileStat[] = [];
  signal?.throwIfAborted();
  root.noteDisk();
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    options.onFolder?.(folder);
    const listing = readFolder(root, folder, options);
    for (const path of listing.folders) folders.push(path);
    for (const path of listing.files) {
      const stat = wantedStat(root, path, options);
      if (stat) batch.push(stat);
      if (!slice.isOver && batch.length < MAX_BATCH) continue;
      yield batch;
      batch = [];
      if (slice.isOver) await slice.yield();
    }
  }
  if (batch.length > 0) yield batch;
}

function wantedStat(
  root: VaultRoot,
  path: VaultPath,
  { onUnlisted = ignore, isKnown }: WalkOptions,
): FileStat | undefined {
  const stat = statAt(path, root.absolute(path), onUnlisted);
  if (root.hasOnDemandFiles && stat && isOnDemand(stat)) {
    onUnlisted({ folder: folderOf(path), name: baseName(path), kind: "file", reason: "cloud" });
    return undefined;
  }
  return stat && !isKnown?.(path, stampOf(stat)) ? fileStat(path, stat) : undefined;
}

interface FolderListing {
  readonly files: readonly VaultPath[];
  readonly folders: readonly VaultPath[];
}

function readFolder(root: VaultRoot, folder: VaultPath, options: WalkOptions): FolderListing {
  const { wants, onHidden, onUnlisted = ignore } = options;
  const [files, folders]: [VaultPath[], VaultPath[]] = [[], []];
  for (const entry of entriesOf(root, folder, onUnlisted) ?? []) {
    const { name } = entry;
    if (isHiddenName(name)) {
      const elsewhere = nameInCloud(name);
      if (elsewhere !== undefined) onUnlisted({ folder, name: elsewhere, kind: "file", reason: "cloud" });
      else onHidden?.(folder, name);
      continue;
    }
    const isFolder = entry.isDirectory();
    const path = storedPath(folder, name);
    if (path === undefined || (!isFolder && !entry.isFile())) {
      const what = unlisted(root, folder, entry, path);
      if (what) onUnlisted(what);
    } else if (!wants || wants(path, isFolder ? "folder" : "file")) (isFolder ? folders : files).push(path);
  }
  return { files, folders };
}

function ignore(): void {}

/** Undefined for a link to a listed entry. */
function unlisted(
  root: VaultRoot,
  folder: VaultPath,
  entry: fs.Dirent,
  path: VaultPath | undefined,
): UnlistedEntry | undefined {
  const { name } = entry;
  if (path === undefined) return { folder, name, kind: entry.isDirectory() ? "folder" : "file", reason: "name" };
  if (!entry.isSymbolicLink()) return { folder, name, kind: "file", reason: "special" };
  return linkKind(root, path) ? undefined : { folder, name, kind: "file", reason: "link" };
}

function outOfReach(path: VaultPath, kind: UnlistedEntry["kind"], reason: "closed" | "name"): UnlistedEntry {
  return { folder: folderOf(path), name: baseName(path), kind, reason };
}

/** Not UTF-8. */
function isMangled(path: VaultPath): boolean {
  return baseName(path).includes("\ufffd");
}

export function isVacant(root: VaultRoot, path: VaultPath): boolean {
  try {
    return !isMangled(path) && fs.lstatSync(root.absolute(path), ABSENCE_IS_A_VALUE) === undefined;
  } catch {
    return false;
  }
}

/** Links are listed as their visible target. */
export function children(root: VaultRoot, folder: OpenFolder, requested: VaultPath): FolderEntry[] {
  const shown: FolderEntry[] = [];
  for (const entry of fs.readdirSync(folder.at(), { withFileTypes: true })) {
    const elsewhere = nameInCloud(entry.name);
    if (elsewhere !== undefined && storedPath(requested, elsewhere, {}) !== undefined)
      shown.push({ name: elsewhere, path: joinPath(requested, elsewhere), kind: "file", inCloud: true });
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
    return undefined;
  }
}

function kindOf(entry: { isDirectory(): boolean; isFile(): boolean }): FolderEntry["kind"] | undefined {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : undefined;
}

/** Undefined for a missing or closed folder. Other failures must not look like an empty one. */
function entriesOf(
  root: VaultRoot,
  path: VaultPath,
  onUnlisted: (what: UnlistedEntry) => void,
): fs.Dirent[] | undefined {
  let folder: OpenFolder | undefined;
  try {
    folder = root.realFolder(path);
    const entries = folder && fs.readdirSync(folder.at(), { withFileTypes: true });
    folder?.confirm();
    return entries;
  } catch (error) {
    if (path === ROOT) root.identity();
    else if (isClosed(error) || (isMissing(error) && isMangled(path))) {
      onUnlisted(outOfReach(path, "folder", isClosed(error) ? "closed" : "name"));
      return undefined;
    } else if (isMissing(error) || systemCode(error) === "ELOOP") return undefined;
    throw translate(error, path);
  } finally {
    folder?.close();
  }
}

/** A link may have replaced a folder: the next check discards these numbers. */
function statAt(path: VaultPath, location: string, onUnlisted: (what: UnlistedEntry) => void): fs.Stats | undefined {
  let stat: fs.Stats | undefined;
  try {
    stat = fs.lstatSync(location, ABSENCE_IS_A_VALUE);
  } catch (error) {
    if (!isClosed(error) && !isMissing(error)) throw translate(error, path);
    if (isClosed(error)) {
      onUnlisted(outOfReach(path, "file", "closed"));
      return undefined;
    }
  }
  if (stat === undefined && isMangled(path)) onUnlisted(outOfReach(path, "file", "name"));
  return stat?.isFile() ? stat : undefined;
}

function isClosed(error: unknown): boolean {
  const code = systemCode(error);
  return code === "EACCES" || code === "EPERM";
}
