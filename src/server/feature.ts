/** One part of the protocol: its methods and the capability that declares them. */
import { isObject, type RpcParams, RpcFailure, INVALID_PARAMS } from "./rpc.js";
import { ERROR_CODES, isVaultError, type VaultError } from "../errors.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";

export type RpcResultBody = Record<string, unknown>;

/** With a handshake, and 2026-07-28, where every request is complete in itself. */
export type Era = "legacy" | "modern";

export interface RequestContext {
  /** Aborted when the peer cancels; later results are not sent. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to this request. */
  readonly notify: (method: string, params: RpcParams) => void;
  readonly era: Era;
  /** Undefined before it has introduced itself. */
  readonly peer?: Peer | undefined;
}

/** @throws RpcFailure for everything that is answered with a JSON-RPC error */
export type Method = (params: RpcParams, context: RequestContext) => Promise<RpcResultBody>;

export interface Feature {
  /** What `initialize` and `server/discover` declare; every capability has methods here. */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: Readonly<Record<string, Method>>;
}

/** The peer, as it introduced itself by `initialize` or in each request (docs: mcp-app, "The App"). */
export interface Peer {
  /** Its program's name. */
  readonly name: string | undefined;
  /** Protocol extensions by name. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Ignores values of the wrong type. */
export function peerOf(info: unknown, capabilities: unknown): Peer {
  const name = isObject(info) ? info["name"] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return { name: typeof name === "string" ? name : undefined, extensions: isObject(extensions) ? extensions : {} };
}

/** -32002 means "resource not found" to 2025-era peers and is a reserved number since (docs: protocol, "Errors"). */
const RESOURCE_NOT_FOUND = -32002;

/** Other errors are returned unchanged. */
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

/** Undefined while no vault is known. @throws VaultError when it cannot be opened */
export async function knownVault(workspace: Workspace): Promise<OpenVault | undefined> {
  try {
    return await workspace.current();
  } catch (error) {
    if (isVaultError(error, "VAULT_NOT_INITIALIZED")) return undefined;
    throw error;
  }
}
