/** Gives the event loop its turn in the middle of long work, so that a scan of a whole vault still answers `ping`. */
import { stopwatch } from "../clock.js";

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

/** Work by the slice: `if (slice.isOver) await slice.yield()` after each piece. Pieces of work that go on side by side may share one. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #since = stopwatch();
  #yielding: Promise<void> | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to `yield`. */
  get isOver(): boolean {
    return stopwatch() - this.#since > SLICE;
  }

  /** Lets the event loop turn once, then begins the next slice. @throws the signal's reason when it has been aborted */
  async yield(): Promise<void> {
    await (this.#yielding ??= loopTurn());
    this.#yielding = undefined;
    this.#signal?.throwIfAborted();
    this.#since = stopwatch();
  }
}

/** One turn of the event loop: what was sent before is heard, and others who wait for their turn get it. */
export function loopTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The same, but a process that has nothing else to do ends here: for work that only serves what may come. */
export function idleTurn(): Promise<void> {
  // An immediate that does not keep the process would wait for other input.
  return new Promise((resolve) => void setTimeout(resolve).unref());
}
