/** One part of the protocol: its methods, and the capability that tells clients of them. */
import type { Peer } from "./peer.js";
import type { RpcParams } from "./rpc.js";

export type RpcResultBody = Record<string, unknown>;

/** The two generations of the protocol: with a handshake, and 2026-07-28, where every request stands for itself. */
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
