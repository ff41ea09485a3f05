/** Checkbox lines as tasks of a vault: which count, what they say, how they are named, and what an update writes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ_FACTOR, LONG } from "../../../test/kit/fuzz.js";
import { note, refusal, taskVault, type TaskVaultOptions } from "../../../test/kit/task-vault.js";
import type { Task } from "../task.js";
import { titleDigits } from "./task-line.js";

const PLUGINS = ".obsidian/community-plugins.json";
const DATA = ".obsidian/plugins/obsidian-tasks-plugin/data.json";
const MARKED: TaskVaultOptions = { lines: { inlineTasks: "marked" } };

/** A vault in which the Tasks plugin is on. */
function pluginVault(files: Readonly<Record<string, string>>, settings: object = {}) {
  return taskVault({ [PLUGINS]: '["obsidian-tasks-plugin"]', [DATA]: JSON.stringify(settings), ...files });
}

async function tasksOf(text: string, options: TaskVaultOptions = MARKED, path = "a.md"): Promise<readonly Task[]> {
  return (await taskVault({ [path]: text }, options).tasks.search({ query: "*", includeArchived: true })).tasks;
}
const titles = (tasks: readonly Task[]): string[] => tasks.map(({ title }) => title).toSorted();

describe("which checkboxes are tasks", () => {
  const text =
    "- [ ] plain\n- [ ] tagged #task\n- [ ] dated 📅 2025-09-01\n- [ ] bracketed [due:: 2025-09-01]\n- [ ]\n";

  it("none where they are off", async () => {
    const { tasks } = taskVault({ "a.md": text }, { lines: { inlineTasks: "off" } });
    expect((await tasks.agenda()).taskCount).toBe(0);
  });

  it("asked for they are found, read and changed whatever the settings say", async () => {
    const { tasks, text: read } = taskVault(
      { "a.md": "- [ ] dated 📅 2025-09-01\n" },
      { lines: { inlineTasks: "off" } },
    );
    expect((await tasks.search({ query: "*" })).total).toBe(0);
    const { tasks: found } = await tasks.search({ query: "dated", is: ["inline"] });
    expect(found.map(({ line }) => line)).toEqual([1]);
    await tasks.update(found[0]?.id ?? "", { status: "Done" });
    expect((await tasks.get("a.md:1")).task.status).toBe("Done");
    expect(await read("a.md")).toBe("- [x] dated 📅 2025-09-01\n");
    expect(await tasks.agenda()).toMatchObject({ taskCount: 0, unreadInline: 1 });
  });

  it("the marked ones in every vault, and the others are counted, listed, and marked by a written field", async () => {
    const { tasks, text: read } = taskVault({ "a.md": `${text}- [x] done\n`, "b.md": "- [ ] lamp of mine\nwords\n" });
    expect(titles((await tasks.search({ query: "*" })).tasks)).toEqual(["bracketed", "dated", "tagged #task"]);
    expect(await tasks.notCounted()).toEqual(
      'Not counted: 2 open plain checkboxes in 2 notes. List them: search_tasks is ["checkbox"].',
    );
    expect(await tasks.notCounted({ query: "lamp" })).toEqual(
      '1 plain checkbox matches "lamp"; list it: search_tasks is ["checkbox"].',
    );
    expect(await tasks.notCounted({ query: "nothing such" })).toBeUndefined();
    expect(await tasks.notCounted({ note: "b" })).toEqual(
      'Not counted: 1 open plain checkbox with these filters. List it: search_tasks is ["checkbox"].',
    );
    expect(await tasks.notCounted({ due: "today" })).toBeUndefined();
    const plain = await tasks.search({ query: "*", is: ["checkbox"] });
    expect(titles(plain.tasks)).toEqual(["done", "lamp of mine", "plain"]);
    const { id } = (await tasks.get("b.md:1")).task;
    expect(id).toBe(plain.tasks.find(({ title }) => title === "lamp of mine")?.id);
    expect((await tasks.update("b.md:1", { status: "Done" })).adjustments).toEqual([]);
    expect(await read("b.md")).toBe("- [x] lamp of mine\nwords\n");
    const marked = await tasks.update("b.md:1", { dueDate: "2025-09-01", status: "To Do" });
    expect(marked.adjustments).toEqual(["It now counts as a task."]);
    expect(await read("b.md")).toBe("- [ ] lamp of mine 📅 2025-09-01\nwords\n");
    const other = await refusal(tasks.get("b.md:2"));
    expect([other.code, other.message]).toEqual(["INVALID_ARGUMENT", "Line 2 of 'b.md' is no checkbox: \"words\"."]);
  });

  it("a plain line gets the global filter with its first field", async () => {
    const { tasks, text: read } = pluginVault({ "a.md": "- [ ] lamp\n" }, { globalFilter: "#todo" });
    await tasks.update("a.md:1", { priority: "High" });
    expect(await read("a.md")).toBe("- [ ] lamp #todo ⏫\n");
    expect((await tasks.search({ query: "*" })).total).toBe(1);
  });

  it("every box is a task or a plain one, in any vault", async () => {
    const line = fc.tuple(
      fc.constantFrom("- [ ] ", "- [x] ", "  - [ ] ", "> - [/] ", "1. [-] "),
      fc.constantFrom("a", "b #task", "c 📅 2025-09-01", "d [due:: 2025-09-01]", "e #x", "f 📅 soon"),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.constantFrom("", "#task"),
        async (lines, globalFilter) => {
          const { tasks } = pluginVault(
            { "a.md": lines.map((parts) => `${parts.join("")}\n`).join("") },
            { globalFilter },
          );
          const [counted, plain] = [
            await tasks.search({ query: "*" }),
            await tasks.search({ query: "*", is: ["checkbox"] }),
          ];
          expect(counted.total + plain.total).toBe(lines.length);
        },
      ),
      { numRuns: 40 * FUZZ_FACTOR },
    );
  });

  it("the marked ones where the plugin is on", async () => {
    const { tasks } = pluginVault({ "a.md": text });
    expect(titles((await tasks.search({ query: "*" })).tasks)).toEqual(["bracketed", "dated", "tagged #task"]);
  });

  it("those with the global filter where there is one, which is no part of the title and no tag", async () => {
    const { tasks } = pluginVault({ "a.md": `${text}- [ ] filtered #todo #home\n` }, { globalFilter: "#todo" });
    const [task, ...others] = (await tasks.search({ query: "*" })).tasks;
    expect([task?.title, task?.tags, others]).toEqual(["filtered #home", ["home"], []]);
  });

  it("all but empty ones where all are asked for", async () => {
    expect(titles(await tasksOf(text, { lines: { inlineTasks: "all" } }))).toEqual([
      "bracketed",
      "dated",
      "plain",
      "tagged #task",
    ]);
  });

  it("by the options where settings cannot be read", async () => {
    const options = { lines: { inlineTasks: "marked", globalFilter: "#todo" } } as const;
    expect(titles(await tasksOf("- [ ] one #todo\n- [ ] two #task\n", options))).toEqual(["one"]);
  });

  it.each([
    ["code", "```\n- [ ] x #task\n```\n"],
    ["a comment of Obsidian's", "%%\n- [ ] x #task\n%%\n"],
    ["an HTML comment", "<!--\n- [ ] x #task\n-->\n"],
    ["frontmatter", "---\na: |\n  - [ ] x #task\n---\n"],
  ])("none in %s", async (_place, hidden) => {
    expect(await tasksOf(hidden)).toEqual([]);
  });

  it("in every kind of list and in quotes", async () => {
    const lists = "* [ ] a #task\n+ [ ] b #task\n1. [ ] c #task\n2) [ ] d #task\n> - [ ] e #task\n> > - [x] f #task\n";
    expect(titles(await tasksOf(lists))).toEqual("abcdef".split("").map((word) => `${word} #task`));
  });

  it("a symbol that is none by the plugin's settings is none", async () => {
    const customStatuses = [{ symbol: "i", name: "Info", nextStatusSymbol: " ", type: "NON_TASK" }];
    const { tasks } = pluginVault({ "a.md": "- [i] a #task\n- [?] b #task\n" }, { statusSettings: { customStatuses } });
    expect(titles((await tasks.search({ query: "*" })).tasks)).toEqual(["b #task"]);
  });
});

