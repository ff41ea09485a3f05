/** Checks a database before the first answer, and again before a write: is it LiveSync's, may it be used, and how are its files stored (docs: livesync, "Reading a database", "Writing"). */
import { VaultError } from "../../errors.js";
import { sha256 } from "../../text/hash.js";
import { DerivedKeys, UnknownFormError } from "./codec/cipher.js";
import { Codec } from "./codec/codec.js";
import { databaseSettings, inspectDatabase, type DatabaseFacts, type DatabaseSettings } from "./codec/database.js";
import { IDS, isNoteId, isRecord, isTexts, isUnknownChunk, isUnknownNote, type RawDocument } from "./codec/document.js";
import { settingsOf, type TweakSettings, Evidence, type KeptEvidence } from "./codec/settings.js";
import type { Couch } from "./couch.js";

/** What the user says of the database. */
export interface Secrets {
  readonly passphrase: string | undefined;
  /** `USE_PATH_OBFUSCATION`: nothing is written with readable names. */
  readonly wantsObfuscation: boolean;
}

/** What may be used and requested before it is certain which database this is. */
export interface HeadStart {
  /** What an earlier process found: where that still holds, no document need be read. */
  readonly known?: KnownDatabase | undefined;
  /** Is called as soon as the database has answered at all. */
  readonly onAnswer?: (() => void) | undefined;
}

/** What the database says of itself: three documents that no feed of changes tells of. */
export interface Marks {
  readonly version: RawDocument | undefined;
  readonly milestone: RawDocument | undefined;
  readonly parameters: RawDocument | undefined;
  /** When the server made the database, where it says so. */
  readonly instance: string | undefined;
  /** How many nodes hold each document. */
  readonly copies: number;
}

/** A database that may be read. */
export interface Opened {
  readonly codec: Codec;
  readonly settings: DatabaseSettings;
  readonly marks: Marks;
  readonly evidence: Evidence;
  readonly keys: DerivedKeys;
  /** What the evidence said when the settings were made of it. */
  readonly seen: string;
  /** Distinguishes this database from another that took its name: LiveSync changes both parts when it rebuilds. */
  readonly fingerprint: string;
}

/** What an earlier process found of a database. */
export interface KnownDatabase {
  readonly fingerprint: string;
  readonly instance: string | undefined;
  /** `pbkdf2salt`, from which the key is derived while the database is asked. */
  readonly salt: string | undefined;
  readonly evidence: KeptEvidence;
}

/** Documents, and chunks, that are read to find out how a database is stored. */
const SAMPLE = 25;

/**
 * One request alone comes first: a wrong password that is sent with several at once locks the account for everybody.
 * @param more what else to request as soon as that was answered
 */
export async function readMarks<More>(couch: Couch, more: () => Promise<More>): Promise<readonly [Marks, More]> {
  const { instance, copies } = await couch.info();
  const [version, milestone, parameters, other] = await Promise.all([
    couch.document(IDS.version),
    couch.document(IDS.milestone),
    couch.document(IDS.parameters),
    more(),
  ]);
  return [{ version, milestone, parameters, instance, copies }, other];
}

/** A node of a cluster that has been away may lack a mark, which is then as it was. */
export function marksAfter(before: Marks, now: Marks): Marks {
  return {
    version: now.version ?? before.version,
    milestone: now.milestone ?? before.milestone,
    parameters: now.parameters ?? before.parameters,
    instance: now.instance ?? before.instance,
    copies: now.copies,
  };
}

/**
 * Checks a database for the first time.
 * @throws VaultError UNAVAILABLE naming the cause: unreachable, refused, not LiveSync's, locked, too new, the passphrase missing or wrong
 */
export async function openDatabase(couch: Couch, secrets: Secrets, { known, onAnswer }: HeadStart): Promise<Opened> {
  const keys = new DerivedKeys(secrets.passphrase ?? "");
  if (known && secrets.passphrase !== undefined) void beginKey(keys, known).catch(() => undefined);
  const isLikely = known !== undefined && tellsAll(known.evidence);
  const [marks, looked] = await readMarks(couch, async () => {
    onAnswer?.();
    return isLikely ? undefined : couch.sample(SAMPLE);
  });
  const evidence = new Evidence();
  const isSame = isLikely && known.instance === marks.instance && known.fingerprint === databaseFingerprint(marks);
  if (isSame) evidence.recall(known.evidence);
  if (!isSame || !tellsAll(evidence, settingsOf(marks.milestone)))
    await seeDocuments(couch, looked ?? (await couch.sample(SAMPLE)), evidence);
  const facts = factsOf(marks, evidence, keys, secrets);
  return opened(await inspectDatabase(facts), facts, secrets);
}

