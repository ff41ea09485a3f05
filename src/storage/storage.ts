/** The port every storage driver implements: where a vault's files live, read in batches and written by compare-and-swap. */
import type { VaultError } from "../errors.js";
import type { VaultPath } from "./path.js";

/** Proof of a file's content: a content hash on disk, `_rev` in CouchDB. Equal revisions mean equal bytes. */
export type Revision = string & { readonly __brand: "Revision" };

/** What a writer believes about the file it is about to write. */
export type Expected =
  | { readonly kind: "any" }
  | { readonly kind: "absent" }
  | { readonly kind: "revision"; readonly revision: Revision };

/**
 * Numbers that all stay equal while a file is unchanged (size, mtime, ctime, inode and device on disk), and of which
 * at least one changes when it changes. Always `Storage.stampLength` numbers, so that a snapshot can keep them in columns.
 */
export type Stamp = readonly number[];

export interface FileStat {
  readonly path: VaultPath;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Milliseconds since the epoch; the modification time where the storage knows no better. */
  readonly created: number;
  readonly stamp: Stamp;
}

export interface StoredFile {
  readonly stat: FileStat;
  /**
   * The file's bytes, or its first `limit` bytes when a limit was asked for and `stat.size` is larger.
   * From `readMany` they are valid only until the next batch is asked for.
   */
  readonly bytes: Uint8Array;
  /** Of the whole file. A driver may work it out when first asked; throws RangeError when only the head was read. */
  readonly revision: Revision;
}

/** A file that is there but cannot be read (permission, I/O error, gone meanwhile is not an error but left out). */
export interface UnreadableFile {
  readonly path: VaultPath;
  readonly error: VaultError;
}

/** A change that stands. */
export interface Settled {
  /** False in the one case that cannot be undone: the change is in place, but the folder could not be flushed to disk. */
  readonly durable: boolean;
}

/** What a write left behind. */
export interface WrittenFile extends Settled {
  readonly stat: FileStat;
  readonly revision: Revision;
}

export interface FolderEntry {
  readonly name: string;
  readonly path: VaultPath;
  readonly kind: "file" | "folder";
}

/** `changed`: look at this path again (it may be gone). `unsure`: events were lost, look at everything again. */
export type Change = { readonly kind: "changed"; readonly path: VaultPath } | { readonly kind: "unsure" };

/** Something that stands among the files and is not listed, so that no answer need keep silent about it. */
export interface PassedOver {
  /** The folder it stands in. */
  readonly folder: VaultPath;
  /** As the storage has it: it may break every rule of a path. */
  readonly name: string;
  /** A link or a special file counts as a file: nobody looked what is behind it. */
  readonly kind: "file" | "folder";
  /**
   * `closed`: it may not be looked into. `name`: no path can name it. `link`: it leads nowhere, out of the vault or to a hidden
   * place. `special`: a pipe, a socket or a device.
   */
  readonly reason: "closed" | "name" | "link" | "special";
}

export interface ListOptions {
  /** Leaves files out, and folders with all that is below them, before they cost anything. Default: everything is wanted. */
  readonly wants?: (path: VaultPath, kind: "file" | "folder") => boolean;
  /**
   * Returns true for a file whose path and stamp tell the caller enough; it is then left out of the batches. `stamp` is reused for
   * the next file, so keep no reference to it. A storage that saves nothing by this need not call it, and `paths` never does.
   */
  readonly isKnown?: (path: VaultPath, stamp: Stamp) => boolean;
  /** Called for each entry of a wanted folder that is not listed, except hidden names. `wants` was not asked about entries whose name makes no path. */
  readonly onPassedOver?: (what: PassedOver) => void;
  readonly signal?: AbortSignal;
}

export interface ChangesOptions {
  /**
   * Only what stands in folders that `list` or `paths` have gone through since need be announced, each from before it was listed: a watch
   * that is followed by a listing then takes no walk of its own. Default: everything.
   */
  readonly listed?: boolean;
}

export interface ReadManyOptions {
  /** Read at most this many bytes of each file. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Reads the present file (undefined: there is none) and says what shall stand there; undefined leaves it as it is. */
export type ChangeBytes = (current: StoredFile | undefined) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * A place where a vault's files live. Hidden files (any segment beginning with a dot) are neither listed nor announced.
 * Drivers throw VaultError only: FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT, PERMISSION_DENIED, TOO_LARGE, UNAVAILABLE,
 * and VAULT_NOT_FOUND when the vault itself is gone.
 */
export interface Storage {
  /** What answers call this vault: the folder as the user named it, or `livesync:<database>`. */
  readonly name: string;
  /** Identifies the vault between processes (for the snapshot and the locks); never shown. */
  readonly identity: string;
  readonly stampLength: number;
  /** A stamp whose times are within so many milliseconds of the look that took it proves nothing (the racy-git rule). 0: stamps are exact. */
  readonly stampGranularity: number;
  /** False where hidden files cannot be kept: there is no trash then, and deleting leaves what the storage itself keeps. Default: true. */
  readonly keepsHidden?: boolean;
  /**
   * True where `changes` may announce a change some time after it was made: good for those who follow the vault, but no stand-in
   * for a look, so the catalog asks `list` before every answer all the same. Default: false.
   */
  readonly announcesLate?: boolean;

