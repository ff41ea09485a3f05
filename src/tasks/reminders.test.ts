/** Reminders of tasks, as TaskNotes and its app keep and ring them (docs: tasks, "Reminders"). */
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../test/kit/task-vault.js";
import { TaskCalendar } from "../calendar/task-calendar.js";
import { momentOf, parseReminders, readEntry, type Reminder } from "./fields/reminders.js";
import { parseLocalDate } from "../clock.js";

const PLUGINS = { ".obsidian/community-plugins.json": '["tasknotes"]' };
const OPTIONS = { now: "2026-11-28T09:00:00Z", timeZone: "Europe/Berlin" };
const TODAY = parseLocalDate("2026-11-28")!;
const vaultWith = (files: Readonly<Record<string, string>>, data: object = {}) =>
  taskVault({ ...PLUGINS, ".obsidian/plugins/tasknotes/data.json": JSON.stringify(data), ...files }, OPTIONS);
const task = (lines: string): string => note(`tags: [task]\nstatus: open\n${lines}`);

describe("an entry of another form", () => {
  it.each<readonly [string, unknown]>([
    ["text", "15m before due"],
    ["null", null],
    ["a list", []],
    ["without id", { type: "relative", relatedTo: "due", offset: "-PT15M" }],
    ["without type", { id: "a", relatedTo: "due", offset: "-PT15M" }],
    ["of an unknown day", { id: "a", type: "relative", relatedTo: "start", offset: "-PT15M" }],
    ...["P", "PT", "-", "15m", "-pt15m", "PT1.5H", "P1DT", "--PT1H", "-PT15M ", 15].map(
      (offset) => [`with the offset ${offset}`, { id: "a", type: "relative", relatedTo: "due", offset }] as const,
    ),
    ...["9:00", "2026-02-30T09:00:00", "2026-12-01T25:00:00", "2026-12-01", ""].map(
      (absoluteTime) => [`at ${absoluteTime}`, { id: "a", type: "absolute", absoluteTime }] as const,
    ),
  ])("%s is a problem, reminds of nothing and stays", async (_what, entry) => {
    const known = '{ "id": "b", "type": "relative", "relatedTo": "due", "offset": "-P1D" }';
    const before = task(`due: 2026-12-04\nreminders: [${JSON.stringify(entry)}, ${known}]`);
    const vault = vaultWith({ "T.md": before });
    expect((await vault.tasks.agenda()).problems).toMatchObject([{ path: "T.md", line: 5 }]);
    expect((await vault.task("T.md")).reminders).toMatchObject([{ at: "2026-12-03 00:00" }]);
    const { adjustments } = await vault.tasks.update("T.md", { reminders: "" });
    expect(await vault.text("T.md")).toBe(task(`due: 2026-12-04\nreminders: [${JSON.stringify(entry)}]`));
    expect(adjustments[0]).toBe("1 reminder that cannot be read stays.");
  });

  it("and one of a huge offset never fires", () => {
    const entry = readEntry({ id: "a", type: "relative", relatedTo: "due", offset: `P${"9".repeat(400)}Y` });
    expect(momentOf(entry as Reminder, { due: "2026-12-04" }, { timeZone: "UTC" })).toBeUndefined();
  });
});

it.each([
  ["P1Y2M3W4DT5H6M7S", "2026-01-01", "2027-03-26 05:06"],
  ["+PT15M", "2026-12-04T10:00", "2026-12-04 10:15"],
  ["-P1M", "2026-03-31", "2026-02-28 00:00"],
  ["-PT24H", "2027-03-29", "2027-03-27 23:00"],
  ["PT3H", "2027-03-28", "2027-03-28 04:00"],
  ["PT0M", "2026-12-04T23:45:00-05:00", "2026-12-05 05:45"],
])("an offset of %s from %s fires at %s", (offset, due, at) => {
  expect(momentOf({ relatedTo: "due", offset }, { due }, { timeZone: "Europe/Berlin" })).toBe(at);
});

it.each(["reminders:", "reminders: []", "reminders: null", 'reminders: ""'])("are a block below %s", async (empty) => {
  const vault = vaultWith({ "T.md": task(`due: 2026-12-04\n${empty}\npriority: low`) });
  await vault.tasks.update("T.md", { reminders: "at due" });
  expect(await vault.text("T.md")).toMatch(
    /\nreminders:\n {2}- id: rem_\w+\n {4}type: relative\n {4}relatedTo: due\n {4}offset: PT0M\npriority: low\n/,
  );
});

