/** Gives the event loop its turn in the middle of long decoding, so that a first reading of a big vault still answers `ping`. */

/** So many characters are decrypted in about ten milliseconds; a text costs about as much as so many characters by being one. */
const BUDGET = 500_000;
const A_TEXT = 1_200;

export class Pace {
  #left = BUDGET;
  #turn: Promise<void> | undefined;

  /**
   * To be awaited after each piece of work, where it answers something. Work that goes on side by side shares one budget, and all
   * of it waits for the same turn.
   */
  spent(characters: number): Promise<void> | undefined {
    this.#left -= characters + A_TEXT;
    if (this.#left > 0) return undefined;
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#left = BUDGET;
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }
}
