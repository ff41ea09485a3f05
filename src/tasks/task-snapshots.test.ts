import * as fc from "fast-check";
import { expect, it } from "vitest";
import { note } from "../../test/kit/task-vault.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath } from "../storage/path.js";
import { Vault } from "../vault/vault.js";
import { noteFormat } from "./note-format/format.js";
import { SnapshotReader } from "./task-snapshots.js";

const NOTES = ["_projects/a.md", "_projects/b.md", "c.md", "_archive/d.md"];
const PROPERTIES = [
  "type: task",
  "type: task\npriority: high",
  "type: task\ndue: someday",
  "status: done",
  "kind: no task",
  "x: [",
];

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ path: fc.constantFrom(...NOTES), properties: fc.constantFrom(...PROPERTIES) }) },
  { weight: 1, arbitrary: fc.record({ path: fc.constantFrom(...NOTES), properties: fc.constant(undefined) }) },
  { weight: 4, arbitrary: fc.constant("look" as const) },
);

it("finds by what changed what it would find by going over all notes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: "max" }), async (steps) => {
      const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
      const files = Object.fromEntries(NOTES.map((path) => [path, note("type: task")]));
      const storage = new MemoryStorage({ files, clock });
      const vault = new Vault({ storage, clock, ids: sequentialIds(), readers: noteFormat.readers });
      const index = new SnapshotReader(vault);
      for (const one of [...steps, "look" as const]) {
        if (one === "look") {
          const [followed, anew] = [await index.refresh(), await new SnapshotReader(vault).refresh()];
          expect(followed.tasks).toEqual(anew.tasks);
          const today = clock.today();
          expect(followed.problems(today)).toEqual(anew.problems(today));
          continue;
        }
        const path = vaultPath(one.path);
        if (one.properties === undefined) {
          if (await storage.stat(path)) await storage.remove(path, { kind: "any" });
        } else {
          await storage.write(path, new TextEncoder().encode(note(one.properties)), { kind: "any" });
        }
      }
    }),
  );
});

it("keeps every task but the one whose note changed", async () => {
  const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
  const files = Object.fromEntries(NOTES.map((path) => [path, note("type: task")]));
  const storage = new MemoryStorage({ files, clock });
  const index = new SnapshotReader(new Vault({ storage, clock, ids: sequentialIds(), readers: noteFormat.readers }));
  const before = await index.refresh();
  await storage.write(vaultPath("c.md"), new TextEncoder().encode(note("type: task\npriority: high")), { kind: "any" });
  const after = await index.refresh();
  const changed = after.tasks.filter((task, place) => task !== before.tasks[place]);
  expect(changed.map(({ path, priority }) => [path, priority])).toEqual([["c.md", "High"]]);
  expect(before.tasks.map(({ priority }) => priority)).toEqual(["Medium", "Medium", "Medium", "Medium"]);
});

it("reads the settings once for each look, and follows them", async () => {
  const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
  const storage = new MemoryStorage({ files: { "a.md": note("type: task"), "b.md": note("kind: work") }, clock });
  let settings = new MemoryStorage();
  let reads = 0;
  const readMany = storage.readMany.bind(storage);
  storage.readMany = (paths, options) => {
    if (!paths.some((path) => path.startsWith(".obsidian"))) return readMany(paths, options);
    reads++;
    return settings.readMany(paths, options);
  };
  const index = new SnapshotReader(new Vault({ storage, clock, ids: sequentialIds(), readers: noteFormat.readers }));
  const paths = async () => (await index.refresh()).tasks.map(({ path }) => path);
  expect(await paths()).toEqual(["a.md"]);
  reads = 0;
  expect([await paths(), reads]).toEqual([["a.md"], 1]);
  const byProperty = { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "work" };
  settings = new MemoryStorage({ files: { ".obsidian/plugins/tasknotes/data.json": JSON.stringify(byProperty) } });
  expect(await paths()).toContain("b.md");
  settings = new MemoryStorage();
  expect(await paths()).toEqual(["a.md"]);
});
