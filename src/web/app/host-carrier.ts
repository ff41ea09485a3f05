/** Calls tools through the host, and reports changes to the model (docs: mcp-app, "The App"). */
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
    const told = changeSentence(name, answer);
    if (told !== undefined) this.#host.tellModel(told);
    return answer;
  }

  async offeredTools(): Promise<ReadonlySet<string>> {
    return this.#host.carriesCalls ? this.#host.offered : new Set();
  }

  /** Hosts report no vault changes: reads again when the document becomes visible. */
  follow(listener: NewsListener): () => void {
    const looked = () => {
      if (document.visibilityState === "visible" && this.#host.carriesCalls) listener.changed();
    };
    document.addEventListener("visibilitychange", looked);
    return () => document.removeEventListener("visibilitychange", looked);
  }
}

/** Describes a change for the model; undefined without one. */
type Teller<Name extends ToolName> = (answer: ToolAnswers[Name]) => string | undefined;

const TELLERS: { readonly [Name in ToolName]?: Teller<Name> } = {
  update_task: ({ changed, title, id, updatedFields, status, due }) => {
    if (!changed) return undefined;
    const now = [`status ${status}`, due === undefined ? "no due date" : `due ${due}`].join(", ");
    return `The user changed ${updatedFields.join(", ")} of the task "${title}" (id ${id}); now: ${now}.`;
  },
  add_tasks: ({ added }) =>
    added.length === 0 ? undefined : `The user added ${added.map(({ title }) => `"${title}"`).join(", ")}.`,
  undo_edit: ({ asked, undone }) => `The user took back the last ${undone} of ${asked}.`,
};

function changeSentence<Name extends ToolName>(name: Name, answer: ToolAnswers[Name]): string | undefined {
  const teller: Teller<Name> | undefined = TELLERS[name];
  return teller?.(answer);
}
