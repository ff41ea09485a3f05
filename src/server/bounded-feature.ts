/** Limits requests that are no tool calls: so many at a time, and none begun while unread answers fill the memory. */
import type { Semaphore } from "../async/semaphore.js";
import type { HasRoom } from "./calls.js";
import type { Feature, Method } from "./feature.js";
import { RpcFailure } from "./rpc.js";

const SERVER_BUSY = -32000;

/** A feature of which only so much runs at a time. @param hasRoom asked when a request's turn has come */
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
