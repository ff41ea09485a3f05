/** A vault that is a folder of this computer. */
import { type Clock, systemClock } from "../../clock.js";
import { StoredContent } from "../content-revision.js";
import type { VaultPath } from "../path.js";
import type {
  Change,
  ChangeBytes,
  ChangesOptions,
  Expected,
  FileStat,
  FolderEntry,
  ListOptions,
  ReadManyOptions,
  Settled,
  Storage,
  StoredFile,
  UnreadableFile,
  WrittenFile,
} from "../storage.js";
import { IsLink, leavesVault, translate } from "./failure.js";
import { FileLocks, type LockOptions } from "./lock.js";
import { closeQuietly } from "./open-folder.js";
import { fetchOpenFile, fileStat, openFile, type OpenFile, type ReadFile, readMany, readOpenFile } from "./read.js";
import { FileMover } from "./file-mover.js";
import { ALL_SAFEGUARDS, type Safeguards } from "./replace.js";
import { clearLeftOver, makerOf } from "./temporary.js";
import { VaultRoot } from "./vault-root.js";
import { assertNotInCloud, HAS_ON_DEMAND_FILES } from "./cloud.js";
import { children, isVacant, walk } from "./walk.js";
import { VaultWatch, isWatchable } from "./watch.js";
import { FileWriter } from "./writer.js";

export interface FilesystemOptions {
  /** In answers; default the folder as given. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly lock?: LockOptions;
  /** While listing, remove temporary files of dead processes; default true. */
  readonly clearLeftOvers?: boolean;
  /** Files without blocks are in the cloud; default on macOS and Windows. */
  readonly onDemandFiles?: boolean;
  /** @internal To test the tests. */
  readonly safeguards?: Partial<Safeguards>;
}

/** For a path that keeps changing between link and file. */
const MAX_CHECKS = 10;

export class FilesystemStorage implements Storage {
  readonly name: string;
  readonly identity: string;
  readonly stampLength = 5;
  readonly stampGranularity: number;
  /** Absent when the disk can change unnoticed. */
  readonly changes?: (signal: AbortSignal, options?: ChangesOptions) => AsyncGenerator<Change>;
  readonly #root: VaultRoot;
  readonly #writer: FileWriter;
  readonly #mover: FileMover;
  readonly #clock: Clock;
  readonly #clearLeftOvers: boolean;
  /** Created only for a watch: aborting costs more than the rest of closing. */
  #watching: AbortController | undefined;
  #isClosed = false;
  #watch: VaultWatch | undefined;

  private constructor(root: VaultRoot, folder: string, options: FilesystemOptions) {
    const clock = options.clock ?? systemClock();
    const now = (): number => clock.now();
    const safeguards = { ...ALL_SAFEGUARDS, ...options.safeguards };
    this.name = options.name ?? folder;
    this.identity = `folder:${root.identity()}`;
    this.stampGranularity = root.stampGranularity();
    this.#root = root;
    this.#clock = clock;
    this.#clearLeftOvers = options.clearLeftOvers ?? true;
    this.#writer = new FileWriter(root, new FileLocks(options.lock ?? {}, now), safeguards, now);
    this.#mover = new FileMover(root, this.#writer, safeguards);
    if (isWatchable(root.location)) this.changes = (signal, which) => this.#changes(signal, which);
  }

  /** Never creates the folder. @throws VaultError VAULT_NOT_FOUND */
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
    yield* readMany(this.#root, paths, (path) => this.#read(path), options);
  }

  async stat(path: VaultPath): Promise<FileStat | undefined> {
    return this.#open(path, (file) => {
      closeQuietly(file.handle);
      return fileStat(path, file.stat);
    });
  }

  async isVacant(path: VaultPath): Promise<boolean> {
    return isVacant(this.#root, path);
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    const file = this.#open(path, (opened) => opened);
    if (!file) return undefined;
    try {
      return this.#whole(path, await fetchOpenFile(this.#root, file, path));
    } catch (error) {
      throw translate(error, path);
    }
  }

  assertHere(path: VaultPath): void {
    assertNotInCloud(this.#root, path);
  }

  async write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    if (expected.kind !== "revision") this.assertHere(path);
    return await this.#writer.write(path, bytes, expected);
  }

  async update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return await this.#writer.update(path, change);
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

  /** Sweeps fetch nothing from the cloud. */
  #read(path: VaultPath): StoredFile | undefined {
    return this.#open(path, (file) => this.#whole(path, readOpenFile(file, path)));
  }

  #whole(path: VaultPath, file: ReadFile): StoredFile {
    closeQuietly(file.handle);
    return new StoredContent(fileStat(path, file.stat), file.bytes);
  }

  /** Follows links within the vault. `use` closes the file. */
  #open<Result>(path: VaultPath, use: (file: OpenFile) => Result): Result | undefined {
    for (let check = 1; ; check++) {
      const place = this.#root.placeToRead(path);
      try {
        const file = place && openFile(place.folder, place.name, path);
        return file && use(file);
      } catch (error) {
        if (!(error instanceof IsLink)) throw translate(error, path);
        if (check === MAX_CHECKS) throw leavesVault(path);
      } finally {
        place?.folder.close();
      }
    }
  }
}
