import { systemClock } from "../../clock.js";
import { newDatabase, type NewVault } from "../../../test/kit/couch-server.js";
import { storageContract } from "../../../test/kit/storage-contract.js";
import { LivesyncStorage } from "./storage.js";

const VAULTS: Readonly<Record<string, NewVault & { readonly passphrase?: string }>> = {
  plain: {},
  "encrypted, names hidden": { encrypt: true, usePathObfuscation: true, passphrase: "correct horse 馬" },
};

for (const [name, { passphrase, ...settings }] of Object.entries(VAULTS)) {
  storageContract(
    `LiveSync, ${name}`,
    async () => {
      const database = await newDatabase(settings);
      const { url, name: databaseName, user, password } = database;
      const storage = new LivesyncStorage(
        { url, database: databaseName, user, password, passphrase },
        { clock: systemClock() },
      );
      return { storage, dispose: () => database.remove() };
    },
    { emptyFolders: false, contentRevisions: false },
  );
}
