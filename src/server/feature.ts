/** One part of the protocol: its methods, the capability that declares them, and who is calling. */
import { isObject, type RpcParams, RpcFailure, INVALID_PARAMS } from "./rpc.js";
import { ERROR_CODES, isVaultError, type VaultError } from "../errors.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";

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

/** -32002 means "resource not found" to 2025-era peers and is a reserved number since (docs: protocol, "Errors"). */
const RESOURCE_NOT_FOUND = -32002;

/** The error as a JSON-RPC error; anything but a VaultError is returned unchanged. */
export function failureOf(error: unknown): unknown {
  if (!isVaultError(error)) return error;
  const { code, message, hint } = error;
  const text = hint === undefined ? message : `${message} ${hint}`;
  return new RpcFailure(ERROR_CODES[code].number, text, { errorCode: code });
}

/** The failure of a missing resource. */
export function resourceNotFound(uri: string, error: VaultError, era: Era): RpcFailure {
  const number = era === "legacy" ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return new RpcFailure(number, `Resource not found: ${error.message}`, { uri, errorCode: error.code });
}

/** The vault of the connection, or undefined while none is known. @throws VaultError when it cannot be opened */
export async function knownVault(workspace: Workspace): Promise<OpenVault | undefined> {
  try {
    return await workspace.current();
  } catch (error) {
    if (isVaultError(error, "VAULT_NOT_INITIALIZED")) return undefined;
    throw error;
  }
}
