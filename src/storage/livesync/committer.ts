/** Writes missing chunks, then the document; acknowledges it only when current (docs: livesync, "Writing"). */
import { putNewest } from "../../async/put-newest.js";
import { isVaultError, VaultError } from "../../errors.js";
import { call, said } from "../../text/wording.js";
import type { VaultPath } from "../path.js";
import type { WrittenFile } from "../storage.js";
import { decide, discardVersion, findStray, isSameVersion, judgeWrite, type Loser } from "./arbiter.js";
import { type RawDocument, generationOf, revisionOf } from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Piece } from "./codec/cut-chunks.js";
import type { Couch } from "./couch.js";
import type { Database } from "./database.js";
import type { Opened } from "./inspect.js";
import { type FoundDocument, noteStat } from "./file-reader.js";

/** A change of a file, and the versions its tries left. */
export class Attempt {
  /** To delete once their content is in the winner. */
  readonly losers: Loser[] = [];
  /** Deleted to repeat the change on another server's version. */
  readonly withdrawn: string[] = [];
  readonly refused: RawDocument[] = [];
  /** Perhaps stored. */
  undecided: string | undefined;
  /** Requested with the first request. */
  writable: Promise<Opened> | undefined;
  waitsSince: number | undefined;
  /** Each contains what the other lacks. */
  #conflict: { readonly ours: string; readonly winner: string } | undefined;

  lost(loser: Loser, winner: string): void {
    this.losers.push(loser);
    this.#conflict = { ours: loser.revision, winner };
  }

  refusal(path: VaultPath, error: unknown): unknown {
    if (!this.#conflict || this.undecided !== undefined) return error;
    const { ours, winner } = this.#conflict;
    return new VaultError(
      "CONFLICT",
      `Another server changed '${path}' at the same moment: its version ${winner} counts, and yours is stored as the conflicting version ${ours}.`,
      {
        path,
        hint: said`Compare both with ${call("obsidian_list_conflicts")}, then repeat what is missing.`,
        cause: error,
      },
    );
  }
}

/** Per request. */
const MAX_BATCH_CHARACTERS = 2 * 1024 * 1024;
/** Characters. Below, sending all costs less than asking. */
const MIN_WORTH_ASKING = 256 * 1024;
const MAX_REMEMBERED = 20;

export class Committer {
  readonly #database: Database;
  readonly #couch: Couch;
  readonly #refused = new Map<string, readonly RawDocument[]>();

  constructor(database: Database) {
    this.#database = database;
    this.#couch = database.couch;
  }

