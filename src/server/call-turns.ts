/** Whose turn it is: so many calls run at a time, of which so many are searches, in order of arrival as far as that allows. */
import type { TimeLimit } from "../tools/tool.js";

interface Waiting {
  /** Its number among all calls, in order of arrival. */
  readonly number: number;
  readonly begin: () => void;
}

export class CallTurns {
  readonly #most: Readonly<Record<TimeLimit | "all", number>>;
  readonly #taken = { call: 0, search: 0 };
  readonly #waiting: Readonly<Record<TimeLimit, Waiting[]>> = { call: [], search: [] };
  #came = 0;

  /** @param searches how many of them may be searches, so that other calls find a place however many searches there are */
  constructor(all: number, searches: number) {
    this.#most = { all, call: all, search: searches };
  }

  /** Calls that are running. */
  get taken(): number {
    return this.#taken.call + this.#taken.search;
  }

  /** Calls that are waiting. */
  get waiting(): number {
    return this.#waiting.call.length + this.#waiting.search.length;
  }

  /** Resolves when it is the call's turn. */
  async take(kind: TimeLimit): Promise<void> {
    if (this.#hasPlace(kind)) this.#taken[kind]++;
    else await new Promise<void>((begin) => this.#waiting[kind].push({ number: this.#came++, begin }));
  }

  /** Ends a call's turn; the call that waits longest takes its place. */
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
