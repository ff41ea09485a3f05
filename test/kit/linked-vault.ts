/** A vault in memory with the link use cases over it, for tests. */
import { fixedClock, sequentialIds } from "../../src/clock.js";
import { linkSubject } from "../../src/links/link-rows.js";
import { Links } from "../../src/links/service.js";
import { MemoryStorage } from "./memory-storage.js";
import { vaultPath, type VaultPath } from "../../src/storage/path.js";
import { Vault } from "../../src/vault/vault.js";

export interface LinkedVault {
  readonly storage: MemoryStorage;
  readonly vault: Vault;
  readonly links: Links;
  readonly put: (path: string, text: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

export function linkedVault(files: Readonly<Record<string, string>> | MemoryStorage): LinkedVault {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const storage = files instanceof MemoryStorage ? files : new MemoryStorage({ files, clock });
  const vault = new Vault({ storage, id: "Study", clock, ids: sequentialIds(), subjects: [linkSubject] });
  return {
    storage,
    vault,
    links: new Links(vault),
    put: async (path, text) => {
      await storage.write(hiddenPath(path), new TextEncoder().encode(text), { kind: "any" });
    },
    remove: async (path) => {
      await storage.remove(hiddenPath(path), { kind: "any" });
    },
  };
}

function hiddenPath(path: string): VaultPath {
  return vaultPath(path, { allowHidden: true });
}
