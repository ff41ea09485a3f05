/** Files from the database: metadata and chunks in as few requests as can be, whole or not at all (spec: livesync, sections 3 and 7). */
import { isVaultError, VaultError } from "../../errors.js";
import { isHidden, type VaultPath } from "../path.js";
import type { FileStat, ReadManyOptions, Revision, StoredFile, UnreadableFile } from "../storage.js";
import { isNoteDocument, type RawDocument } from "./codec/document.js";
import { normalPath } from "./codec/note-id.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Piece } from "./codec/pieces.js";
import { pausing } from "./client.js";
import type { Couch, Found } from "./couch.js";
import type { Current, Database } from "./database.js";
import { LeafCache } from "./leaf-cache.js";
import { chunksOf, recordOf, type MirroredFile } from "./mirror.js";
import { isBehind, STALE_PAUSES } from "./replica.js";
import type { Opened } from "./inspect.js";
import { revisionOf, revisionStamp } from "./stamp.js";

/** A file's document as it stands, deleted ones too. */
export interface Looked {
  readonly opened: Opened;
  readonly note: NoteMetadata;
}

/** A file and what it is made of. */
export interface Read extends Looked {
  readonly file: StoredFile;
  /** Its chunks by their ids, as far as they stand in documents of their own. */
  readonly leaves: ReadonlyMap<string, RawDocument>;
}

/** What is told of a file that is read all the same. */
export interface Doubts {
  /** It is not of the size that its document says. */
  onMismatch(path: VaultPath, size: number, found: number): void;
  /** A chunk of it does not hold what it is named after. */
  onStrange(path: VaultPath, chunk: string): void;
}

/** Bytes of files and number of chunks that are asked for at once. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_CHUNKS = 1000;
const BATCH_FILES = 250;
/** Bytes of one long file whose chunks are asked for at once. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** More chunks than this are not worth asking for before it is known that they are wanted. */
const GUESSED_CHUNKS = 100;
/** So many times is a file read again that another device is writing on. */
const TRIES = 3;

export class Reader {
  readonly #database: Database;
  readonly #couch: Couch;
  readonly #leaves = new LeafCache();
  readonly #doubts: Doubts;

  constructor(database: Database, doubts: Doubts) {
    this.#database = database;
    this.#couch = database.couch;
    this.#doubts = doubts;
  }

  /** The document that holds, or held, the file at a path. Hidden files are kept elsewhere. @throws VaultError */
  async look(path: VaultPath): Promise<Looked | undefined> {
    if (isHidden(path)) return undefined;
    const opened = await this.#database.opened();
    const id = opened.codec.idOf(path);
    const found = await this.#fetch(id);
    const note = found.kind === "document" ? await noteIn(found.document, opened) : undefined;
    if (note) return { opened, note };
    // What is read here may tell more of the database; and a client of other settings may have put the file elsewhere.
    const current = await this.#database.current();
    const file = current.mirror.at(normalPath(path));
    if (!file || file.id === id) return undefined;
    if (file.fault) throw file.fault;
    const other = await this.#fetch(file.id);
    const elsewhere = other.kind === "document" ? await noteIn(other.document, current) : undefined;
    return elsewhere && { opened: current, note: elsewhere };
  }

  /** As `look`; undefined when no file stands there now, by that very name. */
  async lookFile(path: VaultPath): Promise<Looked | undefined> {
    const looked = await this.look(path);
    return looked && !looked.note.deleted && looked.note.path === normalPath(path) ? looked : undefined;
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    return (await this.readWhole(path))?.file;
  }

  /** @throws VaultError UNAVAILABLE naming the chunk that is missing or does not open */
  async readWhole(path: VaultPath): Promise<Read | undefined> {
    let looked = await this.lookFile(path);
    for (let tries = 1; looked; tries++) {
      try {
        return await this.#content(looked);
      } catch (error) {
        // A chunk may be gone because the file has changed since.
        if (tries === TRIES || !isVaultError(error, "UNAVAILABLE")) throw error;
        const { revision } = looked.note;
        looked = await this.lookFile(path);
        if (looked?.note.revision === revision) throw error;
      }
    }
    return undefined;
  }

