/** A vault in a folder of this computer. */
import { randomInt } from "node:crypto";
import type { Stats } from "node:fs";
import { sleep } from "../../async/timers.js";
import { type Clock, systemClock } from "../../clock.js";
import {
  contentRevision,
  StoredContent,
  type Change,
  type ChangeBytes,
  type ChangesOptions,
  type Expected,
  type FileStat,
  type FolderEntry,
  type ListOptions,
  type ReadManyOptions,
  type Settled,
  type Storage,
  type StoredFile,
  type UnreadableFile,
  type WrittenFile,
} from "../storage.js";
import { assertExpected, changedMeanwhile } from "../errors.js";
import { foldName, folderOf, type VaultPath } from "../path.js";
import {
  assertNotInCloud,
  HAS_ON_DEMAND_FILES,
  fetchOpenFile,
  fileStat,
  openFile,
  readFile,
  type ReadFile,
  readMany,
  statFile,
} from "./read.js";
import { IsLink, translate } from "./failure.js";
import { FileMover } from "./file-mover.js";
import { makeFolders, removeFolders, closeLater, closeQuietly, type Place, VaultRoot } from "./vault-root.js";
import { FileLocks, type LockOptions, PathLocks } from "./lock.js";
import { ALL_SAFEGUARDS, createFile, replaceFile, type Safeguards } from "./replace.js";
import { clearLeftOver, makerOf } from "./temporary.js";
import { children, isVacant, walk } from "./walk.js";
import { VaultWatch, isWatchable } from "./watch.js";

export interface FilesystemOptions {
  /** In answers; default the folder as given. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly lock?: LockOptions;
  /** Of dead processes, while listing; default true. */
  readonly clearLeftOvers?: boolean;
  /** Files without blocks are in the cloud; default on macOS and Windows. */
  readonly onDemandFiles?: boolean;
  /** @internal */
  readonly safeguards?: Partial<Safeguards>;
}

/** Milliseconds of retries while a program keeps saving. */
const SAVING_TIMEOUT_MS = 10_000;
/** A file may be empty during a save. */
const EMPTIED_MS = 1000;
/** For a file created empty, as notes often are. */
const MADE_EMPTY_MS = 100;

type Attempt = { readonly done: true; readonly written: WrittenFile | undefined } | { readonly done: false };

const AGAIN: Attempt = { done: false };

export class FilesystemStorage implements Storage {
  readonly name: string;
  readonly identity: string;
  readonly stampLength = 5;
  readonly stampGranularity: number;
  /** Absent when the disk can change unnoticed. */
  readonly changes?: (signal: AbortSignal, options?: ChangesOptions) => AsyncGenerator<Change>;
  readonly #root: VaultRoot;
  readonly #locks: PathLocks;
  readonly #safeguards: Safeguards;
  readonly #mover: FileMover;
  readonly #clock: Clock;
  readonly #clearLeftOvers: boolean;
  /** Created late: aborting is the costliest part of closing. */
  #watching: AbortController | undefined;
  #isClosed = false;
  #watch: VaultWatch | undefined;

  private constructor(root: VaultRoot, folder: string, options: FilesystemOptions) {
    const clock = options.clock ?? systemClock();
    const safeguards = { ...ALL_SAFEGUARDS, ...options.safeguards };
    const locks = safeguards.lock ? new FileLocks(options.lock ?? {}, () => clock.now()) : undefined;
    this.name = options.name ?? folder;
    this.identity = `folder:${root.identity()}`;
    this.stampGranularity = root.stampGranularity();
    this.#root = root;
    this.#clock = clock;
    this.#clearLeftOvers = options.clearLeftOvers ?? true;
    this.#locks = new PathLocks(root, locks);
    this.#safeguards = safeguards;
    this.#mover = new FileMover(root, this.#locks, safeguards);
    if (isWatchable(root.location)) this.changes = (signal, which) => this.#changes(signal, which);
  }

