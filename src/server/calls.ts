/** Runs tool calls with limits on concurrency and time. */
import { loopTurn, unlessLate } from "../async/timers.js";
import { reportingTo } from "../async/coalesce.js";
import { VaultError } from "../errors.js";
import { failedOutcome, type ToolOutcome, traceOf, unforeseen } from "../tools/outcome.js";
import type { TimeLimit, Tool } from "../tools/tool.js";
import type { ToolContext } from "../tools/workspace.js";
import type { Semaphore } from "../async/turns.js";
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

  /** @param searches lower: searches must not delay other calls */
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

/** Whether unread answers leave room for another. */
export type HasRoom = () => boolean | Promise<boolean>;

/** @param seconds including the wait */
type CallObserver = (tool: string, outcome: ToolOutcome, seconds: number) => void;

/** For a reading call to notice the abort. */
const READER_GRACE_MS = 250;
/** For failures outside the tool. */
const OPENING = "❌ Error: ";

export class Calls {
  readonly #limits: CallLimits;
  readonly #hasRoom: HasRoom;
  readonly #observe: CallObserver | undefined;
  readonly #running = new Set<AbortController>();
  readonly #turns: CallTurns;
  #lastBegun: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #idle: (() => void)[] = [];

  constructor(limits: CallLimits = CALL_LIMITS, hasRoom: HasRoom = () => true, observe?: CallObserver) {
    this.#limits = limits;
    this.#observe = observe;
    this.#hasRoom = hasRoom;
    this.#turns = new CallTurns(limits.atOnce, limits.searchesAtOnce);
  }

  get size(): number {
    return this.#turns.taken + this.#turns.waiting;
  }

  /** Never rejects. An aborted call does not begin. */
  async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    const begun = performance.now();
    const outcome = await this.#runInTurn(tool, args, context);
    this.#observe?.(tool.name, outcome, (performance.now() - begun) / 1000);
    return outcome;
  }

  async #runInTurn(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    if (this.#turns.waiting >= this.#limits.waiting) {
      const error = new VaultError("UNAVAILABLE", "Too many calls are waiting.", {
        hint: "Wait for some answers first.",
      });
      return failedOutcome(error, OPENING);
    }
    await this.#turns.take(tool.limit);
    const refusal = await this.#refusal(context.signal);
    if (refusal) {
      this.#release(tool);
      return failedOutcome(refusal, OPENING);
    }
    const controller = new AbortController();
    this.#running.add(controller);
    const stop = () => controller.abort(context.signal.reason);
    context.signal.addEventListener("abort", stop, { once: true });
    const limit = idleLimit(this.#limits.callMs);
    const onProgress: ToolContext["onProgress"] = (progress) => {
      limit.renew();
      context.onProgress?.(progress);
    };
    const told = { ...context, signal: controller.signal, onProgress };
    const work = reportingTo(onProgress, () => settle(tool, args, told)).finally(() => {
      context.signal.removeEventListener("abort", stop);
      this.#running.delete(controller);
      this.#release(tool);
    });
    return this.#within(tool, work, controller, limit);
  }

  abort(): void {
    this.#isStopped = true;
    for (const controller of this.#running) controller.abort(SHUTTING_DOWN);
  }

  atRest(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  async #refusal(signal: AbortSignal): Promise<VaultError | undefined> {
    const hasRoom = await this.#hasRoom();
    await this.#ownLoopTurn();
    if (this.#isStopped) return SHUTTING_DOWN;
    if (signal.aborted) return new VaultError("SERVER_ERROR", "The call was cancelled.");
    return hasRoom ? undefined : NO_ROOM;
  }

  /** Calls that never wait would block everything else. */
  #ownLoopTurn(): Promise<void> {
    return (this.#lastBegun = this.#lastBegun.then(loopTurn));
  }

  #release(tool: Tool): void {
    this.#turns.release(tool.limit);
    if (this.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A change gets extra time: the answer then says what happened. */
  async #within(
    tool: Tool,
    work: Promise<ToolOutcome>,
    controller: AbortController,
    limit: ReturnType<typeof idleLimit>,
  ): Promise<ToolOutcome> {
    const { ms } = limit;
    const inTime = await limit.watch(work);
    if (inTime) return inTime;
    const late = timeout(ms, "It was stopped.");
    controller.abort(late);
    const grace = tool.effect === "reads" ? READER_GRACE_MS : this.#limits.graceMs;
    const outcome = await unlessLate(work, grace);
    if (outcome && (outcome.ok || outcome.error.code !== "SERVER_ERROR")) return outcome;
    if (outcome || tool.effect === "reads") return failedOutcome(late, OPENING);
    return failedOutcome(timeout(ms, "It may still be at work: look at the note before trying again."), OPENING);
  }
}

const SHUTTING_DOWN = new VaultError("UNAVAILABLE", "The server is shutting down.", { hint: "Start it again." });
const NO_ROOM = new VaultError("UNAVAILABLE", "The server holds as much as it may.", { hint: "Try again later." });

/** Only without progress: large vaults take long. */
function idleLimit(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  return {
    ms,
    renew: () => void timer?.refresh(),
    async watch<T>(promise: Promise<T>): Promise<T | undefined> {
      const expiry = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, ms, undefined);
      });
      try {
        return await Promise.race([promise, expiry]);
      } finally {
        clearTimeout(timer);
        timer = undefined;
      }
    },
  };
}

function timeout(ms: number, state: string): VaultError {
  const hint = "Try again, or ask for less.";
  return new VaultError("TIMEOUT", `The call made no progress for ${ms / 1000} seconds. ${state}`, { hint });
}

async function settle(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    return await tool.call(args, context);
  } catch (cause) {
    context.log.error("A tool threw", { tool: tool.name, cause: traceOf(cause) });
    return failedOutcome(unforeseen(cause), OPENING);
  }
}
