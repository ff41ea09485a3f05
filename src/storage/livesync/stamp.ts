/** A document's revision as the stamp and the revision of its file. */
import { sha256 } from "../../text/hash.js";
import type { Revision, Stamp } from "../storage.js";

/** The number of the revision, and its hash in three numbers that a double holds exactly. */
export const STAMP_LENGTH = 4;

const COUCH = /^\d{1,15}-[0-9a-f]{32}$/;
const DIGITS = 32;
const PART = 12;
const ZERO = "0".charCodeAt(0);
const LETTERS = "a".charCodeAt(0);

/** Equal for equal revisions only: `7-0123...` becomes 7 and the 128 bits of the hash. */
export function revisionStamp(revision: string): Stamp {
  // A replicator may write revisions of any form.
  if (!COUCH.test(revision)) return parts(0, sha256(revision), 0);
  const dash = revision.indexOf("-");
  return parts(Number(revision.slice(0, dash)), revision, dash + 1);
}

/** @param start where the hexadecimal digits begin */
function parts(generation: number, text: string, start: number): Stamp {
  const end = start + DIGITS;
  const [second, third] = [start + PART, start + 2 * PART];
  return [generation, numberIn(text, start, second), numberIn(text, second, third), numberIn(text, third, end)];
}

/** Parses hexadecimal digits, three times as fast as `parseInt` of a substring. */
function numberIn(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    number = number * 16 + (code < LETTERS ? code - ZERO : code - LETTERS + 10);
  }
  return number;
}

/** `_rev` is the storage's revision: the same for every server, and used by CouchDB's compare-and-swap. */
export function revisionOf(revision: string): Revision {
  return revision as Revision;
}

/** The number of writes up to this revision. A greater number proves nothing; a smaller one proves an older state. */
export function generationOf(revision: string): number {
  return Number.parseInt(revision, 10) || 0;
}
