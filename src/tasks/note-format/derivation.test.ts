import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import type { Task } from "../task.js";

/** The tasks of a vault with one note. */
async function tasksOf(path: string, text: string, folders: readonly string[] = []): Promise<readonly Task[]> {
  const others = Object.fromEntries(folders.map((folder) => [`${folder}/readme.md`, "x"]));
  const { tasks } = taskVault({ ...others, [path]: text });
  return (await tasks.search({ query: "*", includeArchived: true })).tasks;
}
async function taskOf(path: string, text: string, folders: readonly string[] = []): Promise<Task | undefined> {
  return (await tasksOf(path, text, folders))[0];
}

describe("which notes are tasks", () => {
  it.each<[string, string, Task["rule"] | undefined]>([
    ["x.md", "type: task", "type-key"],
    ["x.md", "Type: Task", "type-key"],
    ["x.md", "note-type: TASK", "type-key"],
    ["x.md", "fileClass: task", "type-key"],
    ["x.md", 'type: "[[Task]]"', "type-key"],
    ["x.md", "type: [task, chore]", "type-key"],
    ["x.md", "tags: task", "task-tag"],
    ["x.md", "tags: [home, task/quick]", "task-tag"],
    ["x.md", 'tags: "#Task"', "task-tag"],
    ["x.md", "tags:\n  - errand\n  - task", "task-tag"],
    ["x.md", "type: note\ntags: [task]", "task-tag"],
    ["x.md", "type: task\ntags: [task]", "type-key"],
    ["x.md", "tags: [tasks]", undefined],
    ["x.md", "status: todo", undefined],
    ["_projects/x.md", "status: todo", "status-in-para"],
    ["1. Projects/Alpha/x.md", "Status: Doing", "status-in-para"],
    ["_areas/Work/x.md", "state: open", "status-in-para"],
    ["_resources/x.md", "status: done", "status-in-para"],
    ["_projects/x.md", "status: evergreen", undefined],
    ["_projects/x.md", "status:", undefined],
    ["_projects/x.md", "status: todo\ntype: project", undefined],
    ["_projects/x.md", "status: todo\nType: Epic", undefined],
    ["_projects/x.md", "status: todo\ntype:", "status-in-para"],
    ["_projects/x.md", "title: no status", undefined],
    ["_areas/Home.md", "status: active", undefined],
    ["_areas/Home.md", "status: 🟢 Ongoing", undefined],
    ["_areas/Home.md", "type: task\nstatus: active", "type-key"],
    ["_resources/Dune.md", "status: reading", undefined],
    ["_resources/Dune.md", "status: todo\ntags: [book/novel]", undefined],
    ["_resources/Anna.md", "status: open\ntags: person", undefined],
    ["_areas/Team/Team.md", "status: todo", undefined],
    ["_areas/Team/team plan.md", "status: todo", "status-in-para"],
    ["_areas/Team/Team.md", "status: todo\ntags: task", "task-tag"],
    ["projectsx/x.md", "status: todo", undefined],
    ["_inbox/x.md", "status: todo", undefined],
  ])("%s with %j: %s", async (path, frontmatter, rule) => {
    expect((await taskOf(path, note(frontmatter)))?.rule).toBe(rule);
  });

  it("says in get_task which rule it was, by which key and value", async () => {
    const { tasks } = taskVault({
      "a.md": note("Type: Task"),
      "b.md": note("Labels: [x, task/deep]"),
      "_projects/c.md": note("Stage: doing"),
    });
    expect((await tasks.get("a")).why).toBe('its property "Type" says "task"');
    expect((await tasks.get("b")).why).toBe('its property "Labels" holds the tag "task/deep"');
    expect((await tasks.get("c")).why).toBe('it lies in a PARA folder and its property "Stage" says "doing"');
  });

  it("looks away from templates", async () => {
    expect(await tasksOf("Templates/x.md", note("type: task"))).toEqual([]);
  });

  it("counts a note whose properties hold placeholders", async () => {
    expect(await tasksOf("x.md", note('type: task\ntitle: "n8n {{ }}"'))).toMatchObject([{ title: "n8n {{ }}" }]);
  });
});