describe("what a line says", () => {
  it("its fields, tags, series, sign and blockers", async () => {
    const line =
      "- [/] Paint the wall #home ⏫ 🆔 abc123 ⛔ x1,y2 🔁 every week ➕ 2025-08-01 🛫 2025-08-20 ⏳ 2025-08-25 📅 2025-09-01 ^wall";
    expect((await tasksOf(`${line}\n`))[0]).toMatchObject({
      id: "a.md#^wall",
      path: "a.md",
      line: 1,
      source: "line",
      rule: "checkbox",
      title: "Paint the wall #home",
      status: "In Progress",
      priority: "High",
      tags: ["home"],
      due: "2025-09-01",
      scheduled: "2025-08-25",
      start: "2025-08-20",
      created: "2025-08-01",
      sign: "abc123",
      blockedBy: ["x1", "y2"],
      series: { rule: "every week", anchor: "scheduled" },
    });
  });

  it("its area and projects are the note's, else its folder's; a project's note is the project", async () => {
    const { tasks } = taskVault(
      {
        "_areas/Work/a.md": "- [ ] one #task\n",
        "_projects/Alpha/b.md": "- [ ] two #task\n",
        "_projects/Alpha/c.md": note("area: Home\nprojects: [Beta]", "- [ ] three #task\n"),
        "Gamma.md": note("type: project", "- [ ] four #task\n"),
        "_archive/d.md": "- [ ] five #task\n",
      },
      MARKED,
    );
    const found = (await tasks.search({ query: "*", includeArchived: true })).tasks;
    const told = found.map(({ title, area, parentProjects, archived }) => [title, [area, parentProjects, archived]]);
    expect(Object.fromEntries(told)).toEqual({
      "one #task": ["Work", [], false],
      "two #task": [undefined, ["Alpha"], false],
      "three #task": ["Home", ["Beta"], false],
      "four #task": [undefined, ["Gamma"], false],
      "five #task": [undefined, [], true],
    });
  });

  it("its parent is the next less indented checkbox that is a task", async () => {
    const text =
      "- [ ] a #task ^a\n\t- [ ] b\n\t\t- [ ] c #task ^c\n\t- plain\n\t\t- [ ] d #task ^d\n- plain\n\t- [ ] e #task ^e\n# H\n  - [ ] f #task ^f\n";
    const found = await tasksOf(text);
    expect(Object.fromEntries(found.map(({ title, parent }) => [title, parent]))).toEqual({
      "a #task": undefined,
      "c #task": "a.md#^a",
      "d #task": "a.md#^a",
      "e #task": undefined,
      "f #task": undefined,
    });
  });

  it("the file's name tells the scheduled day where the plugin says so and the line has no day", async () => {
    const settings = { useFilenameAsScheduledDate: true, filenameAsDateFolders: ["Daily"] };
    const text = "- [ ] a #task\n- [ ] b 📅 2025-09-09\n";
    const { tasks } = pluginVault({ "Daily/2025-09-01.md": text, "Other/2025-09-02.md": text }, settings);
    const found = (await tasks.search({ query: "a" })).tasks;
    expect(Object.fromEntries(found.map(({ path, scheduled }) => [path, scheduled]))).toEqual({
      "Daily/2025-09-01.md": "2025-09-01",
      "Other/2025-09-02.md": undefined,
    });
    expect((await tasks.search({ query: "b" })).tasks.every(({ scheduled }) => scheduled === undefined)).toBe(true);
  });

  it.each([
    ["202509011530 Idea.md", "2025-09-01"],
    ["20250901 and 2025-09-02.md", "2025-09-02"],
    ["2025-0901.md", undefined],
    ["2025-13-45 20250901.md", undefined],
  ])("the file's name %s tells the day that it tells the plugin", async (name, scheduled) => {
    const { tasks } = pluginVault({ [name]: "- [ ] a #task\n" }, { useFilenameAsScheduledDate: true });
    expect((await tasks.search({ query: "a" })).tasks).toMatchObject([{ title: "a #task", scheduled }]);
  });

  it("the file's name may tell it in another format", async () => {
    const settings = { useFilenameAsScheduledDate: true, filenameAsScheduledDateFormat: "dddd Do MMMM YYYY" };
    const text = "- [ ] a #task\n";
    const { tasks } = pluginVault(
      { "Tuesday 2nd September 2025.md": text, "2025-09-03.md": text, "x.md": text },
      settings,
    );
    const found = (await tasks.search({ query: "a" })).tasks;
    expect(found.map(({ scheduled = "none" }) => scheduled)).toEqual(["2025-09-03", "2025-09-02", "none"]);
  });

  it("its tags are part of its title, wherever they are; a colour in HTML is none, nor is [H] blocked", async () => {
    const line = '- [H] Sign up for #newsletter 📅 2025-09-01 #mail <mark style="background: #FFF3A3A6;">now</mark>';
    expect(
      (await tasksOf(`${line}\n- [ ] b 📅 2025-09-01 #c\n`)).map(({ title, tags, status }) => [title, tags, status]),
    ).toEqual([
      ["b #c", ["c"], "To Do"],
      [line.slice(6), ["newsletter", "mail"], "To Do"],
    ]);
  });

  it("says of a day with a clock time that this is why it is not read", async () => {
    const { tasks } = taskVault(
      { "a.md": "- [ ] b [due:: 2025-09-01T09:00]\n- [ ] c [due:: 2025-09-31T09:00]\n" },
      MARKED,
    );
    expect((await tasks.agenda()).problems.map(({ message }) => message)).toEqual([
      'due "2025-09-01T09:00" has a clock time, which the Tasks plugin does not read: write 2025-09-01.',
      'due "2025-09-31T09:00" is not a day that exists.',
    ]);
  });

  it("of several days of a kind the first counts, as in the plugin", async () => {
    const text = "- [ ] a #task ⏫ 📅 2025-09-01 🔽 📅 2025-09-02\n";
    expect(await tasksOf(text)).toMatchObject([{ due: "2025-09-01", priority: "High" }]);
  });

  it("reports unread fields and days that do not exist with their line", async () => {
    const lines = [
      "- [ ] 📅 2025-09-01 call",
      "- [ ] b [due:: 2025-02-30]",
      "- [ ] c 📅 2025-9-1",
      "- [ ] d [due:: 1.9.2025]",
    ];
    const { tasks } = taskVault({ "a.md": `x\n\n${lines.join("\n")}\n` }, MARKED);
    expect((await tasks.agenda()).problems).toEqual([
      expect.objectContaining({ path: "a.md", line: 3, message: expect.stringContaining("other text behind it") }),
      expect.objectContaining({ path: "a.md", line: 4, message: 'due "2025-02-30" is not a day that exists.' }),
      expect.objectContaining({
        path: "a.md",
        line: 5,
        message: expect.stringContaining("another form than YYYY-MM-DD"),
      }),
      expect.objectContaining({ path: "a.md", line: 6, message: 'due "1.9.2025" is not a date (YYYY-MM-DD).' }),
    ]);
  });
});

