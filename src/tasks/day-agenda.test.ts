/** What get_agenda's views are made of: days, reviews, projects, and the days on which series come around again. */
import { describe, expect, it } from "vitest";
import { day, task as taskWith } from "../../test/kit/known-tasks.js";
import { rowsOf } from "../../test/kit/task-rows.js";
import { note, refusal, taskVault } from "../../test/kit/task-vault.js";
import { headingOf } from "../tools/tasks/agenda-text.js";
import { type AgendaSection, dayAgenda, readSpan, spanFrom } from "./agenda.js";
import { laterInstances } from "./recurrence/series.js";
import type { Series, Task } from "./task.js";

const TODAY = day("2026-11-21");
const ONCE: Series = { rule: "", anchor: "scheduled", completed: [], skipped: [] };
const series = (rule: string, given: Partial<Series> = {}): Series => ({ ...ONCE, rule, ...given });

/** `Overdue (1): A | Sat 2026-11-21 (2): B, C (projected)` */
const said = (sections: readonly AgendaSection[]): string =>
  sections
    .map(
      ({ kind, day, entries }) =>
        `${headingOf(kind, day)} (${entries.length}): ${entries.map(({ task, projected }) => `${task.title}${projected ? " (projected)" : ""}`).join(", ")}`,
    )
    .join(" | ");
const agenda = async (tasks: readonly Task[], from = TODAY, days = 7) =>
  said(dayAgenda(await rowsOf(tasks, TODAY), spanFrom(from, days), TODAY));

