/** Open requests: their memory, and when all but streams have ended. */
import type { ServerResponse } from "node:http";
import { type Refusal, unavailable } from "./refusal.js";

export interface OpenRequest {
  readonly response: ServerResponse;
  /** Bytes held. */
  body: number;
  isStream: boolean;
  /** For logs and metrics. */
  route: () => string;
}

export class Traffic {
  readonly #maxBytes: number;
  readonly #open = new Set<OpenRequest>();
  #waiting: (() => void)[] = [];

  /** @param maxBytes of all bodies and unread answers */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#open.size;
  }

  admit(response: ServerResponse): OpenRequest {
    const open: OpenRequest = { response, body: 0, isStream: false, route: () => "other" };
    this.#open.add(open);
    response.once("close", () => {
      this.#open.delete(open);
      this.#notifyIfAtRest();
    });
    return open;
  }

  hasRoom(bytes = 0): boolean {
    let held = bytes;
    for (const { body, response } of this.#open) held += body + response.writableLength;
    return held <= this.#maxBytes;
  }

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

export function tooBusy(): Refusal {
  return unavailable("Too busy", "The server holds as much as it may. Try again later.", 1);
}
