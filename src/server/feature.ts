/** One part of the protocol: its methods and their capability. */
import { isObject, type RpcParams, RpcFailure, INVALID_PARAMS } from "./rpc.js";
import { ERROR_CODES, isVaultError, type VaultError } from "../errors.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";

export type RpcResultBody = Record<string, unknown>;

/** `legacy`: with a handshake. `modern`: 2026-07-28, without one. */
export type Era = "legacy" | "modern";

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly notify: (method: string, params: RpcParams) => void;
  readonly era: Era;
  /** Undefined before the peer introduces itself. */
  readonly peer?: Peer | undefined;
}

/** @throws RpcFailure to answer with a JSON-RPC error */
export type Method = (params: RpcParams, context: RequestContext) => Promise<RpcResultBody>;

export interface Feature {
  /** For `initialize` and `server/discover`. */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: Readonly<Record<string, Method>>;
}

/** As introduced by `initialize` or by each request (docs: mcp-app, "The App"). */
export interface Peer {
  readonly name: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Ignores values of the wrong type. */
export function peerOf(info: unknown, capabilities: unknown): Peer {
  const name = isObject(info) ? info["name"] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return { name: typeof name === "string" ? name : undefined, extensions: isObject(extensions) ? extensions : {} };
}

/** "Resource not found" for 2025-era peers; reserved since (docs: protocol, "Errors"). */
const RESOURCE_NOT_FOUND = -32002;

/** Returns other errors unchanged. */
export function failureOf(error: unknown): unknown {
  if (!isVaultError(error)) return error;
  const { code, message, hint } = error;
  const text = hint === undefined ? message : `${message} ${hint}`;
  return new RpcFailure(ERROR_CODES[code].number, text, { errorCode: code });
}

export function resourceNotFound(uri: string, error: VaultError, era: Era): RpcFailure {
  const number = era === "legacy" ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return new RpcFailure(number, `Resource not found: ${error.message}`, { uri, errorCode: error.code });
}

/** Undefined while none is known. @throws VaultError when it cannot be opened */
export async function knownVault(workspace: Workspace): Promise<OpenVault | undefined> {
  try {
    return await workspace.current();
  } catch (error) {
    if (isVaultError(error, "VAULT_NOT_INITIALIZED")) return undefined;
    throw error;
  }
}