/** Whether no document of the same database tells more: how they are stored, and where anything is sealed something to try the passphrase on. */
function tellsAll({ encrypted, obfuscated, sample }: KeptEvidence, told?: TweakSettings): boolean {
  return sample !== undefined || (!encrypted && !obfuscated && told?.encrypt !== true && told?.obfuscate !== true);
}

/** The derivation takes as long as all requests and runs in parallel. What fails here fails again where the key is used. */
async function beginKey(keys: DerivedKeys, { evidence, salt }: KnownDatabase): Promise<void> {
  if (evidence.v2 && salt !== undefined) await keys.master(Buffer.from(salt, "base64"));
}

/** The same database after more of its documents were seen. */
export async function reconsider(before: Opened, secrets: Secrets): Promise<Opened> {
  const { marks, evidence, settings, keys } = before;
  if (digestOf(evidence) === before.seen) return before;
  const facts = factsOf(marks, evidence, keys, secrets);
  const isTold = isRecord(marks.milestone?.["tweak_values"]);
  const now = isTold ? databaseSettings(facts) : await inspectDatabase(facts);
  const described = ({ settings, readOnly }: DatabaseSettings) =>
    JSON.stringify([settings, readOnly?.code, readOnly?.message]);
  return described(now) === described(settings) ? { ...before, seen: digestOf(evidence) } : opened(now, facts, secrets);
}

function digestOf({ encrypted, v2, obfuscated, caseSensitive, notes }: Evidence): string {
  return JSON.stringify([encrypted, v2, obfuscated, caseSensitive ?? null, notes]);
}

/** What tells one state of a database from a rebuilt one. */
export function databaseFingerprint({ milestone, parameters }: Marks): string {
  return sha256(JSON.stringify([milestone?.["created"], parameters?.["pbkdf2salt"]]));
}

type Facts = DatabaseFacts & { readonly marks: Marks; readonly keys: DerivedKeys };

function factsOf(marks: Marks, evidence: Evidence, keys: DerivedKeys, { passphrase }: Secrets): Facts {
  return { ...marks, marks, evidence, passphrase, keys };
}

function opened(settings: DatabaseSettings, { marks, evidence, keys }: Facts, secrets: Secrets): Opened {
  const { passphrase, wantsObfuscation } = secrets;
  const isBare = wantsObfuscation && !settings.settings.obfuscate;
  return {
    codec: new Codec(settings.settings, { passphrase, salt: settings.salt, keys }),
    settings: isBare ? { ...settings, readOnly: settings.readOnly ?? unobfuscated() } : settings,
    marks,
    evidence,
    keys,
    seen: digestOf(evidence),
    fingerprint: databaseFingerprint(marks),
  };
}

/**
 * Takes evidence of documents and of some of their chunks.
 * @throws UnknownFormError
 */
async function seeDocuments(couch: Couch, documents: readonly RawDocument[], evidence: Evidence): Promise<void> {
  for (const document of documents) {
    if (isUnknownNote(document)) throw new UnknownFormError(`The document '${document["_id"]}'`);
    evidence.see(document);
  }
  if (evidence.sample !== undefined) return;
  const ids = documents.flatMap(({ _id: id, children }) =>
    isNoteId(id) && isTexts(children) ? children.slice(0, 1) : [],
  );
  for (const found of (await couch.byIds([...new Set(ids)])).values()) {
    if (found.kind !== "document") continue;
    if (isUnknownChunk(found.document)) throw new UnknownFormError(`The chunk '${found.document["_id"]}'`);
    evidence.see(found.document);
  }
}

function unobfuscated(): VaultError {
  return new VaultError(
    "PERMISSION_DENIED",
    "Nothing is written to the database: hidden names are asked for (USE_PATH_OBFUSCATION), and its names are readable.",
    { hint: "Leave USE_PATH_OBFUSCATION out, or turn on path obfuscation in LiveSync." },
  );
}
