/** The file operations on a vault: reading, exact edits, listing, deleting, undoing (docs: notes-and-files). */
import type { SyncCopy } from "./sync-copies.js";
import type { ProgressOptions, Relocation } from "../links/links.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { Progress } from "../index/refresh.js";
import type { ChangeList, HistoryRequest } from "./history.js";
import type { OperationUndo, UndoOutcome } from "../history/journal.js";
import type { DeleteOutcome } from "../vault/vault.js";

export interface TextFile {
  readonly kind: "file";
  readonly path: VaultPath;
  /** Without their `\n` and without a byte order mark; a `\r` stays in its line (markdown/line-edit). */
  readonly lines: readonly string[];
  readonly revision: Revision;
}

export interface Folder {
  readonly kind: "folder";
  readonly path: VaultPath;
  /** Sorted; folders end with `/`; hidden entries are omitted. */
  readonly names: readonly string[];
}

export interface ChangedFile {
  readonly path: VaultPath;
  readonly lineCount: number;
  readonly revision: Revision;
  /** False when the disk could not confirm the change. */
  readonly durable: boolean;
  readonly undoable: boolean;
}

export interface ReplacedFile extends ChangedFile {
  /** Where the replaced text began, counted from 1. */
  readonly line: number;
}

export interface UndoneFile extends UndoOutcome {
  readonly asked: VaultPath;
  /** The lines of the restored file; undefined when there is no file now, or it is not text. */
  readonly lines: readonly string[] | undefined;
}

export interface UndoneOperation extends OperationUndo {
  /** Its reference, `op-...`. */
  readonly asked: string;
}

export interface FileList {
  /** Sorted by path. */
  readonly paths: readonly VaultPath[];
  /** How many files and folders of the vault could not be listed. */
  readonly passedOver: number;
}

export interface ExpectedFile {
  /** The revision the caller has seen; CONFLICT when the file has changed since. */
  readonly expected?: string | undefined;
}

export interface DeleteFileOptions extends ExpectedFile {
  /** Default false: it goes to the trash. */
  readonly permanent?: boolean | undefined;
}

export interface ListFilesOptions {
  /** A regular expression (RE2) that the paths must match somewhere. */
  readonly pattern?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Paths are user text. Every method throws VaultError as `vaultPath` does for an invalid one, and as `Vault` does. */
export interface Files {
  /**
   * The current text file or folder. An empty path, `/` and `.` mean the vault itself. @throws VaultError FILE_NOT_FOUND,
   * NOT_TEXT, TOO_LARGE
   */
  look(path: string): Promise<TextFile | Folder>;
  /**
   * Creates a file with exactly this text, and its folders. @throws VaultError ALREADY_EXISTS, INVALID_ARGUMENT for an invalid
   * name
   */
  create(path: string, text: string): Promise<ChangedFile>;
  /**
   * Replaces a text that occurs exactly once in a file (markdown/line-edit, `replaceOnly`). @throws VaultError INVALID_ARGUMENT
   * when it is empty, occurs never or several times, or would not change; CONFLICT
   */
  replace(path: string, sought: string, replacement: string, options?: ExpectedFile): Promise<ReplacedFile>;
  /**
   * Inserts lines after a line (markdown/line-edit, `insertLines`). @throws VaultError INVALID_ARGUMENT when there is no such
   * line, CONFLICT
   */
  insert(path: string, after: number, text: string, options?: ExpectedFile): Promise<ChangedFile>;
  /** Undoes the newest change of a file. @throws VaultError FILE_NOT_FOUND when there is none, CONFLICT */
  undo(path: string): Promise<UndoneFile>;
  /**
   * Undoes an operation by its reference, `op-...`. @throws VaultError FILE_NOT_FOUND, CONFLICT, INVALID_ARGUMENT for an
   * invalid reference
   */
  undoOperation(reference: string): Promise<UndoneOperation>;
  /** Undoes the newest change in the vault, of whatever file. @throws VaultError FILE_NOT_FOUND when there is none, CONFLICT */
  undoLast(): Promise<UndoneFile | UndoneOperation>;
  /**
   * The changes made through this server, newest first; `path` is a file or a folder. @throws VaultError INVALID_ARGUMENT for a
   * cursor
   */
  history(request: Omit<HistoryRequest, "path"> & { readonly path?: string | undefined }): Promise<ChangeList>;
  /** Conflict copies that sync tools left, which count nowhere. */
  syncCopies(signal?: AbortSignal): Promise<readonly SyncCopy[]>;
  /** Notes whose name and text make them likely copies of another. */
  likelyCopies(signal?: AbortSignal): Promise<readonly SyncCopy[]>;
  /** The changes of an operation as a unified diff. @param reference `op-...` @throws VaultError FILE_NOT_FOUND */
  diff(reference: string): Promise<string>;
  /** All files except hidden ones. @throws VaultError INVALID_ARGUMENT for an invalid pattern, TIMEOUT */
  list(options?: ListFilesOptions): Promise<FileList>;
  /** Moves a file to the trash, or removes it. @throws VaultError FILE_NOT_FOUND, INVALID_ARGUMENT for a folder */
  delete(path: string, options?: DeleteFileOptions): Promise<DeleteOutcome>;
  /**
   * Renames a file or a folder (`Links.move`). A trailing slash means a folder. @throws VaultError FILE_NOT_FOUND,
   * ALREADY_EXISTS
   */
  rename(from: string, to: string, options?: ProgressOptions): Promise<Relocation>;
}
