/** JSON-RPC with the App's host over postMessage (MCP Apps, revision 2026-01-26). */
import { CallFailure } from "../carrier/carrier.js";
import { WORDS } from "../words.js";

type Params = Readonly<Record<string, unknown>>;

interface HostMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Requests of the host, which need no more than an answer. Others are refused. */
const ANSWERED: ReadonlySet<string> = new Set(["ping", "ui/resource-teardown"]);
const METHOD_NOT_FOUND = { code: -32601, message: "Method not found" };
/** A sandboxed frame cannot know its parent's origin. */
const ANY_ORIGIN = "*";

export class HostWire {
  readonly #host: Window;
  /** What takes the reply, by the request's number. */
  readonly #waiting = new Map<number, (reply: HostMessage) => void>();
  #lastId = 0;

  /** @param news by method; others are ignored */
  constructor(host: Window, news: Readonly<Record<string, (params: Params) => void>>) {
    this.#host = host;
    addEventListener("message", ({ source, data }: MessageEvent<HostMessage | null>) => {
      if (source !== host || typeof data !== "object" || data?.jsonrpc !== "2.0") return;
      const { id, method, params = {} } = data;
      if (method === undefined) this.#settle(Number(id), data);
      else if (id === undefined) news[method]?.(params);
      else this.#post({ id, ...(ANSWERED.has(method) ? { result: {} } : { error: METHOD_NOT_FOUND }) });
    });
  }

  /** @throws CallFailure with the host's message */
  request(method: string, params: Params, signal?: AbortSignal): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error ? reject(new CallFailure("refused", error.message ?? WORDS.refused)) : resolve(result),
      );
      const cancel = () => {
        if (!this.#waiting.has(id)) return;
        this.notify("notifications/cancelled", { requestId: id });
        this.#settle(id, { error: { message: WORDS.brokenOff } });
      };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#post({ id, method, params });
    });
  }

  notify(method: string, params: Params): void {
    this.#post({ method, params });
  }

  #settle(id: number, reply: HostMessage): void {
    const take = this.#waiting.get(id);
    this.#waiting.delete(id);
    take?.(reply);
  }

  #post(message: HostMessage & { readonly error?: object }): void {
    this.#host.postMessage({ jsonrpc: "2.0", ...message }, ANY_ORIGIN);
  }
}
