/** A document's revision as the stamp and the revision of its file. */
import { sha256 } from "../crypto.js";
import type { Revision, Stamp } from "../storage.js";

/** The number of the revision, and its hash in three numbers that a double holds exactly. */
export const STAMP_LENGTH = 4;

const COUCH = /^(\d{1,15})-([0-9a-f]{32})$/;
const PART = 12;

/** Equal for equal revisions only: `7-0123...` becomes 7 and the 128 bits of the hash. */
export function stampOf(revision: string): Stamp {
  const [, generation = "0", hash = ""] = COUCH.exec(revision) ?? [];
  // A replicator may bring revisions of any form.
  const digits = hash === "" ? sha256(revision).slice(0, PART * (STAMP_LENGTH - 1)) : hash;
  const parts = Array.from({ length: STAMP_LENGTH - 1 }, (_, at) => digits.slice(at * PART, (at + 1) * PART));
  return [Number(generation), ...parts.map((part) => Number.parseInt(part, 16))];
}

/** `_rev` is the storage's revision: the same for every server, and what CouchDB compares and swaps by. */
export function revisionOf(revision: string): Revision {
  return revision as Revision;
}
