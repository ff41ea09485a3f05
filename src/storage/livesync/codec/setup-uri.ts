/** Reads a Setup URI (docs: livesync, "Encryption"). */
import { isRecord, parseJson, percentDecoded } from "../../../text/decoded.js";
import { VaultError } from "../../../errors.js";
import { Cipher } from "./cipher.js";

/** Omits default values. */
interface SetupConfiguration {
  readonly url: string;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly passphrase: string | undefined;
  readonly usePathObfuscation: boolean;
  /** For a proxy. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

const PREFIX = "obsidian://setuplivesync?settings=";

/** @throws INVALID_ARGUMENT, which repeats nothing of it, when it or its passphrase is wrong, or it names no CouchDB */
export async function readSetupUri(uri: string, passphrase: string): Promise<SetupConfiguration> {
  const text = uri.trim();
  if (!text.startsWith(PREFIX)) throw invalid("The Setup URI does not begin with obsidian://setuplivesync?settings=.");
  const sealed = decoded(text.slice(PREFIX.length));
  const settings = parseJson(await opened(sealed, passphrase));
  if (!isRecord(settings)) throw invalid("The Setup URI holds no settings.");
  const remote = activeRemote(settings) ?? ofFields(settings);
  if (remote.url === undefined || remote.database === undefined) {
    throw invalid("The Setup URI names no CouchDB database.");
  }
  if (remote.usesToken) throw signsByToken();
  const usePathObfuscation = settings["usePathObfuscation"] === true;
  const isSealed = settings["encrypt"] === true || usePathObfuscation;
  return {
    url: remote.url,
    database: remote.database,
    user: remote.user,
    password: remote.password,
    passphrase: isSealed ? textField(settings, "passphrase") : undefined,
    usePathObfuscation,
    headers: customHeaders(remote.headers),
  };
}

/** `Name: value`, one per line. */
function customHeaders(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const lines = text?.split("\n").flatMap((line) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return lines && Object.fromEntries(lines);
}

function signsByToken(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "The Setup URI signs in by JWT, which this server does not do.", {
    hint: "Give a user and password of CouchDB: COUCHDB_BASE_URL, COUCHDB_DATABASE_NAME, COUCHDB_USER and COUCHDB_PASSWORD in place of the Setup URI.",
  });
}

/** By `remoteType`, and by the scheme of a remote. */
const NOT_SERVED: ReadonlyMap<string, string> = new Map([
  ["MINIO", "in an S3 bucket (MinIO)"],
  ["s3", "in an S3 bucket (MinIO)"],
  ["ONLY_P2P", "only between devices (P2P)"],
  ["p2p", "only between devices (P2P)"],
]);

function notServed(kind: string): VaultError {
  const where = NOT_SERVED.get(kind) ?? "somewhere that this server does not know";
  return new VaultError(
    "INVALID_ARGUMENT",
    `By the Setup URI LiveSync keeps the vault ${where}; this server serves vaults in CouchDB alone.`,
    { hint: "Let LiveSync in Obsidian use CouchDB and copy the Setup URI again, or serve the vault's folder." },
  );
}

type Settings = Readonly<Record<string, unknown>>;
interface Remote extends Readonly<Record<"url" | "database" | "user" | "password" | "headers", string | undefined>> {
  /** JWT. */
  readonly usesToken: boolean;
}

/** @throws INVALID_ARGUMENT without CouchDB: these fields may be left over */
function ofFields(settings: Settings): Remote {
  const kind = textField(settings, "remoteType");
  if (kind !== undefined) throw notServed(kind);
  return {
    url: textField(settings, "couchDB_URI"),
    database: textField(settings, "couchDB_DBNAME"),
    user: textField(settings, "couchDB_USER"),
    password: textField(settings, "couchDB_PASSWORD"),
    headers: textField(settings, "couchDB_CustomHeaders"),
    usesToken: settings["useJWT"] === true,
  };
}

/**
 * `sls+https://user:password@host/path?db=name`, which LiveSync prefers. Undefined when unreadable.
 * @throws INVALID_ARGUMENT for one that is no CouchDB
 */
function activeRemote(settings: Settings): Remote | undefined {
  const remotes = settings["remoteConfigurations"];
  const active = isRecord(remotes) ? remotes[textField(settings, "activeConfigurationId") ?? ""] : undefined;
  const uri = isRecord(active) && active["isEncrypted"] !== true ? textField(active, "uri") : undefined;
  const [, scheme, rest] = /^sls\+([^:]+):(.*)$/.exec(uri ?? "") ?? [];
  if (scheme === undefined) return undefined;
  if (scheme !== "http" && scheme !== "https") throw notServed(scheme);
  if (!URL.canParse(`${scheme}:${rest}`)) return undefined;
  const { host, pathname, username, password, searchParams } = new URL(`${scheme}:${rest}`);
  return {
    url: `${scheme}://${host}${pathname === "/" ? "" : pathname}`,
    database: searchParams.get("db") ?? undefined,
    user: username === "" ? undefined : decoded(username),
    password: password === "" ? undefined : decoded(password),
    headers: searchParams.get("headers") ?? undefined,
    usesToken: searchParams.get("useJWT") === "true",
  };
}

function textField(settings: Settings, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function opened(sealed: string, passphrase: string): Promise<string> {
  try {
    return await new Cipher({ passphrase, salt: undefined, dynamicIterations: undefined }).open(sealed);
  } catch (cause) {
    throw invalid("The Setup URI does not open: its passphrase is wrong, or it was not copied whole.", cause);
  }
}

function decoded(text: string): string {
  const plain = percentDecoded(text);
  if (plain === undefined) throw invalid("The Setup URI was not copied whole.");
  return plain.trim();
}

function invalid(message: string, cause?: unknown): VaultError {
  return new VaultError("INVALID_ARGUMENT", message, {
    hint: "Copy it again from LiveSync's settings in Obsidian, with the passphrase shown for it.",
    cause,
  });
}
