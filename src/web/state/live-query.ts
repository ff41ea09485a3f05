/** A question the page keeps asking: its latest answer stays on the page while a newer one is on its way. */
import { signal } from "@preact/signals";

export class LiveQuery<T> {
  readonly data = signal<T | undefined>(undefined);
  /** Why the latest try gave nothing; the data of an earlier one stays. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #isStale = false;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  /** Asks again. What is asked while an answer is on its way is asked once more after it, since that answer may be older. */
  refresh(): Promise<void> {
    this.#isStale = true;
    return (this.#running ??= this.#run());
  }

  end(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    while (this.#isStale && !this.#ended.signal.aborted) {
      this.#isStale = false;
      await this.#ask();
    }
    this.#running = undefined;
  }

  async #ask(): Promise<void> {
    const { signal } = this.#ended;
    try {
      const data = await this.#load(signal);
      if (signal.aborted) return;
      // News are of the whole vault: most of them change nothing here, and nothing is to be drawn anew then.
      if (JSON.stringify(data) !== JSON.stringify(this.data.peek())) this.data.value = data;
      this.failure.value = undefined;
    } catch (error) {
      if (!signal.aborted) this.failure.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}
