/** The requests that are being served: how much memory they hold, and when all but lasting streams have ended. */
import { Refusal } from "./refusal.js";
import type { HttpExchange } from "./exchange.js";

/** Bytes of bodies and unread answers that may be held at a time, over all callers. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Traffic {
  readonly #most: number;
  readonly #open = new Set<HttpExchange>();
  #waiting: (() => void)[] = [];

  /** @param most bytes that may be held */
  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  /** Requests that are being served, streams included. */
  get size(): number {
    return this.#open.size;
  }

  admit(exchange: HttpExchange): void {
    this.#open.add(exchange);
    exchange.response.once("close", () => {
      this.#open.delete(exchange);
      this.#tellIfAtRest();
    });
  }

  /** Whether so many bytes more may be held. */
  hasRoom(bytes = 0): boolean {
    let held = bytes;
    for (const { body, response } of this.#open) held += body + response.writableLength;
    return held <= this.#most;
  }

  /** Resolves when nothing is open but streams that last. */
  atRest(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tellIfAtRest();
    });
  }

  #tellIfAtRest(): void {
    if (this.#waiting.length === 0 || [...this.#open].some(({ lasting }) => !lasting)) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The refusal while so much is held that nothing more may be. */
export function tooBusy(): Refusal {
  return new Refusal(503, "Too busy", "The server holds as much as it may. Try again later.", {
    headers: { "Retry-After": "1" },
    closes: true,
  });
}
