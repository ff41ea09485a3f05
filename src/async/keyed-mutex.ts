/** Runs work with a common key one after the other, in order of arrival: the writers of one file in one process. */

export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when everything queued before it under any of `keys` has settled. */
  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const earlier = keys.flatMap((key) => this.#tails.get(key) ?? []);
    const turn = this.#take(earlier, work);
    // All keys are taken in one step, so two callers cannot deadlock.
    for (const key of keys) this.#tails.set(key, turn);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (this.#tails.get(key) === turn) this.#tails.delete(key);
    }
  }

  async #take<Result>(earlier: readonly Promise<unknown>[], work: () => Promise<Result>): Promise<Result> {
    // A failure of earlier work concerns only its own caller.
    await Promise.allSettled(earlier);
    return await work();
  }
}
