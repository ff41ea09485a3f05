/** Reads regular files, never a mixture of two versions, also from the cloud (docs: obsidian, "Sync folders"). */
import fs from "node:fs";
import { TimeSlice, unlessLate } from "../../async/timers.js";
import { VaultError, systemCode } from "../../errors.js";
import {
  StoredContent,
  type FileStat,
  type ReadManyOptions,
  type Stamp,
  type StoredFile,
  type UnreadableFile,
} from "../storage.js";
import { baseName, folderOf, type VaultPath, joinPath } from "../path.js";
import { IsLink, isMissing, leavesVault, notRegular, translate } from "./failure.js";
import { closeQuietly, type OpenFolder, type VaultRoot } from "./vault-root.js";
import { promisify } from "node:util";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
/** Opening a FIFO would wait for its writer. Link targets are checked first. */
export const OPEN_FILE = O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0);

const MAX_CHECKS = 10;
const MAX_WHOLE_FILE = 512 * 1024 * 1024;
const MAX_READS = 5;

interface OpenFile {
  readonly handle: number;
  readonly stat: fs.Stats;
}

/** Open, to check the same inode again. */
export interface ReadFile extends OpenFile {
  readonly bytes: Buffer;
}

/**
 * Undefined for a folder too.
 * @throws IsLink; PERMISSION_DENIED for FIFOs, devices and sockets
 */
export function openFile(folder: OpenFolder, name: string, path: VaultPath): OpenFile | undefined {
  let handle: number;
  try {
    handle = open(folder.at(name));
  } catch (error) {
    if (isMissing(error) || systemCode(error) === "EISDIR") return undefined;
    if (systemCode(error) === "ELOOP") throw new IsLink();
    if (systemCode(error) === "ENXIO") throw notRegular(path);
    throw error;
  }
  try {
    folder.confirm();
    const stat = fs.fstatSync(handle);
    if (stat.isFile()) return { handle, stat };
    if (!stat.isDirectory()) throw notRegular(path);
  } catch (error) {
    closeQuietly(handle);
    throw error;
  }
  closeQuietly(handle);
  return undefined;
}

function open(location: string): number {
  if (O_NOFOLLOW === undefined && fs.lstatSync(location).isSymbolicLink()) throw new IsLink();
  return fs.openSync(location, OPEN_FILE);
}

/** Follows links within the vault. */
function withFile<Result>(root: VaultRoot, path: VaultPath, use: (file: OpenFile) => Result): Result | undefined {
  for (let check = 1; ; check++) {
    const place = root.placeToRead(path);
    try {
      const file = place && openFile(place.folder, place.name, path);
      return file && use(file);
    } catch (error) {
      if (!(error instanceof IsLink)) throw translate(error, path);
      if (check === MAX_CHECKS) throw leavesVault(path);
    } finally {
      place?.folder.close();
    }
  }
}

export function statFile(root: VaultRoot, path: VaultPath): FileStat | undefined {
  return withFile(root, path, (file) => {
    closeQuietly(file.handle);
    return fileStat(path, file.stat);
  });
}

export async function readFile(root: VaultRoot, path: VaultPath): Promise<StoredFile | undefined> {
  const file = withFile(root, path, (opened) => opened);
  if (!file) return undefined;
  try {
    return closed(path, await fetchOpenFile(root, file, path));
  } catch (error) {
    throw translate(error, path);
  }
}

/** Not from the cloud. */
function readHere(root: VaultRoot, path: VaultPath): StoredFile | undefined {
  return withFile(root, path, (file) => closed(path, readOpenFile(file, path)));
}

function closed(path: VaultPath, file: ReadFile): StoredFile {
  closeQuietly(file.handle);
  return new StoredContent(fileStat(path, file.stat), file.bytes);
}

export async function fetchOpenFile(root: VaultRoot, file: OpenFile, path: VaultPath): Promise<ReadFile> {
  if (root.hasOnDemandFiles && isOnDemand(file.stat)) await fetchFromCloud(file.handle, path);
  return readOpenFile(file, path);
}

/** Closes the file only on failure. @throws TOO_LARGE */
function readOpenFile(file: OpenFile, path: VaultPath): ReadFile {
  try {
    return readWhole(file, path);
  } catch (error) {
    closeQuietly(file.handle);
    throw error;
  }
}

function readWhole(file: OpenFile, path: VaultPath): ReadFile {
  let { stat } = file;
  for (let reads = 1; ; reads++) {
    if (stat.size > MAX_WHOLE_FILE) {
      throw new VaultError("TOO_LARGE", `'${path}' is too large to be read whole.`, { path, hint: "Split the file." });
    }
    const bytes = readToEnd(file.handle, stat.size);
    const after = fs.fstatSync(file.handle);
    const steady = after.mtimeMs === stat.mtimeMs && after.size === stat.size && bytes.byteLength === stat.size;
    if (steady || reads === MAX_READS) return { handle: file.handle, stat: after, bytes };
    stat = after;
  }
}

