/** From a request to who answers it: the guards stand before everything but the probes, and one before those too. */
import type { Log } from "../../log.js";
import type { Workspace } from "../../tools/workspace.js";
import type { Calls } from "../calls.js";
import { BRIDGE, serveBridge } from "./bridge.js";
import { allowBrowsers } from "./cors.js";
import { sendJson, sendNothing, sendText, type HttpExchange } from "./exchange.js";
import { checkHeaderCount, checkHost, checkOrigin, identify, type AccessRules } from "./guards.js";
import type { LegacySse } from "./legacy-sse.js";
import type { CalledBy, McpEndpoint } from "./mcp-endpoint.js";
import type { Metrics } from "./metrics.js";
import type { CallerViews } from "./caller-view.js";
import type { ReadyCheck } from "./readiness.js";
import { Refusal, methodNotAllowed, notFound } from "./refusal.js";

/** What answers. */
export interface Parts {
  readonly access: AccessRules;
  readonly views: CallerViews;
  readonly mcp: McpEndpoint;
  /** Undefined: not served. */
  readonly sse: LegacySse | undefined;
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
  // Collectors come by address, too; a page that was led here under another name has no token.
  if (path !== "/metrics" || !wantsToken) checkHost(exchange, access);
  allowBrowsers(response, path, wantsToken);
  if (request.method === "OPTIONS") return sendNothing(response, 204);
  checkOrigin(exchange, access);
  const caller = identify(exchange, access);
  if (isStopping) throw shuttingDown();
  return answer(exchange, { caller, view: parts.views.of(caller) }, parts);
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

const ROUTES = new Set([
  "/mcp",
  "/health",
  "/ready",
  "/metrics",
  "/sse",
  "/messages",
  `${BRIDGE}/health`,
  `${BRIDGE}/tools`,
]);

/** A path as logs and figures may hold it: one of ours, without what the caller put into it. */
export function routeName(path: string): string {
  if (ROUTES.has(path)) return path;
  return /^\/bridge\/v1\/tools\/[^/]+\/call$/.test(path) ? `${BRIDGE}/tools/{name}/call` : "other";
}
