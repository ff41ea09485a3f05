/** The ways in which a file of a vault is changed: each written into the undo journal ahead, then made by compare-and-swap. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { contentRevision } from "../storage/content-revision.js";
import { joinPath, type VaultPath } from "../storage/path.js";
import type { Expected, Revision, Settled, Storage, StoredFile, WrittenFile } from "../storage/storage.js";
import type { Access } from "./access.js";
import type { Operation } from "../history/journal.js";
import { type JournalChange, NOT_KEPT } from "../history/change.js";
import type { Recorder } from "../history/recorder.js";
import { moveToTrash } from "../storage/trash.js";

/** What every writer may say. */
export interface WriteOptions {
  /** The operation that this change is a step of. */
  readonly operation?: Operation | undefined;
}

export interface EditOptions extends WriteOptions {
  /** What the caller read; CONFLICT when the file is something else by now. */
  readonly expected?: Revision | undefined;
}

export interface DeleteOptions extends EditOptions {
  /** Remove the file for good rather than to the trash; default false. */
  readonly permanent?: boolean | undefined;
}

export interface Undoable {
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

/** What moving a folder leaves behind. */
export interface MoveOutcome extends Settled, Undoable {}

/** Where a deleted file went; `trashedTo` is undefined when it is gone for good. */
export interface DeleteOutcome extends Settled, Undoable {
  readonly path: VaultPath;
  readonly trashedTo: VaultPath | undefined;
}

/** Another program that saves between our look and our change is met with so many tries. */
const MAX_TRIES = 5;
/** After these nothing has changed. */
const REFUSALS = ["ALREADY_EXISTS", "CONFLICT", "FILE_NOT_FOUND"] as const;

export class Writing {
  readonly #storage: Storage;
  readonly #access: Access;
  readonly #log: Log;
  /** Undefined: no journal is kept. */
  readonly #loadRecorder: () => Promise<Recorder | undefined>;

  constructor(storage: Storage, access: Access, log: Log, recorder: () => Promise<Recorder | undefined>) {
    this.#storage = storage;
    this.#access = access;
    this.#log = log;
    this.#loadRecorder = recorder;
  }

  /** As `Vault.edit`. */
  async edit(
    path: VaultPath,
    change: (text: string) => string | Promise<string>,
    reason: string,
    { expected, operation }: EditOptions,
  ): Promise<EditOutcome> {
    this.#access.assertMayWrite(path);
    const recorder = await this.#loadRecorder();
    let before: string | undefined;
    let after = "";
    let step = NOT_KEPT;
    const make = async (current: StoredFile | undefined): Promise<Uint8Array | undefined> => {
      // It was called before, and what it made then did not come to be.
      step.discard();
      step = NOT_KEPT;
      before = undefined;
      if (!current) return undefined;
      if (expected !== undefined && current.revision !== expected) throw notAsRead(path, current.revision);
      before = this.#access.textOf(path, current);
      after = await change(before);
      if (after === before) return undefined;
      const bytes = this.#access.bytesOf(path, after);
      if (recorder) {
        const hashes = { before: contentRevision(current.bytes), after: contentRevision(bytes) };
        step = recorder.ahead({ kind: "edit", path, reason, ...hashes }, operation, current.bytes);
        await step.written();
      }
      return bytes;
    };
    const file = await this.#settling(
      () => step,
      () => this.#storage.update(path, make),
    );
    if (before === undefined) throw await this.#access.missing(path);
    if (!file) {
      step.discard();
      return { path, text: after, changed: false, file, undoable: false };
    }
    this.#log.debug("edited", { path, reason });
    return { path, text: after, changed: true, file, undoable: await step.confirm() };
  }

