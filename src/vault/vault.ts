/** One vault: reads notes strictly as text and is the only way a note is changed. */
import type { Clock, Ids } from "../clock.js";
import { isVaultError, VaultError } from "../errors.js";
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
import { notWritable } from "../storage/errors.js";
import { Access, type AccessOptions, DEFAULT_MAX_FILE_SIZE } from "./access.js";
import type { FactReader } from "../index/facts.js";
import type {
  EarlierText,
  HistoryEntry,
  HistoryPage,
  HistoryQuery,
  Kept,
  LastChange,
  Operation,
  OperationPlan,
  OperationUndo,
  StepTexts,
  UndoOutcome,
  UnfinishedOperation,
} from "../history/journal.js";
import { factsOfFile, HEAD_BYTES } from "../index/read-note.js";
import { noHistory, noOperation, operationReference, unknownOperation } from "../history/journal.js";
import { RunningOperation } from "../history/recorder.js";
import type { JournalOptions } from "../history/store.js";
import type { Journal, JournalContext } from "../history/history.js";
import type { UndoGuard } from "../history/undo.js";
import { VaultIndex, type VaultIndexOptions } from "../index/vault-index.js";
import { decodeText } from "../storage/note-text.js";
import { findParaFolders, type ParaFolders, type ParaLook } from "../index/para.js";
import { TextReader } from "./text-reader.js";
import { followChanges } from "./follow-changes.js";
import { SettingsKeeper, type VaultSettings } from "../index/settings.js";
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
  /** What the index takes out of every note. */
  readonly readers: readonly FactReader<unknown>[];
  /** Where the index is stored between processes; without it every process reads all notes once. */
  readonly cache?: VaultIndexOptions["cache"];
  readonly log?: Log | undefined;
  /** PARA folders as configured; a bucket named here is not looked for. */
  readonly paraFolders?: Partial<ParaFolders> | undefined;
  /** Where changes are written down so that they can be undone; without it they cannot. */
  readonly journal?: JournalOptions | undefined;
  /** The same vault without access rules, where this one shows a part: it keeps the journal. */
  readonly behind?: Vault | undefined;
}

/**
 * Every write is `edit`, `create`, `move`, `moveFolder` or `delete`; each is written into the undo journal ahead.
 */
export class Vault {
  /** What answers call this vault. */
  readonly name: string;
  /** What `mcp-obsidian://` URIs call this vault. */
  readonly id: string;
  readonly index: VaultIndex;
  /** The texts of many files at once, for searches. */
  readonly texts: TextReader;
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
  readonly #loadJournal: (() => Promise<Journal>) | undefined;
  #loaded: Promise<Journal> | undefined;
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
    this.#loadJournal = journal && (() => loadJournal(journal, { storage, clock, ids, log }));
    this.#writing = new Writing(storage, this.#access, log, async () => (await this.#journalIfAny())?.recorder);
    this.pathRules = { allowHidden: options.allowHidden ?? false };
    this.#paraFolders = options.paraFolders ?? {};
    this.#settings = new SettingsKeeper(options.storage);
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

  /** Whether another writer's file may be missing from an answer for a moment. */
  get mayLag(): boolean {
    return this.#storage.mayLag === true;
  }

