/** The two steps of every write: the chunks that the database lacks, then the document that makes them a file, acknowledged only when it stands (spec: livesync, section 8). */
import type { WrittenFile } from "../storage.js";
import type { RawDocument } from "./codec/document.js";
import { isDeepStrictEqual } from "node:util";
import type { Piece } from "./codec/pieces.js";
import type { Couch } from "./couch.js";
import type { Opened } from "./opening.js";
import { statOf } from "./reader.js";
import { revisionOf } from "./stamp.js";

/** Characters of chunks that are sent in one request. */
const BATCH = 2 * 1024 * 1024;
/** From so many on it is asked first which chunks are there already. */
const WORTH_ASKING = 256 * 1024;

export class Committer {
  readonly #couch: Couch;

  constructor(couch: Couch) {
    this.#couch = couch;
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
   * @returns undefined when another revision stands there, and what was to be written has never stood
   */
  async commit(document: RawDocument, opened: Opened): Promise<WrittenFile | undefined> {
    const put = await this.#couch.put(document);
    if (put.kind === "written") return written(document, put.revision, opened);
    // Of a request whose answer was lost the conflict may be our own work.
    const revision = put.isRepeated ? await this.#ownRevision(document) : undefined;
    return revision === undefined ? undefined : written(document, revision, opened);
  }

  /** The revision under which a document stands or stood, should it have been written. */
  async #ownRevision(document: RawDocument): Promise<string | undefined> {
    const { _id: id } = document;
    const before = document["_rev"];
    const there = (await this.#couch.byIds([id])).get(id);
    if (there?.kind !== "document") return undefined;
    if (isSame(document, there.document)) return String(there.document["_rev"]);
    const history = await this.#couch.history(id);
    const place = typeof before === "string" ? history.indexOf(before) : history.length;
    const next = place > 0 ? history[place - 1] : undefined;
    if (next === undefined) return undefined;
    const then = await this.#couch.revision(id, next);
    return then && isSame(document, then) ? next : undefined;
  }
}

async function written(document: RawDocument, revision: string, { codec }: Opened): Promise<WrittenFile> {
  const note = await codec.open({ ...document, _rev: revision });
  if (note.kind !== "note") throw new TypeError("what was written is no file");
  return { stat: statOf(note), revision: revisionOf(revision), durable: true };
}

/** Whether two documents say the same; what begins with an underscore is the database's. */
function isSame(one: RawDocument, other: RawDocument): boolean {
  return isDeepStrictEqual(own(one), own(other));
}

function own(document: RawDocument): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith("_")));
}
