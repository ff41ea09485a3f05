/** Carries calls to `/mcp`, and changes from `/web/events`. */
import type { ErrorCode } from "../../errors.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";
import {
  type Beginning,
  CallFailure,
  type PageTransport,
  type CallOptions,
  structuredOf,
  type ToolReply,
} from "./transport.js";
import type { ChangeListener, ToolArguments, ToolName } from "./transport.js";
import { followChanges, readEvents } from "./changes.js";
import { keyHeaders, onSessionElsewhere, openSession, storedSession } from "./session-key.js";

/** How long the first calls wait for the event stream, so that none must be repeated. */
const FOLLOW_TIMEOUT_MS = 1_000;
/** Calls in one request. */
const MAX_TOGETHER = 50;

/** Awaits its answer. */
interface Open extends CallOptions {
  readonly id: number;
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (why: unknown) => void;
}

export class HttpTransport implements PageTransport {
  readonly session = storedSession;
  #followNow = (): void => {};
  #lastId = 0;
  #opened: Promise<unknown>;
  #followed: Promise<unknown> = Promise.resolve();
  #shared: Open[] = [];

  /** @param code one-time code to log in with */
  constructor(code?: string) {
    this.#opened = code === undefined ? Promise.resolve() : openSession({ code });
    // The first call reports its failure.
    this.#opened.catch(() => {});
    onSessionElsewhere(() => this.#followNow());
  }

  async callTool(name: ToolName, args: ToolArguments, options: CallOptions): Promise<unknown> {
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

  async begin(): Promise<Beginning> {
    await this.#opened;
    const response = await send("/web/session", { headers: {} }).catch(() => undefined);
    if (!response) throw new CallFailure("unreachable", PAGE_WORDS.offline);
    if (!response.ok) throw await refusalOf(response);
    return (await response.json()) as Beginning;
  }

  follow(listener: ChangeListener): void {
    let resolve = (): void => {};
    this.#followed = new Promise<void>((followed) => setTimeout((resolve = followed), FOLLOW_TIMEOUT_MS));
    this.#followNow = followChanges(
      async (signal) => {
        await this.#opened.catch(() => {});
        return await send("/web/events", { signal, headers: { accept: "text/event-stream" } });
      },
      {
        ...listener,
        connected: (isConnected) => {
          resolve();
          listener.connected(isConnected);
        },
      },
    );
  }

  async logIn(token: string): Promise<void> {
    await openSession({ token });
    this.#opened = Promise.resolve();
    this.#followNow();
  }

  #request(method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const open = { ...options, id: ++this.#lastId, method, params, resolve, reject };
      if (options.isShared !== true) void this.#send([open]);
      else if (this.#shared.push(open) === 1) setTimeout(() => this.#sendShared());
    });
  }

  #sendShared(): void {
    while (this.#shared.length > 0) void this.#send(this.#shared.splice(0, MAX_TOGETHER));
  }

  async #send(calls: readonly Open[]): Promise<void> {
    let response: Response | undefined;
    const ended = new AbortController();
    const end = () => calls.every(({ signal }) => signal?.aborted) && ended.abort();
    for (const { signal } of calls) signal?.addEventListener("abort", end);
    const messages = calls.map(({ id, method, params }) => ({ jsonrpc: "2.0", id, method, params }));
    const reads = calls.some(({ onProgress }) => onProgress)
      ? "application/json, text/event-stream"
      : "application/json";
    try {
      await this.#opened;
      await this.#followed;
      response = await send("/mcp", {
        method: "POST",
        signal: ended.signal,
        headers: { "content-type": "application/json", accept: reads },
        body: JSON.stringify(messages.length === 1 ? messages[0] : messages),
      });
      await readReplies(response, calls);
      throw new CallFailure("unreachable", WORDS.brokenOff);
    } catch (error) {
      const isKnown = error instanceof CallFailure || ended.signal.aborted;
      const words = response === undefined ? PAGE_WORDS.offline : WORDS.brokenOff;
      // Answered calls keep their answers.
      for (const { reject } of calls) reject(isKnown ? error : new CallFailure("unreachable", words));
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
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly total?: number };
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: { readonly errorCode?: ErrorCode } };
}

async function readReplies(response: Response, calls: readonly Open[]): Promise<void> {
  if (!response.ok) throw await refusalOf(response);
  const take = ({ id, method, params, result, error }: RpcReply) => {
    if (method !== undefined) {
      const { progress: done, total } = params ?? {};
      for (const { onProgress } of calls) if (done !== undefined) onProgress?.({ done, total });
      return;
    }
    const call = calls.find((one) => one.id === id);
    if (error) call?.reject(new CallFailure("refused", error.message ?? WORDS.refused, error.data?.errorCode));
    else if (result !== undefined) call?.resolve(result);
  };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream) {
    for await (const { data } of readEvents(response)) if (data !== "") take(JSON.parse(data) as RpcReply);
  } else for (const reply of [(await response.json()) as RpcReply | RpcReply[]].flat()) take(reply);
}

async function refusalOf(response: Response): Promise<CallFailure> {
  const { status } = response;
  if (status === 401) return new CallFailure("login", PAGE_WORDS.loginNeeded);
  if (status >= 502 && status <= 504) return new CallFailure("unreachable", PAGE_WORDS.offline);
  if (status === 429) return new CallFailure("refused", PAGE_WORDS.tooMany);
  const { error }: RpcReply = await response.json().catch(() => ({}));
  return new CallFailure("refused", error?.message ?? WORDS.refused);
}
