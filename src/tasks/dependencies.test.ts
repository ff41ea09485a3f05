import { describe, expect, it } from "vitest";
import { day, task as taskWith } from "../../test/kit/known-tasks.js";
import { vaultPath } from "../storage/path.js";
import { Relations, cycleText } from "./dependencies.js";
import type { Task } from "./task.js";

const TODAY = day("2026-11-21");

function task(title: string, given: Partial<Task> = {}): Task {
  const path = vaultPath(given.path ?? `Tasks/${title}.md`);
  return taskWith({ title, path, id: path, ...given });
}
const names = (tasks: readonly Task[]): string[] => tasks.map(({ title }) => title);

describe("what a task waits for", () => {
  const buy = task("Buy paint");
  const measure = task("Measure the wall", { id: "task-measure-000001", status: "Done" });
  const line = task("Line", { source: "line", id: "Log.md#^abc123", path: vaultPath("Log.md"), line: 4 });
  const paint = (blockedBy: readonly string[], given: Partial<Task> = {}) => task("Paint", { blockedBy, ...given });
  const of = (waiting: Task) => new Relations({ tasks: [buy, measure, line, waiting] }, TODAY);

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
  ])("%s", (_name, references, meant, isBlocked) => {
    const waiting = paint(references);
    const relations = of(waiting);
    expect(names(relations.blockersOf(waiting).flatMap(({ tasks }) => tasks))).toEqual(meant);
    expect([relations.isBlocked(waiting), relations.isReady(waiting)]).toEqual([isBlocked, !isBlocked]);
  });

  it("means of several notes with a name the nearest: in its own folder, else the one with the shortest path", () => {
    const [far, near] = [
      task("Call", { path: vaultPath("Work/Call.md") }),
      task("Call", { path: vaultPath("Home/Calls/Call.md") }),
    ];
    const fromHome = task("Invite", { path: vaultPath("Home/Invite.md"), blockedBy: ["[[Call]]"] });
    const elsewhere = task("Invite", { path: vaultPath("Club/Invite.md"), blockedBy: ["[[Call]]", "Calls/Call"] });
    const relations = new Relations({ tasks: [far, near, fromHome, elsewhere] }, TODAY);
    const paths = (waiting: Task) =>
      relations.blockersOf(waiting).map(({ tasks }) => tasks.map(({ path }) => String(path)));
    expect(paths(fromHome)).toEqual([["Home/Calls/Call.md"]]);
    expect(paths(elsewhere)).toEqual([["Work/Call.md"], ["Home/Calls/Call.md"]]);
  });

  it("names what cannot be resolved", () => {
    const waiting = paint(["[[Somewhere/Order colours|colours]]"]);
    expect(of(waiting).openBlockersOf(waiting)[0]?.name).toBe("Order colours");
  });

  it.each<[string, Partial<Task>, boolean, boolean]>([
    ["blocked by its status", { status: "Blocked" }, true, false],
    ["done", { status: "Done" }, false, false],
    ["archived", { archived: true }, false, false],
    ["begins later", { start: day("2026-11-22") }, false, false],
    ["begins today", { start: TODAY }, false, true],
    ["scheduled later, once", { scheduled: day("2026-12-01") }, false, true],
  ])("%s", (_name, given, isBlocked, isReady) => {
    const one = paint([], given);
    expect([of(one).isBlocked(one), of(one).isReady(one)]).toEqual([isBlocked, isReady]);
  });

  it("is ready on the day of a series' current instance, and over when that day is in a list", () => {
    const series = { rule: "FREQ=DAILY", anchor: "scheduled", completed: [], skipped: [] } as const;
    const later = paint([], { series, scheduled: day("2026-11-22") });
    expect(of(later).isReady(later)).toBe(false);
    const over = paint([], { series: { ...series, completed: [TODAY] }, scheduled: TODAY });
    expect([of(over).isReady(over), of(over).isBlocked(over)]).toEqual([false, false]);
  });

  it("of lines goes by their signs, any open one counting, and a missing one holding nothing up", () => {
    const one = task("one", { source: "line", sign: "abc123", status: "Done" });
    const two = task("two", { source: "line", sign: "abc123" });
    const waiting = task("waiting", { source: "line", blockedBy: ["abc123"] });
    const lost = task("lost", { source: "line", blockedBy: ["nobody"] });
    const relations = new Relations({ tasks: [one, two, waiting, lost] }, TODAY);
    expect([relations.isBlocked(waiting), relations.isBlocked(lost)]).toEqual([true, false]);
  });

  it("tells the other way round", () => {
    const waiting = paint(["[[Buy paint]]"]);
    expect(names(of(waiting).waitingFor(buy))).toEqual(["Paint"]);
  });
});

describe("rings", () => {
  const ring = (...chain: string[]): Task[] =>
    chain.map((title, at) => task(title, { blockedBy: [`[[${chain[(at + 1) % chain.length]}]]`] }));

  it("block their members and are a problem each", () => {
    const [a, b, c] = ring("A", "B", "C") as [Task, Task, Task];
    const outside = task("D", { blockedBy: ["[[A]]"] });
    const relations = new Relations({ tasks: [outside, a, b, c] }, TODAY);
    expect([a, b, c, outside].map((one) => relations.isBlocked(one))).toEqual([true, true, true, true]);
    expect(relations.cycles().map(names)).toEqual([["A", "B", "C"]]);
    expect(relations.problems()).toEqual([
      { path: "Tasks/A.md", message: "These tasks wait for each other: A → B → C → A." },
    ]);
  });

  it("of one", () => {
    const [alone] = ring("A") as [Task];
    const relations = new Relations({ tasks: [alone] }, TODAY);
    expect(relations.isBlocked(alone)).toBe(true);
    expect(relations.cycles().map(cycleText)).toEqual(["A → A"]);
  });

  it("are none once a member is done", () => {
    const [a, b] = ring("A", "B") as [Task, Task];
    expect(new Relations({ tasks: [{ ...a, status: "Done" }, b] }, TODAY).cycles()).toEqual([]);
  });

  it("are seen before they close", () => {
    const [a, b] = [task("A", { blockedBy: ["[[B]]"] }), task("B")] as const;
    const relations = new Relations({ tasks: [a, b] }, TODAY);
    expect(names(relations.cycleThrough(b, [a]) ?? [])).toEqual(["B", "A"]);
    expect(relations.cycleThrough(a, [b])).toBeUndefined();
    expect(names(relations.cycleThrough(a, [a]) ?? [])).toEqual(["A"]);
  });

  it("are found at the end of the longest chain", () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => task(`T${at}`, { blockedBy: [`[[T${at + 1}]]`] }));
    expect(new Relations({ tasks: [...chain, task("T20000")] }, TODAY).cycles()).toEqual([]);
    expect(
      new Relations({ tasks: [...chain, task("T20000", { blockedBy: ["[[T19990]]"] })] }, TODAY).cycles()[0],
    ).toHaveLength(11);
  });
});

it("makes subtasks of tasks whose project is a task, and of checkboxes below another", () => {
  const parent = task("Renovate");
  const child = task("Paint", { parentProjects: ["renovate", "Home"] });
  const above = task("above", { source: "line", id: "Log.md:1~aaaaaa", line: 1 });
  const below = task("below", { source: "line", id: "Log.md:2~bbbbbb", line: 2, parent: above.id });
  const relations = new Relations({ tasks: [parent, child, above, below] }, TODAY);
  expect([names(relations.subtasksOf(parent)), names(relations.subtasksOf(above))]).toEqual([["Paint"], ["below"]]);
  expect(names(relations.parentsOf(child))).toEqual(["Renovate"]);
});
