/** Keeps snapshots in a folder of the user's cache that no other user can read; losing them costs only time. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock, Ids } from "../../clock.js";
import type { Log } from "../../log.js";
import { sha256 } from "../../storage/sha256.js";
import type { SnapshotStart } from "./read.js";
import { HEADER_BYTES, headEnd } from "./format.js";

/** Where a catalog's snapshots are kept between processes. Nothing here throws: a missing snapshot only makes the next start slower. */
export interface SnapshotStore {
  /** The program's version: what another version wrote is of no use. */
  readonly edition: string;
  load(identity: string): Promise<Uint8Array | undefined>;
  /** The first part, as far as the summaries go. */
  loadHead(identity: string): Promise<SnapshotStart | undefined>;
  /** Whether it was saved. @param pieces of the file, in order */
  save(identity: string, pieces: readonly Uint8Array[]): Promise<boolean>;
}

export interface SnapshotFolderOptions {
  /** Absolute path of a folder of our own, such as `~/.cache/obsidian-vault-mcp-server`; made when missing. */
  readonly folder: string;
  readonly edition: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

const SUFFIX = ".catalog";
const TEMPORARY = ".tmp";
/** The folder may hold other files (`--cache-folder`); only these are ours. */
const OUR_TEMPORARY = /^[0-9a-f]{16}\.catalog\.\d+-\w+\.tmp$/;
/** Milliseconds after which temporary files of dead processes are removed. */
const LEFT_OVER = 60 * 60 * 1000;
/** A larger file is not one of ours. */
const MAX_BYTES = 2 ** 31 - 1;
// A link, a FIFO or another user's file in our place is not ours to trust.
const OPEN = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export class SnapshotFolder implements SnapshotStore {
  readonly edition: string;
  readonly #options: SnapshotFolderOptions;
  #isUnusable = false;

  constructor(options: SnapshotFolderOptions) {
    this.edition = options.edition;
    this.#options = options;
  }

  /** The file that holds the snapshot of a vault. */
  fileOf(identity: string): string {
    return join(this.#options.folder, nameOf(identity) + SUFFIX);
  }

  async load(identity: string): Promise<Uint8Array | undefined> {
    return this.#read(identity, (handle, size) => readBytes(handle, size));
  }

  async loadHead(identity: string): Promise<SnapshotStart | undefined> {
    return this.#read(identity, (handle, fileSize) => {
      const end = headEnd(readBytes(handle, Math.min(HEADER_BYTES, fileSize)), fileSize);
      return end === undefined ? undefined : { bytes: readBytes(handle, end), fileSize };
    });
  }

  async save(identity: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    const { folder, ids } = this.#options;
    const target = this.fileOf(identity);
    const temporary = `${target}.${process.pid}-${ids.next()}${TEMPORARY}`;
    try {
      // An existing folder may belong to anybody: its mode is not ours to change, and the file's own mode suffices.
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      // No fsync: a snapshot torn by a power cut is noticed by its checksum and dropped.
      replaceFile(target, temporary, pieces);
      this.#clearLeftOvers();
      return true;
    } catch (error) {
      this.#warn("cannot be written", error);
      return false;
    }
  }

  #read<Result>(identity: string, read: (handle: number, size: number) => Result): Result | undefined {
    let handle: number | undefined;
    try {
      handle = fs.openSync(this.fileOf(identity), OPEN);
      const stat = fs.fstatSync(handle);
      const ours = stat.isFile() && stat.size <= MAX_BYTES && (process.getuid?.() ?? stat.uid) === stat.uid;
      if (!ours) this.#warn("holds something of another's in place of the index");
      return ours ? read(handle, stat.size) : undefined;
    } catch (error) {
      if (!isAbsent(error)) this.#warn("cannot be read", error);
      return undefined;
    } finally {
      if (handle !== undefined) fs.closeSync(handle);
    }
  }

  /** Warns once: the cause is the same for every reader's snapshot. */
  #warn(what: string, error?: unknown): void {
    if (this.#isUnusable) return;
    this.#isUnusable = true;
    const message = `the cache folder ${what}, so every start reads the whole vault; name another with --cache-folder, or none with --no-cache`;
    this.#options.log.warn(message, error instanceof Error ? { error: error.message } : {});
  }

  #clearLeftOvers(): void {
    const { folder, clock } = this.#options;
    for (const name of fs.readdirSync(folder)) {
      if (!OUR_TEMPORARY.test(name)) continue;
      const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
      if (stat && clock.now() - stat.mtimeMs > LEFT_OVER) fs.rmSync(join(folder, name), { force: true });
    }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function replaceFile(target: string, temporary: string, pieces: readonly Uint8Array[]): void {
  try {
    const handle = fs.openSync(temporary, "wx", 0o600);
    try {
      for (const piece of pieces) fs.writeFileSync(handle, piece);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Should two vaults ever get the same name, the identity inside tells them apart. */
function nameOf(identity: string): string {
  return sha256(identity).slice(0, 16);
}

/** From the file's start; bytes that are not there are left out. */
function readBytes(handle: number, length: number): Uint8Array {
  // Memory of its own: the columns are laid over it and need its alignment.
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const read = fs.readSync(handle, bytes, filled, length - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
