/** Estimates in the vault's own form, and keys that `--field-names` names (docs: tasks, "Fields", "Other languages"). */
import { expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";

function vaultWith(files: Readonly<Record<string, string>>, fieldNames: readonly string[] = []) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const { vault, tasks } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), fieldNames });
  return { tasks, text: async (path: string) => (await vault.read(vaultPath(path))).text };
}

const task = (more: string): string => `---\ntype: task\nstatus: To Do\n${more}\n---\n`;

it.each<[says: string, known: string, line: string, written: string]>([
  ["as minutes where the vault has none", "priority: High", "Paint ~2h", "timeEstimate: 120"],
  ["as minutes as the vault writes them", "timeEstimate: 45", "Paint ~1h30", "timeEstimate: 90"],
  ["with units as the vault writes them", "estimate: 2h", "Paint ~90m", "estimate: 1h30m"],
  ["with units under an hour", "estimate: 1h", "Paint ~45m", "estimate: 45m"],
])("an estimate is written %s", async (_says, known, line, written) => {
  const { tasks, text } = vaultWith({ "_projects/A.md": task(known) });
  await tasks.all();
  await tasks.addMany({ text: line });
  expect(await text("_projects/Paint.md")).toContain(`\n${written}\n`);
});

it("an estimate is minutes as the number of another program", async () => {
  const { tasks } = vaultWith({
    "_projects/A.md": task("timeEstimate: 90.0"),
    "_projects/B.md": task("timeEstimate: 1.5"),
  });
  expect((await tasks.all()).tasks.map(({ timeEstimate }) => timeEstimate)).toEqual([90, undefined]);
});

it("a key that two languages read differently is a field only where it is named", async () => {
  const files = { "_projects/A.md": task("Termin: 2026-11-30") };
  const dueOf = async (names: readonly string[]) =>
    (await vaultWith(files, names).tasks.all()).tasks.map(({ due }) => due);
  expect(await dueOf([])).toEqual([undefined]);
  expect(await dueOf(["termin=due"])).toEqual(["2026-11-30"]);
  expect(await dueOf(["datum=start, termin = DUE"])).toEqual(["2026-11-30"]);
});

it("a named key is changed in place, and our own key wins over it", async () => {
  const files = {
    "_projects/A.md": task("Termin: 2026-11-30"),
    "_projects/B.md": task("Termin: 2026-11-30\ndue: 2026-12-01"),
  };
  const { tasks, text } = vaultWith(files, ["termin=due"]);
  expect((await tasks.get("B")).task.due).toBe("2026-12-01");
  await tasks.update("A", { dueDate: "2026-12-24" });
  expect(await text("_projects/A.md")).toBe(files["_projects/A.md"].replace("2026-11-30", "2026-12-24"));
});

it.each(["termin", "termin=", "=due", "termin=deadline"])("%s in --field-names is refused with the fields", (pair) => {
  expect(() => vaultWith({}, [pair])).toThrow(`"${pair}" in --field-names names no field.`);
});
