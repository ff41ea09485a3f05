/** Vaults whose TaskNotes has keys of its own for fields, or another tag or property that makes a note a task: read and written so. */
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";
import type { TaskUpdates } from "../service.js";

const DATA = ".obsidian/plugins/tasknotes/data.json";
const vaultWith = (settings: object, files: Readonly<Record<string, string>>) =>
  taskVault({ ".obsidian/community-plugins.json": "[]", [DATA]: JSON.stringify(settings), ...files });

const MAPPED = { fieldMapping: { due: "Frist", status: "stage of it", dateCreated: "angelegt", projects: "vorhaben" } };

describe("keys of the vault's own", () => {
  const paint = note(
    "type: task\ntitle: Paint\nstage of it: open\nFrist: 2025-09-01\ndue: 2030-01-01\nvorhaben: [Haus]",
  );

  it("are read as their fields, and win over the usual ones", async () => {
    const { task } = vaultWith(MAPPED, { "Paint.md": paint });
    expect(await task("Paint.md")).toMatchObject({
      due: "2025-09-01",
      status: "To Do",
      parentProjects: ["Haus"],
      properties: {},
    });
  });

  it("are none where the plugin's field has the name of a property of every object", async () => {
    const settings = { fieldMapping: { ...MAPPED.fieldMapping, constructor: "shade" } };
    const { task } = vaultWith(settings, { "Paint.md": paint.replace("vorhaben", "shade: blue\nvorhaben") });
    expect(await task("Paint.md")).toMatchObject({ due: "2025-09-01" });
  });

  it("are searched, listed and counted like the usual ones", async () => {
    const { tasks } = vaultWith(MAPPED, { "Paint.md": paint, "Other.md": note("type: task\ndue: 2025-08-01") });
    expect((await tasks.search({ query: "haus" })).tasks.map(({ path }) => path)).toEqual(["Paint.md"]);
    expect((await tasks.agenda()).overdue.map(({ path }) => path)).toEqual(["Other.md"]);
  });

  it("are what is changed where they stand, and what is written where the field is new", async () => {
    const vault = vaultWith(MAPPED, { "Paint.md": paint, "Bare.md": note("type: task\ntitle: Bare") });
    await vault.tasks.update("Paint", { dueDate: "2025-09-02", status: "Done" });
    expect(await vault.text("Paint.md")).toBe(
      paint.replace("Frist: 2025-09-01", "Frist: 2025-09-02").replace("stage of it: open", "stage of it: done"),
    );
    await vault.tasks.update("Bare", { dueDate: "2025-09-03" });
    expect(await vault.text("Bare.md")).toContain("\nFrist: 2025-09-03\n");
    const { task } = await vault.tasks.create({ title: "New", area: "Work", dueDate: "2025-09-04" });
    expect(await vault.text(task.path)).toMatch(/\nFrist: 2025-09-04\n(?:.*\n)*angelegt: 2025-08-30\n/);
  });

  it("are task fields to `properties`", async () => {
    const { tasks } = vaultWith(MAPPED, { "Paint.md": paint });
    const error = await refusal(tasks.update("Paint", { properties: { frist: "2025-10-01" } }));
    expect(error.message).toContain('"frist" is a task field; give it as dueDate');
  });

  it("count as soon as the settings say so, without a change of any note", async () => {
    const vault = taskVault({ "Paint.md": paint });
    expect((await vault.task("Paint.md")).due).toBe("2030-01-01");
    const { storage: settings } = vaultWith(MAPPED, {});
    const notes = vault.storage.readMany.bind(vault.storage);
    // Only Obsidian writes there: the vault looks elsewhere for its settings from now on.
    vault.storage.readMany = (paths, options) =>
      paths.some((path) => path.startsWith(".obsidian/")) ? settings.readMany(paths, options) : notes(paths, options);
    expect((await vault.task("Paint.md")).due).toBe("2025-09-01");
  });
});

