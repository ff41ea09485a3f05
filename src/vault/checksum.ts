/** CRC-32: shows any accident to stored bytes; no defence against a forger. */
import * as zlib from "node:zlib";

/** Node has it built in from 20.15 on. */
export const crc32: (bytes: Uint8Array) => number = "crc32" in zlib ? (bytes) => zlib.crc32(bytes) : slowCrc32;

let table: Uint32Array | undefined;

/** The same number, worked out byte by byte. */
export function slowCrc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
