/** What limits calls over HTTP: so many at a time, none begun while unread answers fill the memory, each told to who counts them. */
import type { Semaphore } from "../../async/semaphore.js";
import { VaultError } from "../../errors.js";
import { failed, type ToolOutcome } from "../../tools/outcome.js";
import type { Tool, ToolContext } from "../../tools/tool.js";
import { Calls, type CallLimits } from "../calls.js";
import type { Feature, Method } from "../feature.js";
import { RpcFailure } from "../rpc.js";

/** @param seconds from the request for the call to its answer, waiting included */
export type CallObserver = (tool: string, outcome: ToolOutcome, seconds: number) => void;

/** Tool calls with someone who is told how each of them ended. */
export class WatchedCalls extends Calls {
  readonly #observe: CallObserver;
  readonly #hasRoom: () => boolean;

  /** @param hasRoom asked when a call's turn has come: whether one more answer may be made */
  constructor(limits: CallLimits, observe: CallObserver, hasRoom: () => boolean) {
    super(limits);
    this.#observe = observe;
    this.#hasRoom = hasRoom;
  }

  override async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    const begun = performance.now();
    const call: Tool["call"] = async (...about) =>
      this.#hasRoom() ? tool.call(...about) : failed(NO_ROOM, "❌ Error: ");
    const outcome = await super.run({ ...tool, call }, args, context);
    this.#observe(tool.name, outcome, (performance.now() - begun) / 1000);
    return outcome;
  }
}

const NO_ROOM = new VaultError("UNAVAILABLE", "The server holds as much as it may.", { hint: "Try again later." });

const SERVER_BUSY = -32000;

/**
 * A feature of which only so much runs at a time.
 * @param hasRoom asked when a request's turn has come: whether one more answer may be made
 */
export function boundedFeature({ capabilities, methods }: Feature, turns: Semaphore, hasRoom: () => boolean): Feature {
  const bounded = (method: Method): Method => {
    return async (params, context) => {
      if (turns.isFull) throw busy();
      return turns.run(async () => {
        if (!hasRoom() || context.signal.aborted) throw busy();
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
