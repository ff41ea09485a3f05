/** The HTTP server: `/mcp`, the bridge, the page and the probes. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { Semaphore } from "../../async/semaphore.js";
import { unlessLate } from "../../async/timers.js";
import { VaultError } from "../../errors.js";
import { traceOf } from "../../tools/outcome.js";
import { Calls } from "../calls.js";
import { CALL_LIMITS, type CallLimits } from "../call-limits.js";
import { createApp } from "./app.js";
import type { CalendarFeed } from "./calendar-feed.js";
import type { HttpEnv } from "./context.js";
import { READ_HEADERS, type AccessRules, type AccessTokens, type Caller } from "./guards.js";
import type { SignInRoutes } from "./sign-in/paths.js";
import type { SignIn, SignInOptions } from "./sign-in/sign-in.js";
import { legacyStreams, type LegacySse } from "./mcp/legacy-sse.js";
import { mcpEndpoint, type McpEndpoint } from "./mcp/mcp-endpoint.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { callerViews, workspaceOf, type CallerViewOptions } from "./caller-view.js";
import { ReadyCheck } from "./readiness.js";
import { Refusal } from "./refusal.js";
import { RateLimit } from "./rate-limit.js";
import { SESSION_LIMITS, Sessions, type SessionLimits } from "./mcp/sessions.js";
import { Traffic, type OpenRequest } from "./traffic.js";
import type { WebOptions, WebPage } from "./web/web-page.js";

export interface HttpOptions extends Omit<CallerViewOptions, "calls" | "turns" | "hasRoom"> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly otherPorts?: readonly number[];
  readonly access: AccessRules;
  readonly legacySse?: boolean;
  readonly web?: WebOptions | undefined;
  readonly signIn?: SignInOptions | undefined;
  readonly issued?: (AccessTokens & SignInRoutes) | undefined;
  readonly calendar?: CalendarFeed | undefined;
  readonly keepsJournal?: boolean;
  readonly calls?: Partial<CallLimits>;
  readonly sessions?: Partial<SessionLimits>;
  readonly limits?: Partial<HttpLimits>;
}

interface HttpLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Silence within a request or an answer; longer than any call. */
  readonly idleMs: number;
  readonly keepAliveMs: number;
  readonly checkMs: number;
  readonly connections: number;
  /** Bytes of bodies and unread answers. */
  readonly heldBytes: number;
  /** Time for running calls when the server stops. */
  readonly stopMs: number;
}

const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 15_000,
  checkMs: 2_000,
  connections: 2048,
  heldBytes: 256 * 1024 * 1024,
  stopMs: 10_000,
};

const MAX_WAITING = 1000;
/** Logins and unknown secrets, per address. */
const GUESS_RATE = { perMinute: 10, burst: 10 };
/** For the last answers, after `stopMs`. */
const LAST_ANSWERS_TIMEOUT_MS = 1000;
/** For the streams' last events. */
const FLUSH_TIMEOUT_MS = 200;

export interface RunningHttp {
  readonly port: number;
  readonly url: string;
  loginLink(caller: Caller): string;
  /** Waits up to `stopMs` for running calls, then ends all streams. */
  stop(): Promise<void>;
}

export async function startHttp(options: HttpOptions): Promise<RunningHttp> {
  const front = new HttpFront(options);
  await front.prepare();
  await front.listen();
  return front;
}

/** For notes, databases and parts of the program: connections must not use them up. */
const OTHER_HANDLES = 200;
const MIN_CONNECTIONS = 8;

/** Where the system says how many files a process may open. Node has raised that to the hard limit. */
function withinHandles(connections: number): number {
  if (process.platform !== "linux") return connections;
  try {
    const most = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return Math.min(connections, Math.max(MIN_CONNECTIONS, Number(most ?? Infinity) - OTHER_HANDLES));
  } catch {
    return connections;
  }
}

