/** Carries calls to `/mcp`, and changes from `/web/events`. */
import type { ErrorCode } from "../../errors.js";
import { WORDS } from "../words.js";
import { CallFailure, type Carrier, type CarrierOptions, structuredOf, type ToolReply } from "./carrier.js";
import type { NewsListener, ReadingProgress, ToolArguments, ToolName } from "./carrier.js";
import { readEvents } from "./event-lines.js";
import { followNews } from "./news.js";
import { keyHeaders, onSessionElsewhere, openSession, storedSession } from "./session-key.js";

export class HttpCarrier implements Carrier {
  readonly session = storedSession;
  #wakeNews = (): void => {};
  #lastId = 0;
  #ready: Promise<void>;

  /** @param code one-time code to log in with */
  constructor(code?: string) {
    this.#ready = code === undefined ? Promise.resolve() : openSession({ code });
    // The first call reports its failure.
    this.#ready.catch(() => {});
    onSessionElsewhere(() => this.#wakeNews());
  }

  async callTool(name: ToolName, args: ToolArguments, options: CarrierOptions): Promise<unknown> {
    const meta = options.onProgress ? { _meta: { progressToken: 1 } } : {};
    return structuredOf((await this.#request("tools/call", { name, arguments: args, ...meta }, options)) as ToolReply);
  }

  async readFile(uri: string): Promise<Blob> {
    const { contents } = (await this.#request("resources/read", { uri })) as {
      readonly contents: readonly { readonly blob?: string; readonly text?: string; readonly mimeType?: string }[];
    };
    const { blob, text = "", mimeType = "" } = contents[0] ?? {};
    const bytes = blob === undefined ? text : Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
    return new Blob([bytes], { type: mimeType });
  }

  async offeredTools(): Promise<readonly string[]> {
    const { tools } = (await this.#request("tools/list", {})) as {
      readonly tools: readonly { readonly name: string }[];
    };
    return tools.map(({ name }) => name);
  }

  follow(listener: NewsListener): void {
    this.#wakeNews = followNews(async (signal) => {
      await this.#ready.catch(() => {});
      return await send("/web/events", { signal, headers: { accept: "text/event-stream" } });
    }, listener);
  }

  async logIn(token: string): Promise<void> {
    await openSession({ token });
    this.#ready = Promise.resolve();
    this.#wakeNews();
  }

  async #request(method: string, params: object, { onProgress, signal }: CarrierOptions = {}): Promise<unknown> {
    await this.#ready;
    let response: Response | undefined;
    try {
      response = await send("/mcp", {
        method: "POST",
        signal: signal ?? null,
        headers: {
          "content-type": "application/json",
          accept: onProgress ? "application/json, text/event-stream" : "application/json",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++this.#lastId, method, params }),
      });
      return await readResult(response, onProgress);
    } catch (error) {
      if (error instanceof CallFailure || signal?.aborted) throw error;
      throw new CallFailure("unreachable", response === undefined ? WORDS.offline : WORDS.brokenOff);
    }
  }
}

type Sending = Omit<RequestInit, "headers"> & { readonly headers: Record<string, string> };

/** Repeats a request that was refused because a login has replaced its key. */
async function send(path: string, init: Sending): Promise<Response> {
  const key = keyHeaders();
  const response = await fetch(path, { ...init, headers: { ...init.headers, ...key } });
  const isLate = response.status === 401 && keyHeaders()["X-Session-Key"] !== key["X-Session-Key"];
  return isLate ? await send(path, init) : response;
}

interface RpcReply {
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly total?: number };
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: { readonly errorCode?: ErrorCode } };
}

async function readResult(response: Response, onProgress: CarrierOptions["onProgress"]): Promise<unknown> {
  if (!response.ok) throw await refusalOf(response);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const reply = isStream ? await lastOf(response, onProgress) : ((await response.json()) as RpcReply);
  if (reply?.error) throw new CallFailure("refused", reply.error.message ?? WORDS.refused, reply.error.data?.errorCode);
  if (reply?.result === undefined) throw new CallFailure("unreachable", WORDS.brokenOff);
  return reply.result;
}

async function lastOf(
  response: Response,
  onProgress: (progress: ReadingProgress) => void = () => {},
): Promise<RpcReply | undefined> {
  for await (const { data } of readEvents(response)) {
    if (data === "") continue;
    const message = JSON.parse(data) as RpcReply;
    if (message.method === undefined) return message;
    const { progress, total } = message.params ?? {};
    if (progress !== undefined) onProgress({ done: progress, total });
  }
  return undefined;
}

async function refusalOf(response: Response): Promise<CallFailure> {
  const { status } = response;
  if (status === 401) return new CallFailure("login", WORDS.loginNeeded);
  if (status >= 502 && status <= 504) return new CallFailure("unreachable", WORDS.offline);
  if (status === 429) return new CallFailure("refused", WORDS.tooMany);
  const { error }: RpcReply = await response.json().catch(() => ({}));
  return new CallFailure("refused", error?.message ?? WORDS.refused);
}
