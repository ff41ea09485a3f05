/** Converts between files and documents. */
import { isRecord } from "../../../text/decoded.js";
import type { EpochMilliseconds } from "../../../clock.js";
import { TimeSlice } from "../../../async/timers.js";
import { isVaultError, VaultError } from "../../../errors.js";
import type { VaultPath } from "../../path.js";
import { type ChunkId, chunkIds, ChunkNames, cutIntoPieces, type Piece } from "./cut-chunks.js";
import { Cipher, encrypted, isUnknownForm } from "./cipher.js";
import { compressed, contentOf, isTextPath, piecesOf, SEALED_EDEN, type FindLeaf } from "./join-chunks.js";
import {
  isChunked,
  isUnknownChunk,
  OBFUSCATED_PREFIX,
  type Eden,
  type LeafDocument,
  type NoteDocument,
  type NoteFields,
  type RawDocument,
} from "./document.js";
import {
  assertSyncable,
  type IdRules,
  normalPath,
  noteId,
  type NoteMetadata,
  obfuscationKey,
  type OpenedNote,
  openNote,
  sealedV2,
} from "./note.js";
import type { TweakSettings } from "./database-settings.js";

interface CodecSecrets {
  readonly passphrase: string | undefined;
  readonly salt: Buffer | undefined;
}

export interface FileToWrite {
  readonly path: VaultPath;
  readonly bytes: Uint8Array;
  readonly now: EpochMilliseconds;
  /** Perhaps deleted. */
  readonly previous?: NoteMetadata | undefined;
  /** A small change of a long file then writes few chunks. */
  readonly before?: readonly Piece[] | undefined;
  /** For a moved file. */
  readonly created?: number | undefined;
}

interface EncodedNote {
  /** Must be PUT after its chunks. */
  readonly document: NoteDocument;
  /** By id. The missing ones, encrypted by `leaf`, are written first. */
  readonly pieces: ReadonlyMap<string, Piece>;
}

/** LiveSync's epoch for encrypted inline chunks ("eden"); they never expire. */
const EPOCH = 999_999;

export class Codec {
  readonly settings: TweakSettings;
  readonly #cipher: Cipher | undefined;
  readonly #passphrase: string | undefined;
  readonly #rules: IdRules;
  readonly #slice = new TimeSlice();
  readonly #hasSalt: boolean;
  readonly #names: ChunkNames;
  #ids: Promise<ChunkId> | undefined;

  constructor(settings: TweakSettings, { passphrase, salt }: CodecSecrets) {
    this.settings = settings;
    this.#hasSalt = salt !== undefined;
    this.#passphrase = passphrase === "" ? undefined : passphrase;
    this.#names = new ChunkNames(settings.hash, settings.encrypt ? this.#passphrase : undefined);
    const { dynamicIterations, caseSensitive, obfuscate } = settings;
    if (this.#passphrase !== undefined) {
      this.#cipher = new Cipher({ passphrase: this.#passphrase, salt, dynamicIterations });
    }
    const hidden = obfuscate && this.#passphrase !== undefined ? obfuscationKey(this.#passphrase) : undefined;
    this.#rules = { caseSensitive, obfuscation: hidden };
  }

