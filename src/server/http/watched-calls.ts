/** Tool calls over HTTP, each of which is reported to whoever counts them. */
import type { ToolOutcome } from "../../tools/outcome.js";
import type { Tool, ToolContext } from "../../tools/tool.js";
import { Calls, type CallLimits, type HasRoom } from "../calls.js";

/** @param seconds from the request for the call to its answer, waiting included */
export type CallObserver = (tool: string, outcome: ToolOutcome, seconds: number) => void;

export class WatchedCalls extends Calls {
  readonly #observe: CallObserver;

  constructor(limits: CallLimits, hasRoom: HasRoom, observe: CallObserver) {
    super(limits, hasRoom);
    this.#observe = observe;
  }

  override async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    const begun = performance.now();
    const outcome = await super.run(tool, args, context);
    this.#observe(tool.name, outcome, (performance.now() - begun) / 1000);
    return outcome;
  }
}
