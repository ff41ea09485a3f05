/** A vault in memory with deterministic times. */
import { type Clock, fixedClock } from "../../src/clock.js";
import { ChangeFeed } from "../../src/storage/change-feed.js";
import {
  contentRevision,
  StoredContent,
  type Change,
  type ChangeBytes,
  type Expected,
  type FileStat,
  type FolderEntry,
  type ListOptions,
  type ReadManyOptions,
  type Settled,
  type Storage,
  type StoredFile,
  type WrittenFile,
} from "../../src/storage/storage.js";
import { KeyedMutex } from "../../src/async/turns.js";
import {
  alreadyExists,
  assertExpected,
  fileInTheWay,
  fileNotFound,
  folderInTheWay,
  folderNotFound,
  intoItself,
} from "../../src/storage/errors.js";
import {
  assertWritable,
  baseName,
  folderOf,
  isHidden,
  isHiddenName,
  joinPath,
  ROOT,
  vaultPath,
  type VaultPath,
} from "../../src/storage/path.js";

interface MemoryOptions {
  readonly name?: string;
  /** Text or bytes by path; may be hidden. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** For file times; fixed by default. */
  readonly clock?: Clock;
}

interface MemoryFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
}

const BATCH = 256;
const VAULT_KEY = "/";

export class MemoryStorage implements Storage {
  readonly name: string;
  readonly identity: string;
  readonly stampLength = 1;
  readonly stampGranularity: number = 0;
  readonly #clock: Clock;
  readonly #files = new Map<VaultPath, MemoryFile>();
  readonly #folders = new Set<VaultPath>([ROOT]);
  readonly #queue = new KeyedMutex();
  readonly #feed = new ChangeFeed();
  #writes = 0;

