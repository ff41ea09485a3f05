/** The two steps of every write: the chunks that the database lacks, then the document that makes them a file, acknowledged only when it counts (spec: livesync, section 8). */
import { VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import type { WrittenFile } from "../storage.js";
import { Arbiter, isSameVersion } from "./arbiter.js";
import type { Attempt } from "./attempt.js";
import type { RawDocument } from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Piece } from "./codec/pieces.js";
import type { Couch } from "./couch.js";
import type { Database } from "./database.js";
import type { Opened } from "./inspect.js";
import type { Looked } from "./reader.js";
import { generationOf, revisionOf } from "./stamp.js";
import { statOf } from "./stored-file.js";

/** Characters of chunks that are sent in one request. */
const BATCH = 2 * 1024 * 1024;
/** From so many on it is asked first which chunks are there already. */
const WORTH_ASKING = 256 * 1024;
const REMEMBERED = 20;

export class Committer {
  readonly #database: Database;
  readonly #couch: Couch;
  readonly #arbiter: Arbiter;
  /** What was refused last, by document. */
  readonly #refused = new Map<string, readonly RawDocument[]>();

  constructor(database: Database) {
    this.#database = database;
    this.#couch = database.couch;
    this.#arbiter = new Arbiter(database.couch);
  }

  /** Writes the chunks that are not there. @throws VaultError when the database has not taken all */
  async addChunks(pieces: ReadonlyMap<string, Piece>, { codec }: Opened): Promise<void> {
    if (pieces.size === 0) return;
    const length = [...pieces.values()].reduce((sum, piece) => sum + piece.length, 0);
    const there = length > WORTH_ASKING ? await this.#couch.present([...pieces.keys()]) : new Set<string>();
    let batch: RawDocument[] = [];
    let size = 0;
    for (const [id, piece] of pieces) {
      if (there.has(id)) continue;
      batch.push(await codec.leaf(id, piece));
      size += piece.length;
      if (size < BATCH) continue;
      await this.#couch.add(batch);
      [batch, size] = [[], 0];
    }
    if (batch.length > 0) await this.#couch.add(batch);
  }

  /**
   * Writes a file's document over the revision it names.
   * @param before the versions that stand side by side there
   * @returns undefined when another version counts; what was to be written has then never stood, or is in the attempt's account
   */
  async commit(
    document: RawDocument,
    opened: Opened,
    attempt: Attempt,
    before: readonly string[],
  ): Promise<WrittenFile | undefined> {
    const put = await this.#couch.put(document);
    const isCluster = opened.marks.copies > 1;
    if (put.kind === "written") return this.#settled(document, put.revision, opened, attempt);
    // Of a request whose answer was lost the conflict may be our own work.
    const revision = put.isRepeated ? await this.#ownRevision(document, opened) : undefined;
    if (revision !== undefined) return this.#settled(document, revision, opened, attempt);
    if (isCluster) this.#remember(document, attempt);
    const stray = isCluster ? await this.#arbiter.stray(document, before) : undefined;
    if (stray?.isCurrent && stray.isAlone) return this.#settled(document, stray.revision, opened, attempt);
    if (stray?.isCurrent) await this.#arbiter.discard(stray);
    else if (stray) attempt.losers.push(stray);
    return undefined;
  }

  /**
   * Looks whether refused tries stand where a file is looked at: a single node took them, and the others have heard of it by now.
   * @returns what was written where the current version is, or was made of, a try of this attempt, `gone` where it gave way to another, else undefined
   */
  async meet({ note, opened }: Looked, attempt: Attempt): Promise<WrittenFile | "gone" | undefined> {
    const { id, revision = "", conflicts, document } = note;
    const refused = this.#refused.get(id);
    if (!refused) return undefined;
    for (const beside of conflicts) {
      const version = await this.#couch.revision(id, beside);
      if (version && refused.some((one) => isSameVersion(one, version)))
        await this.#arbiter.discard({ id, revision: beside });
    }
    const ours = refused.find((one) => isSameVersion(one, document));
    if (!ours) return this.#builtUpon(attempt, opened);
    const isAlone = conflicts.every((one) => generationOf(one) < generationOf(revision));
    if (isAlone && attempt.refused.includes(ours)) return this.#settled(ours, revision, opened, attempt);
    if (isAlone) return undefined;
    await this.#arbiter.discard({ id, revision });
    return "gone";
  }

  /** Takes away what an attempt has left beside the version that holds it all. */
  async clear({ losers }: Pick<Attempt, "losers">): Promise<void> {
    for (const loser of losers) await this.#arbiter.discard(loser);
  }

  /** What another server has made its own version of: it has read a refused try before the others had heard of it. */
  async #builtUpon(attempt: Attempt, opened: Opened): Promise<WrittenFile | undefined> {
    for (const one of attempt.refused) {
      const revision = await this.#ownRevision(one, opened);
      if (revision !== undefined) return this.#settled(one, revision, opened, attempt);
    }
    return undefined;
  }

  #remember(document: RawDocument, attempt: Attempt): void {
    attempt.refused.push(document);
    const { _id: id } = document;
    this.#refused.set(id, [...(this.#refused.get(id) ?? []), document].slice(-REMEMBERED));
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= REMEMBERED) break;
      this.#refused.delete(oldest);
    }
  }

  /** One node of several may have taken another version of the file at the same moment. */
  async #settled(
    document: RawDocument,
    revision: string,
    opened: Opened,
    attempt: Attempt,
  ): Promise<WrittenFile | undefined> {
    if (opened.marks.copies > 1) {
      const verdict = await this.#arbiter.verdict(document, revision);
      if (verdict.kind === "lost") {
        attempt.lost({ id: document["_id"], revision }, verdict.winner);
        if (verdict.isSibling) return undefined;
        throw attempt.refusal((await noteOf(document, revision, opened)).path, undefined);
      }
    }
    const note = await noteOf(document, revision, opened);
    this.#database.wrote(note);
    return { stat: statOf(note), revision: revisionOf(revision), durable: true };
  }

  /**
   * The revision under which a document stands or stood, should it have been written.
   * @throws VaultError CONFLICT where that cannot be told: what was made of it has reached the nodes that answer, and it has not
   */
  async #ownRevision(document: RawDocument, opened: Opened): Promise<string | undefined> {
    const { _id: id } = document;
    const before = document["_rev"];
    const there = (await this.#couch.byIds([id])).get(id);
    if (there?.kind !== "document") return undefined;
    if (isSameVersion(document, there.document)) return String(there.document["_rev"]);
    const history = await this.#couch.history(id);
    const place = typeof before === "string" ? history.indexOf(before) : history.length;
    const next = place > 0 ? history[place - 1] : undefined;
    // What stands there now was looked at above.
    if (next === undefined || next === there.document["_rev"]) return undefined;
    const then = await this.#couch.revision(id, next);
    if (!then) throw cannotTell((await noteOf(document, next, opened)).path);
    return isSameVersion(document, then) ? next : undefined;
  }
}

/** Made again, a change that was made would be made twice. */
function cannotTell(path: VaultPath): VaultError {
  return new VaultError(
    "CONFLICT",
    `'${path}' was changed by another server at the same moment, and whether this change was made before cannot be told.`,
    { path, hint: "Read it again, and repeat what is missing." },
  );
}

async function noteOf(document: RawDocument, revision: string, { codec }: Opened): Promise<NoteMetadata> {
  const note = await codec.open({ ...document, _rev: revision });
  if (note.kind !== "note") throw new TypeError("what was written is no file");
  return note;
}