  /** As `Vault.create`. */
  async create(path: VaultPath, text: string, reason: string, { operation }: WriteOptions): Promise<WriteOutcome> {
    this.#access.assertMayWrite(path);
    const bytes = this.#access.bytesOf(path, text);
    const recorder = await this.#loadRecorder();
    const step =
      recorder?.ahead({ kind: "create", path, reason, after: contentRevision(bytes) }, operation) ?? NOT_KEPT;
    await step.written();
    const file = await this.#settling(
      () => step,
      () => this.#storage.write(path, bytes, { kind: "absent" }),
    );
    this.#log.debug("created", { path, reason });
    return { ...file, undoable: await step.confirm() };
  }

  /** As `Vault.move`. */
  async move(from: VaultPath, to: VaultPath, reason: string, { operation }: WriteOptions): Promise<WriteOutcome> {
    this.#access.assertMayWrite(from);
    this.#access.assertMayWrite(to);
    const [file, step] = await this.#withFile(
      from,
      (recorder, after) => recorder.ahead({ kind: "move", path: to, from, reason, after }, operation),
      (expected) => this.#storage.move(from, to, expected),
    );
    this.#log.debug("moved", { from, to, reason });
    return { ...file, undoable: await step.confirm() };
  }

  /** As `Vault.moveFolder`. */
  async moveFolder(
    from: VaultPath,
    to: VaultPath,
    files: readonly VaultPath[],
    reason: string,
    { operation }: WriteOptions,
  ): Promise<MoveOutcome> {
    this.#access.assertMayWrite(from);
    this.#access.assertMayWrite(to);
    const recorder = await this.#loadRecorder();
    const step = recorder?.ahead({ kind: "move", folder: true, path: to, from, reason }, operation) ?? NOT_KEPT;
    await step.written();
    const moved = await this.#settling(
      () => step,
      async () => await this.#storage.moveFolder?.(from, to),
    );
    if (moved) {
      this.#log.debug("moved", { from, to, reason });
      return { durable: moved.durable, undoable: await step.confirm() };
    }
    step.discard();
    return await this.#moveEach(files, (file) => joinPath(to, file.slice(from.length + 1)), reason, { operation });
  }

  /** Where one of them cannot be moved, those that were go back. */
  async #moveEach(
    files: readonly VaultPath[],
    target: (file: VaultPath) => VaultPath,
    reason: string,
    options: WriteOptions,
  ): Promise<MoveOutcome> {
    const moved: VaultPath[] = [];
    let [undoable, durable] = [true, true];
    try {
      for (const file of files) {
        const outcome = await this.move(file, target(file), reason, options);
        undoable &&= outcome.undoable;
        durable &&= outcome.durable;
        moved.push(file);
      }
      return { durable, undoable };
    } catch (error) {
      for (const file of moved.toReversed()) await this.move(target(file), file, `${reason}, taken back`, options);
      throw error;
    }
  }

  /** As `Vault.delete`. */
  async delete(
    path: VaultPath,
    reason: string,
    { permanent: isAsked = false, expected: read, operation }: DeleteOptions,
  ): Promise<DeleteOutcome> {
    const permanent = isAsked || this.#storage.keepsHidden === false;
    this.#access.assertMayWrite(path);
    const [{ trashedTo, durable }, step] = await this.#withFile(
      path,
      (recorder, before, { bytes }) =>
        recorder.ahead({ kind: "delete", path, reason, before, permanent }, operation, bytes),
      async (expected) => {
        if (!permanent) return await moveToTrash(this.#storage, path, expected);
        return { trashedTo: undefined, ...(await this.#storage.remove(path, expected)) };
      },
      read,
    );
    this.#log.debug(permanent ? "deleted" : "moved to the trash", { path, trashedTo, reason });
    return { path, trashedTo, durable, undoable: await step.confirm() };
  }

  /** Changes a file whose content has to be known first for the journal, and must then be that very content still. */
  async #withFile<Result>(
    path: VaultPath,
    ahead: (recorder: Recorder, hash: string, file: StoredFile) => JournalChange,
    work: (expected: Expected) => Promise<Result>,
    read?: Revision,
  ): Promise<[Result, JournalChange]> {
    if (!(await this.#storage.stat(path))) throw await this.#access.missing(path);
    const recorder = await this.#loadRecorder();
    if (!recorder && read === undefined) return [await work({ kind: "any" }), NOT_KEPT];
    for (let tries = 1; ; tries++) {
      const file = await this.#storage.read(path);
      if (!file) throw await this.#access.missing(path);
      if (read !== undefined && file.revision !== read) throw notAsRead(path, file.revision);
      const step = recorder ? ahead(recorder, contentRevision(file.bytes), file) : NOT_KEPT;
      await step.written();
      try {
        const expected = { kind: "revision", revision: file.revision } as const;
        return [
          await this.#settling(
            () => step,
            () => work(expected),
          ),
          step,
        ];
      } catch (error) {
        if (!isVaultError(error, "CONFLICT") || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Makes a change; where that fails and the refusal does not say that nothing was changed, the file tells. */
  async #settling<Result>(step: () => JournalChange, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (REFUSALS.some((code) => isVaultError(error, code))) step().discard();
      else await step().settle();
      throw error;
    }
  }
}

function notAsRead(path: VaultPath, now: Revision): VaultError {
  return new VaultError("CONFLICT", `'${path}' is not what it was when you read it; nothing was changed.`, {
    path,
    hint: `Read it again and repeat the change on what it says now. Its hash is now ${now}`,
  });
}
