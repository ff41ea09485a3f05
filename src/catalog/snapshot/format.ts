/** Where the parts of a snapshot file stand: a header of words, a JSON head, then columns and blobs, each on an 8-byte border. */
import { createHash } from "node:crypto";
import type { Log } from "../../log.js";

/** Changes with every change of the format; holds the byte order, so that a file of another machine is foreign. */
const MAGIC = 0x4f56_4305;
const HEADER_WORDS = 6;
export const HEADER_BYTES = HEADER_WORDS * 4;
/** Header words. The checksum of the head comes last and covers the words before it. */
const TOTAL = 1;
const HEAD_LENGTH = 2;
const BODY_SUM = 3;
const HEAD_SUM = HEADER_WORDS - 1;

/**
 * Lays out a head and the body's parts, as the pieces of a file: joining them would take as much memory again.
 * @param body each part as pieces too
 */
export function assemble(head: Uint8Array, body: readonly (readonly Uint8Array[])[]): readonly Uint8Array[] {
  const start = new Uint8Array(HEADER_BYTES + padded(head.byteLength));
  start.set(head, HEADER_BYTES);
  const pieces = body.flatMap((part) => {
    const length = lengthOf(part);
    return [...part, new Uint8Array(padded(length) - length)].filter(({ byteLength }) => byteLength > 0);
  });
  const total = start.byteLength + lengthOf(pieces);
  const header = headerOf(start);
  header.set([MAGIC, total, head.byteLength, sumOf(pieces)]);
  header[HEAD_SUM] = headSum(start, start.byteLength);
  return [start, ...pieces];
}

/** How many bytes from the start hold the whole head; undefined when the bytes are no header of ours. */
export function headEnd(bytes: Uint8Array, fileSize: number): number | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteOffset % 8 !== 0) return undefined;
  const header = headerOf(bytes);
  const end = HEADER_BYTES + padded(header[HEAD_LENGTH] ?? 0);
  return header[0] === MAGIC && header[TOTAL] === fileSize && end <= fileSize ? end : undefined;
}

/** The head's bytes; undefined when they are not what was written. */
export function headOf(bytes: Uint8Array, fileSize: number): Uint8Array | undefined {
  const end = headEnd(bytes, fileSize);
  if (end === undefined || bytes.byteLength < end) return undefined;
  const header = headerOf(bytes);
  if (header[HEAD_SUM] !== headSum(bytes, end)) return undefined;
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + (header[HEAD_LENGTH] ?? 0));
}

/** A reader over the body's parts, in the order they were written; undefined when the bytes are not what was written. */
export function bodyOf(bytes: Uint8Array): PartReader | undefined {
  const end = headEnd(bytes, bytes.byteLength);
  if (end === undefined || headerOf(bytes)[BODY_SUM] !== sumOf([bytes.subarray(end)])) return undefined;
  return new PartReader(bytes, end);
}

/** Warns in the log when stored bytes are damaged; a file that another version of the program wrote is not. */
export function warnOfDamage(bytes: Uint8Array, log: Log): void {
  const magic = bytes.byteLength < HEADER_BYTES ? 0 : (headerOf(bytes)[0] ?? 0);
  const isOfAnotherFormat = magic !== MAGIC && (magic ^ MAGIC) >>> 8 === 0;
  if (isOfAnotherFormat || (headOf(bytes, bytes.byteLength) && bodyOf(bytes))) return;
  log.warn("the index that an earlier run left in the cache folder is damaged; it is made anew");
}

/** Returns a snapshot's parts one after the other, without copying. */
export class PartReader {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  floats(count: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#take(count * 8), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, this.#take(count * 4), count);
  }

  bytes(count: number): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#take(count), count);
  }

  #take(length: number): number {
    const start = this.#bytes.byteOffset + this.#offset;
    this.#offset += padded(length);
    return start;
  }
}

function headSum(bytes: Uint8Array, end: number): number {
  return sumOf([bytes.subarray(0, HEAD_SUM * 4), bytes.subarray(HEADER_BYTES, end)]);
}

/** The beginning of a SHA-256: it detects any accidental damage. */
function sumOf(pieces: readonly Uint8Array[]): number {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest().readUInt32LE(0);
}

function headerOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
