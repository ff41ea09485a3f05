import { describe, expect, it } from "vitest";
import { note } from "../../../test/kit/task-vault.js";
import { sequentialIds } from "../../clock.js";
import { operationIn } from "../../history/journal-records.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";

function vaultWith(files: Readonly<Record<string, string>>) {
  const open = assembleVault({ storage: new MemoryStorage({ files }), name: "v", linkName: "v", ids: sequentialIds() });
  return { ...open, text: async (path: string) => (await open.vault.read(vaultPath(path))).text };
}

const waiting = (blockers: string): string => note(`type: task\nstatus: todo\n${blockers}`, "# T\n");

describe("a plain name of a blocker follows the rename of its note", () => {
  it.each([
    [
      "a mapping",
      "blockedBy:\n  - uid: Task1 # first\n    reltype: FINISHTOSTART",
      /uid: Task one # first\n {4}reltype/,
    ],
    ["a list", "blockedBy:\n  - Other\n  - 'Task1'", /- Other\n {2}- 'Task one'\n/],
    ["a flow list", 'dependsOn: [Other, "Task1"]', /dependsOn: \[Other, "Task one"\]\n/],
    ["one text", "blockedBy: Task1", /blockedBy: Task one\n/],
    ["a path", "blockedBy:\n  - Tasks/Task1.md", /- Tasks\/Task one\.md\n/],
    ["a path without extension", "blockedBy:\n  - Tasks/Task1", /- Tasks\/Task one\n/],
  ])("in %s", async (_name, blockers, expected) => {
    const before = waiting(blockers);
    const { files, tasks, vault, text } = vaultWith({
      "Tasks/Task1.md": note("type: task"),
      "Other.md": note("type: task"),
      "T.md": before,
    });
    const { named, operation } = await files.rename("Tasks/Task1.md", "Tasks/Task one.md");
    expect(named).toEqual(["T.md"]);
    expect(await text("T.md")).toMatch(expected);
    expect((await tasks.get("T")).blockers.map(({ name }) => name)).toContain("Task one");
    await vault.history.undoOperation(operationIn(operation ?? "") ?? "");
    expect(await text("T.md")).toBe(before);
  });

  it("in quotes where the new name needs them", async () => {
    const { files, text } = vaultWith({ "Task1.md": note("type: task"), "T.md": waiting("blockedBy: [Task1]") });
    await files.rename("Task1.md", "2, then 3.md");
    expect(await text("T.md")).toContain('blockedBy: ["2, then 3"]');
  });

  it("when it is merged into another", async () => {
    const { notes, text } = vaultWith({
      "Task1.md": note("type: task"),
      "Task2.md": note("type: task"),
      "T.md": waiting("blockedBy: [Task1]"),
    });
    await notes.merge("Task1.md", "Task2.md");
    expect(await text("T.md")).toContain("blockedBy: [Task2]");
  });

  it("and not where it is an id, a longer path's end that still leads there, or no blocker", async () => {
    const [byId, byName, other] = [
      waiting("blockedBy: [Task1]"),
      waiting("blockedBy: [Here]"),
      waiting("about: Task1"),
    ];
    const { files, text } = vaultWith({
      "Task1.md": note("type: task"),
      "Ided.md": note("type: task\nid: Task1"),
      "a/Here.md": note("type: task"),
      "T.md": byId,
      "U.md": byName,
      "V.md": other,
    });
    await files.rename("Task1.md", "Task one.md");
    await files.rename("a/Here.md", "b/Here.md");
    expect([await text("T.md"), await text("U.md"), await text("V.md")]).toEqual([byId, byName, other]);
  });
});
