/** One vault, its notes strictly as text. */
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
import { type Access, type AccessOptions, accessTo, DEFAULT_MAX_FILE_SIZE } from "./limits.js";
import { noteSource } from "../index/read-note.js";
import type { NoteSource, Subject } from "../index/subject.js";
import type { JournalOptions } from "../history/journal-store.js";
import type { Journal, JournalContext } from "../history/journal.js";
import { VaultIndex, type VaultIndexOptions } from "../index/vault-index.js";
import { decodeText, asBuffer } from "../storage/note-text.js";
import { findParaFolders, type ParaFolders, type ParaListing } from "../obsidian/para.js";
import { VaultHistory } from "./vault-history.js";
import { SettingsKeeper, type SettingsOptions, type VaultSettings } from "../obsidian/settings.js";
import { Writing } from "./writing.js";
import { isUtf8 } from "node:buffer";

export type * from "./writing.js";

export interface Note {
  readonly path: VaultPath;
  /** With byte order mark. */
  readonly text: string;
  readonly revision: Revision;
  readonly stat: FileStat;
}

export interface VaultOptions extends AccessOptions, SettingsOptions {
  readonly storage: Storage;
  /** For `mcp-obsidian://` URIs. */
  readonly id?: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Stored in the index. */
  readonly subjects: readonly Subject[];
  /** Without it every process reads all notes once. */
  readonly cache?: VaultIndexOptions["cache"];
  readonly log?: Log | undefined;
  /** Without it changes cannot be undone. */
  readonly journal?: JournalOptions | undefined;
  /** With the journal, if access rules hide a part here. */
  readonly unrestricted?: Vault | undefined;
}

export class Vault {
  readonly name: string;
  readonly id: string;
  readonly index: VaultIndex;
  readonly history: VaultHistory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly readOnly: boolean;
  readonly pathRules: PathRules;
  readonly writing: Writing;
  readonly #storage: Storage;
  readonly #settings: SettingsKeeper;
  readonly #log: Log;
  readonly #access: Access;
  readonly #behind: Vault | undefined;
  readonly #maxFileSize: number;

