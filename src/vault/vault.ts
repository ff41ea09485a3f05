/** One vault: reads notes strictly as text and is the only way a note is changed. */
import type { Clock, Ids } from "../clock.js";
import { silentLog, type Log } from "../log.js";
import type { PathRules, VaultPath } from "../storage/path.js";
import {
  type Change,
  type FileStat,
  type FolderEntry,
  isUnreadable,
  type Revision,
  type Storage,
} from "../storage/storage.js";
import { Access, type AccessOptions, DEFAULT_MAX_FILE_SIZE } from "./access.js";
import type { SnapshotStore } from "../catalog/snapshot/store.js";
import type { Catalog, FactReader } from "../catalog/catalog.js";
import type {
  EarlierText,
  LastChange,
  Operation,
  OperationPlan,
  OperationUndo,
  UndoOutcome,
  UnfinishedOperation,
} from "../history/journal.js";
import { factsOfFile, HEAD_BYTES } from "../catalog/read-note.js";
import { noHistory, noOperation, unkept } from "../history/change.js";
import { operationReference } from "../history/operation-reference.js";
import type { Journal } from "../history/keeping.js";
import type { JournalOptions } from "../history/store.js";
import type { RecorderOptions } from "../history/recorder.js";
import { NoteCatalog } from "../catalog/note-catalog.js";
import { decodeText } from "../storage/note-text.js";
import { findParaFolders, type ParaFolders, type ParaLook } from "../catalog/para.js";
import { TextScan } from "../search/text-reader.js";
import { followChanges } from "./follow-changes.js";
import { textSnapshot } from "./text-snapshot.js";
import { SettingsKeeper, type VaultSettings } from "../catalog/settings.js";
import {
  type DeleteOptions,
  type DeleteOutcome,
  type EditOptions,
  type EditOutcome,
  type MoveOutcome,
  type WriteOptions,
  type WriteOutcome,
  Writing,
} from "./writing.js";

export type * from "./writing.js";

export interface Note {
  readonly path: VaultPath;
  /** Every byte of the file as text, a BOM included. */
  readonly text: string;
  readonly revision: Revision;
  readonly stat: FileStat;
}

export interface VaultOptions extends AccessOptions {
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
  /** Where changes are written down so that they can be undone; without it they cannot. */
  readonly journal?: JournalOptions | undefined;
}

/**
 * Every write is `edit`, `create`, `move`, `moveFolder` or `delete`; each is written into the undo journal ahead.
 */
export class Vault {
  /** What answers call this vault. */
  readonly name: string;
  /** What `mcp-obsidian://` URIs call this vault. */
  readonly id: string;
  readonly catalog: Catalog;
  /** The texts of many files at once, for searches. */
  readonly texts: TextScan;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly readOnly: boolean;
  /** How user text becomes a path of this vault: give them to `vaultPath` and `folderPath`. */
  readonly pathRules: PathRules;
  readonly #storage: Storage;
  readonly #settings: SettingsKeeper;
  readonly #log: Log;
  readonly #access: Access;
  readonly #writing: Writing;
  readonly #journal: () => Promise<Journal | undefined>;
  readonly #paraFolders: Partial<ParaFolders>;

  constructor(options: VaultOptions) {
    this.name = options.storage.name;
    this.id = options.id ?? options.storage.name;
    this.clock = options.clock;
    this.ids = options.ids;
    this.readOnly = options.readOnly ?? false;
    const { storage, clock, ids, journal, log = silentLog } = options;
    this.#storage = storage;
    this.#log = log;
    this.#access = new Access(storage, options);
    let kept: Promise<Journal> | undefined;
    const keep = async (): Promise<Journal | undefined> =>
      journal && (kept ??= loadJournal(journal, { storage, clock, ids, log }));
    this.#journal = keep;
    this.#writing = new Writing(storage, this.#access, log, async () => (await keep())?.recorder);
    this.pathRules = { allowHidden: options.allowHidden ?? false };
    this.#paraFolders = options.paraFolders ?? {};
    this.#settings = new SettingsKeeper(options.storage);
    this.catalog = new NoteCatalog({
      storage: options.storage,
      clock: options.clock,
      readers: options.readers,
      settings: this.#settings,
      snapshots: options.snapshots,
      maxBytes: options.maxFileSize ?? DEFAULT_MAX_FILE_SIZE,
      log,
    });
    this.texts = new TextScan({
      storage,
      clock,
      maxBytes: options.maxFileSize ?? DEFAULT_MAX_FILE_SIZE,
      memory: options.snapshots && textSnapshot(options.snapshots, storage, log),
    });
  }

