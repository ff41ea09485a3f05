/** Reads one complete file in few requests (docs: livesync). */
import { setTimeout as delay } from "node:timers/promises";
import { isVaultError } from "../../errors.js";
import { isHidden, type VaultPath } from "../path.js";
import type { StoredFile, FileStat } from "../storage.js";
import { leavesOf } from "./codec/join-chunks.js";
import {
  type RawDocument,
  isLeaf,
  isNoteDocument,
  isUnknownNote,
  revisionOf,
  revisionStamp,
} from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Piece } from "./codec/cut-chunks.js";
import type { Couch, Found } from "./couch.js";
import type { Database } from "./database.js";
import type { Opened } from "./inspect.js";
import { chunksOf } from "./mirror.js";
import { isBehind, STALE_PAUSES_MS } from "./replica.js";

export interface FoundDocument {
  readonly opened: Opened;
  readonly note: NoteMetadata;
}

export interface WholeNote extends FoundDocument {
  readonly file: StoredFile;
  readonly leaves: Leaves;
}

const MAX_BATCH_CHUNKS = 1000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Else none is requested in advance. */
const MAX_GUESSED_CHUNKS = 100;
/** While another device writes. */
const MAX_TRIES = 3;

export class Reader {
  readonly #database: Database;
  readonly #couch: Couch;
  readonly #leaves = new LeafCache();
  readonly #damage: DamageListener;

  constructor(database: Database, damage: DamageListener) {
    this.#database = database;
    this.#couch = database.couch;
    this.#damage = damage;
  }

  /** Also of a deleted file. Hidden files are stored elsewhere. */
  async find(path: VaultPath): Promise<FoundDocument | undefined> {
    if (isHidden(path)) return undefined;
    const opened = await this.#database.opened();
    const id = opened.codec.idOf(path);
    const found = await this.#fetch(id);
    const note = found.kind === "document" ? await noteIn(found.document, opened) : undefined;
    if (note) return { opened, note };
    // A client with other settings may have used another id.
    const current = await this.#database.current();
    const file = current.mirror.at(path);
    if (!file || file.id === id) return undefined;
    if (file.fault) throw file.fault;
    const other = await this.#fetch(file.id);
    const elsewhere = other.kind === "document" ? await noteIn(other.document, current) : undefined;
    return elsewhere && { opened: current, note: elsewhere };
  }

  async findFile(path: VaultPath): Promise<FoundDocument | undefined> {
    return presentAt(path, await this.find(path));
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    return (await this.readWhole(path))?.file;
  }

  /** @throws UNAVAILABLE when a chunk is missing or unreadable */
  async readWhole(path: VaultPath): Promise<WholeNote | undefined> {
    let found = await this.findFile(path);
    for (let tries = 1; found; tries++) {
      try {
        return await this.#content(found);
      } catch (error) {
        // Settle it before a write.
        if (found.opened.evidence.unknown !== undefined) await this.#database.current();
        // The file may have changed.
        if (tries === MAX_TRIES || !isVaultError(error, "UNAVAILABLE")) throw error;
        const { revision } = found.note;
        found = await this.findFile(path);
        if (found?.note.revision === revision) throw error;
      }
    }
    return undefined;
  }

