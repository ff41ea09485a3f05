/** Announces changes by one inotify watch per folder (performance, "Watching"). */
import fs from "node:fs";
import { TimeSlice } from "../../async/timers.js";
import nodePath from "node:path";
import { VaultError, systemCode } from "../../errors.js";
import { ChangeFeed } from "../change-feed.js";
import { isHiddenName, isMarkdown, ROOT, storedPath, type VaultPath } from "../path.js";
import type { Change, ChangesOptions } from "../storage.js";
import { isMissing } from "./failure.js";
import type { VaultRoot } from "./vault-root.js";

const UNSURE: Change = { kind: "unsure" };

/** When the kernel's queue (16,384 events) is full, it drops events, which Node does not report. */
const MANY_AT_ONCE = 1024;

interface Running {
  readonly watches: FolderWatches;
  whole: Promise<void> | undefined;
  readonly stop: AbortController;
  listeners: number;
}

/** Only while someone listens. */
export class VaultWatch {
  readonly #root: VaultRoot;
  #running: Running | undefined;

  constructor(root: VaultRoot) {
    this.#root = root;
  }

  /** @throws UNAVAILABLE when the system refuses */
  async *changes(signal: AbortSignal, { listed = false }: ChangesOptions = {}): AsyncGenerator<Change> {
    if (signal.aborted) return;
    const running = this.#join();
    const leave = (): void => this.#leave(running);
    signal.addEventListener("abort", leave, { once: true });
    const heard = running.watches.feed.listen(signal);
    try {
      if (listed) running.watches.begin();
      else await this.#watchAll(running);
      if (signal.aborted) return;
      yield UNSURE;
      yield* heard;
      if (running.watches.failure) throw running.watches.failure;
    } catch (error) {
      if (!signal.aborted) throw cannotWatch(error);
    } finally {
      await heard.return?.();
      signal.removeEventListener("abort", leave);
      if (!signal.aborted) leave();
    }
  }

  #join(): Running {
    // Old listeners get the failure.
    this.#running?.watches.confirm();
    if (this.#running?.watches.failure) this.#running = undefined;
    this.#running ??= this.#start();
    this.#running.listeners++;
    return this.#running;
  }

  cover(folder: VaultPath): void {
    this.#running?.watches.cover(folder);
  }

  #start(): Running {
    return { watches: new FolderWatches(this.#root), whole: undefined, stop: new AbortController(), listeners: 0 };
  }

  #watchAll(running: Running): Promise<void> {
    if (!running.whole) {
      running.whole = running.watches.coverAll(running.stop.signal);
      // Nobody may be listening.
      running.whole.catch(() => {});
    }
    return running.whole;
  }

  #leave(running: Running): void {
    if (--running.listeners > 0) return;
    if (this.#running === running) this.#running = undefined;
    running.stop.abort();
    running.watches.close();
  }
}

function cannotWatch(cause?: unknown): VaultError {
  if (cause instanceof VaultError) return cause;
  const message = "The system does not let the vault be watched for changes; it is scanned instead.";
  return new VaultError("UNAVAILABLE", message, { hint: "On Linux, raise fs.inotify.max_user_watches.", cause });
}

interface FolderWatch {
  readonly watcher: fs.FSWatcher;
  readonly inode: number;
}

class FolderWatches {
  readonly feed = new ChangeFeed();
  failure: VaultError | undefined;
  readonly #root: VaultRoot;
  readonly #watches = new Map<VaultPath, FolderWatch>();
  readonly #mountState: string;
  #device: number | undefined;
  #heardThisTurn = 0;

  constructor(root: VaultRoot) {
    this.#root = root;
    this.#mountState = root.mountState();
  }

