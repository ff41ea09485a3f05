/** The HTTP routes, with those of the bridge (docs: http, "The bridge"); guards run before all but the probes. */
import { isRecord } from "../../text/decoded.js";
import type { IncomingMessage } from "node:http";
import { Hono, type Handler } from "hono";
import { etag } from "hono/etag";
import { matchedRoutes } from "hono/route";
import type { Log } from "../../log.js";
import { traceOf, callResult } from "../../tools/outcome.js";
import type { Calls } from "../calls.js";
import type { CalendarFeed } from "./calendar-feed.js";
import { type CallerViews, assertToolAskedFor } from "./caller-view.js";
import {
  ALREADY_SENT,
  PAGE_FILE,
  PREFLIGHT,
  addRoute,
  rawPath,
  type HttpContext,
  type HttpEnv,
  tooBusy,
} from "./context.js";
import {
  addressOf,
  checkHeaderCount,
  checkHost,
  checkOrigin,
  identify,
  type AccessRules,
  type AccessTokens,
  type RateLimit,
} from "./guards.js";
import type { LegacySse } from "./mcp/legacy-sse.js";
import type { McpEndpoint } from "./mcp/mcp-endpoint.js";
import type { Metrics, ReadyCheck } from "./monitoring.js";
import { SIGN_IN_PATHS, type SignInRoutes } from "./sign-in/paths.js";
import { Refusal, internalError, notFound, tooManyRequests, unavailable } from "./refusal.js";
import type { WebPage } from "./web/web-page.js";
import { asCaller } from "../../async/caller.js";
import { sha256 } from "../../text/hash.js";
import type { ToolBox } from "../../tools/registry.js";
import { parseBody, readBody } from "./body.js";

export interface Parts {
  readonly access: AccessRules;
  readonly views: CallerViews;
  readonly mcp: McpEndpoint;
  readonly sse: LegacySse | undefined;
  readonly web: WebPage | undefined;
  readonly issued?: (AccessTokens & SignInRoutes) | undefined;
  readonly calendar?: CalendarFeed | undefined;
  /** By address. */
  readonly guesses: RateLimit;
  readonly ready: ReadyCheck;
  readonly metrics: Metrics;
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
  readonly isStopping: () => boolean;
}

export function createApp(parts: Parts): Hono<HttpEnv> {
  const { access, log, views, mcp, sse, web, isStopping } = parts;
  const { issued } = parts;
  const needsToken = access.tokens.length > 0 || issued !== undefined;
  const cors = { mcp: corsHeaders(true, needsToken), others: corsHeaders(false, needsToken) };
  const app = new Hono<HttpEnv>({
    getPath: (_, options) => {
      const request = options?.env?.incoming;
      const path = rawPath(request);
      return path === "/mcp/" || (issued && isMcpAtRoot(path, request)) ? "/mcp" : path;
    },
  });
  app.onError((error, c) => refuse(c, error, log));
  app.notFound(() => {
    throw notFound();
  });
  app.use(async (c, next) => {
    c.env.open.route = () => routeName(c);
    c.env.outgoing.setHeader("X-Content-Type-Options", "nosniff").setHeader("Cache-Control", "no-store");
    checkHeaderCount(c.env.incoming);
    await next();
  });
  serveProbes(app, parts);
  app.use(async (c, next) => {
    // Collectors use any host name, and a page led here by DNS rebinding has no token.
    if (c.req.path !== "/metrics" || !needsToken) checkHost(c.env.incoming, access);
    await next();
  });
  servePeople(app, parts);
  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    outgoing.setHeaders(c.req.path === "/mcp" ? cors.mcp : cors.others);
    if (c.req.method === "OPTIONS") return c.body(null, 204);
    checkOrigin(incoming, access);
    const session = c.req.path === "/mcp" && c.req.method === "POST" ? web?.login.sessionOf(incoming) : undefined;
    const caller = session?.caller ?? (await identify(incoming, access, rawPath(incoming), parts.issued));
    if (isStopping()) throw shuttingDown();
    c.set("by", { caller, view: views(caller) });
    await next();
    return undefined;
  });
  addRoute(app, "/mcp", mcp.handlers, PREFLIGHT);
  addRoute(app, "/metrics", { GET: (c) => showMetrics(c, parts) }, PREFLIGHT);
  if (sse) addRoute(app, "/sse", { GET: (c) => sse.listen(c) }, PREFLIGHT);
  if (sse) addRoute(app, "/messages", { POST: (c) => sse.post(c) }, PREFLIGHT);
  serveBridge(app, parts);
  return app;
}

