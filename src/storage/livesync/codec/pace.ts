/** Gives the event loop its turn in the middle of long decoding, so that a first reading of a big vault still answers `ping`. */

/** So many characters are decrypted in about ten milliseconds; a chunk costs about as much as so many characters by being one. */
const BUDGET = 400_000;
const A_PIECE = 2_000;

export class Pace {
  #left = BUDGET;

  /** Counts a piece of work; whether a turn is due. */
  spend(characters: number): boolean {
    this.#left -= characters + A_PIECE;
    return this.#left <= 0;
  }

  async turn(): Promise<void> {
    this.#left = BUDGET;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
