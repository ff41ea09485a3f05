/** Tasks from quick text: notes and checkboxes, subtasks, templates, and that nothing is written where one line is bad. */
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";
import { VaultError } from "../../errors.js";
import { operationIn } from "../../history/journal-records.js";

const NOW = { now: "2026-11-21T12:00:00Z" };
const KITCHEN = { "_projects/Kitchen/Kitchen.md": "# Kitchen\n", "_projects/Kitchen/Measure.md": note("type: task") };

it("says when the disk has not confirmed a line that is waited for", async () => {
  const { tasks, storage } = taskVault({ "Plan.md": "", "Other.md": "- [ ] wall 📅 2026-11-30 ^wall\n" }, NOW);
  const update = storage.update.bind(storage);
  storage.update = async (path, change) => {
    const file = await update(path, change);
    return file && { ...file, durable: path !== "Other.md" };
  };
  const { durable } = await tasks.addMany({ text: "paint after [[Other#^wall]]", note: "Plan" });
  expect(durable).toBe(false);
});

describe("each line a note", () => {
  it("says what its line says, as create_task would write it", async () => {
    const vault = taskVault(KITCHEN, NOW);
    const text =
      "- [ ] Call Anna tomorrow !high #phone @home ~1h30\nSand the floor on monday +kitchen after [[Measure]]\n";
    const { tasks, adjustments, undoable } = await vault.tasks.addMany({ text, area: "Home" });
    expect(tasks.map(({ task }) => task)).toMatchObject([
      {
        title: "Call Anna",
        due: "2026-11-22",
        priority: "High",
        tags: ["phone"],
        contexts: ["home"],
        timeEstimate: 90,
      },
      { title: "Sand the floor", scheduled: "2026-11-23", parentProjects: ["Kitchen"], area: "Home" },
    ]);
    expect(tasks[1]?.task?.path).toBe("_projects/Kitchen/Sand the floor.md");
    expect(adjustments).toEqual(['project "kitchen" was written as "Kitchen", as the vault spells it']);
    expect(undoable).toBe(true);
    expect((await vault.tasks.get("Sand the floor")).blockers).toMatchObject([{ name: "Measure" }]);
    const single = await vault.tasks.get("Call Anna");
    expect(single.task).toEqual(tasks[0]?.task);
  });

  it("makes deeper lines subtasks beside what they belong to", async () => {
    const vault = taskVault(KITCHEN, NOW);
    await vault.tasks.addMany({ text: "Floor +Kitchen\n  Buy sandpaper\n\tSand it\n    Twice" });
    const { subtasks } = await vault.tasks.get("Floor");
    expect(subtasks.map(({ path }) => path).sort()).toEqual([
      "_projects/Kitchen/Buy sandpaper.md",
      "_projects/Kitchen/Sand it.md",
    ]);
    expect((await vault.tasks.get("Sand it")).subtasks.map(({ title }) => title)).toEqual(["Twice"]);
  });

  it("is one task in the journal where the text holds one", async () => {
    const vault = taskVault({}, NOW);
    const { operation } = await vault.tasks.addMany({ text: "One" });
    const undone = await vault.vault.history.undoOperation(operationIn(operation ?? "") ?? "");
    expect(undone).toMatchObject({ reason: "add 1 task" });
  });

  it("is undone as one", async () => {
    const vault = taskVault({}, NOW);
    const { operation, tasks } = await vault.tasks.addMany({ text: "One\nTwo\nOne" });
    expect(new Set(tasks.map(({ place }) => place)).size).toBe(3);
    await vault.vault.history.undoOperation(operationIn(operation ?? "") ?? "");
    expect((await vault.tasks.search({ query: "*" })).total).toBe(0);
  });

  it("begins as a template, where what was asked for wins and the rest stays", async () => {
    const template = note(
      "type: task\nstatus: In Progress\npriority: High\ntags: [errand]\neffort: small",
      "# {{title}}\n\n- [ ] Keys\n",
    );
    const files = { ".obsidian/templates.json": '{"folder": "Templates"}', "Templates/Errand.md": template };
    const vault = taskVault(files, NOW);
    const { tasks } = await vault.tasks.addMany({ text: "Buy milk tomorrow !low #food", template: "errand" });
    expect(tasks[0]?.task).toMatchObject({
      status: "In Progress",
      priority: "Low",
      due: "2026-11-22",
      tags: ["errand", "food"],
    });
    const text = await vault.text(tasks[0]?.task?.path ?? "");
    expect(text).toContain("effort: small");
    expect(text).toMatch(/\n# Buy milk\n\n- \[ \] Keys\n$/);
  });

  it("keeps what it did not read in the title, says so, and leaves it out of the file's name", async () => {
    const vault = taskVault(KITCHEN, NOW);
    const text = "Call Anna !hgih tomorrow\nCall tomorrow about the roof +Old Barn\nMeasure";
    const { tasks, remarks } = await vault.tasks.addMany({ text });
    expect(tasks.map(({ title, place }) => [title, place])).toEqual([
      ["Call Anna !hgih", "_projects/Call Anna.md"],
      ["Call tomorrow about the roof Barn", "_projects/Call about the roof Barn.md"],
      ["Measure", "_projects/Measure 2.md"],
    ]);
    expect(remarks).toEqual([
      'Line 1: not read: "!hgih" (priorities: high, medium, low).',
      'Line 2: not read: "tomorrow" (it counts at the line\'s end only).',
      '"Measure" is open already (id _projects/Kitchen/Measure.md); added all the same.',
    ]);
    expect(tasks[1]?.task?.parentProjects).toEqual(["Old"]);
  });

  it("plans without writing: what each line would become, and why one cannot be added", async () => {
    const vault = taskVault(KITCHEN, NOW);
    const text = "Paint tomorrow\n!high\nMeasure\nWait after [[Nothing such]]";
    const planned = await vault.tasks.planMany({ text });
    expect(planned.map(({ line, title, problem, open }) => [line, title, problem, open?.title])).toEqual([
      [1, "Paint", undefined, undefined],
      [2, "", "No title is left.", undefined],
      [3, "Measure", undefined, "Measure"],
      [4, "Wait", expect.stringContaining("Nothing such"), undefined],
    ]);
    expect(planned[0]?.read).toEqual([{ field: "dueDate", value: "2026-11-22", from: 6, to: 14 }]);
    const inNote = await vault.tasks.planMany({ text: "Paint ~30m", note: "_projects/Kitchen/Kitchen.md" });
    expect(inNote[0]?.problem).toContain("~time");
    expect(await vault.vault.history.lastChange()).toBeUndefined();
  });

  it("lets a line wait for an earlier one", async () => {
    const vault = taskVault({ "Home.md": "# Home\n" }, NOW);
    const text =
      "Measure the wall\nBuy paint after [[measure the wall]]\nPaint after [[Buy paint]] after [[Measure the wall]]";
    await vault.tasks.addMany({ text });
    expect((await vault.tasks.get("Buy paint")).blockers).toMatchObject([{ name: "Measure the wall" }]);
    expect((await vault.tasks.get("Paint")).blockers).toHaveLength(2);
    const lines = await vault.tasks.addMany({ text, note: "Home.md" });
    expect(lines.tasks).toHaveLength(3);
    expect(await vault.text("Home.md")).toMatch(
      /- \[ \] Measure the wall 🆔 (\w+)\n- \[ \] Buy paint 🆔 (\w+) ⛔ \1\n- \[ \] Paint ⛔ \2,\1\n$/,
    );
  });

  it("adds the lines that are tasks, and says why others, those below them and those that wait for them are not", async () => {
    const vault = taskVault(KITCHEN, NOW);
    const text =
      "# Plan\n- Good\n  - Below good\n- Wait after [[Nothing such]]\n  - Below\n- [x] Old\n- Later after [[Old]]\n- Repeat every week after [[Good]]";
    const { tasks, refused } = await vault.tasks.addMany({ text });
    expect(refused.map(({ line, title, reason }) => [line, title, String(reason).replace(/\. .*/, ".")])).toEqual([
      [1, "# Plan", "It is a heading."],
      [4, "Wait", expect.stringContaining("Nothing such")],
      [5, "Below", "It is below line 4, which is not added."],
      [6, "Old", "It is done, and a new task note is open."],
      [7, "Later", "It waits for line 6, which is not added."],
    ]);
    expect(tasks.map(({ title, line }) => [title, line])).toEqual([
      ["Good", 2],
      ["Below good", 3],
      ["Repeat", 8],
    ]);
    expect((await vault.tasks.get("Below good")).task.parentProjects).toEqual(["Good"]);
    const { blockers, task } = await vault.tasks.get("Repeat");
    expect([blockers.map(({ name }) => name), task.due]).toEqual([["Good"], "2026-11-21"]);
    const planned = await vault.tasks.planMany({ text: text.replaceAll("Good", "Fine") });
    expect(planned.map(({ problem }) => problem === undefined)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it("names every bad line and writes nothing where no line is a task", async () => {
    const vault = taskVault(KITCHEN, NOW);
    const error = await refusal(vault.tasks.addMany({ text: "# Plan\n- Wait after [[Nothing such]]\n- [x] Old" }));
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(/line 1: .*line 2: .*line 3: /s);
    expect((await vault.tasks.search({ query: "*" })).total).toBe(1);
    expect(await vault.vault.history.lastChange()).toBeUndefined();
  });
});

it("names what create_task does not read in a title, unless its field is given", async () => {
  const vault = taskVault({}, NOW);
  const one = await vault.tasks.create({ title: "Call Anna tomorrow !high", area: "Home", priority: "High" });
  expect([one.task.title, one.task.due]).toEqual(["Call Anna tomorrow !high", undefined]);
  expect(one.adjustments).toEqual(['"tomorrow" in the title was not read: give dueDate, or a line of add_tasks']);
  const two = await vault.tasks.create({ title: "Buy paint 📅 2026-12-01", area: "Home" });
  expect(two.adjustments.map(String)).toEqual([expect.stringContaining('"📅 2026-12-01" in the title was not read')]);
  const plain = await vault.tasks.create({ title: "Call Anna about room 101", area: "Home" });
  expect(plain.adjustments).toEqual([]);
});

describe("each line a checkbox", () => {
  const lines = { lines: { inlineTasks: "marked" as const }, ...NOW };

  it("stands at the end of the heading's section, and has an id", async () => {
    const vault = taskVault({ "Log.md": "# Log\n\n## To do\n\n* [ ] Old 📅 2026-11-20\n\n## Other\n" }, lines);
    const added = await vault.tasks.addMany({
      text: "Call Anna tomorrow\n  Find the number #task",
      note: "Log",
      heading: "to do",
    });
    expect(await vault.text("Log.md")).toBe(
      "# Log\n\n## To do\n\n* [ ] Old 📅 2026-11-20\n* [ ] Call Anna 📅 2026-11-22\n\t* [ ] Find the number #task\n\n## Other\n",
    );
    expect(added.tasks.map(({ place }) => place)).toEqual(added.tasks.map(({ task }) => task?.id));
    expect(added.tasks.map(({ task }) => task?.line)).toEqual([6, 7]);
    expect(added.tasks.map(({ task }) => task?.title)).toEqual(["Call Anna", "Find the number #task"]);
    expect((await vault.tasks.get(added.tasks[0]?.task?.id ?? "")).task.due).toBe("2026-11-22");
  });

  it("keeps the box and the days of a pasted line, and leaves out what a line cannot hold", async () => {
    const vault = taskVault({ "Log.md": "# Log\n" }, lines);
    const text = "- [x] Done ✅ 2026-11-20\n- [/] Doing ➕ 2026-11-01 due:2026-12-05\n- Paint +Kitchen\n- [-] Off";
    const { refused, tasks } = await vault.tasks.addMany({ text, note: "Log" });
    expect(refused.map(({ line }) => line)).toEqual([3]);
    expect(tasks.map(({ line }) => line)).toEqual([1, 2, 4]);
    expect(await vault.text("Log.md")).toBe(
      "# Log\n\n- [x] Done ✅ 2026-11-20\n- [/] Doing ➕ 2026-11-01 📅 2026-12-05\n- [-] Off #task\n",
    );
  });

  it("goes below the heading that the one above it tells apart, and refuses one that is there twice, in a plan too", async () => {
    const text = "# A\n\n## To do\n\n# B\n\n## To do\n";
    const vault = taskVault({ "Log.md": text }, lines);
    const several = /several such headings, at lines 3, 7/;
    for (const heading of ["To do", "## to do"]) {
      const draft = { text: "Paint #task", note: "Log", heading };
      expect((await refusal(vault.tasks.addMany(draft))).message).toMatch(several);
      expect((await refusal(vault.tasks.planMany(draft))).message).toMatch(several);
    }
    expect(await vault.text("Log.md")).toBe(text);
    await vault.tasks.addMany({ text: "Paint #task", note: "Log", heading: "B#To do" });
    expect(await vault.text("Log.md")).toBe(`${text}- [ ] Paint #task\n`);
  });

  it("goes into today's note, which is made from its template", async () => {
    const daily = '{"folder": "Days", "format": "YYYY-MM-DD dddd", "template": "Templates/Day"}';
    const files = { ".obsidian/daily-notes.json": daily, "Templates/Day.md": "# {{title}}\n\n## Tasks\n" };
    const vault = taskVault(files, lines);
    const { operation } = await vault.tasks.addMany({ text: "Call Anna today", note: "daily", heading: "Tasks" });
    const path = "Days/2026-11-21 Saturday.md";
    expect(await vault.text(path)).toMatch(/^# 2026-11-21 Saturday\n\n## Tasks\n\n?- \[ \] Call Anna 📅 2026-11-21\n$/);
    await vault.vault.history.undoOperation(operationIn(operation ?? "") ?? "");
    await expect(vault.text(path)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it.each([
    [
      "what a line cannot hold",
      { text: "Paint +Kitchen\nOther ~30m", note: "Log" },
      /line 1: .*\+Project\. Instead give note "_projects\/Kitchen\.md", .*line 2: .*~time.*leave note out/s,
    ],
    ["a project without a note", { text: "Paint +Nope", note: "Log" }, /\+Project\. Instead leave that out; or leave/],
    ["an area", { text: "Paint", note: "Log", area: "Home" }, /A checkbox has no area/],
    ["a heading without a note", { text: "Paint", heading: "Tasks" }, /heading says where checkboxes go/],
    ["a note that is not there", { text: "Paint", note: "Nowhere" }, /There is no file 'Nowhere\.md'/],
  ])("refuses %s", async (_, draft, message) => {
    const vault = taskVault({ "Log.md": "# Log\n", "_projects/Kitchen.md": "" }, lines);
    expect((await refusal(vault.tasks.addMany(draft))).message).toMatch(message);
    expect(await vault.text("Log.md")).toBe("# Log\n");
  });
});

it("adds to a note that others change at the same moment", async () => {
  const { tasks, reopened, text } = taskVault({ "List.md": "- [ ] one #task\n" }, NOW);
  const others = [tasks, reopened().tasks, reopened().tasks];
  const added = Array.from({ length: 30 }, async (_, number) =>
    others[number % 3]?.addMany({ text: `- [ ] task ${number}`, note: "List.md" }),
  );
  await Promise.all(added);
  const lines = (await text("List.md")).trimEnd().split("\n");
  expect(new Set(lines).size).toBe(31);
});

it("signs lines of its own note and adds to it in one edit, and takes back those of others if it cannot", async () => {
  const files = { "List.md": "- [ ] one 📅 2026-12-01 ^one\n", "Other.md": "- [ ] two 📅 2026-12-01 ^two\n" };
  const vault = taskVault(files, NOW);
  const update = vault.storage.update.bind(vault.storage);
  const written: string[] = [];
  let isFull = false;
  vault.storage.update = async (path, change) => {
    if (isFull && path === "List.md") throw new VaultError("UNAVAILABLE", "The disk is full.");
    written.push(path);
    return await update(path, change);
  };
  await vault.tasks.addMany({ text: "Paint after [[List#^one]]", note: "List" });
  expect(written).toEqual(["List.md"]);
  expect(await vault.text("List.md")).toMatch(/^- \[ \] one 📅 2026-12-01 🆔 (\w+) \^one\n- \[ \] Paint ⛔ \1\n$/);
  isFull = true;
  const draft = { text: "Sand after [[Other#^two]]", note: "List" };
  expect((await refusal(vault.tasks.addMany(draft))).message).toBe("The disk is full.");
  expect(await vault.text("Other.md")).toBe(files["Other.md"]);
});

it("gives a note another name when a hidden file has it, and the notes after it lead there", async () => {
  const vault = taskVault(KITCHEN, NOW);
  const write = vault.storage.write.bind(vault.storage);
  vault.storage.write = async (path, ...rest) => {
    if (path === "_projects/Floor.md") throw new VaultError("ALREADY_EXISTS", "There is such a file.");
    return await write(path, ...rest);
  };
  const { tasks } = await vault.tasks.addMany({ text: "Floor\n  Sand it\nPaint it after [[Floor]]" });
  expect(tasks.map(({ place }) => place)).toEqual([
    "_projects/Floor 2.md",
    "_projects/Sand it.md",
    "_projects/Paint it.md",
  ]);
  expect(tasks.map(({ task }) => [task?.parentProjects, task?.blockedBy])).toEqual([
    [[], []],
    [["Floor 2"], []],
    [[], ["[[Floor 2]]"]],
  ]);
});

it("a daily note whose template has broken frontmatter is named", async () => {
  const vault = taskVault(
    {
      ".obsidian/core-plugins.json": '["daily-notes"]',
      ".obsidian/daily-notes.json": '{"template":"T"}',
      "T.md": "---\ntitle: [Broken\n---\n",
    },
    NOW,
  );
  const { adjustments } = await vault.tasks.addMany({ text: "Buy milk", note: "today" });
  expect(adjustments).toEqual([
    expect.stringMatching(/^The properties of '2026-11-21\.md' cannot be read: line 2, column 14/),
  ]);
});
