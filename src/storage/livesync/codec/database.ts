/** A database's settings, and reasons not to use it (docs: livesync, "Reading a database", "Writing"). */
import { VaultError } from "../../../errors.js";
import { Cipher, encrypted, unknownForm, unopened } from "./cipher.js";
import { isRecord, isTexts, type RawDocument } from "./document.js";
import { noteId, obfuscationKey, openNote } from "./note.js";
import { DEFAULTS, settingsOf, type TweakSettings, type Evidence } from "./settings.js";

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
