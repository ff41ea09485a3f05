/** The interface of every storage: batched reads, writes by compare-and-swap. */
import type { EpochMilliseconds } from "../clock.js";
import type { VaultError } from "../errors.js";
import type { PathRules, VaultPath } from "./path.js";

/** A hash on disk, `_rev` in CouchDB. Equal revisions mean equal bytes. */
export type Revision = string & { readonly __brand: "Revision" };

export type Expected =
  | { readonly kind: "any" }
  | { readonly kind: "absent" }
  | { readonly kind: "revision"; readonly revision: Revision };

/** Such as size, mtime and inode. At least one changes with the file. */
export type Stamp = readonly number[];

export interface FileStat {
  readonly path: VaultPath;
  readonly size: number;
  readonly modified: EpochMilliseconds;
  /** The modification time if unknown. */
  readonly created: EpochMilliseconds;
  readonly stamp: Stamp;
}

export interface StoredFile {
  readonly stat: FileStat;
  /** From `readMany` only the first `limit` bytes. */
  readonly bytes: Uint8Array;
  /** Throws RangeError when only the head was read. */
  readonly revision: Revision;
}

export interface UnreadableFile {
  readonly path: VaultPath;
  readonly error: VaultError;
}

export interface Settled {
  /** False when a changed folder was not flushed to disk. */
  readonly durable: boolean;
}

export interface WrittenFile extends Settled {
  readonly stat: FileStat;
  readonly revision: Revision;
}

export type VaultLock = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface FolderEntry {
  readonly name: string;
  readonly path: VaultPath;
  readonly kind: "file" | "folder";
  /** Only a person can fetch it. */
  readonly inCloud?: true;
}

/** `unsure`: events were lost, any path may have changed. */
export type Change = { readonly kind: "changed"; readonly path: VaultPath } | { readonly kind: "unsure" };

/** Cannot be listed. */
export interface UnlistedEntry {
  readonly folder: VaultPath;
  /** May break the rules of a path. */
  readonly name: string;
  /** A link counts as a file. */
  readonly kind: "file" | "folder";
  /**
   * `closed`: unreadable. `name`: makes no valid path. `link`: broken, or leads out of the vault or to a hidden place.
   * `special`: a pipe, socket or device. `unreadable`: a database's document without a path, named by its id.
   */
  readonly reason: "closed" | "name" | "link" | "special" | "cloud" | "unreadable";
}

export interface ListOptions {
  /** False skips a folder with everything below it. Default: all. */
  readonly wants?: (path: VaultPath, kind: "file" | "folder") => boolean;
  /** True omits a file known with this stamp. `stamp` is reused: do not keep it. A storage need not call this. */
  readonly isKnown?: (path: VaultPath, stamp: Stamp) => boolean;
  /** Not called for hidden names. */
  readonly onUnlisted?: (what: UnlistedEntry) => void;
  readonly signal?: AbortSignal;
}

export interface ChangesOptions {
  /** Only in folders that `list` has read since the call. Default: all. */
  readonly listed?: boolean;
}

export interface ReadManyOptions {
  /** Bytes of each file; default all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** @param current undefined: no file @returns undefined: no change */
export type ChangeBytes = (current: StoredFile | undefined) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * Hidden files (any segment begins with a dot) are neither listed nor announced. Implementations throw only VaultError:
 * FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT, PERMISSION_DENIED, TOO_LARGE, UNAVAILABLE, and VAULT_NOT_FOUND when the
 * vault itself is gone.
 */
export interface Storage {
  /** As the user named it, or `livesync:<database>`. */
  readonly name: string;
  /** The same in all processes. Never shown. */
  readonly identity: string;
  readonly stampLength: number;
  /** Milliseconds: a stamp read sooner after a change proves nothing. 0: exact. */
  readonly stampGranularity: number;
  /** Default true. False: there is no trash. */
  readonly keepsHidden?: boolean;
  /** For `PathRules`; default: any spelling. */
  readonly spelled?: PathRules["spelled"];
  /** `changes` may be late: the index still calls `list` before every answer. */
  readonly announcesLate?: boolean;