  confirm(): void {
    if (this.#root.mountState() !== this.#mountState) this.#fail();
  }

  /** Other folders follow as they are listed. */
  begin(): void {
    this.#root.identity();
    this.cover(ROOT);
    if (this.failure) throw this.failure;
  }

  async coverAll(signal: AbortSignal): Promise<void> {
    const slice = new TimeSlice(signal);
    this.begin();
    for (const { path, isFolder } of this.#below(ROOT)) {
      if (isFolder) this.cover(path);
      if (slice.isOver) await slice.yield();
    }
    if (this.failure) throw this.failure;
  }

  cover(folder: VaultPath): void {
    if (!this.#watches.has(folder)) this.#add(folder);
  }

  close(): void {
    for (const { watcher } of this.#watches.values()) watcher.close();
    this.#watches.clear();
    this.feed.end();
  }

  #add(path: VaultPath): void {
    if (this.failure) return;
    const location = this.#root.absolute(path);
    try {
      const stat = fs.lstatSync(location, { throwIfNoEntry: false });
      if (!stat?.isDirectory()) return path === ROOT ? this.#fail() : undefined;
      this.#device ??= stat.dev;
      if (stat.dev !== this.#device && !isWatchable(location)) return this.#fail();
      const watcher = fs.watch(location, { persistent: false }, (event, name) => this.#hear(path, event, name));
      watcher.on("error", (error) => this.#fail(error));
      this.#watches.set(path, { watcher, inode: stat.ino });
    } catch (error) {
      // A missing or unreadable folder is not listed either.
      if (path === ROOT || (!isMissing(error) && systemCode(error) !== "EACCES")) this.#fail(error);
    }
  }

  #fail(error?: unknown): void {
    this.failure ??= cannotWatch(error);
    this.close();
  }

  #hear(folder: VaultPath, event: string, name: string | null): void {
    if (this.#heardThisTurn++ === 0) setImmediate(() => (this.#heardThisTurn = 0)).unref();
    if (name === null || this.#heardThisTurn === MANY_AT_ONCE) this.feed.announce(UNSURE);
    if (name === null) return;
    // The event has a removed folder's own name, which another may have by now, even with the same inode.
    if (name === nodePath.basename(this.#root.absolute(folder))) this.#rewatch(folder);
    const path = storedPath(folder, name);
    if (path === undefined) {
      // Not a valid path.
      if (event === "rename" && !isHiddenName(name)) this.feed.announce(UNSURE);
      return;
    }
    const isSaved = event === "change" && isMarkdown(path) && !this.#watches.has(path);
    if (isSaved) this.feed.announce({ kind: "changed", path });
    else this.#checkEntry(path);
  }

  #rewatch(folder: VaultPath): void {
    this.#drop(folder);
    this.feed.announce(UNSURE);
    if (folder === ROOT) this.#watchBelow(ROOT);
    else this.#checkEntry(folder);
  }

  #checkEntry(path: VaultPath): void {
    const stat = statOf(this.#root.absolute(path));
    const known = this.#watches.get(path);
    if (known) this.feed.announce(UNSURE);
    if (known && known.inode === stat?.ino) return;
    if (known) this.#drop(path);
    const isListed = !stat || stat.isFile() || stat.isDirectory();
    this.feed.announce(isListed ? { kind: "changed", path } : UNSURE);
    if (stat?.isDirectory()) this.#watchBelow(path);
  }

  #watchBelow(folder: VaultPath): void {
    this.#add(folder);
    for (const { path, isFolder } of this.#below(folder)) {
      if (isFolder) this.#add(path);
      this.feed.announce({ kind: "changed", path });
    }
  }

  #drop(path: VaultPath): void {
    for (const [watched, { watcher }] of this.#watches) {
      if (path !== ROOT && watched !== path && !watched.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watches.delete(watched);
    }
  }

  /** Each folder before its entries: it must be watched first. */
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

/**
 * `statfs` types of Linux that only this kernel changes, with an event before the call returns. Network, shared and
 * user-space disks and an overlay's lower folders change without it.
 */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x9123683e, // btrfs
  0x58465342, // xfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x3153464a, // jfs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
]);

/** Other systems deliver changes late. */
export function isWatchable(location: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    // Node's number may be negative.
    return LOCAL.has(fs.statfsSync(location).type >>> 0);
  } catch {
    return false;
  }
}
