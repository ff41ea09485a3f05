/** Where the HTTP server listens and who may call. */
import { statSync } from "node:fs";
import { BlockList, isIP, isIPv4 } from "node:net";
import { isLoopback as isLoopbackName, type AccessRules, RateLimit } from "../../server/http/guards.js";
import { ALL_SCOPES, digestOf, type NamedToken } from "../../server/http/tokens.js";
import { OPTIONS, sourceOf, type Settings } from "../options/options.js";
import { misused } from "../options/option-kinds.js";
import { readText, readTokensFile, usableToken } from "./tokens-file.js";

const DEFAULT_RATE = 60;
const DEFAULT_BURST = 10;

/** @param isLoopback only this machine can reach it @throws INVALID_ARGUMENT naming the setting, never a token */
export function accessRules(settings: Settings, isLoopback: boolean): AccessRules {
  refuseUseless(settings);
  const named = readTokensFile(settings).tokens;
  const single = singleToken(settings);
  if (named.some(({ name }) => name === single?.name))
    throw misused(
      sourceOf("tokensFile", settings),
      `calls a token "${SINGLE_NAME}", which is the name of the single token`,
    );
  const tokens = [...(single ? [single] : []), ...named.filter(({ use }) => use === "calls")];
  const calendarTokens = named.filter(({ use }) => use === "calendar");
  const people = named.filter(({ use }) => use === "sign-in");
  const own = publicUrl(settings);
  const hosts = [...listed(settings.allowHost).map((name) => hostOf(name, settings)), ...(own ? [own.hostname] : [])];
  if (tokens.length === 0 && settings.issuer === undefined && !settings.signIn && !settings.insecureNoAuth) {
    if (!isLoopback) throw needsToken(OPTIONS.http.flag, "opens a port to others");
    // Behind a proxy, others reach a loopback port.
    if (settings.http !== undefined && !hosts.every((name) => isLoopbackName(name)))
      throw needsToken(sourceOf(own ? "publicUrl" : "allowHost", settings), "lets others reach the server");
  }
  const all = [...tokens, ...calendarTokens, ...people];
  const twice = all.find(({ digest }, at) => all.findIndex((other) => other.digest.equals(digest)) !== at);
  if (twice) throw misused(sourceOf("tokensFile", settings), `gives "${twice.name}" a token that another has`);
  return {
    hosts,
    origins: [
      ...listed(settings.allowOrigin).map((origin) => originOf(origin, settings)),
      ...(own ? [own.origin] : []),
    ],
    tokens,
    calendarTokens,
    people,
    proxies: trustedProxies(settings),
    rate: rateLimit(settings, isLoopback),
  };
}

const COUNT_WITH = {
  redirectScheme: "signIn",
  noClientDocuments: "signIn",
  signInDatabase: "signIn",
  signInKeyFile: "signIn",
  audience: "issuer",
  issuerAliases: "issuer",
} as const;

/** Variables may be for several programs. */
function refuseUseless({ sources, http }: Settings): void {
  // Commands read the server's database.
  if (http === undefined) return;
  for (const [name, needed] of Object.entries(COUNT_WITH)) {
    const { flag } = OPTIONS[name as keyof typeof COUNT_WITH];
    if (sources[name as keyof typeof COUNT_WITH] !== flag || sources[needed] !== undefined) continue;
    throw misused(flag, `needs ${OPTIONS[needed].flag}`, `Add ${OPTIONS[needed].flag}, or leave ${flag} out.`);
  }
}

function needsToken(source: string, what: string): Error {
  return misused(
    source,
    `${what}, which needs a token`,
    "Set AUTH_TOKEN_FILE (or AUTH_TOKEN); --insecure-no-auth does without, and lets anybody change the vault.",
  );
}

function trustedProxies(settings: Settings): BlockList | undefined {
  const list = new BlockList();
  const given = listed(settings.trustedProxy);
  for (const text of given) {
    const [net = "", bits, ...rest] = text.split("/");
    const family = isIPv4(net) ? "ipv4" : "ipv6";
    const most = family === "ipv4" ? 32 : 128;
    const isRange = isIP(net) > 0 && rest.length === 0 && /^\d{1,3}$/.test(bits ?? "0") && Number(bits ?? 0) <= most;
    if (!isRange) throw misused(sourceOf("trustedProxy", settings), `is "${text}", which is no address or range`);
    list.addSubnet(net, Number(bits ?? most), family);
  }
  return given.length === 0 ? undefined : list;
}

