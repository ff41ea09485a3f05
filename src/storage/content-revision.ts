/** Revisions that are hashes of contents. */
import { sha256 } from "../text/hash.js";
import type { FileStat, Revision, StoredFile } from "./storage.js";

export function contentRevision(bytes: Uint8Array): Revision {
  return sha256(bytes) as Revision;
}

/** An invalid revision matches no file. */
export function givenRevision(text: string | undefined): Revision | undefined {
  return text?.trim() as Revision | undefined;
}

export class StoredContent implements StoredFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly #findRevision: (bytes: Uint8Array) => Revision;
  #revision: Revision | undefined;

  constructor(stat: FileStat, bytes: Uint8Array, findRevision = contentRevision) {
    this.stat = stat;
    this.bytes = bytes;
    this.#findRevision = findRevision;
  }

  get revision(): Revision {
    if (this.bytes.byteLength < this.stat.size) throw new RangeError("Only the head of the file was read.");
    return (this.#revision ??= this.#findRevision(this.bytes));
  }
}
