/** What answers the page in the browser (spec: web, sections 1 to 3): its files, logging in and out, links for other devices, news of changes. */
import type { Log } from "../../../log.js";
import type { Workspace } from "../../../tools/workspace.js";
import { EventStream } from "../event-stream.js";
import { parseBody, readBody } from "../body.js";
import { sendJson, sendNothing, type HttpExchange } from "../exchange.js";
import { addressOf, type AccessRules, type Caller } from "../guards.js";
import { RateLimit } from "../rate-limit.js";
import { Refusal, methodNotAllowed, notFound, tooManyRequests } from "../refusal.js";
import { findToken } from "../tokens.js";
import { isObject } from "../../rpc.js";
import { LoginCodes } from "./login-codes.js";
import { PageFiles } from "./page-files.js";
import { VaultNews } from "./vault-news.js";
import { checkSameOrigin, shownSecrets } from "./web-session-guard.js";
import { WebSessions, type WebSession } from "./web-sessions.js";

export interface WebOptions {
  /** Where the build put the page. */
  readonly folder: string;
  /** How the page is reached from elsewhere, such as `https://notes.example`; undefined: by the server's own address only. */
  readonly publicUrl?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface WebContext extends WebOptions {
  readonly access: AccessRules;
  readonly workspace: Workspace;
  readonly log: Log;
  /** Logins each address may try. */
  readonly guesses: RateLimit;
  /** The port that is listened on, which names the cookie. */
  readonly port: () => number;
}

/** What a session may ask for at once, and in a minute after that, where callers are limited at all. */
const SESSION_RATE = { perMinute: 300, burst: 60 };
const MOST_LOGIN_BYTES = 16 * 1024;
/** Streams of news that may be open at a time; each keeps a connection, and those are limited. */
const MOST_LISTENERS = 256;
const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Who calls by a token, or without one where none is asked for. @throws Refusal */
type IdentifyByToken = () => Caller;

export class WebPage {
  readonly #context: WebContext;
  readonly #files: PageFiles;
  readonly #sessions: WebSessions;
  readonly #codes: LoginCodes;
  readonly #news: VaultNews;
  readonly #rate: RateLimit | undefined;

  private constructor(context: WebContext, files: PageFiles) {
    this.#context = context;
    this.#files = files;
    const { now, workspace, log, access } = context;
    this.#sessions = new WebSessions(now);
    this.#codes = new LoginCodes(now);
    this.#news = new VaultNews(workspace, log);
    this.#rate = access.rate && new RateLimit(SESSION_RATE);
  }

  static async open(context: WebContext): Promise<WebPage> {
    return new WebPage(context, await PageFiles.list(context.folder));
  }

  /**
   * The session that the request shows, if it is open.
   * @throws Refusal 403 when it shows one and comes from another origin, 429 when the session asks too often
   */
  sessionOf(exchange: HttpExchange): WebSession | undefined {
    const { access, publicUrl } = this.#context;
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

  /** @throws Refusal */
  async serve(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { path } = exchange;
    if (path === "/") return this.#files.serveShell(exchange);
    if (path === "/web/session") return this.#serveSession(exchange);
    if (path === "/web/codes") return this.#offerLink(exchange, byToken);
    if (path === "/web/events") return this.#listen(exchange, byToken);
    if (path.startsWith("/web/")) return this.#files.serveFile(exchange, path.slice("/web/".length));
    throw notFound();
  }

  /** Ends all sessions and streams. */
  close(): void {
    this.#sessions.close();
    this.#news.close();
  }

  get #cookieName(): string {
    return `vault-${this.#context.port()}`;
  }

  async #serveSession(exchange: HttpExchange): Promise<void> {
    checkSameOrigin(exchange, this.#context.publicUrl);
    const { method } = exchange.request;
    if (method === "POST") return this.#login(exchange);
    if (method === "DELETE") return this.#logout(exchange);
    throw methodNotAllowed(["POST", "DELETE"]);
  }

  async #login(exchange: HttpExchange): Promise<void> {
    const { access, guesses } = this.#context;
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

  #cookie(value: string, seconds: number): string {
    const secure = this.#context.publicUrl?.startsWith("https:") ? "; Secure" : "";
    return `${this.#cookieName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  }

  /** A link for another device, which gets what the caller has. */
  async #offerLink(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { publicUrl, access } = this.#context;
    checkSameOrigin(exchange, publicUrl);
    if (exchange.request.method !== "POST") throw methodNotAllowed(["POST"]);
    const caller = this.sessionOf(exchange)?.caller ?? byToken();
    const base = publicUrl ?? `http://${exchange.request.headers.host ?? ""}`;
    const link = access.tokens.length === 0 ? `${base}/` : this.link(caller, base);
    sendJson(exchange.response, 200, { link });
  }

  async #listen(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { request, response } = exchange;
    checkSameOrigin(exchange, this.#context.publicUrl);
    if (request.method !== "GET") throw methodNotAllowed(["GET"]);
    const session = this.sessionOf(exchange);
    if (!session) byToken();
    if (this.#news.listeners >= MOST_LISTENERS) throw tooManyPages();
    exchange.lasting = true;
    let stream: EventStream | undefined;
    const leave = await this.#news.listen(() => stream?.event("changed", "{}"));
    if (response.destroyed) return leave();
    stream = new EventStream(response);
    const end = () => stream?.end();
    session?.streams.add(end);
    response.once("close", () => {
      leave();
      session?.streams.delete(end);
      if (session) session.lastUsed = this.#context.now();
    });
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

function tooManyPages(): Refusal {
  return new Refusal(503, "Too many pages", `At most ${MOST_LISTENERS} pages can listen at a time.`, {
    headers: { "Retry-After": "30" },
  });
}
