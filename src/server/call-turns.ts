/** Whose turn it is: so many calls at a time, of which so many searches, in the order they came as far as that allows. */
import type { TimeLimit } from "../tools/tool.js";

interface Waiting {
  /** Which of all calls it is, counted as they came. */
  readonly number: number;
  readonly begin: () => void;
}

export class CallTurns {
  readonly #most: Readonly<Record<TimeLimit | "all", number>>;
  readonly #taken = { call: 0, search: 0 };
  readonly #waiting: Readonly<Record<TimeLimit, Waiting[]>> = { call: [], search: [] };
  #came = 0;

  /** @param searches how many of all may be searches: other calls find a place however many searches there are */
  constructor(all: number, searches: number) {
    this.#most = { all, call: all, search: searches };
  }

  /** Calls whose turn it is. */
  get taken(): number {
    return this.#taken.call + this.#taken.search;
  }

  /** Calls that wait for theirs. */
  get waiting(): number {
    return this.#waiting.call.length + this.#waiting.search.length;
  }

  /** Resolves when it is the call's turn. */
  async take(kind: TimeLimit): Promise<void> {
    if (this.#hasPlace(kind)) this.#taken[kind]++;
    else await new Promise<void>((begin) => this.#waiting[kind].push({ number: this.#came++, begin }));
  }

  /** Ends a call's turn; the one that waits longest takes over. */
  release(kind: TimeLimit): void {
    this.#taken[kind]--;
    const next = this.#next();
    if (next === undefined) return;
    this.#taken[next]++;
    this.#waiting[next].shift()?.begin();
  }

  #hasPlace(kind: TimeLimit): boolean {
    return this.taken < this.#most.all && this.#taken[kind] < this.#most[kind];
  }

  #next(): TimeLimit | undefined {
    const [call, search] = [this.#first("call"), this.#first("search")];
    if (call === Infinity && search === Infinity) return undefined;
    return call < search ? "call" : "search";
  }

  #first(kind: TimeLimit): number {
    return this.#hasPlace(kind) ? (this.#waiting[kind][0]?.number ?? Infinity) : Infinity;
  }
}