  /** The files of which two versions came into conflict since this was last asked, because another server changed them too. */
  takeNewConflicts(): readonly VaultPath[] {
    return this.#storage.takeNewConflicts?.() ?? [];
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
    if (!journal || !(await this.#isShown(path))) throw noHistory(path);
    const outcome = await journal.undoing.undo(path, this.#assertMayUndo);
    return { ...outcome, others: await this.#shown(outcome.others), kept: await this.#shownOf(outcome.kept) };
  }

  /**
   * Takes back an operation: every file that still is as the operation left it; the others stay and are named.
   * @throws VaultError FILE_NOT_FOUND when nothing of it is known any more, CONFLICT when it is still under way or none of its files
   *   is as it was left, PERMISSION_DENIED
   */
  async undoOperation(id: string): Promise<OperationUndo> {
    const journal = await this.#journal();
    if (!journal) throw noOperation(id);
    const outcome = await journal.undoing.undoOperation(id, this.#assertMayUndo);
    const [reverted, removed] = await Promise.all([this.#shown(outcome.reverted), this.#shown(outcome.removed)]);
    return { ...outcome, reverted, removed, kept: await this.#shownOf(outcome.kept) };
  }

  /** @throws VaultError PERMISSION_DENIED */
  assertMayWrite(path: VaultPath): void {
    this.#access.assertMayWrite(path);
  }

  /** Whether access rules show a part of the vault only. */
  get isRestricted(): boolean {
    return this.#behind !== undefined;
  }

  /** Whether a path may be changed. */
  mayWrite(path: VaultPath): boolean {
    return this.#storage.mayWrite?.(path) !== false;
  }

  /** Links in hidden notes are kept right by a rename and by its undo; else nothing hidden is undone. */
  readonly #assertMayUndo: UndoGuard = async (path, isLink) => {
    if (isLink && this.#behind) this.#behind.assertMayWrite(path);
    else {
      this.assertMayWrite(path);
      if (!(await this.#isShown(path))) throw notWritable(path);
    }
  };

  /** Whether access rules let a file be named that was changed: it is visible, or gone. */
  async #isShown(path: VaultPath): Promise<boolean> {
    if (!this.#behind) return true;
    if (!this.mayWrite(path)) return false;
    return (await this.#storage.stat(path)) !== undefined || (await this.#behind.#storage.stat(path)) === undefined;
  }

  async #shown(paths: readonly VaultPath[]): Promise<readonly VaultPath[]> {
    if (!this.#behind) return paths;
    const shown = await Promise.all(paths.map((path) => this.#isShown(path)));
    return paths.filter((_, at) => shown[at]);
  }

  async #shownOf(kept: readonly Kept[]): Promise<readonly Kept[]> {
    const paths = new Set(await this.#shown(kept.map(({ path }) => path)));
    return kept.filter(({ path }) => paths.has(path));
  }

  /** The newest change that went through this vault and can be undone, whatever process made it; undefined when there is none. */
  async lastChange(): Promise<LastChange | undefined> {
    const last = await (await this.#journal())?.undoing.lastChange();
    return last?.kind === "file" && !(await this.#isShown(last.path)) ? undefined : last;
  }

  /** The marks that edits of a file left in the undo journal, newest first; those that were taken back are gone. */
  async marks(path: VaultPath): Promise<readonly string[]> {
    return (await (await this.#journalIfAny())?.undoing.marks(path)) ?? [];
  }

  /** Begins an operation of several steps. */
  async begin(plan: OperationPlan): Promise<Operation> {
    return (await (await this.#journalIfAny())?.undoing.begin(plan)) ?? new RunningOperation(plan);
  }

  /**
   * Makes several changes as one operation, or none of them: where `work` fails, what it changed is undone.
   * @param plan a new operation's, or an operation that a crash interrupted
   * @throws what `work` throws; a file that stays changed is named in the message
   */
  async together<Result>(
    plan: OperationPlan | UnfinishedOperation,
    work: (operation: Operation) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly operation: string | undefined; readonly undoable: boolean }> {
    const operation = await ("done" in plan ? this.resume(plan) : this.begin(plan));
    let result: Result;
    try {
      result = await work(operation);
    } catch (error) {
      throw stillChanged(error, await operation.takeBack());
    }
    const undoable = await operation.done();
    return { result, operation: operationReference(operation.id), undoable };
  }

  /** Goes on with an operation that a crash interrupted. */
  async resume(operation: UnfinishedOperation): Promise<Operation> {
    return (await (await this.#journalIfAny())?.undoing.resume(operation)) ?? new RunningOperation(operation.plan);
  }

  /**
   * What the files said that an operation changed when it renamed `from` to `to`, for those that are still as it left them, by their
   * paths now: so that renaming it back can put back what it found. Undefined where the journal knows of no such rename.
   */
  async earlierTexts(from: VaultPath, to: VaultPath): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    return (await this.#journalIfAny())?.undoing.earlierTexts(from, to);
  }

  /** Operations that a crash interrupted, oldest first: `undo` takes them back, `resume` goes on with them. */
  async unfinished(): Promise<readonly UnfinishedOperation[]> {
    return (await (await this.#journalIfAny())?.undoing.unfinished()) ?? [];
  }

  /** The changes in the undo journal, newest first; of a caller among several its own. Under access rules only of notes that are visible. */
  async history(query: HistoryQuery): Promise<HistoryPage> {
    const page = await (await this.#journal())?.history.list(query);
    if (!page) return { entries: [], next: undefined };
    const entries: HistoryEntry[] = [];
    for (const entry of page.entries) if (await this.#areVisible(entry.files)) entries.push(entry);
    return { ...page, entries };
  }

  /** The files of an operation before and after it. @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED */
  async textsOf(id: string): Promise<readonly StepTexts[]> {
    const texts = await (await this.#journal())?.history.textsOf(id);
    if (!texts || !(await this.#areVisible(texts.map(({ path }) => path)))) throw unknownOperation(id);
    for (const { path } of texts) this.#access.assertVisible(path);
    return texts;
  }

  /** Access rules cannot judge a note that is gone: it counts as hidden. */
  async #areVisible(paths: readonly VaultPath[]): Promise<boolean> {
    if (!this.#behind) return true;
    for (const path of paths) if ((await this.#storage.stat(path)) === undefined) return false;
    return true;
  }

  async #journal(): Promise<Journal | undefined> {
    if (this.#behind) return this.#behind.#journal();
    const loading = (this.#loaded ??= this.#loadJournal?.());
    try {
      return await loading;
    } catch (error) {
      // Such as too many open files: the next call tries again.
      this.#loaded = undefined;
      throw new VaultError("UNAVAILABLE", "The undo journal cannot be used; nothing was changed.", {
        hint: "Try again in a moment.",
        cause: error,
      });
    }
  }

  /** For those who do without it: a change is made all the same, and cannot be undone. */
  async #journalIfAny(): Promise<Journal | undefined> {
    try {
      return await this.#journal();
    } catch (error) {
      this.#log.warn("the undo journal could not be loaded", { error: String(error) });
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.index.close();
    // It has the journal and the storage.
    if (this.#behind) return this.#behind.close();
    await (await this.#loaded?.catch(() => undefined))?.recorder.store.close();
    await this.#storage.close();
  }
}

const NO_CONFLICTS: ReadonlyMap<VaultPath, readonly Revision[]> = new Map();

/** The failure of an operation, with the files that it left changed. */
function stillChanged(error: unknown, kept: readonly Kept[]): unknown {
  if (kept.length === 0 || !isVaultError(error)) return error;
  const names = kept.map(({ path }) => `'${path}'`).join(", ");
  const { code, message, hint, candidates, path, line, column, cause } = error;
  return new VaultError(code, `${message} Already changed, and not undone: ${names}.`, {
    ...(hint !== undefined && { hint }),
    ...(candidates && { candidates }),
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    cause,
  });
}

async function loadJournal(options: JournalOptions, context: JournalContext): Promise<Journal> {
  const { openJournal } = await import("../history/history.js");
  return await openJournal(options, context);
}
