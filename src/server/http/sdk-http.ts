/** The SDK over HTTP: 2026-07-28 requests, which stand for themselves, and the protocol's end of a 2025-era session. */
import {
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  Server,
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { toNodeHandler } from "@modelcontextprotocol/node";
import type { Dispatcher } from "../dispatch.js";
import type { RpcResultBody } from "../feature.js";
import type { BareWay } from "./stateless.js";
import type { HttpExchange } from "./exchange.js";
import { Listeners } from "../listeners.js";
import {
  LISTEN_METHOD,
  SERVER_NAME,
  announceThrough,
  exactWire,
  mcpServer,
  type McpOptions,
  type McpPeer,
} from "../sdk-server.js";
import { isObject, readMessage, type RpcFailure, type RpcId, type RpcMessage } from "../rpc.js";

/** Revisions a client with a session may name in `MCP-Protocol-Version`. */
export const SESSION_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

interface Headers {
  readonly [name: string]: string | string[] | undefined;
}

/**
 * What a POST is for: revisions with sessions (or none at all), the revision without (also when it is wrong in that revision's
 * terms), or a plain call of the latter, which needs nothing of the SDK.
 */
export function kindOf(headers: Headers, body: unknown): "legacy" | "modern" | "plain call" {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  const [version, method, name] = [one("mcp-protocol-version"), one("mcp-method"), one("mcp-name")];
  const namesNewer = version !== undefined && !SESSION_VERSIONS.includes(version);
  // Without either of these nothing belongs to the newer revision; the SDK would validate all of the message to say so.
  if (!namesNewer && !hasMeta(body)) return "legacy";
  const call = plainCall(body);
  const plain = call && version === call.version && method === CALL_METHOD && name === call.name ? call : undefined;
  if (plain && acceptedEnvelopes.has(plain.envelope)) return "plain call";
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  if (outcome.kind === "legacy") return "legacy";
  if (outcome.kind === "modern") {
    if (plain) accept(plain.envelope);
    return plain ? "plain call" : "modern";
  }
  // What is no JSON-RPC is of no era; it is told so in our own words, unless the caller named the newer revision.
  return outcome.rung === "jsonrpc-shape" && !namesNewer ? "legacy" : "modern";
}

const MODERN_VERSION = "2026-07-28";
const CALL_METHOD = "tools/call";
const CALL_PARAMS = new Set(["name", "arguments", "_meta"]);
const MESSAGE_KEYS = new Set(["jsonrpc", "id", "method", "params"]);
/** The SDK found these valid. A client sends the same with every request, and to validate it costs more than all the rest. */
const acceptedEnvelopes = new Set<string>();
const MOST_ENVELOPES = 100;
const LONGEST_ENVELOPE = 2_000;

function accept(envelope: string): void {
  if (acceptedEnvelopes.size < MOST_ENVELOPES && envelope.length <= LONGEST_ENVELOPE) acceptedEnvelopes.add(envelope);
}

/** A request that calls a tool, asks for nothing else and hears nothing before the answer; its envelope as JSON. */
function plainCall(body: unknown) {
  const incoming = readMessage(body);
  if (incoming.kind !== "request" || incoming.message.method !== CALL_METHOD) return undefined;
  const { params = {} } = incoming.message;
  const { _meta: meta, name } = params;
  if (!isObject(meta) || meta["progressToken"] !== undefined || meta[PROTOCOL_VERSION_META_KEY] !== MODERN_VERSION)
    return undefined;
  const hasOnly = (value: object, keys: ReadonlySet<string>) => Object.keys(value).every((key) => keys.has(key));
  if (!hasOnly(params, CALL_PARAMS) || !hasOnly(body as object, MESSAGE_KEYS)) return undefined;
  return { version: MODERN_VERSION, name, envelope: JSON.stringify(meta) };
}

/** A result as the SDK sends it in the revision without sessions. */
function modernResult({ version }: McpOptions): (result: RpcResultBody) => RpcResultBody {
  const serverInfo = { [SERVER_INFO_META_KEY]: { name: SERVER_NAME, version } };
  return (result) => ({
    ...result,
    resultType: "complete",
    _meta: { ...(isObject(result["_meta"]) ? result["_meta"] : {}), ...serverInfo },
  });
}

function hasMeta(body: unknown): boolean {
  return isObject(body) && isObject(body["params"]) && body["params"]["_meta"] !== undefined;
}

export interface ModernEndpoint {
  /** Answers a POST whose body was read and parsed. */
  serve(exchange: HttpExchange, body: unknown): Promise<void>;
  /** How plain calls are answered: as the SDK would, without it. */
  readonly plainCalls: BareWay;
  /** Ends all streams, each with its last word. */
  close(): Promise<void>;
}

/** Serves 2026-07-28 requests over one dispatcher; the streams of those who listen are fed by `options.subscriptions`. */
export async function modernEndpoint(options: McpOptions): Promise<ModernEndpoint> {
  const { dispatcher, subscriptions, log } = options;
  const capabilities = await dispatcher.capabilities();
  const onerror = (error: Error) =>
    log.debug("The protocol layer reports a problem.", { error: error.message.slice(0, 200) });
  const handlerOf = (isKnown: boolean) =>
    createMcpHandler(
      ({ era }) => {
        const failures = new Map<RpcId, RpcFailure>();
        const server = mcpServer(Server, options, { era, capabilities }, (id, failure) => failures.set(id, failure));
        const connect = server.connect.bind(server);
        server.connect = (transport) => connect(exactTransport(transport, failures));
        // Only what the SDK refuses itself does it answer with 404, as 2026-07-28 asks for an unknown method.
        if (!isKnown) delete server.fallbackRequestHandler;
        return server;
      },
      { legacy: "reject", onerror },
    );
  const [handler, refusing] = [handlerOf(true), handlerOf(false)];
  if (subscriptions) subscriptions.announce = (uri) => handler.notify.resourceUpdated(uri);
  const listeners = new Listeners(options);
  return {
    plainCalls: { dispatcher, era: "modern", dressed: modernResult(options) },
    async serve(exchange, body) {
      const { request, response } = exchange;
      if (isListen(body)) {
        exchange.lasting = true;
        response.once("close", listeners.begin(body.params));
      }
      // The body is not written out and read once more: the handler is given the value.
      const bare = {
        method: "POST",
        url: "/mcp",
        headers: withoutLength(request.headers),
        async *[Symbol.asyncIterator]() {},
      };
      const by = (await isStrange(body, dispatcher)) ? refusing : handler;
      const serve = toNodeHandler({ fetch: (web) => by.fetch(web, { parsedBody: body }) }, { onerror });
      await serve(bare, response);
    },
    async close() {
      await handler.close();
      await refusing.close();
    },
  };
}

/** Whether we have no answer to it; the SDK may still have one of its own. */
async function isStrange(body: unknown, dispatcher: Dispatcher): Promise<boolean> {
  const method = isObject(body) ? body["method"] : undefined;
  return typeof method === "string" && method !== LISTEN_METHOD && !(await dispatcher.knows(method));
}

function isListen(body: unknown): body is { readonly params?: Readonly<Record<string, unknown>> } {
  return (
    isObject(body) && body["method"] === LISTEN_METHOD && (body["params"] === undefined || isObject(body["params"]))
  );
}

function withoutLength(headers: Headers): Record<string, string | string[] | undefined> {
  return { ...headers, host: "localhost", "content-length": undefined, "transfer-encoding": undefined };
}

/** Our own numbers instead of those the SDK rewrites on the way out. */
function exactTransport(transport: Transport, failures: Map<RpcId, RpcFailure>): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, about) => send(exactWire(message, failures) as JSONRPCMessage, about);
  return transport;
}

/** The protocol's end of a 2025-era session; `related` is the request a notification belongs to. */
export async function sessionPeer(
  options: McpOptions,
  send: (message: RpcMessage, related: RpcId | undefined) => void,
): Promise<McpPeer> {
  const { dispatcher, subscriptions, log } = options;
  const failures = new Map<RpcId, RpcFailure>();
  const capabilities = await dispatcher.capabilities();
  const server = mcpServer(Server, options, { era: "legacy", capabilities }, (id, failure) =>
    failures.set(id, failure),
  );
  if (subscriptions) announceThrough(server, subscriptions, log);
  const wire: Transport = {
    start: () => Promise.resolve(),
    send: (message, about) => {
      send(exactWire(message, failures), about?.relatedRequestId);
      return Promise.resolve();
    },
    close: () => {
      wire.onclose?.();
      return Promise.resolve();
    },
  };
  await server.connect(wire);
  return {
    receive: (message) => wire.onmessage?.(message as JSONRPCMessage),
    close: () => server.close(),
  };
}
