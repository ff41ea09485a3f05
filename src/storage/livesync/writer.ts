/** Writes chunks, then the document over one revision (docs: livesync, "Writing"). */
import { setTimeout as delay } from "node:timers/promises";
import { randomInt } from "node:crypto";
import { KeyedMutex } from "../../async/turns.js";
import type { Clock, EpochMilliseconds } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import {
  alreadyExists,
  assertExpected,
  changedMeanwhile,
  fileInTheWay,
  fileNotFound,
  folderInTheWay,
} from "../errors.js";
import { assertWritable, type VaultPath } from "../path.js";
import type { ChangeBytes, Expected, WrittenFile } from "../storage.js";
import type { FileToWrite } from "./codec/codec.js";
import { normalPath, assertSyncable } from "./codec/note.js";
import { Attempt, Committer } from "./committer.js";
import type { Database } from "./database.js";
import { AGAIN, LostVersions, type OwnVersions } from "./lost-versions.js";
import type { Opened } from "./inspect.js";
import { type FoundDocument, presentAt, type WholeNote, type Reader } from "./file-reader.js";
import { revisionOf } from "./codec/document.js";

/** While others write the same file. */
const MAX_TRIES = 20;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 500;
/** While another server acts. */
const WAITING_PAUSE_MS = 100;
/** Shorter files are cut as clients do. */
const MIN_LONG_FILE = 32 * 1024;

export class DocumentWriter {
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #commits: Committer;
  readonly #clock: Clock;
  readonly #queue = new KeyedMutex();
  readonly #own: OwnVersions;
  readonly lost: LostVersions;

