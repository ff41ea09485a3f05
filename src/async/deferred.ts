/** Work that waits until answers are out: done once for however many ask for it, and never a reason for the process to live on. */
export class Deferred {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** Does the work in so many milliseconds, unless it is scheduled already. */
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
