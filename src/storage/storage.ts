/** The interface of every storage: where a vault's files are, read in batches and written by compare-and-swap. */
import type { VaultError } from "../errors.js";
import type { VaultPath } from "./path.js";

/** Identifies a file's content: a hash on disk, `_rev` in CouchDB. Equal revisions mean equal bytes. */
export type Revision = string & { readonly __brand: "Revision" };

export type Expected =
  | { readonly kind: "any" }
  | { readonly kind: "absent" }
  | { readonly kind: "revision"; readonly revision: Revision };

/**
 * Numbers that stay equal while a file is unchanged (size, mtime, ctime, inode and device on disk). At least one
 * changes with the file. Always `Storage.stampLength` numbers.
 */
export type Stamp = readonly number[];

export interface FileStat {
  readonly path: VaultPath;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Milliseconds since the epoch; the modification time where the storage does not know it. */
  readonly created: number;
  readonly stamp: Stamp;
}

export interface StoredFile {
  readonly stat: FileStat;
  /**
   * The file's bytes, or its first `limit` bytes if `readMany` got a limit. From `readMany` they are valid until the
   * next batch is requested.
   */
  readonly bytes: Uint8Array;
  /** Of the whole file. May be computed at first use; throws RangeError when only the head was read. */
  readonly revision: Revision;
}

/** A file that exists but cannot be read. A file that has gone is omitted instead. */
export interface UnreadableFile {
  readonly path: VaultPath;
  readonly error: VaultError;
}

export interface Settled {
  /** False when the change was made but its folder could not be flushed to disk. */
  readonly durable: boolean;
}

export interface WrittenFile extends Settled {
  readonly stat: FileStat;
  readonly revision: Revision;
}

export interface FolderEntry {
  readonly name: string;
  readonly path: VaultPath;
  readonly kind: "file" | "folder";
  /** The content is not on this disk, and only a person can fetch it. */
  readonly inCloud?: true;
}

/** `changed`: check this path again (it may be gone). `unsure`: events were lost, check everything again. */
export type Change = { readonly kind: "changed"; readonly path: VaultPath } | { readonly kind: "unsure" };

/** An entry that is not listed as a file or folder. Answers report it instead of hiding it. */
export interface UnlistedEntry {
  readonly folder: VaultPath;
  /** The name in the storage. It may break the rules of a path. */
  readonly name: string;
  /** A link or a special file counts as a file; its target was not checked. */
  readonly kind: "file" | "folder";
  /**
   * `closed`: it cannot be read. `name`: its name makes no valid path. `link`: it is broken, or leads out of the vault
   * or to a hidden place. `special`: a pipe, a socket or a device. `cloud`: its
   * content is not on this disk.
   */
  readonly reason: "closed" | "name" | "link" | "special" | "cloud";
}

export interface ListOptions {
  /** Skips files, and folders with everything below them, before they cost anything. Default: nothing is skipped. */
  readonly wants?: (path: VaultPath, kind: "file" | "folder") => boolean;
  /**
   * Returns true for a file that the caller knows with this stamp; the file is then omitted. `stamp` is reused: keep no
   * reference to it. A storage need not call this, and `paths` never does.
   */
  readonly isKnown?: (path: VaultPath, stamp: Stamp) => boolean;
  /**
   * Called for each entry of a wanted folder that is not listed, except hidden names. `wants` was not called for names
   * that make no path.
   */
  readonly onUnlisted?: (what: UnlistedEntry) => void;
  readonly signal?: AbortSignal;
}

export interface ChangesOptions {
  /**
   * Announce only changes in folders that `list` or `paths` have read since, each from before it was listed. A watch
   * followed by a listing then needs no walk of its own. Default: announce all.
   */
  readonly listed?: boolean;
}

export interface ReadManyOptions {
  /** Read at most this many bytes of each file. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Gets the current file (undefined: none) and returns its new content; undefined leaves it unchanged. */
export type ChangeBytes = (current: StoredFile | undefined) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * A place where a vault's files are stored. Hidden files (any segment beginning with a dot) are neither listed nor
 * announced. Implementations throw only VaultError: FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT, PERMISSION_DENIED,
 * TOO_LARGE, UNAVAILABLE, and VAULT_NOT_FOUND when the vault itself is gone.
 */
export interface Storage {
  /** The vault's name in answers: the folder as the user named it, or `livesync:<database>`. */
  readonly name: string;
  /** Identifies the vault between processes, for stored state and locks. Never shown. */
  readonly identity: string;
  readonly stampLength: number;
  /**
   * A stamp with a time within this many milliseconds of its reading proves nothing (see `isRacy`). 0: stamps are
   * exact.
   */
  readonly stampGranularity: number;
  /** False when hidden files cannot be stored: then there is no trash, and deleted files are removed. Default: true. */
  readonly keepsHidden?: boolean;
  /**
   * True when `changes` may announce a change some time after it was made. The index then still calls `list` before
   * every answer. Default: false.
   */
  readonly announcesLate?: boolean;

