/** A vault in a temporary folder of its own, with its locks beside it. */
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import {
  filesystemStorage,
  type FilesystemStorage,
  type FilesystemOptions,
} from "../../src/storage/filesystem/storage.js";

export class TemporaryVault {
  /** Holds the vault, its locks, and whatever a test puts beside it. */
  readonly base: string;
  readonly folder: string;
  readonly locks: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.base = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), "vault-")));
    this.folder = nodePath.join(this.base, "vault");
    this.locks = nodePath.join(this.base, "locks");
    fs.mkdirSync(this.folder);
    for (const [path, content] of Object.entries(files)) {
      fs.mkdirSync(nodePath.dirname(this.at(path)), { recursive: true });
      fs.writeFileSync(this.at(path), content);
    }
  }

  at(path: string): string {
    return nodePath.join(this.folder, path);
  }

  async open(options: FilesystemOptions = {}): Promise<FilesystemStorage> {
    return await filesystemStorage(this.folder, { lock: { folder: this.locks }, ...options });
  }

  /** Names in a folder that are hidden: temporary files of ours would show here. */
  hiddenNames(path = ""): string[] {
    return fs.readdirSync(this.at(path)).filter((name) => name.startsWith("."));
  }

  remove(): void {
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}
