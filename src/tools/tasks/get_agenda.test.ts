/** Going on in one section of an agenda, and in one kind of the projects view. */
import { describe, expect, it } from "vitest";
import { contextOf, workspaceOf } from "../../../test/kit/known-tasks.js";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import type { AgendaAnswer } from "./agenda-text.js";
import { getAgenda } from "./get_agenda.js";

const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `t${String(at).padStart(2, "0")}.md`,
    note(`type: task\ndue: 2025-08-${at < 30 ? "20" : "30"}\nprojects: P${String(at).padStart(2, "0")}`),
  ]),
);
const vault = taskVault(files);

async function ask(args: object) {
  const outcome = await getAgenda.call(args, contextOf(workspaceOf(vault.tasks)));
  if (!outcome.ok) return { text: outcome.text, data: {} as AgendaAnswer };
  return { text: outcome.text, data: outcome.data as unknown as AgendaAnswer };
}

describe("an agenda that is cut", () => {
  it("says for each section how to see the rest, and goes on there to its end", async () => {
    const { data, text } = await ask({});
    expect(data.sections?.map(({ kind, total, tasks }) => [kind, total, tasks.length])).toEqual([
      ["overdue", 30, 10],
      ["day", 30, 27],
    ]);
    const cursor = data.sections?.[0]?.cursor ?? "";
    expect(text).toContain(`… and 20 more: section "overdue", cursor "${cursor}"`);
    const rest = await ask({ section: "overdue", cursor });
    expect(rest.data.sections).toMatchObject([{ kind: "overdue", total: 30, offset: 10, tasks: { length: 20 } }]);
    expect(rest.data.sections?.[0]?.cursor).toBeUndefined();
  });

  it.each([
    [40, 40, (shown: number) => shown > 0 && shown < 10],
    [64, 41, (shown: number) => shown === 0],
  ])("lists the days of a week before overdue tasks: of %d, %d", async (count, listed, isOverdueCut) => {
    const week = ["08-30", "08-31", "09-01", "09-02", "09-03", "09-04", "09-05", "09-06"];
    const days = Array.from({ length: count }, (_, at): [string, string] => [
      `t${at}.md`,
      note(`type: task\ntitle: On a day the ${at}\ndue: 2025-${week[at % 8]}`),
    ]);
    const late = Array.from({ length: 30 }, (_, at): [string, string] => [
      `l${at}.md`,
      note(`type: task\ntitle: Late ${at}\ndue: 2025-08-20`),
    ]);
    const { tasks } = taskVault(Object.fromEntries([...days, ...late]));
    const outcome = await getAgenda.call({ view: "week" }, contextOf(workspaceOf(tasks)));
    const { sections = [] } = (outcome.ok ? outcome.data : {}) as AgendaAnswer;
    const shown = (kind: string): number =>
      sections.filter((one) => one.kind === kind).reduce((sum, { tasks: rows }) => sum + rows.length, 0);
    expect(shown("day")).toBe(listed);
    expect(shown("overdue")).toSatisfy(isOverdueCut);
    expect(outcome.text).toContain("Overdue (30):\n");
    expect(outcome.text).toContain(`… and ${30 - shown("overdue")} more: section "overdue", cursor "`);
  });

  it("lists one section alone, an empty one too, with a limit of its own", async () => {
    const first = await ask({ section: "overdue", limit: 7 });
    expect(first.data.sections).toMatchObject([{ kind: "overdue", tasks: { length: 7 } }]);
    const review = await ask({ view: "review", section: "undated" });
    expect(review.data.sections).toMatchObject([{ kind: "undated", total: 0 }]);
    expect(review.data.stuckProjectCount).toBeUndefined();
  });

  it.each([
    [{ section: "2025-12-01" }, 'Give date "2025-12-01" instead.'],
    [{ date: "next month", section: "overdue" }, "without today"],
    [{ section: "waiting" }, 'view "review"'],
    [{ view: "review", section: "2025-08-30" }, "overdue, done"],
  ])("does not call a section empty that is not of its days: %j", async (args, hint) => {
    const { text } = await ask(args);
    expect(text).toContain("has no section");
    expect(text).toContain(hint);
  });

  it("goes on in the projects", async () => {
    const { data, text } = await ask({ view: "projects" });
    expect([data.projects?.length, data.projectCount, data.areaCount]).toEqual([50, 60, 0]);
    const rest = await ask({ view: "projects", section: "Projects", cursor: data.projectCursor });
    expect(text).toContain(`… and 10 more: section "project", cursor "${data.projectCursor}"`);
    expect(await ask({ view: "projects", kind: "project", cursor: data.projectCursor })).toEqual(rest);
    expect([rest.data.projects?.length, rest.data.projects?.[0]?.name, rest.data.areaCount]).toEqual([
      10,
      "P50",
      undefined,
    ]);
  });

  it("says of a project's next task how far it is", async () => {
    await vault.put("t01.md", note("type: task\nstatus: doing\ndue: 2025-08-20\nprojects: P01"));
    const { data, text } = await ask({ view: "projects" });
    expect(data.projects?.slice(0, 2).map(({ nextStatus }) => nextStatus)).toEqual([undefined, "In Progress"]);
    expect(text).toContain("next: t00 (id t00.md);");
    expect(text).toContain("next: t01 (id t01.md, In Progress);");
  });

  it("says that a list has changed since its cursor was given", async () => {
    const { data } = await ask({ section: "overdue", limit: 7 });
    await vault.put("t00.md", note("type: task\nstatus: done"));
    const rest = await ask({ section: "overdue", cursor: data.sections?.[0]?.cursor });
    expect(rest.data.remarks).toEqual([
      "The result has changed since this cursor was given; the list goes on at the same place.",
    ]);
  });

  it.each<[object, RegExp]>([
    [{ cursor: "7#01234567" }, /section does not name it.*Give the section/s],
    [{ view: "projects", cursor: "7#01234567" }, /section does not name it/],
    [{ section: "late" }, /"late" is no section.*overdue, done/s],
    [{ kind: "area" }, /takes no kind/],
    [{ view: "projects", section: "overdue" }, /no section "overdue".*project and area/s],
    [{ view: "review", section: "done", days: 30 }, /takes no days.*Leave out days/s],
    [{ view: "projects", project: "Kitchen" }, /an agenda is of all tasks: search_tasks with/],
  ])("refuses %j", async (args, message) => expect((await ask(args)).text).toMatch(message));
});

