import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault, type TaskVault } from "../../test/kit/task-vault.js";
import { YAML_TITLES } from "../../test/kit/yaml-titles.js";
import type { CreatedTask, TaskDraft } from "./service.js";
import { FUZZ_FACTOR, LONG } from "../../test/kit/fuzz.js";

const RUNS = (LONG ? 75 : 40) * FUZZ_FACTOR;

async function create(vault: TaskVault, draft: Partial<TaskDraft>): Promise<CreatedTask> {
  return vault.tasks.create({ title: "Title", area: "Work", ...draft });
}

describe("a new task", () => {
  it("is written in Obsidian's style in a vault without tasks", async () => {
    const vault = taskVault();
    const { task, adjustments, durable } = await create(vault, {
      title: "Review Quarterly Report",
      priority: "High",
      dueDate: "2025-09-15",
      parentProjects: ["Q3"],
      tags: ["work", "report"],
      description: "Review it.\r\n---\nTwice.",
    });
    expect(await vault.text("_projects/Review Quarterly Report.md")).toBe(`---
id: task-review-quarterly-report-000001
type: task
title: Review Quarterly Report
status: To Do
priority: High
due: 2025-09-15
area: Work
projects:
  - Q3
tags:
  - work
  - report
created: 2025-08-30
---
# Review Quarterly Report

Review it.
---
Twice.
`);
    expect(task).toMatchObject({
      id: "task-review-quarterly-report-000001",
      path: "_projects/Review Quarterly Report.md",
      rule: "type-key",
      status: "To Do",
      due: "2025-09-15",
      created: "2025-08-30",
    });
    expect([adjustments, durable]).toEqual([['no project "Q3" exists'], true]);
  });

  it("is written in the dialect of the vault's tasks", async () => {
    const existing = (n: number): string =>
      note(
        `Type: Task\nStatus: in-progress\nPriority: p2\nDue Date: 2025-01-0${n}\nArea: "[[Work]]"\nProject:\n  - "[[A]]"\nTags: [a, b]\nDate Created: 2025-01-01`,
      );
    const vault = taskVault({ "Projects/1.md": existing(1), "Projects/2.md": existing(2), "Areas/Work.md": "" });
    const draft = { priority: "High", dueDate: "2025-09-15", parentProjects: ["Q3"], tags: ["x", "z"] } as const;
    for (const known of [false, true]) {
      // Once by a sample of the projects folder, once by the catalog.
      if (known) await vault.tasks.agenda();
      const { task } = await create(vault, { ...draft, title: `T${known}` });
      expect(task.path).toBe(`Projects/T${known}.md`);
      expect(await vault.text(task.path)).toContain(`Type: Task
Title: T${known}
Status: to-do
Priority: p1
Due Date: 2025-09-15
Area: "[[Work]]"
Project:
  - "[[Q3]]"
Tags: [x, z]
Date Created: 2025-08-30
`);
    }
  });

  it.each<[string, string, string[]]>([
    [
      "Type: Task\nStatus: To Do\nDue Date: 2025-01-01",
      "Title Case",
      ["ID", "Type", "Title", "Area", "Tags", "Created"],
    ],
    ["tags: [task]\nStatus: Open\nDueDate: 2025-01-01", "PascalCase", ["ID", "Title", "Area", "tags", "Created"]],
    ["TYPE: task\nSTATUS: TODO\nid: 7", "capitals", ["id", "TYPE", "TITLE", "AREA", "TAGS", "CREATED"]],
    [
      "type: task\ntaskStatus: open\ndueDate: 2025-01-01",
      "camelCase",
      ["id", "type", "title", "area", "tags", "created"],
    ],
    [
      "type: task\ntask_status: open\nDue: 2025-01-01",
      "snake_case",
      ["id", "type", "title", "area", "tags", "created"],
    ],
  ])("beside %j has keys in %s, also those no note has yet", async (frontmatter, _style, keys) => {
    const vault = taskVault({ "_projects/a.md": note(frontmatter) });
    const { task } = await create(vault, { tags: ["x"] });
    expect(Object.keys((await vault.tasks.get(task.id)).properties)).toEqual(expect.arrayContaining(keys));
  });

  it.each(["TaskNotes/Tasks/a.md", "_areas/Work/a.md"])(
    "is written like the task at %s, also before any scan",
    async (path) => {
      const vault = taskVault({ [path]: note("Type: Task\nStatus: Open"), "_projects/plan.md": "No task." });
      const { task } = await create(vault, {});
      expect(await vault.text(task.path)).toContain("Type: Task\nTitle: Title\nStatus: Open\n");
    },
  );

  it("bears the tag where tags make the tasks, and the completed date where it is kept", async () => {
    const vault = taskVault({
      "_projects/a.md": note('tags: [task, x]\nstatus: done\ncompletedDate: 2025-01-01\ndue: "[[2025-01-01]]"'),
    });
    const { task } = await create(vault, { status: "Done", dueDate: "2025-09-01" });
    expect(task).toMatchObject({ rule: "task-tag", completed: "2025-08-30", due: "2025-09-01" });
    const text = await vault.text(task.path);
    expect(text).toContain("tags: [task]");
    expect(text).toContain('due: "[[2025-09-01]]"');
    expect(text).not.toContain("type:");
    const series = await create(vault, {
      title: "Often",
      status: "Done",
      dueDate: "2025-09-01",
      recurrence: "every day",
    });
    expect(await vault.text(series.task.path)).not.toContain("completedDate");
  });

  it("makes the projects folder in the vault's style", async () => {
    const vault = taskVault({ "02 Areas/x.md": "" });
    expect((await create(vault, {})).task.path).toBe("01 Projects/Title.md");
  });

  it.each([
    [["alpha"], "_projects/Alpha/Title.md"],
    [["[[Alpha]]"], "_projects/Alpha/Title.md"],
    [["Beta"], "_projects/Title.md"],
    [["Alpha", "Beta"], "_projects/Title.md"],
  ])("of the projects %j stands at %s", async (parentProjects, path) => {
    const vault = taskVault({ "_projects/Alpha/plan.md": "" });
    expect((await create(vault, { parentProjects })).task.path).toBe(path);
  });

  it("says that a day keeps no clock time", async () => {
    const { tasks } = taskVault();
    const { task, adjustments } = await tasks.create({ title: "Call", area: "Work", dueDate: "2025-09-01T10:00" });
    expect([task.due, adjustments]).toEqual([
      "2025-09-01",
      ['the clock time of dueDate "2025-09-01T10:00" was left out: it is a day'],
    ]);
  });

  it("says what it changed about tags and title", async () => {
    const { task, adjustments } = await create(taskVault(), {
      title: "a\r\nb",
      tags: ["#my tag", "ok", "!!!", "1984"],
    });
    expect([task.title, task.tags]).toEqual(["a b", ["my-tag", "ok"]]);
    expect(adjustments).toEqual([
      "line breaks in title were written as spaces",
      'tag "#my tag" was written as "my-tag"',
      'tag "!!!" was left out: no character of it is allowed in a tag',
      'tag "1984" was left out: a tag needs more than digits',
    ]);
  });

  it("takes a comma for what stands between two tags, as properties do", async () => {
    const { task, adjustments } = await create(taskVault(), { tags: ["#work, home,", "home"] });
    expect(task.tags).toEqual(["work", "home"]);
    expect(adjustments).toEqual(['tag "#work, home," was written as "work" and "home"']);
  });

  it("takes each # of one text for a tag of its own", async () => {
    const { task, adjustments } = await create(taskVault(), { tags: ["#alpha #beta gamma"] });
    expect(task.tags).toEqual(["alpha", "beta-gamma"]);
    expect(adjustments).toEqual(['tag "#alpha #beta gamma" was written as "alpha" and "beta-gamma"']);
  });

  it.each<[string, Partial<TaskDraft>, string]>([
    ["blank title", { title: " \n\t" }, "title must not be blank."],
    ["blank area", { area: "  " }, "area must not be blank."],
    ["invisible title", { title: "\u200b\u2060" }, "title must not be blank."],
    ["invisible area", { area: "\u3164" }, "area must not be blank."],
    ["area that is an empty link", { area: "[[]]" }, ""],
    ["no title", { title: undefined as never }, "title must not be blank."],
    ["a status of nobody's", { status: "Foo" as never }, 'status "Foo" is not known.'],
    // D01, D02
    ...["2025-02-31", "2025-13-01", "0000-00-00", "2025-8-1", "2025-02-29", "٢٠٢٥-٠٨-٣٠"].map(
      (dueDate): [string, Partial<TaskDraft>, string] => [
        dueDate,
        { dueDate },
        `dueDate ${JSON.stringify(dueDate)} is not`,
      ],
    ),
  ])("with %j is refused or harmless", async (_name, draft, message) => {
    const vault = taskVault();
    if (message === "") {
      await create(vault, draft);
      return;
    }
    const error = await refusal(create(vault, draft));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringContaining(message)]);
    expect(await vault.storage.children("" as never)).toEqual([]);
  });

  it("with properties too long to be read back is refused before anything is written", async () => {
    const vault = taskVault();
    const error = await refusal(
      create(vault, { tags: Array.from({ length: 50 }, (_, n) => `${n}${"漢".repeat(500)}`) }),
    );
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringContaining("larger than 64 KiB")]);
    expect(await vault.storage.children("" as never)).toEqual([]);
  });

  it("may be due on a leap day", async () => {
    expect((await create(taskVault(), { dueDate: "2024-02-29" })).task.due).toBe("2024-02-29");
  });

  it("keeps a title with a placeholder and is still seen", async () => {
    const vault = taskVault();
    await create(vault, { title: "Fix {{name}} rendering" });
    expect((await vault.tasks.agenda()).outstanding.map(({ title }) => title)).toEqual(["Fix {{name}} rendering"]);
  });
});