describe("an agenda of days", () => {
  it("lists a task once, under its first day, and overdue ones after the days", async () => {
    const tasks = [
      taskWith({ title: "Late", due: day("2026-11-19"), scheduled: day("2026-11-22") }),
      taskWith({ title: "Both", due: day("2026-11-25"), scheduled: day("2026-11-23") }),
      taskWith({ title: "Due", due: day("2026-11-21"), priority: "Low" }),
      taskWith({ title: "Urgent", due: day("2026-11-21"), priority: "High" }),
      taskWith({ title: "Put off", scheduled: day("2026-11-20") }),
      taskWith({ title: "Far", due: day("2026-11-28") }),
      taskWith({ title: "Done", due: day("2026-11-22"), status: "Done" }),
      taskWith({ title: "Archived", due: day("2026-11-22"), archived: true }),
      taskWith({ title: "Undated" }),
    ];
    expect(await agenda(tasks)).toBe(
      "Sat 2026-11-21 (3): Urgent, Due, Put off | Mon 2026-11-23 (1): Both | Overdue (1): Late",
    );
  });

  it("lists tasks with a clock time on the day first, by that time", async () => {
    const at = (title: string, time: string, given: Partial<Task> = {}) =>
      taskWith({ title, scheduled: day("2026-11-22"), times: { scheduled: time }, ...given });
    const tasks = [
      at("Evening", "20:00", { status: "In Progress" }),
      at("Morning", "08:30"),
      taskWith({ title: "Noon", due: day("2026-11-22"), times: { due: "12:00" } }),
      taskWith({ title: "All day", due: day("2026-11-22"), priority: "High", status: "In Progress" }),
      at("Other", "07:00", { scheduled: day("2026-11-23"), due: day("2026-11-22"), times: { scheduled: "07:00" } }),
    ];
    expect(await agenda(tasks)).toBe("Sun 2026-11-22 (5): Morning, Noon, Evening, All day, Other");
  });

  it("shows later days alone when asked, what was put off stays with today", async () => {
    const tasks = [taskWith({ title: "Put off", scheduled: day("2026-11-20"), due: day("2026-11-30") })];
    expect(await agenda(tasks, day("2026-11-29"), 2)).toBe("Mon 2026-11-30 (1): Put off");
    expect(await agenda(tasks)).toBe("Sat 2026-11-21 (1): Put off");
  });

  it("lists what is overdue only where today is among the days, else under its own day", async () => {
    const tasks = [
      taskWith({ title: "Late", due: day("2026-11-19") }),
      taskWith({ title: "Next", due: day("2026-11-25") }),
    ];
    expect(await agenda(tasks, day("2026-11-23"), 7)).toBe("Wed 2026-11-25 (1): Next");
    expect(await agenda(tasks, day("2026-11-16"), 5)).toBe("Thu 2026-11-19 (1): Late");
    expect(await agenda(tasks, day("2026-11-16"), 7)).toBe("Overdue (1): Late");
  });

  it.each<[Parameters<typeof readSpan>[0], string]>([
    [{}, "2026-11-21..2026-11-21"],
    [{ week: true }, "2026-11-21..2026-11-28"],
    [{ date: "this week" }, "2026-11-21..2026-11-28"],
    [{ date: "next week" }, "2026-11-23..2026-11-29"],
    [{ date: "next week", week: true }, "2026-11-23..2026-11-29"],
    [{ date: "next week", days: 2 }, "2026-11-23..2026-11-24"],
    [{ date: "2026-12-01..2026-12-03" }, "2026-12-01..2026-12-03"],
    [{ date: "tomorrow" }, "2026-11-22..2026-11-22"],
  ])("reads %j as %s", (query, span) => {
    const { from, to } = readSpan(query, TODAY);
    expect(`${from}..${to}`).toBe(span);
  });

  it("refuses ranges without an end, words that are no day, and more days than a year has", () => {
    for (const date of ["before friday", "someday", "2026-01-01..2028-01-01"])
      expect(() => readSpan({ date }, TODAY)).toThrow(/^date "/);
  });

  it("projects later instances of series, behind what can be done", async () => {
    const plants = taskWith({
      title: "Plants",
      scheduled: TODAY,
      series: series("DTSTART:20261121;FREQ=DAILY;INTERVAL=3"),
    });
    const other = taskWith({ title: "Zoo", due: day("2026-11-24") });
    expect(await agenda([plants, other])).toBe(
      "Sat 2026-11-21 (1): Plants | Tue 2026-11-24 (2): Zoo, Plants (projected) | Fri 2026-11-27 (1): Plants (projected)",
    );
  });
});

describe("later instances", () => {
  const of = (given: Partial<Task>, until = "2026-12-12"): readonly string[] =>
    laterInstances(taskWith({ title: "S", ...given }), TODAY, day(until)).map((each) => each.slice(5));

  it.each<[string, Partial<Task>, readonly string[]]>([
    ["a rule", { series: series("FREQ=WEEKLY"), scheduled: TODAY }, ["11-28", "12-05", "12-12"]],
    [
      "days that are done or skipped",
      { series: series("FREQ=WEEKLY", { skipped: [day("2026-11-28")] }), scheduled: TODAY },
      ["12-05", "12-12"],
    ],
    ["words", { series: series("every week on Monday"), due: day("2026-11-16") }, ["11-23", "11-30", "12-07"]],
    ["a word", { series: series("weekly"), due: day("2026-11-01") }, ["11-22", "11-29", "12-06"]],
    ["words that end", { series: series("every week until 2026-11-30"), due: TODAY }, ["11-28"]],
    ["from when it is done", { series: series("every week when done"), due: TODAY }, []],
    ["from completion", { series: series("FREQ=DAILY", { anchor: "completion" }), scheduled: TODAY }, []],
    ["not understood", { series: series("FREQ=HOURLY"), scheduled: TODAY }, []],
    ["words without a day", { series: series("every day") }, []],
    ["done", { series: series("FREQ=WEEKLY"), scheduled: TODAY, status: "Done" }, []],
    ["archived", { series: series("FREQ=WEEKLY"), scheduled: TODAY, archived: true }, []],
  ])("%s", (_name, given, days) => expect(of(given)).toEqual(days));

  it("end where the count of steps does", () => {
    expect(of({ series: series("every day"), due: day("0001-01-01") })).toEqual([]);
  });
});

const task = (lines: string): string => note(`type: task\n${lines}`);
const VAULT = taskVault(
  {
    "_projects/Kitchen/measure.md": task("title: Measure\ndue: 2026-11-24\narea: Home"),
    "_projects/Kitchen/paint.md": task('title: Paint\nblockedBy: ["[[measure]]"]\narea: Home'),
    "_projects/Kitchen/old.md": task("title: Old\nstatus: done\ncompletedDate: 2026-11-20\ncreated: 2026-11-20"),
    "_projects/Flat/waits.md": task("title: Landlord\nstatus: waiting\npriority: high"),
    "plants.md": task(
      "title: Plants\nrecurrence: FREQ=WEEKLY\nscheduled: 2026-11-28\ncomplete_instances: [2026-11-14, 2026-11-21]",
    ),
    "silent.md": task("title: Silent\nstatus: done"),
    "late.md": task("title: Late\ndue: 2026-11-01\narea: home"),
  },
  { now: "2026-11-21T12:00:00Z" },
);

describe("a review", () => {
  it("tells what was done, what waits, and what has no day", async () => {
    const { sections, stuckProjects, doneWithoutDay, days } = await VAULT.tasks.review();
    expect(said(sections)).toBe(
      "Done in the last 7 days (3): Plants, Old, Plants | Overdue (1): Late | Waiting (2): Paint, Landlord | " +
        "Stale (0):  | High priority without a day (1): Landlord | Undated (2): Paint, Landlord",
    );
    expect([stuckProjects.map(({ name }) => name), doneWithoutDay, days]).toEqual([["Flat"], 1, []]);
    expect(sections[0]?.entries.map(({ done }) => done)).toEqual(["2026-11-21", "2026-11-20", "2026-11-14"]);
  });

  it("lists as done what counts as done: no task that was reopened, and one that says only its day", async () => {
    const { tasks } = taskVault(
      {
        "day.md": task("title: Day\ncompleted: 2026-11-20"),
        "again.md": task("title: Again\nstatus: To Do\ncompleted: 2026-11-20"),
        "own.md": task("title: Own\nstatus: harvested\ncompleted: 2026-11-20"),
        "series.md": task("title: Series\nstatus: To Do\ncompleted: 2026-11-20\nrepeat: weekly\ndue: 2026-11-27"),
      },
      { now: "2026-11-21T12:00:00Z" },
    );
    const { sections, days } = await tasks.review({ days: 7 });
    expect(said(sections)).toContain("Done in the last 7 days (3): Series, Day, Own |");
    expect(said(sections)).toContain("Undated (2): Again, Own");
    expect(days.at(-1)).toMatchObject({ day: "2026-11-20", done: 3 });
  });

  it("counts by day on request", async () => {
    expect((await VAULT.tasks.review({ days: 7 })).days).toEqual([
      { day: "2026-11-14", done: 1, created: 0, open: 5 },
      { day: "2026-11-20", done: 1, created: 1, open: 5 },
      { day: "2026-11-21", done: 1, created: 0, open: 5 },
    ]);
  });

  it("counts the days asked for, and reads their words as past ones", async () => {
    const { days, done, remarks } = await VAULT.tasks.review({ days: 7, date: "this week" });
    expect([done, days.map(({ day: date }) => date)]).toEqual([
      { from: "2026-11-16", to: "2026-11-22" },
      ["2026-11-16", "2026-11-20", "2026-11-21"],
    ]);
    expect(String(remarks[1])).toMatch(/^Not counted as made: \d+ tasks without a day of creation\.$/);
  });

  it("counts what was open at the end of each day, as far as days tell", async () => {
    const { tasks } = taskVault(
      {
        "now.md": task("created: 2026-11-18"),
        "ever.md": task("status: doing"),
        "over.md": task("status: done\ncreated: 2026-11-17\ncompletedDate: 2026-11-19"),
        "before.md": task("status: done\ncreated: 2026-10-01\ncompletedDate: 2026-10-02"),
        "told-later.md": task("status: done\ncreated: 2026-11-20\ncompletedDate: 2026-11-19"),
        "silent.md": task("status: done\ncreated: 2026-11-18"),
        "given-up.md": task("status: cancelled\ncreated: 2026-11-18"),
        "series.md": task(
          "created: 2026-11-18\nrecurrence: FREQ=DAILY\nscheduled: 2026-11-20\ncomplete_instances: [2026-11-18, 2026-11-19]",
        ),
        "_archive/put-away.md": task("created: 2026-11-18"),
      },
      { now: "2026-11-21T12:00:00Z" },
    );
    const { days } = await tasks.review({ days: 5 });
    expect(days.map(({ day: date, done, created, open }) => `${date.slice(8)} ${done}/${created} ${open}`)).toEqual([
      "16 0/0 1",
      "17 0/1 2",
      "18 1/5 4",
      "19 3/0 3",
      "20 0/1 3",
    ]);
  });
});

it("projects and areas tell how far they are", async () => {
  const rows = (await VAULT.tasks.projects()).map(
    ({ kind, name, done, open, blocked, next, nextDay, daysWithoutChange }) =>
      `${kind} ${name}: ${done}/${done + open}, ${blocked} blocked, ${next?.title}, ${nextDay}, ${daysWithoutChange}`,
  );
  expect(rows).toEqual([
    "project Kitchen: 1/3, 1 blocked, Measure, 2026-11-24, 0",
    "project Flat: 0/1, 1 blocked, undefined, undefined, 0",
    "area Home: 0/3, 1 blocked, Late, 2026-11-01, 0",
  ]);
});

it("days may be given in words, and what is no day is refused", async () => {
  const { from, to, remarks } = await VAULT.tasks.days({ date: "next monday", days: 2 });
  expect([from, to, remarks]).toEqual([
    "2026-11-23",
    "2026-11-24",
    ['Read date "next monday" as Mon 2026-11-23 (in 2 days).'],
  ]);
  expect((await refusal(VAULT.tasks.days({ date: "soon" }))).message).toContain(
    'date "soon" is not a day or range I know',
  );
});

it("projects that have a folder or a note and no tasks yet are listed, task notes are not, and estimates are summed", async () => {
  const { tasks } = taskVault({
    "_projects/Kitchen/plan.md": "Plan.",
    "_projects/Garden.md": note("type: project"),
    "_projects/Garden.sync-conflict-20261119-081500-ABCDEFG.md": note("type: project"),
    "_projects/Call Anna.md": note("type: task\nprojects: Flat\ntimeEstimate: 1h30"),
    "_projects/Paint.md": note("type: task\nprojects: Flat\ntimeEstimate: 45"),
    "_projects/Paid.md": note("type: task\nprojects: Flat\ntimeEstimate: 600\nstatus: done"),
    "_projects/Think.md": note("type: task\nprojects: Flat"),
  });
  const rows = (await tasks.projects()).map(
    ({ name, open, estimateLeft, estimated, daysWithoutChange }) =>
      `${name}: ${open} open, ${estimateLeft} min of ${estimated}, ${daysWithoutChange}`,
  );
  expect(rows).toEqual([
    "Flat: 3 open, 135 min of 2, 0",
    "Garden: 0 open, 0 min of 0, undefined",
    "Kitchen: 0 open, 0 min of 0, undefined",
  ]);
});
