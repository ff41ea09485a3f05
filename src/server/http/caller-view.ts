/** What each caller is offered. */
import { asCaller } from "../../async/caller.js";
import { putNewest } from "../../async/put-newest.js";
import type { VaultRules } from "../../access/rules.js";
import { narrowedTools, type ToolBox } from "../../tools/registry.js";
import type { Tool } from "../../tools/tool.js";
import { isOffered } from "../../tools/toolset.js";
import type { Workspace } from "../../tools/workspace.js";
import { boundedFeature, type HasRoom } from "../calls.js";
import { Dispatcher, type Feature } from "../dispatch.js";
import type { McpOptions } from "../sdk-server.js";
import { toolFeature, type ToolFeatureOptions } from "../tool-methods.js";
import { Subscriptions } from "../subscriptions.js";
import { ANYONE, callerId, type Caller } from "./guards.js";
import { Refusal } from "./refusal.js";
import { ALL_SCOPES, isOwner, type Scopes } from "./tokens.js";
import type { Semaphore } from "../../async/turns.js";

/** @param about without `subscriptions` where notices cannot reach the peer */
export type OtherFeatures = (about: {
  readonly tools: ToolBox;
  readonly subscriptions: Subscriptions | undefined;
}) => Promise<readonly Feature[]>;

export interface CallerViewOptions extends Omit<ToolFeatureOptions, "transport"> {
  readonly workspaceFor?: ((rules: readonly VaultRules[]) => Workspace) | undefined;
  readonly turns: Semaphore;
  readonly hasRoom: HasRoom;
  readonly version: string;
  readonly instructions: (tools: readonly Tool[], workspace: Workspace) => Promise<string>;
  /** Default: resources, prompts and completions. */
  readonly features?: OtherFeatures | undefined;
  /** For conformance fixtures. */
  readonly toolFeature?: ((options: ToolFeatureOptions) => Feature) | undefined;
}

type ProtocolEnd = McpOptions & { readonly subscriptions: Subscriptions };

export class CallerView {
  readonly tools: ToolBox;
  readonly workspace: Workspace;
  /** Gets no later notices. */
  readonly dispatcher: Dispatcher;
  /** For 2026-07-28. */
  readonly shared: ProtocolEnd;
  readonly #options: CallerViewOptions;
  readonly #scopes: Scopes;

  constructor(options: CallerViewOptions, caller: Caller) {
    this.#options = options;
    this.#scopes = caller.scopes;
    this.workspace = workspaceOf(options, caller);
    this.tools = inTheNameOf(caller, narrowed(options.tools, caller.scopes));
    this.dispatcher = this.#dispatcher(undefined);
    this.shared = this.newEnd();
  }

  missingScope(name: unknown): string | undefined {
    const tool = typeof name === "string" ? this.#options.tools.find(name) : undefined;
    return tool && missingScope(tool, this.#scopes);
  }

  newEnd(): ProtocolEnd {
    const { log, version } = this.#options;
    const subscriptions = new Subscriptions(log);
    const dispatcher = this.#dispatcher(subscriptions);
    const instructions = () => this.#options.instructions(this.tools.tools, this.workspace);
    return { dispatcher, subscriptions, log, version, instructions };
  }

  #dispatcher(subscriptions: Subscriptions | undefined): Dispatcher {
    const { calls, log, toolErrors, progress, hasRoom, app } = this.#options;
    const { tools, workspace } = this;
    const { features = vaultsOwn({ workspace, log, app }), toolFeature: makeFeature = toolFeature } = this.#options;
    return new Dispatcher(
      makeFeature({ tools, workspace, log, toolErrors, calls, progress, app, transport: "http" }),
      async () =>
        (await features({ tools, subscriptions })).map((feature) =>
          boundedFeature(feature, this.#options.turns, hasRoom),
        ),
    );
  }
}

/** @throws when access rules cannot be applied */
export function workspaceOf(
  { workspace, workspaceFor }: Pick<CallerViewOptions, "workspace" | "workspaceFor">,
  { scopes: { rules } }: Caller,
): Workspace {
  if (rules === undefined) return workspace;
  if (!workspaceFor) throw new Error("this server has no vaults under rules");
  return workspaceFor(rules);
}

function vaultsOwn({ workspace, log, app }: Pick<CallerViewOptions, "workspace" | "log" | "app">): OtherFeatures {
  return async (about) => {
    const { vaultFeatures } = await import("../vault-features.js");
    return vaultFeatures({ ...about, workspace, log, app });
  };
}

/** Drops the longest unused. */
export const MAX_VIEWS = 100;

export type CallerViews = (caller: Caller) => CallerView;

export function callerViews(options: CallerViewOptions): CallerViews {
  const made = new Map<string, CallerView>();
  return (caller) => {
    const id = callerId(caller);
    const view = made.get(id) ?? new CallerView(options, caller);
    putNewest(made, id, view, MAX_VIEWS);
    return view;
  };
}

/** Only the same token, or without tokens the user, may undo its changes. */
function inTheNameOf(caller: Caller, box: ToolBox): ToolBox {
  if (caller === ANYONE) return box;
  const named = (tool: Tool): Tool => ({
    ...tool,
    call: (...given) => asCaller({ owner: caller.name, seesAll: isOwner(caller.scopes) }, () => tool.call(...given)),
  });
  return {
    tools: box.tools.map(named),
    find(name) {
      const tool = box.find(name);
      return tool && named(tool);
    },
  };
}

function narrowed(box: ToolBox, scopes: Scopes): ToolBox {
  if (scopes === ALL_SCOPES) return box;
  return narrowedTools(box, (tool) => {
    const scope = missingScope(tool, scopes);
    return scope === undefined
      ? undefined
      : {
          message: `is not available: your token lacks the scope "${scope}".`,
          hint: "The owner of the server can add the scope to the token.",
        };
  });
}

/** The program can ask for the named scope. @throws Refusal 403 */
export function assertToolAskedFor({ caller, view }: CalledBy, name: unknown): void {
  const scope = view.missingScope(name);
  const challenge = scope === undefined ? undefined : caller.stepUp?.(scope);
  if (challenge === undefined) return;
  throw new Refusal(403, "Forbidden", `This tool needs the scope "${scope}".`, {
    headers: { "WWW-Authenticate": challenge },
  });
}

function missingScope(tool: Tool, { toolsets, tools, write }: Scopes): string | undefined {
  if (tools && !tools.includes(tool.name)) return tool.name;
  if (toolsets && !isOffered(tool, toolsets)) return tool.toolset;
  return write || tool.effect === "reads" ? undefined : "write";
}

export interface CalledBy {
  readonly caller: Caller;
  readonly view: CallerView;
}
