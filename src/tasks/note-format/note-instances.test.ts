import { describe, expect, it } from "vitest";
import { note, refusal, taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import { vaultPath } from "../../storage/path.js";
import type { TaskUpdates } from "../api.js";
import type { SeriesOutcome } from "../format.js";

const NOW = "2026-11-21T12:00:00Z"; // a Saturday
const vaultWith = (files: Readonly<Record<string, string>>): TaskVault => taskVault(files, { now: NOW });
const settings = (name: string, value: unknown) => ({ [`.obsidian/${name}`]: JSON.stringify(value) });

/** What a note's frontmatter becomes by an update, and what the call says of the series. */
async function after(
  frontmatter: string,
  updates: TaskUpdates,
  others: Readonly<Record<string, string>> = {},
): Promise<{ readonly lines: string; readonly series: SeriesOutcome | undefined }> {
  const vault = vaultWith({ ...others, "x.md": note(`id: t\ntype: task\n${frontmatter}`, "# T\n") });
  const { series } = await vault.tasks.update("t", updates);
  const text = await vault.text("x.md");
  expect(text.endsWith("---\n# T\n")).toBe(true);
  return { lines: text.slice("---\nid: t\ntype: task\n".length, -"\n---\n# T\n".length), series };
}
const DONE: TaskUpdates = { status: "Done" };

describe("an RRULE in a note", () => {
  const weekly = [
    "status: open # stays",
    "recurrence: DTSTART:20261107;FREQ=WEEKLY",
    "scheduled: 2026-11-21T09:30",
    "due: 2026-11-23",
    "complete_instances:",
    "  - 2026-11-07",
    "  - 2026-11-14",
    "skipped_instances: []",
    "dateModified: 2026-11-01T08:00:00.000+01:00",
  ].join("\n");

  it("is finished by its list and its days, and its status stays", async () => {
    const { lines, series } = await after(weekly, DONE);
    expect(lines).toBe(
      weekly
        .replace("2026-11-21T09:30", "2026-11-28T09:30")
        .replace("due: 2026-11-23", "due: 2026-11-30")
        .replace("  - 2026-11-14", "  - 2026-11-14\n  - 2026-11-21")
        .replace("2026-11-01T08:00:00.000+01:00", "2026-11-21T12:00:00.000+00:00"),
    );
    expect(series).toEqual({ kind: "done", day: "2026-11-21", next: "2026-11-28", ended: false });
  });

  it("leaves due where it is when it does not fall before the next day", async () => {
    const { lines } = await after(weekly.replace("due: 2026-11-23", "due: 2026-12-31"), DONE);
    expect(lines).toContain("due: 2026-12-31");
    const moving = settings("plugins/tasknotes/data.json", { maintainDueDateOffsetInRecurring: true });
    const moved = await after(weekly.replace("due: 2026-11-23", "due: 2026-12-31"), DONE, moving);
    expect(moved.lines).toContain("due: 2027-01-07");
  });

  it("is finished once by the same call twice", async () => {
    const vault = vaultWith({ "x.md": note(`id: t\ntype: task\n${weekly}`) });
    await vault.tasks.update("t", DONE);
    const text = await vault.text("x.md");
    const again = await vault.tasks.update("t", DONE);
    expect([again.changed, again.series]).toEqual([
      false,
      { kind: "unchanged", action: "done", day: "2026-11-21", ended: false },
    ]);
    expect(await vault.text("x.md")).toBe(text);
    const named = await vault.tasks.update("t", { status: "Done", occurrence: "2026-11-21" });
    expect(named.changed).toBe(false);
  });

  it("goes on when the day is named", async () => {
    const vault = vaultWith({ "x.md": note(`id: t\ntype: task\n${weekly}`) });
    await vault.tasks.update("t", DONE);
    const { series } = await vault.tasks.update("t", { status: "Done", occurrence: "next saturday" });
    expect(series).toMatchObject({ day: "2026-11-28", next: "2026-12-05" });
  });

  it("is skipped by the other list", async () => {
    const { lines, series } = await after(weekly, { occurrence: "skip" });
    expect(lines).toContain("skipped_instances: [2026-11-21]");
    expect(lines).toContain("scheduled: 2026-11-28T09:30");
    expect(series).toMatchObject({ kind: "skipped", day: "2026-11-21", next: "2026-11-28" });
    const other = await after(weekly, { occurrence: "skip 2026-12-05" });
    expect(other.lines).toContain("skipped_instances: [2026-12-05]");
    const none = await refusal(after(weekly, { occurrence: "skip 2026-12-06" }));
    expect([none.code, none.hint]).toEqual([
      "INVALID_ARGUMENT",
      "Days of it: 2026-12-05, 2026-12-12. Nothing was changed.",
    ]);
    expect(other.lines).toContain("scheduled: 2026-11-21T09:30");
  });

  it("is reopened by To Do", async () => {
    const vault = vaultWith({ "x.md": note(`id: t\ntype: task\n${weekly}`) });
    await vault.tasks.update("t", DONE);
    const { series, changed } = await vault.tasks.update("t", { status: "To Do" });
    expect([series?.kind, series?.day, changed]).toEqual(["reopened", "2026-11-21", true]);
    expect(await vault.text("x.md")).not.toContain("  - 2026-11-21");
  });

  it("gets what it lacks, and nothing else", async () => {
    const { lines } = await after("recurrence: FREQ=DAILY;INTERVAL=2\nscheduled: 2026-11-21", DONE);
    expect(lines).toBe(
      "recurrence: DTSTART:20261121;FREQ=DAILY;INTERVAL=2\nscheduled: 2026-11-23\ncomplete_instances:\n  - 2026-11-21",
    );
  });

  it("counts from completion", async () => {
    const before =
      "recurrence: DTSTART:20261101;FREQ=DAILY;INTERVAL=3\nrecurrence_anchor: completion\nscheduled: 2026-11-19";
    const { lines, series } = await after(before, DONE);
    expect(lines).toContain("recurrence: DTSTART:20261121;FREQ=DAILY;INTERVAL=3");
    expect(lines).toContain("scheduled: 2026-11-24");
    expect(series?.day).toBe("2026-11-21");
  });

  it("ends without a day, is not outstanding then, and is closed by one more Done", async () => {
    const text = note(
      "id: t\ntype: task\nstatus: open\nrecurrence: DTSTART:20261114;FREQ=WEEKLY;COUNT=2\nscheduled: 2026-11-21\ncompleted:",
    );
    const vault = vaultWith({ "x.md": text });
    const { series } = await vault.tasks.update("t", DONE);
    expect(series).toEqual({ kind: "done", day: "2026-11-21", ended: true });
    expect((await vault.tasks.agenda()).outstanding).toEqual([]);
    expect(await vault.text("x.md")).toContain("status: open");
    const again = await vault.tasks.update("t", DONE);
    expect([again.series?.kind, again.task.status]).toEqual(["closed", "Done"]);
    expect(await vault.text("x.md")).toMatch(/status: done\n.*\nscheduled: 2026-11-21\ncompleted:\n/s);
  });

  it.each([
    ["recurrence: FREQ=HOURLY", "FREQ=HOURLY"],
    ["recurrence: FREQ=WEEKLY;INTERVAL=0", "INTERVAL=0"],
    ["recurrence: FREQ=WEEKLY;INTERVAL=-1", "INTERVAL=-1"],
    ["recurrence: FREQ=DAILY;BYFOO=1", "BYFOO"],
    ["repeat: every weekend", "every weekend"],
    ["recurring: true", "true"],
    ["every: [monday, friday]", "monday, friday"],
    ["recurrence: {freq: weekly}", "freq"],
    ["recurrence:\nrepeat: every blue moon", "every blue moon"],
  ])("that is not understood is refused, unless the next day is named: %s", async (rule, named) => {
    const text = note(`id: t\ntype: task\nstatus: todo\n${rule}\nscheduled: 2026-11-21`, "# T\n");
    const vault = vaultWith({ "x.md": text });
    const error = await refusal(vault.tasks.update("t", { status: "Done", title: "New" }));
    expect([error.code, error.message.includes(named)]).toEqual(["INVALID_ARGUMENT", true]);
    expect(await vault.text("x.md")).toBe(text);
    const { task } = await vault.tasks.update("t", { status: "Done", scheduled: "2026-11-30" });
    expect([task.scheduled, task.status, task.series === undefined]).toEqual(["2026-11-30", "To Do", false]);
  });

  it.each([
    "recurrence: FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    "recurrence: DTSTART:20261121;FREQ=DAILY;UNTIL=20261101",
  ])("that never occurs ends and writes no invalid day: %s", async (rule) => {
    const vault = vaultWith({ "x.md": note(`id: t\ntype: task\nstatus: todo\n${rule}\nscheduled: 2026-11-21`) });
    await vault.tasks.update("t", DONE);
    expect(await vault.text("x.md")).not.toMatch(/Invalid|NaN|undefined/);
  });

  it("is no task done for good by two writers at once", async () => {
    const vault = vaultWith({ "x.md": note(`id: t\ntype: task\n${weekly}`) });
    const both = await Promise.allSettled([vault.tasks.update("t", DONE), vault.tasks.update("t", DONE)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await vault.text("x.md")).match(/ {2}- 2026-11-2/g)).toHaveLength(1);
  });
});

describe("words in a note", () => {
  it.each([
    ["repeat: weekly", "due: 2026-11-20", "due: 2026-11-27"],
    ["repeat: every 2 weeks on Friday", "due: 2026-11-20", "due: 2026-12-04"],
    ["Repeats: monthly", "due: 2026-01-31", "due: 2026-02-28"],
    ["recurrence: every day when done", "due: 2026-11-01", "due: 2026-11-22"],
    ["every: weekdays", "due: 2026-11-20", "due: 2026-11-23"],
  ])("%s, %s", async (rule, before, moved) => {
    const { lines, series } = await after(`status: doing\n${rule}\n${before}`, DONE);
    expect(lines).toBe(`status: to do\n${rule}\n${moved}`);
    expect(series).toMatchObject({ kind: "done", day: before.slice(5), next: moved.slice(5), ended: false });
  });

  it("move all days by one distance, with their clocks", async () => {
    const { lines } = await after(
      "repeat: weekly\nstart: 2026-11-17\nscheduled: 2026-11-19 08:00\ndue: 2026-11-21T18:00:00Z",
      DONE,
    );
    expect(lines).toBe("repeat: weekly\nstart: 2026-11-24\nscheduled: 2026-11-26 08:00\ndue: 2026-11-28T18:00:00Z");
  });

  it("close the note with the last one", async () => {
    const { lines, series } = await after("status: todo\nrepeat: every week until 2026-11-25\ndue: 2026-11-21", DONE);
    expect(lines).toBe("status: done\nrepeat: every week until 2026-11-25\ndue: 2026-11-21");
    expect(series).toMatchObject({ kind: "done", ended: true });
  });

  it("need a day to count from", async () => {
    const vault = vaultWith({ "x.md": note("id: t\ntype: task\nrepeat: weekly") });
    expect((await refusal(vault.tasks.update("t", DONE))).message).toMatch(/no day/);
  });

  it("are finished once by the same call twice, also after other edits of the note and in another process", async () => {
    const vault = vaultWith({ "x.md": note("id: t\ntype: task\nrepeat: weekly\ndue: 2026-11-20") });
    await vault.tasks.update("t", DONE);
    await vault.tasks.update("t", { priority: "High" });
    const text = await vault.text("x.md");
    for (const { tasks } of [vault, vault.reopened()]) {
      const again = await tasks.update("t", DONE);
      expect([again.changed, again.series]).toEqual([
        false,
        { kind: "unchanged", action: "done", day: "2026-11-20", next: "2026-11-27", ended: false },
      ]);
    }
    expect(await vault.text("x.md")).toBe(text);
    const many = await vault.tasks.updateMany(["t"], DONE);
    expect(many.changes.map(({ changed }) => changed)).toEqual([false]);
    const named = await vault.tasks.update("t", { ...DONE, occurrence: "2026-11-27" });
    expect(named.series).toMatchObject({ kind: "done", next: "2026-12-04" });
  });

  it("are finished early, and again when that was taken back or its day was moved", async () => {
    const vault = vaultWith({ "x.md": note("id: t\ntype: task\nrepeat: weekly\ndue: 2026-11-27") });
    expect((await vault.tasks.update("t", DONE)).series).toMatchObject({ kind: "done", next: "2026-12-04" });
    await vault.vault.history.undo(vaultPath("x.md"));
    expect((await vault.tasks.update("t", DONE)).series).toMatchObject({ kind: "done", next: "2026-12-04" });
    await vault.tasks.update("t", { dueDate: "2026-12-01" });
    expect((await vault.tasks.update("t", DONE)).series).toMatchObject({ kind: "done", day: "2026-12-01" });
    const skipped = vaultWith({ "x.md": note("id: t\ntype: task\nrepeat: weekly\ndue: 2026-11-20") });
    await skipped.tasks.update("t", { occurrence: "skip" });
    expect((await skipped.tasks.update("t", DONE)).series).toMatchObject({ kind: "done", day: "2026-11-27" });
  });

  it("are not moved twice when the instance is named", async () => {
    const vault = vaultWith({ "x.md": note("id: t\ntype: task\nrepeat: weekly\ndue: 2026-11-21") });
    const finish = () => vault.tasks.update("t", { status: "Done", occurrence: "2026-11-21" });
    expect([(await finish()).changed, (await finish()).changed]).toEqual([true, false]);
    expect((await vault.task("x.md")).due).toBe("2026-11-28");
  });
});

describe("a rule", () => {
  it.each<[string, string, TaskUpdates, string]>([
    [
      "in words becomes an RRULE",
      "due: 2026-11-27",
      { recurrence: "every week" },
      "due: 2026-11-27\nrecurrence: DTSTART:20261127;FREQ=WEEKLY",
    ],
    [
      "of a long month",
      "scheduled: 2026-01-31",
      { recurrence: "every month" },
      "scheduled: 2026-01-31\nrecurrence: DTSTART:20260131;FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
    ],
    [
      "when done",
      "due: 2026-11-27",
      { recurrence: "every day when done" },
      "due: 2026-11-27\nrecurrence: DTSTART:20261127;FREQ=DAILY\nrecurrence_anchor: completion",
    ],
    [
      "given as an RRULE says nothing of what it counts from",
      "due: 2026-11-27\nrecurrence: DTSTART:20261127;FREQ=DAILY\nrecurrence_anchor: completion",
      { recurrence: "FREQ=WEEKLY" },
      "due: 2026-11-27\nrecurrence: DTSTART:20261127;FREQ=WEEKLY\nrecurrence_anchor: completion",
    ],
    [
      "is given with its day",
      "status: todo",
      { recurrence: "FREQ=DAILY", scheduled: "tomorrow" },
      "status: todo\nrecurrence: DTSTART:20261122;FREQ=DAILY\nscheduled: 2026-11-22",
    ],
    [
      "changes in the note's own words",
      "repeat: weekly\ndue: 2026-11-27",
      { recurrence: "every 2 weeks" },
      "repeat: every 2 weeks\ndue: 2026-11-27",
    ],
    [
      "an RRULE for words",
      "repeat: weekly\ndue: 2026-11-27",
      { recurrence: "FREQ=MONTHLY" },
      "repeat: every month\ndue: 2026-11-27",
    ],
    ["is taken away", "repeat: weekly\ndue: 2026-11-27", { recurrence: "" }, "repeat:\ndue: 2026-11-27"],
    [
      "is put into an empty key",
      "repeat:\ndue: 2026-11-27",
      { recurrence: "FREQ=DAILY" },
      "repeat: DTSTART:20261127;FREQ=DAILY\ndue: 2026-11-27",
    ],
    [
      "stays when the day moves",
      "recurrence: DTSTART:20261101;FREQ=WEEKLY\nscheduled: 2026-11-22",
      { scheduled: "2026-11-24" },
      "recurrence: DTSTART:20261101;FREQ=WEEKLY\nscheduled: 2026-11-24",
    ],
    [
      "ends, then Done is done",
      "status: todo\nrepeat: weekly\ndue: 2026-11-27",
      { recurrence: "", status: "Done" },
      "status: done\nrepeat:\ndue: 2026-11-27",
    ],
  ])("%s", async (_name, before, updates, wanted) => {
    expect((await after(before, updates)).lines).toBe(wanted);
  });

  it.each<[TaskUpdates, RegExp]>([
    [{ recurrence: "every week" }, /needs a day/],
    [{ recurrence: "every weekend", dueDate: "today" }, /no rule that can be followed/],
    [{ recurrence: "FREQ=HOURLY", dueDate: "today" }, /no rule that can be followed/],
    [{ status: "Done", occurrence: "today" }, /does not repeat/],
    [{ occurrence: "today" }, /nothing says what to do/],
    [{ occurrence: "skip", status: "Done" }, /also get a status/],
    [{ status: "Done", occurrence: "someday" }, /not a day I know/],
  ])("%j is refused", async (updates, message) => {
    const text = note("id: t\ntype: task");
    const vault = vaultWith({ "x.md": text });
    expect((await refusal(vault.tasks.update("t", updates))).message).toMatch(message);
    expect(await vault.text("x.md")).toBe(text);
  });

  it("is written for a new task in the vault's words", async () => {
    const empty = vaultWith({});
    const one = await empty.tasks.create({ title: "A", area: "W", recurrence: "every week", scheduled: "friday" });
    expect(await empty.text(one.task.path)).toContain("recurrence: DTSTART:20261127;FREQ=WEEKLY\n");
    const worded = vaultWith({ "_projects/o.md": note("type: task\nrepeat: weekly\ndue: 2026-11-21") });
    const other = await worded.tasks.create({ title: "A", area: "W", recurrence: "every week", dueDate: "friday" });
    expect(await worded.text(other.task.path)).toContain("repeat: every week\n");
    const error = await refusal(empty.tasks.create({ title: "B", area: "W", recurrence: "every week" }));
    expect(error.message).toMatch(/needs a day/);
  });
});

describe("an occurrence note", () => {
  const files = {
    "Water.md": note("type: task\nrecurrence: DTSTART:20261101;FREQ=DAILY\nscheduled: 2026-11-21"),
    "Water 21.md": note('type: task\nstatus: todo\nrecurrence_parent: "[[Water]]"\noccurrence_date: 2026-11-21'),
  };

  it.each(["Water 21.md", "Water.md", "op-"])(
    "changes its series with it, in one operation that %s undoes",
    async (what) => {
      const vault = vaultWith(files);
      const { operation = "", alsoChanged, undoable } = await vault.tasks.update("Water 21.md", DONE);
      expect([alsoChanged, undoable, operation]).toEqual([["Water.md"], true, expect.stringMatching(/^op-/)]);
      if (what === "op-") await vault.vault.history.undoOperation(operation.slice("op-".length));
      else await vault.vault.history.undo(vaultPath(what));
      for (const [path, text] of Object.entries(files)) expect(await vault.text(path)).toBe(text);
    },
  );

  it("names its series in a plan and in what was done", async () => {
    const vault = vaultWith(files);
    const { selection } = await vault.tasks.search({ query: "Water 21" });
    const plan = await vault.tasks.updateMany([selection], DONE, { plan: "show" });
    expect(plan.changes.map(({ alsoChanged }) => alsoChanged)).toEqual([["Water.md"]]);
    const done = await vault.tasks.updateMany(["Water 21.md"], DONE);
    expect(done.changes.map(({ alsoChanged }) => alsoChanged)).toEqual([["Water.md"]]);
  });

  it("speaks for its day", async () => {
    const vault = vaultWith(files);
    await vault.tasks.update("Water 21.md", DONE);
    expect(await vault.text("Water 21.md")).toContain("status: done");
    expect(await vault.text("Water.md")).toContain("scheduled: 2026-11-22\ncomplete_instances:\n  - 2026-11-21");
  });

  it("counts from the day it was finished where the series counts from completion", async () => {
    const series = "recurrence: DTSTART:20261109;FREQ=WEEKLY\nrecurrence_anchor: completion\nscheduled: 2026-11-09";
    const vault = vaultWith({
      "Water.md": note(`type: task\n${series}`),
      "Water 18.md": note('type: task\nstatus: todo\nrecurrence_parent: "[[Water]]"\noccurrence_date: 2026-11-18'),
    });
    await vault.tasks.update("Water 18.md", DONE);
    const text = await vault.text("Water.md");
    expect(text).toContain("DTSTART:20261121;FREQ=WEEKLY");
    expect(text).toContain("scheduled: 2026-11-28\ncomplete_instances:\n  - 2026-11-18");
    const again = await vault.tasks.update("Water.md", { ...DONE, occurrence: "2026-11-18" });
    expect(again.changed).toBe(false);
    await vault.tasks.update("Water.md", { ...DONE, occurrence: "2026-11-11" });
    expect(await vault.text("Water.md")).toContain("scheduled: 2026-11-28\n");
  });

  it("stays as it was when its series cannot be told", async () => {
    const broken = files["Water.md"].replace("FREQ=DAILY", "FREQ=HOURLY");
    const vault = vaultWith({ ...files, "Water.md": broken });
    expect((await refusal(vault.tasks.update("Water 21.md", DONE))).message).toMatch(/not understood/);
    expect([await vault.text("Water 21.md"), await vault.text("Water.md")]).toEqual([files["Water 21.md"], broken]);
  });

  it("without its series is a task like others", async () => {
    const vault = vaultWith({ "Water 21.md": files["Water 21.md"] });
    expect((await vault.tasks.update("Water 21.md", DONE)).task.status).toBe("Done");
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
    "repeated: 3",
  ])("%s", async (line) => {
    const { lines, series } = await after(`status: todo\n${line}`, DONE);
    expect([lines, series]).toEqual([`status: done\n${line}`, undefined]);
  });
});

describe("a rule where TaskNotes is on", () => {
  const taskNotes = {
    ".obsidian/community-plugins.json": '["tasknotes"]',
    ".obsidian/plugins/tasknotes/data.json": "{}",
    "x.md": note("id: t\ntags: [task]\ndue: 2026-11-20\nrepeat: weekly"),
  };

  it("is written as TaskNotes reads it, under its key, and the answer names the key that stays", async () => {
    const vault = vaultWith(taskNotes);
    const { adjustments } = await vault.tasks.update("t", { recurrence: "every 2 weeks" });
    const rule = "recurrence: DTSTART:20261120;FREQ=WEEKLY;INTERVAL=2";
    expect(await vault.text("x.md")).toBe(note(`id: t\ntags: [task]\ndue: 2026-11-20\nrepeat: weekly\n${rule}`));
    expect(adjustments).toEqual(['"repeat" is as it was: TaskNotes reads "recurrence", which has the new value.']);
    await vault.tasks.update("t", { recurrence: "" });
    expect(await vault.task("t")).toMatchObject({ series: undefined });
    const words = note("id: t\ntags: [task]\ndue: 2026-11-20\nrecurrence: weekly");
    await vault.put("x.md", words);
    await vault.tasks.update("t", { recurrence: "every 2 weeks" });
    expect(await vault.text("x.md")).toBe(words.replace("recurrence: weekly", rule));
  });

  it("in words is not said to be open again where it was open", async () => {
    const vault = vaultWith(taskNotes);
    expect(await vault.tasks.update("t", { status: "To Do" })).not.toHaveProperty("series");
  });
});
