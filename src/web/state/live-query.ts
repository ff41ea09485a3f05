/** A query that the page repeats: its latest answer stays on the page until a newer one arrives. */
import { signal } from "@preact/signals";

export class LiveQuery<T> {
  readonly data = signal<T | undefined>(undefined);
  /** The error of the latest try; the data of an earlier one stays. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #isStale = false;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  /** Repeats the query. Requests during a run cause one more run, since its answer may be older. */
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
      // Changes anywhere in the vault repeat the query, and most of them do not affect it: then nothing is drawn.
      if (JSON.stringify(data) !== JSON.stringify(this.data.peek())) this.data.value = data;
      this.failure.value = undefined;
    } catch (error) {
      if (!signal.aborted) this.failure.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}
