import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";

describe("a task that repeats", () => {
  it.each([
    ["recurrence: DTSTART:20261108T093000Z;FREQ=WEEKLY;BYDAY=SA", '"recurrence: DTSTART:20261108T093000Z;FREQ=WEEKLY;'],
    ['rrule: "FREQ=DAILY"', '"rrule: FREQ=DAILY"'],
    ["repeat: weekly", '"repeat: weekly"'],
    ["Repeats: every month on the 1st # rent", '"Repeats: every month on the 1st"'],
    ["recurring: true", '"recurring: true"'],
    ["every: [monday, friday]", '"every: monday, friday"'],
    ["every:\n  - monday", '"every: monday"'],
    ["every: 2", '"every: 2"'],
    ["recurrence: {freq: weekly}", '"recurrence"'],
    ["repeat:\nrrule: FREQ=DAILY", '"rrule: FREQ=DAILY"'],
  ])("is not finished for good, %s", async (rule, named) => {
    for (const state of ["status: todo", "done: false", "area: Home"]) {
      const text = note(`id: t\ntype: task\ndue: 2025-08-30\n${state}\n${rule}`, "# T\n");
      const vault = taskVault({ "x.md": text });
      const error = await refusal(vault.tasks.update("t", { status: "Done", title: "New" }));
      expect([error.code, error.path]).toEqual(["INVALID_ARGUMENT", "x.md"]);
      expect(error.message).toContain(named);
      expect(error.hint).toMatch(/dueDate/);
      expect(await vault.text("x.md")).toBe(text);
    }
  });

  it("takes every other change, and says its rule at no great length on one line", async () => {
    const vault = taskVault({ "x.md": note(`id: t\ntype: task\nrepeat: "every\\n${"day ".repeat(200)}"`) });
    await vault.tasks.update("t", { status: "In Progress", dueDate: "2025-09-06" });
    const { message } = await refusal(vault.tasks.update("t", { status: "Done" }));
    expect(message).toContain("every day day");
    expect(message.length).toBeLessThan(300);
  });

  it("may be said to be done once more when it is", async () => {
    const text = note("id: t\ntype: task\nstatus: done\nrepeat: weekly");
    const vault = taskVault({ "x.md": text });
    expect((await vault.tasks.update("t", { status: "Done" })).changed).toBe(false);
  });
});

describe("a task without a rule is finished", () => {
  it.each([
    "recurrence:",
    'recurrence: ""',
    "repeat: null",
    "every: []",
    "recurring: false",
    "repeat: None",
    "repeat: never",
    "recurrence_parent: '[[T]]'",
    "repeated: 3",
  ])("%s", async (line) => {
    const vault = taskVault({ "x.md": note(`id: t\ntype: task\nstatus: todo\n${line}`) });
    await vault.tasks.update("t", { status: "Done" });
    expect(await vault.text("x.md")).toBe(note(`id: t\ntype: task\nstatus: done\n${line}`));
  });
});
