/** The App's carrier: calls tools through the host, and reports each change to the model (docs: mcp-app, "The App"). */
import {
  CallFailure,
  type Carrier,
  type CarrierOptions,
  type NewsListener,
  type ToolAnswers,
  type ToolArguments,
  type ToolName,
} from "../carrier/carrier.js";
import { structuredOf } from "../carrier/rpc-answer.js";
import { WORDS } from "../words.js";
import { changeTold } from "./change-told.js";
import type { Host } from "./host.js";

export class HostCarrier implements Carrier {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async callTool<Name extends ToolName>(
    name: Name,
    args: ToolArguments,
    { signal }: CarrierOptions = {},
  ): Promise<ToolAnswers[Name]> {
    if (!this.#host.carriesCalls) throw new CallFailure("refused", WORDS.showsOnly);
    const result = await this.#host.request("tools/call", { name, arguments: args }, signal);
    const answer = structuredOf(result) as ToolAnswers[Name];
    const told = changeTold(name, answer);
    if (told !== undefined) this.#host.tellModel(told);
    return answer;
  }

  async offeredTools(): Promise<ReadonlySet<string>> {
    return this.#host.carriesCalls ? this.#host.offered : new Set();
  }

  /** Hosts report no changes of the vault, so the data is read again when the document becomes visible. */
  follow(listener: NewsListener): () => void {
    const looked = () => {
      if (document.visibilityState === "visible" && this.#host.carriesCalls) listener.changed();
    };
    document.addEventListener("visibilitychange", looked);
    return () => document.removeEventListener("visibilitychange", looked);
  }
}
