/** Opens, makes and removes folders inside the vault only, even while another program replaces folders by links. */
import fs from "node:fs";
import nodePath from "node:path";
import { isVaultError, VaultError, systemCode } from "../../errors.js";
import { baseName, folderOf, isHidden, isObsidianConfig, joinPath, ROOT, storedPath, type VaultPath } from "../path.js";
import { isMissing, leavesVault, otherDisk, translate, vaultNotFound, deadLink } from "./failure.js";
import { promisify } from "node:util";
import { fileInTheWay } from "../errors.js";

const { O_RDONLY, O_DIRECTORY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
/** Windows lacks these flags. */
const OPEN_FOLDER = O_RDONLY | (O_DIRECTORY ?? 0) | (O_NONBLOCK ?? 0);
const OPEN_REAL_FOLDER = OPEN_FOLDER | (O_NOFOLLOW ?? 0);

/** The caller closes the folder. */
export interface Place {
  readonly folder: OpenFolder;
  readonly name: string;
  /** Real: all names of a file share one lock. */
  readonly path: VaultPath;
}

export class VaultRoot {
  /** Real and absolute. Never shown. */
  readonly location: string;
  readonly hasOnDemandFiles: boolean;
  /** No link can redirect a handle's path (`/proc/self/fd/7`). */
  readonly #byHandle: boolean;
  /** Device number at opening or the last listing. */
  #disk: string | undefined;

  constructor(folder: string, hasOnDemandFiles = false) {
    this.hasOnDemandFiles = hasOnDemandFiles;
    try {
      this.location = fs.realpathSync.native(folder);
    } catch (error) {
      throw vaultNotFound(error);
    }
    this.noteDisk();
    this.#byHandle = handlesAreNamed(this.location);
  }

  /** Device and inode. @throws VAULT_NOT_FOUND */
  identity(): string {
    let stat: fs.BigIntStats | undefined;
    try {
      stat = fs.statSync(this.location, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (!isMissing(error)) throw translate(error, ROOT);
    }
    if (!stat?.isDirectory()) throw vaultNotFound();
    return `${stat.dev}-${stat.ino}`;
  }

  /** Nanoseconds; undefined where the disk does not say. Old systems give the last change. */
  born(): string | undefined {
    const stat = fs.statSync(this.location, { bigint: true, throwIfNoEntry: false });
    return !stat || stat.birthtimeNs <= 0n || stat.birthtimeNs === stat.ctimeNs ? undefined : String(stat.birthtimeNs);
  }

  noteDisk(): void {
    const [disk] = this.identity().split("-");
    try {
      // An empty mount point is not the vault.
      if (this.#disk === undefined || fs.readdirSync(this.location).length > 0) this.#disk = disk;
    } catch (error) {
      throw translate(error, ROOT);
    }
  }

  /** @throws VAULT_NOT_FOUND when the disk was removed or replaced */
  assertSameDisk(): void {
    const [disk] = this.identity().split("-");
    if (disk !== this.#disk) throw otherDisk();
  }

  /** A watch does not notice another folder, disk or other rights. */
  mountState(): string {
    try {
      const { dev, ino, mode, uid, gid } = fs.statSync(this.location);
      return [dev, ino, mode, uid, gid, ...mountsIn(this.location)].join(" ");
    } catch (error) {
      return `out of reach: ${systemCode(error)}`;
    }
  }

  /** Not verified: for calls that reveal only numbers. */
  absolute(path: VaultPath): string {
    return path === ROOT ? this.location : `${this.location}/${path}`;
  }

  /** @throws PERMISSION_DENIED outside the vault or for a closed folder; VAULT_NOT_FOUND */
  folder(path: VaultPath): OpenFolder | undefined {
    try {
      // Opening a missing folder throws, which costs more.
      if (fs.statSync(this.absolute(path), { throwIfNoEntry: false }))
        return this.#byHandle ? this.#folderByHandle(path) : this.#folderByPath(path);
    } catch (error) {
      if (!isMissing(error)) throw translate(error, path);
    }
    this.identity();
    return undefined;
  }

  /** Undefined for a link. */
  realFolder(path: VaultPath): OpenFolder | undefined {
    if (!this.#byHandle) {
      const folder = this.folder(path);
      return folder?.path === path ? folder : undefined;
    }
    const handle = fs.openSync(this.absolute(path), OPEN_REAL_FOLDER);
    const location = `/proc/self/fd/${handle}`;
    if (fs.readlinkSync(location) === this.absolute(path)) return new OpenFolder(path, location, handle);
    fs.closeSync(handle);
    return undefined;
  }

  /**
   * Undefined without its folder; the file need not exist. `follow: false` names a link itself.
   * @throws PERMISSION_DENIED for a link that is broken or leads out of the vault or to a closed folder
   */
  place(path: VaultPath, follow = true): Place | undefined {
    assertNameFits(path);
    const folder = this.folder(folderOf(path));
    if (!folder) return undefined;
    const name = baseName(path);
    try {
      const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
      if (!follow || !stat?.isSymbolicLink()) return { folder, name, path: joinPath(folder.path, name) };
    } catch (error) {
      folder.close();
      throw translate(error, path);
    }
    folder.close();
    const target = this.linkTarget(path);
    if (target === undefined) throw leavesVault(path);
    const real = this.folder(folderOf(target));
    return real && { folder: real, name: baseName(target), path: joinPath(real.path, baseName(target)) };
  }

  /** As `place`, but undefined for a broken link. */
  placeToRead(path: VaultPath): Place | undefined {
    try {
      return this.place(path);
    } catch (error) {
      if (isVaultError(error, "PERMISSION_DENIED") && this.linkTarget(path) === undefined) return undefined;
      throw error;
    }
  }

  /** Milliseconds: a clock tick, or two seconds on coarse disks (performance, "Racy stat"). */
  stampGranularity(): number {
    const { mtimeMs, ctimeMs } = fs.statSync(this.location);
    return mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0 ? 2000 : 20;
  }

  /** @throws PERMISSION_DENIED */
  linkTarget(path: VaultPath): VaultPath | undefined {
    try {
      return this.#inside(fs.realpathSync.native(this.absolute(path)), path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw systemCode(error) === "ELOOP" ? leavesVault(path) : translate(error, path);
    }
  }

  #folderByHandle(path: VaultPath): OpenFolder | undefined {
    const handle = fs.openSync(this.absolute(path), OPEN_FOLDER);
    try {
      const location = `/proc/self/fd/${handle}`;
      const real = fs.readlinkSync(location);
      if (real === this.absolute(path)) return new OpenFolder(path, location, handle);
      if (real.endsWith(" (deleted)") && fs.fstatSync(handle).nlink === 0) {
        fs.closeSync(handle);
        return undefined;
      }
      return new OpenFolder(this.#inside(real, path), location, handle);
    } catch (error) {
      fs.closeSync(handle);
      throw error;
    }
  }

  #folderByPath(path: VaultPath): OpenFolder | undefined {
    const location = fs.realpathSync.native(this.absolute(path));
    if (!fs.statSync(location).isDirectory()) return undefined;
    return new OpenFolder(this.#inside(location, path), location, undefined);
  }

  /** The rules of the requested path hold for the real one. */
  #inside(real: string, requested: VaultPath): VaultPath {
    if (real === this.location) return ROOT;
    const start = this.location.endsWith(nodePath.sep) ? this.location : this.location + nodePath.sep;
    if (!real.startsWith(start)) throw leavesVault(requested);
    let path = ROOT;
    for (const name of real.slice(start.length).split(nodePath.sep)) {
      const next = storedPath(path, name, { allowHidden: isHidden(requested) });
      if (next === undefined) throw leavesVault(requested);
      path = next;
    }
    if (isObsidianConfig(path) && !isObsidianConfig(requested)) throw leavesVault(requested);
    return path;
  }
}

function mountsIn(folder: string): readonly string[] {
  if (process.platform !== "linux") return [];
  // `mountinfo` writes these in octal.
  const escaped = folder.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
  try {
    const mounts = fs.readFileSync("/proc/self/mountinfo", "utf8");
    if (!mounts.includes(` ${escaped}/`)) return [];
    return mounts.split("\n").filter((line) => line.split(" ")[4]?.startsWith(`${escaped}/`));
  } catch {
    return [];
  }
}

/** Else (macOS, Windows, some sandboxes) real paths are compared before and after. */
function handlesAreNamed(location: string): boolean {
  if (process.platform !== "linux") return false;
  let handle: number | undefined;
  try {
    handle = fs.openSync(location, OPEN_FOLDER);
    return fs.readlinkSync(`/proc/self/fd/${handle}`) === location;
  } catch {
    return false;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** NTFS reads `a:b` as a hidden stream of `a`, and drops trailing dots and spaces. */
function assertNameFits(path: VaultPath): void {
  if (process.platform !== "win32" || !/[<>:"|?*]|[. ](?:\/|$)/.test(path)) return;
  throw new VaultError("INVALID_ARGUMENT", "The path holds a name that Windows cannot store.", {
    hint: 'Leave out < > : " | ? * and dots or spaces at the end of a name.',
  });
}

const fsync = promisify(fs.fsync);

export class OpenFolder {
  readonly path: VaultPath;
  readonly #location: string;
  readonly #handle: number | undefined;
  #closed = false;

  constructor(path: VaultPath, location: string, handle: number | undefined) {
    this.path = path;
    this.#location = location;
    this.#handle = handle;
  }

  /** The system can then say where a file went. */
  get isHeld(): boolean {
    return this.#handle !== undefined;
  }

  at(name?: string): string {
    return name === undefined ? this.#location : `${this.#location}/${name}`;
  }

  /** Milliseconds. */
  changedAt(): number {
    return fs.statSync(this.#location).mtimeMs;
  }

  /** Without a handle, checks that the folder still exists. @throws PERMISSION_DENIED */
  confirm(): void {
    if (this.#handle !== undefined) return;
    let real: string | undefined;
    try {
      real = fs.realpathSync.native(this.#location);
    } catch {}
    if (real !== this.#location) throw leavesVault(this.path);
  }

  /** Against power cuts. Windows does not need it. */
  async flush(): Promise<void> {
    if (this.#handle !== undefined) {
      await fsync(this.#handle);
    } else if (process.platform !== "win32") {
      const handle = fs.openSync(this.#location, fs.constants.O_RDONLY);
      try {
        await fsync(handle);
      } finally {
        fs.closeSync(handle);
      }
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#handle !== undefined) closeQuietly(this.#handle);
  }
}

export function closeQuietly(handle: number): void {
  try {
    fs.closeSync(handle);
  } catch (error) {
    if (systemCode(error) === "EBADF") throw error;
  }
}

/** Closing a removed file frees its blocks, which takes time. */
export function closeLater(handle: number): void {
  fs.close(handle, () => {});
}

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
