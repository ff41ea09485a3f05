import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../test/kit/task-vault.js";
import type { TaskUpdates, UpdatedTask } from "./service.js";
import { FUZZ_FACTOR, LONG } from "../../test/kit/fuzz.js";

const RUNS = (LONG ? 40 : 25) * FUZZ_FACTOR;

interface Changed extends UpdatedTask {
  readonly text: string;
}

/** Updates the note `x.md` beside other notes. */
async function update(text: string, updates: TaskUpdates, others: Record<string, string> = {}): Promise<Changed> {
  const vault = taskVault({ ...others, "x.md": text });
  const updated = await vault.tasks.update("x", updates);
  const after = await vault.text("x.md");
  expect(await vault.task("x.md")).toEqual(updated.task);
  expect(updated.changed).toBe(after !== text);
  await vault.vault.close();
  return { ...updated, text: after };
}

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");

it("adds a key in the letters of the vault's keys", async () => {
  const { text } = await update("---\ntags: [task]\nStatus: Open\n---\n", { dueDate: "2025-09-01", title: "New" });
  expect(text).toBe("---\ntags: [task]\nStatus: Open\nTitle: New\nDue: 2025-09-01\n---\n");
});

describe("a property without a value", () => {
  const NULLS =
    "due: null\nstart: ~\npriority: null\ncontexts: null\nproject: ~\nestimate: null\ndependsOn: null\nid: null";
  const nulls = `---\ntype: task\ntitle: null\nstatus: ~\ntags: null\n${NULLS}\nrecurrence: none\n---\n`;

  it("is read as none, also where YAML says so by a word", async () => {
    const vault = taskVault({ "x.md": nulls });
    const unset = { due: undefined, start: undefined, contexts: [], blockedBy: [], timeEstimate: undefined, tags: [] };
    const words = {
      id: "x.md",
      title: "x",
      status: "To Do",
      priority: "Medium",
      parentProjects: [],
      series: undefined,
    };
    expect(await vault.task("x.md")).toMatchObject({ ...unset, ...words });
    expect((await vault.tasks.agenda()).problems).toEqual([]);
  });

  it.each<[TaskUpdates, string]>([
    [{ dueDate: "2025-09-01", recurrence: "every week" }, "recurrence: DTSTART:20250901;FREQ=WEEKLY"],
    [{ dueDate: "2025-09-01" }, "due: 2025-09-01"],
    [{ contexts: ["phone", "home"] }, "contexts:\n  - phone\n  - home"],
    [{ estimate: "90" }, "estimate: 90"],
    [{ title: "New" }, "title: New"],
    [{ dueDate: "", recurrence: "", contexts: [] }, "due: null"],
  ])("holds what %j says", async (updates, written) => {
    expect((await update(nulls, updates)).text).toContain(`\n${written}\n`);
  });

  it("but a box has no room for a day, which the answer says", async () => {
    const { text, adjustments } = await update("---\ntype: task\ncompleted: false\n---\n", { completed: "2025-08-29" });
    expect(text).toBe("---\ntype: task\ncompleted: true\n---\n");
    expect(adjustments).toEqual(['The day is not written: "completed" of this note is true or false.']);
  });
});

it("says how much of the text a new description leaves out when the caller has read it", async () => {
  const text = note("type: task", "# T\n\nIntro.\n\n## Plan\n- [ ] one\n- [ ] two\n");
  const told = async (description: string) => {
    const vault = taskVault({ "x.md": text });
    const { revision } = await vault.task("x.md");
    return (await vault.tasks.update("x", { description }, { expectedRevision: revision })).adjustments;
  };
  expect(await told("Short.")).toEqual(["The new description left out 4 lines, 2 of them checkboxes."]);
  expect(await told("Short.\n\n## Plan\n- [x] one\n- [ ] two")).toEqual([]);
});

it("says which checkboxes a new description leaves out though the sections below stay", async () => {
  const before = note("type: task", "# T\n\n- [ ] one\n- [ ] two\n\n## Log\n- [ ] three\n");
  expect((await update(before, { description: "New.\n- [x] two" })).adjustments).toEqual([
    'The sections below the new description stay: "Log".',
    "The new description left out 1 line, 1 of them a checkbox.",
  ]);
});