describe("what is given comes back", () => {
  // F17
  it.each([
    ...YAML_TITLES,
    '- [x] @home: "quotes" #1',
    "a: b",
    "[a, b]",
    "{a: b}",
    "|",
    ">",
    "\\n",
    "? x",
    "---",
    "x #y",
    "0123",
    "1e3",
    "0x1F",
    "=",
    "<<",
  ])("as the title and the area %j", async (text) => {
    const vault = taskVault();
    const { task } = await create(vault, { title: text, area: text });
    expect([task.title, task.area]).toEqual([text, text]);
    expect(await vault.task(task.path)).toMatchObject({ title: text, area: text });
  });

  it("with one block of frontmatter and no key smuggled in", async () => {
    const vault = taskVault();
    const { task } = await create(vault, { title: "x\n---\nevil: 1", description: "---\nevil: 1\n---\n# Evil" });
    const { properties, description } = await vault.tasks.get(task.id);
    expect(Object.keys(properties)).not.toContain("evil");
    expect([task.title, description]).toEqual(["x --- evil: 1", "---\nevil: 1\n---\n# Evil"]);
  });

  const words = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replaceAll("\0", ""));
  const line = words
    .map((text) => text.replace(/[\r\n\v\f\u0085\u2028\u2029]/g, " ").trim())
    .filter(
      (text) => /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text) && !/\[\[|\]\]|^!?\[[^\]]*\]\(/.test(text),
    );

  it("whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          title: line,
          area: line,
          tags: fc.array(words, { maxLength: 3 }),
          parentProjects: fc.array(line, { maxLength: 2 }),
          description: fc.string({ unit: "grapheme", maxLength: 80 }),
        }),
        fc.boolean(),
        async (draft, linked) => {
          const vault = taskVault(
            linked
              ? {
                  "_projects/A project of the vault's own.md": note(
                    'type: task\narea: "[[Workshop at home]]"\nproject: ["[[Paint the fence]]"]\ntags: a, b',
                  ),
                }
              : {},
          );
          const { task } = await create(vault, draft);
          const detail = await vault.tasks.get(task.id);
          expect(detail.task).toEqual(task);
          expect([task.title, task.area, task.parentProjects]).toEqual([
            draft.title,
            draft.area,
            [...new Set(draft.parentProjects)],
          ]);
          const given = draft.description.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
          expect(detail.description).toBe(given);
          expect(detail.problems).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
