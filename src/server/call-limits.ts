/** Limits on concurrent calls. */
import type { Semaphore } from "../async/turns.js";
import type { TimeLimit } from "../tools/tool.js";
import type { Feature, Method } from "./dispatch.js";
import { RpcFailure } from "./rpc.js";

interface Waiting {
  readonly number: number;
  readonly begin: () => void;
}

/** In order of arrival. */
export class CallTurns {
  readonly #limits: Readonly<Record<TimeLimit | "all", number>>;
  readonly #taken = { call: 0, search: 0 };
  readonly #waiting: Readonly<Record<TimeLimit, Waiting[]>> = { call: [], search: [] };
  #arrived = 0;

  /** @param searches lower, so that searches do not delay other calls */
  constructor(all: number, searches: number) {
    this.#limits = { all, call: all, search: searches };
  }

  get taken(): number {
    return this.#taken.call + this.#taken.search;
  }

  get waiting(): number {
    return this.#waiting.call.length + this.#waiting.search.length;
  }

  async take(kind: TimeLimit): Promise<void> {
    if (this.#isFree(kind)) this.#taken[kind]++;
    else await new Promise<void>((begin) => this.#waiting[kind].push({ number: this.#arrived++, begin }));
  }

  release(kind: TimeLimit): void {
    this.#taken[kind]--;
    const next = this.#next();
    if (next === undefined) return;
    this.#taken[next]++;
    this.#waiting[next].shift()?.begin();
  }

  #isFree(kind: TimeLimit): boolean {
    return this.taken < this.#limits.all && this.#taken[kind] < this.#limits[kind];
  }

  #next(): TimeLimit | undefined {
    const [call, search] = [this.#first("call"), this.#first("search")];
    if (call === Infinity && search === Infinity) return undefined;
    return call < search ? "call" : "search";
  }

  #first(kind: TimeLimit): number {
    return this.#isFree(kind) ? (this.#waiting[kind][0]?.number ?? Infinity) : Infinity;
  }
}

const SERVER_BUSY = -32000;

export function boundedFeature({ capabilities, methods }: Feature, turns: Semaphore, hasRoom: HasRoom): Feature {
  const bounded = (method: Method): Method => {
    return async (params, context) => {
      if (turns.isFull) throw busy();
      return turns.run(async () => {
        if (!(await hasRoom()) || context.signal.aborted) throw busy();
        return method(params, context);
      });
    };
  };
  const entries = Object.entries(methods).map(([name, method]) => [name, bounded(method)] as const);
  return { capabilities, methods: Object.fromEntries(entries) };
}

function busy(): RpcFailure {
  return new RpcFailure(SERVER_BUSY, "The server holds as much as it may. Try again later.", {
    errorCode: "UNAVAILABLE",
  });
}

/** Docs: protocol, "Errors". */
export const CALL_LIMITS = {
  /** Time without progress. */
  callMs: 30_000,
  /** For changing calls to finish. */
  graceMs: 30_000,
  atOnce: 16,
  searchesAtOnce: 8,
  waiting: 100_000,
};
export type CallLimits = Readonly<typeof CALL_LIMITS>;

/** Whether unread answers leave room for another; may wait. */
export type HasRoom = () => boolean | Promise<boolean>;
