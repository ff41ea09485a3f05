/** A verified folder, held open against replacement. */
import fs from "node:fs";
import { promisify } from "node:util";
import { systemCode } from "../../errors.js";
import { leavesVault } from "./failure.js";
import type { VaultPath } from "../path.js";

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
