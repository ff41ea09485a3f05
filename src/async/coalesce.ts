/** Merges calls: callers that arrive during a run share the next one. */
import { AsyncLocalStorage } from "node:async_hooks";
import { unlessAborted, loopTurn } from "./timers.js";

interface RunOptions<Progress> {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

const ofCall = new AsyncLocalStorage<(progress: never) => void>();

/** From every run that `work` joins. */
export function reportingTo<Result>(onProgress: (progress: never) => void, work: () => Result): Result {
  return ofCall.run(onProgress, work);
}

/** Goes on without its callers: later ones use the result. */
export class Run<Progress> {
  readonly #listeners = new Set<(progress: Progress) => void>();

  #latest: Progress | undefined;

  report(progress: Progress): void {
    this.#latest = progress;
    for (const listener of this.#listeners) listener(progress);
  }

  reportAgain(): void {
    if (this.#latest !== undefined) this.report(this.#latest);
  }

  async tell<Result>(listener: (progress: Progress) => void, promise: Promise<Result>): Promise<Result> {
    // Two callers may pass the same function.
    const own = (progress: Progress): void => listener(progress);
    this.#listeners.add(own);
    try {
      return await promise;
    } finally {
      this.#listeners.delete(own);
    }
  }
}

interface Waiting<Result, Progress> {
  readonly run: Run<Progress>;
  readonly result: Promise<Result>;
  /** Settles when the next caller may continue: one per turn of the event loop. */
  turn: Promise<unknown>;
}

export class Coalesced<Result, Progress> {
  readonly #work: (run: Run<Progress>) => Promise<Result>;
  #waiting: Waiting<Result, Progress> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #running: Run<Progress> | undefined;

  constructor(work: (run: Run<Progress>) => Promise<Result>) {
    this.#work = work;
  }

  /** Reports the progress of the awaited run too. @throws the signal's reason */
  async join({
    signal,
    onProgress = ofCall.getStore() as RunOptions<Progress>["onProgress"],
  }: RunOptions<Progress> = {}): Promise<Result> {
    signal?.throwIfAborted();
    this.#waiting ??= this.#enqueue();
    const { run, result, turn } = this.#waiting;
    this.#waiting.turn = turn.then(loopTurn);
    const shared = unlessAborted(
      turn.then(() => result),
      signal,
    );
    if (!onProgress) return shared;
    const told = run.tell(onProgress, shared);
    return this.#running ? this.#running.tell(onProgress, told) : told;
  }

  async idle(): Promise<void> {
    await this.#last;
  }

  #enqueue(): Waiting<Result, Progress> {
    const run = new Run<Progress>();
    const result = this.#last.then(async () => {
      this.#waiting = undefined;
      this.#running = run;
      try {
        return await this.#work(run);
      } finally {
        this.#running = undefined;
      }
    });
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return { run, result, turn: this.#last };
  }
}
