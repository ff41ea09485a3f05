/** The vaults one connection may use: the configured one, the allowed ones, and the one it works with now. */
import { VaultError } from "../errors.js";
import type { Vault } from "../vault/vault.js";
import type { Tasks } from "../tasks/service.js";

/** A vault with the services over it. */
export interface OpenVault {
  /** What answers call it: the folder as the caller or the configuration named it. */
  readonly name: string;
  /** The name Obsidian knows it by, its real folder's base name, for deep links; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  readonly vault: Vault;
  readonly tasks: Tasks;
}

/** What a tool may ask of its connection. */
export interface Workspace {
  /**
   * The vault this connection works with.
   * @throws VaultError VAULT_NOT_FOUND with the text of spec: tasks, section 7 before any vault is known, or saying why the
   *   configured one cannot be opened (which the next call tries again)
   */
  current(): Promise<OpenVault>;
  /**
   * The vault at a path (the configured one when undefined); becomes the current one where the connection may switch.
   * @throws VaultError VAULT_NOT_FOUND when missing, no folder or not allowed (spec: protocol, section 5), PERMISSION_DENIED
   *   when it is a folder that no vault can be
   */
  open(path: string | undefined): Promise<OpenVault>;
  /** Whether `scan_vault` may leave out its path. */
  readonly hasDefault: boolean;
}

/** How the program reaches vaults; the file system and its policy stand behind this. */
export interface VaultDoor {
  /**
   * The folder a path leads to: absolute, links followed, one spelling for one folder.
   * @throws VaultError VAULT_NOT_FOUND when it is missing, cannot be read or is no folder; the message does not echo the path
   */
  resolve(path: string): Promise<string>;
  /**
   * Opens the vault at a resolved folder; called once for each folder until it fails.
   * @param name what answers call it: the path as it was given
   * @throws VaultError VAULT_NOT_FOUND, or PERMISSION_DENIED for `/`, home folders and system folders
   */
  open(folder: string, name: string): Promise<OpenVault>;
}

export interface WorkspaceOptions {
  readonly door: VaultDoor;
  /** The configured vault's path. */
  readonly default?: string | undefined;
  /** Folders that may be scanned with what lies below them. With none of these and no default, every folder `door` opens may be. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether a scan of another vault makes it the current one (stdio), or is an answer only (stateless HTTP, the bridge). */
  readonly switches: boolean;
}

const NOT_INITIALIZED = "Vault not initialized. Please scan a vault first.";

/** The error of every tool but a scan before any vault is known; its wording is a document's. */
export function vaultNotInitialized(): VaultError {
  return new VaultError("VAULT_NOT_FOUND", NOT_INITIALIZED);
}

export function isVaultNotInitialized(error: VaultError): boolean {
  return error.message === NOT_INITIALIZED;
}

/** The workspace of one connection (spec: tasks, section 8). */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new ConnectionWorkspace(options);
}

class ConnectionWorkspace implements Workspace {
  readonly hasDefault: boolean;
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, Promise<OpenVault>>();
  /** The folder, resolved, that was scanned last. */
  #chosen: string | undefined;
  #default: Promise<OpenVault> | undefined;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.hasDefault = options.default !== undefined;
  }

  async current(): Promise<OpenVault> {
    const chosen = this.#chosen === undefined ? undefined : this.#opened.get(this.#chosen);
    if (chosen) return chosen;
    if (this.#options.default === undefined) throw vaultNotInitialized();
    this.#default ??= this.#openDefault(this.#options.default);
    return this.#default;
  }

  async open(path: string | undefined): Promise<OpenVault> {
    const wanted = path ?? this.#options.default;
    if (wanted === undefined) throw vaultNotInitialized();
    const folder = await this.#allowedFolder(wanted);
    const vault = await this.#openFolder(folder, wanted);
    if (this.#options.switches) this.#chosen = folder;
    return vault;
  }

  async #openDefault(path: string): Promise<OpenVault> {
    try {
      return await this.#openFolder(await this.#options.door.resolve(path), path);
    } catch (error) {
      this.#default = undefined;
      throw error;
    }
  }

  /** One vault for one folder, however many ask at once; a failure is not kept. */
  #openFolder(folder: string, name: string): Promise<OpenVault> {
    const known = this.#opened.get(folder);
    if (known) return known;
    const opening = this.#options.door.open(folder, name).catch((error: unknown) => {
      this.#opened.delete(folder);
      throw error;
    });
    this.#opened.set(folder, opening);
    return opening;
  }

  async #allowedFolder(path: string): Promise<string> {
    const { door } = this.#options;
    const roots = this.#roots();
    if (roots.length === 0 || path === this.#options.default) return door.resolve(path);
    const folders = (await Promise.allSettled(roots.map((root) => door.resolve(root))))
      .filter((result) => result.status === "fulfilled")
      .map((result) => result.value);
    const isWithin = (folder: string) => (root: string) => isBelow(folder, root);
    try {
      const folder = await door.resolve(path);
      if (folders.some(isWithin(folder))) return folder;
    } catch (error) {
      // Only below an allowed folder may the caller learn whether a folder exists.
      if (!/(^|[\\/])\.\.([\\/]|$)/.test(path) && [...roots, ...folders].some(isWithin(path))) throw error;
    }
    throw notAllowed();
  }

  #roots(): readonly string[] {
    const { allowed = [], default: configured } = this.#options;
    return configured === undefined ? allowed : [configured, ...allowed];
  }
}

function notAllowed(): VaultError {
  return new VaultError("VAULT_NOT_FOUND", "That folder is not one this server may use as a vault.", {
    hint: "Scan the configured vault (leave out vaultPath), or allow the folder when the server is started: --allow-vault <folder>.",
  });
}

/** Whether a folder is `root` or lies below it; `/` and `\` both part names. */
function isBelow(folder: string, root: string): boolean {
  if (!folder.startsWith(root)) return false;
  return folder.length === root.length || /[\\/]$/.test(root) || /[\\/]/.test(folder.charAt(root.length));
}
