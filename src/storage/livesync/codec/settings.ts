/** How a database's files are stored: the settings that all its clients share, as the milestone tells them (spec: livesync, section 7). */
import { isRecord, type RawDocument } from "./document.js";

export type HashName = "xxhash64" | "xxhash32" | "sha1" | "mixed" | "legacy";
/** `v2`: HKDF; `v1`: a key for each salt. Both may stand in one database; this says which is written. */
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
    algorithm: algorithm === "" || algorithm === "forceV1" ? "v1" : "v2",
    onlyV1: algorithm === "forceV1",
    obfuscate: flag("usePathObfuscation"),
    dynamicIterations: flag("useDynamicIterationCount"),
    // A name of a later client: its chunks are only not shared.
    hash: (typeof hash === "string" ? HASHES[hash] : undefined) ?? DEFAULTS.hash,
    compress: flag("enableCompression"),
    caseSensitive: flag("handleFilenameCaseSensitive"),
    pieceBytes: Math.floor(PIECE_BYTES * (Math.min(count("customChunkSize", 0), 100) + 1)),
    minimumPiece: count("minimumChunkSize", DEFAULTS.minimumPiece),
  };
}
