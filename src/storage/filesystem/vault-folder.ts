/** Decides which folders may be a vault. */
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { VaultError, systemCode } from "../../errors.js";
import { realpath } from "node:fs/promises";

/** With everything below. */
const SYSTEM_TREES = [
  ..."/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /lost+found /proc /sbin /sys /usr /snap".split(" "),
  ..."/var/lib /var/log /var/cache /var/run /var/spool /var/db /run/lock /run/systemd".split(" "),
  ..."/System /Library /Applications /cores /private/etc /private/var/db /private/var/log /private/var/root".split(" "),
];
/** A vault may be below. */
const SYSTEM_FOLDERS =
  "/home /Users /root /var /var/tmp /var/folders /var/home /tmp /run /run/user /run/media /mnt /media /opt /srv /Volumes /private /private/var /private/tmp".split(
    " ",
  );
const HOME_PARENTS = ["/home", "/Users", "/usr/home", "/var/home"];

/**
 * @param text relative to the working folder
 * @param allowed with everything below; empty: any ordinary folder (docs: tasks, "Vaults")
 * @throws VAULT_NOT_FOUND when missing, no folder, or not allowed; PERMISSION_DENIED when the system refuses. No
 * message has the path, or reveals whether a folder outside the allowed ones exists.
 */
export function resolveVaultFolder(text: string, allowed: readonly string[] = []): string {
  refuseUnexpanded(text);
  const { path, exists } = realPathOf(absolute(text));
  if (allowed.length > 0 && !allowed.some((root) => isWithin(realPathOf(absolute(root)).path, path))) {
    throw noVault(
      "That folder is not one this server may use as a vault.",
      "Scan the configured vault (leave out vaultPath), or allow the folder when the server is started: --allow-vault <folder>.",
    );
  }
  if (!exists) {
    const hint = /^["']/.test(text)
      ? "Write the path without quotation marks, which only a shell removes."
      : "Check the spelling and use the whole path of the folder that holds your notes.";
    throw noVault("The vault folder does not exist.", hint);
  }
  if (!statSync(path).isDirectory()) throw noVault("The vault path leads to a file, not to a folder.", NAME_IT);
  refuseSystemFolder(path);
  return path;
}

/** @param folder a real path @throws VAULT_NOT_FOUND */
export function refuseSystemFolder(folder: string): void {
  if (isHome(folder)) {
    throw noVault("A whole home folder cannot be used as a vault.", "Name the folder inside it that holds your notes.");
  }
  if (folder === parse(folder).root || SYSTEM_FOLDERS.includes(folder) || isSystemTree(folder)) {
    throw noVault("A system folder cannot be used as a vault.", NAME_IT);
  }
}

const NAME_IT = "Name the folder that holds your notes.";
const WHOLE_PATH = "Use the whole path of the folder that holds your notes.";

function noVault(message: string, hint: string, cause?: unknown): VaultError {
  return new VaultError("VAULT_NOT_FOUND", message, { hint, cause });
}

/** A shell would have expanded these. */
function refuseUnexpanded(folder: string): void {
  if (folder.trim() === "" || folder.includes("\0")) {
    throw noVault("The vault path is empty or holds a NUL character.", WHOLE_PATH);
  }
  if (/^(~|\$\{?[A-Za-z_]|%[A-Za-z_]+%)/.test(folder)) {
    throw noVault(
      "The vault path begins with ~ or a variable such as $HOME, which only a shell replaces.",
      "Write the path out, such as /Users/you/Documents/Vault.",
    );
  }
}

function absolute(text: string): string {
  try {
    return resolve(text);
  } catch (cause) {
    throw noVault("The vault path is relative, and the folder it counts from is gone.", WHOLE_PATH, cause);
  }
}

/** Appends a missing rest. */
function realPathOf(path: string): { readonly path: string; readonly exists: boolean } {
  try {
    return { path: realpathSync.native(path), exists: true };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "EACCES" || code === "EPERM") {
      throw new VaultError("PERMISSION_DENIED", "The vault folder cannot be looked into: permission denied.", {
        hint: "Check the permissions of the folder and of those above it.",
        cause,
      });
    }
    const parent = dirname(path);
    if (parent === path) return { path, exists: false };
    return { path: join(realPathOf(parent).path, basename(path)), exists: false };
  }
}

function isHome(folder: string): boolean {
  if (/^[a-z]:\\users(\\[^\\]+)?$/i.test(folder)) return true;
  return HOME_PARENTS.includes(dirname(folder)) || relative(folder, homeFolder()) === "";
}

function isSystemTree(path: string): boolean {
  if (SYSTEM_TREES.some((tree) => isWithin(tree, path))) return !HOME_PARENTS.some((home) => isWithin(home, path));
  return /^[a-z]:\\(windows|program files|program files \(x86\)|programdata)(\\|$)/i.test(path);
}

function homeFolder(): string {
  try {
    return realpathSync.native(homedir());
  } catch {
    return homedir();
  }
}

function isWithin(root: string, path: string): boolean {
  if (sep === "/") return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * From the vault's root, with forward slashes; undefined outside. Never opens a network path, which would contact its
 * machine.
 * @param folder real path
 * @param name as the user named the vault
 */
export async function pathWithin(folder: string, name: string, absolute: string): Promise<string | undefined> {
  if (!isAbsolute(absolute) || /^[\\/]{2}/.test(absolute)) return undefined;
  const plain = below(folder, absolute) ?? below(resolve(name), absolute);
  if (plain !== undefined) return plain;
  try {
    return below(folder, await realpath(absolute));
  } catch {
    return undefined;
  }
}

function below(folder: string, path: string): string | undefined {
  const rest = relative(folder, path);
  const isBelow = rest !== "" && rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
  // Refuses every `..`.
  return isBelow && !/(^|[\\/])\.\.([\\/]|$)/.test(path) ? rest.replaceAll(sep, "/") : undefined;
}
