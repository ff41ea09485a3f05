/** Gives the event loop its turn in the middle of long work, so that a scan of a whole vault still answers `ping`. */
import { stopwatch } from "../clock.js";

/** Milliseconds of work before others get their turn. */
const SLICE = 10;
/** Milliseconds for which work may be passed over in favour of others. */
const MAX_WAIT_MS = 500;

/**
 * Work by the slice: `if (slice.isOver) await slice.yield()` after each piece. Pieces of work that go on side by side may share one.
 * Of all that wait for their next slice one gets it in each turn of the loop. Who has worked longer has to wait longer, so what is
 * soon done passes what takes long.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #since = stopwatch();
  /** Milliseconds of all slices so far. */
  #worked = 0;
  #yielding: Promise<void> | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to `yield`. */
  get isOver(): boolean {
    return stopwatch() - this.#since > SLICE;
  }

  /** Lets the event loop and others have their turns, then begins the next slice. @throws the signal's reason when it has been aborted */
  async yield(): Promise<void> {
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

/** All work of this process that waits for a slice: it has one event loop. */
const waiting: { readonly due: number; readonly begin: () => void }[] = [];

function beginNext(): void {
  const first = waiting.reduce((best, { due }, at) => (due < (waiting[best]?.due ?? 0) ? at : best), 0);
  const [next] = waiting.splice(first, 1);
  if (waiting.length > 0) setImmediate(beginNext);
  next?.begin();
}

/** One turn of the event loop: pending input is read, and others who wait for their turn get it. */
export function loopTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * A turn for work that only serves what may come: it lets pass whoever waits for a slice, up to a limit, so that no answer is late for
 * its sake. A process that has nothing else to do ends here.
 */
export async function idleTurn(): Promise<void> {
  const since = stopwatch();
  do {
    // An unreferenced immediate would wait for other input.
    await new Promise((resolve) => void setTimeout(resolve).unref());
  } while (waiting.length > 0 && stopwatch() - since < MAX_WAIT_MS);
}
