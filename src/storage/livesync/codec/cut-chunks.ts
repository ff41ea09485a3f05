/** Cuts a file as the client does and names each piece by its hash (docs: livesync). */
import { VaultError } from "../../../errors.js";
import type { VaultPath } from "../../path.js";
import { isTextPath } from "./join-chunks.js";
import { createHash } from "node:crypto";
import type { XXHashAPI } from "xxhash-wasm";
import { LEAF_PREFIX } from "./document.js";
import type { HashName } from "./database-settings.js";

/** Text, or base64. */
export type Piece = string;

/** A shorter neighbour is cut again, or edits would leave ever smaller pieces. */
const CRUMB = 128;
/** Bytes to save before giving up shared boundaries. */
const WORTH = 32 * 1024;

/**
 * An edit moves nearly every later boundary, so a long file is cut again only where it differs from `before`.
 * @throws NOT_TEXT when a file that clients store as text is not UTF-8
 */
export function cutIntoPieces(
  path: VaultPath,
  bytes: Uint8Array,
  rules: SplitRules,
  before: readonly Piece[] = [],
): readonly Piece[] {
  const isText = isTextPath(path);
  if (isText) assertText(path, bytes);
  const encoding = isText ? "utf8" : "base64";
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fresh = slices(content, pieceEnds(bytes, isText, rules));
  const old = content.length > WORTH ? kept(before, encoding) : [];
  const chosen = old.length > 1 ? cheaper(fresh, patched(content, isText, rules, old), before, encoding) : fresh;
  return chosen.map((piece) => piece.toString(encoding));
}

/** Pieces stored in another form match nothing. */
function kept(before: readonly Piece[], encoding: "utf8" | "base64"): readonly Buffer[] {
  return before.map((piece) => Buffer.from(piece, encoding)).filter(({ length }) => length > 0);
}

/** The client's own cut, unless the other saves much. */
function cheaper(
  fresh: readonly Buffer[],
  patch: readonly Buffer[],
  before: readonly Piece[],
  encoding: "utf8" | "base64",
): readonly Buffer[] {
  const known = new Set(before);
  const cost = (pieces: readonly Buffer[]): number =>
    pieces.reduce((sum, piece) => sum + (known.has(piece.toString(encoding)) ? 0 : piece.length), 0);
  return cost(patch) + WORTH < cost(fresh) ? patch : fresh;
}

function patched(content: Buffer, isText: boolean, rules: SplitRules, old: readonly Buffer[]): readonly Buffer[] {
  const { pieces: head, end } = leading(content, old);
  const { pieces: tail, start } = trailing(content, end, old.slice(head.length));
  let [from, to] = [end, start];
  while (to - from < CRUMB && head.length > 0) from -= head.pop()?.length ?? 0;
  for (;;) {
    const middle = content.subarray(from, to);
    const pieces = slices(middle, pieceEnds(middle, isText, rules));
    const next = (pieces.at(-1)?.length ?? 0) < CRUMB ? tail.shift() : undefined;
    if (next === undefined) return [...head, ...pieces, ...tail];
    to += next.length;
  }
}

function leading(content: Buffer, old: readonly Buffer[]): { readonly pieces: Buffer[]; readonly end: number } {
  const pieces: Buffer[] = [];
  let end = 0;
  for (const piece of old) {
    if (!content.subarray(end, end + piece.length).equals(piece)) break;
    pieces.push(piece);
    end += piece.length;
  }
  return { pieces, end };
}

function trailing(
  content: Buffer,
  from: number,
  old: readonly Buffer[],
): { readonly pieces: Buffer[]; readonly start: number } {
  const pieces: Buffer[] = [];
  let start = content.length;
  for (const piece of old.toReversed()) {
    if (start - piece.length < from || !content.subarray(start - piece.length, start).equals(piece)) break;
    pieces.unshift(piece);
    start -= piece.length;
  }
  return { pieces, start };
}

function slices(content: Buffer, ends: readonly number[]): readonly Buffer[] {
  return ends.map((end, index) => content.subarray(ends[index - 1] ?? 0, end));
}

function assertText(path: VaultPath, bytes: Uint8Array): void {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new VaultError("NOT_TEXT", `'${path}' would not be UTF-8 text; LiveSync stores files of its kind as text.`, {
      path,
      hint: "Write it as UTF-8.",
      cause,
    });
  }
}

interface SplitRules {
  /** Bytes. */
  readonly pieceBytes: number;
  readonly minimumPiece: number;
}

/** Bytes under the rolling hash. */
const WINDOW = 48;
const PRIME = 31;
/** Of the byte that leaves the window. */
const LEAVING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, PRIME), 1);
/** Of hash modulo mean length at a piece's end. */
const REMAINDER = 1;

const TEXT_UNIT = 64;
const TEXT_STEP = 32;
/** Longer texts get longer pieces. */
const TEXT_PIECES = 500;
/** Longer texts are cut like other files. */
const LONG_TEXT = 4 * 1024 * 1024;
const BINARY_UNIT = 256 * 1024;
const MIN_MAXIMUM = 30 * 1024;

