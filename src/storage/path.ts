/** VaultPath: the one constructor that makes a path inside the vault from user text, and every rule about names. */
import { VaultError } from "../errors.js";

/** A path below the vault: segments joined by `/`, NFC as given, no `..`, nothing hidden unless allowed. `ROOT` is the vault itself. */
export type VaultPath = string & { readonly __brand: "VaultPath" };

export const ROOT = "" as VaultPath;

export interface PathRules {
  /** Accept segments that begin with a dot (`--allow-hidden`); default false. */
  readonly allowHidden?: boolean;
}

/**
 * Makes a vault path from user text. A leading `/` means the vault's root.
 * @throws VaultError PERMISSION_DENIED when the path leaves the vault or is hidden, INVALID_ARGUMENT when it is no path;
 *   neither echoes the text
 */
export function vaultPath(text: string, rules: PathRules = {}): VaultPath {
  void text;
  void rules;
  throw new VaultError("SERVER_ERROR", "not written yet");
}
