/** What an answer has room for, line by line, so that no list outgrows what clients show. */
import { ANSWER_WEIGHT, weightOf } from "../text/answer-weight.js";

export class AnswerRoom {
  #left: number;
  #isEmpty = true;

  /** @param reserved the weight of what stands there besides the lines */
  constructor(reserved = 0) {
    this.#left = ANSWER_WEIGHT - reserved;
  }

  /** The first of the items, at most so many, whose lines have room; the first line of an answer always has. */
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
