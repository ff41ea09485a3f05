/** A server of the SDK over the dispatcher, and the exact form of messages. */
import { isRecord } from "../text/decoded.js";
import type { JSONRPCMessage, Server, Transport } from "@modelcontextprotocol/server";
import type { Log } from "../log.js";
import { traceOf } from "../tools/outcome.js";
import { type Dispatcher, peerOf, type Era, type Feature, type Peer } from "./dispatch.js";
import type { Subscriptions } from "./subscriptions.js";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  asFailure,
  errorAnswer,
  type RpcError,
  type RpcFailure,
  type RpcId,
  type RpcMessage,
  type RpcParams,
} from "./rpc.js";

/** Stays open until cancelled. */
export const LISTEN_METHOD = "subscriptions/listen";

const SERVER_NAME = "obsidian-vault-mcp-server";

export interface McpOptions {
  readonly dispatcher: Dispatcher;
  /** Where a connection outlives a request. */
  readonly subscriptions?: Subscriptions | undefined;
  readonly log: Log;
  readonly version: string;
  readonly instructions: () => Promise<string>;
}

interface ConnectionFacts {
  readonly era: Era;
  readonly capabilities: Feature["capabilities"];
  readonly instructions: string;
}

/** The SDK rewrites some error numbers. */
export type Failures = Map<RpcId, RpcFailure>;

/**
 * For one connection or stateless request. The fallback handler spares a second parsing with other messages and key
 * order. @param Sdk twice in the program, for stdio without its HTTP parts
 */
export function mcpServer(Sdk: typeof Server, options: McpOptions, about: ConnectionFacts, failures: Failures): Server {
  const { dispatcher, log, version } = options;
  const { era, capabilities, instructions } = about;
  const server = new Sdk({ name: SERVER_NAME, version }, { capabilities, instructions });
  server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => {
    const notify = (name: string, about: Readonly<Record<string, unknown>>) => {
      mcpReq
        .notify({ method: name, params: about })
        .catch((error) => log.debug("A notification was not sent", traceOf(error)));
    };
    try {
      const peer = era === "modern" ? introducedBy(mcpReq.envelope) : introducedTo(server);
      return await dispatcher.dispatch(method, params, { signal: mcpReq.signal, notify, era, peer });
    } catch (error) {
      const failure = asFailure(error, log);
      if (!mcpReq.signal.aborted) failures.set(mcpReq.id, failure);
      throw failure;
    }
  };
  return server;
}

/** Importing the SDK's constants would load it. */
function introducedBy(envelope: object | undefined): Peer | undefined {
  if (envelope === undefined) return undefined;
  const about: Readonly<Record<string, unknown>> = { ...envelope };
  return peerOf(about["io.modelcontextprotocol/clientInfo"], about["io.modelcontextprotocol/clientCapabilities"]);
}

function introducedTo(server: Server): Peer | undefined {
  const info = server.getClientVersion();
  return info && peerOf(info, server.getClientCapabilities());
}

export interface McpPeer {
  receive(message: RpcMessage): void;
  close(): Promise<void>;
}

/** Fixes key order, error numbers (the SDK turns -32002, VAULT_NOT_FOUND, into -32602) and long schema errors. */
export function exactWire(message: JSONRPCMessage, failures: Failures): RpcMessage {
  if ("error" in message) {
    const own = message.id === undefined ? undefined : failures.get(message.id);
    if (message.id !== undefined) failures.delete(message.id);
    return errorAnswer(message.id, own ?? withoutDump(message.error));
  }
  if ("result" in message) return { jsonrpc: "2.0", id: message.id, result: message.result };
  const { method, params } = message;
  const about = params === undefined ? {} : { params };
  return "id" in message ? { jsonrpc: "2.0", id: message.id, method, ...about } : { jsonrpc: "2.0", method, ...about };
}

/** The SDK's `initialize` reports these as -32603. */
function withoutDump(error: RpcError): RpcError {
  if (error.code !== INTERNAL_ERROR) return error;
  const needs = 'params need "protocolVersion", "capabilities" and "clientInfo" with "name" and "version".';
  return { code: INVALID_PARAMS, message: `Invalid params: ${needs}` };
}

/** @param send `related`: a notification's request */
export function exactTransport(
  failures: Failures,
  send: (message: RpcMessage, related: RpcId | undefined) => void,
): Transport {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message, about) => {
      send(exactWire(message, failures), about?.relatedRequestId);
      return Promise.resolve();
    },
    close: () => {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
}

export function announceThrough(server: Server, subscriptions: Subscriptions, log: Log): void {
  subscriptions.announce = (uri) => {
    server
      .sendResourceUpdated({ uri })
      .catch((error: unknown) => log.debug("A notice of a changed resource was not sent", traceOf(error)));
  };
}

interface Listening {
  readonly followed: Promise<unknown>;
  readonly end: () => void;
}

/** Follows a resource while any request does. `followed`: no later change is missed. */
export function resourceListeners({
  dispatcher,
  subscriptions,
  log,
}: Pick<McpOptions, "dispatcher" | "subscriptions" | "log">) {
  const open = new Set<readonly string[]>();
  return ({ notifications }: RpcParams = {}): Listening => {
    const wanted = isRecord(notifications) ? notifications["resourceSubscriptions"] : undefined;
    const uris = Array.isArray(wanted) ? wanted.filter((uri) => typeof uri === "string") : [];
    open.add(uris);
    const context = { signal: new AbortController().signal, notify: () => {}, era: "modern" as const };
    const all = uris.map((uri) =>
      dispatcher
        .dispatch("resources/subscribe", { uri }, context)
        .catch((error: unknown) => log.debug("A resource cannot be followed", traceOf(error))),
    );
    const followed = Promise.all(all);
    const end = async () => {
      if (!open.delete(uris)) return;
      await followed;
      const still = new Set([...open].flat());
      for (const uri of uris) if (!still.has(uri)) subscriptions?.remove(uri);
    };
    return { followed, end: () => void end() };
  };
}
