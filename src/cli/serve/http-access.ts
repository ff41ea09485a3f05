/** Who may call over HTTP, from the settings and the files they name. */
import { readFileSync, statSync } from "node:fs";
import { isFeedSecret } from "../../calendar/feed-links.js";
import { TOOLSETS, type Toolset } from "../../tools/toolset.js";
import type { AccessRules } from "../../server/http/guards.js";
import { RateLimit } from "../../server/http/rate-limit.js";
import { ALL_SCOPES, digestOf, type NamedToken, type Scopes } from "../../server/http/tokens.js";
import { OPTIONS, sourceOf, type Settings } from "../options/options.js";
import { misused } from "../options/setting-values.js";

const DEFAULT_RATE = 60;
const DEFAULT_BURST = 10;
const SHORTEST_TOKEN = 16;

/**
 * @param isLoopback whether only this machine can reach the server
 * @throws VaultError INVALID_ARGUMENT naming the wrong setting, and never a token
 */
export function accessRules(settings: Settings, isLoopback: boolean): AccessRules {
  const named = namedTokens(settings);
  const tokens = [...singleToken(settings), ...named.filter(({ isCalendar }) => !isCalendar)];
  const calendarTokens = named.filter(({ isCalendar }) => isCalendar);
  if (!isLoopback && tokens.length === 0 && !settings.insecureNoAuth)
    throw misused(
      OPTIONS.http.flag,
      "opens a port to others, which needs a token",
      "Set AUTH_TOKEN_FILE (or AUTH_TOKEN); --insecure-no-auth does without, and lets anybody change the vault.",
    );
  const all = [...tokens, ...calendarTokens];
  const twice = all.find(({ digest }, at) => all.findIndex((other) => other.digest.equals(digest)) !== at);
  if (twice) throw misused(sourceOf("tokensFile", settings), `gives "${twice.name}" a token that another has`);
  const own = publicUrl(settings);
  return {
    hosts: [...listed(settings.allowHost).map((name) => hostOf(name, settings)), ...(own ? [own.hostname] : [])],
    origins: [
      ...listed(settings.allowOrigin).map((origin) => originOf(origin, settings)),
      ...(own ? [own.origin] : []),
    ],
    tokens,
    calendarTokens,
    rate: rateLimit(settings, isLoopback),
  };
}

/** How the server is reached from elsewhere. @throws VaultError INVALID_ARGUMENT */
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

/** The setting whose file of tokens every user of this machine can read; undefined when there is none. */
export function openTokenFile(settings: Settings): string | undefined {
  const isOpen = (path: string | undefined): boolean => {
    if (path === undefined || process.platform === "win32") return false;
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && stat.isFile() && (stat.mode & 0o004) !== 0;
  };
  const open = (["tokenFile", "tokensFile"] as const).find((name) => isOpen(settings[name]));
  return open && sourceOf(open, settings);
}

function listed(texts: readonly string[]): string[] {
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

function singleToken(settings: Settings): NamedToken[] {
  const { token, tokenFile } = settings;
  const [source, fileSource] = [sourceOf("token", settings), sourceOf("tokenFile", settings)];
  if (token !== undefined && tokenFile !== undefined)
    throw misused(source, `and ${fileSource} are both given`, "Give the token, or the file that holds it.");
  const text =
    tokenFile === undefined
      ? token && usable(source, token)
      : usable(fileSource, readText(fileSource, tokenFile).trim());
  return text === undefined ? [] : [{ name: "token", digest: digestOf(text), scopes: ALL_SCOPES }];
}

/** A token must fit into a header and must not be easy to guess. */
function usable(source: string, token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw misused(source, "holds a token with blanks or other than ASCII characters, or none");
  if (token.length < SHORTEST_TOKEN) throw misused(source, `holds a token of fewer than ${SHORTEST_TOKEN} characters`);
  return token;
}

function readText(source: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw misused(source, "names a file that cannot be read");
  }
}

interface FileToken extends NamedToken {
  /** It opens the calendar by its address, and nothing else. */
  readonly isCalendar: boolean;
}

/** `{"tokens": [{"name", "token" or "sha256", "scopes": ["read" | "write" | toolset, ...] or ["calendar"]}]}`. */
function namedTokens(settings: Settings): FileToken[] {
  const { tokensFile: path } = settings;
  if (path === undefined) return [];
  const source = sourceOf("tokensFile", settings);
  const wrong = (what: string) => misused(source, `names a file in which ${what}`, "docs/http.md shows its form.");
  let file: unknown;
  try {
    file = JSON.parse(readText(source, path));
  } catch (error) {
    throw error instanceof SyntaxError ? wrong("there is no JSON") : error;
  }
  const rows: unknown = isRecord(file) ? file["tokens"] : undefined;
  if (!Array.isArray(rows) || rows.length === 0) throw wrong('"tokens" is no list, or empty');
  const tokens = rows.map((row, at) => namedToken(row, source, (what) => wrong(`token ${at + 1} ${what}`)));
  const twice = tokens.find(({ name }, at) => tokens.findIndex((other) => other.name === name) !== at);
  if (twice) throw wrong(`two tokens are called "${twice.name}"`);
  return tokens;
}

function namedToken(row: unknown, source: string, wrong: (what: string) => Error): FileToken {
  if (!isRecord(row)) throw wrong("is no object");
  const { name, token, sha256, scopes, ...unknown } = row;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw wrong(`has an unknown field ${JSON.stringify(stray)}`);
  if (typeof name !== "string" || !/^[\w.-]{1,40}$/.test(name))
    throw wrong('needs a "name" of letters, digits, ., _ and -');
  const isCalendar = Array.isArray(scopes) && scopes.includes(CALENDAR_SCOPE);
  if (isCalendar && typeof token === "string" && !isFeedSecret(token))
    throw wrong("opens a calendar, so it has 43 letters, digits, - and _, which an address can hold");
  return { name, digest: digest(token, sha256, source, wrong), scopes: scopesOf(scopes, wrong), isCalendar };
}

function digest(token: unknown, sha256: unknown, source: string, wrong: (what: string) => Error): Buffer {
  if (typeof token === "string" && sha256 === undefined) return digestOf(usable(source, token));
  if (token === undefined && typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256))
    return Buffer.from(sha256, "hex");
  throw wrong('needs either "token" or "sha256" (64 hexadecimal digits)');
}

const CALENDAR_SCOPE = "calendar";

function scopesOf(scopes: unknown, wrong: (what: string) => Error): Scopes {
  const known: readonly unknown[] = ["read", "write", CALENDAR_SCOPE, ...TOOLSETS];
  if (!Array.isArray(scopes) || !scopes.every((scope) => known.includes(scope)))
    throw wrong(`needs "scopes", a list of ${known.join(", ")}`);
  if (scopes.includes(CALENDAR_SCOPE)) {
    if (scopes.length === 1) return { write: false, toolsets: [] };
    throw wrong(
      'has "calendar" beside other scopes: its secret stands in an address, so that it may open nothing else',
    );
  }
  if (!scopes.includes("read") && !scopes.includes("write")) throw wrong('needs "read" or "write" among its scopes');
  const toolsets = TOOLSETS.filter((toolset: Toolset) => scopes.includes(toolset));
  return { write: scopes.includes("write"), toolsets: toolsets.length === 0 ? undefined : toolsets };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