export function publicUrl(settings: Settings): URL | undefined {
  const { publicUrl: text } = settings;
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isPlain) return url;
  throw misused(
    sourceOf("publicUrl", settings),
    `is "${text}", which is no address such as https://notes.example, without a path`,
  );
}

/** Every user can read its file. */
export function openTokenFile(settings: Settings): string | undefined {
  const isOpen = (path: string | undefined): boolean => {
    if (path === undefined || process.platform === "win32") return false;
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && stat.isFile() && (stat.mode & 0o004) !== 0;
  };
  const open = (["tokenFile", "tokensFile"] as const).find((name) => isOpen(settings[name]));
  return open && sourceOf(open, settings);
}

export function listed(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(","))
    .map((text) => text.trim().toLowerCase())
    .filter((text) => text !== "");
}

function hostOf(name: string, settings: Settings): string {
  if (/^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)$/.test(name)) return name;
  throw misused(sourceOf("allowHost", settings), `is "${name}", which is no host name; it has no scheme and no port`);
}

function originOf(origin: string, settings: Settings): string {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/.test(origin)) return origin;
  throw misused(sourceOf("allowOrigin", settings), `is "${origin}", which is no origin such as https://notes.example`);
}

function rateLimit(settings: Settings, isLoopback: boolean): RateLimit | undefined {
  const { rateLimit: text, rateBurst } = settings;
  const burst = rateBurst === undefined ? DEFAULT_BURST : count(sourceOf("rateBurst", settings), rateBurst);
  if (text === undefined ? isLoopback : /^(off|0)$/i.test(text.trim())) return undefined;
  const perMinute = text === undefined ? DEFAULT_RATE : count(sourceOf("rateLimit", settings), text);
  return new RateLimit({ perMinute, burst });
}

function count(source: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text.trim())) return Number(text);
  throw misused(source, `is "${text}", which is no whole number above 0`);
}

const SINGLE_NAME = "token";

function singleToken(settings: Settings): NamedToken | undefined {
  const { token, tokenFile } = settings;
  const [source, fileSource] = [sourceOf("token", settings), sourceOf("tokenFile", settings)];
  if (token !== undefined && tokenFile !== undefined)
    throw misused(source, `and ${fileSource} are both given`, "Give the token, or the file that holds it.");
  const text =
    tokenFile === undefined
      ? token && usableToken(source, token)
      : usableToken(fileSource, readText(fileSource, tokenFile).trim());
  return text === undefined ? undefined : { name: SINGLE_NAME, digest: digestOf(text), scopes: ALL_SCOPES };
}

export interface HttpAddress {
  /** An address has no brackets. */
  readonly host: string;
  readonly port: number;
}

export function addressText({ host, port }: HttpAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export const LOOPBACK = "127.0.0.1";
const DEFAULT_PORT = 3000;
/** `host:port`, `:port` or `port`. */
const FORM = /^(?:(?:\[([0-9a-f:.]+)\]|([^:[\]/\s]*)):)?(\d{1,5})$/i;

export function httpAddress(settings: Settings): HttpAddress {
  const { http, bindAddr, port } = settings;
  if (http !== undefined && http !== "") return parse(OPTIONS.http.flag, http);
  const base =
    bindAddr === undefined ? { host: LOOPBACK, port: DEFAULT_PORT } : parse(sourceOf("bindAddr", settings), bindAddr);
  return port === undefined ? base : { ...base, port: parsePort(sourceOf("port", settings), port) };
}

const BOARD_PORTS = 20;

/** In order of trying. */
export function boardPorts(settings: Settings): readonly number[] {
  const { port } = settings;
  if (port !== undefined) return [parsePort(sourceOf("port", settings), port)];
  return Array.from({ length: BOARD_PORTS }, (_, index) => DEFAULT_PORT + index);
}

function parse(source: string, text: string): HttpAddress {
  const [, address, name, port] = FORM.exec(text.trim()) ?? [];
  if (port === undefined) throw misused(source, `is "${text}", which is no address such as 127.0.0.1:3000 or 3000`);
  return { host: address ?? (name === undefined || name === "" ? LOOPBACK : name), port: parsePort(source, port) };
}

function parsePort(source: string, text: string): number {
  if (/^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535) return Number(text);
  throw misused(source, `is "${text}", which is no port from 0 to 65535`);
}

export function isLoopbackAddress({ host }: HttpAddress): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
