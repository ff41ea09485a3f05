/** Work in turns: in order of arrival for each key, or a limited number at a time. */
export class Semaphore {
  readonly #atOnce: number;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, most: number) {
    this.#atOnce = atOnce;
    this.#most = most;
  }

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
      // Jobs that never wait would block the event loop.
      if (next) setImmediate(next);
      else this.#running--;
    }
  }
}

/** Ends after all work, even if some fails. */
export async function inTurns<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const turns = new Semaphore(atOnce, Infinity);
  const all = Array.from(items, (item) => turns.run(() => work(item)));
  await Promise.allSettled(all);
  return await Promise.all(all);
}

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
