/** Reads many files in synchronous calls into one shared buffer, in bounded time slices. */
import fs from "node:fs";
import { TimeSlice } from "../../async/yield-to-loop.js";
import { contentRevision } from "../content-revision.js";
import { folderOf, ROOT, type VaultPath } from "../path.js";
import type { FileStat, ReadManyOptions, Revision, StoredFile, UnreadableFile } from "../storage.js";
import { IsLink, translate } from "./failure.js";
import { closeQuietly, type OpenFolder } from "./open-folder.js";
import { fileStat, openFile, type OpenFile } from "./read.js";
import type { VaultRoot } from "./vault-root.js";

/** Small, because freeing large buffers is slow. */
const BUFFER_BYTES = 128 * 1024;
/** A few files, such as the settings, need only a small buffer. */
const BYTES_A_FILE = 16 * 1024;

type Entry = StoredFile | UnreadableFile;
/** Reads links and files that grew. */
export type ReadOne = (path: VaultPath) => StoredFile | undefined;

/** Consecutive paths of one folder open it once. */
export async function* readMany(
  root: VaultRoot,
  paths: readonly VaultPath[],
  readOne: ReadOne,
  { limit = Infinity, signal }: ReadManyOptions,
): AsyncGenerator<readonly Entry[]> {
  const sweep = new Sweep(root, readOne, limit, Math.min(BUFFER_BYTES, paths.length * BYTES_A_FILE));
  const slice = new TimeSlice(signal);
  signal?.throwIfAborted();
  try {
    let batch: Entry[] = [];
    for (const path of paths) {
      if (batch.length > 0 && (slice.isOver || sweep.isFull)) {
        yield batch;
        batch = [];
        if (slice.isOver) await slice.yield();
        sweep.startBatch();
      }
      const entry = sweep.read(path);
      if (entry) batch.push(entry);
      else if (slice.isOver) await slice.yield();
    }
    if (batch.length > 0) yield batch;
  } finally {
    sweep.end();
  }
}

interface Batch {
  over: boolean;
}

class Sweep {
  readonly #root: VaultRoot;
  readonly #readOne: ReadOne;
  readonly #limit: number;
  readonly #buffer: Buffer;
  #used = 0;
  #batch: Batch = { over: false };
  /** Path prefix of the open folder's files. */
  #within: string | undefined;
  #folder: OpenFolder | undefined;

  constructor(root: VaultRoot, readOne: ReadOne, limit: number, capacity: number) {
    this.#root = root;
    this.#readOne = readOne;
    this.#limit = limit;
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
  }

  /** A usual note might no longer fit. */
  get isFull(): boolean {
    return this.#used > this.#buffer.byteLength / 2;
  }

  startBatch(): void {
    this.#batch.over = true;
    this.#batch = { over: false };
    this.#used = 0;
  }

  end(): void {
    this.#batch.over = true;
    this.#folder?.close();
  }

  read(path: VaultPath): Entry | undefined {
    try {
      if (!this.#isInFolder(path)) this.#open(folderOf(path));
      const file = this.#folder && openFile(this.#folder, path.slice(this.#within?.length), path);
      return file && this.#readOpen(file, path);
    } catch (error) {
      return error instanceof IsLink ? this.#readAlone(path) : this.#unreadable(path, error);
    }
  }

  #isInFolder(path: VaultPath): boolean {
    const within = this.#within;
    return within !== undefined && path.startsWith(within) && !path.includes("/", within.length);
  }

  #open(path: VaultPath): void {
    this.#folder?.close();
    this.#folder = undefined;
    this.#within = undefined;
    this.#folder = this.#root.folder(path);
    this.#within = path === ROOT ? "" : `${path}/`;
  }

  #readOpen(file: OpenFile, path: VaultPath): Entry | undefined {
    try {
      const wanted = Math.min(file.stat.size, this.#limit);
      const own = wanted > this.#buffer.byteLength - this.#used;
      const buffer = own ? Buffer.allocUnsafe(wanted) : this.#buffer;
      const start = own ? 0 : this.#used;
      const read = wanted === 0 ? 0 : fs.readSync(file.handle, buffer, start, wanted, null);
      if (read < wanted) return this.#readAlone(path);
      if (!own) this.#used += read;
      return new SweptFile(fileStat(path, file.stat), buffer.subarray(start, start + read), this.#batch);
    } finally {
      closeQuietly(file.handle);
    }
  }

  #readAlone(path: VaultPath): Entry | undefined {
    try {
      const file = this.#readOne(path);
      if (!file || file.bytes.byteLength <= this.#limit) return file;
      return new SweptFile(file.stat, file.bytes.subarray(0, this.#limit), this.#batch);
    } catch (error) {
      return this.#unreadable(path, error);
    }
  }

  #unreadable(path: VaultPath, error: unknown): UnreadableFile {
    const reason = translate(error, path);
    if (reason.code === "VAULT_NOT_FOUND") throw reason;
    return { path, error: reason };
  }
}

class SweptFile implements StoredFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly #batch: Batch;
  #revision: Revision | undefined;

  constructor(stat: FileStat, bytes: Uint8Array, batch: Batch) {
    this.stat = stat;
    this.bytes = bytes;
    this.#batch = batch;
  }

  get revision(): Revision {
    if (this.#revision === undefined) {
      if (this.bytes.byteLength < this.stat.size) throw new RangeError("Only the head of the file was read.");
      if (this.#batch.over) throw new RangeError("The batch that this file came with is over.");
      this.#revision = contentRevision(this.bytes);
    }
    return this.#revision;
  }
}
