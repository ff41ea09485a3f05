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
      '(list(note["Type"]).contains("Task") || (" " + list(note["Tags"]).join(" ").lower() + " ").containsAny(" task ", " task/", " #task ", " #task/"))',
      '!file.inFolder("_archive")',
    ]);
    expect(today?.filters.and).toEqual([
      'note["State"] != "finished"',
      'note["State"] != "dropped"',
      '((!note["Due Date"].isEmpty() && date(note["Due Date"]) < today() + "1d") || (!note["Scheduled"].isEmpty() && date(note["Scheduled"]) < today() + "1d"))',
    ]);
    expect(waiting?.filters.and.at(-1)).toBe('(note["State"] == "Blocked" || list(note["BlockedBy"]).length > 0)');
    expect(done?.filters.and).toEqual(['(note["State"] == "finished" || note["State"] == "dropped")']);
  });

  it("speaks TaskNotes' words before a task has them, and leaves out what its tag archives", async () => {
    const customStatuses = ["todo", "on-ice", "sent"].map((value, at) => ({ value, isCompleted: at === 2 }));
    customStatuses[1] = { ...customStatuses[1], label: "Waiting" } as (typeof customStatuses)[number];
    const settings = { customStatuses, fieldMapping: { archiveTag: "Gone" }, excludedFolders: "Notes/Old" };
    const data = { ".obsidian/plugins/tasknotes/data.json": JSON.stringify(settings) };
    const base = await baseOf({ "a.md": note("tags: task\nstatus: todo"), ...data });
    const [today, , waiting] = base.views;
    expect(base.filters.and.at(-2)).toBe('!file.inFolder("Notes/Old")');
    expect(base.filters.and.at(-1)).toBe(
      '!(" " + list(note["tags"]).join(" ").lower() + " ").containsAny(" gone ", " #gone ")',
    );
    expect(today?.filters.and[0]).toBe('note["status"] != "sent"');
    expect(waiting?.filters.and.at(-1)).toContain('note["status"] == "on-ice"');
  });

  it("has tasks of every word and key for their type, and those that the settings mark", async () => {
    const files = { "a.md": note("typ: Aufgabe"), "b.md": note("type: task"), "c.md": note("typ: Buch\ntags: task") };
    const marked = async (settings: object) => {
      const data = { ".obsidian/plugins/tasknotes/data.json": JSON.stringify(settings) };
      return (await baseOf({ ...files, ...data })).filters.and[0];
    };
    const types = ["typ", "type"].flatMap((key) =>
      ["task", "Aufgabe"].map((word) => `list(note["${key}"]).contains("${word}")`),
    );
    // Of any case, and nested ones.
    const tags = '(" " + list(note["tags"]).join(" ").lower() + " ")';
    const task = '" task ", " task/", " #task ", " #task/"';
    expect(await marked({})).toBe(`(${[...types, `${tags}.containsAny(${task})`].join(" || ")})`);
    const both = `${tags}.containsAny(${task}, " todo ", " todo/", " #todo ", " #todo/")`;
    expect(await marked({ taskTag: "Todo" })).toBe(`(${[...types, both].join(" || ")})`);
    const byProperty = { taskIdentificationMethod: "property", taskPropertyName: "kind" };
    expect(await marked(byProperty)).toContain(' || !note["kind"].isEmpty())');
    expect(await marked({ ...byProperty, taskPropertyValue: "todo" })).toContain(
      ' || list(note["kind"]).contains("todo"))',
    );
  });

  it("leaves out what the vault has not closed yet, in the words that it would get", async () => {
    const files = { "a.md": note("type: task\nstatus: todo"), "b.md": note("type: task\nstatus: To Do") };
    const { tasks, text } = taskVault(files);
    const { views } = parse(await tasks.base()) as Base;
    await tasks.update("a", { status: "Done" });
    await tasks.update("b", { status: "Cancelled" });
    for (const path of ["a.md", "b.md"]) {
      const [, word] = /status: (.*)/.exec(await text(path)) ?? [];
      expect(views[0]?.filters.and).toContain(`note["status"] != "${word}"`);
    }
  });

  it("compares dates and never subtracts them", async () => {
    const text = await taskVault({ "a.md": note("type: task") }).tasks.base();
    expect(text).not.toMatch(/\) - |today\(\) -/);
    expect(text).toContain('date(note["due"]) < today() + "8d"');
  });
});