describe("fields", () => {
  const body = "# Heading\n\nWords.\n";
  it.each<[string, string, string, Partial<Task>]>([
    ["id", "x.md", "type: task\nid: 00123", { id: "00123" }],
    ["id that looks like a float", "x.md", "type: task\nid: 12e5", { id: "12e5" }],
    ["id by another key", "x.md", "type: task\nUID: abc", { id: "abc" }],
    ["no id", "sub/x.md", "type: task\nid:", { id: "sub/x.md" }],
    ["title", "x.md", "type: task\ntitle: 1.10", { title: "1.10" }],
    ["title on several lines", "x.md", 'type: task\ntitle: "a\\n✅ Task"', { title: "a ✅ Task" }],
    ["title from the heading", "x.md", "type: task\ntitle:", { title: "Heading" }],
    ["no status", "x.md", "type: task", { status: "To Do" }],
    ["empty status", "x.md", "type: task\nstatus:", { status: "To Do" }],
    ["a word of its own", "x.md", "type: task\nstatus: Evergreen", { status: "Evergreen" }],
    ["status number", "x.md", "type: task\nstatus: 5", { status: "5" }],
    ["status true", "x.md", "type: task\nstatus: true", { status: "Done" }],
    ["status blank in quotes", "x.md", 'type: task\nstatus: " "', { status: "To Do" }],
    ["done flag", "x.md", "type: task\ndone: true", { status: "Done" }],
    ["completed as a flag", "x.md", "type: task\ncompleted: true", { status: "Done", completed: undefined }],
    [
      "completed as a date",
      "x.md",
      "type: task\nstatus: done\ncompleted: 2025-08-01",
      { status: "Done", completed: "2025-08-01" as never },
    ],
    ["completed day alone", "x.md", "type: task\ncompleted: 2025-08-01", { status: "Done" }],
    ["completed day of a series", "x.md", "type: task\ncompleted: 2025-08-01\nrepeat: weekly", { status: "To Do" }],
    ["completed day against flag", "x.md", "type: task\ncompleted: 2025-08-01\ndone: false", { status: "To Do" }],
    ["status against flag", "x.md", "type: task\nstatus: doing\ndone: true", { status: "In Progress" }],
    ["flag without", "x.md", "type: task\ncomplete: false", { status: "To Do" }],
    ["no priority", "x.md", "type: task", { priority: "Medium" }],
    ["priority number", "x.md", "type: task\npriority: 1", { priority: "High" }],
    ["priority unknown", "x.md", "type: task\npriority: [x]", { priority: "Medium" }],
    ["due", "x.md", "type: task\nDue Date: 2025-09-01", { due: "2025-09-01" as never }],
    [
      "due wins over deadline",
      "x.md",
      "type: task\ndeadline: 2025-01-01\ndue: 2025-09-01",
      { due: "2025-09-01" as never },
    ],
    ["due as a link", "x.md", 'type: task\ndue: "[[2025-09-01]]"', { due: "2025-09-01" as never }],
    ["due quoted", "x.md", 'type: task\ndue: "2025-09-01"', { due: "2025-09-01" as never }],
    ["due that does not exist", "x.md", "type: task\ndue: 2025-02-30", { due: undefined }],
    ["area", "x.md", "type: task\narea: Work", { area: "Work" }],
    ["area as a link", "x.md", 'type: task\narea: "[[Work]]"', { area: "Work" }],
    ["area as an unquoted link", "x.md", "type: task\narea: [[Work]]", { area: "Work" }],
    ["area with folder and alias", "x.md", 'type: task\narea: "[[_areas/Work|Job]]"', { area: "Work" }],
    ["area in a list", "x.md", 'type: task\nareas:\n  - "[[Work]]"', { area: "Work" }],
    ["area from the folder", "_areas/Work/Sub/x.md", "type: task", { area: "Work" }],
    ["area over the folder", "_areas/Work/x.md", "type: task\narea: Home", { area: "Home" }],
    ["no area", "_areas/x.md", "type: task", { area: undefined }],
    ["projects", "x.md", 'type: task\nprojects:\n  - "[[A]]"\n  - B', { parentProjects: ["A", "B"] }],
    ["projects unquoted", "x.md", "type: task\nprojects:\n  - [[A]]\n  - [[B]]", { parentProjects: ["A", "B"] }],
    ["one project", "x.md", "type: task\nparent: [[A]]", { parentProjects: ["A"] }],
    ["several in one text", "x.md", 'type: task\nproject: "[[A]], [[B]]"', { parentProjects: ["A", "B"] }],
    ["project from the folder", "_projects/Alpha/deep/x.md", "type: task", { parentProjects: ["Alpha"] }],
    ["no project", "_projects/x.md", "type: task", { parentProjects: [] }],
    ["tags list", "x.md", "type: task\ntags: [a, '#b']", { tags: ["a", "b"] }],
    ["tags in commas", "x.md", 'type: task\ntags: "a, b"', { tags: ["a", "b"] }],
    ["archived by folder", "_archive/x.md", "type: task", { archived: true }],
    ["archived by flag", "x.md", "type: task\narchived: true", { archived: true }],
    ["not archived", "x.md", "type: task\narchived: false", { archived: false }],
    ["excerpt", "x.md", "type: task", { excerpt: "Words." }],
  ])("%s", async (_name, path, frontmatter, expected) => {
    const folders = ["_projects", "_areas", "_archive"];
    const found = await taskOf(path, note(frontmatter, body), folders);
    const names = Object.keys(expected) as (keyof Task)[];
    expect(Object.fromEntries(names.map((name) => [name, found?.[name]]))).toEqual(expected);
  });

  it("takes the title from the file name when nothing else gives one", async () => {
    expect((await taskOf("deep/My task.md", note("type: task", "words")))?.title).toBe("My task");
  });

  it("remembers 500 characters of the description and no half character", async () => {
    const long = `${"x".repeat(499)}😀${"y".repeat(100)}`;
    const excerpt = (await taskOf("x.md", note("type: task", `# T\n\n${long}\n`)))?.excerpt ?? "";
    expect(excerpt.length).toBeGreaterThanOrEqual(499);
    expect(excerpt).not.toMatch(/\p{Cs}/u);
    expect(long.startsWith(excerpt)).toBe(true);
  });
});

