/** Server-sent events. Disconnects slow readers and callers without valid credentials. */
import type { ServerResponse } from "node:http";
import { messageText, type RpcMessage } from "../rpc.js";

/** Proxies close silent connections. */
const KEEP_ALIVE_MS = 15_000;
/** Ends streams without events. */
const JUDGED_KEEP_ALIVE_MS = 5_000;
const MAX_BACKLOG = 8 * 1024 * 1024;

/** Before each event. A failure means no. */
export type MayListen = () => boolean | Promise<boolean>;

/** Hono's streams do not report a reader's backlog. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #mayListen: MayListen | undefined;
  readonly #timer: NodeJS.Timeout;
  #judging: Promise<void> = Promise.resolve();
  #unjudged = 0;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}, mayListen?: MayListen) {
    this.#response = response;
    this.#mayListen = mayListen;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    const pace = mayListen ? JUDGED_KEEP_ALIVE_MS : KEEP_ALIVE_MS;
    this.#timer = setInterval(() => this.#write(": keepalive\n\n"), pace).unref();
    response.once("close", () => clearInterval(this.#timer));
  }

  send(message: RpcMessage): void {
    this.event("message", messageText(message));
  }

  /** @param data one line */
  event(name: string, data: string): void {
    this.#write(`event: ${name}\ndata: ${data}\n\n`);
  }

  async forward(events: ReadableStream<Uint8Array>): Promise<void> {
    const reader = events.getReader();
    this.#response.once("close", () => void reader.cancel().catch(() => undefined));
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#write(next.value);
    await this.#judging;
    this.end();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
  }

  #write(event: string | Uint8Array): void {
    if (!this.#mayListen) return this.#put(event);
    this.#unjudged += event.length;
    this.#judging = this.#putIfAdmitted(event, this.#judging);
  }

  async #putIfAdmitted(event: string | Uint8Array, earlier: Promise<void>): Promise<void> {
    await earlier;
    const isAdmitted = this.#isOver || (await this.#isAdmitted());
    this.#unjudged -= event.length;
    if (isAdmitted) this.#put(event);
    else this.end();
  }

  async #isAdmitted(): Promise<boolean> {
    try {
      return (await this.#mayListen?.()) !== false;
    } catch {
      return false;
    }
  }

  #put(event: string | Uint8Array): void {
    if (this.#isOver) return;
    if (this.#response.writableLength + this.#unjudged > MAX_BACKLOG) this.#response.destroy();
    else this.#response.write(event);
  }

  get #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }
}