  /** True when a file of another writer may be missing for a moment, as on a database cluster. Default: false. */
  readonly mayLag?: boolean;

  /** Whether access rules let a path be written, whether it exists or not. Default: all paths. */
  mayWrite?(path: VaultPath): boolean;

  /** Every visible file, in batches, in no particular order. */
  list(options?: ListOptions): AsyncIterable<readonly FileStat[]>;
  /**
   * The paths of all files that `list` lists, for a caller that will read each of them anyway. May include files that
   * are gone or cannot be read. Optional: useful where a stat is a request of its own.
   */
  paths?(options?: ListOptions): AsyncIterable<readonly VaultPath[]>;
  /** The entries of a folder (`ROOT` for the vault itself), unsorted; undefined when there is no such folder. */
  children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined>;
  /** Reads many files in as few requests as possible. Files that are gone are omitted. */
  readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncIterable<readonly (StoredFile | UnreadableFile)[]>;
  /** @throws VaultError UNAVAILABLE for a file whose content only a person can fetch */
  assertHere?(path: VaultPath): void;
  stat(path: VaultPath): Promise<FileStat | undefined>;
  /** Whether no file, folder, link or special file has this name. Optional: faster than a listing. */
  isVacant?(path: VaultPath): Promise<boolean>;
  read(path: VaultPath): Promise<StoredFile | undefined>;
  /**
   * Writes `bytes` completely or not at all, and makes parent folders. @throws CONFLICT when the expectation `revision`
   * fails, ALREADY_EXISTS when `absent` fails
   */
  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile>;
  /**
   * Reads, changes and writes as one step that excludes all other writers of this storage, in this process and others.
   * `change` may run more than once when a writer without locks interferes. Undefined: nothing was written. @throws
   * CONFLICT when such writers keep interfering
   */
  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined>;
  /** @throws FILE_NOT_FOUND, CONFLICT */
  remove(path: VaultPath, expected: Expected): Promise<Settled>;
  /** Renames without replacing, and makes parent folders. @throws FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile>;
  /**
   * Renames a folder with everything in it, hidden entries included, in one step and without replacing. Makes parent
   * folders. Undefined, with nothing changed, when one step cannot do it (the target is on another disk). Optional:
   * without it files are moved one by one. @throws FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT when the target is
   * in the folder itself
   */
  moveFolder?(from: VaultPath, to: VaultPath): Promise<Settled | undefined>;
  /**
   * Announces changes until the signal aborts. The first is always `unsure`, sent when the watch is active: a `list`
   * begun then and the later changes together miss nothing. A change that was complete when the event loop last polled
   * the system is announced by then; a storage that learns of changes later sets `announcesLate`. Optional: without it
   * the index calls `list` before every answer.
   */
  changes?(signal: AbortSignal, options?: ChangesOptions): AsyncIterable<Change>;
  /**
   * Identifies the folder itself and the disks mounted in it. When it changes, announced changes no longer prove
   * anything. Optional: for storages that cannot be replaced by another.
   */
  mountState?(): string;
  /**
   * Files of which devices have made versions that contradict the current one, with the revisions of those. Optional:
   * for storages that keep several versions.
   */
  conflicts?(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>>;
  /**
   * Files where a version written by this process conflicted with another writer's and could not be merged. Each is
   * returned once until it is written again. Optional, as `conflicts` is.
   */
  takeNewConflicts?(): readonly VaultPath[];
  /** One of the conflicting versions; undefined when there is no such version, or when it deletes the file. */
  readVersion?(path: VaultPath, revision: Revision): Promise<StoredFile | undefined>;
  close(): Promise<void>;
}

export function isUnreadable(entry: StoredFile | UnreadableFile): entry is UnreadableFile {
  return "error" in entry;
}

/** More than a disk's clock can be ahead. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * The racy-git rule: a stamp read too soon after a change proves nothing, because a second change within the clock's
 * granularity can leave it equal. True if one of the times is within the granularity of the reading, or after it (a
 * disk whose clock is ahead). The other numbers of a stamp are far from any time of day.
 */
export function isRacy({ stamp, modified }: FileStat, look: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = look - granularity;
  if (modified >= earliest) return true;
  return stamp.some((value) => value >= earliest && value < look + DAY);
}

/**
 * Where a driver stores what it knows, for itself and for other processes. Losing it costs only time, so no method fails: what cannot be
 * stored is not.
 */
export interface DriverStore {
  rows(): Promise<ReadonlyMap<string, string>>;
  /**
   * Saves rows.
   * @param changed those that were changed since the last save, or since they were read, a removed one as undefined; undefined: all
   * @param all every row: saved in their place when another process has saved since, because rows of two need not fit together
   */
  saveRows(
    changed: ReadonlyMap<string, string | undefined> | undefined,
    all: () => Iterable<readonly [string, string]>,
  ): Promise<void>;
  /** Of these names the texts that are stored; the oldest are dropped when there are too many. */
  texts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Stores texts, which are valid Unicode and never change under their names. */
  addTexts(texts: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}
