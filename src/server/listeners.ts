/** Follows the resources that `subscriptions/listen` requests name (2026-07-28). */
import { traceOf } from "../tools/outcome.js";
import type { McpOptions } from "./sdk-server.js";
import { isObject, type RpcParams } from "./rpc.js";

export class Listeners {
  readonly #options: Pick<McpOptions, "dispatcher" | "subscriptions" | "log">;
  /** The resources of each request that listens. */
  readonly #open = new Set<readonly string[]>();

  constructor(options: Pick<McpOptions, "dispatcher" | "subscriptions" | "log">) {
    this.#options = options;
  }

  /** @returns what ends it; a resource is followed as long as any request listens to it */
  begin({ notifications }: RpcParams = {}): () => void {
    const wanted = isObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
    const uris = Array.isArray(wanted) ? wanted.filter((uri) => typeof uri === "string") : [];
    this.#open.add(uris);
    const { dispatcher, log } = this.#options;
    const context = { signal: new AbortController().signal, notify: () => {}, era: "modern" as const };
    for (const uri of uris)
      dispatcher
        .dispatch("resources/subscribe", { uri }, context)
        .catch((error: unknown) => log.debug("A resource cannot be followed", traceOf(error)));
    return () => this.#end(uris);
  }

  #end(ended: readonly string[]): void {
    if (!this.#open.delete(ended)) return;
    const still = new Set([...this.#open].flat());
    for (const uri of ended) if (!still.has(uri)) this.#options.subscriptions?.remove(uri);
  }
}
