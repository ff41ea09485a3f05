/** One step of a journal: before its change is made, and as it is kept from then on. */
import { drawerOf, type StepRecord, type StepState } from "./record.js";
import type { JournalPlace } from "./store.js";

/** A step whose change has not been made yet. */
export class OpenStep {
  readonly kept: KeptStep;
  readonly #flushed: Promise<boolean>;

  constructor(kept: KeptStep, flushed: Promise<unknown>) {
    this.kept = kept;
    // Awaited when the change has been made, so that both go to disk at the same time.
    this.#flushed = flushed.then(
      () => true,
      () => false,
    );
  }

  /** @returns whether it is on disk */
  written(): Promise<boolean> {
    return this.#flushed;
  }

  /** The change was made. @returns whether it can be taken back from now on */
  async confirm(): Promise<boolean> {
    try {
      return (await this.#flushed) && this.kept.settle();
    } catch {
      return false;
    }
  }
}

/** A step as the journal holds it. */
export class KeptStep {
  readonly id: string;
  readonly record: StepRecord;
  readonly #image: Uint8Array | undefined;
  readonly #place: JournalPlace;
  #state: StepState;

  constructor(place: JournalPlace, id: string, state: StepState, record: StepRecord, image: Uint8Array | undefined) {
    this.#place = place;
    this.id = id;
    this.#state = state;
    this.record = record;
    this.#image = image;
  }

  get state(): StepState {
    return this.#state;
  }

  /** The file before. */
  get image(): Uint8Array {
    return this.#image ?? new Uint8Array();
  }

  /** Whether whoever made it has ended, so that nothing will come of it any more. */
  get isAbandoned(): boolean {
    return this.#place.hasEnded(this.record.maker, this.record.at);
  }

  /** Its change stands. @returns false when the step is gone */
  settle(): boolean {
    return this.#become("done");
  }

  /** It is being taken back. @returns takes the mark away again; undefined when another process has taken the step back, or is at it */
  markUndoing(): (() => void) | undefined {
    const state = this.#state;
    return this.#become("undo") ? () => void this.#become(state) : undefined;
  }

  /** As `drop`; where that fails, the next look at the step finds by the file that it is to be dropped. */
  dropQuietly(): void {
    try {
      this.drop();
    } catch {
      // See above.
    }
  }

  /** It never happened, or was taken back. */
  drop(): void {
    for (const state of ["open", "undo", "done"]) this.#place.remove(this.#drawer, `${this.id}.${state}`);
  }

  get #drawer(): string {
    return drawerOf(this.id);
  }

  #become(state: StepState): boolean {
    if (this.#state === state) return true;
    const isThere =
      this.#place.rename(this.#drawer, `${this.id}.${this.#state}`, `${this.id}.${state}`) ||
      // Another process has judged it already.
      (state === "done" && this.#place.read(this.#drawer, `${this.id}.done`) !== undefined);
    if (isThere) this.#state = state;
    return isThere;
  }
}
