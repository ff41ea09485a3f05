/** Tool calls with someone who is told how each of them ended, none begun while unread answers fill the memory. */
import { VaultError } from "../../errors.js";
import { failed, type ToolOutcome } from "../../tools/outcome.js";
import type { Tool, ToolContext } from "../../tools/tool.js";
import { Calls, type CallLimits } from "../calls.js";

/** @param seconds from the request for the call to its answer, waiting included */
export type CallObserver = (tool: string, outcome: ToolOutcome, seconds: number) => void;

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
    const call: Tool["call"] = async (...about) => (this.#hasRoom() ? tool.call(...about) : failed(BUSY, "❌ Error: "));
    const outcome = await super.run({ ...tool, call }, args, context);
    this.#observe(tool.name, outcome, (performance.now() - begun) / 1000);
    return outcome;
  }
}

const BUSY = new VaultError("UNAVAILABLE", "The server holds as much as it may.", { hint: "Try again later." });