class HttpFront implements RunningHttp {
  readonly #options: HttpOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  readonly #traffic: Traffic;
  readonly #calls: Calls;
  readonly #sessions: Sessions;
  readonly #mcp: McpEndpoint;
  readonly #sse: LegacySse | undefined;
  readonly #ready: ReadyCheck;
  #metrics: Metrics | undefined;
  #app: Hono<HttpEnv> | undefined;
  #web: WebPage | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { log, workspace, keepsJournal = true, legacySse = false } = options;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#traffic = new Traffic(this.#limits.heldBytes);
    const limits = { ...CALL_LIMITS, waiting: MAX_WAITING, ...options.calls };
    const hasRoom = () => this.#traffic.hasRoom();
    this.#calls = new Calls(limits, hasRoom, (...about) => this.#metrics?.call(...about));
    this.#sessions = new Sessions(log, { ...SESSION_LIMITS, ...options.sessions });
    this.#mcp = mcpEndpoint(this.#sessions, log);
    this.#sse = legacySse ? legacyStreams(log) : undefined;
    this.#ready = new ReadyCheck({ workspace, log, keepsJournal, onScan: (seconds) => this.#metrics?.scan(seconds) });
    this.#server = this.#createServer();
  }

  #createServer(): Server {
    const { headersMs, requestMs, idleMs, keepAliveMs, checkMs, connections } = this.#limits;
    const fetch = (request: Request, env: object) => this.#serve(request, env as HttpBindings);
    const listener = getRequestListener(fetch, { errorHandler: refuseTarget });
    const server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: checkMs,
      },
      (incoming, outgoing) => {
        // A backslash must not become a slash.
        incoming.url = incoming.url?.replaceAll("\\", "%5C") ?? "/";
        void listener(incoming, outgoing);
      },
    );
    server.maxConnections = withinHandles(connections);
    server.maxHeadersCount = READ_HEADERS;
    // An unread answer counts as silent.
    server.setTimeout(idleMs);
    return server;
  }

  async prepare(): Promise<void> {
    const metrics = (this.#metrics = await createMetrics({
      sessions: () => this.#sessions.size,
      requests: () => this.#traffic.size,
      calls: () => this.#calls.size,
      index: () => this.#ready.index(),
    }));
    const calls = this.#calls;
    const turns = new Semaphore(CALL_LIMITS.atOnce, MAX_WAITING);
    const views = callerViews({ ...this.#options, calls, turns, hasRoom: () => this.#traffic.hasRoom() });
    const guesses = new RateLimit(GUESS_RATE);
    const signIn = await this.#openSignIn();
    const web = (this.#web = await this.#openPage(guesses, signIn));
    const issued = signIn ?? this.#options.issued;
    const served = { mcp: this.#mcp, sse: this.#sse, web, ready: this.#ready, issued };
    const isStopping = () => this.#stopping !== undefined;
    this.#app = createApp({ ...this.#options, ...served, calls, views, metrics, guesses, isStopping });
  }

  async #openSignIn(): Promise<SignIn | undefined> {
    const { signIn, access, log } = this.#options;
    if (!signIn) return undefined;
    const module = await import("./sign-in/sign-in.js");
    return new module.SignIn({ ...signIn, access, log, folders: (person) => this.#folders(person) });
  }

  async #folders(person: Caller): Promise<readonly string[]> {
    try {
      const seen = await (await workspaceOf(this.#options, person).current()).files.view("/");
      const names = seen.kind === "folder" ? seen.names : [];
      const folders = names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
      return names.length > folders.length ? [...folders, ""] : folders;
    } catch (error) {
      this.#options.log.debug("Sign-in: the vault's folders cannot be listed", traceOf(error));
      return [];
    }
  }

  async #openPage(guesses: RateLimit, signIn: SignIn | undefined): Promise<WebPage | undefined> {
    const { web, access, workspace, workspaceFor, log, issued } = this.#options;
    if (!web) return undefined;
    const page = await import("./web/web-page.js");
    const redeemLink = signIn && ((name: string) => signIn.redeemLink(name));
    return page.WebPage.open({
      ...web,
      access,
      workspace,
      workspaceFor,
      log,
      guesses,
      redeemLink,
      hasIssuer: issued !== undefined,
      port: () => this.port,
    });
  }

  /** Checking for a free port first would race. */
  async listen(): Promise<void> {
    const { port, otherPorts = [], log } = this.#options;
    const ports = [port, ...otherPorts];
    for (const [index, one] of ports.entries()) {
      try {
        await this.#listenOn(one);
        break;
      } catch (error) {
        const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
        if (!isTaken || index === ports.length - 1) throw error;
      }
    }
    this.#server.on("error", (error) => log.error("The server reports a problem", traceOf(error)));
  }

  #listenOn(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: this.#options.host, port }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  loginLink(caller: Caller): string {
    if (!this.#web) throw new Error("no page is served");
    return this.#web.login.link(caller, this.url);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : this.#options.port;
  }

  get url(): string {
    const { host } = this.#options;
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const closed = new Promise<true>((resolve) => this.#server.close(() => resolve(true)));
    const atRest = Promise.all([this.#traffic.atRest(), this.#calls.atRest()]);
    if (!(await unlessLate(atRest, this.#limits.stopMs))) {
      const reason = new VaultError("UNAVAILABLE", "The server is shutting down.", { hint: "Start it again." });
      this.#calls.abort(reason);
      await unlessLate(atRest, LAST_ANSWERS_TIMEOUT_MS);
    }
    this.#sse?.close();
    this.#web?.close();
    this.#sessions.close();
    await this.#mcp.close();
    this.#server.closeIdleConnections();
    if (!(await unlessLate(closed, FLUSH_TIMEOUT_MS))) this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const open = this.#traffic.admit(outgoing);
    this.#watch(open, incoming.method ?? "");
    if (this.#stopping) outgoing.shouldKeepAlive = false;
    if (!this.#app) throw new Error("the server is not prepared");
    return this.#app.fetch(request, { incoming, outgoing, open, traffic: this.#traffic });
  }

  #watch(open: OpenRequest, method: string): void {
    const { log } = this.#options;
    const { response } = open;
    const begun = performance.now();
    response.on("error", (error) => log.debug("A caller has gone", traceOf(error)));
    response.once("close", () => {
      const ms = performance.now() - begun;
      const [route, status] = [open.route(), response.statusCode];
      this.#metrics?.request(route, method, status, open.isStream ? undefined : ms / 1000);
      log.info("Request", { route, method, status, ms: Math.round(ms), complete: response.writableFinished });
    });
  }
}

function refuseTarget(): Response {
  const refusal = new Refusal(403, "Forbidden", "This Host is not served here.");
  return Response.json(refusal.body(""), { status: refusal.status });
}
