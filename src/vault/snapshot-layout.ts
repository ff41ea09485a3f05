/** Where the parts of a snapshot file stand: a header of words, a JSON head, then columns and blobs, each on an 8-byte border. */
import { checksum } from "./checksum.js";

/** Changes with every change of the format; holds the byte order, so that a file of another machine is foreign. */
const MAGIC = 0x4f56_4301;
const HEADER_WORDS = 16;
export const HEADER_BYTES = HEADER_WORDS * 4;
/** Header words. */
const TOTAL = 1;
const HEAD = 2;
const BODY_SUM = 4;
const HEAD_SUM = 8;

export interface SnapshotParts {
  readonly head: Uint8Array;
  readonly body: readonly Uint8Array[];
}

/** Puts a head and the body's parts together. */
export function assemble({ head, body }: SnapshotParts): Uint8Array {
  const lengths = [head, ...body].map(({ byteLength }) => padded(byteLength));
  const total = lengths.reduce((sum, length) => sum + length, HEADER_BYTES);
  const bytes = new Uint8Array(total);
  let offset = HEADER_BYTES;
  [head, ...body].forEach((part, index) => {
    bytes.set(part, offset);
    offset += lengths[index] ?? 0;
  });
  const header = words(bytes, 0, HEADER_BYTES);
  const bodyStart = HEADER_BYTES + padded(head.byteLength);
  header.set([MAGIC, total, head.byteLength], 0);
  header.set(checksum(words(bytes, bodyStart, total)), BODY_SUM);
  header.set(headSum(bytes, bodyStart), HEAD_SUM);
  return bytes;
}

/** How many bytes from the start hold the whole head; undefined when the bytes are no header of ours. */
export function headEnd(bytes: Uint8Array, fileSize: number): number | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteOffset % 8 !== 0) return undefined;
  const header = words(bytes, 0, HEADER_BYTES);
  const end = HEADER_BYTES + padded(header[HEAD] ?? 0);
  return header[0] === MAGIC && header[TOTAL] === fileSize && end <= fileSize ? end : undefined;
}

/** The head's bytes; undefined when they are not what was written. */
export function headOf(bytes: Uint8Array, fileSize: number): Uint8Array | undefined {
  const end = headEnd(bytes, fileSize);
  if (end === undefined || bytes.byteLength < end) return undefined;
  const header = words(bytes, 0, HEADER_BYTES);
  if (!isSum(header, HEAD_SUM, headSum(bytes, end))) return undefined;
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + (header[HEAD] ?? 0));
}

/** A reader over the body's parts, in the order they were written; undefined when the bytes are not what was written. */
export function bodyOf(bytes: Uint8Array): PartReader | undefined {
  const end = headEnd(bytes, bytes.byteLength);
  if (end === undefined) return undefined;
  const header = words(bytes, 0, HEADER_BYTES);
  return isSum(header, BODY_SUM, checksum(words(bytes, end, bytes.byteLength)))
    ? new PartReader(bytes, end)
    : undefined;
}

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

function headSum(bytes: Uint8Array, end: number): readonly number[] {
  const fixed = checksum(words(bytes, 0, HEAD_SUM * 4));
  return checksum(words(bytes, HEADER_BYTES, end)).map((lane, index) => (lane ^ (fixed[index] ?? 0)) >>> 0);
}

function isSum(header: Uint32Array, at: number, sum: readonly number[]): boolean {
  return sum.every((lane, index) => header[at + index] === lane);
}

function words(bytes: Uint8Array, start: number, end: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset + start, (end - start) / 4);
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
