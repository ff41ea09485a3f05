/** A vault's history within the access rules. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import { trashPath } from "../storage/trash.js";
import type { Storage } from "../storage/storage.js";
import { notWritable } from "../storage/errors.js";
import type { Access } from "./limits.js";
import type {
  EarlierText,
  HistoryEntry,
  HistoryPage,
  HistoryQuery,
  StepNotUndone,
  LastChange,
  Operation,
  OperationPlan,
  OperationUndo,
  StepTexts,
  StepRecord,
  UndoOutcome,
  UnfinishedOperation,
} from "../history/journal-records.js";
import { noHistory, noOperation, operationReference, unknownOperation } from "../history/journal-records.js";
import { RunningOperation } from "../history/recorder.js";
import type { JournalReport } from "../history/journal-store.js";
import type { Journal } from "../history/journal.js";
import type { UndoGuard } from "../history/undo.js";

interface VaultHistoryOptions {
  readonly storage: Storage;
  readonly access: Access;
  readonly log: Log;
  readonly open: (() => Promise<Journal>) | undefined;
  /** With the journal, if access rules hide a part here. */
  readonly unrestricted: VaultHistory | undefined;
}

type Work<Result> = (operation: Operation) => Promise<Result>;

interface DoneOperation<Result> {
  readonly result: Result;
  readonly operation: string | undefined;
  readonly undoable: boolean;
}

export class VaultHistory {
  readonly #storage: Storage;
  readonly #access: Access;
  readonly #log: Log;
  readonly #open: (() => Promise<Journal>) | undefined;
  readonly #behind: VaultHistory | undefined;
  #opened: Promise<Journal> | undefined;

  constructor({ storage, access, log, open, unrestricted }: VaultHistoryOptions) {
    this.#storage = storage;
    this.#access = access;
    this.#log = log;
    this.#open = open;
    this.#behind = unrestricted;
  }

