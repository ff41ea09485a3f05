/** Who may call, and how often, before the body is read (docs: http). */
import type { IncomingMessage } from "node:http";
import { isIP, isIPv6, type BlockList } from "node:net";
import { Refusal, tooManyRequests } from "./refusal.js";
import { ALL_SCOPES, findToken, type NamedToken, type Scopes } from "./tokens.js";
import { putNewest } from "../../async/put-newest.js";

export interface AccessRules {
  /** Besides loopback; lower case. */
  readonly hosts: readonly string[];
  /** Besides loopback and Obsidian's. */
  readonly origins: readonly string[];
  /** Empty: no token is required. */
  readonly tokens: readonly NamedToken[];
  /** With the scope `sign-in`, not for `/mcp`. */
  readonly people?: readonly NamedToken[];
  /** Their `X-Forwarded-For` is trusted. */
  readonly proxies?: BlockList | undefined;
  readonly calendarTokens?: readonly NamedToken[];
  readonly rate: RateLimit | undefined;
}

export interface Caller {
  /** Of a program's connection. */
  readonly id?: string;
  /** For streams, which outlive their request. */
  readonly isStillValid?: (() => Promise<boolean>) | undefined;
  /** Undefined if the person refused the scope. */
  readonly stepUp?: (scope: string) => string | undefined;
  /** Without tokens all callers share one. */
  readonly name: string;
  readonly scopes: Scopes;
}

export const ANYONE: Caller = { name: "anyone", scopes: ALL_SCOPES };

const MAX_HEADERS = 1000;
/** node:http drops further headers silently. */
export const READ_HEADERS = MAX_HEADERS + 1;

/** @throws Refusal 431: a dropped header could matter */
export function checkHeaderCount(request: IncomingMessage): void {
  if (request.rawHeaders.length <= 2 * MAX_HEADERS) return;
  // The dropped one may have said how the body ends.
  const headers = { Connection: "close" };
  throw new Refusal(431, "Too many headers", `A request may have ${MAX_HEADERS} headers.`, { headers });
}

/** @throws Refusal 403 for a foreign Host (DNS rebinding) */
export function checkHost(request: IncomingMessage, { hosts }: AccessRules): void {
  const host = singleHeader(request, "host");
  const name = host ? hostName(host) : undefined;
  if (name !== undefined && (isLoopback(name) || hosts.includes(name))) return;
  throw new Refusal(403, "Forbidden", "This Host is not served here; the server's --allow-host names those that are.");
}

/** @throws Refusal 403 for another site's page */
export function checkOrigin(request: IncomingMessage, { origins }: AccessRules): void {
  const origin = singleHeader(request, "origin");
  if (origin === undefined) return;
  if (origin !== false && (isFriendly(origin) || origins.includes(origin.toLowerCase()))) return;
  throw new Refusal(
    403,
    "Forbidden",
    "Pages of this Origin may not call; the server's --allow-origin names those that may.",
  );
}

export interface AccessTokens {
  /** @throws Refusal 503 */
  callerOf(token: string): Promise<Caller | undefined>;
  /** Tokens of this form cannot be guessed. */
  isIssuedForm?(token: string): boolean;
  /** @returns a `WWW-Authenticate` header */
  challenge(path: string, error?: string): string;
}

/** @throws Refusal 401; 429, also against guessing */
export async function identify(
  request: IncomingMessage,
  { tokens, rate, proxies }: AccessRules,
  path: string,
  issued?: AccessTokens,
): Promise<Caller> {
  const isOpen = tokens.length === 0 && issued === undefined;
  const shown = isOpen ? undefined : shownToken(request);
  const token = shown === undefined ? undefined : findToken(tokens, shown);
  const caller = isOpen ? ANYONE : (token ?? (shown === undefined ? undefined : await issued?.callerOf(shown)));
  // A program renews a dead token only after 401.
  const isDead = !caller && shown !== undefined && issued?.isIssuedForm?.(shown) === true;
  const key = caller && !isOpen ? `token ${callerId(caller)}` : addressOf(request, proxies);
  const wait = isDead ? 0 : (rate?.take(key) ?? 0);
  if (wait > 0) throw tooManyRequests(wait);
  if (caller) return caller;
  const challenge = issued?.challenge(path, shown === undefined ? undefined : "invalid_token");
  throw new Refusal(401, "Unauthorized", "Send a valid token: Authorization: Bearer <token>.", {
    headers: { "WWW-Authenticate": challenge ?? 'Bearer realm="obsidian-vault-mcp-server"' },
  });
}

export function callerId({ id, name }: Caller): string {
  return id ?? name;
}

function shownToken(request: IncomingMessage): string | undefined {
  const authorization = singleHeader(request, "authorization");
  const key = singleHeader(request, "x-obsiscripta-api-key");
  if (authorization === false || key === false) return undefined;
  if (authorization === undefined) return key;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i;

function hostName(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

export function isLoopback(name: string): boolean {
  return name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

const OBSIDIAN = new Set(["app://obsidian.md", "capacitor://localhost"]);

function isFriendly(origin: string): boolean {
  const [, host = ""] = /^https?:\/\/(.*)$/i.exec(origin) ?? [];
  return OBSIDIAN.has(origin) || isLoopback(hostName(host) ?? "");
}

/** For IPv6 the /64 prefix. Behind `proxies`, the last forwarded address of none. */
export function addressOf({ socket, headers }: IncomingMessage, proxies?: BlockList): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  let address = plainAddress(socket.remoteAddress ?? "");
  for (;;) {
    if (!proxies || !isListed(address, proxies)) break;
    const before = plainAddress(forwarded.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return isIPv6(address) ? `${address.split(":").slice(0, 4).join(":")}/64` : address;
}

function isListed(address: string, list: BlockList): boolean {
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Undefined when missing, false when repeated. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined | false {
  const values = request.headersDistinct[name];
  if (values === undefined || values.length === 0) return undefined;
  return values.length === 1 ? values[0] : false;
}

/** Of a weight other than 0. */
export function takesGzip(accepted = ""): boolean {
  return accepted.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
}

interface Rate {
  readonly perMinute: number;
  /** Calls served at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** The least recently used go: that favours only their owners. */
const MAX_BUCKETS = 10_000;

export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now monotonic milliseconds */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Seconds to wait. */
  take(caller: string): number {
    const { perMinute, burst } = this.#rate;
    const now = this.#now();
    const bucket = this.#buckets.get(caller) ?? { left: burst, at: now };
    const perMs = perMinute / 60_000;
    const left = Math.min(burst, bucket.left + (now - bucket.at) * perMs);
    const served = left >= 1;
    putNewest(this.#buckets, caller, { left: served ? left - 1 : left, at: now }, MAX_BUCKETS);
    return served ? 0 : Math.max(1, Math.ceil((1 - left) / perMs / 1000));
  }
}
