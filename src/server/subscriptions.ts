/** The resources a peer follows (docs: notes-and-files, "Resources"). */
import { isVaultError } from "../errors.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import { traceOf } from "../tools/outcome.js";
import type { Vault } from "../vault/vault.js";
import { INVALID_PARAMS, RpcFailure } from "./rpc.js";

const MAX_SUBSCRIPTIONS = 1000;

/** A save causes several events. */
const SETTLE_MS = 100;

/** For unannounced changes. */
const CHECK_EVERY_MS = 800;

interface Followed {
  readonly path: VaultPath;
  /** At the last notice. */
  state: string;
}

export class Subscriptions {
  announce: (uri: string) => void = () => {};
  readonly #log: Log;
  readonly #followed = new Map<string, Followed>();
  #vault: Vault | undefined;
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  get size(): number {
    return this.#followed.size;
  }

  async add(vault: Vault, uri: string, path: VaultPath): Promise<void> {
    if (this.#followed.size >= MAX_SUBSCRIPTIONS && !this.#followed.has(uri))
      throw new RpcFailure(INVALID_PARAMS, `At most ${MAX_SUBSCRIPTIONS} resources can be subscribed to at a time.`);
    this.#follow(vault);
    this.#followed.set(uri, { path, state: await stateOf(vault, path) });
  }

  remove(uri: string): void {
    this.#followed.delete(uri);
    if (this.#followed.size === 0) this.close();
  }

  close(): void {
    this.#followed.clear();
    this.#stop?.();
    clearTimeout(this.#timer);
    this.#stop = this.#vault = this.#timer = undefined;
  }

  #follow(vault: Vault): void {
    if (this.#vault === vault) return;
    this.close();
    this.#vault = vault;
    this.#stop = vault.follow((change) => {
      if (change.kind === "unsure" || this.#concerns(change.path)) this.#lookIn(SETTLE_MS);
    });
    if (!this.#stop) this.#lookIn(CHECK_EVERY_MS);
  }

  #concerns(path: VaultPath): boolean {
    for (const followed of this.#followed.values()) if (followed.path === path) return true;
    return false;
  }

  #lookIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, ms).unref();
  }

  async #look(): Promise<void> {
    const vault = this.#vault;
    if (!vault) return;
    try {
      for (const [uri, followed] of this.#followed) {
        const state = await stateOf(vault, followed.path);
        if (state === followed.state || this.#followed.get(uri) !== followed) continue;
        followed.state = state;
        this.announce(uri);
      }
    } catch (error) {
      this.#log.debug("Subscribed resources could not be looked at", traceOf(error));
    }
    if (this.#vault === vault && !this.#stop) this.#lookIn(CHECK_EVERY_MS);
  }
}

/** Changes with the file. */
async function stateOf(vault: Vault, path: VaultPath): Promise<string> {
  try {
    return (await vault.stat(path)).stamp.join(" ");
  } catch (error) {
    if (isVaultError(error)) return error.code;
    throw error;
  }
}
