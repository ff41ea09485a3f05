/** Reads, changes and writes one file, excluding all other writers of this user. */
import { randomInt } from "node:crypto";
import type { Stats } from "node:fs";
import { contentRevision, StoredContent } from "../content-revision.js";
import { KeyedMutex } from "../../async/keyed-mutex.js";
import { assertExpected, changedMeanwhile } from "../errors.js";
import { assertWritable, foldName, folderOf, type VaultPath } from "../path.js";
import type { ChangeBytes, Expected, StoredFile, WrittenFile } from "../storage.js";
import { IsLink, translate } from "./failure.js";
import type { FileLocks, Now } from "./lock.js";
import { makeFolders, removeFolders } from "./folders.js";
import { closeLater, closeQuietly } from "./open-folder.js";
import { fileStat, fetchOpenFile, openFile, type ReadFile } from "./read.js";
import { createFile, replaceFile, type Safeguards } from "./replace.js";
import { sleep } from "../../async/timers.js";
import type { Place, VaultRoot } from "./vault-root.js";

/** Milliseconds of retries against a program that keeps saving. */
const SAVING_TIMEOUT_MS = 10_000;
/**
 * How long an empty file may be mid-save. A busy machine may stop the other program
 * in between; its save must not be lost.
 */
const EMPTIED_MS = 1000;
/** The same for a file created empty, as new notes often are. */
const MADE_EMPTY_MS = 100;

/** Not done: the file changed meanwhile. */
type Attempt = { readonly done: true; readonly written: WrittenFile | undefined } | { readonly done: false };

const AGAIN: Attempt = { done: false };

export class FileWriter {
  readonly #root: VaultRoot;
  readonly #locks: FileLocks;
  readonly #safeguards: Safeguards;
  readonly #now: Now;
  readonly #queue = new KeyedMutex();

  constructor(root: VaultRoot, locks: FileLocks, safeguards: Safeguards, now: Now) {
    this.#root = root;
    this.#locks = locks;
    this.#safeguards = safeguards;
    this.#now = now;
  }

  async write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
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

  async #update(path: VaultPath, change: ChangeBytes, always: boolean): Promise<WrittenFile | undefined> {
    return await this.exclusive([path], async ([key = ""]) => {
      // Set late, because `performance` loads at first use.
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

  /**
   * @param work gets the keys of the locks
   * @throws VaultError PERMISSION_DENIED for paths that must never be written
   */
  async exclusive<Result>(
    paths: readonly VaultPath[],
    work: (keys: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    this.#root.assertSameDisk();
    const keys = paths.map((path) => this.#keyOf(path));
    return await this.#queue.run(keys, async () => {
      if (!this.#safeguards.lock) return await work(keys);
      return await this.#locks.run(this.#root.identity(), keys, async () => await work(keys));
    });
  }

  /** A key that all names of a file share. */
  #keyOf(path: VaultPath): string {
    assertWritable(path);
    const place = this.#root.place(path);
    place?.folder.close();
    const real = place?.path ?? path;
    assertWritable(real);
    return foldName(real);
  }

  async #attempt(path: VaultPath, key: string, change: ChangeBytes, always: boolean): Promise<Attempt> {
    const place = this.#root.place(path);
    let current: ReadFile | undefined;
    try {
      if (place && foldName(place.path) !== key) throw changedMeanwhile(path);
      current = place && (await this.#read(place));
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

  /** Gives a save in progress time to finish. */
  async #read(place: Place): Promise<ReadFile | undefined> {
    // Measured here, because the clocks of disk and machine may differ.
    let start: number | undefined;
    for (;;) {
      try {
        const file = openFile(place.folder, place.name, place.path);
        if (!file) return undefined;
        start ??= file.stat.size === 0 ? performance.now() : undefined;
        const wait = mayBeFilledFor(file.stat, this.#now());
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
