/** Files whose content is only in the cloud (docs: obsidian, "Sync folders"). */
import fs from "node:fs";
import { promisify } from "node:util";
import { unlessLate } from "../../async/timers.js";
import { VaultError } from "../../errors.js";
import { baseName, folderOf, joinPath, type VaultPath } from "../path.js";
import type { VaultRoot } from "./vault-root.js";

const STAND_IN = /^\.(.+)\.icloud$/;
/** Bytes. Some file systems store smaller files without blocks. */
const MIN_ON_DEMAND_SIZE = 4096;

export function nameInCloud(hidden: string): string | undefined {
  return STAND_IN.exec(hidden)?.[1];
}

export function isOnDemand({ size, blocks }: Pick<fs.Stats, "size" | "blocks">): boolean {
  return blocks === 0 && size >= MIN_ON_DEMAND_SIZE;
}

const FETCH_TIMEOUT_MS = 30_000;
const FETCH_BYTES = 1024 * 1024;
const read = promisify(fs.read);

/** In another thread: it waits for the network. On success the handle stays open. @throws UNAVAILABLE on timeout */
export async function fetchFromCloud(handle: number, path: VaultPath, timeout = FETCH_TIMEOUT_MS): Promise<void> {
  const reading = readThrough(handle);
  const close = (): void => fs.close(handle, () => undefined);
  const isFetched = await unlessLate(reading, timeout).catch((error: unknown) => {
    close();
    throw error;
  });
  if (isFetched) return;
  void reading.catch(() => undefined).then(close);
  throw new VaultError("UNAVAILABLE", `'${path}' is in the cloud only, and was not fetched within 30 seconds.`, {
    path,
    hint: "Check the connection, or download it in the sync program, then try again.",
  });
}

async function readThrough(handle: number): Promise<true> {
  const buffer = Buffer.allocUnsafe(FETCH_BYTES);
  for (;;) if ((await read(handle, buffer, 0, FETCH_BYTES, null)).bytesRead === 0) return true;
}

/** On Linux a file without blocks is sparse. */
export const HAS_ON_DEMAND_FILES = process.platform === "darwin" || process.platform === "win32";

export function assertNotInCloud(root: VaultRoot, path: VaultPath): void {
  const standIn = joinPath(folderOf(path), `.${baseName(path)}.icloud`);
  if (!fs.existsSync(root.absolute(standIn))) return;
  throw new VaultError("UNAVAILABLE", `'${path}' is in iCloud only.`, { path, hint: "Download it in Finder." });
}
