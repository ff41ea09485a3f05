/** Temporary files: next to their target, with its mode and owner. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { promisify } from "node:util";
import { sha256 } from "../../text/hash.js";
import type { VaultPath } from "../path.js";
import { systemCode } from "../../errors.js";
import { isMissing } from "./failure.js";
import { closeQuietly, type OpenFolder, type VaultRoot } from "./vault-root.js";
import { hasEnded, isShownToHaveEnded, ownIdentity } from "./process-identity.js";

const fsync = promisify(fs.fsync);
const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const CREATE = O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0);

export class NewFile {
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly handle: number;
  readonly bytes: Uint8Array;
  #isTemporary = true;

  private constructor(folder: OpenFolder, name: string, handle: number, bytes: Uint8Array) {
    this.#folder = folder;
    this.#name = name;
    this.handle = handle;
    this.bytes = bytes;
  }

  static async write(
    folder: OpenFolder,
    bytes: Uint8Array,
    like: fs.Stats | undefined,
    flush: boolean,
  ): Promise<NewFile> {
    const name = temporaryName("new");
    // Private until its mode is set.
    const file = new NewFile(folder, name, fs.openSync(folder.at(name), CREATE, like ? 0o600 : 0o666), bytes);
    try {
      writeAll(file.handle, bytes);
      if (like) inherit(file.handle, folder.at(name), like);
      if (flush) await fsync(file.handle);
      return file;
    } catch (error) {
      file.discard();
      throw error;
    }
  }

  get location(): string {
    return this.#folder.at(this.#name);
  }

  get locationOfOld(): string {
    return this.#folder.at(this.#name.replace(/new$/, "old"));
  }

  stat(): fs.Stats {
    return fs.fstatSync(this.handle);
  }

  rename(name: string): void {
    renameOver(this.location, this.#folder.at(name));
    this.#isTemporary = false;
  }

  claim(name: string): boolean {
    const target = this.#folder.at(name);
    try {
      fs.linkSync(this.location, target);
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      if (!isLinkUnsupported(error)) throw error;
      return intoReserved(target, () => renameOver(this.location, target));
    }
    discard(this.location);
    return true;
  }

  discard(): void {
    closeQuietly(this.handle);
    if (this.#isTemporary) discard(this.location);
  }
}

/** For disks without hard links. @returns false when the name is taken */
export function intoReserved(target: string, rename: () => void): boolean {
  try {
    closeQuietly(fs.openSync(target, "wx"));
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    rename();
    return true;
  } catch (error) {
    discard(target);
    throw error;
  }
}

function writeAll(handle: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.byteLength) {
    written += fs.writeSync(handle, bytes, written, bytes.byteLength - written, written);
  }
}

/** Node cannot copy access lists and extended attributes. */
function inherit(handle: number, location: string, like: fs.Stats): void {
  if (process.platform === "win32") return;
  const made = fs.fstatSync(handle);
  let mode = like.mode & 0o777;
  if (made.uid !== like.uid || made.gid !== like.gid) {
    if (!changeOwner(handle, like.uid, like.gid) && !changeOwner(handle, -1, like.gid)) {
      // Another group gets no more rights than everybody.
      mode = (mode & 0o707) | (((mode & 0o007) << 3) & mode);
    }
  }
  fs.fchmodSync(handle, mode);
  if (process.platform === "darwin" && like.birthtimeMs > 0) {
    // A modification time before the creation time moves the latter back.
    const { atime, mtime } = made;
    fs.utimesSync(location, like.birthtime, like.birthtime);
    fs.utimesSync(location, atime, mtime);
  }
}

function changeOwner(handle: number, uid: number, gid: number): boolean {
  try {
    fs.fchownSync(handle, uid, gid);
    return true;
  } catch {
    return false;
  }
}

const BUSY_RETRIES = 20;
const BUSY: ReadonlySet<string | undefined> = new Set(["EPERM", "EBUSY", "EACCES"]);

/** Retries on Windows, where a scanner may have the file open. */
export function renameOver(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      const isBusy = process.platform === "win32" && BUSY.has(systemCode(error));
      if (!isBusy || attempt === BUSY_RETRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt);
    }
  }
}

const UNLINKABLE: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EINVAL",
]);

/** On this disk, or for other users' files. */
export function isLinkUnsupported(error: unknown): boolean {
  return UNLINKABLE.has(systemCode(error));
}

/** `new`: not yet in place. `old`: second name of a replaced or removed file. */
type TemporaryKind = "new" | "old";

const NAME = /^\.obsidian-vault-mcp-server\.([0-9a-z-]{5,80})\.([0-9a-f]{16})\.([0-9a-f]{12})\.(?:new|old)$/;

/** For processes that cannot be checked. */
const LEFT_OVER_AGE_MS = 60 * 60 * 1000;

/** Signed: no user file is mistaken for ours. */
export function temporaryName(kind: TemporaryKind): string {
  return signedName(ownIdentity(), randomBytes(8).toString("hex"), kind);
}

export function signedName(maker: string, random: string, kind: TemporaryKind): string {
  return `.obsidian-vault-mcp-server.${maker}.${random}.${signature(maker, random)}.${kind}`;
}

export function makerOf(name: string): string | undefined {
  const [, maker = "", random = "", signed] = NAME.exec(name) ?? [];
  return signed !== undefined && signature(maker, random) === signed ? maker : undefined;
}

function signature(maker: string, random: string): string {
  return sha256(`obsidian-vault-mcp-server ${maker} ${random}`).slice(0, 12);
}

export function discard(location: string): void {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      fs.unlinkSync(location);
      return;
    } catch (error) {
      if (isMissing(error)) return;
    }
  }
}

/** Ignores failures. @param isShared other machines may write, so process numbers prove nothing */
export function clearLeftOver(
  root: VaultRoot,
  folderPath: VaultPath,
  name: string,
  { now, isShared }: { readonly now: number; readonly isShared: boolean },
): void {
  const maker = makerOf(name);
  if (maker === undefined) return;
  let folder: OpenFolder | undefined;
  try {
    folder = root.realFolder(folderPath);
    const stat = folder && fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
    if (!folder || !stat?.isFile()) return;
    // An `old` file has the modification time of its note.
    const isOld = now - stat.ctimeMs >= LEFT_OVER_AGE_MS && hasEnded(maker, stat.ctimeMs, now);
    if (isOld || (!isShared && isShownToHaveEnded(maker, stat.ctimeMs))) discard(folder.at(name));
  } catch {
  } finally {
    folder?.close();
  }
}
