/** The requests that are being served: how much memory they hold, and when all but streams have ended. */
import type { ServerResponse } from "node:http";
import { Refusal } from "./refusal.js";

/** One request from its first byte to the end of its response. */
export class OpenRequest {
  readonly response: ServerResponse;
  /** Bytes of the body that are held. */
  body = 0;
  /** Whether the response is a stream that stays open until someone ends it. */
  isStream = false;
  /** The route as logs and metrics show it: without the caller's part. */
  route = (): string => "other";

  constructor(response: ServerResponse) {
    this.response = response;
  }
}

export class Traffic {
  readonly #maxBytes: number;
  readonly #open = new Set<OpenRequest>();
  #waiting: (() => void)[] = [];

  /** @param maxBytes of bodies and unread answers that may be held at a time, over all callers */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Requests that are being served, streams included. */
  get size(): number {
    return this.#open.size;
  }

  admit(response: ServerResponse): OpenRequest {
    const open = new OpenRequest(response);
    this.#open.add(open);
    response.once("close", () => {
      this.#open.delete(open);
      this.#notifyIfAtRest();
    });
    return open;
  }

  /** Whether this many bytes more may be held. */
  hasRoom(bytes = 0): boolean {
    let held = bytes;
    for (const { body, response } of this.#open) held += body + response.writableLength;
    return held <= this.#maxBytes;
  }

  /** Resolves when nothing is open but streams. */
  atRest(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#notifyIfAtRest();
    });
  }

  #notifyIfAtRest(): void {
    if (this.#waiting.length === 0 || [...this.#open].some(({ isStream }) => !isStream)) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The refusal while as much is held as may be. */
export function tooBusy(): Refusal {
  return new Refusal(503, "Too busy", "The server holds as much as it may. Try again later.", {
    headers: { "Retry-After": "1" },
  });
}
