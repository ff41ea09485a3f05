/** Whether the server can do its work: the vault can be read and is indexed (spec: http, section 4). */
import { isVaultError } from "../../errors.js";
import { ROOT } from "../../storage/path.js";
import type { Log } from "../../log.js";
import { traceOf } from "../../tools/outcome.js";
import type { Workspace } from "../../tools/workspace.js";
import { isVaultNotInitialized } from "../../tools/workspace.js";

export type Readiness =
  | { readonly status: "ready"; readonly notes: number }
  | { readonly status: "not ready"; readonly reason: string };

/** Milliseconds a probe waits for a look that is at work. */
const PATIENCE_MS = 1000;
/** Milliseconds for which a look counts: probes come every few seconds, from several sides. */
const FRESH_MS = 1000;

const NOT_INDEXED: Readiness = { status: "not ready", reason: "The vault is being indexed." };

export class ReadyCheck {
  readonly #workspace: Workspace;
  readonly #log: Log;
  #looking: Promise<Readiness> | undefined;
  #last: { readonly found: Readiness; readonly at: number } | undefined;

  constructor(workspace: Workspace, log: Log) {
    this.#workspace = workspace;
    this.#log = log;
  }

  /** Never rejects. A look that takes long goes on, and the next probe finds what came of it. */
  async check(): Promise<Readiness> {
    if (this.#last && performance.now() - this.#last.at < FRESH_MS) return this.#last.found;
    this.#looking ??= this.#look().then((found) => {
      this.#last = { found, at: performance.now() };
      this.#looking = undefined;
      return found;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Readiness>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, NOT_INDEXED);
    });
    const found = await Promise.race([this.#looking, late]);
    clearTimeout(timer);
    return found;
  }

  async #look(): Promise<Readiness> {
    try {
      const { vault } = await this.#workspace.current();
      const [children, view] = await Promise.all([vault.children(ROOT), vault.catalog.refresh()]);
      if (!children) return { status: "not ready", reason: "The vault's folder is gone." };
      return { status: "ready", notes: view.noteCount };
    } catch (error) {
      if (isVaultError(error) && isVaultNotInitialized(error))
        return { status: "not ready", reason: "No vault is configured." };
      this.#log.warn("The vault is not ready", isVaultError(error) ? { code: error.code } : traceOf(error));
      return { status: "not ready", reason: isVaultError(error) ? error.code : "SERVER_ERROR" };
    }
  }
}