describe("a new description", () => {
  const SECTIONS = "## Plan\n- [ ] one\n\n## Log\n\n- kept?\n";

  it.each([
    ["of text", "# T\n\nIntro.\n\n", "New.", "# T\n\nNew.\n\n"],
    ["below the title's line", "# T\nIntro.\n", "New.", "# T\nNew.\n\n"],
    ["where there was none", "# T\n", "New.", "# T\n\nNew.\n\n"],
    ["without a title", "Intro.\n\n\n", "New.\n", "New.\n\n\n"],
    ["that is empty", "# T\n\nIntro.\n\n", "", "# T\n\n"],
  ])("%s keeps the sections below it, and says so", async (_says, above, description, expected) => {
    for (const end of [(text: string) => text, crlf]) {
      const before = end(note("type: task", above + SECTIONS));
      const { text, adjustments } = await update(before, { description });
      expect(text).toBe(end(note("type: task", expected + SECTIONS)));
      expect(adjustments).toEqual(['The sections below the new description stay: "Plan", "Log".']);
    }
  });

  it("with all sections replaces them, and one that leaves some out is refused", async () => {
    const before = note("type: task", `# T\n\nIntro.\n\n${SECTIONS}`);
    const all = "New.\n\n## Log\n- none\n\n## Plan\n- [x] one";
    expect((await update(before, { description: all })).text).toBe(note("type: task", `# T\n\n${all}\n`));
    await expect(update(before, { description: "New.\n\n## Plan\n- [x] one" })).rejects.toMatchObject({
      message: 'The new description leaves out sections: "Log".',
    });
    await expect(update(before, { description: "```\nopen" })).rejects.toMatchObject({
      message: "The new description would swallow the sections below it.",
    });
  });
});