  /** Another writer's file may be missing for a moment, as on a cluster. */
  readonly mayLag?: boolean;

  /**
   * Moves, merges and undo take it before any file's lock, in every process of this user. Not reentrant.
   * @throws UNAVAILABLE when another holds it too long
   */
  withVaultLock: VaultLock;

  /** By access rules; the path need not exist. */
  mayWrite?(path: VaultPath): boolean;

  /** Unordered. */
  list(options?: ListOptions): AsyncIterable<readonly FileStat[]>;
  /** Unsorted; undefined when there is no such folder. */
  children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined>;
  /** Files that are gone are omitted. */
  readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncIterable<readonly (StoredFile | UnreadableFile)[]>;
  /** @throws UNAVAILABLE for a file that only a person can fetch */
  assertHere?(path: VaultPath): void;
  stat(path: VaultPath): Promise<FileStat | undefined>;
  /** Faster than a listing. Links and special files count. */
  isVacant?(path: VaultPath): Promise<boolean>;
  read(path: VaultPath): Promise<StoredFile | undefined>;
  /**
   * All or nothing; makes parent folders.
   * @throws CONFLICT when the expectation `revision` fails, ALREADY_EXISTS when `absent` fails
   */
  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile>;
  /**
   * Excludes all other writers of this storage, in any process. `change` runs again when a writer without locks
   * interferes. Undefined: nothing was written.
   * @throws CONFLICT when such writers keep interfering
   */
  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined>;
  /** @throws FILE_NOT_FOUND, CONFLICT */
  remove(path: VaultPath, expected: Expected): Promise<Settled>;
  /** Never replaces; makes parent folders. @throws FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile>;
  /**
   * In one step, with hidden entries, without replacing; makes parent folders. Undefined, with nothing changed, when
   * that is impossible (another disk). Without it files are moved one by one.
   * @throws FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT when the target is in the folder itself
   */
  moveFolder?(from: VaultPath, to: VaultPath): Promise<Settled | undefined>;
  /** Removes the folder and those above it, `count` in all, while empty. Never fails. */
  removeEmpty?(folder: VaultPath, count: number): Promise<void>;
  /**
   * The first change is always `unsure`, sent when the watch is active: a `list` begun then misses nothing. Unless
   * `announcesLate`, a change complete when the event loop last polled the system is announced by then. Without it the
   * index calls `list` before every answer.
   */
  changes?(signal: AbortSignal, options?: ChangesOptions): AsyncIterable<Change>;
  /** Announced changes prove nothing once it changes: a folder or disk may have been replaced. */
  mountState?(): string;
  /** In conflict with the current one. */
  conflicts?(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>>;
  /** Files whose version of this process could not be merged; each once until it is written again. */
  takeNewConflicts?(): readonly VaultPath[];
  /** One of `conflicts`; undefined when it is missing or deletes the file. */
  readVersion?(path: VaultPath, revision: Revision): Promise<StoredFile | undefined>;
  close(): Promise<void>;
}

export function isUnreadable(entry: StoredFile | UnreadableFile): entry is UnreadableFile {
  return "error" in entry;
}

/** Losing stored data costs only time: no method fails. */
export interface DriverStore {
  rows(): Promise<ReadonlyMap<string, string>>;
  /**
   * @param changed since the last save or read (undefined: removed); undefined: all
   * @param all saved instead when another process has saved since: rows of two processes may not fit together
   */
  saveRows(
    changed: ReadonlyMap<string, string | undefined> | undefined,
    all: () => Iterable<readonly [string, string]>,
  ): Promise<void>;
  /** Drops the oldest when there are too many. */
  texts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Valid Unicode that never changes under its name. */
  addTexts(texts: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}
