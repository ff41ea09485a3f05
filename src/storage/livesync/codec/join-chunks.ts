/** A file's bytes from its chunks, complete or not at all (docs: livesync). */
import { isRecord, parseJson } from "../../../text/decoded.js";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { TimeSlice } from "../../../async/timers.js";
import { VaultError } from "../../../errors.js";
import { type Cipher, encrypted, unknownForm, unopened } from "./cipher.js";
import { isChunked, isLeaf, isTexts, isUnknownChunk, type RawDocument } from "./document.js";
import type { NoteMetadata } from "./note.js";

export type FindLeaf = (id: string) => RawDocument | undefined;

/** Of pieces with a chunk of their own. */
type OnPiece = (id: string, piece: string) => void;

/** Where V1 and V2 store an encrypted eden. */
export const SEALED_EDEN = ["h:++encrypted", "h:++encrypted-hkdf"] as const;

/** Stored as text by the client. */
const TEXT = /\.(?:md|txt|svg|html|csv|css|js|xml|canvas)$/;
/** A list may name one chunk a million times. */
const MAX_LENGTH = 256 * 1024 * 1024;

export function isTextPath(path: string): boolean {
  return TEXT.test(path);
}

export function leavesOf(note: NoteMetadata): readonly string[] {
  const eden = note.document["eden"];
  const ids = new Set(note.children);
  if (isRecord(eden)) for (const id of Object.keys(eden)) ids.delete(id);
  return [...ids];
}

/** @throws UNAVAILABLE when a chunk is missing or unreadable, SERVER_ERROR for unknown content */
export async function contentOf(
  note: NoteMetadata,
  find: FindLeaf,
  cipher: Cipher | undefined,
  slice: TimeSlice,
  onPiece?: OnPiece,
): Promise<Buffer> {
  const { type } = note.document;
  const isText = type === "plain" || isTextPath(note.path);
  if (!isChunked(type)) return joined(note, await inline(note, cipher), isText);
  return joined(note, await piecesOf(note, find, cipher, slice, onPiece), isText);
}

/** Of notes older than chunks. */
async function inline(note: NoteMetadata, cipher: Cipher | undefined): Promise<readonly string[]> {
  const { data, e_ } = note.document;
  if (isTexts(data)) return data;
  if (typeof data !== "string") throw damaged(`'${note.path}'`, note);
  return [e_ === true ? await opened(data, "The content", note, cipher) : data];
}

/** Text, or base64. V1 clients encrypt even an empty eden, so it is decrypted only for a missing chunk. */
export async function piecesOf(
  note: NoteMetadata,
  find: FindLeaf,
  cipher: Cipher | undefined,
  slice: TimeSlice,
  onPiece?: OnPiece,
): Promise<readonly string[]> {
  const eden = isRecord(note.document["eden"]) ? note.document["eden"] : {};
  let openedEden: Promise<Readonly<Record<string, unknown>>> | undefined;

  const pieceOf = async (id: string): Promise<string> => {
    const kept = edenData(eden, id);
    if (kept !== undefined) return kept;
    const leaf = find(id);
    if (leaf && isLeaf(leaf) && leaf["_deleted"] !== true && typeof leaf["data"] === "string") {
      const piece = await pieceIn(leaf["data"], leaf["e_"] === true, `The chunk '${id}'`, note, cipher);
      onPiece?.(id, piece);
      return piece;
    }
    if (leaf && isUnknownChunk(leaf)) throw unknownForm(`The chunk '${id}'`, { path: note.path });
    const sealed = edenData(await (openedEden ??= openEden(eden, note, cipher)), id);
    if (sealed === undefined) throw missing(note, id);
    return sealed;
  };

  const known = new Map<string, string>();
  const pieces: string[] = [];
  let length = 0;
  for (const id of note.children) {
    let piece = known.get(id);
    if (piece === undefined) {
      piece = await pieceOf(id);
      known.set(id, piece);
      if (slice.isOver) await slice.yield();
    }
    length += piece.length;
    if (length > MAX_LENGTH) throw tooLong(note);
    pieces.push(piece);
  }
  return pieces;
}

