/** The SDK over HTTP: requests of 2026-07-28, and 2025-era sessions. */
import { isRecord } from "../../../text/decoded.js";
import {
  SUPPORTED_PROTOCOL_VERSIONS,
  Server,
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";
import type { Dispatcher, Era } from "../../dispatch.js";
import { ALREADY_SENT, type HttpContext } from "../context.js";
import { EventStream } from "../event-stream.js";
import {
  LISTEN_METHOD,
  resourceListeners,
  announceThrough,
  exactTransport,
  exactWire,
  mcpServer,
  type Failures,
  type McpOptions,
  type McpPeer,
} from "../../sdk-server.js";
import { excerpt } from "../../../tools/safe-text.js";
import type { RpcId, RpcMessage } from "../../rpc.js";

export const SESSION_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

interface Headers {
  readonly [name: string]: string | string[] | undefined;
}

/** Also of an invalid POST. */
export function eraOf(headers: Headers, body: unknown): Era {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  const [version, method, name] = [one("mcp-protocol-version"), one("mcp-method"), one("mcp-name")];
  const namesNewer = version !== undefined && !SESSION_VERSIONS.includes(version);
  // Spares older requests the validation below.
  if (!namesNewer && !hasMeta(body)) return "legacy";
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  if (outcome.kind === "legacy" || outcome.kind === "modern") return outcome.kind;
  // Without JSON-RPC the SDK refuses it only for the newer version.
  return outcome.rung === "jsonrpc-shape" && !namesNewer ? "legacy" : "modern";
}

function hasMeta(body: unknown): boolean {
  return isRecord(body) && isRecord(body["params"]) && body["params"]["_meta"] !== undefined;
}

export interface ModernEndpoint {
  serve(c: HttpContext, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export async function modernEndpoint(options: McpOptions): Promise<ModernEndpoint> {
  const { dispatcher, subscriptions, log } = options;
  const capabilities = await dispatcher.capabilities();
  const instructions = await options.instructions();
  const onerror = (error: Error) =>
    log.debug("The protocol layer reports a problem.", { error: excerpt(error.message, 200) });
  const handlerOf = (isKnown: boolean) =>
    createMcpHandler(
      ({ era }) => {
        const failures: Failures = new Map();
        const server = mcpServer(Server, options, { era, capabilities, instructions }, failures);
        const connect = server.connect.bind(server);
        server.connect = (transport) => {
          const send = transport.send.bind(transport);
          transport.send = (message, about) => send(exactWire(message, failures) as JSONRPCMessage, about);
          return connect(transport);
        };
        // The SDK sets status 404 only for its own refusals.
        if (!isKnown) delete server.fallbackRequestHandler;
        return server;
      },
      { legacy: "reject", onerror },
    );
  const [handler, refusing] = [handlerOf(true), handlerOf(false)];
  if (subscriptions) subscriptions.announce = (uri) => handler.notify.resourceUpdated(uri);
  const listen = resourceListeners(options);
  return {
    async serve(c, body) {
      const by = (await isStrange(body, dispatcher)) ? refusing : handler;
      if (!isListen(body)) return by.fetch(c.req.raw, { parsedBody: body });
      const { open, outgoing } = c.env;
      open.isStream = true;
      const { followed, end } = listen(body.params);
      outgoing.once("close", end);
      await followed;
      const answer = await by.fetch(c.req.raw, { parsedBody: body });
      if (!answer.body || answer.headers.get("content-type") !== "text/event-stream") return answer;
      await new EventStream(outgoing, {}, c.get("by").caller.isStillValid).forward(answer.body);
      return ALREADY_SENT;
    },
    async close() {
      await handler.close();
      await refusing.close();
    },
  };
}

/** The SDK may know it. */
async function isStrange(body: unknown, dispatcher: Dispatcher): Promise<boolean> {
  const method = isRecord(body) ? body["method"] : undefined;
  return typeof method === "string" && method !== LISTEN_METHOD && !(await dispatcher.knows(method));
}

function isListen(body: unknown): body is { readonly params?: Readonly<Record<string, unknown>> } {
  return (
    isRecord(body) && body["method"] === LISTEN_METHOD && (body["params"] === undefined || isRecord(body["params"]))
  );
}

export async function sessionPeer(
  options: McpOptions,
  send: (message: RpcMessage, related: RpcId | undefined) => void,
): Promise<McpPeer> {
  const { dispatcher, subscriptions, log } = options;
  const failures: Failures = new Map();
  const capabilities = await dispatcher.capabilities();
  const instructions = await options.instructions();
  const server = mcpServer(Server, options, { era: "legacy", capabilities, instructions }, failures);
  if (subscriptions) announceThrough(server, subscriptions, log);
  const wire = exactTransport(failures, send);
  await server.connect(wire);
  return {
    receive: (message) => wire.onmessage?.(message as JSONRPCMessage),
    close: () => server.close(),
  };
}