describe("problems", () => {
  it("reports what cannot be understood with file and line, and goes on", async () => {
    const text = note('type: task\nstatus: 5\npriority: [x]\ntags: "a, b"\ndueDate: yesterday\nscheduled: 2025-02-30');
    const { tasks } = taskVault({ "odd.md": text, "broken.md": note("a: ["), "fine.md": note("type: task") });
    const agenda = await tasks.agenda();
    expect(agenda.taskCount).toBe(2);
    expect(agenda.problems.map(({ path, line }) => `${path}:${line}`).sort()).toEqual(
      ["broken.md", "odd.md:4", "odd.md:6", "odd.md:7"].map((place) => expect.stringContaining(place)),
    );
    expect(agenda.problems.find(({ line }) => line === 7)?.message).toBe(
      'scheduled "2025-02-30" is not a day that exists.',
    );
  });
});

it.each([
  [true, "Done", 0],
  [false, "Shelved OK", 1],
])(
  "takes TaskNotes' custom status for done where the plugin's settings say so: %s",
  async (isCompleted, status, open) => {
    const settings = JSON.stringify({ customStatuses: [{ value: "shelved-ok", isCompleted }, { value: "open" }] });
    const vault = taskVault({
      "x.md": note("type: task\nstatus: Shelved OK"),
      ".obsidian/plugins/tasknotes/data.json": settings,
    });
    expect((await vault.task("x.md")).status).toBe(status);
    expect((await vault.tasks.agenda()).outstanding).toHaveLength(open);
  },
);

it("takes a status of TaskNotes' settings for one of tasks", async () => {
  const settings = JSON.stringify({ customStatuses: [{ value: "active" }, { value: "brewing" }] });
  const vault = taskVault({
    "_projects/a.md": note("status: active"),
    "_projects/b.md": note("status: Brewing"),
    "_projects/c.md": note("status: ongoing"),
    ".obsidian/plugins/tasknotes/data.json": settings,
  });
  expect((await vault.tasks.all()).tasks.map(({ path }) => path)).toEqual(["_projects/a.md", "_projects/b.md"]);
});

it.each([
  ['["tasknotes"]', "To Do"],
  ["[]", "Done"],
])("reads a completed day without a status as TaskNotes does where it is on: %s", async (plugins, status) => {
  const vault = taskVault({
    "x.md": note("type: task\ncompletedDate: 2025-08-01"),
    ".obsidian/community-plugins.json": plugins,
  });
  expect((await vault.task("x.md")).status).toBe(status);
});
