import { expect, it } from "vitest";
import { note } from "../../test/kit/task-vault.js";
import { noteFormat } from "./note-format/format.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../storage/memory.js";
import { ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import type { FolderEntry } from "../storage/storage.js";
import { Vault } from "../vault/vault.js";
import { TaskService } from "./service.js";

/** Counts how often it is asked what stands in the vault's root: once for each look at the PARA folders. */
class CountingStorage extends MemoryStorage {
  looks = 0;

  override async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    if (folder === ROOT) this.looks++;
    return super.children(folder);
  }
}

it("looks at the PARA folders once for a scan, and at every scan", async () => {
  const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
  const storage = new CountingStorage({ files: { "_projects/a.md": note("type: task") }, clock });
  const tasks = new TaskService(new Vault({ storage, clock, ids: sequentialIds(), readers: noteFormat.readers }));
  expect((await tasks.agenda()).paraFolders.projects).toEqual(["_projects"]);
  expect(storage.looks).toBe(1);
  await storage.write(vaultPath("_areas/plan.canvas"), new Uint8Array(), { kind: "absent" });
  expect((await tasks.agenda()).paraFolders.areas).toEqual(["_areas"]);
  expect(storage.looks).toBe(2);
});

it("looks at the PARA folders again when a note came or went, not when one changed", async () => {
  const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
  const storage = new CountingStorage({ files: { "_projects/a.md": note("type: task") }, clock });
  const tasks = new TaskService(new Vault({ storage, clock, ids: sequentialIds(), readers: noteFormat.readers }));
  const write = (path: string, text: string) =>
    storage.write(vaultPath(path), new TextEncoder().encode(text), { kind: "any" });
  const areas = async () =>
    Object.fromEntries((await tasks.search({ query: "*" })).tasks.map(({ path, area }) => [path, area]));
  await areas();
  await write("_projects/a.md", note("type: task\npriority: high"));
  expect(await areas()).toEqual({ "_projects/a.md": undefined });
  expect(storage.looks).toBe(1);
  await storage.write(vaultPath("_areas/plan.canvas"), new Uint8Array(), { kind: "absent" });
  await write("_projects/a.md", note("type: task\npriority: low"));
  expect((await tasks.agenda()).paraFolders.areas).toEqual(["_areas"]);
  expect(storage.looks).toBe(2);
  await write("Areas/Work/b.md", note("type: task"));
  expect(await areas()).toEqual({ "Areas/Work/b.md": "Work", "_projects/a.md": undefined });
  expect(storage.looks).toBe(3);
});