  /** Never creates the folder. @throws VAULT_NOT_FOUND */
  static async open(folder: string, options: FilesystemOptions = {}): Promise<FilesystemStorage> {
    return new FilesystemStorage(new VaultRoot(folder, options.onDemandFiles ?? HAS_ON_DEMAND_FILES), folder, options);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<readonly FileStat[]> {
    const leftOvers: [folder: VaultPath, name: string][] = [];
    const onHidden = (folder: VaultPath, name: string): void => {
      if (this.#clearLeftOvers && makerOf(name) !== undefined) leftOvers.push([folder, name]);
    };
    const onFolder = (folder: VaultPath): void => this.#watch?.cover(folder);
    yield* walk(this.#root, { ...options, onFolder, onHidden });
    const circumstances = { now: this.#clock.now(), isShared: !this.changes };
    for (const [folder, name] of leftOvers) clearLeftOver(this.#root, folder, name, circumstances);
  }

  async children(path: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    const folder = this.#root.folder(path);
    try {
      return folder && children(this.#root, folder, path);
    } catch (error) {
      throw translate(error, path);
    } finally {
      folder?.close();
    }
  }

  async *readMany(
    paths: readonly VaultPath[],
    options: ReadManyOptions = {},
  ): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
    this.#root.identity();
    yield* readMany(this.#root, paths, options);
  }

  async stat(path: VaultPath): Promise<FileStat | undefined> {
    return statFile(this.#root, path);
  }

  async isVacant(path: VaultPath): Promise<boolean> {
    return isVacant(this.#root, path);
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    return await readFile(this.#root, path);
  }

  assertHere(path: VaultPath): void {
    assertNotInCloud(this.#root, path);
  }

  async write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    if (expected.kind !== "revision") this.assertHere(path);
    const change = (current: StoredFile | undefined): Uint8Array => {
      assertExpected(path, expected, () => current?.revision);
      return bytes;
    };
    const written = await this.#update(path, change, true);
    if (!written) throw changedMeanwhile(path);
    return written;
  }

  /** Equal content is not written. */
  async update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return await this.#update(path, change, false);
  }

  async remove(path: VaultPath, expected: Expected): Promise<Settled> {
    return await this.#mover.remove(path, expected);
  }

  async move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    this.assertHere(to);
    return await this.#mover.move(from, to, expected);
  }

  async moveFolder(from: VaultPath, to: VaultPath): Promise<Settled | undefined> {
    return await this.#mover.moveFolder(from, to);
  }

  async removeEmpty(folder: VaultPath, count: number): Promise<void> {
    const paths = folder.split("/").map((_, at, names) => names.slice(0, at + 1).join("/") as VaultPath);
    removeFolders(this.#root, paths.slice(paths.length - count));
  }

  async withVaultLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#locks.runForVault(work);
  }

  born(): string | undefined {
    return this.#root.born();
  }

  mountState(): string {
    return this.#root.mountState();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watching?.abort();
  }

  #changes(signal: AbortSignal, options?: ChangesOptions): AsyncGenerator<Change> {
    const ended = (this.#watching ??= new AbortController());
    if (this.#isClosed) ended.abort();
    return (this.#watch ??= new VaultWatch(this.#root)).changes(AbortSignal.any([signal, ended.signal]), options);
  }

  async #update(path: VaultPath, change: ChangeBytes, always: boolean): Promise<WrittenFile | undefined> {
    return await this.#locks.run([path], async ([key = ""]) => {
      // Set late: `performance` loads at first use.
      let deadline: number | undefined;
      for (let pause = 1; ; pause = Math.min(pause * 2, 16)) {
        const attempt = await this.#attempt(path, key, change, always);
        if (attempt.done) return attempt.written;
        deadline ??= performance.now() + SAVING_TIMEOUT_MS;
        if (performance.now() >= deadline) throw changedMeanwhile(path);
        await sleep(randomInt(pause));
      }
    });
  }

  async #attempt(path: VaultPath, key: string, change: ChangeBytes, always: boolean): Promise<Attempt> {
    const place = this.#root.place(path);
    let current: ReadFile | undefined;
    try {
      if (place && foldName(place.path) !== key) throw changedMeanwhile(path);
      current = place && (await this.#readSettled(place));
      const bytes = await change(current && new StoredContent(fileStat(path, current.stat), current.bytes));
      const isSame = current !== undefined && bytes !== undefined && Buffer.compare(bytes, current.bytes) === 0;
      if (bytes === undefined || (isSame && !always)) return { done: true, written: undefined };
      const written = place ? await this.#put(place, path, current, bytes) : await this.#putInNewFolder(path, bytes);
      return written ? { done: true, written } : AGAIN;
    } catch (error) {
      if (error instanceof IsLink) return AGAIN;
      throw error;
    } finally {
      if (current) closeLater(current.handle);
      place?.folder.close();
    }
  }

  async #putInNewFolder(path: VaultPath, bytes: Uint8Array): Promise<WrittenFile | undefined> {
    const made = await makeFolders(this.#root, folderOf(path));
    let place: Place | undefined;
    let written: WrittenFile | undefined;
    try {
      place = this.#root.place(path);
      written = place && (await this.#put(place, path, undefined, bytes));
      return written;
    } finally {
      place?.folder.close();
      if (!written) removeFolders(this.#root, made);
    }
  }

  /** Waits for a save in progress. */
  async #readSettled(place: Place): Promise<ReadFile | undefined> {
    // The clocks of disk and machine may differ.
    let start: number | undefined;
    for (;;) {
      try {
        const file = openFile(place.folder, place.name, place.path);
        if (!file) return undefined;
        start ??= file.stat.size === 0 ? performance.now() : undefined;
        const wait = mayBeFilledFor(file.stat, this.#clock.now());
        if (wait === 0 || performance.now() - (start ?? 0) > wait) {
          return await fetchOpenFile(this.#root, file, place.path);
        }
        closeQuietly(file.handle);
      } catch (error) {
        throw error instanceof IsLink ? error : translate(error, place.path);
      }
      await sleep(2);
    }
  }

  async #put(
    place: Place,
    path: VaultPath,
    current: ReadFile | undefined,
    bytes: Uint8Array,
  ): Promise<WrittenFile | undefined> {
    try {
      const placed = current
        ? await replaceFile(place, current, bytes, this.#safeguards)
        : await createFile(place, bytes, this.#safeguards);
      return placed && { stat: fileStat(path, placed.stat), revision: contentRevision(bytes), durable: placed.durable };
    } catch (error) {
      throw translate(error, path);
    }
  }
}

/** Milliseconds; 0 for a file with content. */
function mayBeFilledFor({ size, mtimeMs, birthtimeMs }: Stats, now: number): number {
  if (size > 0 || Math.abs(now - mtimeMs) > EMPTIED_MS) return 0;
  return birthtimeMs > 0 && birthtimeMs < mtimeMs ? EMPTIED_MS : MADE_EMPTY_MS;
}
