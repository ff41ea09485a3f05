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
  const swap = new Swap(place, current, file, safeguards);
  try {
    if (!swap.exchange() || (await swap.wasSavedInto())) return undefined;
    const durable = await isFlushed(place.folder, safeguards);
    if (await swap.wasSavedInto()) return undefined;
    return { stat: file.stat(), durable };
  } finally {
    swap.end();
  }
}

class Swap {
  readonly #place: Place;
  readonly #current: ReadFile;
  readonly #file: NewFile;
  readonly #safeguards: Safeguards;
  readonly #kept: string;
  #isKept = false;
  readonly #concurrent: ConcurrentRenames;

  constructor(place: Place, current: ReadFile, file: NewFile, safeguards: Safeguards) {
    this.#place = place;
    this.#current = current;
    this.#file = file;
    this.#safeguards = safeguards;
    this.#kept = file.locationOfOld;
    this.#concurrent = new ConcurrentRenames(place.folder, place.name, file.stat().mtimeMs);
  }

  get #target(): string {
    return this.#place.folder.at(this.#place.name);
  }

  /** Synchronous: nothing else in this process may run between check and rename. */
  exchange(): boolean {
    const { check, checkAfter } = this.#safeguards;
    this.#place.folder.confirm();
    if (checkAfter) {
      if (!this.#keep()) return false;
      this.#concurrent.hold();
    }
    if (check && !isUnchanged(this.#current)) return false;
    if (checkAfter) this.#concurrent.hold();
    if (check && !isSame(this.#target, this.#current.stat)) return false;
    try {
      this.#file.rename(this.#place.name);
    } catch (error) {
      // A network disk may rename and lose the answer.
      if (!isSame(this.#target, this.#file.stat())) throw error;
    }
    return true;
  }

  /** The version of the other program has its name back. */
  async wasSavedInto(): Promise<boolean> {
    if (!this.#safeguards.checkAfter) return false;
    let replaced: number | undefined;
    try {
      replaced = this.#concurrent.replaced();
      if (replaced === undefined && isUnchanged(this.#current)) return false;
    } catch {
      return false;
    }
    await this.#giveBack(replaced);
    return true;
  }

  end(): void {
    this.#concurrent.close();
    if (this.#isKept) discard(this.#kept);
    this.#file.discard();
  }

  #keep(): boolean {
    try {
      fs.linkSync(this.#target, this.#kept);
      this.#isKept = true;
    } catch (error) {
      if (isMissing(error)) return false;
      if (!isLinkUnsupported(error)) throw error;
    }
    return true;
  }

  /** Not over a newer file: that is the other program's later save. */
  async #giveBack(replaced: number | undefined): Promise<void> {
    const saved = replaced ?? (this.#isKept ? undefined : this.#current.handle);
    const copy = saved === undefined ? undefined : await this.#copyOf(saved);
    try {
      const written = { handle: this.#file.handle, stat: this.#file.stat(), bytes: this.#file.bytes };
      if (!isSame(this.#target, written.stat) || !isUnchanged(written)) return;
      if (copy) copy.rename(this.#place.name);
      else renameOver(this.#kept, this.#target);
    } finally {
      copy?.discard();
    }
  }

  /** A file without a name can only be copied. */
  async #copyOf(handle: number): Promise<NewFile> {
    const stat = fs.fstatSync(handle);
    return await NewFile.write(this.#place.folder, readToEnd(handle, stat.size), stat, this.#safeguards.flush);
  }
}

/** Programs rename right after writing. */
const RECENT_MS = 2000;
const MAX_CONCURRENT = 256;
const MAX_CHECKS = 3;

/**
 * Holds open the files that another program may rename onto ours: Node has no conditional rename. A file created and
 * renamed after the last check is lost.
 */
class ConcurrentRenames {
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly #now: number;
  #handles: readonly number[] = [];
  #listedAt: number | undefined;

  /** @param now by the folder's clock */
  constructor(folder: OpenFolder, name: string, now: number) {
    this.#folder = folder;
    this.#name = name;
    this.#now = now;
  }

  /** One system call if nothing has changed. */
  hold(): void {
    if (!this.#folder.isHeld) return;
    for (let check = 1; check <= MAX_CHECKS; check++) {
      const changedAt = this.#folder.changedAt();
      if (changedAt === this.#listedAt) return;
      this.#listedAt = changedAt;
      this.close();
      this.#handles = candidates(this.#folder, this.#name, this.#now);
    }
  }

  /** What another program renamed to our name and we replaced. */
  replaced(): number | undefined {
    if (this.#handles.length === 0) return undefined;
    const trace = `${fs.readlinkSync(this.#folder.at())}/${this.#name} (deleted)`;
    return this.#handles.find((handle) => fs.readlinkSync(`/proc/self/fd/${handle}`) === trace);
  }

  close(): void {
    for (const handle of this.#handles) closeQuietly(handle);
  }
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