  /** @throws when the database has not accepted all */
  async addChunks(pieces: ReadonlyMap<string, Piece>, { codec, marks }: Opened): Promise<void> {
    if (pieces.size === 0) return;
    const length = [...pieces.values()].reduce((sum, piece) => sum + piece.length, 0);
    const isShort = length <= MIN_WORTH_ASKING;
    // A cluster's node may hang and answer late.
    const found = isShort && marks.copies > 1 ? await this.#couch.leaves([...pieces.keys()]) : [];
    const there = isShort ? new Set(found.map((leaf) => leaf["_id"])) : await this.#couch.present([...pieces.keys()]);
    const existing: string[] = [];
    let batch: RawDocument[] = [];
    let size = 0;
    for (const [id, piece] of pieces) {
      if (there.has(id)) continue;
      batch.push(await codec.leaf(id, piece));
      size += piece.length;
      if (size < MAX_BATCH_CHARACTERS) continue;
      existing.push(...(await this.#add(batch)));
      batch = [];
      size = 0;
    }
    if (batch.length > 0) existing.push(...(await this.#add(batch)));
    const others = isShort && existing.length > 0 ? await this.#couch.leaves(existing) : [];
    for (const leaf of [...found, ...others]) {
      const id = leaf["_id"];
      if (!(await codec.holds(leaf, pieces.get(id) ?? ""))) throw damagedChunk(id);
    }
  }

  /** Without most nodes the document must not be written. @returns the ids that existed */
  async #add(batch: readonly RawDocument[]): Promise<readonly string[]> {
    const { existing, isDecided } = await this.#couch.add(batch);
    if (isDecided || (await this.#couch.hasQuorum())) return existing;
    throw new VaultError("UNAVAILABLE", "Only one node of the CouchDB cluster can be reached; nothing was changed.", {
      hint: "Look at the cluster, then try again.",
    });
  }

  /**
   * @param before versions already in conflict
   * @returns undefined when another version is current; ours never counted, or is recorded in the attempt
   */
  async commit(
    document: RawDocument,
    opened: Opened,
    attempt: Attempt,
    before: readonly string[],
  ): Promise<WrittenFile | undefined> {
    const isCluster = opened.marks.copies > 1;
    const put = await this.#couch.put(document).catch(async (error: unknown) => {
      // A stopped node may still accept it.
      if (isCluster) this.#remember(document, attempt);
      throw isVaultError(error) && error.isUncertain
        ? answerLost((await noteOf(document, "", opened)).path, error)
        : error;
    });
    if (put.kind === "written") {
      const undecided = put.isUndecided ? before : undefined;
      return this.#settled(document, put.revision, opened, attempt, undecided);
    }
    // The conflict may be our own version.
    const revision = put.isRepeated ? await this.#ownRevision(document, opened) : undefined;
    if (revision !== undefined)
      return this.#settled(document, revision, opened, attempt, isCluster ? before : undefined);
    if (isCluster) this.#remember(document, attempt);
    const stray = isCluster ? await findStray(this.#couch, document, before) : undefined;
    if (stray?.isCurrent && stray.isAlone) return this.#settled(document, stray.revision, opened, attempt);
    if (stray?.isCurrent) await discardVersion(this.#couch, stray);
    else if (stray) attempt.losers.push(stray);
    return undefined;
  }

  /**
   * One node may have accepted an earlier or refused try.
   * @returns what was written if a try of this attempt, or a version made from it, is current; `again` if it gives way
   */
  async meet({ note, opened }: FoundDocument, attempt: Attempt): Promise<WrittenFile | "again" | undefined> {
    const { id, revision = "", conflicts, document } = note;
    if (attempt.withdrawn.includes(revision)) return "again";
    const tries = [...attempt.losers.map((loser) => loser.revision), ...attempt.withdrawn];
    if (tries.length > 0) {
      const history = await this.#couch.history(id);
      const made = tries.find((one) => history.includes(one));
      if (made !== undefined) {
        const counts = attempt.losers.findIndex((loser) => loser.revision === made);
        if (counts !== -1) attempt.losers.splice(counts, 1);
        return { ...(await this.#known(document, revision, opened)), revision: revisionOf(made) };
      }
    }
    const refused = this.#refused.get(id);
    if (!refused) return undefined;
    for (const other of conflicts) {
      const version = await this.#couch.revision(id, other);
      if (version && refused.some((one) => isSameVersion(one, version)))
        await discardVersion(this.#couch, { id, revision: other }, version);
    }
    const ours = refused.find((one) => isSameVersion(one, document));
    if (!ours) return this.#builtUpon(attempt, opened);
    const isAlone = conflicts.every((one) => generationOf(one) < generationOf(revision));
    if (isAlone && attempt.refused.includes(ours)) return this.#settled(ours, revision, opened, attempt);
    if (isAlone) return undefined;
    await discardVersion(this.#couch, { id, revision }, ours);
    return "again";
  }

  async clear({ losers }: Pick<Attempt, "losers">): Promise<readonly Loser[]> {
    const remaining: Loser[] = [];
    for (const loser of losers) if (!(await discardVersion(this.#couch, loser))) remaining.push(loser);
    return remaining;
  }

  discard(loser: Loser, document: RawDocument): Promise<boolean> {
    return discardVersion(this.#couch, loser, document);
  }

  /** Another server may have built on a refused try. */
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
    const documents = [...(this.#refused.get(id) ?? []), document].slice(-MAX_REMEMBERED);
    putNewest(this.#refused, id, documents, MAX_REMEMBERED);
  }

  /** Acknowledges a current version. @param undecided the versions already in conflict */
  async #settled(
    document: RawDocument,
    revision: string,
    opened: Opened,
    attempt: Attempt,
    undecided?: readonly string[],
  ): Promise<WrittenFile | undefined> {
    const { copies } = opened.marks;
    const known = [...(undecided ?? []), ...attempt.losers.map((loser) => loser.revision)];
    const verdict = undecided
      ? await decide(this.#couch, document, revision, { known, copies })
      : await judgeWrite(this.#couch, document, revision, copies);
    switch (verdict.kind) {
      case "lost":
        attempt.lost({ id: document["_id"], revision }, verdict.winner);
        if (verdict.isSibling) return undefined;
        throw attempt.refusal((await noteOf(document, revision, opened)).path, undefined);
      case "withdrawn":
        attempt.withdrawn.push(revision);
        return undefined;
      case "undecided":
        attempt.undecided = revision;
        throw perhapsMade((await noteOf(document, revision, opened)).path);
      case "accepted":
    }
    return this.#known(document, revision, opened);
  }

  async #known(document: RawDocument, revision: string, opened: Opened): Promise<WrittenFile> {
    const note = await noteOf(document, revision, opened);
    this.#database.replica?.wrote(note);
    return { stat: noteStat(note), revision: revisionOf(revision), durable: true };
  }

  /**
   * Undefined: not written.
   * @throws CONFLICT when unknown: a version made from it is on the answering nodes, and it is not
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
    if (next === undefined || next === there.document["_rev"]) return undefined;
    const then = await this.#couch.revision(id, next);
    if (!then) throw cannotTell((await noteOf(document, next, opened)).path);
    return isSameVersion(document, then) ? next : undefined;
  }
}

function damagedChunk(id: string): VaultError {
  const message = `The chunk '${id}' is in the database with another text than its name says; nothing was changed.`;
  return new VaultError("UNAVAILABLE", message, { hint: "Let LiveSync in Obsidian verify and repair all files." });
}

/** The version may become current later. */
function perhapsMade(path: VaultPath): VaultError {
  return new VaultError(
    "UNAVAILABLE",
    `'${path}' was perhaps changed: only one node took it, and the others of the CouchDB cluster cannot be reached.`,
    { path, hint: "Look at the cluster, then read the file before you repeat the change." },
  );
}

function answerLost(path: VaultPath, { message, hint = "" }: VaultError): VaultError {
  return new VaultError("UNAVAILABLE", `${message} Whether the change of '${path}' was made is unknown.`, {
    path,
    hint: ["Read it before you repeat the change.", hint],
    isUncertain: true,
  });
}

/** Repeating it could make the change twice. */
function cannotTell(path: VaultPath): VaultError {
  return new VaultError(
    "CONFLICT",
    `'${path}' was changed by another server at the same moment, and whether this change was made before is unknown.`,
    { path, hint: "Read it again, and repeat what is missing." },
  );
}

async function noteOf(document: RawDocument, revision: string, { codec }: Opened): Promise<NoteMetadata> {
  const note = await codec.open({ ...document, _rev: revision });
  if (note.kind !== "note") throw new TypeError("what was written is no file");
  return note;
}
