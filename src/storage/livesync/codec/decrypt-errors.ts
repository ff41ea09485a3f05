/** What is said when something encrypted cannot be opened: never the text, never the passphrase (spec: livesync, section 7). */
import { VaultError } from "../../../errors.js";
import { Sealed } from "./cipher.js";

const CHECK = "Check the passphrase (VAULT_PASSPHRASE, or the Setup URI) against that of LiveSync in Obsidian.";

/** Something is encrypted and there is no passphrase. */
export function encrypted(what: string, path?: string): VaultError {
  return new VaultError("UNAVAILABLE", `${what} is encrypted, and no passphrase is configured.`, {
    ...(path === undefined ? {} : { path }),
    hint: "Configure LiveSync's passphrase (VAULT_PASSPHRASE, or the Setup URI).",
  });
}

/** Something does not open. */
export function unopened(what: string, cause: unknown, path?: string): VaultError {
  const why = cause instanceof Sealed ? cause.message : "it is damaged";
  return new VaultError("UNAVAILABLE", `${what} cannot be decrypted: ${why}.`, {
    ...(path === undefined ? {} : { path }),
    hint: CHECK,
    cause,
  });
}