export function readToEnd(handle: number, expectedSize: number): Buffer {
  let bytes = Buffer.allocUnsafe(expectedSize + 1);
  let length = 0;
  for (;;) {
    const read = fs.readSync(handle, bytes, length, bytes.byteLength - length, length);
    length += read;
    if (read === 0) return bytes.subarray(0, length);
    if (length === bytes.byteLength) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.byteLength + 4096)]);
  }
}

export function fileStat(path: VaultPath, stat: fs.Stats): FileStat {
  const { size, mtimeMs } = stat;
  const created = stat.birthtimeMs > 0 ? Math.min(stat.birthtimeMs, mtimeMs) : mtimeMs;
  return { path, size, modified: mtimeMs, created, stamp: stampOf(stat) };
}

export function stampOf({ size, mtimeMs, ctimeMs, ino, dev }: fs.Stats): Stamp {
  return [size, mtimeMs, ctimeMs, ino, dev];
}

const BATCH_BYTES = 64 * 1024;

/** In time slices. Consecutive paths of one folder open it once. */
export async function* readMany(
  root: VaultRoot,
  paths: readonly VaultPath[],
  { limit = Infinity, signal }: ReadManyOptions,
): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
  const slice = new TimeSlice(signal);
  let [at, folder]: [VaultPath?, OpenFolder?] = [];
  let batch: (StoredFile | UnreadableFile)[] = [];
  let size = 0;
  signal?.throwIfAborted();
  try {
    for (const path of paths) {
      try {
        if (folderOf(path) !== at) {
          folder?.close();
          at = undefined;
          folder = root.folder(folderOf(path));
          at = folderOf(path);
        }
        const file = folder && readHead(root, folder, path, limit);
        if (file) batch.push(file);
        size += file?.bytes.byteLength ?? 0;
      } catch (cause) {
        const error = translate(cause, path);
        if (error.code === "VAULT_NOT_FOUND") throw error;
        batch.push({ path, error });
      }
      if (!slice.isOver && size < BATCH_BYTES) continue;
      if (batch.length > 0) yield batch;
      batch = [];
      size = 0;
      if (slice.isOver) await slice.yield();
    }
    if (batch.length > 0) yield batch;
  } finally {
    folder?.close();
  }
}

function readHead(root: VaultRoot, folder: OpenFolder, path: VaultPath, limit: number): StoredFile | undefined {
  let file: OpenFile | undefined;
  try {
    file = openFile(folder, baseName(path), path);
    if (!file) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(file.stat.size, limit));
    const isWhole = bytes.length === 0 || fs.readSync(file.handle, bytes, 0, bytes.length, null) === bytes.length;
    if (isWhole) return new StoredContent(fileStat(path, file.stat), bytes);
  } catch (error) {
    if (!(error instanceof IsLink)) throw error;
  } finally {
    if (file) closeQuietly(file.handle);
  }
  // A link, or a shortened file.
  return headOf(readHere(root, path), limit);
}

function headOf(file: StoredFile | undefined, limit: number): StoredFile | undefined {
  return file && new StoredContent(file.stat, file.bytes.subarray(0, limit));
}

const STAND_IN = /^\.(.+)\.icloud$/;
/** Bytes. Some file systems store smaller files without blocks. */
const MIN_ON_DEMAND_SIZE = 4096;

export function nameInCloud(hidden: string): string | undefined {
  return STAND_IN.exec(hidden)?.[1];
}

export function isOnDemand({ size, blocks }: Pick<fs.Stats, "size" | "blocks">): boolean {
  return blocks === 0 && size >= MIN_ON_DEMAND_SIZE;
}

const FETCH_TIMEOUT_MS = 30_000;
const FETCH_BYTES = 1024 * 1024;
const read = promisify(fs.read);

/** In another thread: it waits for the network. On success the handle stays open. @throws UNAVAILABLE on timeout */
export async function fetchFromCloud(handle: number, path: VaultPath, timeout = FETCH_TIMEOUT_MS): Promise<void> {
  const reading = readThrough(handle);
  const close = (): void => fs.close(handle, () => undefined);
  const isFetched = await unlessLate(reading, timeout).catch((error: unknown) => {
    close();
    throw error;
  });
  if (isFetched) return;
  void reading.catch(() => undefined).then(close);
  throw new VaultError("UNAVAILABLE", `'${path}' is in the cloud only, and was not fetched within 30 seconds.`, {
    path,
    hint: "Check the connection, or download it in the sync program, then try again.",
  });
}

async function readThrough(handle: number): Promise<true> {
  const buffer = Buffer.allocUnsafe(FETCH_BYTES);
  for (;;) if ((await read(handle, buffer, 0, FETCH_BYTES, null)).bytesRead === 0) return true;
}

/** On Linux a file without blocks is sparse. */
export const HAS_ON_DEMAND_FILES = process.platform === "darwin" || process.platform === "win32";

export function assertNotInCloud(root: VaultRoot, path: VaultPath): void {
  const standIn = joinPath(folderOf(path), `.${baseName(path)}.icloud`);
  if (!fs.existsSync(root.absolute(standIn))) return;
  throw new VaultError("UNAVAILABLE", `'${path}' is in iCloud only.`, { path, hint: "Download it in Finder." });
}
