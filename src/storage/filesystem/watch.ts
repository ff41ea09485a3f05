/**
 * Announces changes of a folder vault: one watch a folder on Linux, the system's own recursive watch on macOS and Windows.
 * A watch is a hint: whenever it may have missed something it says `unsure` (performance, "Watching").
 */
import fs from "node:fs";
import nodePath from "node:path";
import { VaultError } from "../../errors.js";
import { ChangeFeed } from "../change-feed.js";
import { extensionOf, isHiddenName, ROOT, storedPath, type VaultPath } from "../path.js";
import type { Change } from "../storage.js";
import { isMissing, systemCode } from "./failure.js";
import { Slice } from "./slice.js";
import type { VaultRoot } from "./vault-root.js";

const UNSURE: Change = { kind: "unsure" };

/** The kernel drops what does not fit its queue of 16,384 events and Node does not say so; half of it at once is doubt enough. */
const MANY_AT_ONCE = 8192;

/** @throws VaultError UNAVAILABLE when the system does not let the vault be watched (any more) */
export async function* watch(root: VaultRoot, signal: AbortSignal): AsyncGenerator<Change> {
  const watcher: Watcher = process.platform === "linux" ? new FolderWatches(root) : new RecursiveWatch(root);
  const heard = watcher.feed.listen(signal);
  try {
    await watcher.start(signal);
    if (signal.aborted) return;
    yield UNSURE;
    yield* heard;
    if (watcher.failure) throw watcher.failure;
  } catch (error) {
    if (!signal.aborted) throw cannotWatch(error);
  } finally {
    watcher.close();
  }
}

function cannotWatch(cause: unknown): VaultError {
  if (cause instanceof VaultError) return cause;
  return new VaultError(
    "UNAVAILABLE",
    "The system does not let the vault be watched for changes; it is looked through instead.",
    {
      hint: "On Linux, raise fs.inotify.max_user_watches.",
      cause,
    },
  );
}

/** What both ways of watching have in common. */
interface Watcher {
  readonly feed: ChangeFeed;
  /** Why the watch ended by itself. */
  readonly failure: VaultError | undefined;
  start(signal: AbortSignal): Promise<void>;
  close(): void;
}

interface FolderWatch {
  readonly watcher: fs.FSWatcher;
  readonly inode: number;
}

class FolderWatches implements Watcher {
  readonly feed = new ChangeFeed();
  failure: VaultError | undefined;
  readonly #root: VaultRoot;
  readonly #watches = new Map<VaultPath, FolderWatch>();
  #heardThisTurn = 0;

  constructor(root: VaultRoot) {
    this.#root = root;
  }

  async start(signal: AbortSignal): Promise<void> {
    const slice = new Slice();
    this.#root.identity();
    this.#add(ROOT);
    for (const { path, isFolder } of this.#below(ROOT)) {
      if (isFolder) this.#add(path);
      if (slice.over) await slice.next(signal);
    }
    if (this.failure) throw this.failure;
  }

  close(): void {
    for (const { watcher } of this.#watches.values()) watcher.close();
    this.#watches.clear();
    this.feed.end();
  }

  #add(path: VaultPath): void {
    const location = this.#root.absolute(path);
    try {
      const stat = fs.lstatSync(location, { throwIfNoEntry: false });
      if (!stat?.isDirectory()) return;
      const watcher = fs.watch(location, { persistent: false }, (event, name) => this.#hear(path, event, name));
      watcher.on("error", (error) => this.#fail(error));
      this.#watches.set(path, { watcher, inode: stat.ino });
    } catch (error) {
      // Gone meanwhile, or closed to us and therefore not listed either.
      if (!isMissing(error) && systemCode(error) !== "EACCES") this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.failure ??= cannotWatch(error);
    this.close();
  }

  #hear(folder: VaultPath, event: string, name: string | null): void {
    if (this.#heardThisTurn++ === 0) setImmediate(() => (this.#heardThisTurn = 0)).unref();
    if (name === null || this.#heardThisTurn === MANY_AT_ONCE) return this.feed.announce(UNSURE);
    const path = storedPath(folder, name);
    // Of its own end a folder is told by its own name.
    if (folder === ROOT && name === nodePath.basename(this.#root.location)) this.feed.announce(UNSURE);
    if (path === undefined) return;
    if (event === "rename") this.#lookAt(path);
    else if (!this.#watches.has(path)) this.feed.announce({ kind: "changed", path });
  }

  /** Something came or went under this name. */
  #lookAt(path: VaultPath): void {
    const stat = statOf(this.#root.absolute(path));
    const known = this.#watches.get(path);
    if (known && known.inode === stat?.ino) return;
    if (known) {
      this.#drop(path);
      this.feed.announce(UNSURE);
    }
    if (!stat?.isDirectory()) return this.feed.announce({ kind: "changed", path });
    this.#add(path);
    for (const below of this.#below(path)) {
      if (below.isFolder) this.#add(below.path);
      else this.feed.announce({ kind: "changed", path: below.path });
    }
  }

  #drop(path: VaultPath): void {
    for (const [watched, { watcher }] of this.#watches) {
      if (watched !== path && !watched.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watches.delete(watched);
    }
  }

  /** All that is below a folder. A folder is given out before it is read, so that its watch stands first and nothing is added unseen. */
  *#below(start: VaultPath): Generator<{ path: VaultPath; isFolder: boolean }> {
    const folders = [start];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (folder !== start) yield { path: folder, isFolder: true };
      for (const entry of entriesOf(this.#root.absolute(folder))) {
        const isFolder = entry.isDirectory();
        const path = isFolder || entry.isFile() ? storedPath(folder, entry.name) : undefined;
        if (path === undefined) continue;
        if (isFolder) folders.push(path);
        else yield { path, isFolder };
      }
    }
  }
}

class RecursiveWatch implements Watcher {
  readonly feed = new ChangeFeed();
  failure: VaultError | undefined;
  readonly #root: VaultRoot;
  #watcher: fs.FSWatcher | undefined;

  constructor(root: VaultRoot) {
    this.#root = root;
  }

  async start(): Promise<void> {
    if (process.platform !== "darwin" && process.platform !== "win32") throw cannotWatch(undefined);
    const options = { persistent: false, recursive: true };
    this.#watcher = fs.watch(this.#root.location, options, (_event, name) => this.#hear(name));
    this.#watcher.on("error", (error) => {
      this.failure ??= cannotWatch(error);
      this.close();
    });
  }

  close(): void {
    this.#watcher?.close();
    this.feed.end();
  }

  #hear(name: string | null): void {
    let path: VaultPath | undefined = ROOT;
    for (const segment of (name ?? "").split(nodePath.sep)) {
      if (isHiddenName(segment)) return;
      path = path === undefined ? undefined : storedPath(path, segment);
    }
    if (name === null || path === undefined) return this.feed.announce(UNSURE);
    const stat = statOf(this.#root.absolute(path));
    // A folder, or a name that may have been one: what was below it is not told.
    if (stat?.isDirectory() || (!stat && extensionOf(path) === "")) this.feed.announce(UNSURE);
    else this.feed.announce({ kind: "changed", path });
  }
}

function statOf(location: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(location, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function entriesOf(location: string): fs.Dirent[] {
  try {
    return fs.readdirSync(location, { withFileTypes: true });
  } catch {
    return [];
  }
}
