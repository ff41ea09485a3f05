/** One vault: reads notes strictly as text, and makes every change. */
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
  type StoredFile,
} from "../storage/storage.js";
import { Access, type AccessOptions, DEFAULT_MAX_FILE_SIZE } from "./access.js";
import type { FactReader } from "../index/facts.js";
import { factsOfFile, HEAD_BYTES } from "../index/read-note.js";
import type { JournalOptions } from "../history/store.js";
import type { Journal, JournalContext } from "../history/history.js";
import { VaultIndex, type VaultIndexOptions } from "../index/vault-index.js";
import { decodeText } from "../storage/note-text.js";
import { findParaFolders, type ParaFolders, type ParaListing } from "../index/para.js";
import { TextReader } from "./text-reader.js";
import { VaultHistory } from "./vault-history.js";
import { SettingsKeeper, type SettingsOptions, type VaultSettings } from "../index/settings.js";
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
  /** The whole file as text, BOM included. */
  readonly text: string;
  readonly revision: Revision;
  readonly stat: FileStat;
}

export interface VaultOptions extends AccessOptions, SettingsOptions {
  readonly storage: Storage;
  /** The vault's name in `mcp-obsidian://` URIs; default the storage's name. */
  readonly id?: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The fact readers of the index. */
  readonly readers: readonly FactReader<unknown>[];
  /** Where the index is stored between processes. Without it every process reads all notes once. */
  readonly cache?: VaultIndexOptions["cache"];
  readonly log?: Log | undefined;
  /** Configured PARA folders. These are not searched for. */
  readonly paraFolders?: Partial<ParaFolders> | undefined;
  /** The undo journal. Without it changes cannot be undone. */
  readonly journal?: JournalOptions | undefined;
  /** The same vault without access rules, when this one shows a part of it. That one has the journal. */
  readonly behind?: Vault | undefined;
}