  /** True where another writer's file may be missing from an answer for a moment, as on a cluster of databases. Default: false. */
  readonly mayLag?: boolean;

  /** Whether a path may be written at all; default: all may. Under access rules some may not, whether anything is there or not. */
  mayWrite?(path: VaultPath): boolean;

  /** Every visible file, in batches, in no particular order. */
  list(options?: ListOptions): AsyncIterable<readonly FileStat[]>;
  /**
   * The paths of all that `list` lists, for a caller that will read every file and have its stat then. It may name files that turn
   * out to be closed or not to be there. Optional: worth it where a stat is a request of its own.
   */
  paths?(options?: ListOptions): AsyncIterable<readonly VaultPath[]>;
  /** What stands directly in a folder (`ROOT` for the vault itself), unsorted; undefined when there is no such folder. */
  children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined>;
  /** Many files in as few sweeps as the storage allows; files that are gone are left out. */
  readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncIterable<readonly (StoredFile | UnreadableFile)[]>;
  stat(path: VaultPath): Promise<FileStat | undefined>;
  /** Whether nothing at all has this name: no file, folder, link or special file. Optional: spares a caller a listing to find out. */
  isVacant?(path: VaultPath): Promise<boolean>;
  read(path: VaultPath): Promise<StoredFile | undefined>;
  /**
   * Puts `bytes` in place, whole or not at all; parent folders are made.
   * @throws CONFLICT when the expectation `revision` fails, ALREADY_EXISTS when `absent` fails
   */
  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile>;
  /**
   * Read, change and write as one step that no other writer of this storage can come between, in this process or another.
   * `change` may run more than once (when a writer that knows no locks came between). Answers undefined when nothing was written.
   * @throws CONFLICT when outside writers keep coming between
   */
  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined>;
  /** @throws FILE_NOT_FOUND, CONFLICT */
  remove(path: VaultPath, expected: Expected): Promise<Settled>;
  /** Renames without replacing; parent folders are made. @throws FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile>;
  /**
   * Renames a folder with all that is in it, hidden entries included, in one step and without replacing; parent folders are made.
   * Undefined, with nothing changed, where that cannot be done in one step (the new place is on another disk). Optional: without it
   * the files are moved one by one.
   * @throws FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT when the new place is in the folder itself
   */
  moveFolder?(from: VaultPath, to: VaultPath): Promise<Settled | undefined>;
  /**
   * Announces changes until the signal aborts. The first is always `unsure`, given as soon as the watch stands:
   * whatever happens after it is announced, so a `list` begun then and the later changes together miss nothing.
   * A change that was complete when the event loop last asked the system is announced by then: a driver that hears of changes
   * later than that says so (`announcesLate`). Optional: without it (or where it cannot be started) the catalog asks `list` before every answer.
   */
  changes?(signal: AbortSignal, options?: ChangesOptions): AsyncIterable<Change>;
  /**
   * Names what the files stand on: the folder itself and the disks that are mounted in it, by one quick look. Where that is another
   * than before, nothing counts that was announced. Optional: where no other can come in its place.
   */
  ground?(): string;
  /**
   * The files of which devices have made versions that contradict the one that is read, with the revisions of these versions.
   * Optional: where files have one version only.
   */
  conflicts?(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>>;
  /**
   * The files of which a version that this process wrote came into conflict with another writer's and could not be merged, each once
   * until it is written again: the next answer names them. Optional, as `conflicts` is.
   */
  takeNewConflicts?(): readonly VaultPath[];
  /** One of those versions; undefined when it is none, or deletes the file. */
  readVersion?(path: VaultPath, revision: Revision): Promise<StoredFile | undefined>;
  close(): Promise<void>;
}

/** Whether an entry of `readMany` could not be read. */
export function isUnreadable(entry: StoredFile | UnreadableFile): entry is UnreadableFile {
  return "error" in entry;
}

/** Longer than a disk's clock is ahead. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * The racy-git rule: a stamp taken too soon after a change proves nothing, for another change may leave it as it is. Whether
 * the file may change again and keep its stamp: one of its times is within the granularity of the look, or after it
 * (a disk whose clock is ahead). The sizes, inodes and devices among the numbers are far from any time of day.
 */
export function isRacy({ stamp, modified }: FileStat, look: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = look - granularity;
  if (modified >= earliest) return true;
  return stamp.some((value) => value >= earliest && value < look + DAY);
}
