/** Work that waits until answers are out: done once however often it is scheduled, and never keeps the process alive. */
export class Deferred {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** Does the work after so many milliseconds, unless it is already scheduled. */
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
