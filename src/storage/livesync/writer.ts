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
import { AGAIN, lostVersions, type OwnVersions } from "./lost-versions.js";
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

/** @param options.onConflict two versions cannot be merged */
export function documentWriter(
  database: Database,
  reader: Reader,
  clock: Clock,
  { onConflict, own }: { readonly onConflict: (path: VaultPath) => void; readonly own: OwnVersions },
) {
  const queue = new KeyedMutex();
  const commits = new Committer(database);
  const lost = lostVersions(database, reader, commits, {
    own,
    onConflict,
    put: (read, bytes, attempt) => put(read.note.path, bytes, read, { attempt, isNew: false, read }),
    inTurn: (path, work) => inTurn([path], work),
  });

  function write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    assertSyncable(path, bytes.length);
    return inTurn([path], async (attempt) => {
      const found = await reader.find(path);
      const present = presentAt(path, found);
      assertExpected(path, expected, () => revision(present));
      const settled = found && (await settle(found, attempt));
      if (settled) return settled;
      return put(path, bytes, found, { attempt, isNew: !present });
    });
  }

  function update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return inTurn([path], async (attempt) => {
      const read = await reader.readWhole(path);
      const settled = read && (await settle(read, attempt));
      if (settled) return settled;
      const bytes = await change(read?.file);
      if (bytes === undefined || (read && Buffer.compare(bytes, read.file.bytes) === 0)) return undefined;
      assertSyncable(path, bytes.length);
      const found = read ?? (await reader.find(path));
      if (!read && presentAt(path, found)) return AGAIN;
      return put(path, bytes, found, { attempt, isNew: !read, read });
    });
  }

  function remove(path: VaultPath, expected: Expected): Promise<void> {
    assertWritable(path);
    return inTurn([path], async (attempt) => {
      const found = await reader.findFile(path);
      if (!found) throw fileNotFound(path);
      assertExpected(path, expected, () => revision(found));
      const opened = await writable(attempt);
      const gone = await opened.codec.deletion(found.note, clock.now());
      const { conflicts } = found.note;
      return (await commits.commit(gone, opened, attempt, conflicts)) ? undefined : AGAIN;
    });
  }

  /** A crash in between leaves both. */
  function move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    assertWritable(from);
    assertSyncable(to);
    return inTurn([from, to], async (attempt) => {
      const read = await reader.readWhole(from);
      if (!read) throw fileNotFound(from);
      assertExpected(from, expected, () => revision(read));
      const target = await reader.find(to);
      if (target?.note.id === read.note.id && from !== to) throw differsInCaseOnly(from, to);
      if (target && !target.note.deleted) throw alreadyExists(to);
      const { created, modified: now } = read.note;
      const moved = await put(to, read.file.bytes, target, { attempt, isNew: true, read, created, now });
      if (moved === AGAIN) return moved;
      return (await leave(read, to, moved, attempt)) ? moved : AGAIN;
    });
  }

  /** On failure deletes the copy if it is unchanged. */
  async function leave({ note }: WholeNote, to: VaultPath, moved: WrittenFile, attempt: Attempt): Promise<boolean> {
    const opened = await writable(attempt);
    let failure: unknown;
    try {
      const gone = await opened.codec.deletion(note, clock.now());
      if (await commits.commit(gone, opened, attempt, note.conflicts)) return true;
    } catch (error) {
      failure = error;
    }
    try {
      const isLost = isVaultError(failure) && failure.isUncertain;
      if (isLost && !(await reader.findFile(note.path))) return true;
      const copy = await reader.find(to);
      if (copy && revision(copy) === moved.revision) {
        const gone = await opened.codec.deletion(copy.note, clock.now());
        await commits.commit(gone, opened, attempt, copy.note.conflicts);
      }
    } catch (error) {
      throw underBothNames(note.path, to, failure ?? error);
    }
    if (failure !== undefined) throw failure;
    return false;
  }

  async function put(
    path: VaultPath,
    bytes: Uint8Array,
    found: FoundDocument | undefined,
    { attempt, isNew, read, created, now = clock.now() }: PutOptions,
  ): Promise<WrittenFile | typeof AGAIN> {
    const opened = await writable(attempt);
    if (isNew) await assertFree(path, found);
    const previous = found?.note;
    const isLong = bytes.length > MIN_LONG_FILE && read && previous?.id === read.note.id;
    const before = isLong ? await reader.pieces(read) : undefined;
    const file: FileToWrite = { path, bytes, now, previous, before, created };
    const { document, pieces } = await opened.codec.encode(file);
    const missing = [...pieces].filter(([id]) => !read?.leaves.has(id));
    await commits.addChunks(new Map(missing), opened);
    const { _id: id } = document;
    const base = isNew ? undefined : previous?.document;
    try {
      const written = await commits.commit(document, opened, attempt, previous?.conflicts ?? []);
      if (!written) return AGAIN;
      if (opened.marks.copies > 1) own.add({ id, revision: written.revision, base, isAcknowledged: true });
      return written;
    } catch (error) {
      const { undecided } = attempt;
      if (undecided !== undefined) own.add({ id, revision: undecided, base, isAcknowledged: false });
      throw error;
    }
  }

  function writable(attempt: Attempt): Promise<Opened> {
    return (attempt.writable ??= database.writable());
  }

  async function assertFree(path: VaultPath, found: FoundDocument | undefined): Promise<void> {
    if (found && !found.note.deleted) throw alreadyExists(found.note.path);
    if (path !== normalPath(path)) throw otherSpelling(path);
    const { mirror } = await database.current();
    if (mirror.isBelowFile(path)) throw fileInTheWay(path);
    if (mirror.isFolder(path)) throw folderInTheWay(path);
  }

  /** One change of a file at a time; repeats while other writers interfere. */
  function inTurn<Result>(
    paths: readonly VaultPath[],
    work: (attempt: Attempt) => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (const path of paths) assertWritable(path);
    const keys = paths.map((path) => path.toLowerCase());
    const attempt = new Attempt();
    return queue.run([...new Set(keys)], async () => {
      try {
        const result = await untilDone(paths, attempt, work);
        for (const loser of await commits.clear(attempt)) own.add({ ...loser, base: undefined, isAcknowledged: false });
        return result;
      } catch (error) {
        throw attempt.refusal(paths[0] ?? ("" as VaultPath), error);
      }
    });
  }

  async function untilDone<Result>(
    paths: readonly VaultPath[],
    attempt: Attempt,
    work: (attempt: Attempt) => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (let tries = 1; ;) {
      attempt.writable = database.writable();
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
  async function settle(found: FoundDocument, attempt: Attempt): Promise<WrittenFile | typeof AGAIN | undefined> {
    const met = await commits.meet(found, attempt);
    if (met) return met === "again" ? AGAIN : met;
    const settled = await lost.settle(found, attempt);
    if (settled === undefined) attempt.waitsSince = undefined;
    return settled;
  }

  return { lost, write, update, remove, move };
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
