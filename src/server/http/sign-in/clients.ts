/** Clients: fixed ones, sealed metadata as id (RFC 7591), or a document's address. */
import { isRecord } from "../../../text/decoded.js";
import { createHmac, timingSafeEqual } from "node:crypto";
import { matchesDigest } from "../tokens.js";
import type { ClientDocuments } from "./client-documents.js";
import { OAuthError } from "./paths.js";

export const AUTH_METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
type AuthMethod = (typeof AUTH_METHODS)[number];

export interface Client {
  readonly id: string;
  /** At most 60 characters, none of them control or bidirectional. Anybody can claim any name. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly method: AuthMethod;
}

export interface FixedClient extends Client {
  /** SHA-256; undefined without a secret. */
  readonly secretDigest: Buffer | undefined;
}

export interface ClientRegistryOptions {
  readonly key: Buffer;
  readonly fixed: readonly FixedClient[];
  readonly documents: ClientDocuments | undefined;
  /** Besides known app schemes. */
  readonly schemes: readonly string[];
}

const PREFIX = "ovd_";
/** Bytes. */
const MAX_SEALED = 1000;
const MAX_NAME = 60;
const MAX_REDIRECTS = 20;

export function clientRegistry(options: ClientRegistryOptions) {
  function isDocument(id: string): boolean {
    return /^https:/i.test(id);
  }

  /** Fetches nothing. @throws OAuthError */
  function known(id: string): Client {
    const client = options.fixed.find((one) => one.id === id) ?? unsealed(id);
    if (!client) throw new OAuthError("invalid_client", "This client is not registered here.");
    return client;
  }

  async function find(id: string, isAsked = true): Promise<Client> {
    if (!isDocument(id)) return known(id);
    const { documents, schemes } = options;
    if (!documents) throw new OAuthError("invalid_client", "This server fetches no client documents.");
    return clientIn(id, await documents.fetch(id, isAsked), schemes);
  }

  function register(metadata: unknown): Readonly<Record<string, unknown>> {
    if (!isRecord(metadata)) throw new OAuthError("invalid_client_metadata", "The body must be a JSON object.");
    const {
      redirect_uris: uris,
      client_name: name,
      token_endpoint_auth_method: wanted = "client_secret_basic",
    } = metadata;
    if (!Array.isArray(uris) || uris.length === 0)
      throw new OAuthError("invalid_redirect_uri", "redirect_uris must be a list.");
    if (uris.length > MAX_REDIRECTS)
      throw new OAuthError("invalid_client_metadata", `redirect_uris may have at most ${MAX_REDIRECTS} entries.`);
    const usable = usableUris(uris, options.schemes);
    if (usable.length === 0) throw new OAuthError("invalid_redirect_uri", "None of the redirect_uris can be used.");
    const method = AUTH_METHODS.find((one) => one === wanted);
    if (!method) throw new OAuthError("invalid_client_metadata", "token_endpoint_auth_method is not supported.");
    const client = { name: shownName(name, usable), redirectUris: usable, method };
    const id = sealed(client);
    if (id.length > MAX_SEALED)
      throw new OAuthError("invalid_client_metadata", "The name and redirect_uris are too long together.");
    return {
      client_id: id,
      client_name: client.name,
      redirect_uris: usable,
      token_endpoint_auth_method: method,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(method === "none" ? {} : { client_secret: secretOf(id), client_secret_expires_at: 0 }),
    };
  }

  function isAuthentic(client: Client, secret: string | undefined): boolean {
    const fixed = options.fixed.find((one) => one.id === client.id);
    if (fixed)
      return fixed.secretDigest === undefined || (secret !== undefined && matchesDigest(fixed.secretDigest, secret));
    if (client.method === "none") return true;
    const wanted = Buffer.from(secretOf(client.id));
    const shown = Buffer.from(secret ?? "");
    return wanted.length === shown.length && timingSafeEqual(wanted, shown);
  }

  function sealed({ name, redirectUris, method }: Omit<Client, "id">): string {
    const text = Buffer.from(JSON.stringify([name, redirectUris, AUTH_METHODS.indexOf(method)])).toString("base64url");
    return `${PREFIX}${text}.${hmac("client", text)}`;
  }

  function unsealed(id: string): Client | undefined {
    const [, text, seal] = /^ovd_([\w-]+)\.([\w-]{43})$/.exec(id) ?? [];
    if (id.length > MAX_SEALED || text === undefined || seal === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(hmac("client", text)), Buffer.from(seal))) return undefined;
    const [name, redirectUris, method] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as [
      string,
      string[],
      number,
    ];
    return { id, name, redirectUris, method: AUTH_METHODS[method] ?? "none" };
  }

  function secretOf(id: string): string {
    return hmac("client-secret", id);
  }

  function hmac(use: string, text: string): string {
    return createHmac("sha256", options.key).update(`${use}\0${text}`).digest("base64url");
  }

  return { isDocument, known, find, register, isAuthentic };
}

