/** The vaults one connection may use: the configured one, the allowed ones, and the one it works with now. */
import type { Vault } from "../vault/vault.js";
import type { Tasks } from "../tasks/service.js";

/** A vault with the services over it. */
export interface OpenVault {
  /** What answers call it: the folder as the caller or the configuration named it. */
  readonly name: string;
  readonly vault: Vault;
  readonly tasks: Tasks;
}

export interface Workspace {
  /**
   * The vault this connection works with.
   * @throws VaultError VAULT_NOT_FOUND with the text of spec: tasks, section 7 before any vault is known, or saying why the
   *   configured one cannot be opened
   */
  current(): Promise<OpenVault>;
  /**
   * The vault at a path (the configured one when undefined); becomes the current one where the connection may switch.
   * @throws VaultError VAULT_NOT_FOUND when missing or no folder, PERMISSION_DENIED when not allowed
   */
  open(path: string | undefined): Promise<OpenVault>;
  /** Whether `scan_vault` may leave out its path. */
  readonly hasDefault: boolean;
}
