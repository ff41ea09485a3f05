/** One vault: reads notes strictly as text and is the only way a note is changed. */
import type { Clock, Ids } from "../clock.js";
import { VaultError } from "../errors.js";
import { silentLog, type Log } from "../log.js";
import { assertWritable, isHidden, type PathRules, type VaultPath } from "../storage/path.js";
import {
  type Change,
  type FileStat,
  type FolderEntry,
  isUnreadable,
  type Revision,
  type Storage,
  type StoredFile,
  type WrittenFile,
} from "../storage/storage.js";
import { trashPath } from "../storage/trash.js";
import type { SnapshotStore } from "./cache.js";
import type { Catalog, FactReader } from "./catalog.js";
import type { Operation, OperationPlan, UndoOutcome, UnfinishedOperation } from "./journal.js";
import { HEAD_BYTES, readContent } from "./catalog-read.js";
import { NoteCatalog } from "./note-catalog.js";
import { decodeText, encodeText } from "./note-text.js";
import { findParaFolders, type ParaFolders } from "./para.js";
import { SettingsKeeper, type VaultSettings } from "./settings.js";

export interface Note {
  readonly path: VaultPath;
  /** Every byte of the file as text, a BOM included. */
  readonly text: string;
  readonly revision: Revision;
  readonly stat: FileStat;
}

/** What every writer may say. */
export interface WriteOptions {
  /** The operation that this change is a step of. */
  readonly operation?: Operation | undefined;
}

export interface EditOptions extends WriteOptions {
  /** What the caller read; CONFLICT when the file is something else by now. */
  readonly expected?: Revision | undefined;
}

export interface DeleteOptions extends WriteOptions {
  /** Remove the file for good rather than to the trash; default false. */
  readonly permanent?: boolean | undefined;
}

interface Undoable {
  /** Whether `undo` can take the change back: false where no journal can be kept, and when nothing was changed. */
  readonly undoable: boolean;
}

/** What an edit did; `changed` is false when the text came out as it was and nothing was written. */
export interface EditOutcome extends Undoable {
  readonly path: VaultPath;
  readonly text: string;
  readonly changed: boolean;
  readonly file: WrittenFile | undefined;
}

/** What `create` and `move` leave behind. */
export interface WriteOutcome extends WrittenFile, Undoable {}

/** Where a deleted file went; `trashedTo` is undefined when it is gone for good. */
export interface DeleteOutcome extends Undoable {
  readonly path: VaultPath;
  readonly trashedTo: VaultPath | undefined;
}

export interface VaultOptions {
  readonly storage: Storage;
  /** What `mcp-obsidian://` URIs call the vault; default the storage's name. */
  readonly id?: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What the catalog takes out of every note. */
  readonly readers: readonly FactReader<unknown>[];
  /** Keeps the catalog between processes; without it every process reads all notes once. */
  readonly snapshots?: SnapshotStore | undefined;
  readonly log?: Log | undefined;
  /** PARA folders as configured; a bucket named here is not looked for. */
  readonly paraFolders?: Partial<ParaFolders> | undefined;
  /** Refuse every write with PERMISSION_DENIED; default false. */
  readonly readOnly?: boolean | undefined;
  /** Bytes a note may have; default 10 MiB (`MAX_FILE_SIZE`). */
  readonly maxFileSize?: number | undefined;
  /** Let hidden files be read and written, Obsidian's settings excepted (`--allow-hidden`); default false. */
  readonly allowHidden?: boolean | undefined;
}

export const DEFAULT_MAX_FILE_SIZE = 10 * 1024 * 1024;
/** More files of one name in the trash than this: something is wrong, or the trash wants emptying. */
const MAX_TRASH_COPIES = 1000;

/**
 * Every write is one of the four methods `edit`, `create`, `move` and `delete`. The text before an edit is at hand inside the
 * change that `edit` gives to the storage, under the file's lock: there the undo journal takes its before-image.
 */
