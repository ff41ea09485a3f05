/** SHA-256; short hashes that detect changes but protect no secrets; fingerprints of sets, which SQL can add. */
import * as crypto from "node:crypto";

/** 64 bits as 16 hexadecimal digits. */
export function hashText(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return hexDigits(low) + hexDigits(high);
}

/** FNV-1a over UTF-16 units: 32 bits, non-negative. */
export function hashNumber(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

const hexDigits = (half: number): string => (half >>> 0).toString(16).padStart(8, "0");

const SHOWN_DIGITS = 10;
const SHOWN = new RegExp(`^(?:\\d+-)?[0-9a-f]{${SHOWN_DIGITS}}`);

/** Enough to notice a change. */
export function shownHash(hash: string): string {
  return SHOWN.exec(hash)?.[0] ?? hash;
}

export function isHash(given: string, hash: string): boolean {
  return given === hash || (given.length >= SHOWN_DIGITS && hash.startsWith(given));
}

/** `crypto.hash` (Node 20.12) takes half the time. */
export const sha256: (content: string | Uint8Array) => string =
  "hash" in crypto
    ? (content) => crypto.hash("sha256", content)
    : (content) => crypto.createHash("sha256").update(content).digest("hex");

/** Whatever the order. */
export function fingerprintOf(tasks: Iterable<{ readonly id: string }>): string {
  let sum = 0;
  for (const { id } of tasks) sum = (sum + idHash(id)) | 0;
  return fingerprintText(sum);
}

/** @param sum of hashes */
export function fingerprintText(sum: number): string {
  return Number(BigInt.asUintN(32, BigInt(sum)))
    .toString(16)
    .padStart(8, "0");
}

/** The final mix makes sums of similar ids differ. */
export function idHash(text: string): number {
  let hash = hashNumber(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
