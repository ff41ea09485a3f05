/** Answers a connection's first requests without loading the SDK. */
import type { Log } from "../../log.js";
import { ERROR_META_KEY, type CallResult } from "../../tools/result.js";
import type { Dispatcher, RpcResultBody } from "../dispatch.js";
import {
  asFailure,
  errorAnswer,
  isObject,
  isRpcId,
  type RpcAnswer,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
} from "../rpc.js";

const DIRECT_METHODS = new Set(["tools/list", "tools/call", "ping"]);
/** Of the `_meta` keys of 2026-07-28, which need the SDK. */
const ENVELOPE_PREFIX = "io.modelcontextprotocol/";

/** For a one-shot process without a vault (docs: command-line, "Commands and output"). */
const GIVE_A_VAULT =
  "A scan counts for its own process only: give this one the vault as its first argument, with --vault, or in OBSIDIAN_VAULT_PATH.";

function withAdvice(result: RpcResultBody): RpcResultBody {
  const { content, _meta } = result as Partial<CallResult>;
  const [first, ...rest] = content ?? [];
  if (first === undefined || _meta?.[ERROR_META_KEY]?.code !== "VAULT_NOT_INITIALIZED") return result;
  return { ...result, content: [{ ...first, text: `${first.text}\n${GIVE_A_VAULT}` }, ...rest] };
}

/** Whether no handshake is needed (docs: protocol, "One-shot calls"). */
export function isBareCall({ method, params }: RpcRequest): boolean {
  const meta = params?.["_meta"];
  const enveloped = isObject(meta) && Object.keys(meta).some((key) => key.startsWith(ENVELOPE_PREFIX));
  return DIRECT_METHODS.has(method) && !enveloped;
}

export class OneShot {
  readonly #dispatcher: Dispatcher;
  readonly #notify: (message: RpcNotification) => void;
  readonly #log: Log;
  readonly #cancels = new Map<RpcId, AbortController>();

  constructor(dispatcher: Dispatcher, notify: (message: RpcNotification) => void, log: Log) {
    this.#dispatcher = dispatcher;
    this.#notify = notify;
    this.#log = log;
  }

  /** Undefined when cancelled. Never rejects. */
  async answer({ id, method, params = {} }: RpcRequest): Promise<RpcAnswer | undefined> {
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    const notify = (name: string, about: Readonly<Record<string, unknown>>) =>
      this.#notify({ jsonrpc: "2.0", method: name, params: about });
    try {
      const result = await this.#dispatcher.dispatch(method, params, { signal: cancel.signal, notify, era: "legacy" });
      return cancel.signal.aborted ? undefined : { jsonrpc: "2.0", id, result: withAdvice(result) };
    } catch (error) {
      return cancel.signal.aborted ? undefined : errorAnswer(id, asFailure(error, this.#log));
    } finally {
      if (this.#cancels.get(id) === cancel) this.#cancels.delete(id);
    }
  }

  cancel(id: unknown): boolean {
    const cancel = isRpcId(id) ? this.#cancels.get(id) : undefined;
    cancel?.abort();
    return cancel !== undefined;
  }
}
