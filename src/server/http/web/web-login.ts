/** Logging in and out, and links that log other devices in: from a token or a code to a session, and from a request to its session (spec: web, section 2). */
import { isObject } from "../../rpc.js";
import { parseBody, readBody } from "../body.js";
import { sendJson, sendNothing, type HttpExchange } from "../exchange.js";
import { addressOf, type AccessRules, type Caller } from "../guards.js";
import { RateLimit } from "../rate-limit.js";
import { Refusal, methodNotAllowed, tooManyRequests } from "../refusal.js";
import { findToken } from "../tokens.js";
import { LoginCodes } from "./login-codes.js";
import { checkSameOrigin, shownSecrets } from "./web-session-guard.js";
import { WebSessions, type WebSession } from "./web-sessions.js";

export interface LoginOptions {
  readonly access: AccessRules;
  /** How the page is reached from elsewhere, as an `Origin` header has it; undefined: by the server's own address only. */
  readonly publicUrl?: string | undefined;
  /** Logins each address may try. */
  readonly guesses: RateLimit;
  /** The port that is listened on, which names the cookie. */
  readonly port: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a session may ask for at once, and in a minute after that, where callers are limited at all. */
const SESSION_RATE = { perMinute: 300, burst: 60 };
const MOST_LOGIN_BYTES = 16 * 1024;
const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Who calls by a token, or without one where none is asked for. @throws Refusal */
export type IdentifyByToken = () => Caller;

export class WebLogin {
  readonly #options: LoginOptions;
  readonly #sessions: WebSessions;
  readonly #codes: LoginCodes;
  readonly #rate: RateLimit | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    const { now, access } = options;
    this.#sessions = new WebSessions(now);
    this.#codes = new LoginCodes(now);
    this.#rate = access.rate && new RateLimit(SESSION_RATE);
  }

  /**
   * The session that the request shows, if it is open.
   * @throws Refusal 403 when it shows one and comes from another origin, 429 when the session asks too often
   */
  sessionOf(exchange: HttpExchange): WebSession | undefined {
    const { access, publicUrl } = this.#options;
    const shown = access.tokens.length > 0 ? shownSecrets(exchange, this.#cookieName) : undefined;
    if (!shown) return undefined;
    checkSameOrigin(exchange, publicUrl);
    const session = this.#sessions.find(shown.cookies, shown.key);
    const wait = session ? (this.#rate?.take(session.id) ?? 0) : 0;
    if (wait > 0) throw tooManyRequests(wait);
    return session;
  }

  /** An address that logs a browser in once. @param base such as `http://127.0.0.1:3000` */
  link(caller: Caller, base: string): string {
    return `${base}/#login=${this.#codes.make(caller)}`;
  }

  /** `/web/session`. @throws Refusal */
  async serveSession(exchange: HttpExchange): Promise<void> {
    checkSameOrigin(exchange, this.#options.publicUrl);
    const { method } = exchange.request;
    if (method === "POST") return this.#login(exchange);
    if (method === "DELETE") return this.#logout(exchange);
    throw methodNotAllowed(["POST", "DELETE"]);
  }

  /** `/web/codes`: a link for another device, which gets what the caller has. @throws Refusal */
  async offerLink(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { publicUrl, access } = this.#options;
    checkSameOrigin(exchange, publicUrl);
    if (exchange.request.method !== "POST") throw methodNotAllowed(["POST"]);
    const caller = this.sessionOf(exchange)?.caller ?? byToken();
    const base = publicUrl ?? `http://${exchange.request.headers.host ?? ""}`;
    const link = access.tokens.length === 0 ? `${base}/` : this.link(caller, base);
    sendJson(exchange.response, 200, { link });
  }

  /** Ends all sessions and their streams. */
  close(): void {
    this.#sessions.close();
  }

  async #login(exchange: HttpExchange): Promise<void> {
    const { access, guesses } = this.#options;
    const { request, response } = exchange;
    const wait = guesses.take(`login ${addressOf(request)}`);
    if (wait > 0) throw tooManyRequests(wait);
    const { token, code } = credentialsIn(parseBody(await readBody(exchange, MOST_LOGIN_BYTES)));
    if (access.tokens.length === 0) return sendJson(response, 200, { login: "not needed" });
    const caller = token === undefined ? this.#codes.redeem(code) : findToken(access.tokens, token);
    if (!caller) throw wrongCredentials(token === undefined);
    const { cookie, key, session } = this.#sessions.begin({ name: caller.name, scopes: caller.scopes });
    response.setHeader("Set-Cookie", this.#cookie(cookie, SESSION_SECONDS));
    sendJson(response, 200, { login: "done", key, until: new Date(session.until).toISOString() });
  }

  #logout(exchange: HttpExchange): void {
    const session = this.sessionOf(exchange);
    if (!session) throw noSession();
    this.#sessions.end(session);
    exchange.response.setHeader("Set-Cookie", this.#cookie("", 0));
    sendNothing(exchange.response, 204);
  }

  get #cookieName(): string {
    return `vault-${this.#options.port()}`;
  }

  #cookie(value: string, seconds: number): string {
    const secure = this.#options.publicUrl?.startsWith("https:") ? "; Secure" : "";
    return `${this.#cookieName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  }
}

/** @throws Refusal 400 for anything but one token or one code */
function credentialsIn(body: unknown): { readonly token?: string; readonly code: string } {
  const { token, code, ...others } = isObject(body) ? body : {};
  const isClear = Object.keys(others).length === 0;
  if (isClear && typeof token === "string" && code === undefined) return { token, code: "" };
  if (isClear && typeof code === "string" && token === undefined) return { code };
  throw new Refusal(400, "Invalid request body", 'The body must be {"token": "..."} or {"code": "..."}.');
}

function wrongCredentials(isCode: boolean): Refusal {
  const message = isCode
    ? "This link was used already, or is older than two minutes. Ask for a new one."
    : "That is no token of this server.";
  return new Refusal(401, "Unauthorized", message);
}

function noSession(): Refusal {
  return new Refusal(401, "Unauthorized", "There is no such session, or it has ended.");
}
