/** A response of server-sent events, which disconnects slow readers. */
import type { ServerResponse } from "node:http";
import { messageText, type RpcMessage } from "../rpc.js";

/** Proxies close silent connections. */
const KEEP_ALIVE_MS = 15_000;
/** In bytes. */
const MAX_BACKLOG = 8 * 1024 * 1024;

/** Hono's streams do not report a reader's backlog. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    this.#timer = setInterval(() => this.#write(": keepalive\n\n"), KEEP_ALIVE_MS).unref();
    response.once("close", () => clearInterval(this.#timer));
  }

  send(message: RpcMessage): void {
    this.event("message", messageText(message));
  }

  /** @param data one line */
  event(name: string, data: string): void {
    this.#write(`event: ${name}\ndata: ${data}\n\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#response.writableLength > MAX_BACKLOG) this.#response.destroy();
    else this.#response.write(text);
  }
}
