/**
 * Writes files into the database: chunks first, metadata last and over one revision only, so that nothing incomplete becomes
 * visible (docs: livesync, "Writing").
 */
import { setTimeout as delay } from "node:timers/promises";
import { randomInt } from "node:crypto";
import { KeyedMutex } from "../../async/keyed-mutex.js";
import type { Clock } from "../../clock.js";
import { VaultError } from "../../errors.js";
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
import { normalPath, assertSyncable } from "./codec/note-id.js";
import { Attempt, Committer } from "./committer.js";
import type { Current, Database } from "./database.js";
import { merged } from "./merge.js";
import type { Looked, Read, Reader } from "./reader.js";
import { MAX_REMEMBERED, type OwnVersions } from "./own-versions.js";
import { revisionOf } from "./stamp.js";

/** Tries against other writers of the same file, with growing pauses. */
const MAX_TRIES = 20;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 500;
/** How long another server may take to withdraw a version that a single node accepted. */
const RIVAL_TIMEOUT_MS = 1500;
const MAX_REMEMBERED_BYTES = 64 * 1024;
/** A shorter file is cut as the client would cut it, whatever its content was. */
const MIN_LONG_FILE = 32 * 1024;

/** Another writer interfered: read again. */
const AGAIN = Symbol("again");

export class DocumentWriter {
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #commits: Committer;
  readonly #clock: Clock;
  readonly #queue = new KeyedMutex();
  /** Versions written last on a cluster, by revision. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #onConflict: (path: VaultPath) => void;
  readonly #stored: OwnVersions | undefined;
  #isLoaded = false;

  /** @param options.onConflict called when two versions of a file conflict and cannot be merged */
  constructor(
    database: Database,
    reader: Reader,
    clock: Clock,
    { onConflict, stored }: { onConflict: (path: VaultPath) => void; stored: OwnVersions | undefined },
  ) {
    this.#stored = stored;
    this.#onConflict = onConflict;
    this.#database = database;
    this.#reader = reader;
    this.#commits = new Committer(database);
    this.#clock = clock;
  }

