/** The HTTP server: one port for `/mcp`, the bridge and the probes, from the first connection to an orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { VaultError } from "../../errors.js";
import { traceOf } from "../../tools/outcome.js";
import { CALL_LIMITS, Calls, type CallLimits } from "../calls.js";
import { BRIDGE, serveBridge } from "./bridge.js";
import { allowBrowsers } from "./cors.js";
import { exchangeOf, sendJson, sendNothing, type HttpExchange } from "./exchange.js";
import { checkHost, checkOrigin, identify, type AccessRules } from "./guards.js";
import { McpEndpoint } from "./mcp-endpoint.js";
import { Offers, type OfferOptions } from "./offers.js";
import { ReadyCheck } from "./readiness.js";
import { Refusal, internalError, methodNotAllowed, notFound, plainBody, rpcBody } from "./refusal.js";
import { SESSION_LIMITS, Sessions, type SessionLimits } from "./sessions.js";

export interface HttpOptions extends Omit<OfferOptions, "calls"> {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly access: AccessRules;
  readonly calls?: Partial<CallLimits>;
  readonly sessions?: Partial<SessionLimits>;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  /** Milliseconds for a request's headers, and for all of it. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Milliseconds a connection may be silent in the middle of something: longer than any call takes. */
  readonly idleMs: number;
  /** Milliseconds between requests of one connection. */
  readonly keepAliveMs: number;
  /** Milliseconds between looks for connections that are late. */
  readonly checkMs: number;
  readonly connections: number;
  /** Milliseconds that calls get to end when the server stops. */
  readonly stopMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 15_000,
  checkMs: 2_000,
  connections: 2048,
  stopMs: 10_000,
};

/** Calls that may wait for their turn; each holds a body in memory. */
const MOST_WAITING = 1000;

export interface RunningHttp {
  readonly port: number;
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops accepting, lets calls in flight end (for `stopMs` at most), ends all streams. */
  stop(): Promise<void>;
}

/** @throws Error of node:net when the address cannot be listened on */
export async function startHttp(options: HttpOptions): Promise<RunningHttp> {
  const server = new HttpFront(options);
  await server.listen();
  return server;
}

class HttpFront implements RunningHttp {
  readonly #options: HttpOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  readonly #calls: Calls;
  readonly #offers: Offers;
  readonly #sessions: Sessions;
  readonly #mcp: McpEndpoint;
  readonly #ready: ReadyCheck;
  #stopping: Promise<void> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { log, workspace } = options;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#calls = new Calls({ ...CALL_LIMITS, waiting: MOST_WAITING, ...options.calls });
    this.#offers = new Offers({ ...options, calls: this.#calls });
    this.#sessions = new Sessions(log, { ...SESSION_LIMITS, ...options.sessions });
    this.#mcp = new McpEndpoint(this.#sessions, log);
    this.#ready = new ReadyCheck(workspace, log);
    const { headersMs, requestMs, idleMs, keepAliveMs, checkMs, connections } = this.#limits;
    this.#server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: checkMs,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = connections;
    // A reader who takes nothing counts as silent, however much there is to send.
    this.#server.setTimeout(idleMs);
  }

  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#options.log.error("The server reports a problem", traceOf(error)));
        resolve();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const { host } = this.#options;
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const stop = new VaultError("UNAVAILABLE", "The server is shutting down.", { hint: "Start it again." });
    const late = setTimeout(() => {
      this.#calls.abort(stop);
      setTimeout(() => this.#server.closeAllConnections(), 500).unref();
    }, this.#limits.stopMs);
    await this.#calls.atRest();
    this.#sessions.close();
    await this.#mcp.close();
    this.#server.closeIdleConnections();
    await closed;
    clearTimeout(late);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = exchangeOf(request, response);
    const { log } = this.#options;
    response.on("error", (error) => log.debug("A caller has gone", traceOf(error)));
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (this.#stopping) response.shouldKeepAlive = false;
    try {
      await this.#route(exchange);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (!isRefusal) log.error("A request failed unexpectedly", traceOf(error));
      refuse(exchange, isRefusal ? error : internalError());
    }
  }

  /** The guards stand before everything but the probes, which come by address and learn nothing. */
  async #route(exchange: HttpExchange): Promise<void> {
    const { path, request, response } = exchange;
    const { access } = this.#options;
    if (path === "/health" || path === "/ready") return this.#probe(exchange);
    checkHost(exchange, access);
    allowBrowsers(response, path, access.tokens.length > 0);
    if (request.method === "OPTIONS") return sendNothing(response, 204);
    checkOrigin(exchange, access);
    const caller = identify(exchange, access);
    const offer = this.#offers.of(caller);
    if (path === "/mcp") return this.#mcp.serve(exchange, { caller, offer });
    if (path.startsWith(`${BRIDGE}/`))
      return serveBridge(exchange, offer.tools, { ...this.#options, calls: this.#calls });
    throw notFound();
  }

  async #probe({ path, request, response }: HttpExchange): Promise<void> {
    if (request.method !== "GET") throw methodNotAllowed(["GET"]);
    if (path === "/health") return sendJson(response, 200, { status: "ok" });
    const found = this.#stopping ? SHUTTING_DOWN : await this.#ready.check();
    sendJson(response, found.status === "ready" ? 200 : 503, found);
  }
}

const SHUTTING_DOWN = { status: "not ready", reason: "The server is shutting down." } as const;

/** Milliseconds for which the rest of a refused body is read and dropped, so that its sender gets to read the answer. */
const LINGER_MS = 500;

function refuse({ path, request, response }: HttpExchange, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = Buffer.from(JSON.stringify(path === "/mcp" ? rpcBody(refusal) : plainBody(refusal)));
  const closes = refusal.closes && !request.complete;
  response.writeHead(refusal.status, {
    "Content-Type": "application/json",
    "Content-Length": body.length,
    ...refusal.headers,
    ...(closes ? { Connection: "close" } : {}),
  });
  if (!closes) return void response.end(body);
  response.write(body);
  const end = () => response.end();
  const timer = setTimeout(end, LINGER_MS);
  request
    .once("end", end)
    .once("close", () => clearTimeout(timer))
    .on("error", end)
    .resume();
}
