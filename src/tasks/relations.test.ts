import { describe, expect, it } from "vitest";
import { day, task as taskWith } from "../../test/kit/known-tasks.js";
import { LONG } from "../../test/kit/fuzz.js";
import { rowsOf, titled } from "../../test/kit/task-rows.js";
import { vaultPath } from "../storage/path.js";
import { type Relations, cycleText, relationsOf } from "./relations.js";
import type { Task } from "./task.js";

const TODAY = day("2026-11-21");

function task(title: string, given: Partial<Task> = {}): Task {
  const path = vaultPath(given.path ?? `Tasks/${title}.md`);
  return taskWith({ title, path, id: path, ...given });
}
const names = (tasks: readonly Task[]): string[] => tasks.map(({ title }) => title);

async function relationsAmong(tasks: readonly Task[]): Promise<{ relations: Relations; all: readonly Task[] }> {
  const rows = await rowsOf(tasks, TODAY);
  return { relations: relationsOf(rows), all: titled(rows, ...names(tasks)) };
}

describe("what a task waits for", () => {
  const buy = task("Buy paint");
  const measure = task("Measure the wall", { id: "task-measure-000001", status: "Done" });
  const line = task("Line", { source: "line", id: "Log.md#^abc123", path: vaultPath("Log.md"), line: 4 });
  const paint = (blockedBy: readonly string[], given: Partial<Task> = {}) => task("Paint", { blockedBy, ...given });
  /** The relations, and the task as they know it. */
  async function of(given: Task): Promise<[Relations, waiting: Task]> {
    const { relations, all } = await relationsAmong([buy, measure, line, given]);
    return [relations, all[3] as Task];
  }

  it.each<[string, readonly string[], readonly string[], boolean]>([
    ["a link", ["[[Buy paint]]"], ["Buy paint"], true],
    ["a link with folder and alias", ["[[Tasks/Buy paint.md|paint]]"], ["Buy paint"], true],
    ["a path", ["Tasks/buy paint.md"], ["Buy paint"], true],
    ["a Markdown link", ["[paint](Tasks/Buy%20paint.md)"], ["Buy paint"], true],
    ["a link from the note's own folder", ["[[./Buy paint]]"], ["Buy paint"], true],
    ["a path from the note's own folder", ["../Tasks/Buy paint.md"], ["Buy paint"], true],
    ["the end of a path, where the folder is another", ["[[Other/Buy paint]]"], [], true],
    ["a path that leaves the vault", ["../../Buy paint.md"], [], true],
    ["a link that holds an id, done", ["[[task-measure-000001]]"], ["Measure the wall"], false],
    ["a Markdown link to a line", ["[](../Log.md#^abc123)"], ["Line"], true],
    ["an id, done", ["task-measure-000001"], ["Measure the wall"], false],
    ["a line by its block", ["[[Log#^abc123]]"], ["Line"], true],
    ["a note that is no task", ["[[Order colours]]"], [], true],
    ["one done, one open", ["task-measure-000001", "[[Buy paint]]"], ["Measure the wall", "Buy paint"], true],
    ["nothing", [], [], false],
  ])("%s", async (_name, references, meant, isBlocked) => {
    const [relations, waiting] = await of(paint(references));
    expect(names(relations.blockersOf(waiting).flatMap(({ tasks }) => tasks))).toEqual(meant);
    expect([relations.isBlocked(waiting), relations.isReady(waiting)]).toEqual([isBlocked, !isBlocked]);
  });

  it("means of several notes with a name the nearest: in its own folder, else the one with the shortest path", async () => {
    const { relations, all } = await relationsAmong([
      task("Call", { path: vaultPath("Work/Call.md") }),
      task("Call", { path: vaultPath("Home/Calls/Call.md") }),
      task("Invite from home", { path: vaultPath("Home/Invite.md"), blockedBy: ["[[Call]]"] }),
      task("Invite", { path: vaultPath("Club/Invite.md"), blockedBy: ["[[Call]]", "Calls/Call"] }),
    ]);
    const [fromHome, elsewhere] = all
      .slice(2)
      .map((waiting) => relations.blockersOf(waiting).map(({ tasks }) => tasks.map(({ path }) => String(path))));
    expect(fromHome).toEqual([["Home/Calls/Call.md"]]);
    expect(elsewhere).toEqual([["Work/Call.md"], ["Home/Calls/Call.md"]]);
  });

  it("names what cannot be resolved", async () => {
    const [relations, waiting] = await of(paint(["[[Somewhere/Order colours|colours]]"]));
    expect(relations.openBlockersOf(waiting)[0]?.name).toBe("Order colours");
  });

  it.each<[string, Partial<Task>, boolean, boolean]>([
    ["blocked by its status", { status: "Blocked" }, true, false],
    ["done", { status: "Done" }, false, false],
    ["archived", { archived: true }, false, false],
    ["begins later", { start: day("2026-11-22") }, false, false],
    ["begins today", { start: TODAY }, false, true],
    ["scheduled later, once", { scheduled: day("2026-12-01") }, false, true],
  ])("%s", async (_name, given, isBlocked, isReady) => {
    const [relations, one] = await of(paint([], given));
    expect([relations.isBlocked(one), relations.isReady(one)]).toEqual([isBlocked, isReady]);
  });

  it("is ready on the day of a series' current instance, and over when that day is in a list", async () => {
    const series = { rule: "FREQ=DAILY", anchor: "scheduled", completed: [], skipped: [] } as const;
    const [relations, later] = await of(paint([], { series, scheduled: day("2026-11-22") }));
    expect(relations.isReady(later)).toBe(false);
    const [known, over] = await of(paint([], { series: { ...series, completed: [TODAY] }, scheduled: TODAY }));
    expect([known.isReady(over), known.isBlocked(over)]).toEqual([false, false]);
  });

  it("of lines goes by their signs, any open one counting, and a missing one holding nothing up", async () => {
    const { relations, all } = await relationsAmong([
      task("one", { source: "line", line: 1, sign: "abc123", status: "Done" }),
      task("two", { source: "line", line: 1, sign: "abc123" }),
      task("waiting", { source: "line", line: 1, blockedBy: ["abc123"] }),
      task("lost", { source: "line", line: 1, blockedBy: ["nobody"] }),
    ]);
    expect(all.slice(2).map((waiting) => relations.isBlocked(waiting))).toEqual([true, false]);
  });

  it("tells the other way round", async () => {
    const { relations, all } = await relationsAmong([buy, paint(["[[Buy paint]]"])]);
    expect(names(relations.waitingFor(all[0] as Task))).toEqual(["Paint"]);
  });
});

