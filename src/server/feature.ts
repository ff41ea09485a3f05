/** One part of the protocol: its methods, the capability that declares them, and who is calling. */
import { isObject, type RpcParams } from "./rpc.js";

export type RpcResultBody = Record<string, unknown>;

/** The two generations of the protocol: with a handshake, and 2026-07-28, where every request is complete in itself. */
export type Era = "legacy" | "modern";

/** What the connection lends to one request. */
export interface RequestContext {
  /** Aborted when the peer cancels the request; what is returned after that is not sent. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to this request. */
  readonly notify: (method: string, params: RpcParams) => void;
  readonly era: Era;
  /** Undefined: it has not introduced itself. */
  readonly peer?: Peer | undefined;
}

/** @throws RpcFailure for everything that is answered with a JSON-RPC error */
export type Method = (params: RpcParams, context: RequestContext) => Promise<RpcResultBody>;

export interface Feature {
  /** What `initialize` and `server/discover` declare; nothing is declared that has no method here. */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: Readonly<Record<string, Method>>;
}

/** Who is calling, as far as the peer has said: in the 2025 era by `initialize`, later in each request (docs: mcp-app, "The App"). */
export interface Peer {
  /** What its program calls itself. */
  readonly name: string | undefined;
  /** Extensions of the protocol it declares, by their names. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** From `clientInfo` and `capabilities`, which the SDK has checked; values of another form are ignored. */
export function peerOf(info: unknown, capabilities: unknown): Peer {
  const name = isObject(info) ? info["name"] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return { name: typeof name === "string" ? name : undefined, extensions: isObject(extensions) ? extensions : {} };
}
