/** Revisions: of bytes in storages that have none of their own, a hash of the content; and those that callers give. */
import { sha256 } from "./sha256.js";
import type { Revision } from "./storage.js";

/** SHA-256 in hexadecimal. */
export function contentRevision(bytes: Uint8Array): Revision {
  return sha256(bytes) as Revision;
}

/** The revision a caller gave. Any text may stand for one: what is no revision matches none. */
export function givenRevision(text: string | undefined): Revision | undefined {
  return text?.trim() as Revision | undefined;
}