  /**
   * The newest change by any process; each call undoes one more. A created file goes to the trash. Undoes a rename, an
   * interrupted operation, or one that counts as a change, as a whole, except files changed since.
   * @throws FILE_NOT_FOUND with nothing to undo, CONFLICT when the file has changed since, PERMISSION_DENIED
   */
  async undo(path: VaultPath): Promise<UndoOutcome> {
    this.#access.assertMayWrite(path);
    const journal = await this.#journal();
    if (!journal || !(await this.#isShown(path))) throw noHistory(path);
    const outcome = await this.#discreet(journal.undoing.undo(path, this.#assertMayUndo));
    const { others, kept, rest } = outcome;
    return {
      ...outcome,
      others: await this.#shown(others),
      kept: await this.#shownOf(kept),
      rest: rest && (await this.#areVisible(rest.files)) ? rest : undefined,
    };
  }

  /**
   * Except files changed since.
   * @throws FILE_NOT_FOUND, CONFLICT in progress or when all files have changed, PERMISSION_DENIED
   */
  async undoOperation(id: string): Promise<OperationUndo> {
    const journal = await this.#journal();
    if (!journal) throw noOperation(id);
    const outcome = await this.#discreet(journal.undoing.undoOperation(id, this.#assertMayUndo));
    const [reverted, removed] = await Promise.all([this.#shown(outcome.reverted), this.#shown(outcome.removed)]);
    return { ...outcome, reverted, removed, kept: await this.#shownOf(outcome.kept) };
  }

  /** Names no hidden files. */
  async #discreet<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (!this.#behind || !isVaultError(error) || error.path === undefined) throw error;
      const path = error.path as VaultPath;
      if ((await this.#storage.stat(path)) !== undefined || (await this.#isShown(path))) throw error;
      throw new VaultError(error.code, "A file of this change is not open here; nothing was undone.", {
        hint: "Ask the person who runs the server.",
      });
    }
  }

  /** In hidden notes only link updates may be undone. */
  readonly #assertMayUndo: UndoGuard = async (path, isLink) => {
    if (isLink && this.#behind) this.#behind.#access.assertMayWrite(path);
    else {
      this.#access.assertMayWrite(path);
      if (!(await this.#isShown(path))) throw notWritable(path);
    }
  };

  /** Also of a removed file. */
  async #isShown(path: VaultPath): Promise<boolean> {
    if (!this.#behind) return true;
    if (this.#storage.mayWrite?.(path) === false) return false;
    return (await this.#storage.stat(path)) !== undefined || (await this.#behind.#storage.stat(path)) === undefined;
  }

  async #shown(paths: readonly VaultPath[]): Promise<readonly VaultPath[]> {
    if (!this.#behind) return paths;
    const shown = await Promise.all(paths.map((path) => this.#isShown(path)));
    return paths.filter((_, at) => shown[at]);
  }

  async #shownOf(kept: readonly StepNotUndone[]): Promise<readonly StepNotUndone[]> {
    const paths = new Set(await this.#shown(kept.map(({ path }) => path)));
    return kept.filter(({ path }) => paths.has(path));
  }

  async lastChange(): Promise<LastChange | undefined> {
    const last = await this.#discreet((async () => (await this.#journal())?.undoing.lastChange())());
    return last?.kind === "file" && !(await this.#isShown(last.path)) ? undefined : last;
  }

  /** Newest first, without undone edits. */
  async marks(path: VaultPath): Promise<readonly string[]> {
    return (await (await this.journalIfAny())?.undoing.marks(path)) ?? [];
  }

  async begin(plan: OperationPlan): Promise<Operation> {
    return (await (await this.journalIfAny())?.undoing.begin(plan)) ?? new RunningOperation(plan);
  }

  /** Undoes the changes of a failed `work`. @throws its error, with the names of files that stay changed */
  async runOperation<Result>(plan: OperationPlan, work: Work<Result>): Promise<DoneOperation<Result>> {
    return await runAll(await this.begin(plan), work);
  }

  async resume<Result>(operation: UnfinishedOperation, work: Work<Result>): Promise<DoneOperation<Result>> {
    const journal = await this.journalIfAny();
    return await runAll((await journal?.undoing.resume(operation)) ?? new RunningOperation(operation.plan), work);
  }

  /**
   * Of files still as the operation left them, by current path. Undefined when no step of `path` is wanted; the newest
   * counts.
   */
  async earlierTexts(
    path: VaultPath,
    isWanted: (step: StepRecord) => boolean,
  ): Promise<ReadonlyMap<VaultPath, EarlierText> | undefined> {
    return (await this.journalIfAny())?.undoing.earlierTexts(path, isWanted);
  }

  /** Oldest first. */
  async unfinished(): Promise<readonly UnfinishedOperation[]> {
    return (await (await this.journalIfAny())?.undoing.unfinished()) ?? [];
  }

  /** Newest first: a caller's own changes of visible notes. */
  async list(query: HistoryQuery): Promise<HistoryPage> {
    const page = await (await this.#journal())?.list(query);
    if (!page) return { entries: [], next: undefined };
    const entries: HistoryEntry[] = [];
    for (const entry of page.entries) if (await this.#areVisible(entry.files)) entries.push(entry);
    return { ...page, entries };
  }

  /**
   * By path, name, link or id; what other programs moved to the trash by path only. Empty under access rules, which
   * cannot judge removed files.
   */
  async deleted(
    reference: string,
  ): Promise<{ readonly path: VaultPath; readonly trash?: VaultPath; readonly isUndoable: boolean } | undefined> {
    const bare = reference
      .trim()
      .replace(/^!?\[\[([^\]|#]*).*\]\]$/, "$1")
      .replace(/^\//, "");
    if (this.#behind || bare === "") return undefined;
    try {
      const known = await (await this.#journal())?.deleted(bare);
      const path = known ?? vaultPath(/\.\w+$/.test(bare) ? bare : `${bare}.md`);
      const inTrash = (await this.#storage.stat(trashPath(path))) !== undefined;
      if (known === undefined && !inTrash) return undefined;
      return { path, ...(inTrash && { trash: trashPath(path) }), isUndoable: known !== undefined };
    } catch {
      // The refusal says enough.
      return undefined;
    }
  }

  async textsOf(id: string): Promise<readonly StepTexts[]> {
    const texts = await (await this.#journal())?.textsOf(id);
    if (!texts || !(await this.#areVisible(texts.map(({ path }) => path)))) throw unknownOperation(id);
    for (const { path } of texts) this.#access.assertVisible(path);
    return texts;
  }

  /** A missing note is hidden. */
  async #areVisible(paths: readonly VaultPath[]): Promise<boolean> {
    if (!this.#behind) return true;
    for (const path of paths) if ((await this.#storage.stat(path)) === undefined) return false;
    return true;
  }

  async #journal(): Promise<Journal | undefined> {
    if (this.#behind) return this.#behind.#journal();
    const opening = (this.#opened ??= this.#open?.());
    try {
      return await opening;
    } catch (error) {
      // For the next call.
      this.#opened = undefined;
      throw new VaultError("UNAVAILABLE", "The undo journal cannot be used; nothing was changed.", {
        hint: "Try again in a moment.",
        cause: error,
      });
    }
  }

  /** For `doctor`. */
  async inspect(): Promise<JournalReport | undefined> {
    return await (await this.#journal())?.recorder.store.inspect();
  }

  /** A person knows that a doubtful journal is this vault's. @returns whether there was doubt */
  async confirmJournal(): Promise<boolean> {
    const connection = (await this.#journal())?.recorder.store.connection;
    if (!connection || (await connection.isOurs())) return false;
    await connection.confirm();
    return true;
  }

  async journalIfAny(): Promise<Journal | undefined> {
    try {
      return await this.#journal();
    } catch (error) {
      this.#log.warn("the undo journal could not be loaded", { error: String(error) });
      return undefined;
    }
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.recorder.store.connection.close();
  }
}

async function runAll<Result>(operation: Operation, work: Work<Result>): Promise<DoneOperation<Result>> {
  let result: Result;
  try {
    result = await work(operation);
  } catch (error) {
    const kept = await operation.undo();
    throw stillChanged(
      error,
      kept.map(({ path }) => path),
    );
  }
  const undoable = await operation.done();
  return { result, operation: operationReference(operation.id), undoable };
}

/** @param paths still changed */
export function stillChanged<Failure>(error: Failure, paths: readonly VaultPath[]): Failure | VaultError {
  if (paths.length === 0 || !isVaultError(error)) return error;
  const names = paths.map((path) => `'${path}'`).join(", ");
  return error.with({}, `${error.message} Already changed, and not undone: ${names}.`);
}
