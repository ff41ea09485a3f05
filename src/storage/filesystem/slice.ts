/** Cuts long synchronous work into slices, so that the event loop turns and a long scan still answers `ping`. */
import { stopwatch } from "../../clock.js";

/** Milliseconds of work before others get their turn. */
const SLICE = 10;
/** Files between two looks at the clock, which costs a tenth of a look at a file. */
const LOOKS = 8;

export class Slice {
  #start = stopwatch();
  #looks = 0;

  /** Whether the slice is used up. To be asked after each file. */
  get over(): boolean {
    this.#looks = (this.#looks + 1) % LOOKS;
    return this.#looks === 0 && stopwatch() - this.#start > SLICE;
  }

  /** Lets the event loop turn once, then starts the next slice. @throws the signal's reason when it has been aborted */
  async next(signal?: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    this.#start = stopwatch();
  }
}
