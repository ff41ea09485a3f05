/** Changes files by compare-and-swap, after recording each change. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import {
  contentRevision,
  type Expected,
  type Revision,
  type Settled,
  type Storage,
  type StoredFile,
  type WrittenFile,
} from "../storage/storage.js";
import { isHash, shownHash } from "../text/hash.js";
import { assertNothingBehindFooter } from "../markdown/kanban/board.js";
import { assertNothingDropped, type Named, NOTHING_NAMED } from "../markdown/nothing-dropped.js";
import { fileTitle, type VaultPath } from "../storage/path.js";
import type { Access } from "./limits.js";
import type { Operation } from "../history/journal-records.js";
import { type JournalChange, NOT_KEPT, type Recorder } from "../history/recorder.js";
import { moveToTrash } from "../storage/trash.js";

interface WriteOptions {
  readonly operation?: Operation | undefined;
}

interface EditOptions extends WriteOptions {
  readonly mark?: string | undefined;
  /** Another one is a CONFLICT. */
  readonly expected?: Revision | undefined;
  /** What the request may remove; default: nothing. */
  readonly named?: Named | undefined;
}

export interface ChangedText extends Pick<EditOptions, "mark" | "named"> {
  readonly text: string;
}

interface DeleteOptions extends Omit<EditOptions, "named"> {
  /** Default false. */
  readonly permanent?: boolean | undefined;
}

interface Undoable {
  /** False without a journal. */
  readonly undoable: boolean;
}

interface EditOutcome extends Undoable {
  readonly path: VaultPath;
  readonly text: string;
  readonly changed: boolean;
  readonly file: WrittenFile | undefined;
}

interface WriteOutcome extends WrittenFile, Undoable {}

export interface MoveOutcome extends Settled, Undoable {}

/** `trashedTo`: undefined after permanent removal. */
export interface DeleteOutcome extends Settled, Undoable {
  readonly path: VaultPath;
  readonly trashedTo: VaultPath | undefined;
}

/** As many as Node flushes. */
export const MAX_CONCURRENT_WRITES = 4;
/** Tries, after concurrent writes. */
const MAX_TRIES = 5;
/** They leave the file unchanged. */
const REFUSALS = ["ALREADY_EXISTS", "CONFLICT", "FILE_NOT_FOUND"] as const;

export class Writing {
  readonly #storage: Storage;
  readonly #access: Access;
  readonly #log: Log;
  /** Undefined without a journal. */
  readonly #loadRecorder: () => Promise<Recorder | undefined>;

  constructor(storage: Storage, access: Access, log: Log, recorder: () => Promise<Recorder | undefined>) {
    this.#storage = storage;
    this.#access = access;
    this.#log = log;
    this.#loadRecorder = recorder;
  }

