/**
 * Replaces a file by compare-and-swap, also against programs without locks (reliability, "Writing a file").
 *
 * Another program may still save into the replaced file, which keeps a second name until the new one is in place. Files
 * that a program may rename onto ours are held open. A version saved to either gets its name back, and the caller
 * starts again from it.
 */
import fs from "node:fs";
import { systemCode } from "../../errors.js";
import { isMissing, readOnly } from "./failure.js";
import { folderInTheWay } from "../errors.js";
import { closeQuietly, type OpenFolder, type Place } from "./vault-root.js";
import { discard, isLinkUnsupported, makerOf, NewFile, renameOver } from "./temporary.js";
import { OPEN_FILE, readToEnd, type ReadFile } from "./read.js";

const STICKY = 0o1000;

/** Undefined: not the expected file, nothing changed. */
interface Placed {
  readonly stat: fs.Stats;
  readonly durable: boolean;
}

export async function createFile(
  { folder, name, path }: Place,
  bytes: Uint8Array,
  safeguards: Safeguards,
): Promise<Placed | undefined> {
  const file = await NewFile.write(folder, bytes, undefined, safeguards.flush);
  try {
    folder.confirm();
    if (!file.claim(name)) {
      if (fs.lstatSync(folder.at(name), { throwIfNoEntry: false })?.isDirectory()) throw folderInTheWay(path);
      return undefined;
    }
    const durable = await isFlushed(folder, safeguards);
    return { stat: file.stat(), durable };
  } finally {
    file.discard();
  }
}

/** @throws PERMISSION_DENIED for a read-only file */
export async function replaceFile(
  place: Place,
  current: ReadFile,
  bytes: Uint8Array,
  safeguards: Safeguards,
): Promise<Placed | undefined> {
  assertNotReadOnly(place, current.stat);
  const file = await NewFile.write(place.folder, bytes, current.stat, safeguards.flush);
  const swap = prepareSwap(place, current, file, safeguards);
  try {
    if (!swap.exchange() || (await swap.wasSavedInto())) return undefined;
    const durable = await isFlushed(place.folder, safeguards);
    if (await swap.wasSavedInto()) return undefined;
    return { stat: file.stat(), durable };
  } finally {
    swap.end();
  }
}

function prepareSwap(place: Place, current: ReadFile, file: NewFile, safeguards: Safeguards) {
  let isKept = false;
  const kept = file.locationOfOld;
  const concurrent = concurrentRenames(place.folder, place.name, file.stat().mtimeMs);

  function target(): string {
    return place.folder.at(place.name);
  }

  /** Synchronous: nothing else in this process may run between check and rename. */
  function exchange(): boolean {
    const { check, checkAfter } = safeguards;
    place.folder.confirm();
    if (checkAfter) {
      if (!keep()) return false;
      concurrent.hold();
    }
    if (check && !isUnchanged(current)) return false;
    if (checkAfter) concurrent.hold();
    if (check && !isSame(target(), current.stat)) return false;
    try {
      file.rename(place.name);
    } catch (error) {
      // A network disk may rename and lose the answer.
      if (!isSame(target(), file.stat())) throw error;
    }
    return true;
  }

  /** The version of the other program has its name back. */
  async function wasSavedInto(): Promise<boolean> {
    if (!safeguards.checkAfter) return false;
    let replaced: number | undefined;
    try {
      replaced = concurrent.replaced();
      if (replaced === undefined && isUnchanged(current)) return false;
    } catch {
      return false;
    }
    await giveBack(replaced);
    return true;
  }

  function end(): void {
    concurrent.close();
    if (isKept) discard(kept);
    file.discard();
  }

  function keep(): boolean {
    try {
      fs.linkSync(target(), kept);
      isKept = true;
    } catch (error) {
      if (isMissing(error)) return false;
      if (!isLinkUnsupported(error)) throw error;
    }
    return true;
  }

  /** Not over a newer file: that is the other program's later save. */
  async function giveBack(replaced: number | undefined): Promise<void> {
    const saved = replaced ?? (isKept ? undefined : current.handle);
    const copy = saved === undefined ? undefined : await copyOf(saved);
    try {
      const written = { handle: file.handle, stat: file.stat(), bytes: file.bytes };
      if (!isSame(target(), written.stat) || !isUnchanged(written)) return;
      if (copy) copy.rename(place.name);
      else renameOver(kept, target());
    } finally {
      copy?.discard();
    }
  }

  /** A file without a name can only be copied. */
  async function copyOf(handle: number): Promise<NewFile> {
    const stat = fs.fstatSync(handle);
    return await NewFile.write(place.folder, readToEnd(handle, stat.size), stat, safeguards.flush);
  }

  return { exchange, wasSavedInto, end };
}

