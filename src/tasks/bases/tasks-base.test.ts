import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { note, taskVault } from "../../../test/kit/task-vault.js";

interface View {
  readonly type: string;
  readonly name: string;
  readonly filters: { readonly and: readonly string[] };
}
interface Base {
  readonly filters: { readonly and: readonly string[] };
  readonly views: readonly View[];
}

const baseOf = async (files: Readonly<Record<string, string>>): Promise<Base> =>
  parse(await taskVault(files).tasks.base()) as Base;

describe("a base of tasks", () => {
  it("has five tables, in documented keys alone", async () => {
    const base = await baseOf({ "_projects/a.md": note("type: task\nstatus: To Do") });
    expect(Object.keys(base)).toEqual(["filters", "views"]);
    expect(base.views.map(({ type, name }) => `${type} ${name}`)).toEqual([
      "table Today",
      "table This week",
      "table Waiting",
      "table By project",
      "table Done",
    ]);
    for (const view of base.views)
      for (const key of Object.keys(view))
        expect(["type", "name", "filters", "groupBy", "order", "limit"]).toContain(key);
  });

  it("speaks the vault's keys and words, quotes and all", async () => {
    const task = `Type: Task\nState: it's "done"\nDue Date: 2026-01-01\nTags: [work]`;
    const base = await baseOf({
      "a.md": note(task.replace(`it's "done"`, "finished")),
      "b.md": note(task.replace(`it's "done"`, "open")),
      "_archive/c.md": note(task.replace(`it's "done"`, "dropped")),
    });
    const [today, , waiting, , done] = base.views;
    expect(base.filters.and).toEqual([
      '(list(note["Type"]).contains("Task") || list(note["Tags"]).contains("task"))',
      '!file.inFolder("_archive")',
    ]);
    expect(today?.filters.and).toEqual([
      'note["State"] != "finished"',
      'note["State"] != "dropped"',
      '((!note["Due Date"].isEmpty() && date(note["Due Date"]) <= today()) || (!note["Scheduled"].isEmpty() && date(note["Scheduled"]) <= today()))',
    ]);
    expect(waiting?.filters.and.at(-1)).toBe('(note["State"] == "Blocked" || list(note["BlockedBy"]).length > 0)');
    expect(done?.filters.and).toEqual(['(note["State"] == "finished" || note["State"] == "dropped")']);
  });

  it("compares dates and never subtracts them", async () => {
    const text = await taskVault({ "a.md": note("type: task") }).tasks.base();
    expect(text).not.toMatch(/\) - |today\(\) -/);
    expect(text).toContain('date(note["due"]) <= today() + "7d"');
  });
});
