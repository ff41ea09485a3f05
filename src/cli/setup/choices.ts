/** Chooses clients and vault for setup when not given. */
import type { EpochMilliseconds } from "../../clock.js";
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { VaultError } from "../../errors.js";
import { MCP_CLIENTS, type ConfigPlace, type Folders, type McpClient } from "./clients.js";
import { readConfigFile } from "./config-file.js";
import type { Conversation } from "../terminal.js";
import { isObject } from "../../server/rpc.js";

export interface ChosenClient {
  readonly client: McpClient;
  /** Need not exist. */
  readonly file: string;
}

/** @throws INVALID_ARGUMENT for an unknown name, FILE_NOT_FOUND when none is installed */
export function chosenClients(names: readonly string[], folders: Folders): ChosenClient[] {
  const known = MCP_CLIENTS.map(({ id }) => id).join(", ");
  if (names.length > 0) {
    return [...new Set(names.flatMap((name) => name.split(",")))].map((name) => {
      const client = MCP_CLIENTS.find(({ id, name: title }) => [id, title].some((one) => fold(one) === fold(name)));
      if (client) return { client, file: placeOf(client, folders).file };
      throw new VaultError("INVALID_ARGUMENT", `There is no client ${JSON.stringify(name)}.`, {
        hint: `One of: ${known}.`,
      });
    });
  }
  const installed = MCP_CLIENTS.filter((client) => existsSync(placeOf(client, folders).evidence));
  if (installed.length > 0) return installed.map((client) => ({ client, file: placeOf(client, folders).file }));
  throw new VaultError("FILE_NOT_FOUND", "No MCP client was found on this machine.", {
    hint: `Name one all the same with --client (${known}); docs/clients.md says what to write for others.`,
  });
}

const fold = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

function placeOf({ places }: McpClient, folders: Folders): ConfigPlace {
  const all = places(folders);
  const found = all.find(({ evidence }) => existsSync(evidence)) ?? all[0];
  if (!found) throw new Error("a client without a place");
  return found;
}

/**
 * Undefined when the person has left.
 * @throws VAULT_NOT_FOUND, or AMBIGUOUS_NAME when nobody can be asked
 */
export async function chosenVault(
  given: string | undefined,
  folders: Folders,
  talk: Conversation,
): Promise<string | undefined> {
  const vaults = knownVaults(folders).map(({ path }) => path);
  if (given !== undefined) return namedVault(given, vaults);
  const [only, ...others] = vaults;
  if (only === undefined) {
    const message = "No vault was named, and Obsidian's list of vaults has none on this machine.";
    throw new VaultError("VAULT_NOT_FOUND", message, { hint: 'Name it: setup "/path/to/My Vault".' });
  }
  if (others.length === 0) return only;
  if (!talk.canAsk) {
    throw new VaultError("AMBIGUOUS_NAME", `Obsidian knows ${vaults.length} vaults: ${vaults.join(", ")}.`, {
      hint: "Name one of them: setup <vault>.",
    });
  }
  await talk.say("Obsidian knows these vaults:");
  for (const [index, path] of vaults.entries()) await talk.say(`  ${index + 1}  ${path}`);
  const answer = await talk.ask("Which one? [1] ");
  if (answer === undefined) return undefined;
  return vaults[Number(answer || "1") - 1] ?? namedVault(answer, vaults);
}

function namedVault(given: string, vaults: readonly string[]): string {
  const folder = resolve(given);
  if (isFolder(folder)) return folder;
  const [found, another] = vaults.filter((path) => basename(path) === given);
  if (found !== undefined && another === undefined) return found;
  throw new VaultError("VAULT_NOT_FOUND", `There is no folder ${folder}.`, {
    hint: vaults.length === 0 ? "Check the path." : `Obsidian knows ${vaults.join(", ")}.`,
  });
}

interface KnownVault {
  readonly path: string;
  readonly open: boolean;
  readonly lastOpened: EpochMilliseconds;
}

/** On Linux each packaging has its own place. */
export function obsidianLists({ system, home, applications, join }: Folders): string[] {
  const own = join(applications, "obsidian", "obsidian.json");
  if (system === "win32" || system === "darwin") return [own];
  return [
    own,
    join(home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian", "obsidian.json"),
    join(home, "snap", "obsidian", "current", ".config", "obsidian", "obsidian.json"),
  ];
}

/** A file for each vault. */
export function headlessFiles({ system, home, applications, join, list }: Folders): string[] {
  const own = system === "linux" ? join(applications, "obsidian-headless") : join(home, ".obsidian-headless");
  return list(join(own, "sync")).map((id) => join(own, "sync", id, "config.json"));
}

/** Open vaults first, then by last use, then those of Obsidian Headless. */
function knownVaults(folders: Folders): KnownVault[] {
  const headless = headlessFiles(folders).flatMap((file) => headlessVault(readJsonFile(file)));
  const vaults = [...headless, ...obsidianLists(folders).flatMap((file) => vaultsIn(readJsonFile(file)))];
  const byPath = new Map(vaults.map((vault) => [vault.path, vault]));
  return [...byPath.values()]
    .filter(({ path }) => isFolder(path))
    .toSorted((a, b) => Number(b.open) - Number(a.open) || b.lastOpened - a.lastOpened);
}

function headlessVault(config: unknown): KnownVault[] {
  const path = isObject(config) ? config["vaultPath"] : undefined;
  return typeof path === "string" ? [{ path, open: false, lastOpened: 0 }] : [];
}

function vaultsIn(list: unknown): KnownVault[] {
  const vaults = isObject(list) && isObject(list["vaults"]) ? Object.values(list["vaults"]) : [];
  return vaults.flatMap((vault) => {
    if (!isObject(vault) || typeof vault["path"] !== "string") return [];
    return [{ path: vault["path"], open: vault["open"] === true, lastOpened: Number(vault["ts"]) || 0 }];
  });
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readConfigFile(file).text);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
