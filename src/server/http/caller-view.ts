/** What each caller is offered: the server's tools narrowed by its scopes, and the other parts of the protocol over those tools. */
import { VaultError } from "../../errors.js";
import { asCaller } from "../../history/caller.js";
import type { Log } from "../../log.js";
import { failed } from "../../tools/outcome.js";
import type { ToolBox } from "../../tools/registry.js";
import type { Tool } from "../../tools/tool.js";
import { isOffered } from "../../tools/toolset.js";
import type { Workspace } from "../../tools/workspace.js";
import type { AppOffer } from "../app-offer.js";
import { boundedFeature } from "../bounded-feature.js";
import type { Calls, HasRoom } from "../calls.js";
import { Dispatcher } from "../dispatch.js";
import type { Feature } from "../feature.js";
import type { McpOptions } from "../sdk-server.js";
import type { ProgressPace } from "../progress.js";
import { Subscriptions } from "../subscriptions.js";
import { toolFeature, type ToolErrorStyle, type ToolFeatureOptions } from "../tools.js";
import { ANYONE, type Caller } from "./guards.js";
import { ALL_SCOPES, type Scopes } from "./tokens.js";
import type { Semaphore } from "../../async/semaphore.js";

/** The parts of the protocol besides tools; `subscriptions` is what one peer follows, missing where notices cannot reach the peer. */
export type OtherFeatures = (about: {
  readonly tools: ToolBox;
  readonly subscriptions: Subscriptions | undefined;
}) => Promise<readonly Feature[]>;

export interface CallerViewOptions {
  readonly tools: ToolBox;
  readonly workspace: Workspace;
  readonly calls: Calls;
  /** What all requests but tool calls share. */
  readonly turns: Semaphore;
  readonly hasRoom: HasRoom;
  readonly log: Log;
  readonly toolErrors: ToolErrorStyle;
  readonly progress?: ProgressPace | undefined;
  /** Undefined: there is no app, for nobody. */
  readonly app?: AppOffer | undefined;
  readonly version: string;
  readonly instructions: (tools: readonly Tool[]) => string;
  /** Default: resources, prompts and completions of the vault. */
  readonly features?: OtherFeatures | undefined;
  /** How tools are listed and called; default: as the protocol shows them. Conformance fixtures answer with more than text. */
  readonly toolFeature?: ((options: ToolFeatureOptions) => Feature) | undefined;
}

/** One protocol end: a session's, or the one that all requests without a session share. */
export interface ProtocolEnd {
  readonly mcp: McpOptions & { readonly subscriptions: Subscriptions };
}

export class CallerView {
  readonly tools: ToolBox;
  /** For single requests, whose callers can receive no notices later. */
  readonly dispatcher: Dispatcher;
  /** For 2026-07-28, where all listeners share one end. */
  readonly shared: ProtocolEnd;
  readonly #options: CallerViewOptions;
  readonly #instructions: string;

  constructor(options: CallerViewOptions, caller: Caller) {
    this.#options = options;
    this.tools = inTheNameOf(caller, narrowed(options.tools, caller.scopes));
    this.#instructions = options.instructions(this.tools.tools);
    this.dispatcher = this.#dispatcher(undefined);
    this.shared = this.newEnd();
  }

  newEnd(): ProtocolEnd {
    const { log, version } = this.#options;
    const subscriptions = new Subscriptions(log);
    const dispatcher = this.#dispatcher(subscriptions);
    return { mcp: { dispatcher, subscriptions, log, version, instructions: this.#instructions } };
  }

  #dispatcher(subscriptions: Subscriptions | undefined): Dispatcher {
    const { workspace, calls, log, toolErrors, progress, hasRoom, app } = this.#options;
    const { features = vaultsOwn(this.#options), toolFeature: tell = toolFeature } = this.#options;
    const { tools } = this;
    return new Dispatcher(tell({ tools, workspace, log, toolErrors, calls, progress, app }), async () =>
      (await features({ tools, subscriptions })).map((feature) =>
        boundedFeature(feature, this.#options.turns, hasRoom),
      ),
    );
  }
}

function vaultsOwn({ workspace, log, app }: CallerViewOptions): OtherFeatures {
  return async (about) => {
    const { vaultFeatures } = await import("../vault-features.js");
    return vaultFeatures({ ...about, workspace, log, app });
  };
}

/** One view for each caller, made when it first calls. */
export class CallerViews {
  readonly #options: CallerViewOptions;
  readonly #made = new Map<string, CallerView>();

  constructor(options: CallerViewOptions) {
    this.#options = options;
  }

  of(caller: Caller): CallerView {
    const made = this.#made.get(caller.name);
    if (made) return made;
    const view = new CallerView(this.#options, caller);
    this.#made.set(caller.name, view);
    return view;
  }
}

/** Changes are marked as the token's, which alone may undo them; without tokens all changes are the user's. */
function inTheNameOf(caller: Caller, box: ToolBox): ToolBox {
  if (caller === ANYONE) return box;
  const named = (tool: Tool): Tool => ({
    ...tool,
    call: (...given) => asCaller(caller.name, () => tool.call(...given)),
  });
  return {
    tools: box.tools.map(named),
    find(name) {
      const tool = box.find(name);
      return tool && named(tool);
    },
  };
}

/** The tools that the scopes allow; the others are refused by name, as the registry refuses tools that are switched off. */
export function narrowed(box: ToolBox, scopes: Scopes): ToolBox {
  if (scopes === ALL_SCOPES) return box;
  return {
    tools: box.tools.filter((tool) => lacking(tool, scopes) === undefined),
    find(name) {
      const tool = box.find(name);
      const scope = tool && lacking(tool, scopes);
      return tool && scope !== undefined ? refusing(tool, scope) : tool;
    },
  };
}

/** The scope a tool needs and the caller lacks. */
function lacking(tool: Tool, { toolsets, write }: Scopes): string | undefined {
  if (toolsets && !isOffered(tool, toolsets)) return tool.toolset;
  return write || tool.effect === "reads" ? undefined : "write";
}

function refusing(tool: Tool, scope: string): Tool {
  const error = new VaultError(
    "PERMISSION_DENIED",
    `${tool.name} is not available: your token lacks the scope "${scope}".`,
    {
      hint: "Whoever runs the server can add the scope to the token.",
    },
  );
  return { ...tool, call: async () => failed(error, "❌ Error: ") };
}
