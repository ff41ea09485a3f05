/** Lets callers that come while a run is under way share the next one, so that each answer began after its question. */

export interface RunOptions<Progress> {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** One run, as its work and its callers see it. */
export class Run<Progress> {
  readonly #callers = new Set<RunOptions<Progress>>();
  readonly #controller = new AbortController();

  /** Aborts when no caller is waiting any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  report(progress: Progress): void {
    for (const { onProgress } of this.#callers) onProgress?.(progress);
  }

  /** A caller's own view of the result: it leaves when its signal aborts, and the last to leave stops the run. */
  share<Result>(result: Promise<Result>, options: RunOptions<Progress>): Promise<Result> {
    const { signal } = options;
    this.#callers.add(options);
    if (!signal) return result;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#callers.delete(options);
        if (this.#callers.size === 0) this.#controller.abort(signal.reason);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", leave, { once: true });
      result.finally(() => signal.removeEventListener("abort", leave)).then(resolve, reject);
    });
  }
}

interface Waiting<Result, Progress> {
  readonly run: Run<Progress>;
  readonly result: Promise<Result>;
}

export class Coalesced<Result, Progress> {
  readonly #work: (run: Run<Progress>) => Promise<Result>;
  /** The run that has not begun yet: whoever comes now shares it. */
  #waiting: Waiting<Result, Progress> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(work: (run: Run<Progress>) => Promise<Result>) {
    this.#work = work;
  }

  /**
   * The result of a run that begins after this call; runs follow one another.
   * @throws the signal's reason once it aborts
   */
  async join(options: RunOptions<Progress> = {}): Promise<Result> {
    options.signal?.throwIfAborted();
    this.#waiting ??= this.#enqueue();
    const { run, result } = this.#waiting;
    return run.share(result, options);
  }

  /** Settles when every run so far has. */
  async idle(): Promise<void> {
    await this.#last;
  }

  #enqueue(): Waiting<Result, Progress> {
    const run = new Run<Progress>();
    const result = this.#last.then(() => {
      this.#waiting = undefined;
      run.signal.throwIfAborted();
      return this.#work(run);
    });
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return { run, result };
  }
}