  /**
   * A file's text as it is now.
   * @throws VaultError FILE_NOT_FOUND, NOT_TEXT when it is not UTF-8, TOO_LARGE, PERMISSION_DENIED
   */
  async read(path: VaultPath): Promise<Note> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (stat) this.#access.assertSize(path, stat.size);
    const file = stat && (await this.#storage.read(path));
    if (!file) throw await this.#access.missing(path);
    return { path, text: this.#access.textOf(path, file), revision: file.revision, stat: file.stat };
  }

  /**
   * A file as it is now, whatever is in it.
   * @returns `text` is undefined when the bytes are no UTF-8 text
   * @throws VaultError FILE_NOT_FOUND, TOO_LARGE, PERMISSION_DENIED
   */
  async readFile(path: VaultPath): Promise<{ readonly bytes: Uint8Array; readonly text: string | undefined }> {
    const stat = await this.stat(path);
    this.#access.assertSize(path, stat.size);
    const file = await this.#storage.read(path);
    if (!file) throw await this.#access.missing(path);
    this.#access.assertSize(path, file.stat.size);
    return { bytes: file.bytes, text: decodeText(file.bytes) };
  }

  /** A file's size and times as they are now. @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED */
  async stat(path: VaultPath): Promise<FileStat> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (!stat) throw await this.#access.missing(path);
    return stat;
  }

  /** Whether `follow` may tell of a change some time after it was made: who cannot wait looks as well. */
  get announcesLate(): boolean {
    return this.#storage.announcesLate ?? false;
  }

