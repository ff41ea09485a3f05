/** Lets others have their turn in the middle of long work, so that a search still answers `ping`. */

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

export class Turn {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be asked often: whether `give` is due. */
  get isOver(): boolean {
    return performance.now() - this.#since > SLICE;
  }

  /** @throws the signal's reason when it has been aborted */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
