/** Serves HTTP: `/mcp`, the bridge, the page and the probes. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { systemCode } from "../../errors.js";
import { Semaphore } from "../../async/turns.js";
import { unlessLate } from "../../async/timers.js";
import type { Log } from "../../log.js";
import { traceOf } from "../../tools/outcome.js";
import { CALL_LIMITS, type CallLimits, Calls } from "../calls.js";
import { createApp } from "./app.js";
import type { CalendarFeed } from "./calendar-feed.js";
import { READ_HEADERS, type AccessRules, type AccessTokens, type Caller, RateLimit } from "./guards.js";
import type { SignInRoutes } from "./sign-in/paths.js";
import type { SignIn, SignInOptions } from "./sign-in/sign-in.js";
import { legacyStreams } from "./mcp/legacy-sse.js";
import { mcpEndpoint } from "./mcp/mcp-endpoint.js";
import { createMetrics, type Metrics, readyCheck } from "./monitoring.js";
import { callerViews, workspaceOf, type CallerViewOptions } from "./caller-view.js";
import { Refusal } from "./refusal.js";
import { SESSION_LIMITS, Sessions, type SessionLimits } from "./mcp/sessions.js";
import { Traffic, type OpenRequest } from "./context.js";
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
  /** Default true. */
  readonly keepsJournal?: boolean;
  readonly calls?: Partial<CallLimits>;
  readonly sessions?: Partial<SessionLimits>;
  readonly limits?: Partial<HttpLimits>;
}

const HTTP_LIMITS = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Longer than any call. */
  idleMs: 120_000,
  keepAliveMs: 15_000,
  checkMs: 2_000,
  connections: 2048,
  /** Of bodies and unread answers. */
  heldBytes: 256 * 1024 * 1024,
  stopMs: 10_000,
};
type HttpLimits = Readonly<typeof HTTP_LIMITS>;

const MAX_WAITING = 1000;
/** Per address. */
const GUESS_RATE = { perMinute: 10, burst: 10 };
/** After `stopMs`. */
const LAST_ANSWERS_TIMEOUT_MS = 1000;
const FLUSH_TIMEOUT_MS = 200;

export interface RunningHttp {
  readonly port: number;
  readonly url: string;
  /** Once, with the caller's rights. @throws where no page is served */
  loginLink(caller: Caller): string;
  /** Waits up to `stopMs` for running calls. */
  stop(): Promise<void>;
}

export async function startHttp(options: HttpOptions): Promise<RunningHttp> {
  const { access, workspace, log, keepsJournal = true, legacySse = false } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  let stopping: Promise<void> | undefined;
  const traffic = new Traffic(limits.heldBytes);
  const hasRoom = () => traffic.hasRoom();
  const sessions = new Sessions(log, { ...SESSION_LIMITS, ...options.sessions });
  const metrics = await createMetrics({
    sessions: () => sessions.size,
    requests: () => traffic.size,
    calls: () => calls.size,
    index: () => ready.index(),
  });
  const callLimits = { ...CALL_LIMITS, waiting: MAX_WAITING, ...options.calls };
  const calls = new Calls(callLimits, hasRoom, (...about) => metrics.call(...about));
  const ready = readyCheck({ workspace, log, keepsJournal, onScan: (seconds) => metrics.scan(seconds) });
  const mcp = mcpEndpoint(sessions, log);
  const sse = legacySse ? legacyStreams(log) : undefined;
  const turns = new Semaphore(CALL_LIMITS.atOnce, MAX_WAITING);
  const views = callerViews({ ...options, calls, turns, hasRoom });
  const guesses = new RateLimit(GUESS_RATE);
  const signIn = await openSignIn(options);
  const web = await openPage(options, guesses, signIn, () => running.port);
  const issued = signIn ?? options.issued;
  const isStopping = () => stopping !== undefined;
  const served = { access, mcp, sse, web, ready, issued, calls, views, metrics, guesses, isStopping };
  const app = createApp({ ...options, ...served });
  const server = serverFor(limits, async (request, { incoming, outgoing }) => {
    const open = traffic.admit(outgoing);
    watch(open, incoming.method ?? "", metrics, log);
    if (stopping) outgoing.shouldKeepAlive = false;
    return app.fetch(request, { incoming, outgoing, open, traffic });
  });

  async function stop(): Promise<void> {
    const closed = new Promise<true>((resolve) => server.close(() => resolve(true)));
    const atRest = Promise.all([traffic.atRest(), calls.atRest()]);
    if (!(await unlessLate(atRest, limits.stopMs))) {
      calls.abort();
      await unlessLate(atRest, LAST_ANSWERS_TIMEOUT_MS);
    }
    sse?.close();
    web?.close();
    sessions.close();
    await mcp.close();
    server.closeIdleConnections();
    if (!(await unlessLate(closed, FLUSH_TIMEOUT_MS))) server.closeAllConnections();
    await closed;
  }

  const running: RunningHttp = {
    get port() {
      const address = server.address();
      return typeof address === "object" && address ? address.port : options.port;
    },
    get url() {
      const { host } = options;
      return `http://${host.includes(":") ? `[${host}]` : host}:${running.port}`;
    },
    loginLink(caller) {
      if (!web) throw new Error("no page is served");
      return web.login.link(caller, running.url);
    },
    stop: () => (stopping ??= stop()),
  };
  await listen(server, options);
  return running;
}

