/** Fingerprints of sets of tasks: the sum of the hashes of their ids, so that SQL can add them. */
import { hashNumber } from "../../text/hash.js";

/** Eight hexadecimal digits; order does not matter. */
export function fingerprintOf(tasks: Iterable<{ readonly id: string }>): string {
  let sum = 0;
  for (const { id } of tasks) sum = (sum + idHash(id)) | 0;
  return fingerprintText(sum);
}

/** @param sum of the hashes of all ids */
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