describe("what makes a note a task", () => {
  const files = {
    "Tagged.md": note("tags: [errand, ToDo/home]"),
    "Filed.md": note("Kind: [Chore, x]"),
    "Plain.md": note("kind: thing\ntags: [todolist]"),
    "Usual.md": note("type: task"),
  };
  const titles = async (settings: object): Promise<string[]> => {
    const { tasks } = await vaultWith(settings, files).tasks.search({ query: "*" });
    return tasks.map(({ title }) => title).toSorted();
  };

  it.each<[string, object, string[]]>([
    ["the usual, by default", {}, ["Usual"]],
    ["the vault's own tag", { taskTag: "#todo" }, ["Tagged", "Usual"]],
    [
      "the vault's own property with its value",
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "chore" },
      ["Filed", "Usual"],
    ],
    [
      "the vault's own property with any value",
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "" },
      ["Filed", "Plain", "Usual"],
    ],
  ])("is %s", async (_, settings, expected) => {
    expect(await titles(settings)).toEqual(expected);
  });

  it("is what a new note gets, and what stays when tags are replaced", async () => {
    const tagged = vaultWith({ taskTag: "todo" }, files);
    const { task } = await tagged.tasks.create({ title: "New", area: "Work", tags: ["x"] });
    expect([task.rule, task.tags]).toEqual(["task-tag", ["todo", "x"]]);
    expect(await tagged.text(task.path)).not.toContain("type:");
    const { adjustments } = await tagged.tasks.update("Tagged", { tags: ["y"] });
    expect((await tagged.task("Tagged.md")).tags).toEqual(["ToDo/home", "y"]);
    expect(adjustments).toHaveLength(1);
    const filed = vaultWith(
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "Chore" },
      files,
    );
    const created = await filed.tasks.create({ title: "New", area: "Work" });
    expect(created.task.rule).toBe("task-property");
    expect(await filed.text(created.task.path)).toMatch(/^---\nkind: Chore\n/);
    expect((await filed.tasks.get("Filed.md")).why).toContain('property "kind"');
    const cased = vaultWith({ taskTag: "Task" }, {});
    expect((await cased.tasks.create({ title: "New", area: "Work" })).task.tags).toEqual(["Task"]);
    const byTags = { taskIdentificationMethod: "property", taskPropertyName: "tags", taskPropertyValue: "chore" };
    const listed = vaultWith(byTags, {});
    const { task: alone } = await listed.tasks.create({ title: "Alone", area: "Work" });
    expect(await listed.text(alone.path)).toMatch(/^---\ntags:\n  - chore\n/);
    const { task: both } = await listed.tasks.create({ title: "New", area: "Work", tags: ["x"] });
    expect([both.rule, both.tags]).toEqual(["task-property", ["chore", "x"]]);
  });
});

it("properties that the user added to TaskNotes are no task fields, and have its types", async () => {
  const userFields = [
    { key: "effort", type: "number" },
    { key: "deadline", type: "date" },
    { key: "owners", type: "list" },
    { key: "billed", type: "boolean" },
    { key: "area", type: "text" },
  ];
  const before = note("tags: [task]\neffort: 3\ndeadline: 2030-01-01\narea: Work");
  const vault = taskVault({ [DATA]: JSON.stringify({ userFields }), "a.md": before });
  expect(await vault.task("a.md")).toMatchObject({
    due: undefined,
    timeEstimate: undefined,
    area: "Work",
    properties: { effort: 3, deadline: "2030-01-01" },
  });
  const properties = { effort: "5", deadline: "2030-02-01", owners: "Ann, Bo", billed: "true" };
  await vault.tasks.update("a.md", { dueDate: "2025-09-01", properties });
  expect(await vault.text("a.md")).toBe(
    note(
      "tags: [task]\neffort: 5\ndeadline: 2030-02-01\narea: Work\ndue: 2025-09-01\nowners:\n  - Ann\n  - Bo\nbilled: true",
    ),
  );
});

