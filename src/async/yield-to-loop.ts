/** Yields to the event loop during long work, so that a server that scans a vault still answers `ping`. */
import { stopwatch } from "../clock.js";

/** Milliseconds of work before others get their turn. */
const SLICE = 10;
/** Milliseconds that idle work waits for other work. */
const MAX_WAIT_MS = 500;

/**
 * Time slicing: call `if (slice.isOver) await slice.yield()` after each piece of work. Concurrent pieces may share a slice. One
 * waiting slice continues per turn of the loop, the one with the least work so far first, so that short calls overtake long
 * ones.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  readonly #onYield: (() => void) | undefined;
  #since = stopwatch();
  /** Milliseconds of all slices so far. */
  #worked = 0;
  #yielding: Promise<void> | undefined;

  /** @param onYield called before each yield, to report that the work makes progress */
  constructor(signal?: AbortSignal, onYield?: () => void) {
    [this.#signal, this.#onYield] = [signal, onYield];
  }

  get isOver(): boolean {
    return stopwatch() - this.#since > SLICE;
  }

  /** Yields, then begins the next slice. @throws the signal's reason when it has been aborted */
  async yield(): Promise<void> {
    this.#onYield?.();
    await (this.#yielding ??= this.#nextSlice());
    this.#yielding = undefined;
    this.#signal?.throwIfAborted();
    this.#since = stopwatch();
  }

  #nextSlice(): Promise<void> {
    const now = stopwatch();
    this.#worked += now - this.#since;
    const due = now + Math.min(this.#worked, MAX_WAIT_MS);
    return new Promise((begin) => {
      waiting.push({ due, begin });
      if (waiting.length === 1) setImmediate(beginNext);
    });
  }
}

/** All work in this process that waits for its next slice. */
const waiting: { readonly due: number; readonly begin: () => void }[] = [];

function beginNext(): void {
  const first = waiting.reduce((best, { due }, at) => (due < (waiting[best]?.due ?? 0) ? at : best), 0);
  const [next] = waiting.splice(first, 1);
  if (waiting.length > 0) setImmediate(beginNext);
  next?.begin();
}

/** One turn of the event loop: reads pending input and runs other waiting work. */
export function loopTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** A turn for work that no caller waits for. Lets waiting slices run first, up to a limit. Does not keep the process alive. */
export async function idleTurn(): Promise<void> {
  const since = stopwatch();
  do {
    // An unreferenced immediate would wait for other input.
    await new Promise((resolve) => void setTimeout(resolve).unref());
  } while (waiting.length > 0 && stopwatch() - since < MAX_WAIT_MS);
}
