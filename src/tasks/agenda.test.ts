import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../test/kit/task-vault.js";

const task = (lines: string): string => note(`type: task\n${lines}`);

describe("agenda", () => {
  it("orders by status, due date, priority, title and path", async () => {
    const { tasks } = taskVault({
      "1.md": task("title: undated\nstatus: doing"),
      "2.md": task("title: late\nstatus: doing\ndue: 2025-09-09"),
      "3.md": task("title: soon\nstatus: doing\ndue: 2025-09-01"),
      "4.md": task("title: blocked\nstatus: blocked\ndue: 2020-01-01"),
      "5.md": task("title: own word\nstatus: evergreen\ndue: 2020-01-01"),
      "6.md": task("title: low\nstatus: todo\npriority: low"),
      "7.md": task("title: b\nstatus: todo\npriority: high"),
      "8.md": task("title: A\nstatus: todo\npriority: high"),
      "9.md": task("title: b\nstatus: todo\npriority: high"),
      "x.md": task("status: done"),
      "y.md": task("status: cancelled"),
      "_archive/z.md": task("status: todo"),
    });
    const agenda = await tasks.agenda();
    expect(agenda.outstanding.map(({ path }) => path[0]).join("")).toBe("321879645");
    expect(agenda.taskCount).toBe(12);
  });

  const dates = ["2025-08-29", "2025-08-30", "2025-08-31", "2025-09-06", "2025-09-07"];
  const files = Object.fromEntries(dates.map((date) => [`${date}.md`, task(`due: ${date}`)]));

  it("counts today as due and not overdue, and seven days as this week", async () => {
    const { overdue, dueThisWeek, today } = await taskVault(files).tasks.agenda();
    expect(today).toBe("2025-08-30");
    expect(overdue.map(({ due }) => due)).toEqual(["2025-08-29"]);
    expect(dueThisWeek.map(({ due }) => due)).toEqual(["2025-08-30", "2025-08-31", "2025-09-06"]);
  });

  // D03: the same instant is another calendar day elsewhere; the dates of the notes never move.
  it.each([
    ["Pacific/Kiritimati", "2025-08-31", ["2025-08-29", "2025-08-30"]],
    ["America/Los_Angeles", "2025-08-30", ["2025-08-29"]],
    ["UTC", "2025-08-30", ["2025-08-29"]],
  ])("takes the day of %s", async (timeZone, today, overdue) => {
    const agenda = await taskVault(files, { timeZone, now: "2025-08-30T12:00:00Z" }).tasks.agenda();
    expect([agenda.today, agenda.overdue.map(({ due }) => due)]).toEqual([today, overdue]);
  });

  // D05
  it.each(["1970-01-01", "2038-01-20"])("works on %s", async (day) => {
    const { tasks } = taskVault({ "x.md": task(`due: ${day}`) }, { now: `${day}T00:00:00Z` });
    expect((await tasks.agenda()).dueThisWeek).toHaveLength(1);
  });

  it("sees a note that changed a moment ago, and a new day", async () => {
    const { tasks, put } = taskVault({ "x.md": task("status: todo") });
    expect((await tasks.agenda()).outstanding).toHaveLength(1);
    await put("x.md", task("status: done"));
    expect((await tasks.agenda()).outstanding).toHaveLength(0);
  });

  it("names the PARA folders found", async () => {
    const { tasks } = taskVault({ "1. Projects/x.md": "", "Areas/y.md": "" });
    expect((await tasks.agenda()).paraFolders).toMatchObject({ projects: ["1. Projects"], areas: ["Areas"] });
  });
});
