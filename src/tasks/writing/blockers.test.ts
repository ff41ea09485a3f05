/** What tasks wait for, as callers set it: signs on lines, links in notes, both ends as one operation, and no rings. */
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault, type TaskVaultOptions } from "../../../test/kit/task-vault.js";
import { operationIn } from "../../history/journal-records.js";

const MARKED: TaskVaultOptions = { lines: { inlineTasks: "marked" } };
const LOG = "- [ ] buy paint #task\r\n- [ ] paint 📅 2025-09-01\r\n- [ ] measure #task 🆔 m1\r\n";

const signOn = (line: string): string => /🆔 (\S+)/u.exec(line)?.[1] ?? "none";

describe("a line that is to wait", () => {
  it("names lines by their signs; one without gets six letters or digits, and both edits are one operation", async () => {
    const vault = taskVault({ "Log.md": LOG, "Other.md": "* [ ] call #task\n" }, MARKED);
    const { task, waitsFor } = await vault.tasks.update("paint", { blockedBy: ["buy paint", "measure", "Other.md:1"] });
    const [buy = "", paint, measure] = (await vault.text("Log.md")).split("\r\n");
    const call = await vault.text("Other.md");
    expect(buy).toMatch(/^- \[ \] buy paint #task 🆔 [a-z0-9]{6}$/u);
    expect(call).toMatch(/^\* \[ \] call #task 🆔 [a-z0-9]{6}\n$/u);
    expect(measure).toBe("- [ ] measure #task 🆔 m1");
    expect(paint).toBe(`- [ ] paint 📅 2025-09-01 ⛔ ${signOn(buy)},m1,${signOn(call)}`);
    expect([task.title, waitsFor?.names]).toEqual(["paint", ["buy paint #task", "measure #task", "call #task"]]);
    expect((await vault.tasks.search({ query: "*", is: ["blocked"] })).tasks.map(({ title }) => title)).toEqual([
      "paint",
    ]);
    const last = await vault.vault.history.lastChange();
    await vault.vault.history.undoOperation(last?.kind === "operation" ? last.id : "");
    expect([await vault.text("Log.md"), await vault.text("Other.md")]).toEqual([LOG, "* [ ] call #task\n"]);
  });

  it("is changed together with a line of its note that it waits for, in one edit", async () => {
    const vault = taskVault({ "Log.md": LOG }, MARKED);
    const { undoable, operation } = await vault.tasks.update("paint", { blockedBy: ["buy paint"] });
    expect([undoable, operation]).toEqual([true, undefined]);
    expect(await vault.vault.history.lastChange()).toEqual({ kind: "file", path: "Log.md" });
  });

  it("is refused, and nothing changes, when a line has got another sign at that moment", async () => {
    const other = "- [ ] call #task 🆔 theirs\n";
    const vault = taskVault({ "Log.md": LOG, "Other.md": "- [ ] call #task\n" }, MARKED);
    const edit = vault.vault.writing.edit.bind(vault.vault.writing);
    vault.vault.writing.edit = async (path, ...more) => {
      await vault.put("Other.md", other);
      return edit(path, ...more);
    };
    const { code, message, hint } = await refusal(vault.tasks.update("paint", { blockedBy: ["Other.md:1"] }));
    expect([code, message]).toEqual(["CONFLICT", '"call #task" has got the 🆔 theirs at this very moment.']);
    expect(String(hint)).toContain("Make the call again.");
    expect([await vault.text("Log.md"), await vault.text("Other.md")]).toEqual([LOG, other]);
  });

  it("keeps what stands there, takes a sign for a name, and is freed by an empty list", async () => {
    const text = `${LOG}- [ ] waits 📅 2025-09-02 ⛔ gone\r\n`;
    const vault = taskVault({ "Log.md": text }, MARKED);
    await vault.tasks.update("waits", { blockedBy: ["gone", "m1"] });
    expect(await vault.text("Log.md")).toBe(text.replace("⛔ gone", "⛔ gone,m1"));
    await vault.tasks.update("waits", { blockedBy: [] });
    expect(await vault.text("Log.md")).toBe(text.replace(" ⛔ gone", ""));
  });

  it.each<[string, string, string[], RegExp]>([
    ["a note", "paint", ["Kitchen"], /"Kitchen" is a note, and a checkbox line can wait for lines only/],
    ["itself", "paint", ["paint"], /wait for each other: paint → paint/],
    ["one that waits for it", "measure", ["tiles"], /wait for each other: measure #task → tiles → measure #task/],
    ["what is no task", "paint", ["nobody"], /Item not found: nobody/],
  ])("does not wait for %s", async (_, taskId, blockedBy, message) => {
    const files = { "Log.md": `${LOG}- [ ] tiles ⛔ m1\r\n`, "Kitchen.md": note("type: task") };
    const vault = taskVault(files, MARKED);
    expect((await refusal(vault.tasks.update(taskId, { blockedBy }))).message).toMatch(message);
    expect(await vault.text("Log.md")).toBe(files["Log.md"]);
    expect(await vault.vault.history.lastChange()).toBeUndefined();
  });

  it("leaves the other line as it was when it cannot be changed itself", async () => {
    const vault = taskVault({ "Log.md": LOG }, MARKED);
    await refusal(vault.tasks.update("paint", { blockedBy: ["buy paint"], area: "Home" }));
    await refusal(vault.tasks.update("paint", { blockedBy: ["buy paint"] }, { expectedRevision: "another" }));
    expect(await vault.text("Log.md")).toBe(LOG);
  });

  it("shares the sign with others that wait for the same, and a plan shows it", async () => {
    const lines = Array.from({ length: 3 }, (_, at) => `- [ ] t${at} #task\n`).join("");
    const vault = taskVault({ "Log.md": lines, "Other.md": "- [ ] first #task\n" }, MARKED);
    const { selection } = await vault.tasks.search({ query: "t0" });
    const updates = { blockedBy: ["first"] };
    const planned = await vault.tasks.updateMany([selection], updates, { plan: "show" });
    expect(await vault.text("Other.md")).toBe("- [ ] first #task\n");
    const outcome = await vault.tasks.updateMany(["t0", "t1", "t2"], updates);
    const sign = signOn(await vault.text("Other.md"));
    expect(planned.changes.map(({ after }) => after.blockedBy)).toEqual([[sign]]);
    expect((await vault.text("Log.md")).match(new RegExp(`⛔ ${sign}$`, "gmu"))).toHaveLength(3);
    await vault.vault.history.undoOperation(operationIn((outcome.kind === "done" && outcome.operation) || "") ?? "");
    expect([await vault.text("Log.md"), await vault.text("Other.md")]).toEqual([lines, "- [ ] first #task\n"]);
  });

  it("is found and signed where lines do not count of themselves", async () => {
    const vault = taskVault({ "Log.md": LOG });
    const { waitsFor } = await vault.tasks.update("Log.md:2", { blockedBy: ["Log.md:3"] });
    expect(waitsFor?.names).toEqual(["measure #task"]);
    expect(await vault.text("Log.md")).toContain("- [ ] paint 📅 2025-09-01 ⛔ m1\r\n");
  });
});

describe("a note that is to wait", () => {
  const files = {
    "Log.md": "- [ ] order #task ^order\n- [ ] other #task\n",
    "Kitchen.md": note("type: task\ntitle: Kitchen"),
  };

  it("may wait for a line that a link can lead to", async () => {
    const vault = taskVault(files, MARKED);
    const { waitsFor } = await vault.tasks.update("Kitchen", { blockedBy: ["order"] });
    expect(waitsFor?.names).toEqual(["order #task"]);
    expect(await vault.text("Kitchen.md")).toContain("[[Log#^order]]");
    expect((await refusal(vault.tasks.update("Kitchen", { blockedBy: ["other"] }))).hint).toMatch(/block id such as/);
  });

  it("keeps an entry that leads to no task", async () => {
    const kitchen = note('type: task\ntitle: Kitchen\nblockedBy:\n  - "[[Permit]]"');
    const vault = taskVault({ ...files, "Kitchen.md": kitchen }, MARKED);
    await vault.tasks.update("Kitchen", { blockedBy: ["[[Permit]]", "Log.md#^order"] });
    expect(await vault.text("Kitchen.md")).toBe(kitchen.replace('"[[Permit]]"', '"[[Permit]]"\n  - "[[Log#^order]]"'));
  });
});

describe("quick lines below a note", () => {
  it("wait for the lines behind `after`", async () => {
    const vault = taskVault({ "Log.md": "- [ ] order #task ^order\n" }, MARKED);
    const { operation } = await vault.tasks.addMany({ text: "Paint tomorrow after [[Log#^order]]\nRest", note: "Log" });
    const text = await vault.text("Log.md");
    const sign = signOn(text);
    expect(text).toBe(`- [ ] order #task 🆔 ${sign} ^order\n- [ ] Paint ⛔ ${sign} 📅 2025-08-31\n- [ ] Rest #task\n`);
    await vault.vault.history.undoOperation(operationIn(operation ?? "") ?? "");
    expect(await vault.text("Log.md")).toBe("- [ ] order #task ^order\n");
  });
});
