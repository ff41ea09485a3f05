/** A vault in memory with the links over it, for tests of moves. */
import { fixedClock, sequentialIds } from "../../src/clock.js";
import { Links, type LinksOptions } from "../../src/links/service.js";
import { linkSubject } from "../../src/links/link-rows.js";
import { MemoryStorage } from "./memory-storage.js";
import { ROOT, vaultPath, type VaultPath } from "../../src/storage/path.js";
import type { Storage } from "../../src/storage/storage.js";
import { type JournalStorage, MemoryJournalStorage } from "../../src/history/connection.js";
import { Vault } from "../../src/vault/vault.js";

const clock = fixedClock("2025-08-30T12:00:00Z");

export const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });

export function linkVault(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: {
    readonly storage?: Storage;
    readonly place?: JournalStorage;
    readonly companionsOf?: LinksOptions["companionsOf"];
  } = {},
) {
  const { storage = new MemoryStorage({ files, clock }), place = new MemoryJournalStorage() } = options;
  const vault = new Vault({ storage, clock, ids: sequentialIds(), subjects: [linkSubject], journal: { place } });
  const links = new Links(vault, { companionsOf: options.companionsOf });
  return {
    storage,
    vault,
    links,
    move: (from: string, to: string) => links.move(at(from), at(to)),
    put: async (path: string, text: string) => {
      await storage.write(at(path), new TextEncoder().encode(text), { kind: "any" });
    },
    contents: async () => sorted(await below(storage, ROOT)),
  };
}

async function below(storage: Storage, folder: VaultPath): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, kind } of (await storage.children(folder)) ?? []) {
    if (kind === "folder") Object.assign(found, await below(storage, path));
    else found[path] = Buffer.from((await storage.read(path))?.bytes ?? []).toString();
  }
  return found;
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