  write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    assertSyncable(path, bytes.length);
    return this.#inTurn([path], async (attempt) => {
      const looked = await this.#reader.look(path);
      const present = presentAt(path, looked);
      assertExpected(path, expected, () => revision(present));
      const settled = looked && (await this.#settle(looked, attempt));
      if (settled) return settled;
      return this.#put(path, bytes, looked, { attempt, isNew: !present });
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
      const looked = read ?? (await this.#reader.look(path));
      // It was created while the change was computed.
      if (!read && presentAt(path, looked)) return AGAIN;
      return this.#put(path, bytes, looked, { attempt, isNew: !read, read });
    });
  }

  remove(path: VaultPath, expected: Expected): Promise<void> {
    assertWritable(path);
    return this.#inTurn([path], async (attempt) => {
      const looked = presentAt(path, await this.#reader.look(path));
      if (!looked) throw fileNotFound(path);
      assertExpected(path, expected, () => revision(looked));
      const opened = await this.#database.writable();
      const gone = await opened.codec.deletion(looked.note, this.#clock.now());
      const { conflicts } = looked.note;
      return (await this.#commits.commit(gone, opened, attempt, conflicts)) ? undefined : AGAIN;
    });
  }

  /** Writes the file to its new path, then deletes the old one. A crash in between leaves both. */
  move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    assertWritable(from);
    assertSyncable(to);
    return this.#inTurn([from, to], async (attempt) => {
      const read = await this.#reader.readWhole(from);
      if (!read) throw fileNotFound(from);
      assertExpected(from, expected, () => revision(read));
      const target = await this.#reader.look(to);
      if (target?.note.id === read.note.id && normalPath(from) !== normalPath(to)) throw differsInCaseOnly(from, to);
      if (target && !target.note.deleted) throw alreadyExists(to);
      const { created, modified: now } = read.note;
      const moved = await this.#put(to, read.file.bytes, target, { attempt, isNew: true, read, created, now });
      if (moved === AGAIN) return moved;
      return (await this.#leave(read, to, moved, attempt)) ? moved : AGAIN;
    });
  }

  /** Deletes the moved file; if that fails, the copy is deleted, unless another writer has changed it. */
  async #leave({ note }: Read, to: VaultPath, moved: WrittenFile, attempt: Attempt): Promise<boolean> {
    const opened = await this.#database.writable();
    const takeBack = async (): Promise<void> => {
      const copy = await this.#reader.look(to);
      if (!copy || revision(copy) !== moved.revision) return;
      const gone = await opened.codec.deletion(copy.note, this.#clock.now());
      await this.#commits.commit(gone, opened, attempt, copy.note.conflicts);
    };
    try {
      const gone = await opened.codec.deletion(note, this.#clock.now());
      if (await this.#commits.commit(gone, opened, attempt, note.conflicts)) return true;
    } catch (error) {
      // The first failure is more useful than a second one.
      await takeBack().catch(() => undefined);
      throw error;
    }
    await takeBack();
    return false;
  }

  async #put(
    path: VaultPath,
    bytes: Uint8Array,
    looked: Looked | undefined,
    { attempt, isNew, read, created, now = this.#clock.now() }: Putting,
  ): Promise<WrittenFile | typeof AGAIN> {
    const opened = await this.#database.writable();
    if (isNew) await this.#assertFree(path, looked);
    const previous = looked?.note;
    const isLong = bytes.length > MIN_LONG_FILE && read && previous?.id === read.note.id;
    const before = isLong ? await this.#reader.pieces(read) : undefined;
    const file: FileToWrite = { path, bytes, now, previous, before, created };
    const { document, pieces } = await opened.codec.encode(file);
    const missing = [...pieces].filter(([id]) => !read?.leaves.has(id));
    await this.#commits.addChunks(new Map(missing), opened);
    const { _id: id } = document;
    const parent = isNew ? undefined : previous?.revision;
    const texts = { id, path, parent, before: isNew ? undefined : read?.file.bytes, after: bytes };
    try {
      const written = await this.#commits.commit(document, opened, attempt, previous?.conflicts ?? []);
      if (!written) return AGAIN;
      if (opened.marks.copies === 1) return written;
      this.#remember(written.revision, { ...texts, isAcknowledged: true });
      this.#stored?.add({ id, revision: written.revision, parent });
      return written;
    } catch (error) {
      if (attempt.undecided !== undefined) this.#remember(attempt.undecided, { ...texts, isAcknowledged: false });
      throw error;
    }
  }

  /** Checks that nothing has this name. */
  async #assertFree(path: VaultPath, looked: Looked | undefined): Promise<void> {
    if (looked && !looked.note.deleted) throw alreadyExists(looked.note.path);
    const { mirror } = await this.#database.current();
    if (mirror.isBelowFile(path)) throw fileInTheWay(path);
    if (mirror.isFolder(path)) throw folderInTheWay(path);
  }

  /** One at a time in this process; repeated while other writers interfere. */
  #inTurn<Result>(
    paths: readonly VaultPath[],
    work: (attempt: Attempt) => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (const path of paths) assertWritable(path);
    const keys = paths.map((path) => normalPath(path).toLowerCase());
    const attempt = new Attempt();
    return this.#queue.run([...new Set(keys)], async () => {
      try {
        const result = await this.#untilItStands(paths, () => work(attempt));
        await this.#commits.clear(attempt);
        return result;
      } catch (error) {
        throw attempt.refusal(paths[0] ?? ("" as VaultPath), error);
      }
    });
  }

  async #untilItStands<Result>(
    paths: readonly VaultPath[],
    work: () => Promise<Result | typeof AGAIN>,
  ): Promise<Result> {
    for (let tries = 1; ; tries++) {
      const outcome = await work();
      if (outcome !== AGAIN) return outcome;
      if (tries === MAX_TRIES) throw changedMeanwhile(paths[0] ?? ("" as VaultPath));
      const most = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      await delay(randomInt(most));
    }
  }

  /**
   * Handles versions written by this process that are in conflict now: a node accepted another server's version without knowing
   * ours. That server withdraws its version or makes its change again on ours soon; otherwise both are merged here. Files that
   * are being changed are skipped.
   */
  reconcile({ mirror }: Current): void {
    if (this.#database.isCluster) this.#recall(mirror);
    for (const [revision, entry] of this.#remembered) {
      const file = mirror.byId(entry.id);
      const isInConflict = file?.conflicts.includes(revision) === true || file?.revision === revision;
      if (!isInConflict || file.conflicts.length === 0 || entry.isStuck || entry.isSettling) continue;
      if (entry.isAcknowledged && file.revision === revision) continue;
      entry.isSettling = true;
      const { path } = entry;
      // The server of the losing version acts first; one that acknowledged nothing waits longest.
      const wait = RIVAL_TIMEOUT_MS * (entry.isAcknowledged ? 1 : 2);
      const settling = delay(wait, undefined, { ref: false }).then(() =>
        this.#inTurn([path], async (attempt) => {
          attempt.waitsSince = -Infinity;
          const looked = await this.#reader.look(path);
          if (looked) await this.#settle(looked, attempt);
        }),
      );
      // A failure is retried after the next refresh.
      void settling.catch(() => undefined).finally(() => (entry.isSettling = false));
    }
  }

  /** Versions of earlier processes, which may have been killed. */
  #recall(mirror: Current["mirror"]): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    for (const { id, revision, parent } of this.#stored?.load() ?? []) {
      const path = mirror.byId(id)?.stat.path;
      if (path === undefined || this.#remembered.has(revision)) continue;
      this.#remember(revision, { id, path, parent, before: undefined, after: undefined, isAcknowledged: true });
    }
  }

  /**
   * Resolves earlier versions before a file is changed. @returns what was written if an earlier try of this change is current
   * after all
   */
  async #settle(looked: Looked, attempt: Attempt): Promise<WrittenFile | typeof AGAIN | undefined> {
    const met = await this.#commits.meet(looked, attempt);
    if (met) return met === "again" ? AGAIN : met;
    const { conflicts, revision: current = "" } = looked.note;
    if (conflicts.length === 0) return undefined;
    const unacknowledged = this.#remembered.get(current)?.isAcknowledged === false ? current : undefined;
    const revision = conflicts.find((one) => this.#remembered.has(one)) ?? unacknowledged;
    const entry = revision === undefined ? undefined : this.#remembered.get(revision);
    if (revision === undefined || !entry) return undefined;
    if (entry.isStuck) {
      this.#onConflict(entry.path);
      return undefined;
    }
    attempt.waitsSince ??= performance.now();
    if (performance.now() - attempt.waitsSince < RIVAL_TIMEOUT_MS) return AGAIN;
    attempt.waitsSince = undefined;
    const isSettled = revision === current ? this.#withdraw(looked, revision) : this.#merge(looked, revision, entry);
    if (await isSettled) return AGAIN;
    entry.isStuck = true;
    this.#onConflict(entry.path);
    return undefined;
  }

  /** The current version was never acknowledged, and the one in conflict with it may have been. */
  async #withdraw({ note }: Looked, revision: string): Promise<boolean> {
    this.#remembered.delete(revision);
    await this.#commits.discard({ id: note.id, revision }, note.document);
    return true;
  }

  /** Applies the changes of a version of ours to the current one, and deletes ours. */
  async #merge({ note }: Looked, revision: string, entry: Remembered): Promise<boolean> {
    const { id, path } = note;
    const read = await this.#reader.readWhole(path);
    // Another server may have resolved it meanwhile.
    if (read?.note.conflicts.includes(revision) !== true) return true;
    const { before, after } = entry.before && entry.after ? entry : await this.#texts(path, revision, entry);
    const both = before && after && merged(before, after, read.file.bytes);
    if (!both) return false;
    const isIncluded = Buffer.compare(both, read.file.bytes) === 0;
    const attempt = new Attempt();
    const written = isIncluded || (await this.#put(path, both, read, { attempt, isNew: false, read }));
    if (written === AGAIN) return true;
    await this.#commits.clear({ losers: [...attempt.losers, { id, revision }] });
    this.#remembered.delete(revision);
    return true;
  }

  /** The contents of a version and of its parent, as far as the database still has both. */
  async #texts(path: VaultPath, revision: string, { parent }: Remembered) {
    const after = await this.#reader.version(path, revision);
    const before = parent === undefined ? undefined : await this.#reader.version(path, parent);
    return { before: before?.bytes, after: after?.bytes };
  }

  #remember(revision: string, texts: Remembered): void {
    const isLong = texts.after === undefined || texts.after.length > MAX_REMEMBERED_BYTES;
    this.#remembered.set(revision, isLong ? { ...texts, before: undefined, after: undefined } : texts);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MAX_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
  }
}

