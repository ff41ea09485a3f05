import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../test/kit/task-vault.js";
import type { VaultError } from "../errors.js";

const FILES = {
  "_projects/Plan trip.md": note("type: task\nid: task-plan-trip-abc123\ntitle: Plan the trip"),
  "_projects/Übung.md": note("type: task"),
  "a/twin.md": note("type: task\ntitle: Twins"),
  "b/twin.md": note("type: task\ntitle: twins\nid: t-b"),
  "c/one.md": note("type: task\nid: same"),
  "c/two.md": note("type: task\nid: same"),
  "c/dots.md": note("type: task\ntitle: ../odd"),
  "d/t-b.md": note("type: task\ntitle: named like an id"),
  "d/10\u00a0km.md": note("type: task\ntitle: Run\u00a010 km"),
  "plain.md": "no task",
};

describe("references", () => {
  const { tasks } = taskVault(FILES);
  const find = async (reference: string): Promise<string> => (await tasks.get(reference)).task.path;
  const refusalOf = (reference: string): Promise<VaultError> => refusal(find(reference));

  it.each([
    ["id", "task-plan-trip-abc123", "_projects/Plan trip.md"],
    ["id before file name", "t-b", "b/twin.md"],
    ["path", "_projects/Plan trip.md", "_projects/Plan trip.md"],
    ["path without .md", "_projects/Plan trip", "_projects/Plan trip.md"],
    ["path from the root", "/a/twin.md", "a/twin.md"],
    ["path in another case", "_Projects/plan trip", "_projects/Plan trip.md"],
    ["path in another Unicode form", "_projects/Übung".normalize("NFD"), "_projects/Übung.md"],
    ["wikilink", "[[Plan trip]]", "_projects/Plan trip.md"],
    ["wikilink with folder, heading and alias", "[[_projects/Plan trip#Steps|the plan]]", "_projects/Plan trip.md"],
    ["title", "Plan the trip", "_projects/Plan trip.md"],
    ["title in another case", " plan THE trip ", "_projects/Plan trip.md"],
    ["title that looks like a path", "../odd", "c/dots.md"],
    ["title with a blank that does not break", "run 10 km", "d/10\u00a0km.md"],
    ["file name with a blank that does not break", "10 km", "d/10\u00a0km.md"],
    ["file name", "plan trip", "_projects/Plan trip.md"],
  ])("%s: %s", async (_kind, reference, path) => expect(await find(reference)).toBe(path));

  it.each([
    ["Twins", ["a/twin.md", "t-b"], /^Several tasks are named "Twins":$/],
    ["same", ["c/one.md", "c/two.md"], /^Several notes have the id "same":$/],
    ["[[twin]]", ["a/twin.md", "t-b"], /^Several tasks are named/],
  ])("%s is ambiguous", async (reference, ids, message) => {
    const error = await refusalOf(reference);
    expect([error.code, error.message]).toEqual(["AMBIGUOUS_NAME", expect.stringMatching(message)]);
    expect(error.candidates?.map(({ id }) => id)).toEqual(ids);
    expect(error.hint).toBeDefined();
  });

  it("names open tasks of a title before those that are done", async () => {
    const lines = Array.from({ length: 7 }, (_, at) => [`day${at}.md`, `- [x] Water #task ✅ 2025-08-1${at}\n`]);
    const day = taskVault({ ...Object.fromEntries(lines), "today.md": "- [ ] Water #task\n" });
    const error = await refusal(day.tasks.get("Water #task"));
    expect(error.message).toBe('Several tasks are named "Water #task" (8 in all, 1 open):');
    expect(error.candidates?.[0]).toMatchObject({ path: "today.md", status: "To Do" });
  });

  it.each(["Plan the tripp", "task-plan-trip-abc124", "[[Plan tripp]]", "_projects/plan-trip.md"])(
    "%s is unknown, and near something",
    async (reference) => {
      const error = await refusalOf(reference);
      expect([error.code, error.message]).toEqual(["FILE_NOT_FOUND", `Item not found: ${reference}`]);
      expect(error.candidates?.[0]).toEqual({
        id: "task-plan-trip-abc123",
        title: "Plan the trip",
        path: "_projects/Plan trip.md",
        status: "To Do",
      });
    },
  );

  it("is unknown as a block that its note lacks, and never the task of that note", async () => {
    expect((await refusalOf("[[Plan trip#^gone]]")).code).toBe("FILE_NOT_FOUND");
  });

  it("is not answered with an empty list of candidates", async () => {
    const error = await refusalOf("qqqqqqqq");
    expect([error.code, error.candidates]).toEqual(["FILE_NOT_FOUND", undefined]);
  });

  it.each([
    "../out",
    "../../etc/passwd",
    "..",
    "a/../../x",
    "C:\\Windows\\win.ini",
    ".obsidian/app.json",
    "\\\\host\\x",
  ])("%s is refused and not echoed", async (reference) => {
    const error = await refusalOf(reference);
    expect(error.code).toBe("PERMISSION_DENIED");
    expect(`${error.message} ${error.hint}`).not.toContain(reference.replace(/^\W+/, "") || "..");
  });

  it.each(["A: b", "what?", "a\nb", "x".repeat(5000)])("%j is just unknown", async (reference) => {
    const error = await refusalOf(reference);
    expect(error.code).toBe("FILE_NOT_FOUND");
    expect(error.message).not.toContain("\n");
  });

  it("names the plain checkbox of that title", async () => {
    const { tasks: all } = taskVault({ ...FILES, "List.md": "- [ ] eggs\n- [ ] plan the trip\n" });
    const error = await refusal(all.get("Eggs"));
    expect(error.message).toBe('No task is named "Eggs", but a plain checkbox is:');
    const id = error.candidates?.[0]?.id ?? "";
    expect((await all.get(id)).task).toMatchObject({ path: "List.md", line: 1 });
    expect((await all.get("plan the trip")).task.path).toBe("_projects/Plan trip.md");
  });

  it("says that a note is there but is no task", async () => {
    for (const reference of ["plain.md", "PLAIN", "[[plain]]"])
      expect((await refusalOf(reference)).hint).toMatch(/^'plain\.md' is a note but no task/);
  });
});
