/** LiveSync keeps what every storage driver promises: over one server, encrypted, and in the long check over a cluster. */
import { afterAll, vi } from "vitest";
import { systemClock } from "../src/clock.js";
import { clusterNodes, type ClusterNodes } from "./kit/couch-cluster.js";
import { newDatabase, type NewVault } from "./kit/couch-server.js";
import { storageContract } from "./kit/storage-contract.js";
import { livesyncStorage } from "../src/storage/livesync/storage.js";
import { LONG } from "./kit/fuzz.js";

// The databases of a cluster are three, and may share the machine with everything else.
vi.setConfig({ testTimeout: 120_000 });

let cluster: ClusterNodes | undefined;
afterAll(() => cluster?.close());

const VAULTS: Readonly<Record<string, NewVault & { readonly passphrase?: string; readonly isCluster?: boolean }>> = {
  plain: {},
  "a cluster": { isCluster: true },
  "encrypted, names hidden": { encrypt: true, usePathObfuscation: true, passphrase: "correct horse 馬" },
};

for (const [name, { passphrase, isCluster = false, ...settings }] of Object.entries(VAULTS)) {
  if (isCluster && !LONG) continue;
  storageContract(
    `LiveSync, ${name}`,
    async () => {
      if (isCluster) cluster ??= await clusterNodes();
      const database = await newDatabase(settings, isCluster ? cluster?.at : undefined);
      const { url, name: databaseName, user, password } = database;
      const storage = livesyncStorage(
        { url, database: databaseName, user, password, passphrase },
        { clock: systemClock() },
      );
      return { storage, dispose: () => database.remove() };
    },
    { emptyFolders: false, contentRevisions: false, many: isCluster ? 20 : 100 },
  );
}