describe("a base of a search", () => {
  const vault = taskVault({
    "a.md": note("type: task\nstatus: open\npriority: hoch\nFällig: 2026-01-01\ntags: [work]\nprojects: '[[Kitchen]]'"),
    "b.md": note("type: task\nstatus: erledigt\npriority: niedrig\nFällig: 2026-01-01"),
  });
  const saved = async (selection: string, group?: "project") =>
    parse((await vault.tasks.viewBase({ name: "It's: mine", selection: `${selection}#00000000`, group })).text) as Base;

  it.each([
    [
      "query=Paint wall",
      [
        '(file.name + " " + note["title"]).lower().contains("paint")',
        '(file.name + " " + note["title"]).lower().contains("wall")',
      ],
    ],
    [
      "area=Home",
      [
        '(("|" + list(note["area"]).join("|").lower() + "|").containsAny("|home|") || list(note["area"]).contains(link("Home")))',
      ],
    ],
    ["area=none", ['note["area"].isEmpty()']],
    [
      "project=[[Kitchen]]",
      [
        '(("|" + list(note["projects"]).join("|").lower() + "|").containsAny("|kitchen|") || list(note["projects"]).contains(link("Kitchen")))',
      ],
    ],
    ["tags=#work,home", ['file.hasTag("work", "home")']],
    ["priority=High", ['note["priority"] == "hoch"']],
    ["priority=Medium", ['(note["priority"] == "Medium" || note["priority"].isEmpty())']],
    ["status=Done,To Do", ['((note["status"] == "erledigt" || note["status"] == "open") || note["status"].isEmpty())']],
    [
      "due=next 7 days",
      ['!note["Fällig"].isEmpty()', 'date(note["Fällig"]) >= today()', 'date(note["Fällig"]) < today() + "8d"'],
    ],
    [
      "due=yesterday",
      ['!note["Fällig"].isEmpty()', 'date(note["Fällig"]) + "1d" >= today()', 'date(note["Fällig"]) < today()'],
    ],
    ["due=none;is=note", ['note["Fällig"].isEmpty()']],
    [
      "is=stale",
      [
        'note["status"] != "erledigt"',
        'note["status"] != "abgebrochen"',
        'note["status"] != "cancelled"',
        'file.mtime + "30d" < now()',
      ],
    ],
  ])("has the filters of %s", async (selection, filters) => {
    const [view, ...others] = (await saved(selection)).views;
    expect(others).toEqual([]);
    expect(view?.filters.and).toEqual(filters);
  });

  it("has one table of that name, grouped where wanted, which may be without filters", async () => {
    const { views } = await saved("query=*", "project");
    expect(views).toMatchObject([{ name: "It's: mine", groupBy: { property: "note.projects", direction: "ASC" } }]);
    expect(views[0]).not.toHaveProperty("filters");
  });

  it("counts the tasks that only their folder makes tasks: it lacks them", async () => {
    const { tasks } = taskVault({
      "_projects/a.md": note("status: open"),
      "_projects/b.md": note("status: open\npriority: High"),
      "_projects/c.md": note("status: open\ntype: task"),
    });
    const untyped = async (selection: string) =>
      (await tasks.viewBase({ name: "x", selection: `${selection}#00000000` })).untyped;
    expect([await untyped("query=*"), await untyped("priority=High")]).toEqual([2, 1]);
  });

  it.each([
    ["is=inline", 'A base cannot filter by is "inline".'],
    ["status=Other", 'A base cannot filter by status "Other".'],
    ["note=a.md", "A base cannot filter by note."],
    ["due=someday", /due/],
  ])("refuses %s, which it could not show", async (selection, message) => {
    await expect(saved(selection)).rejects.toThrow(message);
  });
});