  /**
   * `change` is pure: it runs again after a concurrent write. List items and lines that it drops must be `named`.
   * @param reason in a few words, for log and journal
   * @throws FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED, CONFLICT, INVALID_ARGUMENT, and what `change`
   * throws
   */
  async edit(
    path: VaultPath,
    change: (text: string) => string | ChangedText | Promise<string | ChangedText>,
    reason: string,
    { expected, operation, ...known }: EditOptions = {},
  ): Promise<EditOutcome> {
    this.#access.assertMayWrite(path);
    const recorder = await this.#loadRecorder();
    let before: string | undefined;
    let after = "";
    let step = NOT_KEPT;
    const make = async (current: StoredFile | undefined): Promise<Uint8Array | undefined> => {
      // The earlier result was not written.
      await step.discard();
      step = NOT_KEPT;
      before = undefined;
      if (!current) return undefined;
      if (expected !== undefined && !isHash(expected, current.revision)) throw notAsRead(path, current.revision);
      before = this.#access.textOf(path, current);
      const made = await change(before);
      const changed: ChangedText = { ...known, ...(typeof made === "string" ? { text: made } : made) };
      after = changed.text;
      if (after === before) return undefined;
      const bytes = this.mayBecome(path, before, changed);
      if (recorder) {
        const hashes = { before: contentRevision(current.bytes), after: contentRevision(bytes) };
        const draft = { path, reason, ...hashes, mark: changed.mark };
        step = await recorder.recordBefore(draft, operation, current.bytes);
      }
      return bytes;
    };
    const file = await this.#settling(
      () => step,
      () => this.#storage.update(path, make),
      () => this.#written(path),
    );
    if (before === undefined) throw await this.#access.missing(path);
    if (!file) {
      await step.discard();
      return { path, text: after, changed: false, file, undoable: false };
    }
    this.#log.debug("edited", { path, reason });
    return { path, text: after, changed: true, file, undoable: await confirmed(step, path, operation) };
  }

  /** Plans refuse what writing would. @throws INVALID_ARGUMENT, TOO_LARGE */
  mayBecome(path: VaultPath, before: string, { text, named = NOTHING_NAMED }: ChangedText): Uint8Array {
    assertNothingBehindFooter(fileTitle(path), before, text);
    assertNothingDropped({ text: before }, { text }, named);
    return this.#access.bytesOf(path, text);
  }

  /** @throws ALREADY_EXISTS, TOO_LARGE, PERMISSION_DENIED */
  async create(path: VaultPath, text: string, reason: string, { operation }: WriteOptions = {}): Promise<WriteOutcome> {
    await this.#assertMayMake(path);
    const bytes = this.mayBecome(path, "", { text });
    const recorder = await this.#loadRecorder();
    const draft = { path, reason, after: contentRevision(bytes) };
    const step = (await recorder?.recordBefore(draft, operation)) ?? NOT_KEPT;
    const file = await this.#settling(
      () => step,
      () => this.#storage.write(path, bytes, { kind: "absent" }),
      () => this.#written(path),
    );
    this.#log.debug("created", { path, reason });
    return { ...file, undoable: await confirmed(step, path, operation) };
  }

  /** Changes no links. @throws FILE_NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED */
  async move(from: VaultPath, to: VaultPath, reason: string, { operation }: WriteOptions = {}): Promise<WriteOutcome> {
    this.#access.assertMayWrite(from);
    await this.#assertMayMake(to);
    const [file, step] = await this.#withFile(
      from,
      (recorder, after) => recorder.recordBefore({ path: to, from, reason, after }, operation),
      (expected) => this.#storage.move(from, to, expected),
      () => this.#written(to),
    );
    this.#log.debug("moved", { from, to, reason });
    return { ...file, undoable: await confirmed(step, to, operation) };
  }

  /**
   * Changes no links. A storage without atomic moves moves only `files`.
   * @throws FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT for a target in the folder itself, PERMISSION_DENIED
   */
  async moveFolder(
    from: VaultPath,
    to: VaultPath,
    files: ReadonlyMap<VaultPath, VaultPath>,
    reason: string,
    { operation }: WriteOptions = {},
  ): Promise<MoveOutcome> {
    this.#access.assertMayWrite(from);
    await this.#assertMayMake(to);
    const recorder = await this.#loadRecorder();
    const draft = { folder: true, path: to, from, reason };
    const step = (await recorder?.recordBefore(draft, operation)) ?? NOT_KEPT;
    const moved = await this.#settling(
      () => step,
      async () => await this.#storage.moveFolder?.(from, to),
      async () => ({ durable: false }),
    );
    if (moved) {
      this.#log.debug("moved", { from, to, reason });
      return { durable: moved.durable, undoable: await confirmed(step, to, operation) };
    }
    await step.discard();
    return await this.#moveEach(files, reason, { operation });
  }

  /** Back after a failure. */
  async #moveEach(
    files: ReadonlyMap<VaultPath, VaultPath>,
    reason: string,
    options: WriteOptions,
  ): Promise<MoveOutcome> {
    const moved: [VaultPath, VaultPath][] = [];
    let [undoable, durable] = [true, true];
    try {
      for (const [file, target] of files) {
        const outcome = await this.move(file, target, reason, options);
        undoable &&= outcome.undoable;
        durable &&= outcome.durable;
        moved.push([file, target]);
      }
      return { durable, undoable };
    } catch (error) {
      for (const [file, target] of moved.toReversed()) await this.move(target, file, `${reason}, taken back`, options);
      throw error;
    }
  }

  /** To `.trash/` unless `permanent`. @throws FILE_NOT_FOUND, INVALID_ARGUMENT for a folder, PERMISSION_DENIED */
  async delete(
    path: VaultPath,
    reason: string,
    { permanent: isAsked = false, expected: read, operation }: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    const permanent = isAsked || this.#storage.keepsHidden === false;
    this.#access.assertMayWrite(path);
    let trashedTo: VaultPath | undefined;
    const [{ durable }, step] = await this.#withFile(
      path,
      (recorder, before, { bytes }) => recorder.recordBefore({ path, reason, before, permanent }, operation, bytes),
      async (expected) => {
        if (permanent) return await this.#storage.remove(path, expected);
        return await moveToTrash(this.#storage, path, expected, (place) => (trashedTo = place));
      },
      async () => ({ durable: false }),
      read,
    );
    this.#log.debug(permanent ? "deleted" : "moved to the trash", { path, trashedTo, reason });
    return { path, trashedTo, durable, undoable: await confirmed(step, path, operation) };
  }

  /** Refuses links first. */
  async #assertMayMake(path: VaultPath): Promise<void> {
    this.#access.assertMayWrite(path);
    await this.#storage.stat(path);
  }

  /** Retries when the recorded content has changed. */
  async #withFile<Result>(
    path: VaultPath,
    recordBefore: (recorder: Recorder, hash: string, file: StoredFile) => Promise<JournalChange>,
    work: (expected: Expected) => Promise<Result>,
    made: () => Promise<Result>,
    read?: Revision,
  ): Promise<[Result, JournalChange]> {
    if (!(await this.#storage.stat(path))) throw await this.#access.missing(path);
    const recorder = await this.#loadRecorder();
    if (!recorder && read === undefined) return [await work({ kind: "any" }), NOT_KEPT];
    for (let tries = 1; ; tries++) {
      const file = await this.#storage.read(path);
      if (!file) throw await this.#access.missing(path);
      if (read !== undefined && !isHash(read, file.revision)) throw notAsRead(path, file.revision);
      const step = recorder ? await recordBefore(recorder, contentRevision(file.bytes), file) : NOT_KEPT;
      const change = (): Promise<Result> => work({ kind: "revision", revision: file.revision });
      try {
        return [await this.#settling(() => step, change, made), step];
      } catch (error) {
        if (!isVaultError(error, "CONFLICT") || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** After an error other than a refusal, the file shows what happened. @param made the result of the change */
  async #settling<Result>(
    step: () => JournalChange,
    work: () => Promise<Result>,
    made: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (REFUSALS.some((code) => isVaultError(error, code))) await step().discard();
      else if (await step().settle()) return await made();
      throw error;
    }
  }

  /** Perhaps unconfirmed by the disk. */
  async #written(path: VaultPath): Promise<WrittenFile> {
    const file = await this.#storage.read(path);
    if (!file) throw await this.#access.missing(path);
    return { stat: file.stat, revision: file.revision, durable: false };
  }
}

/** @returns whether it can be undone */
async function confirmed(step: JournalChange, path: VaultPath, operation: Operation | undefined): Promise<boolean> {
  const undoable = await step.confirm();
  operation?.made(path, undoable);
  return undoable;
}

function notAsRead(path: VaultPath, now: Revision): VaultError {
  return new VaultError("CONFLICT", `'${path}' is not what it was when you read it; nothing was changed.`, {
    path,
    hint: `Read it again and repeat the change on what it says now. Its hash is now ${shownHash(now)}`,
  });
}
