/** How a database stores files, by its milestone or its documents (docs: livesync, "Reading a database"). */
import { algorithmOf, isUnknownForm } from "./cipher.js";
import { SEALED_EDEN } from "./content.js";
import { isRecord, type RawDocument, isBare, isLeaf, isNoteDocument, isTexts, OBFUSCATED_PREFIX } from "./document.js";

export type HashName = "xxhash64" | "xxhash32" | "sha1" | "mixed" | "legacy";
/** For writing. `v2`: HKDF. `v1`: a key per salt. */
type Algorithm = "v1" | "v2";

export interface TweakSettings {
  readonly encrypt: boolean;
  readonly algorithm: Algorithm;
  readonly onlyV1: boolean;
  readonly obfuscate: boolean;
  /** Of V1. Undefined: both numbers of rounds are tried. */
  readonly dynamicIterations: boolean | undefined;
  readonly hash: HashName;
  /** A later client's. */
  readonly unknown: { readonly algorithm?: true; readonly hash?: true };
  readonly compress: boolean;
  readonly caseSensitive: boolean;
  /** Before base64. */
  readonly pieceBytes: number;
  /** For its own chunk. */
  readonly minimumPiece: number;
}

const PIECE_BYTES = 102_400;

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

const HASHES: ReadonlyMap<unknown, HashName> = new Map([
  ["xxhash64", "xxhash64"],
  ["xxhash32", "xxhash32"],
  ["sha1", "sha1"],
  ["mixed-purejs", "mixed"],
  ["", "legacy"],
]);
const ALGORITHMS: ReadonlySet<unknown> = new Set(["v2", "v1", "forceV1", "", undefined]);

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
    hash: HASHES.get(hash) ?? DEFAULTS.hash,
    unknown: {
      ...(flag("encrypt") && !ALGORITHMS.has(algorithm) && { algorithm: true }),
      ...(hash !== undefined && !HASHES.has(hash) && { hash: true }),
    },
    compress: flag("enableCompression"),
    caseSensitive: flag("handleFilenameCaseSensitive"),
    pieceBytes: Math.floor(PIECE_BYTES * (Math.min(count("customChunkSize", 0), 100) + 1)),
    minimumPiece: count("minimumChunkSize", DEFAULTS.minimumPiece),
  };
}

/** Enough to learn how ids are made. */
const MAX_HIDDEN = 50;

export type KeptEvidence = Pick<
  Evidence,
  "encrypted" | "v2" | "obfuscated" | "caseSensitive" | "notes" | "sample" | "unknown"
>;

/** What the documents seen so far show. */
export class Evidence {
  encrypted = false;
  v2 = false;
  obfuscated = false;
  /** Undefined: not seen yet. */
  caseSensitive: boolean | undefined;
  notes = false;
  /** To test the passphrase. */
  sample: string | undefined;
  unknown: string | undefined;
  /** Decrypted, they show whether case counts. */
  readonly hidden: RawDocument[] = [];

  recall(kept: KeptEvidence): void {
    for (const name of ["encrypted", "v2", "obfuscated", "notes"] as const) this[name] ||= kept[name];
    this.caseSensitive ??= kept.caseSensitive;
    this.sample ??= kept.sample;
    // This program may have been updated since.
    if (kept.unknown !== undefined && isUnknownForm(kept.unknown)) this.unknown ??= kept.unknown;
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
      // A SHA-1 id ends with "=".
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
    if (isUnknownForm(text)) {
      this.unknown ??= text.slice(0, 2);
      return;
    }
    if (algorithmOf(text) === "v2") this.v2 = true;
    // V2 is faster and more conclusive.
    if (this.sample === undefined || (this.v2 && algorithmOf(this.sample) === "v1")) this.sample = text;
  }
}
