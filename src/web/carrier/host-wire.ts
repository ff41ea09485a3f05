/** JSON-RPC with the App's host over postMessage (MCP Apps, revision 2026-01-26). */
import { WORDS } from "../words.js";
import { CallFailure } from "./carrier.js";

type Params = Readonly<Record<string, unknown>>;

interface HostMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

export interface HostHandlers {
  /** By method; others are ignored. */
  readonly news: Readonly<Record<string, (params: Params) => void>>;
  /** By method; others are refused. */
  readonly requests: Readonly<Record<string, () => object>>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallFailure) => void;
}

const METHOD_NOT_FOUND = -32601;
/** A sandboxed frame cannot know its parent's origin. */
const ANY_ORIGIN = "*";

export class HostWire {
  readonly #host: Window;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(host: Window, handlers: HostHandlers) {
    this.#host = host;
    addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
      if (source === host && isMessage(data)) this.#take(data, handlers);
    });
  }

  /** @throws CallFailure with the host's message */
  request(method: string, params: Params, signal?: AbortSignal): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    signal?.addEventListener("abort", () => this.#giveUp(id), { once: true });
    this.#post({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  notify(method: string, params: Params): void {
    this.#post({ jsonrpc: "2.0", method, params });
  }

  #giveUp(requestId: number): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return;
    this.#waiting.delete(requestId);
    this.notify("notifications/cancelled", { requestId });
    waiting.reject(new CallFailure("unreachable", WORDS.brokenOff));
  }

  #take({ id, method, params = {}, result, error }: HostMessage, { news, requests }: HostHandlers): void {
    if (method === undefined) return this.#settle(Number(id), result, error);
    if (id === undefined) return news[method]?.(params);
    const answer = requests[method];
    const reply = answer ? { result: answer() } : { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
    this.#post({ jsonrpc: "2.0", id, ...reply });
  }

  #settle(id: number, result: unknown, error: HostMessage["error"]): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new CallFailure("refused", error.message ?? WORDS.refused));
    else waiting?.resolve(result);
  }

  #post(message: object): void {
    this.#host.postMessage(message, ANY_ORIGIN);
  }
}

function isMessage(data: unknown): data is HostMessage {
  return typeof data === "object" && data !== null && Reflect.get(data, "jsonrpc") === "2.0";
}
