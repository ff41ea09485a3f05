/** The revision of bytes in storages that have no revisions of their own: a hash of the content. */
import { sha256 } from "./sha256.js";
import type { Revision } from "./storage.js";

/** SHA-256 in hexadecimal. */
export function contentRevision(bytes: Uint8Array): Revision {
  return sha256(bytes) as Revision;
}