describe("a list in a field", () => {
  it.each<[string, string, TaskUpdates, string]>([
    [
      "of tags keeps items that are no tags",
      "tags:\n  - task\n  - { a: 1 }\n  - '#b' # b",
      { tags: ["task", "b", "c"] },
      "tags:\n  - task\n  - { a: 1 }\n  - '#b' # b\n  - c",
    ],
    ["of tags loses what is not given", "tags: [task, a, { a: 1 }]", { tags: ["task"] }, "tags: [task, { a: 1 }]"],
    [
      "of projects keeps names that mean the same",
      'type: task\nprojects:\n  - "[[A|one]]"\n  - B\n  - k: v',
      { parentProjects: ["B", "A", "C"] },
      'type: task\nprojects:\n  - B\n  - k: v\n  - "[[A|one]]"\n  - "[[C]]"',
    ],
    [
      "of days keeps what is no day",
      "type: task\nrecurrence: FREQ=DAILY\nscheduled: 2025-08-30\ncomplete_instances: [2025-08-28, { a: 1 }, rest]",
      { status: "Done" },
      "type: task\nrecurrence: DTSTART:20250830;FREQ=DAILY\nscheduled: 2025-08-31\ncomplete_instances: [2025-08-28, { a: 1 }, rest, 2025-08-30]",
    ],
    [
      "of blockers keeps what names no task",
      "type: task\nblockedBy: [a, [x, [y]]]",
      { blockedBy: [] },
      "type: task\nblockedBy: [[x, [y]]]",
    ],
    [
      "of days for one day changes its first",
      "type: task\ndue:\n  - 2025-09-01 # one\n  - 2025-10-01",
      { dueDate: "2025-09-02" },
      "type: task\ndue:\n  - 2025-09-02 # one\n  - 2025-10-01",
    ],
    [
      "of statuses changes its first",
      "type: task\nstatus: [todo, mine]",
      { status: "Done" },
      "type: task\nstatus: [done, mine]",
    ],
    [
      "of areas changes its first",
      'type: task\narea: [~, "[[Home]]", Garden]',
      { area: "Work" },
      'type: task\narea: [~, "[[Work]]", Garden]',
    ],
    [
      "of titles changes its first",
      "type: task\ntitle: [One, Two]",
      { title: "Three" },
      "type: task\ntitle: [Three, Two]",
    ],
    ["of one day is cleared", "type: task\ndue: [2025-09-01]", { dueDate: "" }, "type: task\ndue:"],
    [
      "of others is replaced by its name",
      "type: task\npeople: [a, { b: 1 }]",
      { properties: { people: "c" } },
      "type: task\npeople: [c]",
    ],
  ])("%s", async (_says, before, updates, after) => {
    expect((await update(note(before), updates)).text).toBe(note(after));
  });

  it.each<[string, TaskUpdates]>([
    ["due: [2025-09-01, 2025-10-01]", { dueDate: "" }],
    ["due: [{ a: 1 }]", { dueDate: "" }],
    ["recurrence: [every day, every week]", { recurrence: "every month", scheduled: "2025-09-01" }],
  ])("that cannot hold the value is refused: %s", async (yaml, updates) => {
    const text = note(`type: task\n${yaml}`);
    const vault = taskVault({ "x.md": text });
    await expect(vault.tasks.update("x", updates)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", line: 3 });
    expect(await vault.text("x.md")).toBe(text);
  });

  it("that TaskNotes maps the title to keeps the other aliases", async () => {
    const settings = {
      ".obsidian/community-plugins.json": '["tasknotes"]',
      ".obsidian/plugins/tasknotes/data.json": '{"taskTag":"task","fieldMapping":{"title":"aliases"}}',
    };
    const before = "tags: [task]\naliases:\n  - Real title\n  - Other name";
    const { text, task } = await update(note(before), { title: "Better title" }, settings);
    expect([text, task.title]).toEqual([note(before.replace("Real", "Better")), "Better title"]);
  });
});

describe("an update changes its value and nothing else", () => {
  it.each<[string, string, TaskUpdates, string]>([
    ["status", "type: task\nstatus: todo # now", { status: "Done" }, "type: task\nstatus: done # now"],
    ["quoted status", 'type: task\nstatus: "To Do"', { status: "In Progress" }, 'type: task\nstatus: "In Progress"'],
    ["status in its own key", "type: task\nTaskStatus: open", { status: "Blocked" }, "type: task\nTaskStatus: blocked"],
    ["missing status", "type: task", { status: "In Progress" }, "type: task\nstatus: In Progress"],
    ["implied status", "type: task", { status: "To Do" }, "type: task"],
    ["same status in another word", "type: task\nstatus: x", { status: "Done" }, "type: task\nstatus: x"],
    ["boolean status", "type: task\nstatus: false", { status: "Done" }, "type: task\nstatus: true"],
    ["upper case", "type: task\nstatus: TODO", { status: "In Progress" }, "type: task\nstatus: IN PROGRESS"],
    ["underscores", "type: task\nstatus: to_do", { status: "In Progress" }, "type: task\nstatus: in_progress"],
    ["unknown word", "type: task\nstatus: Evergreen", { status: "Done" }, "type: task\nstatus: Done"],
    ["list status", "type: task\nstatus: [todo]", { status: "Done" }, "type: task\nstatus: [done]"],
    ["done flag alone", "type: task\ndone: false", { status: "Done" }, "type: task\ndone: true"],
    ["done flag back", "type: task\ncompleted: true", { status: "To Do" }, "type: task\ncompleted: false"],
    [
      "flag beside status",
      "type: task\nstatus: doing\ndone: false",
      { status: "Done" },
      "type: task\nstatus: done\ndone: true",
    ],
    [
      "flag and a third status",
      "type: task\ndone: true",
      { status: "Blocked" },
      "type: task\ndone: false\nstatus: Blocked",
    ],
    [
      "completed date",
      "type: task\nstatus: todo\nCompleted On:",
      { status: "Done" },
      "type: task\nstatus: done\nCompleted On: 2025-08-30",
    ],
    [
      "reopened",
      "type: task\nstatus: done\ncompleted: 2025-08-01",
      { status: "To Do" },
      "type: task\nstatus: to do\ncompleted:",
    ],
    [
      "completed day alone",
      "type: task\ncompleted: 2025-08-01",
      { status: "Done" },
      "type: task\ncompleted: 2025-08-01",
    ],
    [
      "reopened without status",
      "type: task\ncompleted: 2025-08-01",
      { status: "To Do" },
      "type: task\ncompleted:\nstatus: To Do",
    ],
    ["due", "type: task\nDue Date: 2025-01-01", { dueDate: "2025-09-01" }, "type: task\nDue Date: 2025-09-01"],
    ["quoted due", "type: task\ndue: '2025-01-01'", { dueDate: "2025-09-01" }, "type: task\ndue: '2025-09-01'"],
    ["linked due", 'type: task\ndue: "[[2025-01-01]]"', { dueDate: "2025-09-01" }, 'type: task\ndue: "[[2025-09-01]]"'],
    [
      "same due with a time",
      "type: task\ndue: 2025-09-01T10:00",
      { dueDate: "2025-09-01" },
      "type: task\ndue: 2025-09-01T10:00",
    ],
    ["cleared due", "type: task\ndue: 2025-01-01", { dueDate: "" }, "type: task\ndue:"],
    ["cleared invalid due", "type: task\ndue: someday", { dueDate: "" }, "type: task\ndue:"],
    ["cleared nothing", "type: task", { dueDate: "" }, "type: task"],
    ["new due", "type: task", { dueDate: "2025-09-01" }, "type: task\ndue: 2025-09-01"],
    ["priority", "type: task\nprio: p2", { priority: "High" }, "type: task\nprio: p1"],
    ["priority word", "type: task\npriority: low", { priority: "High" }, "type: task\npriority: high"],
    ["implied priority", "type: task", { priority: "Medium" }, "type: task"],
    ["unknown priority", "type: task\npriority: soonish", { priority: "Medium" }, "type: task\npriority: medium"],
    ["area", "type: task\narea: Work", { area: "Home" }, "type: task\narea: Home"],
    ["area link", 'type: task\narea: "[[_areas/Work|W]]"', { area: "Home" }, 'type: task\narea: "[[Home]]"'],
    ["area unquoted link", "type: task\narea: [[Work]]", { area: "Home" }, 'type: task\narea: "[[Home]]"'],
    ["area list", 'type: task\nareas: ["[[Work]]"]', { area: "[[Home]]" }, 'type: task\nareas: ["[[Home]]"]'],
    ["area that looks like a number", "type: task\narea: Work", { area: "007" }, 'type: task\narea: "007"'],
    ["projects", "type: task\nprojects:\n  - A", { parentProjects: ["B", "C"] }, "type: task\nprojects:\n  - B\n  - C"],
    ["scalar project", "type: task\nproject: A", { parentProjects: ["B"] }, "type: task\nproject: B"],
    ["linked project", 'type: task\nproject: "[[A]]"', { parentProjects: ["B"] }, 'type: task\nproject: "[[B]]"'],
    ["tags block", "type: task\ntags:\n- a\n- b", { tags: ["c"] }, "type: task\ntags:\n- c"],
    ["tags flow", "type: task\ntags: [a, b]", { tags: ["c", "d"] }, "type: task\ntags: [c, d]"],
    ["tags comma", "type: task\ntags: a, b", { tags: ["c", "d"] }, "type: task\ntags: c, d"],
    ["tags with hashes, nested", "type: task\ntags: [a]", { tags: ["#b/c"] }, "type: task\ntags: [b/c]"],
    ["the tag that makes it a task", "tags: [task, a]", { tags: ["b"] }, "tags: [task, b]"],
    ["title", "type: task\ntitle: Old", { title: "New: one" }, 'type: task\ntitle: "New: one"'],
    ["title that is missing", "type: task", { title: "New" }, "type: task\ntitle: New"],
  ])("%s", async (_name, before, updates, after) => {
    const changed = await update(note(before, "words\n"), updates);
    expect(changed.text).toBe(note(after, "words\n"));
    expect(changed.updated).toEqual(Object.keys(updates));
  });

  it("keeps CRLF, BOM, comments, order and a missing final newline", async () => {
    const before =
      "\uFEFF---\r\n# keep\r\nver: 1.10\r\nstatus:   'todo'   # why\r\ntype: task\r\nid: 0123\r\n---\r\n# T\r\n\r\nbody";
    const { text } = await update(before, { status: "Done" });
    expect(text).toBe(before.replace("'todo'", "'done'"));
  });

  it.each([
    ["Old", "# Old\n\ntext\n", "title: New\n---\n# New\n\ntext\n"],
    ["Old", "# Other\n\ntext\n", "title: New\n---\n# Other\n\ntext\n"],
    ["Old", "text\n\nOld\n===\n", "title: New\n---\ntext\n\nNew\n===\n"],
  ])("changes the heading when it says the old title", async (_title, body, after) => {
    const { text } = await update(note("type: task\ntitle: Old", body), { title: "New" });
    expect(text).toBe(`---\ntype: task\n${after}`);
  });

  it("changes only the heading when that alone is the title", async () => {
    const { text, task } = await update(note("type: task", "# Old #\n\ntext\n"), { title: "New" });
    expect([text, task.title]).toEqual([note("type: task", "# New #\n\ntext\n"), "New"]);
  });

  it("replaces the text below the heading", async () => {
    const { text } = await update(crlf(note("type: task", "# T\n\nold\n\nmore\n")), { description: "new\n---\nlines" });
    expect(text).toBe(crlf(note("type: task", "# T\n\nnew\n---\nlines\n")));
  });

  it("takes the vault's own words and keys", async () => {
    const others = {
      "a.md": note('type: task\nstatus: wip\nDue Date: 2025-01-01\nArea: "[[Work]]"\nFinished: 2025-01-01'),
      "b.md": note('type: task\nstatus: shipped\nDue Date: 2025-01-01\nArea: "[[Work]]"'),
    };
    const wip = await update(
      note("type: task\nstatus: todo"),
      { status: "In Progress", dueDate: "2025-09-01", area: "Home" },
      others,
    );
    expect(wip.text).toBe(note('type: task\nstatus: wip\nDue Date: 2025-09-01\nArea: "[[Home]]"'));
    const done = await update(note("type: task\nstatus: todo"), { status: "Done" }, others);
    expect(done.text).toBe(note("type: task\nstatus: shipped\nFinished: 2025-08-30"));
  });

  it("writes no date where the vault keeps a flag of the same name", async () => {
    const others = { "a.md": note("type: task\nstatus: done\ncompleted: true") };
    const { text } = await update(note("type: task\nstatus: todo"), { status: "Done" }, others);
    expect(text).toBe(note("type: task\nstatus: done"));
  });

  it.each([
    ["2025-09-01T09:00", "2025-09-02T10:30", "2025-09-02T10:30", 0],
    ["2025-09-01 09:00", "2025-09-01T10:30", "2025-09-01 10:30", 0],
    ["2025-09-01T09:00:00Z", "2025-09-02T10:30Z", "2025-09-02T10:30Z", 0],
    ["2025-09-01T09:00", "2025-09-02", "2025-09-02T09:00", 0],
    ["2025-09-01", "2025-09-02T10:30", "2025-09-02", 1],
  ])("with a clock time writes it where the field has one: %s by %s", async (due, dueDate, written, leftOut) => {
    const { text, adjustments } = await update(note(`type: task\ndue: ${due}`), { dueDate });
    expect(text).toBe(note(`type: task\ndue: ${written}`));
    expect(adjustments).toHaveLength(leftOut);
  });

  it("says that it kept the tag which makes the note a task", async () => {
    const { adjustments } = await update(note("tags: [task/x]"), { tags: ["a"] });
    expect(adjustments).toEqual(['the tag "task" was kept: it makes the note a task']);
  });

  it("hyphenates where the vault does", async () => {
    const others = { "a.md": note("type: task\nstatus: on-hold") };
    expect((await update(note("type: task\nstatus: todo"), { status: "In Progress" }, others)).text).toContain(
      "in-progress",
    );
    expect((await update(note("type: task\nstatus: todo"), { status: "In Progress" })).text).toContain("in progress");
    expect((await update(note("type: task\nstatus: To Do"), { status: "In Progress" })).text).toContain("In Progress");
  });

  it("adds no second spelling of a key the note has", async () => {
    const others = { "a.md": note("type: task\ndue: 2025-01-01"), "b.md": note("type: task\ndue: 2025-01-01") };
    const { text } = await update(note("type: task\nDue Date:"), { dueDate: "2025-09-01" }, others);
    expect(text).toBe(note("type: task\nDue Date: 2025-09-01"));
  });

  const value = fc.record(
    {
      status: fc.constantFrom("To Do", "In Progress", "Blocked", "Done"),
      priority: fc.constantFrom("High", "Medium", "Low"),
      dueDate: fc.constantFrom("", "2025-09-01", "2024-02-29"),
      area: fc.constantFrom("Home", "a: b", "#x", "[[Work]]"),
      tags: fc.subarray(["x", "y/z", "ünï"]),
      parentProjects: fc.subarray(["P", "Q, R"]),
    },
    { requiredKeys: [] },
  );
  const rows = [
    "status: todo",
    "priority: 1",
    "due: 2025-01-01",
    "Area: '[[Work]]'",
    "tags: [a, b]",
    "project:\n  - A",
    "other: 1.10",
    "# c: d",
    "x: [1,  2]",
    'q: "a"',
  ];

  it("whatever is updated, every other line stays as it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(rows),
        fc.constantFrom("\n", "\r\n"),
        value,
        async (lines, ending, updates) => {
          fc.pre(Object.keys(updates).length > 0);
          const before = note(["type: task", ...lines].join("\n"), "# T\n\nwords").replaceAll("\n", ending);
          const { text, task } = await update(before, updates);
          for (const line of ["other: 1.10", "# c: d", "x: [1,  2]", 'q: "a"', "# T", "words", "type: task"]) {
            expect(text.split(ending).includes(line)).toBe(before.split(ending).includes(line));
          }
          expect(text.replaceAll(ending, "")).not.toMatch(/[\r\n]/);
          if (updates.status !== undefined) expect(task.status).toBe(updates.status);
          if (updates.priority !== undefined) expect(task.priority).toBe(updates.priority);
          if (updates.dueDate !== undefined) expect(task.due ?? "").toBe(updates.dueDate);
          if (updates.tags !== undefined) expect(task.tags).toEqual(updates.tags);
          if (updates.parentProjects !== undefined) expect(task.parentProjects).toEqual(updates.parentProjects);
          const again = await update(text, updates);
          expect([again.text, again.changed]).toEqual([text, false]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("a day of completion", () => {
  it.each<[string, string, string, string]>([
    ["a note", "a.md", note("type: task\nstatus: open"), "completed: 2025-08-22"],
    ["a line", "a.md", "- [ ] a #task 📅 2025-08-20\n", "- [x] a #task 📅 2025-08-20 ✅ 2025-08-22\n"],
  ])("makes %s done on that day", async (_, path, text, written) => {
    const vault = taskVault({ [path]: text }, { lines: { inlineTasks: "marked" } });
    const { task } = await vault.tasks.update("a", { completed: "2025-08-22" });
    expect([task.status, task.completed]).toEqual(["Done", "2025-08-22"]);
    expect(await vault.text(path)).toContain(written);
  });

  it.each([
    [{ completed: "tomorrow" }, /still to come/],
    [{ completed: "yesterday", status: "To Do" }, /the status To Do is open/],
  ] as const)("is refused: %j", async (updates, message) => {
    const vault = taskVault({ "a.md": note("type: task") });
    expect((await refusal(vault.tasks.update("a", updates))).message).toMatch(message);
  });

  it("is refused for a series, whose instances have days of their own", async () => {
    const vault = taskVault({ "a.md": note("type: task\nscheduled: 2025-09-01\nrecurrence: every day") });
    expect((await refusal(vault.tasks.update("a", { completed: "yesterday" }))).message).toMatch(/repeats/);
  });
});
