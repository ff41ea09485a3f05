/** A LiveSync vault's settings, with secrets from their files (docs: livesync, "Configuration"). */
import { readFileSync } from "node:fs";
import { VaultError } from "../errors.js";
import type { LivesyncConfiguration } from "../storage/livesync/storage.js";
import { type Option, type SecretSetting, misused } from "./options/option-kinds.js";
import { isInDatabase, OPTIONS, type Settings } from "./options/options.js";
import { LIVESYNC_OPTIONS } from "./options/server-options.js";

const PREFIX = "livesync:";

/** Undefined without a database or vault. @throws INVALID_ARGUMENT for both, or an incomplete one */
export function livesyncVault(settings: Settings): string | undefined {
  const { couchdbDatabase, livesyncSetupUri, livesyncSetupPassphrase, vault } = settings;
  const isGiven = (name: keyof typeof LIVESYNC_OPTIONS) => settings.sources[name] === OPTIONS[name].flag;
  if (livesyncSetupUri === undefined && isGiven("livesyncSetupPassphrase"))
    throw misused(OPTIONS.livesyncSetupPassphrase.flag, "needs a Setup URI", `Add ${OPTIONS.livesyncSetupUri.flag}.`);
  if (!isInDatabase(settings)) {
    if (couchdbDatabase !== undefined)
      throw misused(nameOf(OPTIONS.couchdbUrl), "is missing: the database's name alone is not enough");
    // Variables may be for several programs.
    const useless = (Object.keys(LIVESYNC_OPTIONS) as (keyof typeof LIVESYNC_OPTIONS)[]).find(isGiven);
    if (useless !== undefined)
      throw misused(
        OPTIONS[useless].flag,
        "is for a vault in CouchDB, and none is named",
        `Add ${OPTIONS.couchdbUrl.flag}, or leave it out.`,
      );
    return undefined;
  }
  if (vault !== undefined) {
    throw misused(nameOf(OPTIONS.vault), "and a CouchDB database are both given", "Name the folder, or the database.");
  }
  if (livesyncSetupUri === undefined && couchdbDatabase === undefined) {
    throw misused(nameOf(OPTIONS.couchdbDatabase), "is missing: the server's URL alone is not enough");
  }
  if (livesyncSetupUri !== undefined && livesyncSetupPassphrase === undefined) {
    throw misused("LIVESYNC_SETUP_PASSPHRASE", "is missing: the Setup URI alone is not enough");
  }
  return PREFIX + (couchdbDatabase ?? "vault");
}

/**
 * Single settings override a Setup URI's.
 * @throws INVALID_ARGUMENT without secrets
 */
export async function livesyncConfiguration(settings: Settings): Promise<LivesyncConfiguration> {
  const { couchdbUrl, couchdbDatabase, couchdbUser, couchdbPassword, vaultPassphrase, usePathObfuscation } = settings;
  const setup = await setupOf(settings);
  return {
    url: couchdbUrl ?? setup?.url ?? "",
    database: couchdbDatabase ?? setup?.database ?? "",
    user: couchdbUser ?? setup?.user,
    password: secretOf(OPTIONS.couchdbPassword, couchdbPassword) ?? setup?.password,
    passphrase: secretOf(OPTIONS.vaultPassphrase, vaultPassphrase) ?? setup?.passphrase,
    usePathObfuscation: usePathObfuscation || (setup?.usePathObfuscation ?? false),
    headers: setup?.headers,
    reread: () => livesyncConfiguration(settings),
  };
}

async function setupOf({ livesyncSetupUri, livesyncSetupPassphrase }: Settings) {
  const uri = secretOf(OPTIONS.livesyncSetupUri, livesyncSetupUri);
  const passphrase = secretOf(OPTIONS.livesyncSetupPassphrase, livesyncSetupPassphrase);
  if (uri === undefined || passphrase === undefined) return undefined;
  const { readSetupUri } = await import("../storage/livesync/codec/setup-uri.js");
  return readSetupUri(uri, passphrase);
}

function secretOf(option: Option, secret: SecretSetting | undefined): string | undefined {
  if (secret === undefined || "text" in secret) return secret?.text;
  try {
    return readFileSync(secret.file, "utf8").replace(/^\uFEFF|\r?\n$/g, "");
  } catch (cause) {
    const hint = "Name a file that this user may read.";
    throw new VaultError("INVALID_ARGUMENT", `The file of ${nameOf(option)} cannot be read.`, { hint, cause });
  }
}

function nameOf({ flag, environment: [variable] = [] }: Option): string {
  return typeof variable === "string" ? `${flag} (${variable})` : flag;
}