describe("words of the vault's own", () => {
  const STATUSES = [
    { value: "10-active", label: "Active", isCompleted: false },
    { value: "30-wait", label: "Waiting", isCompleted: false },
    { value: "90-done", label: "Done", isCompleted: true },
    { value: "95-off", label: "Off", isSkipped: true },
  ];
  const PRIORITIES = ["0-none", "1-low", "2-normal", "3-high"].map((value, weight) => ({ value, weight }));
  const WORDS = { customStatuses: STATUSES, customPriorities: PRIORITIES, defaultTaskStatus: "10-active" };
  const tagged = (lines: string): string => note(`tags: [task]\n${lines}`);

  it.each<[string, Record<string, unknown>, string, string]>([
    ["status: 10-active", { status: "Done" }, "status: 90-done", "Done"],
    ["status: 90-done", { status: "To Do" }, "status: 10-active", "To Do"],
    ["status: 10-active", { status: "Blocked" }, "status: 30-wait", "Blocked"],
    ["status: open", { status: "Cancelled" }, "status: 95-off", "Cancelled"],
    ["status: [10-active]", { status: "Done" }, "status: [90-done]", "Done"],
  ])("%s and %j give %s", async (before, updates, after, status) => {
    const vault = vaultWith(WORDS, { "a.md": tagged(before) });
    const { task } = await vault.tasks.update("a.md", updates);
    expect([await vault.text("a.md"), task.status]).toEqual([tagged(after), status]);
  });

  it.each<[string, Record<string, unknown>, string, readonly string[]]>([
    ["Done", { status: "Done" }, "status: sent", ["status: sent", "status: sent", "status: closed"]],
    ["Done that no task has", { status: "Done" }, "status: closed", []],
    ["Cancelled", { status: "Cancelled" }, "status: nope", ["status: nope"]],
    ["In Progress, of two the plain word", { status: "In Progress" }, "status: in-progress", []],
    ["High", { priority: "High" }, "priority: urgent", ["priority: urgent"]],
    ["High, of two the plain word", { priority: "High" }, "priority: high", []],
  ])("of one meaning, the one that most tasks have is written: %s", async (_, updates, written, others) => {
    const status = (value: string, more = {}) => ({ value, ...more });
    const customStatuses = [
      ...["todo", "review", "in-progress"].map((value) => status(value)),
      ...["closed", "sent"].map((value) => status(value, { isCompleted: true })),
      ...["off", "nope"].map((value) => status(value, { isSkipped: true })),
    ];
    const customPriorities = ["low", "high", "urgent"].map((value, weight) => ({ value, weight }));
    const notes = Object.fromEntries(others.map((line, place) => [`n${place}.md`, tagged(line)]));
    const settings = { customStatuses, customPriorities, defaultTaskStatus: "todo" };
    const vault = vaultWith(settings, { ...notes, "a.md": tagged("status: todo\npriority: low") });
    await vault.tasks.update("a.md", updates);
    expect((await vault.text("a.md")).split("\n")).toContain(written);
  });

  const ODD = [
    { value: "Done", label: "" },
    { value: "wip", label: "Working on it" },
    { value: "x", label: "Open", isCompleted: true },
    { value: "40-cancelled", label: "Cancelled", isCompleted: true },
    { value: "drop", label: "Given up", isSkipped: true },
  ];
  it.each<[string, string, Record<string, unknown>, string]>([
    ["Done", "done", { status: "Done" }, "x"],
    ["done", "done", { status: "Done" }, "x"],
    ["Working on it", "To Do", { dueDate: "" }, "Working on it"],
    ["Open", "Done", { status: "Done" }, "Open"],
    ["cancelled", "Done", { status: "Cancelled" }, "drop"],
    ["given up", "Cancelled", { status: "Done" }, "x"],
  ])(
    "means by value or label what TaskNotes says: %s is %s, and %j writes %s",
    async (word, status, updates, after) => {
      const vault = vaultWith({ customStatuses: ODD, defaultTaskStatus: "wip" }, { "a.md": tagged(`status: ${word}`) });
      expect((await vault.task("a.md")).status).toBe(status);
      await vault.tasks.update("a.md", updates);
      expect(await vault.text("a.md")).toBe(tagged(`status: ${after}`));
    },
  );

  it.each([
    ["priority: 2", "Medium", "priority: 2"],
    ["priority: 2", "High", 'priority: "1"'],
    ["priority: Urgent", "High", "priority: Urgent"],
    ["priority: urgent", "Low", 'priority: "3"'],
  ])("that are digits are written as texts: %s set to %s is %s", async (before, priority, after) => {
    const customPriorities = ["Urgent", "Soon", "Later"].map((label, place) => ({
      value: String(place + 1),
      label,
      weight: 3 - place,
    }));
    const vault = vaultWith({ customPriorities, defaultTaskPriority: "2" }, { "a.md": tagged(before) });
    const { task } = await vault.tasks.update("a.md", { priority: priority as "High" });
    expect([await vault.text("a.md"), task.priority]).toEqual([tagged(after), priority]);
  });

  it.each([
    ["1-low", "High", "3-high"],
    ["3-high", "Medium", "2-normal"],
    ["high", "Low", "1-low"],
  ])("priority %s set to %s is %s", async (before, priority, after) => {
    const vault = vaultWith(WORDS, { "a.md": tagged(`priority: ${before}`) });
    const { task } = await vault.tasks.update("a.md", { priority: priority as "High" });
    expect([await vault.text("a.md"), task.priority]).toEqual([tagged(`priority: ${after}`), priority]);
  });

  it("are no problem where they are listed, and rank by weight where they mean nothing", async () => {
    const customPriorities = [
      { value: "whenever", weight: 1 },
      { value: "soon", weight: 5 },
      { value: "now", weight: 9 },
    ];
    const vault = vaultWith(
      { customPriorities, defaultTaskPriority: "soon" },
      { "a.md": tagged("priority: now"), "b.md": tagged("priority: odd") },
    );
    expect((await vault.task("a.md")).priority).toBe("High");
    const { problems } = await vault.tasks.agenda();
    expect(problems.map(({ path }) => path)).toEqual(["b.md"]);
    await vault.tasks.update("b.md", { priority: "Low" });
    expect(await vault.text("b.md")).toContain("priority: whenever");
  });

  it.each([
    ["left out", {}, undefined],
    ["the default of TaskNotes", { defaultTaskPriority: "1-low" }, "1-low"],
  ])("without one for Medium, that of a new task is %s", async (_says, settings, word) => {
    const customPriorities = ["0-none", "1-low", "3-high"].map((value, weight) => ({ value, weight }));
    const vault = vaultWith({ customPriorities, ...settings }, { "a.md": tagged("priority: 3-high") });
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(/^priority: (.*)$/m.exec(await vault.text(task.path))?.[1]).toBe(word);
    const changed = await vault.tasks.update("a.md", { priority: "Medium" });
    expect([await vault.text("a.md"), changed.task.priority]).toEqual([tagged("priority:"), "Medium"]);
  });

  it("of a priority are refused where none means it", async () => {
    const customPriorities = ["medium", "low"].map((value, weight) => ({ value, weight: 2 - weight }));
    const vault = vaultWith({ customPriorities }, { "a.md": tagged("priority: low") });
    const error = await refusal(vault.tasks.update("a.md", { priority: "High" }));
    expect(error.message).toBe("No priority of this vault means High. Its priorities: medium, low.");
    expect(await vault.text("a.md")).toBe(tagged("priority: low"));
  });

  it("are the most used of a meaning", async () => {
    const customStatuses = ["todo", "open", "done"].map((value) => ({ value, isCompleted: value === "done" }));
    const vault = vaultWith(
      { customStatuses, defaultTaskStatus: "todo" },
      { "_projects/a.md": tagged("status: open") },
    );
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(await vault.text(task.path)).toContain("status: open\n");
  });

  it("are refused with the list where none has the meaning, and nothing is written", async () => {
    const vault = taskVault({ ".obsidian/community-plugins.json": '["tasknotes"]', "a.md": tagged("status: open") });
    const error = await refusal(vault.tasks.update("a.md", { status: "Blocked" }));
    expect(error.message).toBe("No status of this vault means Blocked. Its statuses: none, open, in-progress, done.");
    expect(error.hint).toContain("To Do, In Progress, Done");
    expect(await vault.text("a.md")).toBe(tagged("status: open"));
    await refusal(vault.tasks.create({ title: "New", area: "Home", status: "Blocked" }));
    expect((await vault.tasks.search({ query: "*" })).total).toBe(1);
  });

  it("are true and false where the status is a checkbox property", async () => {
    const vault = vaultWith(
      { fieldMapping: { status: "finished yet" } },
      {
        ".obsidian/types.json": '{"types": {"finished yet": "checkbox"}}',
        "a.md": tagged("finished yet: false"),
      },
    );
    await vault.tasks.update("a.md", { status: "Done" });
    expect(await vault.text("a.md")).toBe(tagged("finished yet: true"));
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(await vault.text(task.path)).toContain("finished yet: false\n");
    expect((await refusal(vault.tasks.update("a.md", { status: "In Progress" }))).message).toContain("false, true");
  });

  it("are in a base, where finished tasks are left out", async () => {
    const vault = vaultWith(WORDS, { "a.md": tagged("status: 90-done") });
    const base = await vault.tasks.base();
    expect(base).toContain('note["status"] != "90-done"');
    expect(base).toContain('note["status"] != "95-off"');
  });
});

