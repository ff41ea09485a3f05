/** A database's settings, by its milestone or documents, and reasons not to use it (docs: livesync). */
import { isRecord } from "../../../text/decoded.js";
import { VaultError } from "../../../errors.js";
import { Cipher, encrypted, unknownForm, unopened, algorithmOf, isUnknownForm } from "./cipher.js";
import { isTexts, type RawDocument, isBare, isLeaf, isNoteDocument, OBFUSCATED_PREFIX } from "./document.js";
import { noteId, obfuscationKey, openNote } from "./note.js";
import { SEALED_EDEN } from "./join-chunks.js";

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

const KNOWN_VERSION = 12;
const SALT_BYTES = 32;

export interface DatabaseFacts {
  /** `obsydian_livesync_version`. */
  readonly version: RawDocument | undefined;
  readonly milestone: RawDocument | undefined;
  /** `_local/obsidian_livesync_sync_parameters`. */
  readonly parameters: RawDocument | undefined;
  readonly evidence: Evidence;
  readonly passphrase: string | undefined;
}

export interface DatabaseSettings {
  readonly settings: TweakSettings;
  readonly salt: Buffer | undefined;
  readonly readOnly: VaultError | undefined;
}

/** @throws UNAVAILABLE: not LiveSync's, too new, no or a wrong passphrase */
export async function inspectDatabase(facts: DatabaseFacts): Promise<DatabaseSettings> {
  const fault = startFault(facts) ?? (await passphraseFault(facts));
  if (fault) throw fault;
  if (settingsOf(facts.milestone) === undefined) await settleCase(facts);
  return databaseSettings(facts);
}

export function startFault({ version, milestone, evidence }: DatabaseFacts): VaultError | undefined {
  if (version === undefined && milestone === undefined && !evidence.notes) {
    return new VaultError(
      "UNAVAILABLE",
      "The database is not one of LiveSync: it holds neither its marks nor a note. Another program may use it.",
      {
        isOfSetup: true,
        hint: "Check the database's name (COUCHDB_DATABASE_NAME), or let LiveSync in Obsidian set it up first.",
      },
    );
  }
  const number = version?.["version"];
  if (typeof number === "number" && number > KNOWN_VERSION) {
    return new VaultError(
      "UNAVAILABLE",
      `The database is of LiveSync's format ${number}; this server knows formats up to ${KNOWN_VERSION}.`,
      { hint: "Update this server." },
    );
  }
  if (settingsOf(milestone)?.unknown.algorithm) return unknownForm("The encryption of the database");
  return undefined;
}

/** By the milestone, never weaker than the documents show. */
export function databaseSettings(facts: DatabaseFacts): DatabaseSettings {
  const shared = settingsOf(facts.milestone);
  const settings = shared ? strengthened(shared, facts.evidence) : inferred(facts.evidence);
  const salt = saltOf(facts.parameters);
  return { settings, salt, readOnly: writeFault(settings, shared !== undefined, salt, facts) };
}

function strengthened(settings: TweakSettings, { v2 }: Evidence): TweakSettings {
  return settings.algorithm === "v1" && !settings.onlyV1 && v2 ? { ...settings, algorithm: "v2" } : settings;
}

function inferred(evidence: Evidence): TweakSettings {
  return {
    ...DEFAULTS,
    encrypt: evidence.encrypted,
    algorithm: evidence.encrypted && !evidence.v2 ? "v1" : "v2",
    dynamicIterations: undefined,
    obfuscate: evidence.obfuscated,
    caseSensitive: evidence.caseSensitive ?? DEFAULTS.caseSensitive,
  };
}

export function saltOf(parameters: RawDocument | undefined): Buffer | undefined {
  const text = parameters?.["pbkdf2salt"];
  const salt = typeof text === "string" ? Buffer.from(text, "base64") : undefined;
  return salt?.length === SALT_BYTES ? salt : undefined;
}

