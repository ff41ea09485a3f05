/** Lets pieces of work with a key in common run one after the other, in the order they came: the writers of one file in one process. */

export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` once everything that was queued before it under any of `keys` has settled. */
  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const earlier = keys.flatMap((key) => this.#tails.get(key) ?? []);
    const turn = this.#take(earlier, work);
    // All keys are taken in one step, so two pieces of work can never wait for each other.
    for (const key of keys) this.#tails.set(key, turn);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (this.#tails.get(key) === turn) this.#tails.delete(key);
    }
  }

  async #take<Result>(earlier: readonly Promise<unknown>[], work: () => Promise<Result>): Promise<Result> {
    // Whether earlier work failed is its own caller's business.
    await Promise.allSettled(earlier);
    return await work();
  }
}