describe("a week with many overdue tasks", () => {
  const chore = (day: string) => note(`type: task\ntitle: Clean\ndue: ${day}`);
  const old = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`c${at}.md`, chore(`2025-07-${String(at + 1).padStart(2, "0")}`)]),
  );
  const week = taskVault({
    ...old,
    "paint.md": note("type: task\ntitle: Paint\ndue: 2025-09-01\nestimate: 90\nblockedBy: ['[[c0]]']"),
    "buy.md": note("type: task\ntitle: Buy\ndue: 2025-09-01\nestimate: 30"),
    "late.md": note("type: task\ntitle: Late\ndue: 2025-08-29"),
    "_projects/Shed/Shed.md": note("status: paused"),
  });
  const said = async (args: object) =>
    (await getAgenda.call(args, contextOf(workspaceOf(week.tasks)))).text.replaceAll(/; id [^;]+/g, "");

  it("has the days first, with their estimates, and each overdue title once", async () => {
    expect(await said({ view: "week" })).toBe(
      `📅 Agenda for 2025-08-30 to 2025-09-06, seen on Sat 2025-08-30 (today); 21 overdue

Mon 2025-09-01 (2; estimate 2 h):
- **Buy** (To Do) - Unassigned; due Mon 2025-09-01 (in 2 days); estimate 30 min
- **Paint** (To Do) - Unassigned; due Mon 2025-09-01 (in 2 days); estimate 1 h 30 min; waits for: Clean (overdue, due 2025-07-01)

Overdue (21):
- **Clean** (To Do, 20 of this title) - Unassigned; due Tue 2025-07-01 (60 days ago)
- **Late** (To Do) - Unassigned; due Fri 2025-08-29 (1 day ago)`,
    );
  });

  it.each([{ view: "day" }, { view: "week" }, { view: "review" }, { view: "projects" }])(
    "takes a range as its date: %j",
    async (args) => expect(await said({ ...args, date: "this week" })).toContain('Read date "this week" as'),
  );

  it("says which projects a date leaves out", async () => {
    expect(await said({ view: "projects", date: "this week" })).toMatch(
      /Listed: those whose next day is in .*others? (?:is|are) not\./,
    );
  });

  it("counts no areas among the projects that a date leaves out", async () => {
    const { tasks } = taskVault({
      "a.md": note("type: task\narea: Home\nprojects: Roof"),
      "b.md": note("type: task\narea: Garden"),
    });
    const args = { view: "projects", kind: "project", date: "this week" };
    const { text } = await getAgenda.call(args, contextOf(workspaceOf(tasks)));
    expect(text).toContain("; 1 other is not.");
  });

  it("says of a project without a next action what its note states", async () => {
    expect(await said({ view: "projects" })).toContain("- Shed (paused): no tasks yet");
    expect(await said({ view: "review" })).toContain("Projects without a ready task (1):\n- Shed (paused; no tasks)");
  });
});

