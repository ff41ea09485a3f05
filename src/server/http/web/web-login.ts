/** Browsers' sessions (docs: web, "Who may"). */
import { isRecord } from "../../../text/decoded.js";
import { putNewest } from "../../../async/put-newest.js";
import type { EpochMilliseconds } from "../../../clock.js";
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Log } from "../../../log.js";
import { parseBody, readBody } from "../body.js";
import type { HttpContext } from "../context.js";
import { singleHeader, addressOf, type AccessRules, type Caller, RateLimit } from "../guards.js";
import { Refusal, tooManyRequests } from "../refusal.js";
import { digestOf, findToken, matchesDigest } from "../tokens.js";

export interface LoginOptions {
  readonly access: AccessRules;
  /** An `Origin`; default: the server's own address. */
  readonly publicUrl?: string | undefined;
  readonly guesses: RateLimit;
  /** From `sign-in`. */
  readonly redeemLink?: ((name: string) => Promise<Caller | undefined>) | undefined;
  /** Nobody logs in with its tokens. */
  readonly hasIssuer?: boolean;
  readonly log: Log;
  readonly port: () => number;
  readonly now: () => EpochMilliseconds;
}

/** Per session. */
const SESSION_RATE = { perMinute: 300, burst: 60 };
/** For all addresses, where people sign in from anywhere. */
const SECRET_RATE = { perMinute: 1, burst: 60 };
const MAX_LOGIN_BYTES = 16 * 1024;

/** Admits callers without a token where none is required. */
export type IdentifyByToken = (request: IncomingMessage) => Promise<Caller>;