describe("names of lines", () => {
  const text = "- [ ] one #task\n- [ ] two #task\n- [ ] two #task\n- [ ] three #task ^block\n";

  it("a line and the digits of its title; a block id; a line alone; a link", async () => {
    const { tasks } = taskVault({ "Notes/a.md": text }, MARKED);
    const id = (await tasks.get("one")).task.id;
    expect(id).toMatch(/^Notes\/a\.md:1~[0-9a-f]{6}$/);
    for (const reference of [id, `/${id}`, "Notes/a.md:1", "Notes/a:1", "/Notes/a.md:1"])
      expect((await tasks.get(reference)).task).toMatchObject({ id, title: "one #task" });
    for (const reference of [
      "Notes/a.md#^block",
      "/Notes/a.md#^block",
      "[[a#^block]]",
      "[[Notes/a#^block|so]]",
      "[[/Notes/a#^block]]",
      "Notes/a.md:4",
    ])
      expect((await tasks.get(reference)).task.title).toBe("three #task");
  });

  it("finds a line that has moved by its digits, and refuses with candidates where several have them or none", async () => {
    const { tasks, put } = taskVault({ "a.md": text }, MARKED);
    const [one, two] = [(await tasks.get("one")).task.id, (await tasks.get("a.md:2")).task.id];
    await put("a.md", `# New\n\n\n\n${text}`);
    expect((await tasks.get(one)).task).toMatchObject({ title: "one #task", line: 5 });
    const several = await refusal(tasks.update(two, { status: "Done" }));
    expect([several.code, several.candidates?.length]).toEqual(["AMBIGUOUS_NAME", 2]);
    await put("a.md", "- [ ] uno #task\n");
    const none = await refusal(tasks.update(one, { status: "Done" }));
    expect([none.code, none.candidates?.[0]?.title]).toEqual(["FILE_NOT_FOUND", "uno #task"]);
  });

  it("knows ids that were made of titles without the tags at their end", async () => {
    const { tasks, text: read } = taskVault({ "a.md": text }, MARKED);
    const earlier = `a.md:1~${titleDigits("one")}`;
    await tasks.update(earlier, { status: "Done" });
    expect(await read("a.md")).toContain("- [x] one #task\n");
    expect((await tasks.get(`a.md:9~${titleDigits("one")}`)).task.line).toBe(1);
  });

  it("says in the answer that another line has the same text, and that a line has moved", async () => {
    const { tasks, put } = taskVault({ "a.md": text }, MARKED);
    const { id } = (await tasks.get("a.md:2")).task;
    expect((await tasks.update(id, { status: "In Progress" })).adjustments).toEqual([
      `another line of a.md has the same text: ${id.replace(":2", ":3")}`,
    ]);
    await put("a.md", "- [ ] two #task\n");
    expect((await tasks.update(id, { status: "Done" })).adjustments).toEqual(["line 2 of a.md is line 1 now"]);
  });

  it("an update means the line where it stands when it is written", async () => {
    const { tasks, vault, storage, text: read } = taskVault({ "a.md": text }, MARKED);
    const { id } = (await tasks.get("one")).task;
    const edit = vault.writing.edit.bind(vault.writing);
    // Between looking and writing another program puts a line above.
    vault.writing.edit = async (path, ...rest) => {
      await storage.write(path, new TextEncoder().encode(`- [ ] zero #task\n${text}`), { kind: "any" });
      return edit(path, ...rest);
    };
    expect((await tasks.update(id, { status: "Done" })).task).toMatchObject({ title: "one #task", line: 2 });
    expect(await read("a.md")).toBe(`- [ ] zero #task\n${text.replace("- [ ] one", "- [x] one")}`);
  });
});

