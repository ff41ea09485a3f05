/** The interface of every storage, and revisions that are hashes of contents. */
import type { EpochMilliseconds } from "../clock.js";
import type { VaultError } from "../errors.js";
import type { PathRules, VaultPath } from "./path.js";
import { sha256 } from "../text/hash.js";

/** A hash on disk, `_rev` in CouchDB. Equal revisions mean equal bytes. */
export type Revision = string & { readonly __brand: "Revision" };

export type Expected =
  | { readonly kind: "any" }
  | { readonly kind: "absent" }
  | { readonly kind: "revision"; readonly revision: Revision };

/** Such as size, mtime and inode. Changes with the file. */
export type Stamp = readonly number[];

export interface FileStat {
  readonly path: VaultPath;
  readonly size: number;
  readonly modified: EpochMilliseconds;
  /** Or the modification time. */
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
  /** False when a changed folder was not flushed. */
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

/** `unsure`: any path may have changed. */
export type Change = { readonly kind: "changed"; readonly path: VaultPath } | { readonly kind: "unsure" };

export interface UnlistedEntry {
  readonly folder: VaultPath;
  /** May break the rules of a path. */
  readonly name: string;
  /** A link counts as a file. */
  readonly kind: "file" | "folder";
  /**
   * `closed`: unreadable. `name`: no valid path. `link`: broken, or to a place outside or hidden. `special`: a pipe,
   * socket or device. `unreadable`: a database's document, named by its id.
   */
  readonly reason: "closed" | "name" | "link" | "special" | "cloud" | "unreadable";
}

export interface ListOptions {
  /** False skips a folder with everything below. */
  readonly wants?: (path: VaultPath, kind: "file" | "folder") => boolean;
  /** True omits a file known with this stamp, which is reused. A storage need not call this. */
  readonly isKnown?: (path: VaultPath, stamp: Stamp) => boolean;
  /** Not called for hidden names. */
  readonly onUnlisted?: (what: UnlistedEntry) => void;
  readonly signal?: AbortSignal;
}

export interface ChangesOptions {
  /** Only in folders listed since the call. Default: all. */
  readonly listed?: boolean;
}

export interface ReadManyOptions {
  /** Bytes; default all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** @param current undefined: no file @returns undefined: no change */
export type ChangeBytes = (current: StoredFile | undefined) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * Hidden files (any segment begins with a dot) are not listed. Implementations throw only VaultError:
 * FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT, PERMISSION_DENIED, TOO_LARGE, UNAVAILABLE, and VAULT_NOT_FOUND when the
 * vault is gone.
 */
export interface Storage {
  /** As the user named it, or `livesync:<database>`. */
  readonly name: string;
  /** The same in all processes. Never shown. */
  readonly identity: string;
  readonly stampLength: number;
  /** Milliseconds: a stamp read sooner after a change proves nothing. */
  readonly stampGranularity: number;
  /** Default true. False: no trash. */
  readonly keepsHidden?: boolean;
  /** For `PathRules`; default: any spelling. */
  readonly spelled?: PathRules["spelled"];
  /** The index calls `list` before every answer. */
  readonly announcesLate?: boolean;

  /** Another writer's file may be missing for a moment. */
  readonly mayLag?: boolean;

  /**
   * Moves, merges and undo take it before a file's lock, in every process of this user. Not reentrant.
   * @throws UNAVAILABLE when it is held too long
   */
  withVaultLock: VaultLock;

  /** The path need not exist. */
  mayWrite?(path: VaultPath): boolean;

  /** Unordered. */
  list(options?: ListOptions): AsyncIterable<readonly FileStat[]>;
  /** Unsorted; undefined without such a folder. */
  children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined>;
  /** Omits missing files. */
  readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncIterable<readonly (StoredFile | UnreadableFile)[]>;
  /** @throws UNAVAILABLE for a file that only a person can fetch */
  assertHere?(path: VaultPath): void;
  stat(path: VaultPath): Promise<FileStat | undefined>;
  /** Links and special files count. */
  isVacant?(path: VaultPath): Promise<boolean>;
  read(path: VaultPath): Promise<StoredFile | undefined>;
  /**
   * All or nothing; makes parent folders.
   * @throws CONFLICT when the expectation `revision` fails, ALREADY_EXISTS when `absent` does
   */
  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile>;
  /**
   * Excludes all other writers in any process. `change` runs again when a writer without locks interferes. Undefined:
   * nothing was written. @throws CONFLICT when they keep interfering
   */
  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined>;
  /** @throws FILE_NOT_FOUND, CONFLICT */
  remove(path: VaultPath, expected: Expected): Promise<Settled>;
  /** Never replaces. @throws FILE_NOT_FOUND, ALREADY_EXISTS, CONFLICT */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile>;
  /**
   * In one step, with hidden entries, without replacing. Undefined, with nothing changed, where impossible (another
   * disk). Without it files are moved one by one.
   * @throws FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT when the target is inside
   */
  moveFolder?(from: VaultPath, to: VaultPath): Promise<Settled | undefined>;
  /** The folder and those above it, `count` in all, while empty. Never fails. */
  removeEmpty?(folder: VaultPath, count: number): Promise<void>;
  /**
   * The first change is `unsure`, sent when the watch is active: a later `list` misses nothing. Unless `announcesLate`,
   * a change complete when the event loop last polled is announced by then. Without it the index calls `list` before
   * every answer.
   */
  changes?(signal: AbortSignal, options?: ChangesOptions): AsyncIterable<Change>;
  /** Once it changes, announced changes prove nothing. */
  mountState?(): string;
  /** In conflict with the current one. */
  conflicts?(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>>;
  /** Files whose own version could not be merged; each once until it is written. */
  takeNewConflicts?(): readonly VaultPath[];
  /** Undefined when it is missing or deletes the file. */
  readVersion?(path: VaultPath, revision: Revision): Promise<StoredFile | undefined>;
  close(): Promise<void>;
}

export function isUnreadable(entry: StoredFile | UnreadableFile): entry is UnreadableFile {
  return "error" in entry;
}

/** Never fails: stored data only saves time. */
export interface DriverStore {
  rows(): Promise<ReadonlyMap<string, string>>;
  /** @param changed since the last time; undefined: all @param all saved instead if another process saved meanwhile */
  saveRows(
    changed: ReadonlyMap<string, string | undefined> | undefined,
    all: () => Iterable<readonly [string, string]>,
  ): Promise<void>;
  /** Drops the oldest when too many. */
  texts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Valid Unicode that never changes under its name. */
  addTexts(texts: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}

export function contentRevision(bytes: Uint8Array): Revision {
  return sha256(bytes) as Revision;
}

/** An invalid revision matches no file. */
export function givenRevision(text: string | undefined): Revision | undefined {
  return text?.trim() as Revision | undefined;
}

export class StoredContent implements StoredFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly #findRevision: (bytes: Uint8Array) => Revision;
  #revision: Revision | undefined;

  constructor(stat: FileStat, bytes: Uint8Array, findRevision = contentRevision) {
    this.stat = stat;
    this.bytes = bytes;
    this.#findRevision = findRevision;
  }

  get revision(): Revision {
    if (this.bytes.byteLength < this.stat.size) throw new RangeError("Only the head of the file was read.");
    return (this.#revision ??= this.#findRevision(this.bytes));
  }
}
