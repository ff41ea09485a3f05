/** Waits: time-outs, signals, delayed work, and turns of the event loop. */
import { stopwatch } from "../clock.js";

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Undefined when late. The work continues. */
export async function unlessLate<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the signal's reason. The work continues. */
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

/** Also by unreferenced timers. */
export async function keepAlive(promise: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => undefined, 1_000);
  try {
    await promise;
  } finally {
    clearInterval(timer);
  }
}

/** Runs once, however often scheduled. Does not keep the process alive. */
export class Deferred {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  in(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, milliseconds).unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const SLICE_MS = 10;
const MAX_WAIT_MS = 500;

/**
 * Call `if (slice.isOver) await slice.yield()` after each piece of work. Each turn of the loop continues the waiting
 * slice
 * with the least work so far: short calls overtake long ones.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  readonly #onYield: (() => void) | undefined;
  #since = stopwatch();
  #worked = 0;
  #yielding: Promise<void> | undefined;

  constructor(signal?: AbortSignal, onYield?: () => void) {
    this.#signal = signal;
    this.#onYield = onYield;
  }

  get isOver(): boolean {
    return stopwatch() - this.#since > SLICE_MS;
  }

  /** @throws the signal's reason */
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

const waiting: { readonly due: number; readonly begin: () => void }[] = [];

function beginNext(): void {
  const first = waiting.reduce((best, { due }, at) => (due < (waiting[best]?.due ?? 0) ? at : best), 0);
  const [next] = waiting.splice(first, 1);
  if (waiting.length > 0) setImmediate(beginNext);
  next?.begin();
}

export function loopTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Lets waiting slices run first, up to a limit. Does not keep the process alive. */
export async function idleTurn(): Promise<void> {
  const since = stopwatch();
  do {
    // An unreferenced immediate would wait for other input.
    await new Promise((resolve) => void setTimeout(resolve).unref());
  } while (waiting.length > 0 && stopwatch() - since < MAX_WAIT_MS);
}