/** Programs rename right after writing. */
const RECENT_MS = 2000;
const MAX_CONCURRENT = 256;
const MAX_CHECKS = 3;

/**
 * Holds open the files that another program may rename onto ours: Node has no conditional rename. A file created and
 * renamed after the last check is lost.
 * @param now by the folder's clock
 */
function concurrentRenames(folder: OpenFolder, name: string, now: number) {
  let handles: readonly number[] = [];
  let listedAt: number | undefined;

  /** One system call if nothing has changed. */
  function hold(): void {
    if (!folder.isHeld) return;
    for (let check = 1; check <= MAX_CHECKS; check++) {
      const changedAt = folder.changedAt();
      if (changedAt === listedAt) return;
      listedAt = changedAt;
      close();
      handles = candidates(folder, name, now);
    }
  }

  /** What another program renamed to our name and we replaced. */
  function replaced(): number | undefined {
    if (handles.length === 0) return undefined;
    const trace = `${fs.readlinkSync(folder.at())}/${name} (deleted)`;
    return handles.find((handle) => fs.readlinkSync(`/proc/self/fd/${handle}`) === trace);
  }

  function close(): void {
    for (const handle of handles) closeQuietly(handle);
  }

  return { hold, replaced, close };
}

/** No notes: programs do not prepare a save under a note's name. */
function candidates(folder: OpenFolder, target: string, now: number): number[] {
  const handles: number[] = [];
  let seen = 0;
  for (const entry of fs.readdirSync(folder.at(), { withFileTypes: true })) {
    const { name } = entry;
    if (name.endsWith(".md") || !entry.isFile() || name === target || makerOf(name) !== undefined) continue;
    if (++seen > MAX_CONCURRENT) break;
    try {
      const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
      const isRecent = stat?.isFile() && stat.ctimeMs > now - RECENT_MS;
      if (isRecent) handles.push(fs.openSync(folder.at(name), OPEN_FILE));
    } catch {}
  }
  return handles;
}

/** By contents: times and sizes can stay equal. */
export function isUnchanged({
  handle,
  stat,
  bytes,
}: Omit<ReadFile, "bytes"> & { readonly bytes: Uint8Array }): boolean {
  return stat.size === bytes.byteLength && Buffer.compare(readToEnd(handle, stat.size), bytes) === 0;
}

export function isSame(location: string, { ino, dev }: fs.Stats): boolean {
  const stat = fs.lstatSync(location, { throwIfNoEntry: false });
  return stat?.ino === ino && stat.dev === dev;
}

/** @throws PERMISSION_DENIED when this user may not write or replace the file */
export function assertNotReadOnly({ folder, name, path }: Place, stat: fs.Stats): void {
  if ((stat.mode & 0o222) === 0 || isKeptFromOthers(folder, stat)) throw readOnly(path);
  try {
    fs.accessSync(folder.at(name), fs.constants.W_OK);
  } catch (error) {
    if (isMissing(error)) return;
    throw systemCode(error) === "EACCES" ? readOnly(path) : error;
  }
}

/** In a sticky folder (`/tmp`) only owners replace a file. */
function isKeptFromOthers(folder: OpenFolder, file: fs.Stats): boolean {
  const user = process.getuid?.();
  const stat = user === undefined || user === 0 || file.uid === user ? undefined : fs.statSync(folder.at());
  return stat !== undefined && (stat.mode & STICKY) !== 0 && stat.uid !== user;
}

/** The entry exists, so a failure is only reported. */
export async function isFlushed(folder: OpenFolder, { flush }: Safeguards): Promise<boolean> {
  if (!flush) return true;
  try {
    await folder.flush();
    return true;
  } catch {
    return false;
  }
}

/** Tests disable each step of writing (reliability, promise 13). */
export interface Safeguards {
  readonly lock: boolean;
  readonly flush: boolean;
  readonly check: boolean;
  readonly checkAfter: boolean;
}

export const ALL_SAFEGUARDS: Safeguards = { lock: true, flush: true, check: true, checkAfter: true };
