/** Checks whether a database may be used, and how it stores files (docs: livesync). */
import { isRecord } from "../../text/decoded.js";
import { VaultError } from "../../errors.js";
import { sha256 } from "../../text/hash.js";
import { keysOf } from "./codec/cipher.js";
import { Codec } from "./codec/codec.js";
import {
  databaseSettings,
  inspectDatabase,
  type DatabaseFacts,
  type DatabaseSettings,
  settingsOf,
  type TweakSettings,
  Evidence,
  type KeptEvidence,
} from "./codec/database-settings.js";
import { IDS, isNoteId, isTexts, type RawDocument } from "./codec/document.js";
import type { Couch } from "./couch.js";
import type { KeptMirror } from "./mirror.js";

export interface Secrets {
  readonly passphrase: string | undefined;
  /** `USE_PATH_OBFUSCATION`: refuse to write readable names. */
  readonly wantsObfuscation: boolean;
}

/** The feed does not report these. */
export interface Marks extends Pick<DatabaseFacts, "version" | "milestone" | "parameters"> {
  readonly instance: string | undefined;
  readonly copies: number;
}

export interface Opened {
  readonly codec: Codec;
  readonly settings: DatabaseSettings;
  readonly marks: Marks;
  readonly evidence: Evidence;
  readonly seen: string;
  /** A rebuild changes both parts. */
  readonly fingerprint: string;
}

/** With the salt the key is derived during the first requests. */
type KnownDatabase = Pick<KeptMirror, "fingerprint" | "instance" | "salt" | "evidence">;

/** One request comes first: parallel wrong passwords would lock the account. */
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

/** A lagging cluster node may lack a mark. */
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
 * @param known if still valid, no document is read
 * @throws UNAVAILABLE: unreachable, refused, not LiveSync's, too new, no or a wrong passphrase
 */
export async function openDatabase(
  couch: Couch,
  secrets: Secrets,
  known: KnownDatabase | undefined,
  onAnswer: (() => void) | undefined,
): Promise<Opened> {
  if (known && secrets.passphrase !== undefined) void beginKey(secrets.passphrase, known).catch(() => undefined);
  const isLikely = known !== undefined && tellsAll(known.evidence);
  const [marks, looked] = await readMarks(couch, async () => {
    onAnswer?.();
    return isLikely ? undefined : couch.sample();
  });
  const evidence = new Evidence();
  const isSame = isLikely && known.instance === marks.instance && known.fingerprint === databaseFingerprint(marks);
  if (isSame) evidence.recall(known.evidence);
  if (!isSame || !tellsAll(evidence, settingsOf(marks.milestone)))
    await seeDocuments(couch, looked ?? (await couch.sample()), evidence);
  const settings = await inspectDatabase({ ...marks, evidence, passphrase: secrets.passphrase });
  return opened(settings, { marks, evidence }, secrets);
}

/** Form, and a text to test the passphrase if encrypted. */
function tellsAll({ encrypted, obfuscated, sample }: KeptEvidence, told?: TweakSettings): boolean {
  return sample !== undefined || (!encrypted && !obfuscated && told?.encrypt !== true && told?.obfuscate !== true);
}

/** It takes as long as all requests. A failure recurs where the key is used. */
async function beginKey(passphrase: string, { evidence, salt }: KnownDatabase): Promise<void> {
  if (evidence.v2 && salt !== undefined) await keysOf(passphrase).master(Buffer.from(salt, "base64"));
}

export async function reconsider(before: Opened, secrets: Secrets): Promise<Opened> {
  const { marks, evidence, settings } = before;
  if (digestOf(evidence) === before.seen) return before;
  const facts = { ...marks, evidence, passphrase: secrets.passphrase };
  const isConfigured = isRecord(marks.milestone?.["tweak_values"]);
  const now = isConfigured ? databaseSettings(facts) : await inspectDatabase(facts);
  const described = ({ settings, readOnly }: DatabaseSettings) =>
    JSON.stringify([settings, readOnly?.code, readOnly?.message]);
  return described(now) === described(settings)
    ? { ...before, seen: digestOf(evidence) }
    : opened(now, before, secrets);
}

function digestOf({ encrypted, v2, obfuscated, caseSensitive, notes, unknown }: Evidence): string {
  return JSON.stringify([encrypted, v2, obfuscated, caseSensitive ?? null, notes, unknown ?? null]);
}

export function databaseFingerprint({ milestone, parameters }: Marks): string {
  return sha256(JSON.stringify([milestone?.["created"], parameters?.["pbkdf2salt"]]));
}

function opened(
  settings: DatabaseSettings,
  { marks, evidence }: Pick<Opened, "marks" | "evidence">,
  { passphrase, wantsObfuscation }: Secrets,
): Opened {
  const isBare = wantsObfuscation && !settings.settings.obfuscate;
  return {
    codec: new Codec(settings.settings, { passphrase, salt: settings.salt }),
    settings: isBare ? { ...settings, readOnly: settings.readOnly ?? unobfuscated() } : settings,
    marks,
    evidence,
    seen: digestOf(evidence),
    fingerprint: databaseFingerprint(marks),
  };
}

async function seeDocuments(couch: Couch, documents: readonly RawDocument[], evidence: Evidence): Promise<void> {
  for (const document of documents) evidence.see(document);
  if (evidence.sample !== undefined) return;
  const ids = documents.flatMap(({ _id: id, children }) =>
    isNoteId(id) && isTexts(children) ? children.slice(0, 1) : [],
  );
  for (const found of (await couch.byIds([...new Set(ids)])).values()) {
    if (found.kind === "document") evidence.see(found.document);
  }
}

function unobfuscated(): VaultError {
  return new VaultError(
    "PERMISSION_DENIED",
    "Nothing is written to the database: hidden names are asked for (USE_PATH_OBFUSCATION), and its names are readable.",
    { hint: "Leave USE_PATH_OBFUSCATION out, or turn on path obfuscation in LiveSync." },
  );
}
