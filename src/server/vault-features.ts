/** A vault's resources, subscriptions, prompts and completions in the protocol. */
import type { Log } from "../log.js";
import type { ToolBox } from "../tools/registry.js";
import type { Workspace } from "../tools/workspace.js";
import { promptsFor } from "../prompts/registry.js";
import { complete } from "./completions.js";
import type { AppOffer } from "./app-offer.js";
import { type Feature, failureOf } from "./feature.js";
import { Prompts } from "./prompts.js";
import type { Resources } from "./resources.js";
import type { Subscriptions } from "./subscriptions.js";
import { withTasksApp } from "./tasks-app.js";

export interface VaultFeatureOptions {
  readonly tools: ToolBox;
  readonly workspace: Workspace;
  readonly log: Log;
  readonly subscriptions?: Subscriptions | undefined;
  readonly app?: AppOffer | undefined;
}

/** A server narrowed to tasks offers no notes as resources. */
export async function vaultFeatures(options: VaultFeatureOptions): Promise<readonly Feature[]> {
  const { tools, workspace, subscriptions, app } = options;
  const resources = tools.tools.some(({ toolset, alsoIn }) => ![toolset, ...alsoIn].includes("tasks"))
    ? lazyResources(workspace)
    : undefined;
  const prompts = promptsFor(tools).length > 0 ? new Prompts(options) : undefined;
  const features = [
    ...(resources ? [resourceFeature(resources, workspace, subscriptions)] : []),
    ...(prompts ? [promptFeature(prompts)] : []),
    ...(resources || prompts ? [completionFeature(prompts, resources)] : []),
  ];
  return app ? withTasksApp(features, app) : features;
}

/** A handshake only needs to know that resources exist. */
type LazyResources = () => Promise<Resources>;

function lazyResources(workspace: Workspace): LazyResources {
  let resources: Resources | undefined;
  return async () => {
    // A failed import may succeed later.
    const module = await import("./resources.js");
    return (resources ??= new module.Resources(workspace));
  };
}

function resourceFeature(
  resources: LazyResources,
  workspace: Workspace,
  subscriptions: Subscriptions | undefined,
): Feature {
  const methods: Feature["methods"] = {
    "resources/list": async (params, context) => (await resources()).list(params, context),
    "resources/templates/list": async () => (await resources()).templates(),
    "resources/read": async (params, context) => (await resources()).read(params, context),
  };
  if (!subscriptions) return { capabilities: { resources: {} }, methods };
  return {
    capabilities: { resources: { subscribe: true } },
    methods: {
      ...methods,
      "resources/subscribe": async (params, context) => {
        const { uri, path } = await (await resources()).pathOf(params, context);
        const { vault } = await workspace.current();
        await subscriptions.add(vault, uri, path).catch((error: unknown) => {
          throw failureOf(error);
        });
        return {};
      },
      "resources/unsubscribe": async ({ uri }) => {
        if (typeof uri === "string") subscriptions.remove(uri);
        return {};
      },
    },
  };
}

function promptFeature(prompts: Prompts): Feature {
  return {
    capabilities: { prompts: {} },
    methods: {
      "prompts/list": async (params) => prompts.list(params),
      "prompts/get": (params, context) => prompts.get(params, context),
    },
  };
}

function completionFeature(prompts: Prompts | undefined, resources: LazyResources | undefined): Feature {
  return {
    capabilities: { completions: {} },
    methods: { "completion/complete": async (params) => complete(params, { prompts, resources: await resources?.() }) },
  };
}
