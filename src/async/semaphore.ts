/** Runs so many pieces of work at a time; others wait for their turn, up to a number. */

export class Semaphore {
  readonly #atOnce: number;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param most how many may wait */
  constructor(atOnce: number, most: number) {
    this.#atOnce = atOnce;
    this.#most = most;
  }

  /** Whether one more may wait. */
  get isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.length >= this.#most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // In a turn of the event loop of its own: work that never waits would otherwise block everything else.
      if (next) setImmediate(next);
      else this.#running--;
    }
  }
}
