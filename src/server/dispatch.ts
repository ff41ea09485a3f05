/** Dispatches methods to the features that have them. */
import { isRecord } from "../text/decoded.js";
import { isVaultError, type VaultError } from "../errors.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcFailure, quotedName, type RpcParams } from "./rpc.js";

export type RpcResultBody = Record<string, unknown>;

/** `legacy`: with a handshake. `modern`: 2026-07-28, without. */
export type Era = "legacy" | "modern";

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly notify: (method: string, params: RpcParams) => void;
  readonly era: Era;
  /** Undefined until the peer introduces itself. */
  readonly peer?: Peer | undefined;
}

/** @throws RpcFailure */
export type Method = (params: RpcParams, context: RequestContext) => Promise<RpcResultBody>;

export interface Feature {
  /** For `initialize` and `server/discover`. */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: Readonly<Record<string, Method>>;
}

/** From `initialize`, or each request (docs: mcp-app, "The App"). */
export interface Peer {
  readonly name: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export function peerOf(info: unknown, capabilities: unknown): Peer {
  const name = isRecord(info) ? info["name"] : undefined;
  const extensions = isRecord(capabilities) ? capabilities["extensions"] : undefined;
  return { name: typeof name === "string" ? name : undefined, extensions: isRecord(extensions) ? extensions : {} };
}

/** "Resource not found" of 2025; reserved since (docs: protocol, "Errors"). */
const RESOURCE_NOT_FOUND = -32002;

export function resourceNotFound(uri: string, error: VaultError, era: Era): RpcFailure {
  const number = era === "legacy" ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return new RpcFailure(number, `Resource not found: ${error.message}`, { uri, errorCode: error.code });
}

export async function knownVault(workspace: Workspace): Promise<OpenVault | undefined> {
  try {
    return await workspace.current();
  } catch (error) {
    if (isVaultError(error, "VAULT_NOT_INITIALIZED")) return undefined;
    throw error;
  }
}

const PING: Feature = { capabilities: {}, methods: { ping: async () => ({}) } };

export class Dispatcher {
  readonly #first: readonly Feature[];
  readonly #loadOthers: () => Promise<readonly Feature[]>;
  #others: Promise<readonly Feature[]> | undefined;

  /** @param loadOthers only sessions need them */
  constructor(first: Feature, loadOthers: () => Promise<readonly Feature[]> = async () => []) {
    this.#first = [PING, first];
    this.#loadOthers = loadOthers;
  }

  async capabilities(): Promise<Feature["capabilities"]> {
    const others = await this.#restOfFeatures();
    return Object.assign({}, ...[...this.#first, ...others].map((feature) => feature.capabilities));
  }

  async knows(method: string): Promise<boolean> {
    return (methodOf(this.#first, method) ?? methodOf(await this.#restOfFeatures(), method)) !== undefined;
  }

  async dispatch(method: string, params: RpcParams, context: RequestContext): Promise<RpcResultBody> {
    const answer = methodOf(this.#first, method) ?? methodOf(await this.#restOfFeatures(), method);
    if (!answer) throw new RpcFailure(METHOD_NOT_FOUND, `Method not found: ${quotedName(method)}`);
    return answer(params, context);
  }

  #restOfFeatures(): Promise<readonly Feature[]> {
    return (this.#others ??= this.#loadOthers());
  }
}

function methodOf(features: readonly Feature[], method: string): Method | undefined {
  const feature = features.find(({ methods }) => Object.hasOwn(methods, method));
  return feature?.methods[method];
}
