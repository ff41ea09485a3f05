/** CRC-32: shows any accident to stored bytes; no defence against a forger. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const loadZlib = (): typeof import("node:zlib") => require("node:zlib") as typeof import("node:zlib");

/** Loading `node:zlib` costs as much as working out so many bytes without it. */
const SHORT = 8192;

let native: ((bytes: Uint8Array, sum: number) => number) | undefined;

/** @param sum the checksum of the bytes that these follow */
export function crc32(bytes: Uint8Array, sum = 0): number {
  if (native === undefined) {
    if (bytes.byteLength <= SHORT) return slowCrc32(bytes, sum);
    const zlib = loadZlib();
    // Node has it built in from 20.15 on.
    native = "crc32" in zlib ? (content, before) => zlib.crc32(content, before) : slowCrc32;
  }
  return native(bytes, sum);
}

/** What each half of a byte adds: a table of whole bytes takes longer to make than the head of a snapshot to sum up. */
const HALVES = Uint32Array.from({ length: 16 }, (_, half) => {
  let value = half;
  for (let bit = 0; bit < 4; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The same number, worked out half a byte at a time. */
export function slowCrc32(bytes: Uint8Array, sum = 0): number {
  let crc = ~sum;
  for (let at = 0; at < bytes.length; at++) {
    crc ^= bytes[at] ?? 0;
    crc = (HALVES[crc & 15] ?? 0) ^ (crc >>> 4);
    crc = (HALVES[crc & 15] ?? 0) ^ (crc >>> 4);
  }
  return ~crc >>> 0;
}
