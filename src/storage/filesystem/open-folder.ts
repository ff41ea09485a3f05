/** A verified folder of the vault that is held open, so that what is done in it is done in that folder and no other. */
import fs from "node:fs";
import { promisify } from "node:util";
import { leavesVault, systemCode } from "./failure.js";
import type { VaultPath } from "../path.js";

const fsync = promisify(fs.fsync);

export class OpenFolder {
  /** Its real path in the vault. */
  readonly path: VaultPath;
  readonly #location: string;
  readonly #handle: number | undefined;
  #closed = false;

  /** @param location what the folder's files are named by: the open handle where the system can, else the real path */
  constructor(path: VaultPath, location: string, handle: number | undefined) {
    this.path = path;
    this.#location = location;
    this.#handle = handle;
  }

  /** Whether it is named by its open handle, so that the system tells where its files went. */
  get isHeld(): boolean {
    return this.#handle !== undefined;
  }

  /** What to hand to the system for an entry of this folder; with no name, for the folder itself. */
  at(name?: string): string {
    return name === undefined ? this.#location : `${this.#location}/${name}`;
  }

  /** When its entries last changed, in milliseconds; as fine as the disk keeps times. */
  changedAt(): number {
    return fs.statSync(this.#location).mtimeMs;
  }

  /** Where folders have no handles: makes sure that this one still is where it was. @throws VaultError PERMISSION_DENIED */
  confirm(): void {
    if (this.#handle !== undefined) return;
    let real: string | undefined;
    try {
      real = fs.realpathSync.native(this.#location);
    } catch {
      // Gone: then nothing more can be said for it.
    }
    if (real !== this.#location) throw leavesVault(this.path);
  }

  /** Makes the folder's entries survive a power cut. Windows cannot and need not. */
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

/** Closes a handle whose data is safe already, or no longer wanted. */
export function closeQuietly(handle: number): void {
  try {
    fs.closeSync(handle);
  } catch (error) {
    if (systemCode(error) === "EBADF") throw error;
  }
}

/** As `closeQuietly`, when there is time: with its last handle the system gives back all that a removed file took up. */
export function closeLater(handle: number): void {
  fs.close(handle, () => {});
}