function writeFault(
  settings: TweakSettings,
  isConfigured: boolean,
  salt: Buffer | undefined,
  { evidence, passphrase }: DatabaseFacts,
): VaultError | undefined {
  const { encrypt, obfuscate, algorithm, onlyV1, unknown } = settings;
  const hasPassphrase = passphrase !== undefined && passphrase !== "";
  if ((encrypt || obfuscate) && !hasPassphrase) return encrypted("The database");
  if (unknown.hash)
    return refused("its settings name chunks by a hash that this server does not know", "Update this server.");
  if (evidence.unknown !== undefined)
    return refused("a text in it is encrypted in a form that this server does not know", "Update this server.");
  if (!encrypt && evidence.encrypted) {
    return refused("its settings say that it is not encrypted, but encrypted notes are in it", REBUILD);
  }
  if (!obfuscate && evidence.obfuscated) {
    return refused("its settings say that names are readable, but hidden names are in it", REBUILD);
  }
  if (hasPassphrase && !encrypt && !obfuscate) {
    return refused(
      "a passphrase is configured, but the database is not encrypted: notes would be stored readable",
      "Remove the passphrase from this server's configuration, or turn on encryption in LiveSync.",
    );
  }
  if (encrypt && algorithm === "v2" && salt === undefined) {
    return refused("it has lost the salt that its encryption needs", REBUILD);
  }
  if (encrypt && onlyV1 && evidence.v2) {
    return refused("its settings ask for the older encryption, but notes of the newer one are in it", REBUILD);
  }
  if (!isConfigured) return inferenceFault(evidence);
  return undefined;
}

const CHUNK_VERSION = 2;
const PROTOCOL_VERSION = 2;

/** A syncing device needs a later version than this program writes. */
export function laterDeviceFault({ milestone, parameters }: Pick<DatabaseFacts, "milestone" | "parameters">) {
  const [accepted, ranges] = [milestone?.["accepted_nodes"], milestone?.["node_chunk_info"]];
  const devices = isTexts(accepted) && isRecord(ranges) ? accepted.map((device) => ranges[device]) : [];
  const least = devices.map((range) => (isRecord(range) ? Number(range["min"]) : 0));
  const isLater =
    Number(parameters?.["protocolVersion"]) > PROTOCOL_VERSION || least.some((min) => min > CHUNK_VERSION);
  return isLater ? refused("a device that syncs with it needs a later format", "Update this server.") : undefined;
}

/** Of the two ids of a path with capitals, one is its own. */
async function settleCase({ evidence, passphrase, parameters }: DatabaseFacts): Promise<void> {
  if (evidence.caseSensitive !== undefined || passphrase === undefined) return;
  const cipher = new Cipher({ passphrase, salt: saltOf(parameters), dynamicIterations: undefined });
  const obfuscation = obfuscationKey(passphrase);
  for (const document of evidence.hidden) {
    const note = await openNote(document, cipher).catch(() => undefined);
    if (note?.kind !== "note" || note.path === note.path.toLowerCase()) continue;
    const fits = (caseSensitive: boolean): boolean => noteId(note.path, { caseSensitive, obfuscation }) === note.id;
    if (!fits(true) && !fits(false)) continue;
    evidence.caseSensitive = fits(true);
    return;
  }
}

/** For a database whose notes do not show its settings. */
function inferenceFault({ notes, obfuscated, caseSensitive }: Evidence): VaultError | undefined {
  if (!notes) return refused("it holds neither settings nor a note that would show them", CONNECT);
  if (caseSensitive !== undefined) return undefined;
  const what = obfuscated ? "its names are hidden" : "no name in it shows it";
  return refused(`it holds no settings, and whether case counts in names is unknown (${what})`, CONNECT);
}

const REBUILD = "Let LiveSync in Obsidian rebuild the database, or correct its settings.";
const CONNECT = "Connect a current LiveSync in Obsidian once, so that it stores its settings there.";

function refused(why: string, hint: string): VaultError {
  return new VaultError("PERMISSION_DENIED", `Nothing is written to the database: ${why}.`, { hint });
}

/** Undefined also without encryption. */
export async function passphraseFault(facts: DatabaseFacts): Promise<VaultError | undefined> {
  const { evidence, passphrase, parameters } = facts;
  if (evidence.sample === undefined) return undefined;
  if (passphrase === undefined || passphrase === "") return encrypted("The database");
  const { dynamicIterations } = settingsOf(facts.milestone) ?? inferred(evidence);
  const cipher = new Cipher({ passphrase, salt: saltOf(parameters), dynamicIterations });
  try {
    await cipher.open(evidence.sample);
    return undefined;
  } catch (cause) {
    return unopened("The database", cause);
  }
}