export type Clients = ReturnType<typeof clientRegistry>;

function clientIn(id: string, document: Readonly<Record<string, unknown>>, schemes: readonly string[]): Client {
  const { redirect_uris: uris, client_name: name, token_endpoint_auth_method: method = "none" } = document;
  const supported = document["token_endpoint_auth_methods_supported"];
  const mayBeNone = method === "none" || (Array.isArray(supported) && supported.includes("none"));
  if (document["client_id"] !== id) throw new OAuthError("invalid_client", "The document names another client_id.");
  // Anybody can read the document.
  if (document["client_secret"] !== undefined)
    throw new OAuthError("invalid_client", "The client's document holds a client_secret.");
  if (!mayBeNone) throw new OAuthError("invalid_client", "The client's document does not allow the method none.");
  const usable = usableUris(Array.isArray(uris) ? uris : [], schemes);
  if (usable.length === 0)
    throw new OAuthError("invalid_client", "The document has no redirect_uris that can be used.");
  return { id, name: shownName(name, usable), redirectUris: usable, method: "none" };
}

function usableUris(uris: readonly unknown[], schemes: readonly string[]): readonly string[] {
  return uris.flatMap((uri) => (typeof uri === "string" && redirectKind(uri, schemes) !== undefined ? [uri] : []));
}

function shownName(name: unknown, [first = ""]: readonly string[]): string {
  const text = typeof name === "string" ? name : shownHost(first);
  const plain = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const letters = Array.from(plain);
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join("")}…` : plain;
}

const MAX_LENGTH = 2048;
/** Others need a dot. */
const KNOWN_SCHEMES = new Set(["cursor", "vscode", "vscode-insiders", "windsurf", "claude"]);
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

type RedirectKind = "https" | "loopback" | "app";

export function redirectKind(text: string, schemes: readonly string[] = []): RedirectKind | undefined {
  if (text.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text) || text.includes("\\") || !URL.canParse(text))
    return undefined;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "" || text.includes("#")) return undefined;
  if (protocol === "https:") return /^https:\/\/[^/]/i.test(text) && hostname !== "" ? "https" : undefined;
  if (protocol === "http:") return /^http:\/\/[^/]/i.test(text) && LOOPBACK.has(hostname) ? "loopback" : undefined;
  const scheme = protocol.slice(0, -1);
  const isApp =
    KNOWN_SCHEMES.has(scheme) || schemes.includes(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme);
  return isApp ? "app" : undefined;
}

/** Exactly, but for a loopback port (RFC 8252). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  if (redirectKind(asked) !== "loopback") return false;
  return registered.some((one) => redirectKind(one) === "loopback" && withoutPort(one) === withoutPort(asked));
}

function withoutPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+)):\d{1,5}(?=[/?]|$)/i, "$1");
}

/** In ASCII: no letter passes for another. */
export function shownHost(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