describe("a vault set up for TaskNotes", () => {
  const ON = { ".obsidian/community-plugins.json": '["tasknotes"]' };

  it("gets notes that the plugin shows: its tag, status and priority", async () => {
    const vault = taskVault(ON);
    const { tasks } = await vault.tasks.addMany({ text: "Quick" });
    const text = await vault.text(tasks[0]?.task?.path ?? "");
    expect(text).toMatch(/\nstatus: open\npriority: normal\ntags:\n  - task\n/);
    expect(text).not.toContain("type:");
  });

  it.each([
    ["a link, by which the plugin lists it there", {}, '  - "[[Alpha]]"'],
    ["a name where its tasks have names", { "a.md": note("tags: [task]\nprojects:\n  - Beta") }, "  - Alpha"],
  ])("names a project by %s", async (_, others, written) => {
    const vault = taskVault({ ...ON, ...others, "Alpha.md": "", "x.md": note("tags:\n  - task") });
    const { task } = await vault.tasks.create({ title: "New", area: "Home", parentProjects: ["Alpha"] });
    expect(await vault.text(task.path)).toContain(`\nprojects:\n${written}\n`);
    await vault.tasks.update("x.md", { parentProjects: ["Alpha"] });
    expect(await vault.text("x.md")).toBe(note(`tags:\n  - task\nprojects:\n${written}`));
  });

  it("with other tasks gets what both programs know", async () => {
    const other = note("type: task\nstatus: open");
    const vault = taskVault({ ...ON, "_projects/a.md": other, "_projects/b.md": other });
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    const text = await vault.text(task.path);
    expect(text).toContain("type: task\n");
    expect(text).toMatch(/tags:\n  - task\n/);
  });

  it("takes a new value under its key, even if the note has another spelling", async () => {
    const vault = vaultWith(MAPPED, { "a.md": note("type: task\ndue: 2025-09-01 # mine") });
    await vault.tasks.update("a.md", { dueDate: "2025-09-02" });
    expect(await vault.text("a.md")).toBe(note("type: task\ndue: 2025-09-01 # mine\nFrist: 2025-09-02"));
    expect((await vault.task("a.md")).due).toBe("2025-09-02");
  });
});