  /**
   * Tells of changes until the function it answers is called: a path that may have changed, or that any may have.
   * @param failed called when changes can no longer be told of
   * @returns undefined where the storage announces no changes
   */
  follow(listener: (change: Change) => void, failed: () => void = () => {}): (() => void) | undefined {
    return followChanges(this.#storage, this.#log, listener, failed);
  }

  /**
   * What a reader takes out of a few notes as they are now, in their order, without looking at any other. Notes that say nothing
   * to it, are templates, or cannot be read are left out.
   */
  async factsIn<Facts>(paths: readonly VaultPath[], reader: FactReader<Facts>): Promise<readonly Facts[]> {
    for (const path of paths) this.#access.assertVisible(path);
    const found = new Map<VaultPath, Facts>();
    for await (const batch of this.#storage.readMany(paths, { limit: HEAD_BYTES }))
      for (const file of batch) {
        if (isUnreadable(file)) continue;
        const facts = factsOfFile(file, reader);
        if (facts !== undefined) found.set(file.stat.path, facts);
      }
    return paths.flatMap((path) => found.get(path) ?? []);
  }

  /** What stands directly in a folder (`ROOT` for the vault itself); undefined when there is no such folder. */
  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    this.#access.assertVisible(folder);
    return this.#storage.children(folder);
  }

  /**
   * The files of which devices have made versions that contradict the one that is read, with the revisions of these versions;
   * none where the storage keeps one version only.
   */
  async conflicts(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>> {
    return (await this.#storage.conflicts?.()) ?? NO_CONFLICTS;
  }

  /** One of those versions; undefined when it is none any more. @throws VaultError as `read` does */
  async readVersion(path: VaultPath, revision: Revision): Promise<Note | undefined> {
    this.#access.assertVisible(path);
    const file = await this.#storage.readVersion?.(path, revision);
    return file && { path, text: this.#access.textOf(path, file), revision, stat: file.stat };
  }

  /** Obsidian's settings as they stand now. */
  settings(): Promise<VaultSettings> {
    return this.#settings.current();
  }

  /** The PARA folders as they stand now, empty ones included; looks at the root and one level down. */
  async para(): Promise<ParaFolders> {
    return (await this.paraLook()).para;
  }

  /** The same, with all that was seen on the way, for who would look there next. */
  async paraLook(): Promise<ParaLook> {
    return findParaFolders(this.#storage, this.#paraFolders);
  }

  /**
   * Changes a file's text: `change` is given the whole text and answers the whole new text, a function of nothing else that may
   * run more than once when another writer comes between; where it has much to do it may let others have their turns. Nothing is written when the text stays as it was.
   * @param reason what the edit is for, in a few words; for the log and the journal
   * @throws VaultError FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED, CONFLICT, and whatever `change` throws
   */
  edit(
    path: VaultPath,
    change: (text: string) => string | Promise<string>,
    reason: string,
    options: EditOptions = {},
  ): Promise<EditOutcome> {
    return this.#writing.edit(path, change, reason, options);
  }

  /**
   * Makes a new file; parent folders are made.
   * @throws VaultError ALREADY_EXISTS, TOO_LARGE, PERMISSION_DENIED
   */
  create(path: VaultPath, text: string, reason: string, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#writing.create(path, text, reason, options);
  }

  /**
   * Renames a file without replacing another; links to it are not touched.
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED
   */
  move(from: VaultPath, to: VaultPath, reason: string, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#writing.move(from, to, reason, options);
  }

  /**
   * Renames a folder with all that is in it without replacing anything; links are not touched. Where the storage cannot do that in
   * one step, `files` (those in it) are moved one by one, and what is not among them stays behind in the old folder.
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT when it would go into itself, PERMISSION_DENIED
   */
  moveFolder(
    from: VaultPath,
    to: VaultPath,
    files: readonly VaultPath[],
    reason: string,
    options: WriteOptions = {},
  ): Promise<MoveOutcome> {
    return this.#writing.moveFolder(from, to, files, reason, options);
  }

  /**
   * Moves a file to `.trash/`, its relative path kept and numbered when taken; removes it for good when `permanent`.
   * @throws VaultError FILE_NOT_FOUND, INVALID_ARGUMENT when it is a folder, PERMISSION_DENIED
   */
  delete(path: VaultPath, reason: string, options: DeleteOptions = {}): Promise<DeleteOutcome> {
    return this.#writing.delete(path, reason, options);
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
    this.#access.assertMayWrite(path);
    const journal = await this.#journal();
    if (!journal) throw noHistory(path);
    return await journal.undoing.undo(path);
  }

  /**
   * Takes back an operation: every file that still is as the operation left it; the others stay and are named.
   * @throws VaultError FILE_NOT_FOUND when nothing of it is known any more, CONFLICT when it is still under way or none of its files
   *   is as it was left, PERMISSION_DENIED
   */
  async undoOperation(id: string): Promise<OperationUndo> {
    const journal = await this.#journal();
    if (!journal) throw noOperation(operationReference(id) ?? id);
    return await journal.undoing.undoOperation(id, (path) => this.#access.assertMayWrite(path));
  }

  /** The newest change that went through this vault and can be undone, whatever process made it; undefined when there is none. */
  async lastChange(): Promise<LastChange | undefined> {
    return await (await this.#journal())?.undoing.lastChange();
  }

  /** Begins an operation of several steps. */
  async begin(plan: OperationPlan): Promise<Operation> {
    return (await (await this.#journal())?.undoing.begin(plan)) ?? unkept(plan);
  }

  /** Goes on with an operation that a crash interrupted. */
  async resume(operation: UnfinishedOperation): Promise<Operation> {
    return (await (await this.#journal())?.undoing.resume(operation)) ?? unkept(operation.plan);
  }

  /**
   * What the files said that an operation changed when it renamed `from` to `to`, for those that are still as it left them, by their
   * paths now: so that renaming it back can put back what it found. Undefined where the journal knows of no such rename.
   */
  async earlierTexts(from: VaultPath, to: VaultPath): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    return (await this.#journal())?.undoing.earlierTexts(from, to);
  }

  /** Operations that a crash interrupted, oldest first: `undo` takes them back, `resume` goes on with them. */
  async unfinished(): Promise<readonly UnfinishedOperation[]> {
    return (await (await this.#journal())?.undoing.unfinished()) ?? [];
  }

  async close(): Promise<void> {
    this.texts.close();
    await this.catalog.close();
    await this.#storage.close();
  }
}

const NO_CONFLICTS: ReadonlyMap<VaultPath, readonly Revision[]> = new Map();

async function loadJournal(options: JournalOptions, context: RecorderOptions): Promise<Journal> {
  const { keepJournal } = await import("../history/keeping.js");
  return await keepJournal(options, context);
}
