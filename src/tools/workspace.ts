/** The vaults one connection may use: the configured one, the allowed ones, and the one it works with now. */
import type { VaultRules } from "../access/rules.js";
import { VaultError } from "../errors.js";
import type { Files } from "../files/files.js";
import type { Links } from "../links/links.js";
import type { Vault } from "../vault/vault.js";
import type { Notes } from "../notes/notes.js";
import type { Tasks } from "../tasks/service.js";
import type { Log } from "../log.js";
import type { Progress } from "../index/refresh.js";

/** A vault with the services over it. */
export interface OpenVault {
  /** What answers call it: the folder as the caller or the configuration named it. */
  readonly name: string;
  /** The name Obsidian knows it by (the base name of its real folder), for deep links; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  readonly vault: Vault;
  readonly tasks: Tasks;
  readonly notes: Notes;
  readonly files: Files;
  readonly links: Links;
}

/** What a tool may ask of its connection. */
export interface Workspace {
  /**
   * The vault this connection works with.
   * @throws VaultError VAULT_NOT_INITIALIZED with the text of docs: tasks, "Errors of these tools" before any vault is known, VAULT_NOT_FOUND saying
   *   why the configured one cannot be opened (which the next call tries again)
   */
  current(): Promise<OpenVault>;
  /**
   * The vault at a path (the configured one when undefined); becomes the current one where the connection may switch.
   * @throws VaultError as `VaultOpener` does
   */
  open(path: string | undefined): Promise<OpenVault>;
  /** Whether `scan_vault` may leave out its path. */
  readonly hasDefault: boolean;
  /** Whether its vaults are changed by several callers with names of their own, so that the last change may be another's. */
  readonly isShared?: boolean;
}

/** How the program reaches vaults; behind it are the file system and the policy which folders may be vaults. */
export interface VaultOpener {
  /**
   * The folder a path leads to, checked: absolute, links followed, so that two spellings of one folder give one text.
   * Opens nothing and makes nothing.
   * @throws VaultError VAULT_NOT_FOUND when it is missing, no folder, or none that may be used (docs: tasks, "Vaults"; protocol, "Errors"), PERMISSION_DENIED when it cannot be looked at
   */
  resolve(path: string): Promise<string>;
  /**
   * Opens the vault at a resolved folder; called once for each folder until it fails.
   * @param name what answers call it: the path as it was given
   * @param access rules of the caller, besides those of the server
   */
  open(folder: string, name: string, access?: readonly VaultRules[]): Promise<OpenVault>;
}

export interface WorkspaceOptions {
  readonly door: VaultOpener;
  /** The configured vault's path. */
  readonly default?: string | undefined;
  /** Whether scanning another vault makes it the current one (stdio), or only answers (stateless HTTP, the bridge). */
  readonly switches: boolean;
  /** Rules of the callers, besides those of the server. */
  readonly access?: readonly VaultRules[] | undefined;
  /** Whether several callers with names of their own share it; default false. */
  readonly isShared?: boolean | undefined;
}

/** The workspace of one connection (docs: tasks, "Vaults"). */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new ConnectionWorkspace(options);
}

class ConnectionWorkspace implements Workspace {
  readonly hasDefault: boolean;
  readonly isShared: boolean;
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, Promise<OpenVault>>();
  /** The path that was scanned last. */
  #chosen: string | undefined;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.hasDefault = options.default !== undefined;
    this.isShared = options.isShared ?? false;
  }

  async current(): Promise<OpenVault> {
    return this.#at(this.#chosen ?? this.#options.default);
  }

  async open(path: string | undefined): Promise<OpenVault> {
    const wanted = path ?? this.#options.default;
    const vault = await this.#at(wanted);
    if (this.#options.switches) this.#chosen = wanted;
    return vault;
  }

  /** The path is resolved each time: a link in it may lead elsewhere by now, and a process started now would follow it. */
  async #at(path: string | undefined): Promise<OpenVault> {
    if (path === undefined)
      throw new VaultError("VAULT_NOT_INITIALIZED", "Vault not initialized. Please scan a vault first.");
    return this.#openFolder(await this.#options.door.resolve(path), path);
  }

  /** One vault for one folder, however many ask at once; a failure is not kept. */
  #openFolder(folder: string, name: string): Promise<OpenVault> {
    const known = this.#opened.get(folder);
    if (known) return known;
    const opening = this.#options.door.open(folder, name, this.#options.access).catch((error: unknown) => {
      this.#opened.delete(folder);
      throw error;
    });
    this.#opened.set(folder, opening);
    return opening;
  }
}

/** What a call gets besides its arguments. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
