import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { storageContract } from "../../../test/kit/storage-contract.js";
import { filesystemStorage } from "./storage.js";

storageContract("folder", async () => {
  const base = fs.mkdtempSync(nodePath.join(os.tmpdir(), "vault-"));
  const vault = nodePath.join(base, "vault");
  fs.mkdirSync(vault);
  const lock = { folder: nodePath.join(base, "locks") };
  const storage = await filesystemStorage(vault, { lock });
  return { storage, dispose: async () => fs.rmSync(base, { recursive: true }) };
});