it("reads the only open status as To Do, though its word says In Progress", async () => {
  const customStatuses = ["active", "done"].map((value) => ({ value, label: value, isCompleted: value === "done" }));
  const vault = vaultWith({ customStatuses, defaultTaskStatus: "active" }, {});
  const { task } = await vault.tasks.create({ title: "New", area: "Home", status: "To Do" });
  expect(task.status).toBe("To Do");
  expect(await vault.text(task.path)).toContain("\nstatus: active\n");
});

describe("a property that is a list", () => {
  const settings = {
    taskIdentificationMethod: "property",
    taskPropertyName: "categories",
    taskPropertyValue: "[[Task]]",
  };
  const types = { ".obsidian/types.json": '{"types": {"categories": "multitext", "area": "multitext"}}' };

  it("gets a list in new notes and new keys", async () => {
    const vault = vaultWith(settings, { ...types, "a.md": note('categories: ["[[Task]]"]\nprojects:') });
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(await vault.text(task.path)).toMatch(/^---\ncategories:\n  - "\[\[Task\]\]"\n(?:.*\n)*area:\n  - Home\n/);
    await vault.tasks.update("a.md", { area: "Home", parentProjects: ["Kitchen"] });
    const text = await vault.text("a.md");
    expect(text).toMatch(/\narea:(?: \[Home\]|\n  - Home)\n/);
    expect(text).toMatch(/\nprojects:(?: \[Kitchen\]|\n  - Kitchen)\n/);
  });

  it("holds the value of a field beside what marks the task, or refuses it", async () => {
    const byArea = { ...settings, taskPropertyName: "area" };
    const vault = vaultWith(byArea, types);
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(task.area).toBe("Home");
    expect(await vault.text(task.path)).toMatch(/^---\narea:\n  - Home\n  - "\[\[Task\]\]"\n/);
    await expect(vaultWith(byArea, {}).tasks.create({ title: "New", area: "Home" })).rejects.toThrow(
      'TaskNotes knows tasks of this vault by the value of their "area".',
    );
  });

  it("marks with a number where the property has numbers", async () => {
    const any = { ...settings, taskPropertyName: "rank", taskPropertyValue: "" };
    const vault = vaultWith(any, { ".obsidian/types.json": '{"types": {"rank": "number"}}' });
    const { task } = await vault.tasks.create({ title: "New", area: "Home" });
    expect(await vault.text(task.path)).toMatch(/^---\nrank: 1\n/);
  });

  it("keeps the items of a template", async () => {
    const template = note('categories:\n  - "[[Errand]]"', "# {{title}}\n");
    const folder = { ".obsidian/templates.json": '{"folder": "Templates"}', "Templates/Errand.md": template };
    const vault = vaultWith(settings, { ...types, ...folder });
    const { tasks } = await vault.tasks.addMany({ text: "Buy milk", template: "Errand" });
    const text = await vault.text(tasks[0]?.place ?? "");
    expect(text).toContain('categories:\n  - "[[Errand]]"\n  - "[[Task]]"\n');
  });
});