  async #content({ opened, note }: FoundDocument): Promise<WholeNote> {
    const leaves = await this.#gather(leavesOf(note), note.size);
    return { opened, note, leaves, file: await storedFile(note, opened, leaves, this.#damage) };
  }

  pieces({ opened, note, leaves }: WholeNote): Promise<readonly Piece[]> {
    return opened.codec.pieces(note, (id) => leaves.get(id));
  }

  async version(path: VaultPath, revision: string): Promise<StoredFile | undefined> {
    const found = await this.findFile(path);
    const document = found && (await this.#couch.revision(found.note.id, revision));
    return document && this.contentOf(document, found.opened);
  }

  async contentOf(document: RawDocument, opened: Opened): Promise<StoredFile | undefined> {
    const note = await noteIn(document, opened);
    return note && !note.deleted ? (await this.#content({ opened, note })).file : undefined;
  }

  /** With the file's former chunks. */
  async #fetch(id: string): Promise<Found> {
    const children = chunksOf(this.#database.replica?.mirror.byId(id)?.chunks ?? "");
    const guessed = children.length > MAX_GUESSED_CHUNKS ? [] : this.#leaves.missing(children);
    const found = await this.#couch.byIds([id, ...guessed]);
    for (const one of guessed) this.#keep(found.get(one));
    const document = found.get(id) ?? { kind: "missing" };
    return isBehind(document, this.#database.replica?.revisionOf(id) ?? "") ? this.#fetchAgain(id) : document;
  }

  /** The node may lack the change, or the database is another. */
  async #fetchAgain(id: string): Promise<Found> {
    for (const pause of STALE_PAUSES_MS) {
      await delay(pause);
      const found = (await this.#couch.byIds([id])).get(id) ?? { kind: "missing" };
      if (!isBehind(found, this.#database.replica?.revisionOf(id) ?? "")) return found;
    }
    this.#database.replica?.suspect();
    await this.#database.current();
    return (await this.#couch.byIds([id])).get(id) ?? { kind: "missing" };
  }

  async #gather(ids: readonly string[], size: number): Promise<Leaves> {
    const leaves = new Map<string, RawDocument>();
    for (const id of ids) {
      const known = this.#leaves.get(id);
      if (known) leaves.set(id, known);
    }
    const missing = ids.filter((id) => !leaves.has(id));
    const atOnce = Math.max(
      1,
      Math.min(MAX_BATCH_CHUNKS, Math.floor((MAX_BATCH_BYTES * ids.length) / Math.max(1, size))),
    );
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
}

/** Characters. */
const MAX_CACHED = 8 * 1024 * 1024;

class LeafCache {
  readonly #leaves = new Map<string, RawDocument>();
  #held = 0;

  get(id: string): RawDocument | undefined {
    return this.#leaves.get(id);
  }

  missing(ids: readonly string[]): readonly string[] {
    return [...new Set(ids)].filter((id) => !this.#leaves.has(id));
  }

  add(leaf: RawDocument): void {
    const { _id: id } = leaf;
    if (!isLeaf(leaf) || this.#leaves.has(id)) return;
    this.#leaves.set(id, leaf);
    this.#held += lengthOf(leaf);
    for (const [oldest, other] of this.#leaves) {
      if (this.#held <= MAX_CACHED) break;
      this.#leaves.delete(oldest);
      this.#held -= lengthOf(other);
    }
  }
}

function lengthOf({ data }: RawDocument): number {
  return typeof data === "string" ? data.length : 0;
}

export type Leaves = ReadonlyMap<string, RawDocument>;

export interface DamageListener {
  onSizeMismatch(path: VaultPath, size: number, found: number): void;
  onChunkMismatch(path: VaultPath, chunk: string): void;
}

export async function storedFile(
  note: NoteMetadata,
  { codec, evidence }: Opened,
  leaves: Leaves,
  damage: DamageListener,
): Promise<StoredFile> {
  const { path, size, revision = "" } = note;
  const find = (id: string): RawDocument | undefined => {
    const leaf = leaves.get(id);
    if (leaf) evidence.see(leaf);
    return leaf;
  };
  const bytes = await codec.decode(note, find, (chunk) => damage.onChunkMismatch(path, chunk));
  if (bytes.length !== size) damage.onSizeMismatch(path, size, bytes.length);
  return { stat: { ...noteStat(note), size: bytes.length }, bytes, revision: revisionOf(revision) };
}

export function noteStat({ path, size, modified, created, revision = "" }: NoteMetadata): FileStat {
  return { path, size, modified, created, stamp: revisionStamp(revision) };
}

/** Undefined for tombstones and other documents. @throws UNAVAILABLE for an unknown form */
export async function noteIn(document: RawDocument, { codec, evidence }: Opened): Promise<NoteMetadata | undefined> {
  if (!isNoteDocument(document) && !isUnknownNote(document)) return undefined;
  evidence.see(document);
  const opened = await codec.open(document);
  return opened.kind === "note" ? opened : undefined;
}

/** Undefined for a deleted file or another spelling: access rules judge the given path. */
export function presentAt(path: VaultPath, found: FoundDocument | undefined): FoundDocument | undefined {
  return found && !found.note.deleted && found.note.path === path ? found : undefined;
}
