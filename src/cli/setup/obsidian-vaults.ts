/** The vaults that Obsidian itself knows on this machine, from its own list. */
import { readFileSync, statSync } from "node:fs";
import { isObject } from "../../server/rpc.js";
import type { Folders } from "./clients.js";

export interface KnownVault {
  readonly path: string;
  /** Whether Obsidian shows it now. */
  readonly open: boolean;
  /** When it was opened last, in milliseconds since the epoch. */
  readonly lastOpened: number;
}

/** Where Obsidian keeps its list; on Linux each way of installing it has a place of its own. */
export function obsidianLists({ system, home, applications, join }: Folders): string[] {
  const own = join(applications, "obsidian", "obsidian.json");
  if (system === "win32" || system === "darwin") return [own];
  return [
    own,
    join(home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian", "obsidian.json"),
    join(home, "snap", "obsidian", "current", ".config", "obsidian", "obsidian.json"),
  ];
}

/** The vaults whose folders exist, the open ones first, then those opened last. */
export function knownVaults(folders: Folders): KnownVault[] {
  const vaults = obsidianLists(folders).flatMap((file) => vaultsIn(file));
  const byPath = new Map(vaults.map((vault) => [vault.path, vault]));
  return [...byPath.values()]
    .filter(({ path }) => isFolder(path))
    .toSorted((a, b) => Number(b.open) - Number(a.open) || b.lastOpened - a.lastOpened);
}

function vaultsIn(file: string): KnownVault[] {
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
  } catch {
    return [];
  }
  const vaults = isObject(list) && isObject(list["vaults"]) ? Object.values(list["vaults"]) : [];
  return vaults.flatMap((vault) => {
    if (!isObject(vault) || typeof vault["path"] !== "string") return [];
    return [{ path: vault["path"], open: vault["open"] === true, lastOpened: Number(vault["ts"]) || 0 }];
  });
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
