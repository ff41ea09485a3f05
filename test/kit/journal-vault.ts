/** A vault in memory with an undo journal, for tests; several may share storage and journal, as processes do. */
import { fixedClock, sequentialIds, type Clock } from "../../src/clock.js";
import { MemoryStorage } from "./memory-storage.js";
import { ROOT, vaultPath, type VaultPath } from "../../src/storage/path.js";
import type { Storage } from "../../src/storage/storage.js";
import { TRASH } from "../../src/storage/trash.js";
import { type JournalStorage, MemoryJournalStorage } from "../../src/history/connection.js";
import type { JournalOptions } from "../../src/history/journal-store.js";
import { Vault } from "../../src/vault/vault.js";

export const CLOCK = fixedClock("2025-08-30T12:00:00Z");

/** A path of the vault, hidden ones included. */
export const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });

export const append = (line: string) => (text: string) => text + line;

export interface JournalVaultOptions extends JournalOptions {
  readonly place?: JournalStorage;
  readonly storage?: Storage;
  readonly clock?: Clock;
  readonly readOnly?: boolean;
}

export function journalVault(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  {
    storage = new MemoryStorage({ files, clock: CLOCK }),
    clock = CLOCK,
    readOnly = false,
    ...journal
  }: JournalVaultOptions = {},
) {
  const place = journal.place ?? new MemoryJournalStorage();
  const vault = new Vault({
    storage,
    clock,
    ids: sequentialIds(),
    subjects: [],
    allowHidden: true,
    readOnly,
    journal: { ...journal, place },
  });
  return { storage, place, vault };
}

export async function contents(storage: Storage): Promise<Record<string, string>> {
  return { ...(await below(storage, ROOT)), ...(await below(storage, TRASH)) };
}

async function below(storage: Storage, folder: VaultPath): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, kind } of (await storage.children(folder)) ?? []) {
    if (kind === "folder") Object.assign(found, await below(storage, path));
    else found[path] = Buffer.from((await storage.read(path))?.bytes ?? []).toString();
  }
  return found;
}

export async function putByHand(storage: Storage, path: string, text: string): Promise<void> {
  await storage.write(at(path), Buffer.from(text), { kind: "any" });
}
