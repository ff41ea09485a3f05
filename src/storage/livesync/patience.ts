/** How long a request may go without progress: every byte of an answer begins the time anew, so that a slow link is no fault. */

export class Patience {
  readonly #milliseconds: number;
  readonly #over = new AbortController();
  /** Aborts when the time is over, or when the caller's own signal does. */
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  constructor(milliseconds: number, signal: AbortSignal | undefined) {
    this.#milliseconds = milliseconds;
    this.signal = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal;
    this.#start();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Milliseconds. */
  get left(): number {
    return this.#since + this.#milliseconds - performance.now();
  }

  /** Something came. */
  moved(): void {
    if (this.isOver) return;
    this.end();
    this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), this.#milliseconds);
  }
}
