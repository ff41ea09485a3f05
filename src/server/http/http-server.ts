/** The HTTP server: one port for `/mcp`, the bridge and the probes, from the first connection to an orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Semaphore } from "../../async/semaphore.js";
import { unlessLate } from "../../async/timers.js";
import { VaultError } from "../../errors.js";
import { traceOf } from "../../tools/outcome.js";
import { CALL_LIMITS, type CallLimits } from "../calls.js";
import { HttpExchange } from "./exchange.js";
import { HEADERS_KEPT, type AccessRules, type Caller } from "./guards.js";
import { LegacySse } from "./mcp/legacy-sse.js";
import { McpEndpoint } from "./mcp/mcp-endpoint.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { CallerViews, type CallerViewOptions } from "./caller-view.js";
import { ReadyCheck } from "./readiness.js";
import { Refusal, internalError, sendRefusal } from "./refusal.js";
import { RateLimit } from "./rate-limit.js";
import { route, routeName, type CalendarFeed, type Parts } from "./routes.js";
import { SESSION_LIMITS, Sessions, type SessionLimits } from "./mcp/sessions.js";
import { Traffic } from "./traffic.js";
import { WatchedCalls } from "./watched-calls.js";
import type { WebOptions, WebPage } from "./web/web-page.js";

export interface HttpOptions extends Omit<CallerViewOptions, "calls" | "turns" | "hasRoom"> {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Tried in their order when that one is taken. */
  readonly otherPorts?: readonly number[];
  readonly access: AccessRules;
  /** Serve HTTP+SSE too; default false. */
  readonly legacySse?: boolean;
  /** The page in the browser; undefined: it is not served. */
  readonly web?: WebOptions | undefined;
  /** Undefined: no calendars are served. */
  readonly calendar?: CalendarFeed | undefined;
  /** Whether changes go into an undo journal, for `/ready`; default true. */
  readonly keepsJournal?: boolean;
  readonly calls?: Partial<CallLimits>;
  readonly sessions?: Partial<SessionLimits>;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  /** Milliseconds for a request's headers, and for all of it. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Milliseconds a connection may be silent within a request or an answer: longer than any call takes. */
  readonly idleMs: number;
  /** Milliseconds between requests of one connection. */
  readonly keepAliveMs: number;
  /** Milliseconds between checks for connections that exceed these limits. */
  readonly checkMs: number;
  readonly connections: number;
  /** Bytes of bodies and unread answers held at a time. */
  readonly heldBytes: number;
  /** Milliseconds that calls get to end when the server stops. */
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

/** Calls that may wait for their turn. */
const MOST_WAITING = 1000;
/** Logins and unknown secrets that one address may try, over all paths. */
const GUESS_RATE = { perMinute: 10, burst: 10 };
/** Milliseconds after the end of patience in which the answers that say so may still be sent. */
const LAST_WORDS_MS = 1000;
/** Milliseconds in which the last events of streams may still be sent. */
const FLUSH_MS = 200;

export interface RunningHttp {
  readonly port: number;
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * An address that logs a browser in, once and within two minutes.
   * @param caller whose rights it gives
   * @throws Error where no page is served
   */
  loginLink(caller: Caller): string;
  /** Stops accepting, lets what is in flight end (for `stopMs` at most), ends all streams. */
  stop(): Promise<void>;
}

/** @throws Error of node:net when the address cannot be listened on */
export async function startHttp(options: HttpOptions): Promise<RunningHttp> {
  const front = new HttpFront(options);
  await front.prepare();
  await front.listen();
  return front;
}

