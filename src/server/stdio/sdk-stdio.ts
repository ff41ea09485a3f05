/** Serves a stdio connection with the SDK, in both eras. */
import { Server, type JSONRPCMessage, type McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  LISTEN_METHOD,
  resourceListeners,
  announceThrough,
  exactTransport,
  mcpServer,
  type Failures,
  type McpOptions,
  type McpPeer,
} from "../sdk-server.js";
import { excerpt } from "../../tools/safe-text.js";
import type { RpcMessage } from "../rpc.js";

/** The first message decides the era. */
export async function serveMcp(options: McpOptions, send: (message: RpcMessage) => void): Promise<McpPeer> {
  const { dispatcher, subscriptions, log } = options;
  const capabilities = await dispatcher.capabilities();
  const instructions = await options.instructions();
  const failures: Failures = new Map();
  const wire = exactTransport(failures, send);
  const serve: McpServerFactory = ({ era }) => {
    const server = mcpServer(Server, options, { era, capabilities, instructions }, failures);
    if (subscriptions) announceThrough(server, subscriptions, log);
    return server;
  };
  const listen = resourceListeners(options);
  /** By request id. */
  const listening = new Map<unknown, ReturnType<typeof listen>>();
  const pass = (message: RpcMessage) => wire.onmessage?.(message as JSONRPCMessage);
  const receive = (message: RpcMessage) => {
    if (!("method" in message)) return pass(message);
    const { method, params } = message;
    if (method === LISTEN_METHOD && "id" in message) {
      const begun = listen(params);
      listening.set(message.id, begun);
      return void begun.followed.then(() => listening.get(message.id) === begun && pass(message));
    }
    if (method === "notifications/cancelled") {
      listening.get(params?.["requestId"])?.end();
      listening.delete(params?.["requestId"]);
    }
    pass(message);
  };
  const handle = serveStdio(serve, {
    transport: wire,
    onerror: (error) => log.debug("The protocol layer reports a problem.", { error: excerpt(error.message, 200) }),
  });
  return {
    receive,
    close: () => handle.close(),
  };
}