describe("words of reminders", () => {
  it.each([
    ["remind 2 hours before the due date", { relatedTo: "due", offset: "-PT2H" }],
    ["remind at due", { relatedTo: "due", offset: "PT0M" }],
    ["2hs before due", { relatedTo: "due", offset: "-PT2H" }],
    ["1 min after scheduled", { relatedTo: "scheduled", offset: "PT1M" }],
    ["2 weeks before due", { relatedTo: "due", offset: "-P14D" }],
    ["18:00 1 day before due", { relatedTo: "due", offset: "-PT6H", ofDay: true }],
    ["9:30 scheduled", { relatedTo: "scheduled", offset: "PT570M", ofDay: true }],
    ["00:00 1 day before due", { relatedTo: "due", offset: "-P1D", ofDay: true }],
    ["December 4, 2026 09:00", { absoluteTime: "2026-12-04T09:00:00" }],
    ["in 3 days 8:05", { absoluteTime: "2026-12-01T08:05:00" }],
  ])("%s", (words, reminder) => {
    expect(parseReminders(words, TODAY)).toEqual([reminder]);
  });

  it.each([
    "15 before due",
    "m before due",
    "1.5h before due",
    "10001m before due",
    "tomorrow",
    "18:30",
    "at noon",
    "x",
  ])("%s is none, and changes nothing", async (words) => {
    const vault = vaultWith({ "T.md": task("due: 2026-12-04") });
    const { message } = await refusal(vault.tasks.update("T.md", { reminders: `at due, ${words}` }));
    expect(message).toBe(
      `${JSON.stringify(words)} is no reminder. Write: 15m before due, at scheduled, 18:00 1 day before due, tomorrow 18:30.`,
    );
  });

  it.each([
    ["15m before scheduled", "due: 2026-12-04", "The task has no scheduled date to remind of."],
    ["at due", "due:", "The task has no due date to remind of."],
    ["18:00 1 day before due", "due: 2026-12-04T12:00", /has a clock time/],
    [Array.from({ length: 21 }, (_, at) => `${at}m before due`).join(), "due: 2026-12-04", /at most 20/],
  ])("%s of a task with %s is refused", async (words, lines, expected) => {
    const vault = vaultWith({ "T.md": task(lines) });
    expect((await refusal(vault.tasks.update("T.md", { reminders: words }))).message).toMatch(expected);
  });
});

it("answers name the moment, also of a past one", async () => {
  const vault = vaultWith({ "T.md": task("due: 2026-12-04\nscheduled: 2026-11-27T08:00") });
  const { adjustments } = await vault.tasks.update("T.md", { reminders: "15m before due, at scheduled, today 18:30" });
  expect(adjustments).toEqual([
    "Reminds Fri 2026-11-27 08:00 (in the past).",
    "Reminds Sat 2026-11-28 18:30.",
    "Reminds Thu 2026-12-03 23:45: due has no clock time, so it counts from 00:00.",
  ]);
});

it("reminders of the same meaning keep their bytes, in brackets too, and none leave no key", async () => {
  const vault = vaultWith({
    "T.md": task('due: 2026-12-04\nreminders: [{id: "x", type: relative, relatedTo: due, offset: "PT-0M"}] # mine'),
    "U.md": task("due: 2026-12-04\nreminders: [{id: a, type: relative, relatedTo: due, offset: -PT60M}] # mine"),
    "V.md": task("due: 2026-12-04\nreminders:"),
  });
  await vault.tasks.update("U.md", { reminders: "1h before due, at due" });
  expect(await vault.text("U.md")).toMatch(
    /\nreminders: \[\{id: a, type: relative, relatedTo: due, offset: -PT60M\}, \{ id: "rem_\w{6}", type: "relative", relatedTo: "due", offset: "PT0M" \}\] # mine\n/,
  );
  await vault.tasks.update("V.md", { reminders: "at due" });
  expect(await vault.text("V.md")).toMatch(/\nreminders:\n {2}- id: rem_\w{6}\n {4}type: relative\n/);
  await vault.tasks.update("V.md", { reminders: "" });
  expect(await vault.text("V.md")).toBe(task("due: 2026-12-04"));
});

