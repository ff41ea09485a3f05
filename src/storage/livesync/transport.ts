/** A database's address and requests to it (docs: livesync, "Configuration"). */
import { percentDecoded } from "../../text/decoded.js";
import { request as requestPlain, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { VaultError } from "../../errors.js";

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Unpacked. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Never follows redirections, which could send notes elsewhere. */
export type HttpFetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

const CONNECT_TIMEOUT_MS = 10_000;

export const httpTransport: HttpFetch = async (url, { method, headers, body, signal }) => {
  const send = url.startsWith("https:") ? (await import("node:https")).request : requestPlain;
  const packing = { "accept-encoding": "gzip" };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: { ...packing, ...headers }, signal });
    request.once("response", (response) => resolve(answerIn(response)));
    request.on("error", reject);
    request.once("socket", (socket) => {
      if (!socket.connecting) return;
      const late = Object.assign(new Error("No connection."), { code: "ETIMEDOUT" });
      const timer = setTimeout(() => request.destroy(late), CONNECT_TIMEOUT_MS);
      for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer));
    });
    request.end(body);
  });
};

function answerIn(response: IncomingMessage): HttpAnswer {
  const { statusCode: status = 0, headers } = response;
  const get = (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  return { status, headers: { get }, body: get("content-encoding") === "gzip" ? unpacked(response) : response };
}

function unpacked(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(response, gunzip, () => undefined);
  return gunzip;
}

export interface CouchConfiguration {
  /** With proxy prefixes; credentials in it are removed. */
  readonly url: string;
  readonly database: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** For a proxy; never shown. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface CouchAddress {
  /** Without credentials. */
  readonly url: string;
  readonly database: string;
  readonly host: string;
  /** Undefined: anonymous. Never shown. */
  readonly authorization: string | undefined;
  /** Never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** A mistake unless a proxy needs it. */
  readonly repeatsDatabase: boolean;
  /** Plain http to another machine. */
  readonly isExposed: boolean;
}

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/i;
const HINT = "Check COUCHDB_BASE_URL and COUCHDB_DATABASE_NAME, such as https://couch.example:5984 and obsidian-vault.";

/** @throws INVALID_ARGUMENT that repeats nothing given */
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

/** The constructor's error would repeat a password. */
function parsed(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw invalid("The URL of the CouchDB server is none that begins with http:// or https://.");
  }
  return url;
}

const decoded = (text: string): string => percentDecoded(text) ?? text;

function invalid(message: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", message, { hint: HINT });
}