class HttpFront implements RunningHttp {
  readonly #options: HttpOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  readonly #traffic: Traffic;
  readonly #calls: WatchedCalls;
  readonly #sessions: Sessions;
  readonly #mcp: McpEndpoint;
  readonly #sse: LegacySse | undefined;
  readonly #ready: ReadyCheck;
  #metrics: Metrics | undefined;
  #parts: Parts | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { log, workspace, keepsJournal = true, legacySse = false } = options;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#traffic = new Traffic(this.#limits.heldBytes);
    const limits = { ...CALL_LIMITS, waiting: MOST_WAITING, ...options.calls };
    const hasRoom = () => this.#traffic.hasRoom();
    this.#calls = new WatchedCalls(limits, hasRoom, (...about) => this.#metrics?.call(...about));
    this.#sessions = new Sessions(log, { ...SESSION_LIMITS, ...options.sessions });
    this.#mcp = new McpEndpoint(this.#sessions, log);
    this.#sse = legacySse ? new LegacySse(log) : undefined;
    this.#ready = new ReadyCheck({ workspace, log, keepsJournal, onScan: (seconds) => this.#metrics?.scan(seconds) });
    this.#server = this.#createServer();
  }

  #createServer(): Server {
    const { headersMs, requestMs, idleMs, keepAliveMs, checkMs, connections } = this.#limits;
    const server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: checkMs,
      },
      (request, response) => void this.#serve(request, response),
    );
    server.maxConnections = connections;
    server.maxHeadersCount = HEADERS_KEPT;
    // A reader that takes nothing counts as silent, however much there is to send.
    server.setTimeout(idleMs);
    return server;
  }

  /** What is loaded before the first request. */
  async prepare(): Promise<void> {
    const metrics = (this.#metrics = await createMetrics({
      sessions: () => this.#sessions.size,
      requests: () => this.#traffic.size,
      calls: () => this.#calls.size,
      index: () => this.#ready.index(),
    }));
    const calls = this.#calls;
    const turns = new Semaphore(CALL_LIMITS.atOnce, MOST_WAITING);
    const views = new CallerViews({ ...this.#options, calls, turns, hasRoom: () => this.#traffic.hasRoom() });
    const guesses = new RateLimit(GUESS_RATE);
    const web = await this.#openPage(guesses);
    const served = { mcp: this.#mcp, sse: this.#sse, web, ready: this.#ready };
    this.#parts = { ...this.#options, ...served, calls, views, metrics, guesses };
  }

  async #openPage(guesses: RateLimit): Promise<WebPage | undefined> {
    const { web, access, workspace, log } = this.#options;
    if (!web) return undefined;
    const page = await import("./web/web-page.js");
    return page.WebPage.open({ ...web, access, workspace, log, guesses, port: () => this.port });
  }

  /** Finds a free port by listening: one that was free when asked may be taken a moment later. */
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
    const web = this.#parts?.web;
    if (!web) throw new Error("no page is served");
    return web.login.link(caller, this.url);
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
      await unlessLate(atRest, LAST_WORDS_MS);
    }
    this.#sse?.close();
    this.#parts?.web?.close();
    this.#sessions.close();
    await this.#mcp.close();
    this.#server.closeIdleConnections();
    if (!(await unlessLate(closed, FLUSH_MS))) this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new HttpExchange(request, response, this.#traffic);
    const { log } = this.#options;
    this.#traffic.admit(exchange);
    this.#watch(exchange);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (this.#stopping) response.shouldKeepAlive = false;
    try {
      if (this.#parts) await route(exchange, this.#parts, this.#stopping !== undefined);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (!isRefusal) log.error("A request failed unexpectedly", traceOf(error));
      sendRefusal(exchange, isRefusal ? error : internalError());
    }
  }

  /** Counts and logs a request when it ends: its route, never its content. */
  #watch(exchange: HttpExchange): void {
    const { log } = this.#options;
    const { request, response } = exchange;
    const begun = performance.now();
    response.on("error", (error) => log.debug("A caller has gone", traceOf(error)));
    response.once("close", () => {
      const ms = performance.now() - begun;
      const [name, method, status] = [routeName(exchange.path), request.method ?? "", response.statusCode];
      this.#metrics?.request(name, method, status, exchange.lasting ? undefined : ms / 1000);
      log.info("Request", { route: name, method, status, ms: Math.round(ms), complete: response.writableFinished });
    });
  }
}
