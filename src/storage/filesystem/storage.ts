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
  type Storage,
  type StoredFile,
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

/** Never creates the folder. @throws VAULT_NOT_FOUND */
export async function filesystemStorage(folder: string, options: FilesystemOptions = {}) {
  const root = new VaultRoot(folder, options.onDemandFiles ?? HAS_ON_DEMAND_FILES);
  const canWatch = isWatchable(root.location);
  /** Created late: aborting is the costliest part of closing. */
  let watching: AbortController | undefined;
  let isClosed = false;
  let watch: VaultWatch | undefined;
  const clock = options.clock ?? systemClock();
  const safeguards = { ...ALL_SAFEGUARDS, ...options.safeguards };
  const fileLocks = safeguards.lock ? new FileLocks(options.lock ?? {}, () => clock.now()) : undefined;
  const clearLeftOvers = options.clearLeftOvers ?? true;
  const locks = new PathLocks(root, fileLocks);
  const mover = new FileMover(root, locks, safeguards);

  function watchChanges(signal: AbortSignal, options?: ChangesOptions): AsyncGenerator<Change> {
    const ended = (watching ??= new AbortController());
    if (isClosed) ended.abort();
    return (watch ??= new VaultWatch(root)).changes(AbortSignal.any([signal, ended.signal]), options);
  }

  async function untilWritten(path: VaultPath, change: ChangeBytes, always: boolean): Promise<WrittenFile | undefined> {
    return await locks.run([path], async ([key = ""]) => {
      // Set late: `performance` loads at first use.
      let deadline: number | undefined;
      for (let pause = 1; ; pause = Math.min(pause * 2, 16)) {
        const attempt = await tryOnce(path, key, change, always);
        if (attempt.done) return attempt.written;
        deadline ??= performance.now() + SAVING_TIMEOUT_MS;
        if (performance.now() >= deadline) throw changedMeanwhile(path);
        await sleep(randomInt(pause));
      }
    });
  }

  async function tryOnce(path: VaultPath, key: string, change: ChangeBytes, always: boolean): Promise<Attempt> {
    const place = root.place(path);
    let current: ReadFile | undefined;
    try {
      if (place && foldName(place.path) !== key) throw changedMeanwhile(path);
      current = place && (await readSettled(place));
      const bytes = await change(current && new StoredContent(fileStat(path, current.stat), current.bytes));
      const isSame = current !== undefined && bytes !== undefined && Buffer.compare(bytes, current.bytes) === 0;
      if (bytes === undefined || (isSame && !always)) return { done: true, written: undefined };
      const written = place ? await put(place, path, current, bytes) : await putInNewFolder(path, bytes);
      return written ? { done: true, written } : AGAIN;
    } catch (error) {
      if (error instanceof IsLink) return AGAIN;
      throw error;
    } finally {
      if (current) closeLater(current.handle);
      place?.folder.close();
    }
  }

  async function putInNewFolder(path: VaultPath, bytes: Uint8Array): Promise<WrittenFile | undefined> {
    const made = await makeFolders(root, folderOf(path));
    let place: Place | undefined;
    let written: WrittenFile | undefined;
    try {
      place = root.place(path);
      written = place && (await put(place, path, undefined, bytes));
      return written;
    } finally {
      place?.folder.close();
      if (!written) removeFolders(root, made);
    }
  }

  /** Waits for a save in progress. */
  async function readSettled(place: Place): Promise<ReadFile | undefined> {
    // The clocks of disk and machine may differ.
    let start: number | undefined;
    for (;;) {
      try {
        const file = openFile(place.folder, place.name, place.path);
        if (!file) return undefined;
        start ??= file.stat.size === 0 ? performance.now() : undefined;
        const wait = mayBeFilledFor(file.stat, clock.now());
        if (wait === 0 || performance.now() - (start ?? 0) > wait) {
          return await fetchOpenFile(root, file, place.path);
        }
        closeQuietly(file.handle);
      } catch (error) {
        throw error instanceof IsLink ? error : translate(error, place.path);
      }
      await sleep(2);
    }
  }

  async function put(
    place: Place,
    path: VaultPath,
    current: ReadFile | undefined,
    bytes: Uint8Array,
  ): Promise<WrittenFile | undefined> {
    try {
      const placed = current
        ? await replaceFile(place, current, bytes, safeguards)
        : await createFile(place, bytes, safeguards);
      return placed && { stat: fileStat(path, placed.stat), revision: contentRevision(bytes), durable: placed.durable };
    } catch (error) {
      throw translate(error, path);
    }
  }

  return {
    stampLength: 5,
    name: options.name ?? folder,
    identity: `folder:${root.identity()}`,
    stampGranularity: root.stampGranularity(),
    // Absent when the disk can change unnoticed.
    ...(canWatch && { changes: watchChanges }),

    async *list(options = {}) {
      const leftOvers: [folder: VaultPath, name: string][] = [];
      const onHidden = (folder: VaultPath, name: string): void => {
        if (clearLeftOvers && makerOf(name) !== undefined) leftOvers.push([folder, name]);
      };
      const onFolder = (folder: VaultPath): void => watch?.cover(folder);
      yield* walk(root, { ...options, onFolder, onHidden });
      const circumstances = { now: clock.now(), isShared: !canWatch };
      for (const [folder, name] of leftOvers) clearLeftOver(root, folder, name, circumstances);
    },

    async children(path) {
      const folder = root.folder(path);
      try {
        return folder && children(root, folder, path);
      } catch (error) {
        throw translate(error, path);
      } finally {
        folder?.close();
      }
    },

    async *readMany(paths, options = {}) {
      root.identity();
      yield* readMany(root, paths, options);
    },

    stat: async (path) => statFile(root, path),
    isVacant: async (path) => isVacant(root, path),
    read: async (path) => await readFile(root, path),
    assertHere: (path) => assertNotInCloud(root, path),

    async write(path, bytes: Uint8Array, expected) {
      if (expected.kind !== "revision") assertNotInCloud(root, path);
      const change = (current: StoredFile | undefined): Uint8Array => {
        assertExpected(path, expected, () => current?.revision);
        return bytes;
      };
      const written = await untilWritten(path, change, true);
      if (!written) throw changedMeanwhile(path);
      return written;
    },

    /** Equal content is not written. */
    update: async (path, change) => await untilWritten(path, change, false),
    remove: async (path, expected) => await mover.remove(path, expected),

    async move(from, to, expected) {
      assertNotInCloud(root, to);
      return await mover.move(from, to, expected);
    },

    moveFolder: async (from, to) => await mover.moveFolder(from, to),

    async removeEmpty(folder, count) {
      const paths = folder.split("/").map((_, at, names) => names.slice(0, at + 1).join("/") as VaultPath);
      removeFolders(root, paths.slice(paths.length - count));
    },

    withVaultLock: async (work) => await locks.runForVault(work),

    born: () => root.born(),
    mountState: () => root.mountState(),

    async close() {
      isClosed = true;
      watching?.abort();
    },
  } satisfies Storage & { born: () => string | undefined };
}

export type FilesystemStorage = Awaited<ReturnType<typeof filesystemStorage>>;

/** Milliseconds; 0 for a file with content. */
function mayBeFilledFor({ size, mtimeMs, birthtimeMs }: Stats, now: number): number {
  if (size > 0 || Math.abs(now - mtimeMs) > EMPTIED_MS) return 0;
  return birthtimeMs > 0 && birthtimeMs < mtimeMs ? EMPTIED_MS : MADE_EMPTY_MS;
}