interface Lengths {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/** In bytes. Text never ends within a character. */
export function pieceEnds(bytes: Uint8Array, isText: boolean, rules: SplitRules): readonly number[] {
  const { least, mean, most } = lengths(bytes.length, isText, rules);
  const ends: number[] = [];
  let hash = 0;
  let start = 0;
  for (let position = 0; position < bytes.length; position++) {
    // As in the client: for the first bytes of a piece nothing leaves the window.
    if (position >= start + WINDOW) hash = (hash - Math.imul(bytes[position - WINDOW] ?? 0, LEAVING)) | 0;
    hash = (Math.imul(hash, PRIME) + (bytes[position] ?? 0)) | 0;
    const length = position - start + 1;
    if (length < least || (length < most && (hash >>> 0) % mean !== REMAINDER)) continue;
    if (isText && isInside(bytes[position + 1])) continue;
    ends.push(position + 1);
    start = position + 1;
  }
  if (start < bytes.length) ends.push(bytes.length);
  return ends;
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengths(size: number, isText: boolean, { pieceBytes, minimumPiece }: SplitRules): Lengths {
  const isShortText = isText && size < LONG_TEXT;
  let unit = isShortText ? TEXT_UNIT : BINARY_UNIT;
  if (isShortText) while (size / (unit * 4) > TEXT_PIECES) unit += TEXT_STEP;
  const most = Math.min(unit * 16, Math.max(pieceBytes, MIN_MAXIMUM));
  const least = Math.min(Math.max(isShortText ? unit * 2 : unit, minimumPiece), most);
  return { least, most, mean: Math.min(Math.max(unit * 4, least), most) };
}

export type ChunkId = (piece: string) => string;

const PASSPHRASE_PREFIX = "a83hrf7f\u0003y7sa8g31";
const SEED = 0x12345678;
const ENCRYPTED = "+";
const RADIX = 36;

interface Passphrase {
  readonly text: string;
  readonly number: number;
}

export async function chunkIds(hash: HashName, passphrase: string | undefined): Promise<ChunkId> {
  const secret = passphrase === undefined ? undefined : await hashed(passphrase);
  const idOf = await HASHES[hash](secret);
  const prefix = secret === undefined ? LEAF_PREFIX : LEAF_PREFIX + ENCRYPTED;
  return (piece) => prefix + idOf(piece);
}

async function hashed(passphrase: string): Promise<Passphrase> {
  const { fallbackMixedHashEach, mixedHash } = await import("octagonal-wheels/hash/purejs");
  const part = PASSPHRASE_PREFIX + passphrase.slice(0, Math.trunc((passphrase.length / 4) * 3));
  return { text: fallbackMixedHashEach(part), number: mixedHash(part, SEED)[0] };
}

let loading: Promise<XXHashAPI> | undefined;

async function xxhash(): Promise<XXHashAPI> {
  loading ??= import("xxhash-wasm").then(({ default: load }) => load());
  return loading;
}

/** `secret`: from the passphrase. Length in UTF-16 units. */
const salted = (piece: string, secret: Passphrase | undefined): string =>
  secret === undefined ? `${piece}-${piece.length}` : `${piece}-${secret.text}-${piece.length}`;

const HASHES: Readonly<Record<HashName, (secret: Passphrase | undefined) => Promise<ChunkId>>> = {
  async xxhash64(secret) {
    const hash = await xxhash();
    return (piece) => hash.h64(salted(piece, secret)).toString(RADIX);
  },
  async xxhash32(secret) {
    const hash = await xxhash();
    return (piece) => hash.h32(salted(piece, secret)).toString(RADIX);
  },
  async sha1(secret) {
    return (piece) => createHash("sha1").update(salted(piece, secret)).digest("base64");
  },
  async mixed(secret) {
    const { fallbackMixedHashEach } = await import("octagonal-wheels/hash/purejs");
    const ending = secret === undefined ? "-" : secret.text;
    return (piece) => fallbackMixedHashEach(`${piece}${ending}${piece.length}`);
  },
  /** 32 bits, possibly negative. */
  async legacy(secret) {
    const hash = await xxhash();
    return (piece) => (hash.h32(piece) ^ (secret?.number ?? 0) ^ piece.length).toString(RADIX);
  },
};

/** Devices may have used another hash. */
export class ChunkNames {
  readonly #passphrase: string | undefined;
  readonly #usual: HashName;
  #variants: Promise<ChunkId[]> | undefined;
  #likely: ChunkId | undefined;

  constructor(usual: HashName, passphrase: string | undefined) {
    this.#usual = usual;
    this.#passphrase = passphrase;
  }

  /** Of the last chunk, or the settings. */
  async likely(): Promise<ChunkId> {
    return (this.#likely ??= await chunkIds(this.#usual, this.#passphrase));
  }

  async fits(id: string, piece: string): Promise<boolean> {
    this.#variants ??= this.#all();
    const fitting = (await this.#variants).find((idOf) => idOf(piece) === id);
    this.#likely = fitting ?? this.#likely;
    return fitting !== undefined;
  }

  #all(): Promise<ChunkId[]> {
    const secrets = this.#passphrase === undefined ? [undefined] : [this.#passphrase, undefined];
    const names = Object.keys(HASHES) as HashName[];
    return Promise.all(secrets.flatMap((secret) => names.map((name) => chunkIds(name, secret))));
  }
}
