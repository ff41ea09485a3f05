/** Who may call (spec: http, section 3): every request passes here before anything of it is read or executed. */
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { singleHeader, type HttpExchange } from "./exchange.js";
import type { RateLimit } from "./rate-limit.js";
import { Refusal, tooManyRequests } from "./refusal.js";
import { ALL_SCOPES, findToken, type NamedToken, type Scopes } from "./tokens.js";

export interface AccessRules {
  /** Host names besides the loopback ones, in lower case, without ports. */
  readonly hosts: readonly string[];
  /** Origins besides the loopback ones and Obsidian's, such as `https://notes.example`. */
  readonly origins: readonly string[];
  /** Empty: no token is asked for. */
  readonly tokens: readonly NamedToken[];
  /** Tokens that open a calendar by its address, and nothing else. */
  readonly calendarTokens?: readonly NamedToken[];
  /** Undefined: no limit. */
  readonly rate: RateLimit | undefined;
}

export interface Caller {
  /** The token's name; without tokens everybody is one caller. */
  readonly name: string;
  readonly scopes: Scopes;
}

export const ANYONE: Caller = { name: "anyone", scopes: ALL_SCOPES };

/** Headers a request may have. */
const MOST_HEADERS = 1000;
/**
 * For `maxHeadersCount` of `node:http`, beyond which Node 20 drops headers silently and still runs the request: one more than a request may
 * have, so that too many can be told from enough.
 */
export const HEADERS_KEPT = MOST_HEADERS + 1;

/** @throws Refusal 431 for more headers than are kept: among the lost ones may be those that the other guards look at */
export function checkHeaderCount({ request }: HttpExchange): void {
  // Names and values alternate.
  if (request.rawHeaders.length <= 2 * MOST_HEADERS) return;
  throw new Refusal(431, "Too many headers", `A request may have ${MOST_HEADERS} headers.`, { closes: true });
}

/** @throws Refusal 403 for a foreign Host: another site's name that was made to lead here (DNS rebinding) */
export function checkHost({ request }: HttpExchange, { hosts }: AccessRules): void {
  const host = singleHeader(request, "host");
  const name = host ? hostName(host) : undefined;
  if (name !== undefined && (isLoopback(name) || hosts.includes(name))) return;
  throw new Refusal(403, "Forbidden", "This Host is not served here; the server's --allow-host names those that are.", {
    closes: true,
  });
}

/** @throws Refusal 403 for a page of another site */
export function checkOrigin({ request }: HttpExchange, { origins }: AccessRules): void {
  const origin = singleHeader(request, "origin");
  if (origin === undefined) return;
  if (origin !== false && (isFriendly(origin) || origins.includes(origin.toLowerCase()))) return;
  throw new Refusal(
    403,
    "Forbidden",
    "Pages of this Origin may not call; the server's --allow-origin names those that may.",
    {
      closes: true,
    },
  );
}

/**
 * Who is calling.
 * @throws Refusal 401 without a valid token, 429 when the caller's bucket is empty (so that tokens cannot be guessed at any speed)
 */
export function identify({ request }: HttpExchange, { tokens, rate }: AccessRules): Caller {
  const shown = tokens.length === 0 ? undefined : shownToken(request);
  const token = shown === undefined ? undefined : findToken(tokens, shown);
  const caller = tokens.length === 0 ? ANYONE : token;
  const wait = rate?.take(token ? `token ${token.name}` : addressOf(request)) ?? 0;
  if (wait > 0) throw tooManyRequests(wait);
  if (caller) return caller;
  throw new Refusal(401, "Unauthorized", "Send a valid token: Authorization: Bearer <token>.", {
    headers: { "WWW-Authenticate": 'Bearer realm="obsidian-vault-mcp-server"' },
    closes: true,
  });
}

function shownToken(request: IncomingMessage): string | undefined {
  const authorization = singleHeader(request, "authorization");
  const key = singleHeader(request, "x-obsiscripta-api-key");
  if (authorization === false || key === false) return undefined;
  if (authorization === undefined) return key;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i;

/** A Host header without its port, in lower case. */
function hostName(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

export function isLoopback(name: string): boolean {
  return name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Obsidian's own pages on the desktop and on phones. */
const OBSIDIAN = new Set(["app://obsidian.md", "capacitor://localhost"]);

function isFriendly(origin: string): boolean {
  const [, name] = /^https?:\/\/(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(origin) ?? [];
  return OBSIDIAN.has(origin) || (name !== undefined && isLoopback(name.toLowerCase()));
}

/** Where a request came from; for an IPv6 address the prefix that one customer has. */
export function addressOf({ socket }: IncomingMessage): string {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
  return isIPv6(address) ? `${address.split(":").slice(0, 4).join(":")}/64` : address;
}
