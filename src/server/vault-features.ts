/** A vault's resources, subscriptions, prompts and completions in the protocol. */
import { fold } from "../text/fold.js";
import type { Workspace } from "../tools/workspace.js";
import { promptsFor } from "../prompts/registry.js";
import type { Feature, RpcResultBody } from "./dispatch.js";
import { servedPrompts, type Prompts } from "./prompt-methods.js";
import { invalidParams, isObject, type RpcParams } from "./rpc.js";
import type { Subscriptions } from "./subscriptions.js";
import { withTasksApp } from "./tasks-app.js";
import type { ToolFeatureOptions } from "./tool-methods.js";

interface VaultFeatureOptions extends Pick<ToolFeatureOptions, "tools" | "workspace" | "log" | "app"> {
  readonly subscriptions?: Subscriptions | undefined;
}

/** A server narrowed to tasks offers no notes as resources. */
export async function vaultFeatures(options: VaultFeatureOptions): Promise<readonly Feature[]> {
  const { tools, workspace, subscriptions, app } = options;
  const hasResources = tools.tools.some(({ toolset, alsoIn }) => ![toolset, ...alsoIn].includes("tasks"));
  const prompts = promptsFor(tools).length > 0 ? servedPrompts(options) : undefined;
  const sources = { prompts, resources: hasResources ? workspace : undefined };
  const completion: Feature["methods"] = { "completion/complete": (params) => completeArgument(params, sources) };
  const features = [
    ...(hasResources ? [resourceFeature(workspace, subscriptions)] : []),
    ...(prompts ? [promptFeature(prompts)] : []),
    ...(hasResources || prompts ? [{ capabilities: { completions: {} }, methods: completion }] : []),
  ];
  return app ? withTasksApp(features, app) : features;
}

/** A handshake needs only the fact that resources exist. */
const loadResources = () => import("./resource-methods.js");

function resourceFeature(workspace: Workspace, subscriptions: Subscriptions | undefined): Feature {
  const methods: Feature["methods"] = {
    "resources/list": async (...given) => (await loadResources()).listResources(workspace, ...given),
    "resources/templates/list": async () => (await loadResources()).listTemplates(workspace),
    "resources/read": async (...given) => (await loadResources()).readResource(workspace, ...given),
  };
  if (!subscriptions) return { capabilities: { resources: {} }, methods };
  return {
    capabilities: { resources: { subscribe: true } },
    methods: {
      ...methods,
      "resources/subscribe": async (...given) => {
        const { uri, path, vault } = await (await loadResources()).findResource(workspace, ...given);
        await subscriptions.add(vault, uri, path);
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

/** The protocol's limit. */
const MAX_VALUES = 100;

interface CompletionSources {
  readonly prompts: Prompts | undefined;
  /** Undefined where there are no resources. */
  readonly resources: Workspace | undefined;
}

/** @throws RpcFailure for an unknown prompt, template or argument */
export async function completeArgument(params: RpcParams, sources: CompletionSources): Promise<RpcResultBody> {
  const { ref, argument } = params;
  if (!isObject(ref) || !isObject(argument)) throw invalidParams('"ref" and "argument" must be objects.');
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string")
    throw invalidParams('"argument" needs "name" and "value", both texts.');
  return { completion: fitting(await valuesFor(ref, name, sources), value) };
}

async function valuesFor(
  { type, name: prompt, uri }: Readonly<Record<string, unknown>>,
  argument: string,
  { prompts, resources }: CompletionSources,
): Promise<readonly string[]> {
  if (type === "ref/prompt" && prompts) return prompts.values(prompt, argument);
  if (type !== "ref/resource" || !resources) throw invalidParams('"ref" is neither a prompt nor a resource template.');
  if (argument !== "path") throw invalidParams('the template has one argument, "path".');
  return (await loadResources()).resourcePaths(resources, uri);
}

/** Matches at the start first, then at the start of a word. Ignores case and accents. */
function fitting(values: readonly string[], typed: string): Record<string, unknown> {
  const wanted = fold(typed);
  const ranks: string[][] = [[], [], []];
  for (const value of values) {
    const folded = fold(value);
    const at = folded.indexOf(wanted);
    if (at < 0) continue;
    const rank = at === 0 ? 0 : /[\s/_.-]/.test(folded.charAt(at - 1)) ? 1 : 2;
    ranks[rank]?.push(value);
  }
  const fit = ranks.flat();
  return { values: fit.slice(0, MAX_VALUES), total: fit.length, hasMore: fit.length > MAX_VALUES };
}
