/** A verified folder of the vault, held open so that an operation happens in that folder and no other. */
import fs from "node:fs";
import { promisify } from "node:util";
import { leavesVault, systemCode } from "./failure.js";
import type { VaultPath } from "../path.js";

const fsync = promisify(fs.fsync);

export class OpenFolder {
  readonly path: VaultPath;
  readonly #location: string;
  readonly #handle: number | undefined;
  #closed = false;

  /**
   * @param location the prefix of its files' paths: the open handle where the system allows that, else the real path
   */
  constructor(path: VaultPath, location: string, handle: number | undefined) {
    this.path = path;
    this.#location = location;
    this.#handle = handle;
  }

  /** The system reports where files were moved only for paths through the open handle. */
  get isHeld(): boolean {
    return this.#handle !== undefined;
  }

  /** Without a name, the path of the folder itself. */
  at(name?: string): string {
    return name === undefined ? this.#location : `${this.#location}/${name}`;
  }

  /** The modification time of the folder in milliseconds, as fine as the disk stores it. */
  changedAt(): number {
    return fs.statSync(this.#location).mtimeMs;
  }

  /**
   * Where folders have no handles: checks that the folder is still in its place. @throws VaultError PERMISSION_DENIED
   */
  confirm(): void {
    if (this.#handle !== undefined) return;
    let real: string | undefined;
    try {
      real = fs.realpathSync.native(this.#location);
    } catch {
      // The folder is gone.
    }
    if (real !== this.#location) throw leavesVault(this.path);
  }

  /** Makes the folder's entries survive a power cut. Windows cannot do this and does not need it. */
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

/**
 * As `closeQuietly`, but asynchronously: closing the last handle of a removed file frees its blocks, which takes time.
 */
export function closeLater(handle: number): void {
  fs.close(handle, () => {});
}
