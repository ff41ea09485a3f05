/** Lets others have their turn in the middle of long work, so that a search still answers `ping`. */
import { stopwatch } from "../clock.js";

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

export class Turn {
  readonly #signal: AbortSignal | undefined;
  #since = stopwatch();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be asked often: whether `give` is due. */
  get isOver(): boolean {
    return stopwatch() - this.#since > SLICE;
  }

  /** @throws the signal's reason when it has been aborted */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#since = stopwatch();
  }
}

/** The promise's value, unless the signal is aborted first. What stands behind the promise goes on: it serves whoever asks next. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}
