/** What the documents themselves tell of a database's settings: all there is where no milestone stands, and a check where one does (spec: livesync, section 7). */
import { algorithmOf } from "./cipher.js";
import { isLeaf, isNoteDocument, isRecord, isTexts, OBFUSCATED_PREFIX, type RawDocument } from "./document.js";
import { SEALED_EDEN } from "./content.js";

/** So many obfuscated notes are kept to try out how ids are made. */
const MAX_HIDDEN = 50;

/** What is kept between processes. */
export type KeptEvidence = Pick<Evidence, "encrypted" | "v2" | "obfuscated" | "caseSensitive" | "notes" | "sample">;

/** Gathers traces from any documents; the more are shown, the less is left open. */
export class Evidence {
  /** Something is encrypted. */
  encrypted = false;
  /** Something is sealed by V2. */
  v2 = false;
  /** Some id is obfuscated. */
  obfuscated = false;
  /** Ids keep the case of paths, or do not. Undefined: no document has shown it. */
  caseSensitive: boolean | undefined;
  /** Some file has been seen. */
  notes = false;
  /** Something sealed, to try the passphrase on: a chunk's data, or a sealed part of a note's metadata. */
  sample: string | undefined;
  /** Some notes whose ids are obfuscated: only opened do they show whether case counts. */
  readonly hidden: RawDocument[] = [];

  /** Adds what an earlier process saw. */
  recall(kept: KeptEvidence): void {
    for (const name of ["encrypted", "v2", "obfuscated", "notes"] as const) this[name] ||= kept[name];
    this.caseSensitive ??= kept.caseSensitive;
    this.sample ??= kept.sample;
  }

  see(document: RawDocument): void {
    if (isLeaf(document)) this.#leaf(document);
    else if (isNoteDocument(document)) this.#note(document);
  }

  #leaf({ data, e_ }: RawDocument): void {
    if (e_ === true && typeof data === "string") this.#sealed(data);
  }

  #note(document: RawDocument): void {
    const { _id: id, path, eden, children, e_ } = document;
    this.notes = true;
    if (e_ === true) this.encrypted = true;
    if (isTexts(children) && children.some((child) => child.startsWith("h:+") && !child.endsWith("="))) {
      // An id of SHA-1 may begin so by chance; it ends with "=".
      this.encrypted = true;
    }
    if (isRecord(eden)) {
      for (const name of SEALED_EDEN) {
        const sealed = eden[name];
        if (isRecord(sealed) && typeof sealed["data"] === "string") this.#sealed(sealed["data"]);
      }
    }
    if (id.startsWith(OBFUSCATED_PREFIX)) {
      this.obfuscated = true;
      if (this.hidden.length < MAX_HIDDEN) this.hidden.push(document);
      const hidden = typeof path === "string" ? path.replace(/^\/\\:(?=%=)/, "") : "";
      if (hidden.startsWith("%")) this.#sealed(hidden);
      return;
    }
    if (id !== id.toLowerCase()) this.caseSensitive = true;
    else if (typeof path === "string" && path !== path.toLowerCase()) this.caseSensitive ??= false;
  }

  #sealed(text: string): void {
    this.encrypted = true;
    if (algorithmOf(text) === "v2") this.v2 = true;
    // What opens fastest and tells most is tried: V2 before V1.
    if (this.sample === undefined || (this.v2 && algorithmOf(this.sample) === "v1")) this.sample = text;
  }
}