/** Some programs omit the path. */
function isMcpAtRoot(path: string, request: IncomingMessage | undefined): boolean {
  const isProtocol = request?.method === "POST" || request?.headers["mcp-session-id"] !== undefined;
  return path === "/" && isProtocol;
}

/** Nothing of the request's values. */
function routeName(c: HttpContext): string {
  const path = matchedRoutes(c).find((route) => !route.path.endsWith("*"))?.path;
  if (path === undefined) return "other";
  return path === CALENDAR ? "/calendar/{secret}.ics" : path.replaceAll(/:(\w+)(\{[^/]*\})?/g, "{$1}");
}

function refuse(c: HttpContext, error: Error, log: Log): Response {
  const isRefusal = error instanceof Refusal;
  if (!isRefusal) log.error("A request failed unexpectedly", traceOf(error));
  const { outgoing } = c.env;
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return ALREADY_SENT;
  }
  const refusal = isRefusal ? error : internalError();
  return c.json(refusal.body(c.req.path), refusal.status, refusal.headers);
}

/** For any Host (docs: http). */
function serveProbes(app: Hono<HttpEnv>, { ready, isStopping }: Parts): void {
  const health: Handler<HttpEnv> = (c) => c.json({ status: "ok" });
  const readiness: Handler<HttpEnv> = async (c) => {
    const found = isStopping() ? SHUTTING_DOWN : await ready.check();
    return c.json(found, found.status === "ready" ? 200 : 503);
  };
  addRoute(app, "/health", { GET: health, HEAD: health });
  addRoute(app, "/ready", { GET: readiness, HEAD: readiness });
}

const SHUTTING_DOWN = { status: "not ready", reason: "The server is shutting down." } as const;

function shuttingDown(): Refusal {
  return unavailable("Unavailable", SHUTTING_DOWN.reason, 5);
}

const CALENDAR = "/calendar/:secret{[^/]+\\.ics}";

/** Without CORS headers: other sites cannot read them. */
function servePeople(app: Hono<HttpEnv>, parts: Parts): void {
  const { access, issued, web, views, isStopping } = parts;
  for (const place of ["/", "/web/*", "/authorize", "/authorize/", CALENDAR])
    app.use(place, async (c, next) => {
      c.env.outgoing.setHeaders(PAGE_HEADERS);
      checkOrigin(c.env.incoming, access);
      if (isStopping()) throw shuttingDown();
      await next();
    });
  app.use(CALENDAR, etag());
  const calendar: Handler<HttpEnv> = (c) => serveCalendar(c as HttpContext, parts);
  addRoute(app, CALENDAR, { GET: calendar, HEAD: calendar });
  issued?.addRoutes(app, web);
  // The page takes no issued tokens.
  const none: AccessTokens | undefined = issued && {
    callerOf: async () => undefined,
    challenge: (path, error) => issued.challenge(path, error),
  };
  web?.addRoutes(app, (request) => identify(request, access, "/", none), views);
  // Disabled paths answer 404.
  for (const path of [...SIGN_IN_PATHS, "/", PAGE_FILE])
    app.all(path, () => {
      throw notFound();
    });
}

/** Never limits valid addresses. */
async function serveCalendar(c: HttpContext, { access, calendar, guesses }: Parts): Promise<Response> {
  if (!calendar) throw notFound();
  if (!c.env.traffic.hasRoom()) throw tooBusy();
  const found = await calendar.read((c.req.param("secret") ?? "").replace(/\.ics$/, ""));
  if (found)
    return c.body(new Uint8Array(found.bytes), 200, {
      ETag: `"${found.hash}"`,
      "Cache-Control": "private, no-cache",
      "Content-Type": "text/calendar; charset=utf-8",
      "Content-Length": String(found.bytes.length),
      "Content-Disposition": 'inline; filename="tasks.ics"',
    });
  const wait = guesses.take(`calendar ${addressOf(c.env.incoming, access.proxies)}`);
  throw wait > 0 ? tooManyRequests(wait) : notFound();
}

