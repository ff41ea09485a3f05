/** A repeatable query; its latest answer stays until a newer one arrives. */
import { signal } from "@preact/signals";

export class LiveQuery<T> {
  readonly data = signal<T | undefined>(undefined);
  /** Of the latest try; earlier data stays. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #isStale = false;
  #isBorrowed: boolean;

  /**
   * @param known an earlier answer to this question
   * @param borrowed shown while there is none; a failure drops it
   */
  constructor(load: (signal: AbortSignal) => Promise<T>, known?: T, borrowed?: T) {
    this.#load = load;
    this.data.value = known ?? borrowed;
    this.#isBorrowed = known === undefined;
  }

  /** Requests during a run cause one more run, because its answer may be outdated. */
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
      // Most changes in the vault leave the answer unchanged: nothing to redraw.
      if (JSON.stringify(data) !== JSON.stringify(this.data.peek())) this.data.value = data;
      this.#isBorrowed = false;
      this.failure.value = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (this.#isBorrowed) this.data.value = undefined;
      this.failure.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}
