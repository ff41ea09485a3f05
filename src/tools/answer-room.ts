/** How much room an answer has left, line by line, so that no list outgrows what clients show. */
import { ANSWER_WEIGHT, weightOf } from "../text/answer-weight.js";

export class AnswerRoom {
  #left: number;
  #isEmpty = true;

  /** @param reserved the weight of the answer's other text */
  constructor(reserved = 0) {
    this.#left = ANSWER_WEIGHT - reserved;
  }

  /** The first of the items, up to `most`, whose lines fit; the first line of an answer always does. */
  fit<Item>(items: readonly Item[], lineOf: (item: Item, index: number) => string, most = Infinity): readonly Item[] {
    const fitting: Item[] = [];
    for (const [index, item] of items.entries()) {
      if (index >= most) break;
      this.#left -= weightOf(lineOf(item, index));
      if (this.#left < 0 && !this.#isEmpty) break;
      this.#isEmpty = false;
      fitting.push(item);
    }
    return fitting;
  }
}
