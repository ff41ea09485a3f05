/** Files of a sync folder that are not on this disk: iCloud's stand-ins and on-demand files (docs: obsidian, "Sync folders"). */
import fs from "node:fs";
import { VaultError } from "../../errors.js";
import { baseName, folderOf, joinPath, type VaultPath } from "../path.js";
import type { VaultRoot } from "./vault-root.js";

/** The name of the file that iCloud puts in a file's place while it is in the cloud only. */
const STAND_IN = /^\.(.+)\.icloud$/;
/** Smaller files lie in the folder's own records on some disks and have no blocks. */
const MIN_ON_DEMAND_SIZE = 4096;

export function nameInCloud(hidden: string): string | undefined {
  return STAND_IN.exec(hidden)?.[1];
}

/** Whether the system fetches the content when it is read: no block of the file is on this disk. */
export function isOnDemand({ size, blocks }: Pick<fs.Stats, "size" | "blocks">): boolean {
  return blocks === 0 && size >= MIN_ON_DEMAND_SIZE;
}

/** Systems whose sync folders have on-demand files; elsewhere a file without blocks is sparse. */
export const HAS_ON_DEMAND_FILES = process.platform === "darwin" || process.platform === "win32";

/** @throws VaultError UNAVAILABLE for a file that is in iCloud only */
export function assertNotInCloud(root: VaultRoot, path: VaultPath): void {
  const standIn = joinPath(folderOf(path), `.${baseName(path)}.icloud`);
  if (!fs.existsSync(root.absolute(standIn))) return;
  throw new VaultError("UNAVAILABLE", `'${path}' is in iCloud only.`, { path, hint: "Download it in Finder." });
}
