/** A failure of the vault as a JSON-RPC error, by the one table of codes, for requests that have no tool result. */
import { ERROR_CODES, isVaultError, type VaultError } from "../errors.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";
import type { Era } from "./feature.js";
import { INVALID_PARAMS, RpcFailure } from "./rpc.js";

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