  constructor(options: MemoryOptions = {}) {
    this.name = options.name ?? "memory";
    this.identity = `memory:${this.name}`;
    this.#clock = options.clock ?? fixedClock("2025-08-30T12:00:00Z");
    for (const [path, content] of Object.entries(options.files ?? {})) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      this.#put(vaultPath(path, { allowHidden: true }), bytes);
    }
  }

  async *list({ wants, isKnown, signal }: ListOptions = {}): AsyncGenerator<readonly FileStat[]> {
    const wanted = [...this.#files.values()].filter(({ stat }) => !isHidden(stat.path) && isWanted(stat.path, wants));
    for (let start = 0; start < wanted.length; start += BATCH) {
      signal?.throwIfAborted();
      const stats = wanted.slice(start, start + BATCH).map(({ stat }) => stat);
      yield stats.filter(({ path, stamp }) => !isKnown?.(path, stamp));
    }
  }

  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    if (!this.#folders.has(folder)) return undefined;
    const entries = (paths: Iterable<VaultPath>, kind: "file" | "folder"): FolderEntry[] =>
      [...paths]
        .filter((path) => path !== ROOT && folderOf(path) === folder && !isHiddenName(baseName(path)))
        .map((path) => ({ name: baseName(path), path, kind }));
    return [...entries(this.#folders, "folder"), ...entries(this.#files.keys(), "file")];
  }

  async *readMany(
    paths: readonly VaultPath[],
    { limit = Infinity, signal }: ReadManyOptions = {},
  ): AsyncGenerator<readonly StoredFile[]> {
    for (let start = 0; start < paths.length; start += BATCH) {
      signal?.throwIfAborted();
      const files = paths.slice(start, start + BATCH).map((path) => this.#files.get(path));
      yield files.filter((file) => file !== undefined).map((file) => copyOf(file, limit));
    }
  }

  async stat(path: VaultPath): Promise<FileStat | undefined> {
    return this.#files.get(path)?.stat;
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    const file = this.#files.get(path);
    return file && copyOf(file);
  }

  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    return this.#queue.run([path], async () => {
      assertWritable(path);
      this.#assertExpected(path, expected);
      return this.#put(path, bytes);
    });
  }

  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return this.#queue.run([path], async () => {
      assertWritable(path);
      const present = this.#files.get(path);
      const bytes = await change(present && copyOf(present));
      if (bytes === undefined || (present && Buffer.compare(bytes, present.bytes) === 0)) return undefined;
      return this.#put(path, bytes);
    });
  }

  remove(path: VaultPath, expected: Expected): Promise<Settled> {
    return this.#queue.run([path], async () => {
      assertWritable(path);
      if (!this.#files.has(path)) throw fileNotFound(path);
      this.#assertExpected(path, expected);
      this.#files.delete(path);
      this.#announce(path);
      return { durable: true };
    });
  }

  withVaultLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run([VAULT_KEY], work);
  }

  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    return this.#queue.run([from, to], async () => {
      assertWritable(from);
      assertWritable(to);
      const file = this.#files.get(from);
      if (!file) throw fileNotFound(from);
      this.#assertExpected(from, expected);
      if (this.#files.has(to) || this.#folders.has(to)) throw alreadyExists(to);
      const moved = this.#put(to, file.bytes, file.stat);
      this.#files.delete(from);
      this.#announce(from);
      return moved;
    });
  }

  async moveFolder(from: VaultPath, to: VaultPath): Promise<Settled> {
    assertWritable(from);
    assertWritable(to);
    if (from === ROOT || !this.#folders.has(from)) throw folderNotFound(from);
    if (this.#files.has(to) || this.#folders.has(to)) throw alreadyExists(to);
    if (to.startsWith(`${from}/`)) throw intoItself(from);
    this.#makeFolders(to);
    const movedPath = (path: VaultPath): VaultPath => `${to}${path.slice(from.length)}` as VaultPath;
    for (const folder of [...this.#folders].filter((path) => path === from || path.startsWith(`${from}/`))) {
      this.#folders.delete(folder);
      this.#folders.add(movedPath(folder));
    }
    for (const [path, { bytes, stat }] of [...this.#files].filter(([at]) => at.startsWith(`${from}/`))) {
      this.#files.delete(path);
      this.#announce(path);
      this.#put(movedPath(path), bytes, stat);
    }
    return { durable: true };
  }

  async *changes(signal: AbortSignal): AsyncGenerator<Change> {
    const heard = this.#feed.listen(signal);
    yield { kind: "unsure" };
    yield* heard;
  }

  async close(): Promise<void> {
    this.#feed.end();
  }

  #assertExpected(path: VaultPath, expected: Expected): void {
    assertExpected(path, expected, () => {
      const file = this.#files.get(path);
      return file && contentRevision(file.bytes);
    });
  }

  #put(path: VaultPath, bytes: Uint8Array, moved?: FileStat): WrittenFile {
    if (this.#folders.has(path)) throw folderInTheWay(path);
    this.#makeFolders(path);
    const now = this.#clock.now();
    const stat: FileStat = {
      path,
      size: bytes.byteLength,
      modified: moved?.modified ?? now,
      created: (moved ?? this.#files.get(path)?.stat)?.created ?? now,
      stamp: [++this.#writes],
    };
    this.#files.set(path, { stat, bytes: Uint8Array.from(bytes) });
    this.#announce(path);
    return { stat, revision: contentRevision(bytes), durable: true };
  }

  #makeFolders(path: VaultPath): void {
    for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) {
      if (this.#files.has(folder)) throw fileInTheWay(path);
    }
    for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) this.#folders.add(folder);
  }

  #announce(path: VaultPath): void {
    if (!isHidden(path)) this.#feed.announce({ kind: "changed", path });
  }
}

function copyOf({ stat, bytes }: MemoryFile, limit = Infinity): StoredFile {
  return new StoredContent(stat, bytes.slice(0, limit));
}

function isWanted(path: VaultPath, wants: ListOptions["wants"]): boolean {
  if (!wants) return true;
  const segments = path.split("/");
  let folder = ROOT;
  for (const segment of segments.slice(0, -1)) {
    folder = joinPath(folder, segment);
    if (!wants(folder, "folder")) return false;
  }
  return wants(path, "file");
}
