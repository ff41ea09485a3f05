/** Finds and removes what a benchmark made in a vault, so that the next one finds the vault as it was generated. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export function findNotes(vault, name) {
  return readdirSync(vault, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

export function removeNotes(vault, name) {
  for (const path of findNotes(vault, name)) rmSync(path);
}