describe("rings", () => {
  const ring = (...chain: string[]): Task[] =>
    chain.map((title, at) => task(title, { blockedBy: [`[[${chain[(at + 1) % chain.length]}]]`] }));

  it("block their members and are a problem each", async () => {
    const outside = task("D", { path: vaultPath("First/D.md"), blockedBy: ["[[A]]"] });
    const { relations, all } = await relationsAmong([outside, ...ring("A", "B", "C")]);
    expect(all.map((one) => relations.isBlocked(one))).toEqual([true, true, true, true]);
    expect(relations.cycles().map(names)).toEqual([["A", "B", "C"]]);
    expect(relations.problems()).toEqual([
      { path: "Tasks/A.md", message: "These tasks wait for each other: A → B → C → A." },
    ]);
  });

  it("of one", async () => {
    const { relations, all } = await relationsAmong(ring("A"));
    expect(all.map((alone) => relations.isBlocked(alone))).toEqual([true]);
    expect(relations.cycles().map(cycleText)).toEqual(["A → A"]);
  });

  it("are none once a member is done", async () => {
    const [a, b] = ring("A", "B") as [Task, Task];
    const { relations } = await relationsAmong([{ ...a, status: "Done" }, b]);
    expect(relations.cycles()).toEqual([]);
  });

  it("are seen before they close", async () => {
    const { relations, all } = await relationsAmong([task("A", { blockedBy: ["[[B]]"] }), task("B")]);
    const [a, b] = all as [Task, Task];
    expect(names(relations.cycleThrough(b, [a]) ?? [])).toEqual(["B", "A"]);
    expect(relations.cycleThrough(a, [b])).toBeUndefined();
    expect(names(relations.cycleThrough(a, [a]) ?? [])).toEqual(["A"]);
  });

  /** Longer than any stack of calls is deep. */
  const LONGEST = LONG ? 20_000 : 12_000;

  it("are found at the end of the longest chain", async () => {
    const line = (at: number, blockedBy: readonly string[] = [`s${at + 1}`]): Task =>
      task(`T${at}`, { source: "line", path: vaultPath("Log.md"), line: at + 1, sign: `s${at}`, blockedBy });
    const chain = Array.from({ length: LONGEST }, (_, at) => line(at));
    const open = await rowsOf([...chain, line(LONGEST, [])], TODAY);
    expect(relationsOf(open).cycles()).toEqual([]);
    const closed = await rowsOf([...chain, line(LONGEST, [`s${LONGEST - 10}`])], TODAY);
    expect(relationsOf(closed).cycles()[0]).toHaveLength(11);
  });
});

it("makes subtasks of tasks whose project is a task, and of checkboxes below another", async () => {
  const line = { source: "line", path: vaultPath("Log.md") } as const;
  const { relations, all } = await relationsAmong([
    task("Renovate"),
    task("Paint", { parentProjects: ["renovate", "Home"] }),
    task("above", { ...line, id: "Log.md:1~aaaaaa", line: 1 }),
    task("below", { ...line, id: "Log.md:2~bbbbbb", line: 2, parent: "Log.md:1~aaaaaa" }),
  ]);
  const [parent, child, above] = all as [Task, Task, Task];
  expect([names(relations.subtasksOf(parent)), names(relations.subtasksOf(above))]).toEqual([["Paint"], ["below"]]);
  expect(names(relations.parentsOf(child))).toEqual(["Renovate"]);
});