it("are refused on a line, and where TaskNotes is not on and no task has any", async () => {
  const vault = taskVault({ "T.md": task("due: 2026-12-04"), "L.md": "- [ ] a 📅 2026-12-04\n" });
  expect((await refusal(vault.tasks.update("T.md", { reminders: "at due" }))).message).toMatch(/not on in this vault/);
  expect((await refusal(vault.tasks.update("L.md:1", { reminders: "at due" }))).message).toMatch(
    /cannot hold reminders/,
  );
  const line = "Call due 2026-12-04 remind at due";
  expect((await refusal(vault.tasks.addMany({ text: line, note: "L.md" }))).message).toMatch(/cannot hold remind/);
});

it("in quick lines count only when they are whole, at any place of the fields", async () => {
  const vault = vaultWith({});
  const titles = ["remind Anna at noon", "Call remind 15 before due", "Call remind 1h before due due 2026-12-04 !high"];
  const { tasks } = await vault.tasks.addMany({ text: titles.join("\n") });
  expect(tasks.map(({ title, task: made }) => [title, made?.reminders.map(({ at }) => at)])).toEqual([
    ["remind Anna at noon", []],
    ["Call remind 15 before due", []],
    ["Call", ["2026-12-03 23:00"]],
  ]);
});

it('a new note has TaskNotes\' own where none are given, and `""` leaves them out', async () => {
  const defaultReminders = [
    { id: "a", type: "relative", relatedTo: "due", offset: 1, unit: "hours", direction: "before", description: "Soon" },
    { id: "b", type: "absolute", absoluteDate: "2026-12-01", absoluteTime: "09:00" },
    { id: "c", type: "relative", relatedTo: "never", offset: 1, unit: "hours" },
  ];
  const vault = vaultWith({}, { taskCreationDefaults: { defaultReminders } });
  const { task: made } = await vault.tasks.create({ title: "A", area: "X" });
  expect(await vault.text(made.path)).toMatch(
    /\nreminders:\n {2}- id: rem_\w{6}\n {4}type: relative\n {4}relatedTo: due\n {4}offset: -PT1H\n {4}description: "Soon"\n {2}- id: rem_\w{6}\n {4}type: absolute\n {4}absoluteTime: 2026-12-01T09:00:00\n/,
  );
  const { task: bare } = await vault.tasks.create({ title: "B", area: "X", reminders: "" });
  expect(await vault.text(bare.path)).not.toContain("reminders");
});

it("are listed on their days in the agenda", async () => {
  const own = "- id: a\n  type: relative\n  relatedTo: due\n  offset: -PT15M\n";
  const vault = vaultWith({
    "T.md": task(`due: 2026-12-04\nreminders:\n${own}- id: b\n  type: relative\n  relatedTo: due\n  offset: PT9H`),
  });
  const { sections } = await vault.tasks.days({ week: true });
  expect(sections.map(({ day, entries }) => [day, entries.map(({ remind }) => remind)])).toEqual([
    ["2026-12-03", [["23:45"]]],
    ["2026-12-04", [["09:00"]]],
  ]);
});

it("are alarms of the calendar, of the event of their day", async () => {
  const list = [
    { id: "a", type: "relative", relatedTo: "due", offset: "-PT15M" },
    { id: "b", type: "relative", relatedTo: "scheduled", offset: "PT9H" },
    { id: "c", type: "absolute", absoluteTime: "2026-12-01T09:00:00" },
  ];
  const days = ["-P1D", "-P2DT3H30M", "P1DT9H"].map((offset, at) => ({
    id: `d${at}`,
    type: "relative",
    relatedTo: "due",
    offset,
  }));
  const { tasks } = vaultWith({
    "Days.md": task(`due: 2026-12-03\nreminders: ${JSON.stringify(days)}`),
    "T.md": task(`due: 2026-12-04\nscheduled: 2026-12-02\nreminders: ${JSON.stringify(list)}`),
  });
  const calendar = new TaskCalendar({ tasks, vaultId: "v", linkTo: () => undefined });
  const text = (await calendar.read("T", { dates: "both" })).bytes.toString();
  const events = text
    .split("BEGIN:VEVENT")
    .slice(1)
    .map((event) => event.match(/^(DTSTART|TRIGGER).*$/gm));
  expect(events.map((lines) => lines?.map((line) => line.trim()))).toEqual([
    ["DTSTART;VALUE=DATE:20261202", "TRIGGER:PT9H"],
    ["DTSTART;VALUE=DATE:20261203", "TRIGGER:-P2DT3H30M", "TRIGGER:-P1D", "TRIGGER:P1DT9H"],
    ["DTSTART;VALUE=DATE:20261204", "TRIGGER;VALUE=DATE-TIME:20261201T080000Z", "TRIGGER:-PT15M"],
  ]);
});
