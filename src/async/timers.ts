/** Promises with a time-out or a signal, and delayed work. */

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
