/** How answers mark files with contradicting versions, made by devices that were not connected. */
import type { VaultPath } from "../storage/path.js";
import { integer } from "./schema.js";

export const CONFLICTS = integer("Other versions, made by devices that were apart; absent when there are none", {
  minimum: 1,
});

/** The mark of one file; empty without conflicts. */
export function conflictsOf(
  path: string,
  conflicts: ReadonlyMap<VaultPath, readonly unknown[]>,
): { readonly conflicts?: number } {
  const versions = conflicts.get(path as VaultPath);
  return versions ? { conflicts: versions.length } : {};
}
