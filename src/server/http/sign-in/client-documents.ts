/**
 * Fetches client documents. Strangers choose the address: only https on port 443, worldwide addresses, a pinned
 * connection, no redirects (docs: sign-in).
 */
import { isRecord } from "../../../text/decoded.js";
import { putNewest } from "../../../async/put-newest.js";
import type { EpochMilliseconds } from "../../../clock.js";
import { unlessLate } from "../../../async/timers.js";
import { lookup } from "node:dns/promises";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, isIPv4 } from "node:net";
import { OAuthError } from "./paths.js";

/** Replaced in tests. */
export interface DocumentNetwork {
  resolve(host: string): Promise<readonly string[]>;
  /** Trusted instead of the system's. */
  readonly ca?: string;
  readonly port?: number;
  readonly allowsPrivate?: boolean;
}

const SYSTEM_NETWORK: DocumentNetwork = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
};

const FETCH_TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024;
const MAX_ID = 1000;
const MAX_CACHED = 100;
const MIN_CACHE_MS = 5 * 60_000;
const MAX_CACHE_MS = 24 * 60 * 60_000;
const OUTAGE_MS = 7 * 24 * 60 * 60_000;
/** Others need the person's consent. */
const TRUSTED_HOSTS = new Set(["claude.ai", "chatgpt.com", "vscode.dev"]);

type Document = Readonly<Record<string, unknown>>;

interface Cached {
  readonly document: Document;
  readonly fetchedAt: number;
  readonly until: number;
}

class Outage extends Error {}

export class ClientDocuments {
  readonly #now: () => EpochMilliseconds;
  readonly #network: DocumentNetwork;
  readonly #cache = new Map<string, Cached>();

  constructor(now: () => EpochMilliseconds, network: DocumentNetwork = SYSTEM_NETWORK) {
    this.#now = now;
    this.#network = network;
  }

  /** @throws OAuthError invalid_client; `consent_to_fetch` for an unknown host */
  async fetch(id: string, isAsked: boolean): Promise<Document> {
    const url = usableAddress(id);
    const cached = this.#cache.get(id);
    if (cached && this.#now() < cached.until) return cached.document;
    if (!isAsked && !TRUSTED_HOSTS.has(url.hostname))
      throw new OAuthError("consent_to_fetch", `The client's description is at ${url.hostname}.`);
    try {
      const { text, maxAge } = await this.#download(url);
      const document = readDocument(text);
      const now = this.#now();
      const until = now + Math.min(MAX_CACHE_MS, Math.max(MIN_CACHE_MS, maxAge));
      putNewest(this.#cache, id, { document, fetchedAt: now, until }, MAX_CACHED);
      return document;
    } catch (error) {
      if (error instanceof Outage && cached && this.#now() - cached.fetchedAt < OUTAGE_MS) return cached.document;
      throw error instanceof OAuthError ? error : unusable("could not be fetched");
    }
  }

  async #download(url: URL): Promise<{ readonly text: string; readonly maxAge: number }> {
    const deadline = performance.now() + FETCH_TIMEOUT_MS;
    const address = await unlessLate(this.#address(url.hostname), FETCH_TIMEOUT_MS);
    if (address === undefined) throw new Outage("timeout");
    const { ca, port = 443 } = this.#network;
    return new Promise((resolve, reject) => {
      const request = httpsRequest({
        host: url.hostname,
        servername: isIP(url.hostname) === 0 ? url.hostname : "",
        port,
        path: url.pathname + url.search,
        headers: { Accept: "application/json", "Accept-Encoding": "identity", Host: url.host },
        agent: false,
        ...(ca === undefined ? {} : { ca }),
        // The checked address.
        lookup: (_host, options, found) => {
          const family = isIPv4(address) ? 4 : 6;
          if (options.all === true) found(null, [{ address, family }]);
          else found(null, address, family);
        },
      });
      const timer = setTimeout(() => request.destroy(new Outage("timeout")), deadline - performance.now());
      request.on("close", () => clearTimeout(timer));
      request.on("error", (error) => reject(error instanceof OAuthError ? error : new Outage(error.message)));
      request.on("response", (response) => {
        const { statusCode = 0, headers } = response;
        const refuse = (why: string) => request.destroy(unusable(why));
        if (statusCode >= 500) return request.destroy(new Outage(`status ${statusCode}`));
        if (statusCode !== 200) return refuse(`answered with status ${statusCode}`);
        if ((headers["content-encoding"] ?? "identity") !== "identity") return refuse("came compressed");
        const parts: Buffer[] = [];
        let size = 0;
        response.on("data", (part: Buffer) => {
          size += part.length;
          if (size > MAX_BYTES) refuse("is too large");
          else parts.push(part);
        });
        response.on("error", () => reject(new Outage("the answer broke off")));
        response.on("end", () => {
          const [, seconds = "0"] = /\bmax-age=(\d{1,9})\b/.exec(headers["cache-control"] ?? "") ?? [];
          resolve({ text: Buffer.concat(parts).toString("utf8"), maxAge: Number(seconds) * 1000 });
        });
        return undefined;
      });
      request.end();
    });
  }

  async #address(hostname: string): Promise<string> {
    const literal = hostname.replace(/^\[(.*)\]$/, "$1");
    const addresses = isIP(literal) ? [literal] : await this.#resolve(hostname);
    const [first] = addresses;
    if (first === undefined) throw new Outage("no address");
    if (this.#network.allowsPrivate !== true && !addresses.every(isRoutedWorldwide))
      throw unusable("is at an address that is not reachable from everywhere");
    return first;
  }

  async #resolve(hostname: string): Promise<readonly string[]> {
    try {
      return await this.#network.resolve(hostname);
    } catch {
      throw new Outage("the name cannot be resolved");
    }
  }
}

/** @param id a normalised https URL */
export function usableAddress(id: string): URL {
  const url = id.length <= MAX_ID && URL.canParse(id) ? new URL(id) : undefined;
  const isExact = url?.href === id && url.protocol === "https:" && url.port === "" && url.pathname.length > 1;
  if (url && isExact && url.username === "" && url.password === "" && !id.includes("#")) return url;
  throw unusable("has an address that cannot be used");
}

function readDocument(text: string): Document {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {}
  throw unusable("is no JSON object");
}

function unusable(why: string): OAuthError {
  return new OAuthError("invalid_client", `The client's document ${why}.`);
}

/** IANA's special-purpose registry. */
const SPECIAL_V4 = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]) {
  const [net = "", bits] = range.split("/");
  SPECIAL_V4.addSubnet(net, Number(bits), "ipv4");
}
/** Not mapped, NAT64 or local. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet("2000::", 3, "ipv6");
/** Protocol assignments, documentation, 6to4. */
const SPECIAL_V6 = new BlockList();
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  SPECIAL_V6.addSubnet(net, bits, "ipv6");

export function isRoutedWorldwide(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_V4.check(address, "ipv4");
  return GLOBAL_V6.check(address, "ipv6") && !SPECIAL_V6.check(address, "ipv6");
}