  async #content({ opened, note }: Looked): Promise<Read> {
    const leaves = await this.#gather(opened.codec.leavesOf(note), note.size);
    const bytes = await this.#decoded(note, opened, leaves);
    return { opened, note, leaves, file: this.#stored(note, bytes) };
  }

  #decoded(note: NoteMetadata, { codec }: Opened, leaves: ReadonlyMap<string, RawDocument>): Promise<Buffer> {
    return codec.decode(
      note,
      (id) => leaves.get(id),
      (chunk) => this.#doubts.onStrange(note.path, chunk),
    );
  }

  /** The pieces in which a file that was read is stored. */
  pieces({ opened, note, leaves }: Read): Promise<readonly Piece[]> {
    return opened.codec.pieces(note, (id) => leaves.get(id));
  }

  /** One of the versions in conflict. */
  async version(path: VaultPath, revision: string): Promise<StoredFile | undefined> {
    const looked = await this.lookFile(path);
    if (!looked) return undefined;
    const document = await this.#couch.revision(looked.note.id, revision);
    const note = document && (await noteIn(document, looked.opened));
    return note && !note.deleted ? (await this.#content({ opened: looked.opened, note })).file : undefined;
  }

  /** Many files, as the database has them when the first is asked for; the next requests are under way while these are looked at. */
  async *readMany(
    paths: readonly VaultPath[],
    { limit = Infinity, signal }: ReadManyOptions,
  ): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
    const visible = paths.filter((path) => !isHidden(path));
    if (visible.length === 0) return;
    const current = await this.#database.current();
    const files = visible.flatMap((path) => current.mirror.at(normalPath(path)) ?? []);
    const batches = inBatches(files);
    const start = (): Promise<readonly (StoredFile | UnreadableFile)[]> | undefined => {
      const { value, done } = batches.next();
      if (done) return undefined;
      const reading = this.#readBatch(value, current, limit, signal);
      reading.catch(() => undefined);
      return reading;
    };
    const underWay = [start(), start()];
    for (;;) {
      signal?.throwIfAborted();
      const batch = await underWay.shift();
      if (!batch) return;
      underWay.push(start());
      yield batch;
    }
  }

  async #readBatch(
    files: readonly MirroredFile[],
    current: Current,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly (StoredFile | UnreadableFile)[]> {
    const notes = await this.#records(files, current, signal);
    const wanted = new Set(notes.flatMap((note) => (isFault(note) ? [] : current.codec.leavesOf(note))));
    const leaves = new Map<string, RawDocument>();
    for (const leaf of await this.#couch.leaves([...wanted], signal)) leaves.set(leaf["_id"], leaf);
    const read = await Promise.all(
      notes.map(async (note): Promise<StoredFile | UnreadableFile | undefined> => {
        if (isFault(note)) return note;
        try {
          return new Portion(this.#stored(note, await this.#decoded(note, current, leaves)), limit);
        } catch (error) {
          if (!isVaultError(error)) throw error;
          return this.#readAgain(note, limit, error);
        }
      }),
    );
    return read.filter((file) => file !== undefined);
  }

  /** What could not be read may have changed since its document was looked at. */
  async #readAgain(
    { path, revision }: NoteMetadata,
    limit: number,
    error: VaultError,
  ): Promise<StoredFile | UnreadableFile | undefined> {
    try {
      const file = await this.read(path);
      return file && new Portion(file, limit);
    } catch (again) {
      if (!isVaultError(again)) throw again;
      return { path, error: revision === undefined ? error : again };
    }
  }

  /** The documents themselves where a part of the content stands in them. */
  async #records(
    files: readonly MirroredFile[],
    opened: Opened,
    signal: AbortSignal | undefined,
  ): Promise<readonly (NoteMetadata | UnreadableFile)[]> {
    const inline = files.filter(({ isInline, fault }) => isInline && fault === undefined).map(({ id }) => id);
    const documents = await this.#couch.byIds(inline, signal);
    const records = files.map(async (file): Promise<NoteMetadata | UnreadableFile | undefined> => {
      const { path } = file.stat;
      if (file.fault) return { path, error: file.fault };
      if (!file.isInline) return recordOf(file);
      const found = documents.get(file.id);
      return found?.kind === "document" ? noteIn(found.document, opened) : undefined;
    });
    return (await Promise.all(records)).filter((record) => record !== undefined);
  }

  /** A document, and with it the chunks that its file had when it was last seen. */
  async #fetch(id: string): Promise<Found> {
    const children = chunksOf(this.#database.recall(id)?.chunks ?? "");
    const guessed = children.length > GUESSED_CHUNKS ? [] : this.#leaves.missing(children);
    const found = await this.#couch.byIds([id, ...guessed]);
    for (const one of guessed) this.#keep(found.get(one));
    const document = found.get(id) ?? { kind: "missing" };
    return isBehind(document, this.#database.revisionOf(id) ?? "") ? this.#fetchAgain(id) : document;
  }

  /** What is older than what is known comes from a node that has not heard of it yet, or the database is another by now. */
  async #fetchAgain(id: string): Promise<Found> {
    for (const pause of STALE_PAUSES) {
      await pausing(pause);
      const found = (await this.#couch.byIds([id])).get(id) ?? { kind: "missing" };
      if (!isBehind(found, this.#database.revisionOf(id) ?? "")) return found;
    }
    this.#database.suspect();
    await this.#database.current();
    return (await this.#couch.byIds([id])).get(id) ?? { kind: "missing" };
  }

  /** @param size of the file, which tells how many of its chunks are asked for at once */
  async #gather(ids: readonly string[], size: number): Promise<ReadonlyMap<string, RawDocument>> {
    const leaves = new Map<string, RawDocument>();
    for (const id of ids) {
      const known = this.#leaves.get(id);
      if (known) leaves.set(id, known);
    }
    const missing = ids.filter((id) => !leaves.has(id));
    const atOnce = Math.max(1, Math.min(BATCH_CHUNKS, Math.floor((CHUNK_BYTES * ids.length) / Math.max(1, size))));
    for (let start = 0; start < missing.length; start += atOnce) {
      for (const leaf of await this.#couch.leaves(missing.slice(start, start + atOnce))) {
        leaves.set(leaf["_id"], leaf);
        this.#leaves.add(leaf);
      }
    }
    return leaves;
  }

  #keep(found: Found | undefined): void {
    if (found?.kind === "document") this.#leaves.add(found.document);
  }

  #stored(note: NoteMetadata, bytes: Uint8Array): StoredFile {
    if (bytes.length !== note.size) this.#doubts.onMismatch(note.path, note.size, bytes.length);
    return { stat: { ...statOf(note), size: bytes.length }, bytes, revision: revisionOf(note.revision ?? "") };
  }
}

