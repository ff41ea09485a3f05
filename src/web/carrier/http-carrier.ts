/** Carries calls to `/mcp`, and changes from `/web/events`. */
import { WORDS } from "../words.js";
import {
  CallFailure,
  type CarrierOptions,
  type Carrier,
  type NewsListener,
  type ToolAnswers,
  type ToolArguments,
  type ToolName,
} from "./carrier.js";
import { followNews } from "./news.js";
import { readRpcResult, structuredOf } from "./rpc-answer.js";
import { keptSession, keyHeaders, onSessionElsewhere, openSession } from "./session-key.js";

export class HttpCarrier implements Carrier {
  readonly session = keptSession;
  readonly #logins = new EventTarget();
  #lastId = 0;
  #ready: Promise<void>;

  /** @param code one-time code to log in with */
  constructor(code?: string) {
    this.#ready = code === undefined ? Promise.resolve() : openSession({ code });
    // The first call reports its failure.
    this.#ready.catch(() => {});
    onSessionElsewhere(() => this.#logins.dispatchEvent(new Event("login")));
  }

  async callTool<Name extends ToolName>(
    name: Name,
    args: ToolArguments,
    options: CarrierOptions = {},
  ): Promise<ToolAnswers[Name]> {
    const meta = options.onProgress ? { _meta: { progressToken: 1 } } : {};
    const result = await this.#request("tools/call", { name, arguments: args, ...meta }, options);
    return structuredOf(result) as ToolAnswers[Name];
  }

  async readFile(uri: string): Promise<Blob> {
    const { contents } = (await this.#request("resources/read", { uri })) as {
      readonly contents: readonly { readonly blob?: string; readonly text?: string; readonly mimeType?: string }[];
    };
    const { blob, text = "", mimeType = "" } = contents[0] ?? {};
    const bytes = blob === undefined ? text : Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
    return new Blob([bytes], { type: mimeType });
  }

  async offeredTools(): Promise<ReadonlySet<string>> {
    const { tools } = (await this.#request("tools/list", {})) as {
      readonly tools: readonly { readonly name: string }[];
    };
    return new Set(tools.map(({ name }) => name));
  }

  follow(listener: NewsListener): () => void {
    const open = async (signal: AbortSignal) => {
      await this.#ready.catch(() => {});
      return await fetch("/web/events", { signal, headers: { accept: "text/event-stream", ...keyHeaders() } });
    };
    return followNews({ open, logins: this.#logins }, listener);
  }

  async logIn(token: string): Promise<void> {
    await openSession({ token });
    this.#ready = Promise.resolve();
    this.#logins.dispatchEvent(new Event("login"));
  }

  async #request(method: string, params: object, options: CarrierOptions = {}): Promise<unknown> {
    await this.#ready;
    const { onProgress, signal = null } = options;
    const response = await fetch("/mcp", {
      method: "POST",
      signal,
      headers: {
        "content-type": "application/json",
        accept: onProgress ? "application/json, text/event-stream" : "application/json",
        ...keyHeaders(),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++this.#lastId, method, params }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new CallFailure("unreachable", WORDS.offline);
    });
    try {
      return await readRpcResult(response, options);
    } catch (error) {
      // The body ended early.
      if (error instanceof CallFailure || signal?.aborted) throw error;
      throw new CallFailure("unreachable", WORDS.brokenOff);
    }
  }
}
