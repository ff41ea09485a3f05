/** A vault in memory whose files have the times that a table of cases gives them. */
import type { Clock } from "../../src/clock.js";
import { fixedClock } from "../../src/clock.js";
import { MemoryStorage } from "./memory-storage.js";
import type { VaultPath } from "../../src/storage/path.js";
import { memoryVault } from "./memory-vault.js";

const ANY = { kind: "any" } as const;

export interface TimedFile {
  readonly text?: string;
  readonly bytes?: number;
  readonly ctime?: string;
  readonly mtime?: string;
}

export async function basesVault(
  files: Readonly<Record<string, TimedFile>>,
  now: string,
  timeZone = "Europe/Berlin",
): Promise<ReturnType<typeof memoryVault>> {
  const zone = fixedClock(now, timeZone);
  let instant = now;
  const clock: Clock = { ...zone, now: () => Date.parse(instant) };
  const storage = new MemoryStorage({ name: "/vaults/Made", clock });
  for (const [path, { text, bytes, ctime = now, mtime = now }] of Object.entries(files)) {
    const content = text === undefined ? new Uint8Array(bytes ?? 0) : new TextEncoder().encode(text);
    instant = ctime;
    await storage.write(path as VaultPath, new Uint8Array(1), ANY);
    instant = mtime;
    await storage.write(path as VaultPath, content, ANY);
  }
  return memoryVault({}, { storage, clock: zone });
}
