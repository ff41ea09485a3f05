/** From a request to what answers it: the guards come before everything but the probes, and one guard before those too. */
import type { Log } from "../../log.js";
import type { Workspace } from "../../tools/workspace.js";
import type { Calls } from "../calls.js";
import { BRIDGE, serveBridge } from "./bridge.js";
import { allowBrowsers } from "./cors.js";
import { sendJson, sendNothing, sendText, type HttpExchange } from "./exchange.js";
import { addressOf, checkHeaderCount, checkHost, checkOrigin, identify, type AccessRules } from "./guards.js";
import type { LegacySse } from "./mcp/legacy-sse.js";
import type { CalledBy, McpEndpoint } from "./mcp/mcp-endpoint.js";
import type { Metrics } from "./metrics.js";
import type { CallerViews } from "./caller-view.js";
import type { ReadyCheck } from "./readiness.js";
import type { RateLimit } from "./rate-limit.js";
import { Refusal, methodNotAllowed, notFound, tooManyRequests } from "./refusal.js";
import { setPageHeaders } from "./web/page-headers.js";
import type { WebPage } from "./web/web-page.js";

/** Serves calendar programs, whose only secret is the address (spec: web, section 8). */
export interface CalendarFeed {
  /** @returns false when the secret opens nothing; nothing was sent then */
  serve(exchange: HttpExchange, secret: string): Promise<boolean>;
}

/** What answers. */
export interface Parts {
  readonly access: AccessRules;
  readonly views: CallerViews;
  readonly mcp: McpEndpoint;
  /** Undefined: not served. */
  readonly sse: LegacySse | undefined;
  /** Undefined: not served. */
  readonly web: WebPage | undefined;
  /** Undefined: not served. */
  readonly calendar?: CalendarFeed | undefined;
  /** What each address may guess: logins, and secrets of calendars. */
  readonly guesses: RateLimit;
  readonly ready: ReadyCheck;
  readonly metrics: Metrics;
  readonly workspace: Workspace;
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
}

/** @throws Refusal */
export async function route(exchange: HttpExchange, parts: Parts, isStopping: boolean): Promise<void> {
  const { path, request, response } = exchange;
  const { access } = parts;
  checkHeaderCount(exchange);
  if (path === "/health" || path === "/ready") return probe(exchange, parts, isStopping);
  const wantsToken = access.tokens.length > 0;
  // Collectors of metrics use the address, too; a page that was led here under another name has no token.
  if (path !== "/metrics" || !wantsToken) checkHost(exchange, access);
  if (isForPeople(path)) return serveForPeople(exchange, parts, isStopping);
  allowBrowsers(response, path, wantsToken);
  if (request.method === "OPTIONS") return sendNothing(response, 204);
  checkOrigin(exchange, access);
  const session = path === "/mcp" && request.method === "POST" ? parts.web?.login.sessionOf(exchange) : undefined;
  const caller = session?.caller ?? identify(exchange, access);
  if (isStopping) throw shuttingDown();
  return answer(exchange, { caller, view: parts.views.of(caller) }, parts);
}

/** The page and calendars: no other site may read or request any of them, so browsers are allowed nothing. */
function isForPeople(path: string): boolean {
  return path === "/" || path.startsWith("/web/") || CALENDAR.test(path);
}

async function serveForPeople(exchange: HttpExchange, parts: Parts, isStopping: boolean): Promise<void> {
  const { path, response } = exchange;
  const { access, web } = parts;
  setPageHeaders(response);
  checkOrigin(exchange, access);
  if (isStopping) throw shuttingDown();
  const [, secret] = CALENDAR.exec(path) ?? [];
  if (secret !== undefined) return serveCalendar(exchange, secret, parts);
  if (!web) throw notFound();
  return web.serve(exchange, () => identify(exchange, access));
}

/** Whoever has a valid address is always served; whoever guesses is soon told to wait. */
async function serveCalendar(exchange: HttpExchange, secret: string, { calendar, guesses }: Parts): Promise<void> {
  if (!calendar) throw notFound();
  const { request } = exchange;
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
  if (await calendar.serve(exchange, secret)) return;
  const wait = guesses.take(`calendar ${addressOf(request)}`);
  throw wait > 0 ? tooManyRequests(wait) : notFound();
}

async function answer(exchange: HttpExchange, by: CalledBy, parts: Parts): Promise<void> {
  const { path } = exchange;
  if (path === "/mcp") return parts.mcp.serve(exchange, by);
  if (path === "/metrics") return showMetrics(exchange, parts);
  if (path === "/sse" && parts.sse) return parts.sse.listen(exchange, by);
  if (path === "/messages" && parts.sse) return parts.sse.post(exchange, by);
  if (path.startsWith(`${BRIDGE}/`)) return serveBridge(exchange, by.view.tools, parts);
  throw notFound();
}

async function probe({ path, request, response }: HttpExchange, { ready }: Parts, isStopping: boolean): Promise<void> {
  if (request.method !== "GET") throw methodNotAllowed(["GET"]);
  if (path === "/health") return sendJson(response, 200, { status: "ok" });
  const found = isStopping ? SHUTTING_DOWN : await ready.check();
  sendJson(response, found.status === "ready" ? 200 : 503, found);
}

const SHUTTING_DOWN = { status: "not ready", reason: "The server is shutting down." } as const;

function shuttingDown(): Refusal {
  return new Refusal(503, "Unavailable", SHUTTING_DOWN.reason, { headers: { "Retry-After": "5" }, closes: true });
}

async function showMetrics({ request, response }: HttpExchange, { metrics, ready }: Parts): Promise<void> {
  if (request.method !== "GET") throw methodNotAllowed(["GET", "OPTIONS"]);
  await ready.check();
  sendText(response, 200, metrics.contentType, await metrics.text());
}

const CALENDAR = /^\/calendar\/([^/]+)\.ics$/;

const ROUTES = new Set([
  "/",
  "/web/session",
  "/web/codes",
  "/web/events",
  "/mcp",
  "/health",
  "/ready",
  "/metrics",
  "/sse",
  "/messages",
  `${BRIDGE}/health`,
  `${BRIDGE}/tools`,
]);

/** A path as logs and metrics may hold it: one of ours, without the caller's part. */
export function routeName(path: string): string {
  if (ROUTES.has(path)) return path;
  if (path.startsWith("/web/")) return "/web/{file}";
  if (CALENDAR.test(path)) return "/calendar/{secret}.ics";
  return /^\/bridge\/v1\/tools\/[^/]+\/call$/.test(path) ? `${BRIDGE}/tools/{name}/call` : "other";
}
