/** Whether the vault is readable and indexed (docs: http, "Operations"). */
import { unlessLate } from "../../async/timers.js";
import { isVaultError } from "../../errors.js";
import { ROOT } from "../../storage/path.js";
import type { Log } from "../../log.js";
import type { Vault } from "../../vault/vault.js";
import { traceOf } from "../../tools/outcome.js";
import type { Workspace } from "../../tools/workspace.js";

/** Without one, notes are still served. */
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

export type ReadyCheck = ReturnType<typeof readyCheck>;

export function readyCheck({ workspace, log, keepsJournal, onScan }: ReadyOptions) {
  let checking: Promise<Readiness> | undefined;
  let last: { readonly found: Readiness; readonly at: number } | undefined;
  let index: { readonly notes: number; readonly at: number } | undefined;

  function meanwhile(): Readiness {
    if (last?.found.status === "not ready") return last.found;
    return index ? SLOW : NOT_INDEXED;
  }

  async function run(): Promise<Readiness> {
    try {
      const { vault } = await workspace.current();
      if (!(await vault.children(ROOT))) return { status: "not ready", reason: "The vault's folder is gone." };
      const begun = performance.now();
      const { noteCount: notes } = await vault.index.refresh();
      index = { notes, at: performance.now() };
      onScan((index.at - begun) / 1000);
      return { status: "ready", journal: keepsJournal ? await journalOf(vault) : "off" };
    } catch (error) {
      if (isVaultError(error, "VAULT_NOT_INITIALIZED"))
        return { status: "not ready", reason: "No vault is configured." };
      log.warn("The vault is not ready", isVaultError(error) ? { code: error.code } : traceOf(error));
      return { status: "not ready", reason: isVaultError(error) ? error.code : "SERVER_ERROR" };
    }
  }

  return {
    /** Seconds. */
    index: () => index && { notes: index.notes, age: (performance.now() - index.at) / 1000 },
    /** Never rejects. A late check goes on. */
    async check(): Promise<Readiness> {
      if (last && performance.now() - last.at < RESULT_TTL_MS) return last.found;
      checking ??= run().then((found) => {
        last = { found, at: performance.now() };
        checking = undefined;
        return found;
      });
      const otherwise = meanwhile();
      return (await unlessLate(checking, PROBE_TIMEOUT_MS)) ?? otherwise;
    },
  };
}

async function journalOf(vault: Vault): Promise<JournalState> {
  try {
    await vault.history.unfinished();
    return "kept";
  } catch {
    return "unreadable";
  }
}
