/** Work with a common key runs in order of arrival. */

export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Waits for all earlier work with any of `keys`. */
  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const earlier = keys.flatMap((key) => this.#tails.get(key) ?? []);
    const turn = this.#take(earlier, work);
    // Takes all keys in one step: callers cannot deadlock.
    for (const key of keys) this.#tails.set(key, turn);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (this.#tails.get(key) === turn) this.#tails.delete(key);
    }
  }

  async #take<Result>(earlier: readonly Promise<unknown>[], work: () => Promise<Result>): Promise<Result> {
    await Promise.allSettled(earlier);
    return await work();
  }
}
