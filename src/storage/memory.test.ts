import { expect, test } from "vitest";
import { storageContract } from "../../test/kit/storage-contract.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "./path.js";

storageContract("memory", async () => ({ storage: new MemoryStorage(), dispose: async () => {} }));

test("holds the files it was made with, and stamps them alike every time", async () => {
  const files = { "a.md": "one", "b/c.md": Uint8Array.of(1, 2), ".obsidian/app.json": "{}" };
  const [one, other] = [new MemoryStorage({ files }), new MemoryStorage({ files })];
  for (const path of ["a.md", "b/c.md"].map((at) => vaultPath(at))) {
    const stat = await one.stat(path);
    expect(stat).toBeDefined();
    expect(stat).toEqual(await other.stat(path));
  }
  const settings = vaultPath(".obsidian/app.json", { allowHidden: true });
  expect((await one.read(settings))?.stat.size).toBe(2);
});