/** A version that this process wrote, and its parent. */
interface Remembered {
  readonly id: string;
  readonly path: VaultPath;
  /** The revision that it was made of. */
  readonly parent: string | undefined;
  /** Not of long files, and not of those that an earlier process wrote. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** False for a version that too few nodes accepted, which was reported as perhaps made. */
  readonly isAcknowledged: boolean;
  /** It conflicts with the current version and cannot be merged. */
  isStuck?: boolean;
  isSettling?: boolean;
}

interface Putting {
  readonly attempt: Attempt;
  /** No file has that name. */
  readonly isNew: boolean;
  /** The file whose content it is made from, with the chunks that need not be written again. */
  readonly read?: Read | undefined;
  /** As the codec takes them; milliseconds since the epoch. */
  readonly created?: number;
  readonly now?: number;
}

/** The document of a file of exactly that name that is not deleted. */
function presentAt(path: VaultPath, looked: Looked | undefined): Looked | undefined {
  return looked && !looked.note.deleted && looked.note.path === normalPath(path) ? looked : undefined;
}

/**
 * One document has both names: a client on a system that distinguishes case deletes the old name when it sees the new one, and
 * with it the document.
 */
function differsInCaseOnly(from: VaultPath, to: VaultPath): VaultError {
  return new VaultError(
    "INVALID_ARGUMENT",
    `'${to}' differs from '${from}' in case only: LiveSync keeps both as one, and some of its devices would delete the note.`,
    {
      path: from,
      hint: "Rename it in Obsidian, or move it to another name, wait until all devices have synced, and move it again.",
    },
  );
}

function revision(looked: Looked | undefined): ReturnType<typeof revisionOf> | undefined {
  return looked && revisionOf(looked.note.revision ?? "");
}