  /** @param options.onConflict two versions cannot be merged */
  constructor(
    database: Database,
    reader: Reader,
    clock: Clock,
    { onConflict, own }: { readonly onConflict: (path: VaultPath) => void; readonly own: OwnVersions },
  ) {
    this.#database = database;
    this.#reader = reader;
    this.#commits = new Committer(database);
    this.#clock = clock;
    this.#own = own;
    this.lost = new LostVersions(database, reader, this.#commits, {
      own,
      onConflict,
      put: (read, bytes, attempt) => this.#put(read.note.path, bytes, read, { attempt, isNew: false, read }),
      inTurn: (path, work) => this.#inTurn([path], work),
    });
  }

  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    assertSyncable(path, bytes.length);
    return this.#inTurn([path], async (attempt) => {
      const found = await this.#reader.find(path);
      const present = presentAt(path, found);
      assertExpected(path, expected, () => revision(present));
      const settled = found && (await this.#settle(found, attempt));
      if (settled) return settled;
      return this.#put(path, bytes, found, { attempt, isNew: !present });
    });
  }

  update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return this.#inTurn([path], async (attempt) => {
      const read = await this.#reader.readWhole(path);
      const settled = read && (await this.#settle(read, attempt));
      if (settled) return settled;
      const bytes = await change(read?.file);
      if (bytes === undefined || (read && Buffer.compare(bytes, read.file.bytes) === 0)) return undefined;
      assertSyncable(path, bytes.length);
      const found = read ?? (await this.#reader.find(path));
      if (!read && presentAt(path, found)) return AGAIN;
      return this.#put(path, bytes, found, { attempt, isNew: !read, read });
    });
  }

  remove(path: VaultPath, expected: Expected): Promise<void> {
    assertWritable(path);
    return this.#inTurn([path], async (attempt) => {
      const found = await this.#reader.findFile(path);
      if (!found) throw fileNotFound(path);
      assertExpected(path, expected, () => revision(found));
      const opened = await this.#writable(attempt);
      const gone = await opened.codec.deletion(found.note, this.#clock.now());
      const { conflicts } = found.note;
      return (await this.#commits.commit(gone, opened, attempt, conflicts)) ? undefined : AGAIN;
    });
  }

  /** A crash in between leaves both. */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    assertWritable(from);
    assertSyncable(to);
    return this.#inTurn([from, to], async (attempt) => {
      const read = await this.#reader.readWhole(from);
      if (!read) throw fileNotFound(from);
      assertExpected(from, expected, () => revision(read));
      const target = await this.#reader.find(to);
      if (target?.note.id === read.note.id && from !== to) throw differsInCaseOnly(from, to);
      if (target && !target.note.deleted) throw alreadyExists(to);
      const { created, modified: now } = read.note;
      const moved = await this.#put(to, read.file.bytes, target, { attempt, isNew: true, read, created, now });
      if (moved === AGAIN) return moved;
      return (await this.#leave(read, to, moved, attempt)) ? moved : AGAIN;
    });
  }

  /** On failure deletes the copy if it is unchanged. */
  async #leave({ note }: WholeNote, to: VaultPath, moved: WrittenFile, attempt: Attempt): Promise<boolean> {
    const opened = await this.#writable(attempt);
    let failure: unknown;
    try {
      const gone = await opened.codec.deletion(note, this.#clock.now());
      if (await this.#commits.commit(gone, opened, attempt, note.conflicts)) return true;
    } catch (error) {
      failure = error;
    }
    try {
      const isLost = isVaultError(failure) && failure.isUncertain;
      if (isLost && !(await this.#reader.findFile(note.path))) return true;
      const copy = await this.#reader.find(to);
      if (copy && revision(copy) === moved.revision) {
        const gone = await opened.codec.deletion(copy.note, this.#clock.now());
        await this.#commits.commit(gone, opened, attempt, copy.note.conflicts);
      }
    } catch (error) {
      throw underBothNames(note.path, to, failure ?? error);
    }
    if (failure !== undefined) throw failure;
    return false;
  }

  async #put(
    path: VaultPath,
    bytes: Uint8Array,
    found: FoundDocument | undefined,
    { attempt, isNew, read, created, now = this.#clock.now() }: PutOptions,
  ): Promise<WrittenFile | typeof AGAIN> {
    const opened = await this.#writable(attempt);
    if (isNew) await this.#assertFree(path, found);
    const previous = found?.note;
    const isLong = bytes.length > MIN_LONG_FILE && read && previous?.id === read.note.id;
    const before = isLong ? await this.#reader.pieces(read) : undefined;
    const file: FileToWrite = { path, bytes, now, previous, before, created };
    const { document, pieces } = await opened.codec.encode(file);
    const missing = [...pieces].filter(([id]) => !read?.leaves.has(id));
    await this.#commits.addChunks(new Map(missing), opened);
    const { _id: id } = document;
    const base = isNew ? undefined : previous?.document;
    try {
      const written = await this.#commits.commit(document, opened, attempt, previous?.conflicts ?? []);
      if (!written) return AGAIN;
      if (opened.marks.copies > 1) this.#own.add({ id, revision: written.revision, base, isAcknowledged: true });
      return written;
    } catch (error) {
      const { undecided } = attempt;
      if (undecided !== undefined) this.#own.add({ id, revision: undecided, base, isAcknowledged: false });
      throw error;
    }
  }

  #writable(attempt: Attempt): Promise<Opened> {
    return (attempt.writable ??= this.#database.writable());
  }

  async #assertFree(path: VaultPath, found: FoundDocument | undefined): Promise<void> {
    if (found && !found.note.deleted) throw alreadyExists(found.note.path);
    if (path !== normalPath(path)) throw otherSpelling(path);
    const { mirror } = await this.#database.current();
    if (mirror.isBelowFile(path)) throw fileInTheWay(path);
    if (mirror.isFolder(path)) throw folderInTheWay(path);
  }

  /** One change of a file at a time; repeats while other writers interfere. */
  #inTurn<Result>(
    paths: readonly VaultPath[],
    work: (attempt: Attempt) => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (const path of paths) assertWritable(path);
    const keys = paths.map((path) => path.toLowerCase());
    const attempt = new Attempt();
    return this.#queue.run([...new Set(keys)], async () => {
      try {
        const result = await this.#untilDone(paths, attempt, work);
        for (const loser of await this.#commits.clear(attempt))
          this.#own.add({ ...loser, base: undefined, isAcknowledged: false });
        return result;
      } catch (error) {
        throw attempt.refusal(paths[0] ?? ("" as VaultPath), error);
      }
    });
  }

  async #untilDone<Result>(
    paths: readonly VaultPath[],
    attempt: Attempt,
    work: (attempt: Attempt) => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (let tries = 1; ;) {
      attempt.writable = this.#database.writable();
      attempt.writable.catch(() => undefined);
      const outcome = await work(attempt);
      if (outcome !== AGAIN) return outcome;
      if (attempt.waitsSince !== undefined) {
        await delay(WAITING_PAUSE_MS);
        continue;
      }
      if (tries === MAX_TRIES) throw changedMeanwhile(paths[0] ?? ("" as VaultPath));
      await delay(randomInt(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** ++tries)));
    }
  }

  /** @returns what was written if an earlier try is current */
  async #settle(found: FoundDocument, attempt: Attempt): Promise<WrittenFile | typeof AGAIN | undefined> {
    const met = await this.#commits.meet(found, attempt);
    if (met) return met === "again" ? AGAIN : met;
    const settled = await this.lost.settle(found, attempt);
    if (settled === undefined) attempt.waitsSince = undefined;
    return settled;
  }
}

interface PutOptions {
  readonly attempt: Attempt;
  readonly isNew: boolean;
  /** Its chunks need not be written again. */
  readonly read?: WholeNote | undefined;
  readonly created?: EpochMilliseconds;
  readonly now?: number;
}

/** Access rules have allowed another path. */
function otherSpelling(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `LiveSync would store '${path}' under another spelling.`, {
    path,
    hint: "Give it in composed form (NFC), with plain blanks.",
  });
}

function underBothNames(from: VaultPath, to: VaultPath, error: unknown): unknown {
  return isVaultError(error) ? error.with({}, `${error.message} '${from}' is at '${to}' too now.`) : error;
}

/** A client that distinguishes case would delete it with the old name. */
function differsInCaseOnly(from: VaultPath, to: VaultPath): VaultError {
  const message = `'${to}' differs from '${from}' in case only: LiveSync keeps both as one, and some of its devices would delete the note.`;
  return new VaultError("INVALID_ARGUMENT", message, { path: from, hint: "Rename it in Obsidian." });
}

function revision(found: FoundDocument | undefined): ReturnType<typeof revisionOf> | undefined {
  return found && revisionOf(found.note.revision ?? "");
}
