/** `completion/complete`: values for prompts and resource templates. */
import { fold } from "../text/fold.js";
import { type RpcResultBody, failureOf } from "./feature.js";
import type { Prompts } from "./prompts.js";
import type { Resources } from "./resources.js";
import { INVALID_PARAMS, RpcFailure, isObject, type RpcParams } from "./rpc.js";

/** The protocol's limit. */
const MAX_VALUES = 100;

export interface Sources {
  readonly prompts: Prompts | undefined;
  readonly resources: Resources | undefined;
}

/** @throws RpcFailure for an unknown prompt, template or argument */
export async function complete(params: RpcParams, sources: Sources): Promise<RpcResultBody> {
  const { ref, argument } = params;
  if (!isObject(ref) || !isObject(argument)) throw invalid('"ref" and "argument" must be objects.');
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string")
    throw invalid('"argument" needs "name" and "value", both texts.');
  try {
    return { completion: fitting(await valuesFor(ref, name, sources), value) };
  } catch (error) {
    throw failureOf(error);
  }
}

async function valuesFor(
  { type, name: prompt, uri }: Readonly<Record<string, unknown>>,
  argument: string,
  { prompts, resources }: Sources,
): Promise<readonly string[]> {
  if (type === "ref/prompt" && prompts) return prompts.values(prompt, argument);
  if (type !== "ref/resource" || !resources) throw invalid('"ref" is neither a prompt nor a resource template.');
  if (argument !== "path") throw invalid('the template has one argument, "path".');
  return resources.paths(uri);
}

/** Ranks matches at the start first, then at the start of a word. Ignores case and accents. */
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

function invalid(reason: string): RpcFailure {
  return new RpcFailure(INVALID_PARAMS, `Invalid params: ${reason}`);
}