/** Figures include hidden notes: callers with rules get none. */
async function showMetrics(c: HttpContext, { metrics, ready }: Parts): Promise<Response> {
  if (c.get("by").caller.scopes.rules)
    throw new Refusal(403, "Forbidden", "Figures are of the whole vault; this token sees a part of it.");
  await ready.check();
  return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType });
}

/** No framing (docs: web, "Serving"). */
const PAGE_HEADERS = new Map([
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
]);

const MCP_HEADERS = ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"];

/** On every answer: Hono's middleware sets some only for preflights. */
function corsHeaders(isMcp: boolean, needsToken: boolean): Map<string, string> {
  const allowed = [
    "Content-Type",
    ...(isMcp || needsToken ? ["Authorization"] : []),
    ...(needsToken ? ["X-ObsiScripta-Api-Key"] : []),
    ...(isMcp ? MCP_HEADERS : []),
  ];
  return new Map([
    ["Access-Control-Allow-Origin", "*"],
    ["Access-Control-Allow-Methods", isMcp ? "GET, POST, DELETE, OPTIONS" : "GET, POST, OPTIONS"],
    ["Access-Control-Allow-Headers", allowed.join(", ")],
    ...(isMcp ? [["Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After"] as const] : []),
  ]);
}

const PROTOCOL_VERSION = "1";
const MAX_BYTES = 1024 * 1024;

interface BridgeParts {
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
}

function serveBridge(app: Hono<HttpEnv>, parts: BridgeParts): void {
  const health = { status: "ok", version: parts.version, protocolVersion: PROTOCOL_VERSION };
  addRoute(app, "/bridge/v1/health", { GET: (c) => c.json(health) }, PREFLIGHT);
  addRoute(app, "/bridge/v1/tools", { GET: (c) => c.json(listing(c.get("by").view.tools)) }, PREFLIGHT);
  addRoute(app, "/bridge/v1/tools/:name/call", { POST: (c) => callTool(c, parts) }, PREFLIGHT);
}

interface Listing {
  readonly tools: readonly BridgeTool[];
  readonly hash: string;
}

const listings = new WeakMap<ToolBox, Listing>();

/** A server's tools do not change. */
function listing(box: ToolBox): Listing {
  const known = listings.get(box);
  if (known) return known;
  const tools = box.tools.map(({ listing: { name, description, inputSchema } }) => ({
    name,
    description,
    inputSchema,
  }));
  const made = { tools, hash: toolHash(tools) };
  listings.set(box, made);
  return made;
}

async function callTool(c: HttpContext, { calls, log }: BridgeParts): Promise<Response> {
  const body = await readBody(c, MAX_BYTES);
  const { tools, workspace } = c.get("by").view;
  const tool = tools.find(c.req.param("name") ?? "");
  if (!tool)
    throw new Refusal(404, "Tool not found", "There is no tool of this name; GET /bridge/v1/tools lists them.");
  assertToolAskedFor(c.get("by"), tool.name);
  const args = argumentsOf(parseBody(body));
  const context = { workspace, log, signal: c.req.raw.signal };
  const outcome = await asCaller({ client: "bridge" }, () => calls.run(tool, args, context));
  const { content, structuredContent } = callResult(outcome);
  const answer = outcome.ok
    ? { success: true, content, structuredContent }
    : { success: false, content, isError: true };
  // Hono would hold a text in addition.
  return c.body(Buffer.from(JSON.stringify(answer)), 200, { "Content-Type": "application/json" });
}

function argumentsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw malformed('The body must be an object with an "arguments" field.');
  const { arguments: args } = body;
  if (!isRecord(args)) throw malformed('"arguments" must be an object.');
  return args;
}

function malformed(message: string): Refusal {
  return new Refusal(400, "Invalid request body", message);
}

export interface BridgeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** Whatever the order of tools and keys. */
export function toolHash(tools: readonly BridgeTool[]): string {
  const sorted = tools
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, description, inputSchema }) => deepSorted({ name, description, inputSchema }));
  return sha256(JSON.stringify(sorted));
}

function deepSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, deepSorted(inner)]));
}
