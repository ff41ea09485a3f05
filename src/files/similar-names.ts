/** Finds existing files and folders that a caller may have meant by a path that does not exist. */
import { nearest } from "../text/nearest.js";
import { baseName, folderOf, joinPath, type VaultPath } from "../storage/path.js";
import type { FolderEntry } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";

const MAX_NAMES = 3;

/**
 * Paths in the same folder with a similar name, best first; folders end with `/`. Extensions are not compared, because `.md`
 * would make any two short names similar.
 */
export async function pathsNear(path: VaultPath, vault: Vault): Promise<string[]> {
  const names = shownNames((await vault.children(folderOf(path))) ?? []);
  const stems = nearest(stemOf(baseName(path)), names.map(stemOf), MAX_NAMES);
  const near = stems.flatMap((stem) => names.filter((name) => stemOf(name) === stem));
  return near.slice(0, MAX_NAMES).map((name) => joinPath(folderOf(path), name));
}

/** The names in a folder as answers show them: sorted, folders with `/` at the end. */
export function shownNames(entries: readonly FolderEntry[]): string[] {
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
}

function stemOf(name: string): string {
  return name.replace(/(?<=[^/])(?:\.[^./]*|\/)$/, "");
}
