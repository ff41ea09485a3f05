/** Secrets in files of their own that this user alone may read, so that no client's configuration holds them. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { VaultError } from "../../errors.js";
import { clientConfigs, type Folders, type ServerList } from "./clients.js";
import { readConfigFile } from "./config-file.js";
import type { SecretFile } from "./server-command.js";
import { projectEntries, secretFilesOf, serverEntries } from "./server-entry.js";
import { readServerList } from "./server-list.js";

/** The folder for them, which need not exist. */
export function secretsFolder({ system, home, applications, environment, join }: Folders): string {
  const base = system === "win32" ? environment["LOCALAPPDATA"] || join(home, "AppData", "Local") : applications;
  return join(base, "obsidian-vault-mcp-server", "secrets");
}

/** @throws VaultError PERMISSION_DENIED when they cannot be written; it says nothing of their content */
export function writeSecretFiles(secrets: readonly SecretFile[]): void {
  for (const { path, text } of secrets) {
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      chmodSync(dirname(path), 0o700);
      // The reader removes the last line break.
      writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
      renameSync(temporary, path);
    } catch (cause) {
      rmSync(temporary, { force: true });
      throw new VaultError("PERMISSION_DENIED", `The secret ${path} cannot be written.`, { cause });
    }
  }
}

/** Whether a file holds a secret already. */
export function holdsSecret({ path, text }: SecretFile): boolean {
  try {
    return readFileSync(path, "utf8") === `${text}\n`;
  } catch {
    return false;
  }
}

/**
 * Removes the secrets that setup wrote for these configurations and that no configuration names any more.
 * @returns those removed
 */
export function removeIdleSecrets(
  removed: readonly { readonly client: ServerList; readonly read: { readonly text: string } }[],
  folders: Folders,
): string[] {
  const folder = secretsFolder(folders);
  const needed = new Set(clientConfigs(folders, undefined).flatMap((list) => secretsIn(textOf(list.path), list)));
  const were = new Set(removed.flatMap(({ client, read }) => secretsIn(read.text, client)));
  const idle = [...were].filter((path) => dirname(path) === folder && !needed.has(path));
  for (const path of idle) rmSync(path, { force: true });
  return idle;
}

function secretsIn(text: string, list: ServerList): string[] {
  try {
    const config = readServerList(text, list);
    return [...serverEntries(config, list.serversKey), ...projectEntries(config, list.serversKey)].flatMap(
      secretFilesOf,
    );
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readConfigFile(path).text;
  } catch {
    return "";
  }
}