describe("updates", () => {
  async function updated(line: string, updates: object, options: TaskVaultOptions = MARKED): Promise<string> {
    const { tasks, text } = taskVault({ "a.md": `top\r\n\r\n${line}\r\nbottom` }, options);
    await tasks.update("a.md:3", updates);
    const [, changed = ""] = /^top\r\n\r\n([^]*)\r\nbottom$/.exec(await text("a.md")) ?? [];
    return changed;
  }

  it.each<[string, object, string]>([
    ["- [ ] a  b #task", { status: "Done" }, "- [x] a  b #task"],
    ["- [ ] a #task", { status: "In Progress" }, "- [/] a #task"],
    ["- [x] a #task ✅ 2025-08-01", { status: "To Do" }, "- [ ] a #task"],
    ["- [-] a #task ❌ 2025-08-01 ^b", { status: "To Do" }, "- [ ] a #task ^b"],
    ["- [ ] a #task", { dueDate: "2025-09-01" }, "- [ ] a #task 📅 2025-09-01"],
    ["- [ ] a [due::2025-09-01]", { dueDate: "2025-09-02" }, "- [ ] a [due::2025-09-02]"],
    ["- [ ] a #task 📅 2025-09-01 ^b", { dueDate: "" }, "- [ ] a #task ^b"],
    [
      "- [ ] a #task 📅 2025-09-01 📅 2025-09-02",
      { dueDate: "2025-09-03" },
      "- [ ] a #task 📅 2025-09-03 📅 2025-09-02",
    ],
    ["- [ ] a ⏫ #task", { priority: "Low" }, "- [ ] a 🔽 #task"],
    ["- [ ] a ⏫ #task", { priority: "Medium" }, "- [ ] a #task"],
    ["- [ ] a 🔼 #task", { priority: "Medium" }, "- [ ] a 🔼 #task"],
    ["- [ ] a #task 📅 2025-09-01 📅 2025-09-02", { dueDate: "" }, "- [ ] a #task"],
    ["- [ ] a 🔺 #task 📅 2025-09-01 ⏬", { priority: "Medium" }, "- [ ] a #task 📅 2025-09-01"],
    ["- [x] a #task ✅ 2025-08-01 ✅ 2025-08-02", { status: "To Do" }, "- [ ] a #task"],
    ["- [ ] a #task #x", { tags: ["y"] }, "- [ ] a #task #y"],
    ["- [x] a ✅ 2025-08-01", { status: "To Do", dueDate: "2025-09-01" }, "- [ ] a 📅 2025-09-01"],
    ["- [ ] a #task 📅 2025-09-01", { title: "b c" }, "- [ ] b c #task 📅 2025-09-01"],
  ])("%s with %j: %s", async (line, updates, expected) => {
    expect(await updated(line, updates)).toBe(expected);
  });

  it("writes ✅ where the plugin does, and without it where the vault has some", async () => {
    const { tasks, text } = pluginVault({ "a.md": "- [ ] a #task\n" });
    await tasks.update("a", { status: "Done" });
    expect(await text("a.md")).toBe("- [x] a #task ✅ 2025-08-30\n");
    const other = taskVault({ "a.md": "- [ ] a #task\n- [x] b #task ✅ 2025-01-01\n" }, MARKED);
    await other.tasks.update("a", { status: "Done" });
    expect(await other.text("a.md")).toContain("- [x] a #task ✅ 2025-08-30\n");
  });

  it.each<[string, object, string]>([
    ["- [ ] a #task", {}, "- [-] a #task ❌ 2025-08-30"],
    ["- [x] a #task ✅ 2025-08-01 ^b", {}, "- [-] a #task ❌ 2025-08-30 ^b"],
    ["- [ ] a 🔁 every day 📅 2025-08-30", {}, "- [-] a 🔁 every day 📅 2025-08-30 ❌ 2025-08-30"],
    ["- [ ] a #task", { setCancelledDate: false }, "- [-] a #task"],
    ["- [ ] a #task ❌ 2025-08-01", { setCancelledDate: false }, "- [-] a #task"],
    ["- [ ] a #task", { taskFormat: "dataview" }, "- [-] a #task  [cancelled:: 2025-08-30]"],
  ])("cancels %s with %j as the plugin does: %s", async (line, settings, expected) => {
    const { tasks, text } = pluginVault({ "a.md": `${line}\n` }, settings);
    await tasks.update("a.md:1", { status: "Cancelled" });
    expect(await text("a.md")).toBe(`${expected}\n`);
  });

  it("writes fields in brackets where the plugin's format is dataview", async () => {
    const { tasks, text } = pluginVault({ "a.md": "- [ ] a #task\n" }, { taskFormat: "dataview" });
    await tasks.update("a", { dueDate: "2025-09-01" });
    expect(await text("a.md")).toBe("- [ ] a #task  [due:: 2025-09-01]\n");
  });

  it.each<[string, object, RegExp]>([
    ["- [ ] a #task", { area: "Work" }, /cannot hold area/],
    ["- [ ] a #task", { parentProjects: ["X"], description: "d" }, /cannot hold parentProjects, description/],
    ["- [ ] a #task", { status: "Blocked" }, /No checkbox of this vault means Blocked/],
    ["- [ ] a 📅 2025-09-01", { dueDate: "" }, /no task any more/],
    ["- [x] a ✅ 2025-08-01", { status: "To Do" }, /no task any more/],
    ["- [-] a ❌ 2025-08-01", { status: "To Do", priority: "Medium" }, /no task any more/],
    ["- [ ] 📅 2025-09-01 a #task", { dueDate: "2025-10-01" }, /other text behind it/],
    ["- [ ] a #task", { title: "b 📅 2025-09-01" }, /would be read as fields/],
  ])("%s with %j is refused, and nothing is written", async (line, updates, message) => {
    const { tasks, text } = taskVault({ "a.md": `${line}\n` }, MARKED);
    const error = await refusal(tasks.update("a.md:1", updates));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringMatching(message)]);
    expect(await text("a.md")).toBe(`${line}\n`);
  });

  it("tells what to do with a text that no line holds, and that area is the note's", async () => {
    const { tasks } = taskVault({ "a.md": "- [ ] a #task\n" }, MARKED);
    expect((await refusal(tasks.update("a", { description: "d" }))).hint).toBe(
      'Leave these out, or make the line a note first with convert "note". Nothing was changed.',
    );
    expect((await refusal(tasks.update("a", { area: "Work" }))).hint).toContain("come from its note");
  });

  it("removes a finished line that says so, unless others stand below it", async () => {
    const { tasks, text } = taskVault(
      { "a.md": "- [ ] a #task 🏁 delete\n- [ ] b #task 🏁 delete\n  - more\n" },
      MARKED,
    );
    expect((await tasks.update("a", { status: "Done" })).task).toMatchObject({ title: "a #task", status: "Done" });
    await tasks.update("b", { status: "Done" });
    expect(await text("a.md")).toBe("- [x] b #task 🏁 delete\n  - more\n");
  });
});

