/** Keeps a vault's undo journal in a folder of the user's state, readable by no one else. */
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../clock.js";
import { contentRevision } from "../storage/content-revision.js";
import { hasEnded, ownIdentity } from "../storage/filesystem/process-identity.js";
import type { JournalPlace } from "./store.js";

export interface JournalFolderOptions {
  /** Absolute path of a folder of our own, such as `~/.local/state/obsidian-vault-mcp-server`; made when missing. */
  readonly folder: string;
  /** The vault's, from its storage: all processes that have it open share one journal. */
  readonly identity: string;
  readonly clock: Clock;
}

/** The state folder's own folder for journals. */
export const JOURNALS = "undo";

const fsync = promisify(fs.fsync);
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_TRUNC } = fs.constants;
// A link or a FIFO in our place is not ours to read or to fill.
const PLAIN = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export class JournalFolder implements JournalPlace {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor({ folder, identity, clock }: JournalFolderOptions) {
    this.#folder = join(folder, JOURNALS, contentRevision(Buffer.from(identity)).slice(0, 32));
    this.#clock = clock;
  }

  get maker(): string {
    return ownIdentity();
  }

  hasEnded(maker: string, since: number): boolean {
    return hasEnded(maker, since, this.#clock.now());
  }

  list(drawer: string): readonly string[] {
    try {
      return fs.readdirSync(join(this.#folder, drawer));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  read(drawer: string, name: string): Uint8Array | undefined {
    let handle: number;
    try {
      handle = fs.openSync(this.#at(drawer, name), O_RDONLY | PLAIN);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      return fs.readFileSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  add(drawer: string, name: string, bytes: Uint8Array): Promise<void> {
    const handle = this.#open(drawer, name, O_WRONLY | O_CREAT | O_EXCL);
    try {
      writeAll(handle, bytes);
    } catch (error) {
      fs.closeSync(handle);
      this.remove(drawer, name);
      throw error;
    }
    return fsync(handle).finally(() => fs.closeSync(handle));
  }

  append(drawer: string, name: string, bytes: Uint8Array): { readonly size: number; flush(): Promise<void> } {
    const handle = this.#open(drawer, name, O_WRONLY | O_CREAT | O_APPEND);
    try {
      writeAll(handle, bytes);
      const { size } = fs.fstatSync(handle);
      return { size, flush: () => this.#flush(drawer, name) };
    } finally {
      fs.closeSync(handle);
    }
  }

  overwrite(drawer: string, name: string, bytes: Uint8Array): void {
    const handle = this.#open(drawer, name, O_WRONLY | O_CREAT | O_TRUNC);
    try {
      writeAll(handle, bytes);
    } finally {
      fs.closeSync(handle);
    }
  }

  rename(drawer: string, from: string, to: string): boolean {
    return succeeds(() => fs.renameSync(this.#at(drawer, from), this.#at(drawer, to)));
  }

  remove(drawer: string, name: string): boolean {
    return succeeds(() => fs.unlinkSync(this.#at(drawer, name)));
  }

  #at(drawer: string, name: string): string {
    return join(this.#folder, drawer, name);
  }

  #open(drawer: string, name: string, flags: number): number {
    try {
      return fs.openSync(this.#at(drawer, name), flags | PLAIN, 0o600);
    } catch (error) {
      if (!isMissing(error)) throw error;
      fs.mkdirSync(join(this.#folder, drawer), { recursive: true, mode: 0o700 });
      return fs.openSync(this.#at(drawer, name), flags | PLAIN, 0o600);
    }
  }

  async #flush(drawer: string, name: string): Promise<void> {
    const handle = fs.openSync(this.#at(drawer, name), O_WRONLY | PLAIN);
    try {
      await fsync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }
}

function writeAll(handle: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.byteLength;)
    written += fs.writeSync(handle, bytes, written, bytes.byteLength - written);
}

/** False when the file was not there. */
function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
