/** Tries again at the next call after a failure, and leaves a longer pause after each that follows: until it is over the failure stands. */

/** The first failures are passing ones, as a rule. */
const FREE = 3;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

export class BackOff {
  #failures = 0;
  #until = -Infinity;
  #error: unknown;

  /** @throws what the work throws, or has thrown a moment ago */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (performance.now() < this.#until) throw this.#error;
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#error = error;
      const pause = FIRST_PAUSE * 2 ** (++this.#failures - FREE);
      if (this.#failures >= FREE) this.#until = performance.now() + Math.min(pause, LONGEST_PAUSE);
      throw error;
    }
  }
}
