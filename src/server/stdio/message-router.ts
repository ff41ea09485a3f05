/** Routes messages: the first requests without a handshake to the dispatcher, others to the SDK. */
import { isRecord } from "../../text/decoded.js";
import { type CallResult, ERROR_META_KEY, traceOf } from "../../tools/outcome.js";
import type { RpcResultBody } from "../dispatch.js";
import type { McpOptions, McpPeer } from "../sdk-server.js";
import {
  asFailure,
  BatchAnswers,
  errorAnswer,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isRpcId,
  MAX_BATCH,
  messageText,
  readMessage,
  type RpcAnswer,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcParams,
  type RpcRequest,
} from "../rpc.js";

interface MessageRouterOptions {
  readonly mcp: McpOptions;
  readonly send: (text: string) => void;
  readonly exit: () => void;
  readonly settled: () => void;
}

/** Undefined for notifications and cancelled requests. */
type MaybeAnswer = RpcAnswer | undefined;

const EXIT_METHODS = new Set(["exit", "notifications/exit"]);
/** One-shot calls do not load `sdk-server.ts`. */
const LISTEN_METHOD: typeof import("../sdk-server.js").LISTEN_METHOD = "subscriptions/listen";

export class MessageRouter {
  readonly #options: MessageRouterOptions;
  /** Then gets all messages. */
  #peer: Promise<McpPeer> | undefined;
  /** Without the SDK. */
  readonly #cancels = new Map<RpcId, AbortController>();
  /** For each answer to a repeated id. */
  readonly #waiting = new Map<RpcId, ((answer: MaybeAnswer) => void)[]>();
  readonly #work = new Set<Promise<void>>();
  #held = 0;

  constructor(options: MessageRouterOptions) {
    this.#options = options;
  }

  /** In lines. */
  get outstanding(): number {
    return this.#work.size;
  }

  /** In characters. */
  get held(): number {
    return this.#held;
  }

  receive(value: unknown, length: number): void {
    if (Array.isArray(value)) return this.#receiveBatch(value, length);
    const answer = this.#handle(value).then((answered) => answered && messageText(answered));
    this.#track(answer, length, isListen(value));
  }

  #receiveBatch(values: readonly unknown[], length: number): void {
    const refuse = (reason: string) => this.refuse({ code: INVALID_REQUEST, message: `Invalid Request: ${reason}` });
    if (values.length === 0) return refuse("an empty batch.");
    if (values.length > MAX_BATCH) return refuse(`a batch may have at most ${MAX_BATCH} messages.`);
    const answers = new BatchAnswers();
    const all = Promise.all(values.map(async (value) => answers.add(await this.#handle(value))));
    this.#track(
      all.then(() => answers.text()),
      length,
      values.some(isListen),
    );
  }

  refuse(error: RpcError, id: RpcId | null | undefined = this.#unknownId()): void {
    this.#send(errorAnswer(id, error));
  }

  async answered(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  async close(): Promise<void> {
    await this.#peer?.then(
      (peer) => peer.close(),
      () => {},
    );
  }

  /** JSON-RPC requires null; MCP clients reject it. */
  #unknownId(): null | undefined {
    return this.#peer ? undefined : null;
  }