it("lists the projects of days that include today with those that are late", async () => {
  const notes = Object.fromEntries(
    ["2025-08-01", "2025-08-31", "2025-09-30"].map((due, at) => [
      `t${at}.md`,
      note(`type: task\ndue: ${due}\nprojects: P${at}`),
    ]),
  );
  const names = async (date: string) => {
    const outcome = await getAgenda.call({ view: "projects", date }, contextOf(workspaceOf(taskVault(notes).tasks)));
    const { projects = [], remarks } = (outcome.ok ? outcome.data : {}) as AgendaAnswer;
    return [projects.map(({ name }) => name), remarks?.at(-1)];
  };
  expect(await names("next 3 days")).toEqual([
    ["P0", "P1"],
    "Listed: those whose next day is in 2025-08-30..2025-09-02, or past; 1 other is not.",
  ]);
  expect((await names("tomorrow"))[0]).toEqual(["P1"]);
  expect((await names("2025-08-11..2025-08-20"))[0]).toEqual([]);
});

describe("a review of a period", () => {
  const done = (title: string, day: string) => note(`type: task\ntitle: ${title}\nstatus: done\ncompletedDate: ${day}`);
  const notes = {
    "a.md": done("Water", "2025-07-02"),
    "b.md": done("Water", "2025-07-09"),
    "c.md": done("File", "2025-07-05"),
    "dropped.md": done("Dropped", "2025-07-06").replace("status: done", "status: cancelled"),
    "d.md": note("type: task\ntitle: Late\ndue: 2025-08-01\npriority: high"),
    "e.md": note("type: task\ntitle: Some day"),
  };
  const said = async (args: object) => {
    const outcome = await getAgenda.call(args, contextOf(workspaceOf(taskVault(notes).tasks)));
    return outcome.text;
  };

  it("lists what was done in it, equal titles once, and counts what is open today", async () => {
    const text = await said({ view: "review", date: "2025-07" });
    expect(text).toContain("Done 2025-07-01 to 2025-07-31 (3):\n- **Water** (Done, 2 of this title)");
    expect(text).toContain("id b.md; done Wed 2025-07-09");
    expect(text).toContain("\n- **File** (Done)");
    expect(text).toContain("Today: Overdue (1), Waiting (0), Stale (0), High priority without a day (0), Undated (1)");
    expect(text).not.toContain("**Late**");
    expect(text).not.toContain("**Dropped**");
  });

  it("lists what is open without date, or where its section is named", async () => {
    expect(await said({ view: "review" })).toContain("**Late**");
    const late = await said({ view: "review", date: "2025-07", section: "overdue" });
    expect(late).toContain("This section is as of today; date asks for what was done.");
    expect(late).toContain("**Late**");
    expect(await said({ view: "review", date: "2025-07", section: "done" })).toMatch(/Water[^]*Water/);
  });
});

it("a later instance of a series has the day of its section alone", async () => {
  const notes = { "plants.md": note("type: task\nrecurrence: FREQ=DAILY\nscheduled: 2025-08-30T07:00") };
  const outcome = await getAgenda.call({ date: "tomorrow" }, contextOf(workspaceOf(taskVault(notes).tasks)));
  expect(outcome.text).toContain("- **plants** (projected) - Unassigned; id plants.md; repeats: every day");
  expect(outcome.text).not.toContain("scheduled");
});