/** For notes, databases and the program. */
const OTHER_HANDLES = 200;
const MIN_CONNECTIONS = 8;

/** Node has raised the system's limit to the hard one. */
function withinHandles(connections: number): number {
  if (process.platform !== "linux") return connections;
  try {
    const most = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return Math.min(connections, Math.max(MIN_CONNECTIONS, Number(most ?? Infinity) - OTHER_HANDLES));
  } catch {
    return connections;
  }
}

function serverFor(
  { headersMs, requestMs, idleMs, keepAliveMs, checkMs, connections }: HttpLimits,
  serve: (request: Request, bindings: HttpBindings) => Promise<Response>,
): Server {
  const fetch = (request: Request, env: object) => serve(request, env as HttpBindings);
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

async function openSignIn(options: HttpOptions): Promise<SignIn | undefined> {
  const { signIn, access, log } = options;
  if (!signIn) return undefined;
  const module = await import("./sign-in/sign-in.js");
  return new module.SignIn({ ...signIn, access, log, folders: (person) => foldersOf(person, options) });
}

/** Empty when the vault cannot be listed. */
async function foldersOf(person: Caller, options: HttpOptions): Promise<readonly string[]> {
  try {
    const seen = await (await workspaceOf(options, person).current()).files.view("/");
    const names = seen.kind === "folder" ? seen.names : [];
    const folders = names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
    return names.length > folders.length ? [...folders, ""] : folders;
  } catch (error) {
    options.log.debug("Sign-in: the vault's folders cannot be listed", traceOf(error));
    return [];
  }
}

async function openPage(
  { web, access, workspace, workspaceFor, log, issued }: HttpOptions,
  guesses: RateLimit,
  signIn: SignIn | undefined,
  port: () => number,
): Promise<WebPage | undefined> {
  if (!web) return undefined;
  const { WebPage } = await import("./web/web-page.js");
  const redeemLink = signIn && ((name: string) => signIn.redeemLink(name));
  const about = { access, workspace, workspaceFor, log, guesses, redeemLink, hasIssuer: issued !== undefined, port };
  return WebPage.open({ ...web, ...about });
}

/** Checking for a free port first would race. */
async function listen(server: Server, { host, port, otherPorts = [], log }: HttpOptions): Promise<void> {
  const ports = [port, ...otherPorts];
  for (const [index, one] of ports.entries()) {
    try {
      await listenOn(server, host, one);
      break;
    } catch (error) {
      if (systemCode(error) !== "EADDRINUSE" || index === ports.length - 1) throw error;
    }
  }
  server.on("error", (error) => log.error("The server reports a problem", traceOf(error)));
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function watch(open: OpenRequest, method: string, metrics: Metrics, log: Log): void {
  const { response } = open;
  const begun = performance.now();
  response.on("error", (error) => log.debug("A caller has gone", traceOf(error)));
  response.once("close", () => {
    const ms = performance.now() - begun;
    const [route, status] = [open.route(), response.statusCode];
    metrics.request(route, method, status, open.isStream ? undefined : ms / 1000);
    log.info("Request", { route, method, status, ms: Math.round(ms), complete: response.writableFinished });
  });
}

function refuseTarget(): Response {
  const refusal = new Refusal(403, "Forbidden", "This Host is not served here.");
  return Response.json(refusal.body(""), { status: refusal.status });
}