async function pieceIn(
  data: string,
  isEncrypted: boolean,
  what: string,
  note: NoteMetadata,
  cipher: Cipher | undefined,
): Promise<string> {
  const plain = isEncrypted ? await opened(data, what, note, cipher) : data;
  try {
    return decompressed(plain);
  } catch (cause) {
    throw damaged(`${what} of '${note.path}'`, note, cause);
  }
}

async function openEden(
  eden: Readonly<Record<string, unknown>>,
  note: NoteMetadata,
  cipher: Cipher | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const name of SEALED_EDEN) {
    const sealed = edenData(eden, name);
    if (sealed === undefined) continue;
    const entries = parseJson(await opened(sealed, "A part", note, cipher));
    if (!isRecord(entries)) throw damaged(`A part of '${note.path}'`, note);
    for (const [id, entry] of Object.entries(entries)) if (id !== "__proto__") found[id] = entry;
  }
  return found;
}

async function opened(data: string, what: string, note: NoteMetadata, cipher: Cipher | undefined): Promise<string> {
  if (!cipher) throw encrypted(`${what} of '${note.path}'`, note.path);
  try {
    return await cipher.open(data);
  } catch (cause) {
    throw unopened(`${what} of '${note.path}'`, cause, note.path);
  }
}

function joined(note: NoteMetadata, pieces: readonly string[], isText: boolean): Buffer {
  if (isText) return Buffer.from(pieces.join(""), "utf8");
  if (pieces[0]?.startsWith("%")) throw damaged(`'${note.path}' is in a form of the oldest clients that`, note);
  return Buffer.concat(pieces.map((piece) => bytesOf(piece, note)));
}

/** Node ignores invalid base64 characters. */
function bytesOf(base64: string, note: NoteMetadata): Buffer {
  const bytes = Buffer.from(base64, "base64");
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  if (bytes.length === Math.floor(((base64.length - padding) * 3) / 4)) return bytes;
  const compact = base64.replaceAll(/\s+/g, "");
  if (compact.length !== base64.length) return bytesOf(compact, note);
  throw damaged(`A chunk of '${note.path}'`, note);
}

function edenData(eden: Readonly<Record<string, unknown>>, id: string): string | undefined {
  const entry = Object.hasOwn(eden, id) ? eden[id] : undefined;
  return isRecord(entry) && typeof entry["data"] === "string" ? entry["data"] : undefined;
}

function missing({ path }: NoteMetadata, id: string): VaultError {
  return new VaultError("UNAVAILABLE", `'${path}' cannot be read: its chunk '${id}' is not in the database.`, {
    path,
    hint: "A device may still be sending it; else let LiveSync in Obsidian verify and repair its files.",
  });
}

function damaged(what: string, { path }: NoteMetadata, cause?: unknown): VaultError {
  return new VaultError("SERVER_ERROR", `${what} cannot be decoded.`, {
    path,
    hint: "Let LiveSync in Obsidian verify and repair its files.",
    cause,
  });
}

function tooLong({ path }: NoteMetadata): VaultError {
  return new VaultError("TOO_LARGE", `'${path}' is longer than 256 MB.`, { path });
}

const MARK = "\u000eLZ\u001d";
const BASE64 = "~";
const LEVEL = 8;
/** A few bytes may claim gigabytes. */
const MAX_INFLATED = 64 * 1024 * 1024;

/** @throws for invalid or too large data */
export function decompressed(data: string): string {
  if (!data.startsWith(MARK)) return data;
  const isBytes = data[MARK.length] === BASE64;
  const deflated = Buffer.from(data.slice(MARK.length + (isBytes ? BASE64.length : 0)), "base64");
  if (deflated.length === 0) return "";
  return inflateRawSync(deflated, { maxOutputLength: MAX_INFLATED }).toString(isBytes ? "base64" : "utf8");
}

/** A piece that begins with the mark must be compressed. */
export function compressed(piece: string, wanted: boolean): string {
  const isMarked = piece.startsWith(MARK);
  if (!wanted && !isMarked) return piece;
  const bytes = bytesOfBase64(piece);
  const deflated = deflateRawSync(bytes ?? Buffer.from(piece), { level: LEVEL }).toString("base64");
  const packed = `${MARK}${bytes ? BASE64 : ""}${deflated}`;
  return isMarked || packed.length < piece.length ? packed : piece;
}

function bytesOfBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+=*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