export class WebLogin {
  readonly #options: LoginOptions;
  readonly #sessions: WebSessions;
  readonly #codes: ReturnType<typeof loginCodes>;
  readonly #rate: RateLimit | undefined;
  readonly #secrets: RateLimit | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    const { now, access } = options;
    this.#sessions = new WebSessions(now);
    this.#codes = loginCodes(now);
    this.#rate = access.rate && new RateLimit(SESSION_RATE);
    this.#secrets = options.redeemLink && new RateLimit(SECRET_RATE);
  }

  /** @throws Refusal 403 from another origin, 429 */
  sessionOf(request: IncomingMessage): WebSession | undefined {
    const { publicUrl } = this.#options;
    const shown = this.#isOpen ? undefined : shownSecrets(request, this.#cookieName);
    if (!shown) return undefined;
    checkSameOrigin(request, publicUrl);
    const session = this.#sessions.find(shown.cookies, shown.key);
    const wait = session ? (this.#rate?.take(session.id) ?? 0) : 0;
    if (wait > 0) throw tooManyRequests(wait);
    return session;
  }

  /** @throws Refusal 403 from another origin */
  async callerOf(request: IncomingMessage, byToken: IdentifyByToken): Promise<Caller> {
    checkSameOrigin(request, this.#options.publicUrl);
    return this.sessionOf(request)?.caller ?? (await byToken(request));
  }

  isOpen(session: WebSession): boolean {
    return this.#sessions.isOpen(session);
  }

  /** Works once. @param base such as `http://127.0.0.1:3000` */
  link(caller: Caller, base: string): string {
    return `${base}/#login=${this.#codes.make(caller)}`;
  }

  /** `POST /web/codes`: for another device, with the caller's rights. */
  async offerLink(c: HttpContext, byToken: IdentifyByToken): Promise<Response> {
    const { publicUrl } = this.#options;
    const { incoming } = c.env;
    const caller = await this.callerOf(incoming, byToken);
    const base = publicUrl ?? `http://${incoming.headers.host ?? ""}`;
    const link = this.#isOpen ? `${base}/` : this.link(caller, base);
    return c.json({ link });
  }

  close(): void {
    this.#sessions.close();
  }

  /** `POST /web/session`. */
  async login(c: HttpContext): Promise<Response> {
    const { access, guesses, publicUrl, log } = this.#options;
    checkSameOrigin(c.env.incoming, publicUrl);
    const { token, code } = credentialsIn(parseBody(await readBody(c, MAX_LOGIN_BYTES)));
    const address = addressOf(c.env.incoming, access.proxies);
    const isLink = token === undefined;
    // Links work while others guess secrets.
    const wait =
      guesses.take(`${isLink ? "link" : "login"} ${address}`) || (isLink ? 0 : (this.#secrets?.take("all") ?? 0));
    if (wait > 0) throw tooManyRequests(wait);
    if (this.#isOpen) return c.json({ login: "not needed" });
    if (!isLink && this.#isWithoutTokens) throw new Refusal(403, "Forbidden", NO_TOKENS);
    const caller = isLink ? await this.#redeem(code) : findToken([...access.tokens, ...(access.people ?? [])], token);
    if (!caller) {
      if (isLink) guesses.take(`login ${address}`);
      log.warn(isLink ? "A login link was not valid" : "A login secret was wrong", { address });
      throw wrongCredentials(isLink);
    }
    const { cookie, key, session } = this.#sessions.begin({ name: caller.name, scopes: caller.scopes });
    c.env.outgoing.setHeader("Set-Cookie", this.#cookie(cookie, SESSION_LIFE_MS / 1000));
    return c.json({ login: "done", key, until: new Date(session.until).toISOString() });
  }

  personOf(request: IncomingMessage): Caller {
    return this.#presentSession(request).caller;
  }

  #presentSession(request: IncomingMessage): WebSession {
    const session = this.sessionOf(request);
    if (session) return session;
    throw new Refusal(401, "Unauthorized", "There is no such session, or it has ended.");
  }

  async #redeem(code: string): Promise<Caller | undefined> {
    return this.#codes.redeem(code) ?? (await this.#options.redeemLink?.(nameOf(code)));
  }

  /** `DELETE /web/session`. */
  logout(c: HttpContext): Response {
    checkSameOrigin(c.env.incoming, this.#options.publicUrl);
    this.#sessions.end(this.#presentSession(c.env.incoming));
    c.env.outgoing.setHeader("Set-Cookie", this.#cookie("", 0));
    return c.body(null, 204);
  }

  get #isOpen(): boolean {
    return this.#isWithoutTokens && this.#options.hasIssuer !== true;
  }

  get #isWithoutTokens(): boolean {
    const { tokens, people = [] } = this.#options.access;
    return tokens.length + people.length === 0;
  }

  get #cookieName(): string {
    return `vault-${this.#options.port()}`;
  }

  #cookie(value: string, seconds: number): string {
    const secure = this.#options.publicUrl?.startsWith("https:") ? "; Secure" : "";
    return `${this.#cookieName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  }
}

function credentialsIn(body: unknown): { readonly token?: string; readonly code: string } {
  const { token, code, ...others } = isRecord(body) ? body : {};
  const isClear = Object.keys(others).length === 0;
  if (isClear && typeof token === "string" && code === undefined) return { token, code: "" };
  if (isClear && typeof code === "string" && token === undefined) return { code };
  throw new Refusal(400, "Invalid request body", 'The body must be {"token": "..."} or {"code": "..."}.');
}

function wrongCredentials(isCode: boolean): Refusal {
  const message = isCode
    ? "This link was used already, or is too old. Ask for a new one."
    : "That is no token of this server.";
  return new Refusal(401, "Unauthorized", message);
}

const NO_TOKENS = "This server has no token to log in with; its owner can add one to the tokens file.";

const IDLE_MS = 12 * 60 * 60_000;
const SESSION_LIFE_MS = 7 * 24 * 60 * 60_000;
const MAX_SESSIONS = 100;
const SWEEP_MS = 60_000;

/** Valid only together. */
interface WebSession {
  readonly id: string;
  readonly caller: Caller;
  readonly keyDigest: Buffer;
  readonly until: EpochMilliseconds;
  lastUsed: number;
  readonly streams: Set<() => void>;
}

export class WebSessions {
  readonly #now: () => EpochMilliseconds;
  readonly #open = new Map<string, WebSession>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(now: () => EpochMilliseconds) {
    this.#now = now;
    this.#sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Ends the least recently used at the limit. Stores digests. */
  begin(caller: Caller) {
    this.sweep();
    const [cookie, key] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
    const now = this.#now();
    const session: WebSession = {
      id: nameOf(cookie),
      caller,
      keyDigest: digestOf(key),
      until: now + SESSION_LIFE_MS,
      lastUsed: now,
      streams: new Set(),
    };
    this.#open.set(session.id, session);
    const [oldest] = this.#open.values();
    if (this.#open.size > MAX_SESSIONS && oldest) this.end(oldest);
    return { cookie, key, session };
  }

  /** Marks it as used. @param cookies also of other ports */
  find(cookies: readonly string[], key: string): WebSession | undefined {
    for (const cookie of cookies) {
      const session = this.#open.get(nameOf(cookie));
      if (!session || !matchesDigest(session.keyDigest, key)) continue;
      if (this.#isOver(session)) {
        this.end(session);
        return undefined;
      }
      session.lastUsed = this.#now();
      this.#open.delete(session.id);
      this.#open.set(session.id, session);
      return session;
    }
    return undefined;
  }

  isOpen(session: WebSession): boolean {
    return this.#open.get(session.id) === session && !this.#isOver(session);
  }

  end(session: WebSession): void {
    this.#open.delete(session.id);
    for (const endStream of session.streams) endStream();
  }

  sweep(): void {
    for (const session of this.#open.values()) if (this.#isOver(session)) this.end(session);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#open.values()) this.end(session);
  }

  #isOver({ until, lastUsed, streams }: WebSession): boolean {
    const now = this.#now();
    return now >= until || (streams.size === 0 && now - lastUsed >= IDLE_MS);
  }
}

const CODE_LIFE_MS = 2 * 60_000;
const MAX_CODES = 100;

export function loginCodes(now: () => EpochMilliseconds) {
  /** By digest. */
  const offers = new Map<string, { readonly caller: Caller; readonly until: EpochMilliseconds }>();
  return {
    make(caller: Caller): string {
      const code = randomBytes(16).toString("base64url");
      putNewest(offers, nameOf(code), { caller, until: now() + CODE_LIFE_MS }, MAX_CODES);
      return code;
    },
    redeem(code: string): Caller | undefined {
      const name = nameOf(code);
      const offer = offers.get(name);
      offers.delete(name);
      return offer && now() < offer.until ? offer.caller : undefined;
    },
  };
}

/** Against timing attacks. */
const nameOf = (code: string): string => digestOf(code).toString("hex");

const KEY_HEADER = "x-session-key";
/** Other ports may set more. */
const MAX_COOKIES = 8;

/**
 * A cookie goes to every port of the host, so the origin must match.
 * @param publicUrl as in `Origin` @throws Refusal 403
 */
export function checkSameOrigin(request: IncomingMessage, publicUrl: string | undefined): void {
  const origin = singleHeader(request, "origin");
  const site = singleHeader(request, "sec-fetch-site");
  const own = [`http://${request.headers.host ?? ""}`.toLowerCase(), publicUrl];
  const isOwn = origin === undefined || (origin !== false && own.includes(origin.toLowerCase()));
  if (isOwn && (site === undefined || site === "same-origin")) return;
  const hint = "behind a proxy the server needs --public-url.";
  throw new Refusal(403, "Forbidden", `Only this server's own page may do that; ${hint}`);
}

/** Undefined without both, or with a token. */
function shownSecrets(request: IncomingMessage, cookieName: string) {
  if (request.headers.authorization !== undefined || request.headers["x-obsiscripta-api-key"] !== undefined)
    return undefined;
  const cookies = cookiesNamed(request.headers.cookie ?? "", cookieName);
  const key = singleHeader(request, KEY_HEADER);
  if (cookies.length === 0 && key === undefined) return undefined;
  return { cookies, key: typeof key === "string" ? key : "" };
}

function cookiesNamed(header: string, name: string): string[] {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .slice(0, MAX_COOKIES)
    .map((pair) => pair.slice(name.length + 1));
}
