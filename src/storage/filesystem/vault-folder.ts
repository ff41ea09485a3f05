/** Which folders may be opened as a vault: existing ordinary folders, inside the allowed ones where some are named. */
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, parse, relative, isAbsolute, resolve, sep } from "node:path";
import { VaultError } from "../../errors.js";

export interface VaultFolderRules {
  /** Only these folders and what lies below them may be opened. Empty or left out: any ordinary folder. */
  readonly allowed?: readonly string[] | undefined;
}

/** Folders that belong to the system with all that is below them, by real path. */
const SYSTEM_TREES = [
  ..."/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /lost+found /proc /sbin /sys /usr /snap".split(" "),
  ..."/var/lib /var/log /var/cache /var/run /var/spool /var/db /run/lock /run/systemd".split(" "),
  ..."/System /Library /Applications /cores /private/etc /private/var/db /private/var/log /private/var/root".split(" "),
];
/** Folders that are refused themselves; a vault may well lie below them. */
const SYSTEM_FOLDERS =
  "/home /Users /root /var /var/tmp /var/folders /var/home /tmp /run /run/user /run/media /mnt /media /opt /srv /Volumes /private /private/var /private/tmp".split(
    " ",
  );
/** Folders whose direct children are people's home folders. */
const HOME_PARENTS = ["/home", "/Users", "/usr/home", "/var/home"];

/**
 * Checks a folder before it is opened as a vault and answers its real path. Looks, and makes nothing.
 * @param folder as the user or a client wrote it; a relative path counts from the working folder
 * @throws VaultError VAULT_NOT_FOUND when it is missing, no folder, or not allowed (spec: protocol, section 5; tasks, section 8),
 *   PERMISSION_DENIED when the file system does not let us look
 */
export function checkVaultFolder(folder: string, rules: VaultFolderRules = {}): string {
  refuseUnexpanded(folder);
  const path = resolve(folder);
  const real = realPathOf(path);
  refuseOutside(real.path, rules.allowed ?? []);
  refuseSystem(path);
  refuseSystem(real.path);
  if (!real.exists) {
    throw new VaultError("VAULT_NOT_FOUND", `Vault folder not found: ${folder}`, {
      hint: "Check the spelling and use the whole path of the folder that holds your notes.",
    });
  }
  if (!statSync(real.path).isDirectory()) {
    throw new VaultError("VAULT_NOT_FOUND", `The vault path is a file, not a folder: ${folder}`, {
      hint: "Name the folder that holds your notes.",
    });
  }
  return real.path;
}

/** A shell would have replaced these; in a client's configuration nobody does. */
function refuseUnexpanded(folder: string): void {
  if (folder.trim() === "" || folder.includes("\0")) {
    throw new VaultError("VAULT_NOT_FOUND", "The vault path is empty or holds a NUL character.", {
      hint: "Use the whole path of the folder that holds your notes.",
    });
  }
  if (/^(~|\$\{?[A-Za-z_]|%[A-Za-z_]+%)/.test(folder)) {
    throw new VaultError(
      "VAULT_NOT_FOUND",
      "The vault path begins with ~ or a variable such as $HOME, which only a shell replaces.",
      { hint: "Write the path out, such as /Users/you/Documents/Vault." },
    );
  }
}

/** The real path of what exists, with the missing rest of the path after it. */
function realPathOf(path: string): { readonly path: string; readonly exists: boolean } {
  try {
    return { path: realpathSync.native(path), exists: true };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
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

function refuseOutside(real: string, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.some((root) => isWithin(realPathOf(resolve(root)).path, real))) return;
  throw new VaultError("VAULT_NOT_FOUND", "This folder is not one this server may use as a vault.", {
    hint: "Use the configured vault, or start the server with --allow-vault <folder> to allow another one.",
  });
}

function refuseSystem(path: string): void {
  const isHome = HOME_PARENTS.includes(dirname(path)) || samePath(path, homeFolder()) || isWindowsHome(path);
  if (isHome) {
    throw new VaultError("VAULT_NOT_FOUND", "A whole home folder cannot be used as a vault.", {
      hint: "Name the folder inside it that holds your notes.",
    });
  }
  const system = path === parse(path).root || SYSTEM_FOLDERS.includes(path) || isSystemTree(path);
  if (system) {
    throw new VaultError("VAULT_NOT_FOUND", "A system folder cannot be used as a vault.", {
      hint: "Name the folder that holds your notes.",
    });
  }
}

function isSystemTree(path: string): boolean {
  if (SYSTEM_TREES.some((tree) => isWithin(tree, path))) return !HOME_PARENTS.some((home) => isWithin(home, path));
  return /^[a-z]:\\(windows|program files|program files \(x86\)|programdata)(\\|$)/i.test(path);
}

function isWindowsHome(path: string): boolean {
  return /^[a-z]:\\users(\\[^\\]+)?$/i.test(path);
}

function homeFolder(): string {
  try {
    return realpathSync.native(homedir());
  } catch {
    return homedir();
  }
}

function samePath(one: string, other: string): boolean {
  return relative(one, other) === "";
}

/** Whether `path` is `root` or lies below it; both are absolute. */
function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