/** What a document says of its file, without the content. */
export function statOf({ path, size, modified, created, revision = "" }: NoteMetadata): FileStat {
  return { path, size, modified, created, stamp: revisionStamp(revision) };
}

/** The first bytes of a file; nobody can work out a revision of these, and nobody shall take the whole file's for it. */
class Portion implements StoredFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly #file: StoredFile;

  constructor(file: StoredFile, limit: number) {
    this.#file = file;
    this.stat = file.stat;
    this.bytes = file.bytes.subarray(0, limit);
  }

  get revision(): Revision {
    if (this.bytes.length < this.stat.size) throw new RangeError("Only the head of the file was read.");
    return this.#file.revision;
  }
}

/** The file that a document holds or held; undefined for tombstones and what is no file. */
async function noteIn(document: RawDocument, { codec, evidence }: Opened): Promise<NoteMetadata | undefined> {
  if (!isNoteDocument(document)) return undefined;
  evidence.see(document);
  const opened = await codec.open(document);
  return opened.kind === "note" ? opened : undefined;
}

function isFault(note: NoteMetadata | UnreadableFile): note is UnreadableFile {
  return "error" in note;
}

/** About how many: an id is sixteen characters long, with its line break. */
const chunksIn = ({ chunks }: MirroredFile): number => Math.ceil(chunks.length / 17);

function* inBatches(files: readonly MirroredFile[]): Generator<readonly MirroredFile[], undefined> {
  let batch: MirroredFile[] = [];
  let [bytes, chunks] = [0, 0];
  for (const file of files) {
    const isFull =
      bytes + file.stat.size > BATCH_BYTES || chunks + chunksIn(file) > BATCH_CHUNKS || batch.length === BATCH_FILES;
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      [bytes, chunks] = [0, 0];
    }
    batch.push(file);
    bytes += file.stat.size;
    chunks += chunksIn(file);
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