describe("series", () => {
  const line = "- [ ] water #task 🔁 every week 📅 2025-08-30 🆔 abc ^w";

  it("finishing puts the next line above, or below by the plugin's setting; doing it again changes nothing", async () => {
    for (const recurrenceOnNextLine of [false, true]) {
      const { tasks, text } = pluginVault({ "a.md": `${line}\r\nend` }, { recurrenceOnNextLine });
      const { task } = await tasks.update("water", { status: "Done" });
      const next = "- [ ] water #task 🔁 every week 📅 2025-09-06";
      const finished = `${line.replace("[ ]", "[x]").replace(" ^w", "")} ✅ 2025-08-30 ^w`;
      const lines = recurrenceOnNextLine ? [finished, next] : [next, finished];
      expect((await text("a.md")).split("\r\n")).toEqual([...lines, "end"]);
      expect(task).toMatchObject({ id: "a.md#^w", status: "Done", line: lines.indexOf(finished) + 1 });
      const again = await tasks.update(`a.md:${lines.indexOf(next) + 1}`, { status: "Done" });
      expect(again.changed).toBe(false);
    }
  });

  it("a rule that is not understood needs the next day", async () => {
    const { tasks, text } = taskVault({ "a.md": "- [ ] a 🔁 every weekend ⏳ 2025-08-29 📅 2025-08-30\n" }, MARKED);
    const error = await refusal(tasks.update("a", { status: "Done" }));
    expect([error.code, error.hint]).toEqual(["INVALID_ARGUMENT", expect.stringContaining("Give the next day")]);
    await tasks.update("a", { status: "Done", dueDate: "2025-09-06" });
    expect(await text("a.md")).toBe(
      "- [ ] a 🔁 every weekend ⏳ 2025-09-05 📅 2025-09-06\n- [x] a 🔁 every weekend ⏳ 2025-08-29 📅 2025-08-30\n",
    );
  });

  it("is not skipped where it has no day, unless the call gives the next one", async () => {
    const line = "- [ ] a 🔁 every week\n";
    const { tasks, text } = taskVault({ "a.md": line }, MARKED);
    expect((await refusal(tasks.update("a.md:1", { occurrence: "skip" }))).message).toMatch(/has no day/);
    expect(await text("a.md")).toBe(line);
    await tasks.update("a.md:1", { occurrence: "skip", dueDate: "2025-09-06" });
    expect(await text("a.md")).toBe("- [ ] a 🔁 every week 📅 2025-09-06\n");
  });

  it("the last instance leaves no line behind", async () => {
    const { tasks, text } = taskVault({ "a.md": "- [ ] a 🔁 every day until August 30, 2025 📅 2025-08-30\n" }, MARKED);
    await tasks.update("a", { status: "Done" });
    expect(await text("a.md")).toBe("- [x] a 🔁 every day until August 30, 2025 📅 2025-08-30\n");
  });

  it("a rule that stands where it is not read is a problem, and finishing is refused", async () => {
    const { tasks } = taskVault({ "a.md": "- [ ] a 🔁 every day until 2025-09-30 📅 2025-08-30 ^a\n" }, MARKED);
    expect((await tasks.agenda()).problems.map(({ message }) => message)).toEqual([
      "recurrence has other text behind it and is not read; write it at the end of the line.",
    ]);
    const error = await refusal(tasks.update("a.md#^a", { status: "Done" }));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringContaining('"recurrence"')]);
  });

  it("a new day never touches the rule", async () => {
    const { tasks, text } = taskVault({ "a.md": `${line}\n` }, MARKED);
    await tasks.update("water", { dueDate: "2025-09-02" });
    expect(await text("a.md")).toBe(`${line.replace("2025-08-30", "2025-09-02")}\n`);
  });
});

