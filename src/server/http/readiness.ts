/** Whether the vault is readable and indexed (docs: http, "Operations"). */
import { isVaultError } from "../../errors.js";
import { ROOT } from "../../storage/path.js";
import type { Log } from "../../log.js";
import type { Vault } from "../../vault/vault.js";
import { traceOf } from "../../tools/outcome.js";
import type { Workspace } from "../../tools/workspace.js";

/** Notes are served even without a readable journal. */
type JournalState = "kept" | "off" | "unreadable";

type Readiness =
  | { readonly status: "ready"; readonly journal: JournalState }
  | { readonly status: "not ready"; readonly reason: string };

const PROBE_TIMEOUT_MS = 1000;
const RESULT_TTL_MS = 1000;

const NOT_INDEXED: Readiness = { status: "not ready", reason: "The vault is being indexed." };
const SLOW: Readiness = { status: "not ready", reason: "The vault takes long to answer." };

interface ReadyOptions {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly keepsJournal: boolean;
  readonly onScan: (seconds: number) => void;
}

export class ReadyCheck {
  #checking: Promise<Readiness> | undefined;
  #last: { readonly found: Readiness; readonly at: number } | undefined;
  #index: { readonly notes: number; readonly at: number } | undefined;
  readonly #options: ReadyOptions;

  constructor(options: ReadyOptions) {
    this.#options = options;
  }

  index(): { readonly notes: number; readonly age: number } | undefined {
    return this.#index && { notes: this.#index.notes, age: (performance.now() - this.#index.at) / 1000 };
  }

  /** Never rejects. A late check continues for the next probe. */
  async check(): Promise<Readiness> {
    if (this.#last && performance.now() - this.#last.at < RESULT_TTL_MS) return this.#last.found;
    this.#checking ??= this.#run().then((found) => {
      this.#last = { found, at: performance.now() };
      this.#checking = undefined;
      return found;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Readiness>((resolve) => {
      timer = setTimeout(resolve, PROBE_TIMEOUT_MS, this.#meanwhile());
    });
    const found = await Promise.race([this.#checking, late]);
    clearTimeout(timer);
    return found;
  }

  #meanwhile(): Readiness {
    if (this.#last?.found.status === "not ready") return this.#last.found;
    return this.#index ? SLOW : NOT_INDEXED;
  }

  async #run(): Promise<Readiness> {
    const { workspace, log, onScan } = this.#options;
    try {
      const { vault } = await workspace.current();
      if (!(await vault.children(ROOT))) return { status: "not ready", reason: "The vault's folder is gone." };
      const begun = performance.now();
      const { noteCount: notes } = await vault.index.refresh();
      this.#index = { notes, at: performance.now() };
      onScan((this.#index.at - begun) / 1000);
      return { status: "ready", journal: await this.#journal(vault) };
    } catch (error) {
      if (isVaultError(error, "VAULT_NOT_INITIALIZED"))
        return { status: "not ready", reason: "No vault is configured." };
      log.warn("The vault is not ready", isVaultError(error) ? { code: error.code } : traceOf(error));
      return { status: "not ready", reason: isVaultError(error) ? error.code : "SERVER_ERROR" };
    }
  }

  async #journal(vault: Vault): Promise<JournalState> {
    if (!this.#options.keepsJournal) return "off";
    try {
      await vault.history.unfinished();
      return "kept";
    } catch {
      return "unreadable";
    }
  }
}