  constructor(options: VaultOptions) {
    const { storage, clock, ids, subjects, cache, journal, log = silentLog, unrestricted } = options;
    const { id = storage.name, readOnly = false, allowHidden = false, maxFileSize = DEFAULT_MAX_FILE_SIZE } = options;
    this.name = storage.name;
    this.id = id;
    this.clock = clock;
    this.ids = ids;
    this.readOnly = readOnly;
    this.#storage = storage;
    this.#log = log;
    this.#access = accessTo(storage, options);
    this.#behind = unrestricted;
    this.#maxFileSize = maxFileSize;
    this.history = new VaultHistory({
      storage,
      access: this.#access,
      log,
      open: journal && (() => openJournal(journal, { storage, clock, ids, log })),
      unrestricted: unrestricted?.history,
    });
    const recorder = async () => (await this.history.journalIfAny())?.recorder;
    this.writing = new Writing(storage, this.#access, log, recorder);
    this.pathRules = { allowHidden, spelled: storage.spelled };
    // Hidden notes, too, show how to write notes.
    const settings = (this.#settings = unrestricted ? unrestricted.#settings : new SettingsKeeper(storage, options));
    const para = () => this.para();
    this.index = new VaultIndex({ storage, clock, subjects, settings, para, cache, maxBytes: maxFileSize, log });
  }

  /** @throws FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED */
  async read(path: VaultPath): Promise<Note> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (stat) this.#access.assertSize(path, stat.size);
    const file = stat && (await this.#storage.read(path));
    if (!file) throw await this.#access.missing(path);
    return { path, text: this.#access.textOf(path, file), revision: file.revision, stat: file.stat };
  }

  /** `text` is undefined for invalid UTF-8. @throws FILE_NOT_FOUND, TOO_LARGE, PERMISSION_DENIED */
  async readFile(
    path: VaultPath,
  ): Promise<Pick<StoredFile, "bytes" | "stat" | "revision"> & { readonly text: string | undefined }> {
    const stat = await this.stat(path);
    this.#access.assertSize(path, stat.size);
    const file = await this.#storage.read(path);
    if (!file) throw await this.#access.missing(path);
    this.#access.assertSize(path, file.stat.size);
    // A spread omits `revision`, a getter.
    return { stat: file.stat, bytes: file.bytes, revision: file.revision, text: decodeText(file.bytes) };
  }

  /** @throws FILE_NOT_FOUND, PERMISSION_DENIED */
  async stat(path: VaultPath): Promise<FileStat> {
    this.#access.assertVisible(path);
    const stat = await this.#storage.stat(path);
    if (!stat) throw await this.#access.missing(path);
    return stat;
  }

  get announcesLate(): boolean {
    return this.#storage.announcesLate ?? false;
  }

  /**
   * Until the returned function is called; undefined when the storage announces nothing.
   * @param failed called when reporting ends
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

  /** In order, without unreadable notes and empty results. */
  async factsIn<Facts>(
    paths: readonly VaultPath[],
    read: (note: NoteSource) => Facts | undefined,
  ): Promise<readonly Facts[]> {
    for (const path of paths) this.#access.assertVisible(path);
    const found = new Map<VaultPath, Facts>();
    for await (const batch of this.#storage.readMany(paths, { limit: HEAD_BYTES }))
      for (const file of batch) {
        if (isUnreadable(file)) continue;
        const { note } = noteSource(file);
        const facts = note && read(note);
        if (facts !== undefined) found.set(file.stat.path, facts);
      }
    return paths.flatMap((path) => found.get(path) ?? []);
  }

  /** Skips unreadable files. */
  async *heads(
    paths: readonly VaultPath[],
    limit: number,
  ): AsyncGenerator<{ readonly path: VaultPath; readonly bytes: Uint8Array }> {
    for (const path of paths) this.#access.assertVisible(path);
    for await (const batch of this.#storage.readMany(paths, { limit }))
      for (const file of batch) if (!isUnreadable(file)) yield { path: file.stat.path, bytes: file.bytes };
  }

  texts(files: readonly FileStat[], options?: ReadTextsOptions) {
    return readTexts(this.#storage, this.#maxFileSize, files, options);
  }

  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    this.#access.assertVisible(folder);
    return this.#storage.children(folder);
  }

  /** Includes hidden notes. */
  async paths(): Promise<readonly VaultPath[]> {
    return (await this.index.refresh({ rows: [] })).everyPath();
  }

  async conflicts(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>> {
    return (await this.#storage.conflicts?.()) ?? NO_CONFLICTS;
  }

  /** A file may be missing for a moment. */
  get mayLag(): boolean {
    return this.#storage.mayLag === true;
  }

  /** Since the last call. */
  takeNewConflicts(): readonly VaultPath[] {
    return this.#storage.takeNewConflicts?.() ?? [];
  }

  async readVersion(path: VaultPath, revision: Revision): Promise<Note | undefined> {
    this.#access.assertVisible(path);
    const file = await this.#storage.readVersion?.(path, revision);
    return file && { path, text: this.#access.textOf(path, file), revision, stat: file.stat };
  }

  settings(): Promise<VaultSettings> {
    return this.#settings.current();
  }

  /** Includes empty folders. */
  async para(): Promise<ParaFolders> {
    return (await this.paraListing()).para;
  }

  async paraListing(): Promise<ParaListing> {
    return findParaFolders(this.#storage);
  }

  withLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#storage.withVaultLock(work);
  }

  assertMayWrite(path: VaultPath): void {
    this.#access.assertMayWrite(path);
  }

  get isRestricted(): boolean {
    return this.#behind !== undefined;
  }

  mayWrite(path: VaultPath): boolean {
    return this.#storage.mayWrite?.(path) !== false;
  }

  async close(): Promise<void> {
    await this.index.close();
    // Those belong to the unrestricted vault.
    if (this.#behind) return this.#behind.close();
    await this.history.close();
    await this.#storage.close();
  }
}

/** The largest frontmatter and much of the body. */
const HEAD_BYTES = 128 * 1024;

const NO_CONFLICTS: ReadonlyMap<VaultPath, readonly Revision[]> = new Map();

async function announce(storage: Storage, signal: AbortSignal, listener: (change: Change) => void): Promise<void> {
  for await (const change of storage.changes?.(signal) ?? []) listener(change);
}

async function openJournal(options: JournalOptions, context: JournalContext): Promise<Journal> {
  const history = await import("../history/journal.js");
  return await history.openJournal(options, context);
}

export interface ReadText {
  readonly stat: FileStat;
  /** Whole and valid UTF-8. */
  readonly bytes: Buffer;
}

export interface SkippedFile {
  /** Perhaps an invalid path. */
  readonly path: string;
  readonly message: string;
}

interface ReadTextsOptions {
  readonly onSkipped?: ((file: SkippedFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Sorted, without removed files. @param maxBytes others are skipped */
async function* readTexts(
  storage: Storage,
  maxBytes: number,
  files: readonly FileStat[],
  { onSkipped, signal, onProgress }: ReadTextsOptions = {},
): AsyncGenerator<readonly ReadText[]> {
  const tooLarge = ({ path, size }: FileStat): void => {
    const [have, most] = [size, maxBytes].map((bytes) => Math.ceil(bytes / 1024).toLocaleString("en-US"));
    onSkipped?.({ path, message: `'${path}' has ${have} KiB; the most a file may have is ${most} KiB.` });
  };
  const wanted: VaultPath[] = [];
  for (const file of files)
    if (file.size > maxBytes) tooLarge(file);
    else wanted.push(file.path);
  if (wanted.length === 0) return;
  let done = 0;
  for await (const batch of storage.readMany(wanted.sort(), { limit: maxBytes, ...(signal && { signal }) })) {
    const texts: ReadText[] = [];
    for (const file of batch) {
      if (isUnreadable(file)) onSkipped?.({ path: file.path, message: file.error.message });
      else if (file.bytes.length < file.stat.size) tooLarge(file.stat);
      else if (isUtf8(file.bytes)) texts.push({ stat: file.stat, bytes: asBuffer(file.bytes) });
      else onSkipped?.({ path: file.stat.path, message: `'${file.stat.path}' is not UTF-8 text.` });
    }
    onProgress?.({ done: (done += batch.length), total: wanted.length });
    yield texts;
  }
}
