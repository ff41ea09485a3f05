/** Cuts long synchronous work into slices, so that the event loop turns and a long scan still answers `ping`. */

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

export class Slice {
  #start = performance.now();

  /** Whether the slice is used up. */
  get over(): boolean {
    return performance.now() - this.#start > SLICE;
  }

  /** Lets the event loop turn once, then starts the next slice. @throws the signal's reason when it has been aborted */
  async next(signal?: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    this.#start = performance.now();
  }
}