describe("where TaskNotes is on", () => {
  const ON = { ".obsidian/community-plugins.json": '["tasknotes"]', [DATA]: "{}" };
  const OTHERS = { "A.md": note("tags: [task]\nid: a1b2"), "B.md": note("tags: [task]\nid: c3d4") };

  it.each<[string, string, TaskUpdates, string]>([
    ["a second tag makes a list of one", "tags: task", { tags: ["home"] }, "tags:\n  - task\n  - home"],
    ["tags with commas become a list", "tags: task, a", { tags: ["task", "a", "b"] }, "tags:\n  - task\n  - a\n  - b"],
    ["a length of time is minutes", "tags: [task]\ntimeEstimate: 1h30", { estimate: "45m" }, "timeEstimate: 45\n---"],
    [
      "a key with other separators is not its key",
      "tags: [task]\ntime_estimate: 90",
      { estimate: "45m" },
      "time_estimate: 90\ntimeEstimate: 45",
    ],
    [
      "of two such keys its own is changed",
      "tags: [task]\ntime_estimate: 90\ntimeEstimate: 30",
      { estimate: "45m" },
      "time_estimate: 90\ntimeEstimate: 45",
    ],
    [
      "blockers under another key are added under its own",
      'tags: [task]\nblocked_by:\n  - "[[A]]"',
      { blockedBy: ["A", "B"] },
      'blocked_by:\n  - "[[A]]"\nblockedBy:\n  - "[[A]]"\n  - "[[B]]"',
    ],
    [
      "a new blocker is a link, also among names",
      "tags: [task]\nblockedBy:\n  - A",
      { blockedBy: ["A", "B"] },
      'blockedBy:\n  - A\n  - "[[B]]"',
    ],
  ])("its form is written: %s", async (_, before, updates, after) => {
    const vault = taskVault({ ...ON, ...OTHERS, "T.md": note(before) });
    await vault.tasks.update("T.md", updates);
    expect(await vault.text("T.md")).toContain(`\n${after}`);
  });

  it("a vault's tags with commas are no model for new notes", async () => {
    const vault = taskVault({ ...ON, "A.md": note("tags: task, a"), "B.md": note("tags: task, b") });
    const { task } = await vault.tasks.create({ title: "New", area: "Work", tags: ["x"] });
    expect(await vault.text(task.path)).toContain("\ntags:\n  - task\n  - x\n");
  });

  it.each([
    ["1", '"1"'],
    ["0x1F", '"0x1F"'],
    ["TRUE", "TRUE"],
    ["yes", "yes"],
  ])("a note is marked by the property value %s as %s", async (value, written) => {
    const property = { taskIdentificationMethod: "property", taskPropertyName: "isTask", taskPropertyValue: value };
    const vault = taskVault({ ...ON, [DATA]: JSON.stringify(property) });
    const { task } = await vault.tasks.create({ title: "New", area: "Work" });
    expect(await vault.text(task.path)).toContain(`\nisTask: ${written}\n`);
  });

  it("a heading is no title, and a new title is written where it is read", async () => {
    const vault = taskVault({ ...ON, "Paint.md": `${note("tags: [task]")}# Notes\n` });
    expect((await vault.task("Paint.md")).title).toBe("Paint");
    const { task } = await vault.tasks.update("Paint.md", { title: "Paint it" });
    expect(task.title).toBe("Paint it");
    expect(await vault.text("Paint.md")).toContain("\ntitle: Paint it\n---\n# Notes\n");
  });
});
