/** The bridge's own interface, `/bridge/v1` (spec: http, section 2): three paths over the same tools as every other interface. */
import { createHash } from "node:crypto";
import type { Log } from "../../log.js";
import type { ToolOutcome } from "../../tools/outcome.js";
import { callResult } from "../../tools/result.js";
import type { ToolBox } from "../../tools/registry.js";
import type { Workspace } from "../../tools/workspace.js";
import type { Calls } from "../calls.js";
import { isObject } from "../rpc.js";
import { parseBody, readBody } from "./body.js";
import { type HttpExchange, sendJson } from "./exchange.js";
import { Refusal, methodNotAllowed, notFound } from "./refusal.js";

export const BRIDGE = "/bridge/v1";
const PROTOCOL_VERSION = "1";
const MOST_BYTES = 1024 * 1024;
const CALL = /^\/bridge\/v1\/tools\/([^/]+)\/call$/;

export interface BridgeOptions {
  readonly workspace: Workspace;
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
}

/**
 * Answers a request below `/bridge/v1`.
 * @throws Refusal
 */
export async function serveBridge(exchange: HttpExchange, tools: ToolBox, options: BridgeOptions): Promise<void> {
  const { path, response } = exchange;
  const [, name] = CALL.exec(path) ?? [];
  if (name !== undefined) return callTool(exchange, name, tools, options);
  if (path === `${BRIDGE}/health`) {
    onlyBy(exchange, "GET");
    return sendJson(response, 200, { status: "ok", version: options.version, protocolVersion: PROTOCOL_VERSION });
  }
  if (path === `${BRIDGE}/tools`) {
    onlyBy(exchange, "GET");
    return sendJson(response, 200, listing(tools));
  }
  throw notFound();
}

function onlyBy({ request }: HttpExchange, method: "GET" | "POST"): void {
  if (request.method !== method) throw methodNotAllowed([method, "OPTIONS"]);
}

interface Listing {
  readonly tools: readonly BridgeTool[];
  readonly hash: string;
}

const listings = new WeakMap<ToolBox, Listing>();

/** Computed once: the tools of a server do not change while it runs. */
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

async function callTool(exchange: HttpExchange, encoded: string, box: ToolBox, options: BridgeOptions): Promise<void> {
  onlyBy(exchange, "POST");
  const body = await readBody(exchange, MOST_BYTES);
  const tool = box.find(decoded(encoded));
  if (!tool)
    throw new Refusal(404, "Tool not found", "There is no tool of this name; GET /bridge/v1/tools lists them.");
  const args = argumentsOf(parseBody(body));
  const { calls, workspace, log } = options;
  const outcome = await calls.run(tool, args, { workspace, log, signal: exchange.gone });
  sendJson(exchange.response, 200, answerOf(outcome));
}

function answerOf(outcome: ToolOutcome): unknown {
  const { content, structuredContent } = callResult(outcome);
  return outcome.ok ? { success: true, content, structuredContent } : { success: false, content, isError: true };
}

/** Text that cannot be decoded is no tool's name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
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

/** The fingerprint of a list of tools: SHA-256 in hex. The order of tools and of object keys does not matter, that of arrays does. */
export function toolHash(tools: readonly BridgeTool[]): string {
  const sorted = tools
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, description, inputSchema }) => deepSorted({ name, description, inputSchema }));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

function deepSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, deepSorted(inner)]));
}