  /** For a new file; others keep their document's id. */
  idOf(path: VaultPath): string {
    if (this.settings.obfuscate && !this.#cipher) throw encrypted("The database");
    return noteId(path, this.#rules);
  }

  open(document: RawDocument): Promise<OpenedNote> {
    return openNote(document, this.#cipher, this.#slice);
  }

  /** @param onStrange called with mismatched chunks */
  async decode(note: NoteMetadata, find: FindLeaf, onStrange?: (chunk: string) => void): Promise<Buffer> {
    const canName = onStrange !== undefined && note.children.length > 0 && !this.settings.unknown.hash;
    if (!canName) return contentOf(note, find, this.#cipher, this.#slice);
    const idOf = await this.#names.likely();
    const strange = new Map<string, string>();
    const bytes = await contentOf(note, find, this.#cipher, this.#slice, (id, piece) => {
      if (idOf(piece) !== id) strange.set(id, piece);
    });
    for (const [id, piece] of strange) if (!(await this.#names.fits(id, piece))) onStrange(id);
    return bytes;
  }

  /** False for a damaged chunk, or another piece. */
  async holds(leaf: RawDocument, piece: Piece): Promise<boolean> {
    const note = { path: "", children: [leaf["_id"]], document: {} } as unknown as NoteMetadata;
    try {
      return (await this.pieces(note, () => leaf))[0] === piece;
    } catch (error) {
      if (!isVaultError(error) || isUnknownChunk(leaf) || isUnknownForm(String(leaf["data"]))) throw error;
      return false;
    }
  }

  pieces(note: NoteMetadata, find: FindLeaf): Promise<readonly Piece[]> {
    return piecesOf(note, find, this.#cipher, this.#slice);
  }

  /**
   * @throws NOT_TEXT, TOO_LARGE, INVALID_ARGUMENT or PERMISSION_DENIED for what clients refuse, UNAVAILABLE without the
   * passphrase
   */
  async encode({ path, bytes, now, previous, before, created }: FileToWrite): Promise<EncodedNote> {
    assertSyncable(path, bytes.length);
    if (this.settings.encrypt) this.#sealing();
    const id = previous?.id ?? this.idOf(path);
    this.#assertHidden(id, path);
    const pieces = await this.#identified(cutIntoPieces(path, bytes, this.settings, before));
    const modified = previous ? laterThan(previous.modified, now) : now;
    const document = await this.#sealed(id, {
      path: normalPath(path),
      type: isTextPath(path) ? "plain" : "newnote",
      size: bytes.length,
      children: pieces.map(([child]) => child),
      ctime: created ?? (previous?.deleted === false ? previous.created : modified),
      mtime: modified,
      eden: await this.#emptyEden(),
    });
    return { document: withRevision(document, previous), pieces: new Map(pieces) };
  }

  async leaf(id: string, piece: Piece): Promise<LeafDocument> {
    const data = compressed(piece, this.settings.compress);
    if (!this.settings.encrypt) return { _id: id, type: "leaf", data };
    const cipher = this.#sealing();
    if (this.#slice.isOver) await this.#slice.yield();
    const sealed = this.settings.algorithm === "v2" ? await cipher.sealV2(data) : await cipher.sealV1(data);
    return { _id: id, type: "leaf", data: sealed, e_: true };
  }

  /** The content stays available. */
  async deletion(note: NoteMetadata, now: number): Promise<RawDocument> {
    const mtime = laterThan(note.modified, now);
    const { type, eden } = note.document;
    if (!isChunked(type)) return { ...ownFields(note.document), deleted: true, mtime };
    const { path, size, children, created: ctime } = note;
    const kept = isRecord(eden) ? (eden as Eden) : {};
    const document = await this.#sealed(note.id, { path, type, size, children, ctime, mtime, eden: kept });
    return { ...withRevision(document, note), deleted: true };
  }

  async #identified(pieces: readonly Piece[]): Promise<readonly (readonly [string, Piece])[]> {
    if (pieces.length === 0) return [];
    const { hash, encrypt } = this.settings;
    this.#ids ??= chunkIds(hash, encrypt ? this.#passphrase : undefined);
    const idOf = await this.#ids;
    return pieces.map((piece) => [idOf(piece), piece]);
  }

  /** Clients recognise encrypted metadata by the id. */
  async #sealed(id: string, fields: NoteFields): Promise<NoteDocument> {
    const { path, size, children, ctime, mtime } = fields;
    const clear = { _id: id, ...fields };
    if (!this.settings.encrypt || !id.startsWith(OBFUSCATED_PREFIX)) return clear;
    const cipher = this.#sealing();
    if (this.settings.algorithm === "v1") return { ...clear, path: await cipher.sealPathV1(path) };
    const hidden = await sealedV2({ path, mtime, ctime, size, children }, cipher);
    return { ...clear, path: hidden, size: 0, children: [], ctime: 0, mtime: 0 };
  }

  async #emptyEden(): Promise<Eden> {
    if (!this.settings.encrypt || this.settings.algorithm === "v2") return {};
    const cipher = this.#sealing();
    return { [SEALED_EDEN[0]]: { data: await cipher.sealV1("{}"), epoch: EPOCH } };
  }

  #sealing(): Cipher {
    if (!this.#cipher) throw encrypted("The database");
    if (this.settings.encrypt && this.settings.algorithm === "v2" && !this.#hasSalt) throw saltless();
    return this.#cipher;
  }

  /** Among obfuscated paths a readable one would stay. */
  #assertHidden(id: string, path: VaultPath): void {
    if (!this.settings.obfuscate || id.startsWith(OBFUSCATED_PREFIX)) return;
    throw new VaultError("PERMISSION_DENIED", `'${path}' has a readable name in a database that hides names.`, {
      path,
      hint: "Let LiveSync in Obsidian rebuild the database.",
    });
  }
}

function saltless(): VaultError {
  return new VaultError("UNAVAILABLE", "The database has lost the salt that its encryption needs.", {
    hint: "Let LiveSync in Obsidian rebuild the database.",
  });
}

/** Milliseconds: clients compare times in buckets. */
const BUCKET = 2000;

function laterThan(before: number, now: number): number {
  const bucket = Math.floor(before / BUCKET);
  return Math.floor(now / BUCKET) > bucket ? now : (bucket + 1) * BUCKET;
}

function withRevision<Document extends RawDocument>(document: Document, previous: NoteMetadata | undefined): Document {
  return previous?.revision === undefined ? document : { ...document, _rev: previous.revision };
}

function ownFields(document: RawDocument): RawDocument {
  const entries = Object.entries(document).filter(([name]) => !name.startsWith("_") || name === "_rev");
  const { _id } = document;
  return { ...Object.fromEntries(entries), _id };
}
