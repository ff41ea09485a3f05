/** What the house may ask about the files of a vault as files: looking, exact edits, listing, deleting, undoing (docs: notes-and-files). */
import type { LookOptions, Relocation } from "../links/links.js";
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
  /** The names in it, sorted, those of folders with a `/` at the end; hidden ones are left out. */
  readonly names: readonly string[];
}

/** A file after a change of its text. */
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

/** Paths are user text; every method throws VaultError as `vaultPath` does when one is none, and as `Vault` does. */
export interface Files {
  /**
   * A text file or a folder as it is now; an empty path, `/` and `.` are the vault itself.
   * @throws VaultError FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE
   */
  look(path: string): Promise<TextFile | Folder>;
  /** Makes a file of exactly this text, and its folders. @throws VaultError ALREADY_EXISTS, INVALID_ARGUMENT for a name that cannot be */
  create(path: string, text: string): Promise<ChangedFile>;
  /**
   * Replaces a text that stands in exactly one place of a file (markdown/line-edit, `replaceOnly`).
   * @throws VaultError INVALID_ARGUMENT when it is empty, stands nowhere or in several places, or would not change; CONFLICT
   */
  replace(path: string, sought: string, replacement: string, options?: ExpectedFile): Promise<ReplacedFile>;
  /**
   * Inserts lines after a line (markdown/line-edit, `insertLines`).
   * @throws VaultError INVALID_ARGUMENT when there is no such line, CONFLICT
   */
  insert(path: string, after: number, text: string, options?: ExpectedFile): Promise<ChangedFile>;
  /** Takes back the newest change of a file. @throws VaultError FILE_NOT_FOUND when none is known, CONFLICT */
  undo(path: string): Promise<UndoneFile>;
  /** Takes back an operation by its reference, `op-...`. @throws VaultError FILE_NOT_FOUND, CONFLICT, INVALID_ARGUMENT when it is none */
  undoOperation(reference: string): Promise<UndoneOperation>;
  /** Takes back what was done last in the vault, whatever file it was. @throws VaultError FILE_NOT_FOUND when nothing is left, CONFLICT */
  undoLast(): Promise<UndoneFile | UndoneOperation>;
  /** What was changed through this server, newest first; `path` is a file or a folder. @throws VaultError INVALID_ARGUMENT for a cursor */
  history(request: Omit<HistoryRequest, "path"> & { readonly path?: string | undefined }): Promise<ChangeList>;
  /** What an operation changed, as a unified diff. @param reference `op-...` @throws VaultError FILE_NOT_FOUND */
  diff(reference: string): Promise<string>;
  /** All files but hidden ones. @throws VaultError INVALID_ARGUMENT for a pattern that is none, TIMEOUT */
  list(options?: ListFilesOptions): Promise<FileList>;
  /** Moves a file to the trash, or removes it for good. @throws VaultError FILE_NOT_FOUND, INVALID_ARGUMENT for a folder */
  delete(path: string, options?: DeleteFileOptions): Promise<DeleteOutcome>;
  /**
   * Renames a file or a folder (`Links.move`). A slash at the end says that a folder is meant.
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS
   */
  rename(from: string, to: string, options?: LookOptions): Promise<Relocation>;
}
