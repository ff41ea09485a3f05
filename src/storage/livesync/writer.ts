/** Writes files into the database: chunks first, metadata last and over one revision only, so that nothing half-written is ever seen (spec: livesync, section 8). */
import { randomInt } from "node:crypto";
import type { Clock } from "../../clock.js";
import { VaultError } from "../../errors.js";
import { KeyedMutex } from "../../async/keyed-mutex.js";
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
import { Attempt } from "./attempt.js";
import { pausing } from "./client.js";
import { merged } from "./merge.js";
import type { FileToWrite } from "./codec/codec.js";
import { normalPath } from "./codec/note-id.js";
import { assertSyncable } from "./codec/writable.js";
import { Committer } from "./committer.js";
import type { Database } from "./database.js";
import type { Looked, Read, Reader } from "./reader.js";
import { revisionOf } from "./stamp.js";

/** Other writers of the same file are met with so many tries, each after a longer pause. */
const TRIES = 20;
const PAUSE = 5;
const LONGEST_PAUSE = 500;
/** Milliseconds to wait for another server to settle a dispute. */
const PATIENCE = 1500;
const REMEMBERED = 100;
const REMEMBERED_BYTES = 64 * 1024;
/** A shorter file is cut as the client would cut it, whatever stood there. */
const LONG_FILE = 32 * 1024;

/** Another writer came between: look again. */
const AGAIN = Symbol("again");

export class DocumentWriter {
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #commits: Committer;
  readonly #clock: Clock;
  readonly #queue = new KeyedMutex();
  /** What was written last, by revision, with what it was made of. */
  readonly #acknowledged = new Map<string, { readonly before?: Uint8Array | undefined; readonly after?: Uint8Array }>();

  constructor(database: Database, reader: Reader, clock: Clock) {
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
      // It came to be while the change was made.
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

  /**
   * Writes the file in its new place, then deletes the old one. A crash in between leaves both; nothing is lost.
   */
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

  /** Deletes what was moved away; where that cannot be done, the copy goes again, unless somebody has written on it already. */
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
      // The first failure tells more than a second one would.
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
    const isLong = bytes.length > LONG_FILE && read && previous?.id === read.note.id;
    const before = isLong ? await this.#reader.pieces(read) : undefined;
    const file: FileToWrite = { path, bytes, now, previous, before, created };
    const { document, pieces } = await opened.codec.encode(file);
    const missing = [...pieces].filter(([id]) => !read?.leaves.has(id));
    await this.#commits.addChunks(new Map(missing), opened);
    const written = await this.#commits.commit(document, opened, attempt, previous?.conflicts ?? []);
    if (!written) return AGAIN;
    if (opened.marks.copies > 1) this.#remember(written.revision, isNew ? undefined : read?.file.bytes, bytes);
    return written;
  }

  /** Whether a new file may stand here. */
  async #assertFree(path: VaultPath, looked: Looked | undefined): Promise<void> {
    if (looked && !looked.note.deleted) throw alreadyExists(looked.note.path);
    const { mirror } = await this.#database.current();
    if (mirror.isBelowFile(path)) throw fileInTheWay(path);
    if (mirror.isFolder(path)) throw folderInTheWay(path);
  }

  /** One after the other in this process; again while writers of others come between. */
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
      if (tries === TRIES) throw changedMeanwhile(paths[0] ?? ("" as VaultPath));
      const most = Math.min(LONGEST_PAUSE, PAUSE * 2 ** tries);
      await pausing(randomInt(most));
    }
  }

  /**
   * Whether something must be settled before a file is changed: an earlier try of this change stands there after all, or beside the
   * version that counts stands one that this process has acknowledged. Another server's was taken by a node behind the others'
   * backs then. That server takes it away, or writes both together, in a moment; else both are merged here.
   */
  async #settle(looked: Looked, attempt: Attempt): Promise<WrittenFile | typeof AGAIN | undefined> {
    const met = await this.#commits.meet(looked, attempt);
    if (met) return met === "gone" ? AGAIN : met;
    const { conflicts, id, path } = looked.note;
    const revision = conflicts.find((one) => this.#acknowledged.has(one));
    if (revision === undefined) return undefined;
    attempt.waitsSince ??= performance.now();
    if (performance.now() - attempt.waitsSince < PATIENCE) return AGAIN;
    const { before, after } = this.#acknowledged.get(revision) ?? {};
    this.#acknowledged.delete(revision);
    attempt.waitsSince = undefined;
    const read = await this.#reader.readWhole(path);
    const both = before && after && read && merged(before, after, read.file.bytes);
    // What cannot be merged stays, to be seen as a version in conflict.
    if (!both) return AGAIN;
    const written = await this.#put(path, both, read, { attempt, isNew: false, read });
    if (written !== AGAIN) await this.#commits.clear({ losers: [{ id, revision }] });
    return AGAIN;
  }

  #remember(revision: string, before: Uint8Array | undefined, after: Uint8Array): void {
    const isLong = after.length > REMEMBERED_BYTES;
    this.#acknowledged.set(revision, isLong ? {} : { before, after });
    for (const oldest of this.#acknowledged.keys()) {
      if (this.#acknowledged.size <= REMEMBERED) break;
      this.#acknowledged.delete(oldest);
    }
  }
}

interface Putting {
  readonly attempt: Attempt;
  /** No file of that name stands there. */
  readonly isNew: boolean;
  /** The file whose content this is made of, with the chunks that need not be written again. */
  readonly read?: Read | undefined;
  /** As the codec takes them; milliseconds since the epoch. */
  readonly created?: number;
  readonly now?: number;
}

/** What stands at a path by that very name, and is not deleted. */
function presentAt(path: VaultPath, looked: Looked | undefined): Looked | undefined {
  return looked && !looked.note.deleted && looked.note.path === normalPath(path) ? looked : undefined;
}

/** One document holds both names: a client on a system that tells case apart deletes the old name when it sees the new one, and with it the document. */
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
