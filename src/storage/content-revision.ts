/** Revisions of files in storages that have none of their own, and revisions that callers send. */
import { sha256 } from "../text/hash.js";
import type { Revision } from "./storage.js";

export function contentRevision(bytes: Uint8Array): Revision {
  return sha256(bytes) as Revision;
}

/** A revision sent by a caller. It is not validated: a text that is no revision matches no file. */
export function givenRevision(text: string | undefined): Revision | undefined {
  return text?.trim() as Revision | undefined;
}
