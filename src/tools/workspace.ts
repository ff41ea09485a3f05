/** One connection's vaults: the configured one, the allowed ones, and the current one. */
import type { VaultRules } from "../access/rules.js";
import { type Speech } from "../text/wording.js";
import { VaultError } from "../errors.js";
import type { Attachments } from "../attachments/attachments.js";
import type { Files } from "../files/service.js";
import type { Links } from "../links/service.js";
import type { Vault } from "../vault/vault.js";
import type { Notes } from "../notes/service.js";
import type { Tasks } from "../tasks/service.js";
import type { Log } from "../log.js";
import type { Progress } from "../index/refresh.js";

export interface OpenVault {
  /** The folder as the caller or the configuration named it. */
  readonly name: string;
  /** Its name in Obsidian, the real folder's base name; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  readonly vault: Vault;
  readonly tasks: Tasks;
  readonly notes: Notes;
  readonly files: Files;
  readonly links: Links;
  readonly attachments: Pick<Attachments, "show">;
  /** It must be opened again, because it has its first access rules. */
  readonly isOutdated?: () => boolean;
}

export interface Workspace {
  /**
   * @throws VaultError VAULT_NOT_INITIALIZED before any vault is known (docs: tasks);
   * VAULT_NOT_FOUND when the configured one cannot be opened, which the next call retries
   */
  current(): Promise<OpenVault>;
  /** Undefined: the configured one. It becomes current if the connection may switch. */
  open(path: string | undefined): Promise<OpenVault>;
  /** Whether `scan_vault` may omit its path. */
  readonly hasDefault: boolean;
}

/** How the program opens vaults, and which folders may be vaults. */
export interface VaultOpener {
  /**
   * The real folder: absolute, links resolved. Creates nothing.
   * @throws VaultError VAULT_NOT_FOUND, PERMISSION_DENIED
   */
  resolve(path: string): Promise<string>;
  /**
   * Called once for each resolved folder until it fails.
   * @param name the path as given
   * @param access the caller's rules, besides the server's
   */
  open(folder: string, name: string, access?: readonly VaultRules[]): Promise<OpenVault>;
}

interface WorkspaceOptions {
  readonly opener: VaultOpener;
  /** The configured vault's path. */
  readonly default?: string | undefined;
  /** Whether a scanned vault becomes current: over stdio, not over stateless HTTP or the bridge. */
  readonly switches: boolean;
  /** The callers' rules, besides the server's. */
  readonly access?: readonly VaultRules[] | undefined;
}

/** Docs: tasks, "Vaults". */
export function createWorkspace({ opener, default: home, switches, access }: WorkspaceOptions): Workspace {
  const opened = new Map<string, Promise<OpenVault>>();
  /** The path scanned last. */
  let chosen: string | undefined;

  /** Resolved for each call: a link in the path may have changed. */
  async function at(path: string | undefined): Promise<OpenVault> {
    if (path === undefined)
      throw new VaultError("VAULT_NOT_INITIALIZED", "Vault not initialized. Please scan a vault first.");
    return openFolder(await opener.resolve(path), path);
  }

  /** One vault for a folder, also for concurrent callers; a failure is not stored. */
  async function openFolder(folder: string, name: string): Promise<OpenVault> {
    const known = opened.get(folder);
    if (known && (await known).isOutdated?.() !== true) return known;
    // Another caller may have reopened it. The former one stays usable.
    const renewed = opened.get(folder);
    if (renewed && renewed !== known) return renewed;
    const opening = opener.open(folder, name, access).catch((error: unknown) => {
      opened.delete(folder);
      throw error;
    });
    opened.set(folder, opening);
    return opening;
  }

  return {
    hasDefault: home !== undefined,
    current: () => at(chosen ?? home),
    async open(path = home) {
      const vault = await at(path);
      if (switches) chosen = path;
      return vault;
    },
  };
}

export interface ToolContext {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Default: that of tools. */
  readonly speech?: Speech | undefined;
  /** Tools that this caller does not have, for hints. */
  readonly isOff?: ((tool: string) => boolean) | undefined;
}
