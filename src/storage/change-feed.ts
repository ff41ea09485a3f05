/** Delivers changes to each listener at its own pace. */
import type { Change } from "./storage.js";

/** A listener with more gets one `unsure`. */
const MAX_WAITING = 10_000;

export class ChangeFeed {
  readonly #listeners = new Set<Listener>();

  announce(change: Change): void {
    for (const listener of this.#listeners) listener.push(change);
  }

  listen(signal: AbortSignal): AsyncIterableIterator<Change> {
    const listener = new Listener(() => this.#listeners.delete(listener));
    if (signal.aborted) listener.end();
    else {
      this.#listeners.add(listener);
      signal.addEventListener("abort", () => listener.end(), { once: true });
    }
    return listener;
  }

  end(): void {
    for (const listener of this.#listeners) listener.end();
  }
}

class Listener implements AsyncIterableIterator<Change> {
  readonly #onEnd: () => void;
  readonly #waiting = new Map<string, Change>();
  #wake: ((result: IteratorResult<Change>) => void) | undefined;
  #ended = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(change: Change): void {
    if (this.#wake) {
      this.#wake({ value: change, done: false });
      this.#wake = undefined;
    } else if (change.kind === "unsure" || this.#waiting.size >= MAX_WAITING) {
      this.#waiting.clear();
      this.#waiting.set("", { kind: "unsure" });
    } else if (!this.#waiting.has("")) {
      this.#waiting.set(change.path, change);
    }
  }

  end(): void {
    this.#ended = true;
    this.#waiting.clear();
    this.#wake?.({ value: undefined, done: true });
    this.#wake = undefined;
    this.#onEnd();
  }

  next(): Promise<IteratorResult<Change>> {
    for (const [key, change] of this.#waiting) {
      this.#waiting.delete(key);
      return Promise.resolve({ value: change, done: false });
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  return(): Promise<IteratorResult<Change>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