  #track(answer: Promise<string | undefined>, length: number, lasting: boolean): void {
    const work = answer
      .then((text) => void (text !== undefined && this.#options.send(text)))
      .finally(() => {
        if (this.#work.delete(work)) this.#held -= length;
        this.#options.settled();
      });
    if (lasting) return;
    this.#work.add(work);
    this.#held += length;
  }

  #send(message: RpcMessage): void {
    this.#options.send(messageText(message));
  }

  async #handle(value: unknown): Promise<MaybeAnswer> {
    const incoming = readMessage(value);
    if (incoming.kind === "fault") return errorAnswer(incoming.id ?? this.#unknownId(), incoming.error);
    if (incoming.kind === "notification") return this.#notification(incoming.message);
    if (incoming.kind === "answer") return this.#forward(incoming.message);
    const direct = !this.#peer && isBareCall(incoming.message);
    return direct ? this.#answerDirectly(incoming.message) : this.#request(incoming.message);
  }

  async #answerDirectly({ id, method, params = {} }: RpcRequest): Promise<MaybeAnswer> {
    const { dispatcher, log } = this.#options.mcp;
    const cancel = new AbortController();
    const { signal } = cancel;
    this.#cancels.set(id, cancel);
    const notify = (name: string, about: RpcParams) => this.#send({ jsonrpc: "2.0", method: name, params: about });
    try {
      const result = await dispatcher.dispatch(method, params, { signal, notify, era: "legacy" });
      return signal.aborted ? undefined : { jsonrpc: "2.0", id, result: withAdvice(result) };
    } catch (error) {
      return signal.aborted ? undefined : errorAnswer(id, asFailure(error, log));
    } finally {
      if (this.#cancels.get(id) === cancel) this.#cancels.delete(id);
    }
  }

  #request(message: RpcRequest): Promise<MaybeAnswer> {
    const { mcp } = this.#options;
    this.#peer ??= import("./sdk-stdio.js").then(({ serveMcp }) => serveMcp(mcp, (sent) => this.#sent(sent)));
    const answer = new Promise<MaybeAnswer>((resolve) => {
      this.#waiting.set(message.id, [...(this.#waiting.get(message.id) ?? []), resolve]);
    });
    this.#peer.then(
      (peer) => peer.receive(message),
      (error: unknown) => {
        mcp.log.error("The protocol layer could not be loaded", traceOf(error));
        this.#settle(message.id, errorAnswer(message.id, { code: INTERNAL_ERROR, message: "Internal error" }));
      },
    );
    return answer;
  }

  async #notification(message: RpcNotification): Promise<undefined> {
    if (EXIT_METHODS.has(message.method)) {
      this.#options.exit();
      return;
    }
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    const direct = isRpcId(cancelled) ? this.#cancels.get(cancelled) : undefined;
    direct?.abort();
    if (direct) return;
    await this.#forward(message);
    if (isRpcId(cancelled)) this.#settle(cancelled, undefined);
  }

  /** Not without the SDK. */
  async #forward(message: RpcMessage): Promise<undefined> {
    await this.#peer?.then(
      (peer) => peer.receive(message),
      () => {},
    );
  }

  #sent(message: RpcMessage): void {
    if (!("method" in message) && isRpcId(message.id)) this.#settle(message.id, message);
    else this.#send(message);
  }

  #settle(id: RpcId, answer: MaybeAnswer): void {
    const [resolve, ...rest] = this.#waiting.get(id) ?? [];
    if (rest.length > 0) this.#waiting.set(id, rest);
    else this.#waiting.delete(id);
    resolve?.(answer);
  }
}

function isListen(value: unknown): boolean {
  const incoming = readMessage(value);
  return incoming.kind === "request" && incoming.message.method === LISTEN_METHOD;
}

const DIRECT_METHODS = new Set(["tools/list", "tools/call", "ping"]);
/** Keys of 2026-07-28. */
const ENVELOPE_PREFIX = "io.modelcontextprotocol/";

/** Docs: command-line, "Commands and output". */
const GIVE_A_VAULT =
  "A scan counts for its own process only: give this one the vault as its first argument, with --vault, or in OBSIDIAN_VAULT_PATH.";

function withAdvice(result: RpcResultBody): RpcResultBody {
  const { content, _meta } = result as Partial<CallResult>;
  const [first, ...rest] = content ?? [];
  if (first === undefined || _meta?.[ERROR_META_KEY]?.code !== "VAULT_NOT_INITIALIZED") return result;
  return { ...result, content: [{ ...first, text: `${first.text}\n${GIVE_A_VAULT}` }, ...rest] };
}

/** Docs: protocol, "One-shot calls". */
function isBareCall({ method, params }: RpcRequest): boolean {
  const meta = params?.["_meta"];
  const enveloped = isRecord(meta) && Object.keys(meta).some((key) => key.startsWith(ENVELOPE_PREFIX));
  return DIRECT_METHODS.has(method) && !enveloped;
}
