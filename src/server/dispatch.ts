/** Dispatches the methods of every transport. */
import type { Feature, Method, RequestContext, RpcResultBody } from "./feature.js";
import { echo, METHOD_NOT_FOUND, RpcFailure, type RpcParams } from "./rpc.js";

const PING: Feature = { capabilities: {}, methods: { ping: async () => ({}) } };

export class Dispatcher {
  readonly #first: readonly Feature[];
  readonly #loadOthers: () => Promise<readonly Feature[]>;
  #others: Promise<readonly Feature[]> | undefined;

  /**
   * @param first the methods of one-shot calls
   * @param loadOthers features that only sessions need
   */
  constructor(first: Feature, loadOthers: () => Promise<readonly Feature[]> = async () => []) {
    this.#first = [PING, first];
    this.#loadOthers = loadOthers;
  }

  async capabilities(): Promise<Feature["capabilities"]> {
    const others = await this.#restOfFeatures();
    return Object.assign({}, ...[...this.#first, ...others].map((feature) => feature.capabilities));
  }

  async knows(method: string): Promise<boolean> {
    return (methodOf(this.#first, method) ?? methodOf(await this.#restOfFeatures(), method)) !== undefined;
  }

  /** @throws RpcFailure also for an unknown method */
  async dispatch(method: string, params: RpcParams, context: RequestContext): Promise<RpcResultBody> {
    const answer = methodOf(this.#first, method) ?? methodOf(await this.#restOfFeatures(), method);
    if (!answer) throw new RpcFailure(METHOD_NOT_FOUND, `Method not found: ${echo(method)}`);
    return answer(params, context);
  }

  #restOfFeatures(): Promise<readonly Feature[]> {
    return (this.#others ??= this.#loadOthers());
  }
}

function methodOf(features: readonly Feature[], method: string): Method | undefined {
  const feature = features.find(({ methods }) => Object.hasOwn(methods, method));
  return feature?.methods[method];
}
