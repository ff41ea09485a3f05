/** The bridge, `/bridge/v1`, over the same tools (docs: http, "The bridge"). */
import type { Hono } from "hono";
import { asCaller } from "../../async/caller.js";
import { sha256 } from "../../text/hash.js";
import { callResult } from "../../tools/outcome.js";
import type { ToolBox } from "../../tools/registry.js";
import type { Log } from "../../log.js";
import type { Calls } from "../calls.js";
import { isObject } from "../rpc.js";
import { parseBody, readBody } from "./body.js";
import { PREFLIGHT, addRoute, type HttpContext, type HttpEnv } from "./context.js";
import { assertToolAskedFor } from "./caller-view.js";
import { Refusal } from "./refusal.js";

const PROTOCOL_VERSION = "1";
const MAX_BYTES = 1024 * 1024;

interface BridgeParts {
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
}

export function serveBridge(app: Hono<HttpEnv>, parts: BridgeParts): void {
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
  // As bytes: Hono would hold the text in addition.
  return c.body(Buffer.from(JSON.stringify(answer)), 200, { "Content-Type": "application/json" });
}

function argumentsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw malformed('The body must be an object with an "arguments" field.');
  const { arguments: args } = body;
  if (!isObject(args)) throw malformed('"arguments" must be an object.');
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

/** SHA-256 in hex, whatever the order of tools and keys. */
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
