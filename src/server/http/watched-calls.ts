/** Tool calls with someone who is told how each of them ended. */
import { Calls, type CallLimits } from "../calls.js";
import type { ToolOutcome } from "../../tools/outcome.js";
import type { Tool, ToolContext } from "../../tools/tool.js";

/** @param seconds from the request for the call to its answer, waiting included */
export type CallObserver = (tool: string, outcome: ToolOutcome, seconds: number) => void;

export class WatchedCalls extends Calls {
  readonly #observe: CallObserver;

  constructor(limits: CallLimits, observe: CallObserver) {
    super(limits);
    this.#observe = observe;
  }

  override async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    const begun = performance.now();
    const outcome = await super.run(tool, args, context);
    this.#observe(tool.name, outcome, (performance.now() - begun) / 1000);
    return outcome;
  }
}
