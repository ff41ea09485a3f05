import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import type { TaskQuery } from "../service.js";

const task = (lines: string, body = ""): string => note(`type: task\n${lines}`, body);
const vault = taskVault({
  "1.md": task("title: Team meeting\narea: Work\ntags: [team/core, weekly]\nstatus: doing"),
  "2.md": task(
    'title: Prepare slides\narea: "[[Work]]"\nprojects: ["[[Meeting room]]"]',
    "For the big meeting on Monday.\n",
  ),
  "3.md": task("title: Buy café beans\narea: Home\ntags: weekly"),
  "4.md": task("title: 設計レビュー会議\narea: WORK"),
  "5.md": task("title: Team meeting\nstatus: done\narea: Work\ntags: by-phone"),
  "7.md": task("title: Rehearse\narea: Band\nstatus: on the stove"),
  "_archive/6.md": task("title: Team meeting, old"),
});

async function search(query: string, rest: Partial<TaskQuery> = {}): Promise<string> {
  const { tasks } = await vault.tasks.search({ query, ...rest });
  return tasks.map(({ path }) => /(\d)\.md$/.exec(path)?.[1]).join("");
}

describe("search", () => {
  it.each<[string, string, Partial<TaskQuery>, string]>([
    ["title first, then project and description; done after outstanding", "meeting", {}, "152"],
    ["every word", "meeting monday", {}, "2"],
    ["prefix", "prep", {}, "2"],
    ["typo", "meetng", {}, "152"],
    ["accents and case", "CAFE", {}, "3"],
    ["CJK inside a word", "レビュー", {}, "4"],
    ["tag", "weekly", {}, "31"],
    ["area", "home", {}, "3"],
    ["nothing", "zebra", {}, ""],
    ["archived", "old", {}, ""],
    ["archived on request", "old", { includeArchived: true }, "6"],
    ["status", "meeting", { status: "Done" }, "5"],
    ["words of a note's own", "*", { status: "Other" }, "7"],
    ["a status or a word of the note's own", "*", { status: ["Done", "Other"] }, "75"],
    ["area without case", "*", { area: "work" }, "1245"],
    ["area as a link", "*", { area: "[[Work]]", status: "To Do" }, "24"],
    ["no area", "*", { area: "Unassigned", includeArchived: true }, "6"],
    ["tag filter", "*", { tags: ["#weekly"] }, "13"],
    ["tag filter as a tool would write it", "*", { tags: ["#Week ly, team/core"] }, "1"],
    ["tag with blanks", "*", { tags: ["by phone"] }, "5"],
    ["nested tag by its parent", "*", { tags: ["Team"] }, "1"],
    ["any of the tags", "*", { tags: ["nothing", "team/core"] }, "1"],
    ["no child by the parent's name", "*", { tags: ["tea"] }, ""],
    ["everything, in the order of the agenda", "*", {}, "132475"],
  ])("%s", async (_name, query, rest, found) => {
    expect(await search(query, rest)).toBe(found);
  });

  it("puts a word in the title before the same word as the only tag, area, project or text", async () => {
    const { tasks } = taskVault({
      "a.md": task("title: A", "meeting"),
      "b.md": task("title: B\nprojects: meeting"),
      "c.md": task("title: C\narea: meeting"),
      "d.md": task("title: D\ntags: meeting"),
      "e.md": task("title: The next meeting of the team"),
    });
    const found = await tasks.search({ query: "meeting" });
    expect(found.tasks.map(({ path }) => path)).toEqual(["e.md", "d.md", "c.md", "b.md", "a.md"]);
  });

  it("finds a task that was made a moment ago", async () => {
    const { tasks } = taskVault();
    const { task } = await tasks.create({ title: "Fresh", area: "Work" });
    expect((await tasks.search({ query: "fresh" })).tasks).toEqual([task]);
  });
});
