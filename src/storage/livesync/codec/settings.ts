/** How the files of a database are stored: what the milestone says, and what the documents themselves show (docs: livesync, "Reading a database"). */
import { algorithmOf } from "./cipher.js";
import { SEALED_EDEN } from "./content.js";
import { isRecord, type RawDocument, isBare, isLeaf, isNoteDocument, isTexts, OBFUSCATED_PREFIX } from "./document.js";

export type HashName = "xxhash64" | "xxhash32" | "sha1" | "mixed" | "legacy";
/** `v2`: HKDF; `v1`: a key for each salt. A database may hold both; this says which is written. */
export type Algorithm = "v1" | "v2";

export interface TweakSettings {
  readonly encrypt: boolean;
  readonly algorithm: Algorithm;
  /** Some client cannot read V2 (`forceV1`), so it must never be written. */
  readonly onlyV1: boolean;
  /** Paths are hidden: ids are hashes, and the metadata is sealed. */
  readonly obfuscate: boolean;
  /** How many rounds V1 derives its keys by. Undefined: nobody has said; both are tried, and what opened something is written. */
  readonly dynamicIterations: boolean | undefined;
  readonly hash: HashName;
  /** Names of a later client that are not known here: of the encryption, so that nothing can be read, and of the hash that names chunks. */
  readonly unknown: { readonly algorithm?: true; readonly hash?: true };
  readonly compress: boolean;
  readonly caseSensitive: boolean;
  /** The longest piece of a file, in bytes before base64. */
  readonly pieceBytes: number;
  /** The shortest piece worth a chunk of its own, in bytes. */
  readonly minimumPiece: number;
}

const PIECE_BYTES = 102_400;

/** What holds where the milestone is silent. */
export const DEFAULTS: TweakSettings = {
  encrypt: false,
  algorithm: "v2",
  onlyV1: false,
  obfuscate: false,
  dynamicIterations: false,
  hash: "xxhash64",
  unknown: {},
  compress: false,
  caseSensitive: false,
  pieceBytes: PIECE_BYTES,
  minimumPiece: 20,
};

const HASHES: Readonly<Record<string, HashName>> = {
  xxhash64: "xxhash64",
  xxhash32: "xxhash32",
  sha1: "sha1",
  "mixed-purejs": "mixed",
  "": "legacy",
};
const ALGORITHMS: ReadonlySet<unknown> = new Set(["v2", "v1", "forceV1", "", undefined]);

/** The settings of the milestone's `tweak_values.PREFERRED`; undefined when there is no milestone or it holds none. */
export function settingsOf(milestone: RawDocument | undefined): TweakSettings | undefined {
  const tweaks = milestone?.["tweak_values"];
  const preferred = isRecord(tweaks) ? tweaks["PREFERRED"] : undefined;
  return isRecord(preferred) ? read(preferred) : undefined;
}

function read(from: Readonly<Record<string, unknown>>): TweakSettings {
  const flag = (name: string): boolean => from[name] === true;
  const count = (name: string, otherwise: number): number => {
    const value = from[name];
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const algorithm = from["E2EEAlgorithm"];
  const hash = from["hashAlg"];
  return {
    encrypt: flag("encrypt"),
    algorithm: algorithm === "" || algorithm === "v1" || algorithm === "forceV1" ? "v1" : "v2",
    onlyV1: algorithm === "forceV1",
    obfuscate: flag("usePathObfuscation"),
    dynamicIterations: flag("useDynamicIterationCount"),
    hash: (typeof hash === "string" ? HASHES[hash] : undefined) ?? DEFAULTS.hash,
    unknown: {
      ...(flag("encrypt") && !ALGORITHMS.has(algorithm) && { algorithm: true }),
      ...(hash !== undefined && (typeof hash !== "string" || !Object.hasOwn(HASHES, hash)) && { hash: true }),
    },
    compress: flag("enableCompression"),
    caseSensitive: flag("handleFilenameCaseSensitive"),
    pieceBytes: Math.floor(PIECE_BYTES * (Math.min(count("customChunkSize", 0), 100) + 1)),
    minimumPiece: count("minimumChunkSize", DEFAULTS.minimumPiece),
  };
}

/** Obfuscated notes that are stored to try out how ids are made. */
const MAX_HIDDEN = 50;

/** What is stored between processes. */
export type KeptEvidence = Pick<Evidence, "encrypted" | "v2" | "obfuscated" | "caseSensitive" | "notes" | "sample">;

/** What the documents that were seen so far show of how the database is stored. */
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
    if (isBare(document)) return;
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