/** Every write is `edit`, `create`, `move`, `moveFolder` or `delete`, and is written into the undo journal first. */
export class Vault {
  /** The vault's name in answers. */
  readonly name: string;
  /** The vault's name in `mcp-obsidian://` URIs. */
  readonly id: string;
  readonly index: VaultIndex;
  /** Undo, operations of several steps, and the changes made. */
  readonly history: VaultHistory;
  /** Reads many texts, for searches. */
  readonly texts: TextReader;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly readOnly: boolean;
  /** The rules to give to `vaultPath` and `folderPath` for user text. */
  readonly pathRules: PathRules;
  readonly #storage: Storage;
  readonly #settings: SettingsKeeper;
  readonly #log: Log;
  readonly #access: Access;
  readonly #writing: Writing;
  readonly #behind: Vault | undefined;
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
    this.#behind = options.behind;
    this.history = new VaultHistory({
      storage,
      access: this.#access,
      log,
      open: journal && (() => openJournal(journal, { storage, clock, ids, log })),
      behind: options.behind?.history,
    });
    this.#writing = new Writing(storage, this.#access, log, async () => (await this.history.journalIfAny())?.recorder);
    this.pathRules = { allowHidden: options.allowHidden ?? false };
    this.#paraFolders = options.paraFolders ?? {};
    this.#settings = new SettingsKeeper(options.storage, options);
    this.index = new VaultIndex({
      storage: options.storage,
      clock: options.clock,
      readers: options.readers,
      settings: this.#settings,
      cache: options.cache,
      maxBytes: options.maxFileSize ?? DEFAULT_MAX_FILE_SIZE,
      log,
    });
    this.texts = new TextReader(storage, options.maxFileSize ?? DEFAULT_MAX_FILE_SIZE);
  }

  /** The file's current text. @throws VaultError FILE_NOT_FOUND, NOT_TEXT when it is not UTF-8, TOO_LARGE, PERMISSION_DENIED */
  async read(path: VaultPath): Promise<Note> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (stat) this.#access.assertSize(path, stat.size);
    const file = stat && (await this.#storage.read(path));
    if (!file) throw await this.#access.missing(path);
    return { path, text: this.#access.textOf(path, file), revision: file.revision, stat: file.stat };
  }

  /**
   * The current file of any kind. @returns `text` is undefined when the bytes are not UTF-8 @throws VaultError FILE_NOT_FOUND,
   * TOO_LARGE, PERMISSION_DENIED
   */
  async readFile(
    path: VaultPath,
  ): Promise<Pick<StoredFile, "bytes" | "stat" | "revision"> & { readonly text: string | undefined }> {
    const stat = await this.stat(path);
    this.#access.assertSize(path, stat.size);
    const file = await this.#storage.read(path);
    if (!file) throw await this.#access.missing(path);
    this.#access.assertSize(path, file.stat.size);
    return { ...file, text: decodeText(file.bytes) };
  }

  /** The current size and times of a file. @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED */
  async stat(path: VaultPath): Promise<FileStat> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (!stat) throw await this.#access.missing(path);
    return stat;
  }

  /** Whether `follow` may report a change some time after it was made. */
  get announcesLate(): boolean {
    return this.#storage.announcesLate ?? false;
  }

  /**
   * Reports changes until the returned function is called: a path that may have changed, or `unsure`. @param failed called when
   * no more changes can be reported @returns undefined when the storage announces no changes
   */
  follow(listener: (change: Change) => void, failed: () => void = () => {}): (() => void) | undefined {
    if (!this.#storage.changes) return undefined;
    const abort = new AbortController();
    void announce(this.#storage, abort.signal, listener).catch((error: unknown) => {
      this.#log.warn("changes of subscribed notes can no longer be announced", { error: String(error) });
      failed();
    });
    return () => abort.abort();
  }

  /**
   * The facts of a few notes as they are now, in the order given. Reads no other notes. Notes without facts, templates and
   * unreadable notes are omitted.
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

  /** The first bytes of files as they are now, valid until the next ones are asked for; files that cannot be read are missing. */
  async *heads(paths: readonly VaultPath[], limit: number) {
    for (const path of paths) this.#access.assertVisible(path);
    for await (const batch of this.#storage.readMany(paths, { limit }))
      for (const file of batch) if (!isUnreadable(file)) yield { path: file.stat.path, bytes: file.bytes };
  }

  /** The entries of a folder (`ROOT` for the vault itself); undefined when there is no such folder. */
  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    this.#access.assertVisible(folder);
    return this.#storage.children(folder);
  }

  /**
   * Files of which devices have made versions that contradict the current one, with the revisions of those. Empty when the
   * storage has only one version.
   */
  async conflicts(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>> {
    return (await this.#storage.conflicts?.()) ?? NO_CONFLICTS;
  }

  /** Whether a file of another writer may be missing for a moment. */
  get mayLag(): boolean {
    return this.#storage.mayLag === true;
  }

  /** The files with new conflicts between two versions since the last call. */
  takeNewConflicts(): readonly VaultPath[] {
    return this.#storage.takeNewConflicts?.() ?? [];
  }

  /** One of the conflicting versions; undefined when there is none. @throws VaultError as `read` does */
  async readVersion(path: VaultPath, revision: Revision): Promise<Note | undefined> {
    this.#access.assertVisible(path);
    const file = await this.#storage.readVersion?.(path, revision);
    return file && { path, text: this.#access.textOf(path, file), revision, stat: file.stat };
  }

  /** The current settings of Obsidian. */
  settings(): Promise<VaultSettings> {
    return this.#settings.current();
  }

  /** The current PARA folders, empty ones included. Reads the root and one level below. */
  async para(): Promise<ParaFolders> {
    return (await this.paraListing()).para;
  }

  /** The same, with the folders that were read. */
  async paraListing(): Promise<ParaListing> {
    return findParaFolders(this.#storage, this.#paraFolders);
  }

  /**
   * Changes a file's text. `change` gets the whole text and returns the new one. It must be pure, since it runs again when
   * another writer interferes, and may be asynchronous. Nothing is written when the text stays equal. @param reason the purpose
   * in a few words, for the log and the journal @throws VaultError FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED,
   * CONFLICT, and whatever `change` throws
   */
  edit(
    path: VaultPath,
    change: (text: string) => string | Promise<string>,
    reason: string,
    options: EditOptions = {},
  ): Promise<EditOutcome> {
    return this.#writing.edit(path, change, reason, options);
  }

  /** Creates a file and its parent folders. @throws VaultError ALREADY_EXISTS, TOO_LARGE, PERMISSION_DENIED */
  create(path: VaultPath, text: string, reason: string, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#writing.create(path, text, reason, options);
  }

  /**
   * Renames a file without replacing another. Does not change links to it. @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS,
   * PERMISSION_DENIED
   */
  move(from: VaultPath, to: VaultPath, reason: string, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#writing.move(from, to, reason, options);
  }

  /**
   * Renames a folder with everything in it without replacing anything. Does not change links. When the storage cannot do that
   * in one step, `files` are moved one by one, and other entries stay in the old folder. @throws VaultError FILE_NOT_FOUND,
   * ALREADY_EXISTS, INVALID_ARGUMENT when it would go into itself, PERMISSION_DENIED
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
   * Moves a file to `.trash/`, under its relative path and numbered when that is taken; removes it when `permanent`. @throws
   * VaultError FILE_NOT_FOUND, INVALID_ARGUMENT when it is a folder, PERMISSION_DENIED
   */
  delete(path: VaultPath, reason: string, options: DeleteOptions = {}): Promise<DeleteOutcome> {
    return this.#writing.delete(path, reason, options);
  }

  /** @throws VaultError PERMISSION_DENIED */
  assertMayWrite(path: VaultPath): void {
    this.#access.assertMayWrite(path);
  }

  /** Whether access rules hide a part of the vault. */
  get isRestricted(): boolean {
    return this.#behind !== undefined;
  }

  mayWrite(path: VaultPath): boolean {
    return this.#storage.mayWrite?.(path) !== false;
  }

  async close(): Promise<void> {
    await this.index.close();
    // That vault owns the journal and the storage.
    if (this.#behind) return this.#behind.close();
    await this.history.close();
    await this.#storage.close();
  }
}

const NO_CONFLICTS: ReadonlyMap<VaultPath, readonly Revision[]> = new Map();

async function announce(storage: Storage, signal: AbortSignal, listener: (change: Change) => void): Promise<void> {
  for await (const change of storage.changes?.(signal) ?? []) listener(change);
}

async function openJournal(options: JournalOptions, context: JournalContext): Promise<Journal> {
  const history = await import("../history/history.js");
  return await history.openJournal(options, context);
}
