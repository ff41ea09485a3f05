/** Who is asking, as far as the peer has said: in the 2025 era by `initialize`, later by each request (spec: web, section 7). */
import { isObject } from "./rpc.js";

export interface Peer {
  /** What its program calls itself. */
  readonly name: string | undefined;
  /** Extensions of the protocol it declares, by their names. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** From `clientInfo` and `capabilities`, which the SDK has checked; values of another form are ignored. */
export function peerOf(info: unknown, capabilities: unknown): Peer {
  const name = isObject(info) ? info["name"] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return { name: typeof name === "string" ? name : undefined, extensions: isObject(extensions) ? extensions : {} };
}