/** How many checkboxes a note has that takes several turns. */
const MANY = LONG ? 40_000 : 4000;

describe("a note of thousands of checkboxes", () => {
  it("lets others have their turns while it is read, and is changed in one line", async () => {
    const lines = Array.from({ length: MANY }, (_, at) => `- [ ] item ${at} 📅 2025-09-01`);
    const { tasks, vault, text } = taskVault({ "a.md": lines.join("\n") }, MARKED);
    // What the catalog does is done before the turns are counted.
    await vault.index.refresh();
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const looks = await Promise.all([tasks.agenda(), tasks.agenda()]);
    isDone = true;
    expect(looks.map(({ taskCount }) => taskCount)).toEqual([MANY, MANY]);
    expect(turns).toBeGreaterThan(5);

    const { task } = await tasks.update("a.md:3778", { status: "Done" });
    expect([task.title, task.status]).toEqual(["item 3777", "Done"]);
    lines[3777] = "- [x] item 3777 📅 2025-09-01";
    expect(await text("a.md")).toBe(lines.join("\n"));
  });
});

it("names notes and days of open tasks that cannot be read, in notes and lines", async () => {
  const { tasks } = taskVault({
    "a.md": "- [ ] rent 📅 2025-09-01 [tt-id:: x]\n- [x] paid 📅 2025-09-01 [tt-id:: x]\n",
    "b.md": "---\ntype: task\ndue: 2025-11-31\n---\n",
    "c.md": "---\ntype: task\ndue: 20.11.2025\nstatus: done\n---\n",
    "d.md": "- [ ] fine 📅 2025-09-01\n",
    "e.md": "---\ntype: task\ntags: [a\n---\n",
    "f.md": "---\ntype: task\nscheduled: soon-ish\n---\n",
    "g.md": "---\ntype: task\nstatus: done\ncompletedDate: 2025-02-30\n---\n",
  });
  const note = "1 note cannot be read in full: e.md.";
  expect(await tasks.unread({ days: [] })).toEqual([note]);
  expect((await tasks.unread({ days: ["completed"] })).map(String)).toEqual([
    note,
    'Not counted: 1 day that cannot be read. g.md:4: completedDate "2025-02-30" is not a day that exists.',
  ]);
  expect((await tasks.unread({ days: ["due"] })).map(String)).toEqual([
    note,
    "Not counted: 2 days that cannot be read. " +
      "a.md:1: due has other text behind it, or a day in another form than YYYY-MM-DD, and is not read; write it at the end of the line. " +
      'b.md:3: due "2025-11-31" is not a day that exists.',
  ]);
});
