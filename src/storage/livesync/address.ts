/** Where a database is and as whom it is asked: read from what users configure, with the credentials kept apart from every text (spec: livesync, section 9). */
import { VaultError } from "../../errors.js";

export interface CouchConfiguration {
  /** Base URL of the server, proxy prefixes included; credentials in it are taken out. */
  readonly url: string;
  readonly database: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Sent with every request, for what stands in front of the server; never shown. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface CouchAddress {
  /** Of the database, without credentials and without a slash at its end. */
  readonly url: string;
  readonly database: string;
  /** The server as people call it: host and port. */
  readonly host: string;
  /** The header that says who asks; undefined: nobody in particular. Never shown. */
  readonly authorization: string | undefined;
  /** Sent with every request. Never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address ends with the database's name already, which is a mistake unless a proxy wants it so. */
  readonly repeatsDatabase: boolean;
  /** The password and the notes would cross a network readable: http to another machine. */
  readonly isExposed: boolean;
}

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/i;
const HINT = "Check COUCHDB_BASE_URL and COUCHDB_DATABASE_NAME, such as https://couch.example:5984 and obsidian-vault.";

/** @throws VaultError INVALID_ARGUMENT that echoes nothing of the configuration */
export function couchAddress({ url, database, user, password, headers = {} }: CouchConfiguration): CouchAddress {
  const base = parsed(url);
  if (database === "") throw invalid("The name of the CouchDB database is missing.");
  const name = user ?? decoded(base.username);
  const secret = password ?? decoded(base.password);
  const isAnonymous = name === "" && secret === "";
  const prefix = base.pathname.replace(/\/+$/, "");
  return {
    url: `${base.origin}${prefix}/${encodeURIComponent(database)}`,
    database,
    host: base.host,
    authorization: isAnonymous ? undefined : `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`,
    headers,
    repeatsDatabase: decoded(prefix).endsWith(`/${database}`),
    isExposed: base.protocol === "http:" && !LOOPBACK.test(base.hostname),
  };
}

function parsed(text: string): URL {
  const url = urlOf(text.trim());
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw invalid("The URL of the CouchDB server is none that begins with http:// or https://.");
  }
  return url;
}

/** The error of the constructor would hold the text, which may hold a password. */
function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(message: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", message, { hint: HINT });
}