export class Vault {
  /** What answers call this vault. */
  readonly name: string;
  /** What `mcp-obsidian://` URIs call this vault. */
  readonly id: string;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly readOnly: boolean;
  /** How user text becomes a path of this vault: give them to `vaultPath` and `folderPath`. */
  readonly pathRules: PathRules;
  readonly #storage: Storage;
  readonly #settings: SettingsKeeper;
  readonly #log: Log;
  readonly #maxFileSize: number;
  readonly #allowHidden: boolean;
  readonly #paraFolders: Partial<ParaFolders>;

  constructor(options: VaultOptions) {
    this.name = options.storage.name;
    this.id = options.id ?? options.storage.name;
    this.clock = options.clock;
    this.ids = options.ids;
    this.readOnly = options.readOnly ?? false;
    this.#storage = options.storage;
    this.#log = options.log ?? silentLog;
    this.#maxFileSize = options.maxFileSize ?? DEFAULT_MAX_FILE_SIZE;
    this.#allowHidden = options.allowHidden ?? false;
    this.pathRules = { allowHidden: this.#allowHidden };
    this.#paraFolders = options.paraFolders ?? {};
    this.#settings = new SettingsKeeper(options.storage);
    this.catalog = new NoteCatalog({
      storage: options.storage,
      clock: options.clock,
      readers: options.readers,
      settings: this.#settings,
      snapshots: options.snapshots,
      maxBytes: this.#maxFileSize,
      log: this.#log,
    });
  }

  /**
   * A file's text as it is now.
   * @throws VaultError FILE_NOT_FOUND, NOT_TEXT when it is not UTF-8, TOO_LARGE, PERMISSION_DENIED
   */
  async read(path: VaultPath): Promise<Note> {
    this.#assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (stat) this.#assertSize(path, stat.size);
    const file = stat && (await this.#storage.read(path));
    if (!file) throw await this.#missing(path);
    return { path, text: this.#textOf(path, file), revision: file.revision, stat: file.stat };
  }

  /**
   * A file as it is now, whatever is in it.
   * @returns `text` is undefined when the bytes are no UTF-8 text
   * @throws VaultError FILE_NOT_FOUND, TOO_LARGE, PERMISSION_DENIED
   */
  async readFile(path: VaultPath): Promise<{ readonly bytes: Uint8Array; readonly text: string | undefined }> {
    const stat = await this.stat(path);
    this.#assertSize(path, stat.size);
    const file = await this.#storage.read(path);
    if (!file) throw await this.#missing(path);
    this.#assertSize(path, file.stat.size);
    return { bytes: file.bytes, text: decodeText(file.bytes) };
  }

  /** A file's size and times as they are now. @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED */
  async stat(path: VaultPath): Promise<FileStat> {
    this.#assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (!stat) throw await this.#missing(path);
    return stat;
  }

  /**
   * Tells of changes until the function it answers is called: a path that may have changed, or that any may have.
   * @returns undefined where the storage announces no changes
   */
  follow(listener: (change: Change) => void): (() => void) | undefined {
    const { changes } = this.#storage;
    if (!changes) return undefined;
    const abort = new AbortController();
    void tell(this.#storage, abort.signal, listener).catch((error: unknown) =>
      this.#log.warn("changes of subscribed notes can no longer be announced", { error: String(error) }),
    );
    return () => abort.abort();
  }

  /**
   * What a reader takes out of a few notes as they are now, in their order, without looking at any other. Notes that say nothing
   * to it, are templates, or cannot be read are left out.
   */
  async factsIn<Facts>(paths: readonly VaultPath[], reader: FactReader<Facts>): Promise<readonly Facts[]> {
    for (const path of paths) this.#assertVisible(path);
    const found = new Map<VaultPath, Facts>();
    for await (const batch of this.#storage.readMany(paths, { limit: HEAD_BYTES }))
      for (const file of batch) {
        if (isUnreadable(file)) continue;
        const [record] = readContent(file, [reader]).facts;
        if (record) found.set(file.stat.path, record.facts as Facts);
      }
    return paths.flatMap((path) => found.get(path) ?? []);
  }

  /** What stands directly in a folder (`ROOT` for the vault itself); undefined when there is no such folder. */
  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    this.#assertVisible(folder);
    return this.#storage.children(folder);
  }

  /** Obsidian's settings as they stand now. */
  settings(): Promise<VaultSettings> {
    return this.#settings.current();
  }

  /** The PARA folders as they stand now, empty ones included; looks at the root and one level down. */
  async para(): Promise<ParaFolders> {
    return { ...(await findParaFolders(this.#storage)), ...this.#paraFolders };
  }

  /**
   * Changes a file's text: `change` is given the whole text and answers the whole new text, a pure function that may run more
   * than once when another writer comes between. Nothing is written when the text stays as it was.
   * @param reason what the edit is for, in a few words; for the log and the journal
   * @throws VaultError FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED, CONFLICT, and whatever `change` throws
   */
  async edit(
    path: VaultPath,
    change: (text: string) => string,
    reason: string,
    { expected }: EditOptions = {},
  ): Promise<EditOutcome> {
    this.#assertMayWrite(path);
    let before: string | undefined;
    let after = "";
    const file = await this.#storage.update(path, (current) => {
      before = undefined;
      if (!current) return undefined;
      if (expected !== undefined && current.revision !== expected) throw notAsRead(path);
      before = this.#textOf(path, current);
      after = change(before);
      return after === before ? undefined : this.#bytesOf(path, after);
    });
    if (before === undefined) throw await this.#missing(path);
    if (file) this.#log.debug("edited", { path, reason });
    return { path, text: after, changed: file !== undefined, file, undoable: false };
  }

  /**
   * Makes a new file; parent folders are made.
   * @throws VaultError ALREADY_EXISTS, TOO_LARGE, PERMISSION_DENIED
   */
  async create(path: VaultPath, text: string, reason: string, _options: WriteOptions = {}): Promise<WriteOutcome> {
    this.#assertMayWrite(path);
    const file = await this.#storage.write(path, this.#bytesOf(path, text), { kind: "absent" });
    this.#log.debug("created", { path, reason });
    return { ...file, undoable: false };
  }

  /**
   * Renames a file without replacing another; links to it are not touched.
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED
   */
  async move(from: VaultPath, to: VaultPath, reason: string, _options: WriteOptions = {}): Promise<WriteOutcome> {
    this.#assertMayWrite(from);
    this.#assertMayWrite(to);
    if (!(await this.#storage.stat(from))) throw await this.#missing(from);
    const file = await this.#storage.move(from, to, { kind: "any" });
    this.#log.debug("moved", { from, to, reason });
    return { ...file, undoable: false };
  }

  /**
   * Moves a file to `.trash/`, its relative path kept and numbered when taken; removes it for good when `permanent`.
   * @throws VaultError FILE_NOT_FOUND, INVALID_ARGUMENT when it is a folder, PERMISSION_DENIED
   */
  async delete(path: VaultPath, reason: string, options: DeleteOptions = {}): Promise<DeleteOutcome> {
    this.#assertMayWrite(path);
    if (!(await this.#storage.stat(path))) throw await this.#missing(path);
    if (options.permanent) {
      await this.#storage.remove(path, { kind: "any" });
      this.#log.debug("deleted", { path, reason });
      return { path, trashedTo: undefined, undoable: false };
    }
    const trashedTo = await this.#moveToTrash(path);
    this.#log.debug("moved to the trash", { path, trashedTo, reason });
    return { path, trashedTo, undoable: false };
  }

  /**
   * Takes back the newest change of a file that went through this vault, whatever process made it; called again it goes one
   * change further back. A new file goes to the trash, a deleted one comes back, a renamed one gets its old name. Where the
   * change was the rename of an operation, or the operation was interrupted, all of it is taken back as far as its other files
   * are unchanged since.
   * @throws VaultError FILE_NOT_FOUND when nothing is known of the path, CONFLICT when the file is not what that change left
   *   (nothing is overwritten), PERMISSION_DENIED
   */
  async undo(path: VaultPath): Promise<UndoOutcome> {
    this.#assertMayWrite(path);
    throw noHistory(path);
  }

  /** Begins an operation of several steps. */
  async begin(plan: OperationPlan): Promise<Operation> {
    const id = this.ids.next();
    return { id, plan, done: async () => {}, takeBack: async () => ({ reverted: [], kept: [] }) };
  }

  /** Goes on with an operation that a crash interrupted. */
  async resume({ plan }: UnfinishedOperation): Promise<Operation> {
    return this.begin(plan);
  }

  /** Operations that a crash interrupted, oldest first: `undo` takes them back, `resume` goes on with them. */
  async unfinished(): Promise<readonly UnfinishedOperation[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.catalog.close();
    await this.#storage.close();
  }

  async #moveToTrash(path: VaultPath): Promise<VaultPath> {
    for (let attempt = 1; attempt <= MAX_TRASH_COPIES; attempt++) {
      const target = trashPath(path, attempt);
      try {
        await this.#storage.move(path, target, { kind: "any" });
        return target;
      } catch (error) {
        if (!(error instanceof VaultError && error.code === "ALREADY_EXISTS")) throw error;
      }
    }
    throw new VaultError("ALREADY_EXISTS", `The trash holds too many files named '${path}'; nothing was deleted.`, {
      path,
      hint: "Empty the .trash folder of the vault.",
    });
  }

  #assertMayWrite(path: VaultPath): void {
    if (this.readOnly)
      throw new VaultError("PERMISSION_DENIED", "The server is read-only; nothing was changed.", {
        hint: "Start it without --read-only to allow changes.",
      });
    assertWritable(path);
    this.#assertVisible(path);
  }

  #assertVisible(path: VaultPath): void {
    if (this.#allowHidden || !isHidden(path)) return;
    throw new VaultError("PERMISSION_DENIED", "The path is hidden (a part of it begins with a dot).", {
      hint: "Hidden files and folders are closed to this server.",
    });
  }

  #textOf(path: VaultPath, file: StoredFile): string {
    this.#assertSize(path, file.stat.size);
    const text = decodeText(file.bytes);
    if (text !== undefined) return text;
    throw new VaultError("NOT_TEXT", `'${path}' is not UTF-8 text.`, {
      path,
      hint: "Only UTF-8 text files can be read and changed; convert it to UTF-8 first.",
    });
  }

  #bytesOf(path: VaultPath, text: string): Uint8Array {
    const bytes = encodeText(text);
    this.#assertSize(path, bytes.length);
    return bytes;
  }

  #assertSize(path: VaultPath, bytes: number): void {
    if (bytes <= this.#maxFileSize) return;
    const [have, most] = [bytes, this.#maxFileSize].map(
      (size) => `${Math.ceil(size / 1024).toLocaleString("en-US")} KiB`,
    );
    throw new VaultError("TOO_LARGE", `'${path}' has ${have}; the most a file may have is ${most}.`, {
      path,
      hint: "Raise MAX_FILE_SIZE, or split the note.",
    });
  }

  /** Why there is no file: nothing is there, or a folder is. */
  async #missing(path: VaultPath): Promise<VaultError> {
    if ((await this.#storage.children(path)) !== undefined)
      return new VaultError("INVALID_ARGUMENT", `'${path}' is a folder, not a file.`, {
        path,
        hint: "Name a file in it.",
      });
    return new VaultError("FILE_NOT_FOUND", `There is no file '${path}'.`, {
      path,
      hint: "Check the spelling, or list the folder first.",
    });
  }
}

function notAsRead(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `'${path}' is not what it was when you read it; nothing was written.`, {
    path,
    hint: "Read it again and repeat the change on what it says now.",
  });
}

function noHistory(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No undo history for '${path}'.`, {
    path,
    hint: "Only changes made through this server can be taken back.",
  });
}

async function tell(storage: Storage, signal: AbortSignal, listener: (change: Change) => void): Promise<void> {
  for await (const change of storage.changes?.(signal) ?? []) listener(change);
}
