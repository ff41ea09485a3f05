/** A document's revision as its file's stamp and revision. */
import { sha256 } from "../../text/hash.js";
import type { Revision, Stamp } from "../storage.js";

/** The number, and the hash in three numbers that a double holds exactly. */
export const STAMP_LENGTH = 4;

const COUCH = /^\d{1,15}-[0-9a-f]{32}$/;
const DIGITS = 32;
const PART = 12;
const ZERO = "0".charCodeAt(0);
const LETTERS = "a".charCodeAt(0);

/** `7-0123...`: 7 and the hash's 128 bits. */
export function revisionStamp(revision: string): Stamp {
  // A replicator may write any form.
  if (!COUCH.test(revision)) return parts(0, sha256(revision), 0);
  const dash = revision.indexOf("-");
  return parts(Number(revision.slice(0, dash)), revision, dash + 1);
}

function parts(generation: number, text: string, start: number): Stamp {
  const end = start + DIGITS;
  const [second, third] = [start + PART, start + 2 * PART];
  return [generation, numberIn(text, start, second), numberIn(text, second, third), numberIn(text, third, end)];
}

/** Much faster than `parseInt`. */
function numberIn(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    number = number * 16 + (code < LETTERS ? code - ZERO : code - LETTERS + 10);
  }
  return number;
}

/** The same for every server. */
export function revisionOf(revision: string): Revision {
  return revision as Revision;
}

/** Number of writes. A smaller one is older; a greater one proves nothing. */
export function generationOf(revision: string): number {
  return Number.parseInt(revision, 10) || 0;
}
