/** Many tasks changed in one call: plans, what is left out, one undo, and that each changes as it would by itself. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { note, taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import { VaultError } from "../../errors.js";
import { loopTurn } from "../../async/timers.js";
import { operationIn } from "../../history/journal-records.js";
import { ROOT } from "../../storage/path.js";
import type { TaskFormat } from "../format.js";
import { lineFormat } from "../line-format/format.js";
import { noteFormat } from "../note-format/format.js";
import { taskService, type TaskUpdates } from "../service.js";
import type { BulkOutcome, BulkPlan, BulkUpdate } from "../api.js";
import { FUZZ_FACTOR, LONG } from "../../../test/kit/fuzz.js";

const RUNS = (LONG ? 25 : 12) * FUZZ_FACTOR;

const task = (title: string, more = "status: To Do"): string => note(`type: task\ntitle: ${title}\n${more}`);

function manyTasks(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}.md`, task(`T${at}`)]));
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}`);

async function texts({ vault, text }: TaskVault): Promise<Record<string, string>> {
  const entries = (await vault.children(ROOT)) ?? [];
  const notes = entries.filter(({ name }) => name.endsWith(".md"));
  return Object.fromEntries(await Promise.all(notes.map(async ({ path }) => [path, await text(path)] as const)));
}

function planned(outcome: BulkOutcome): BulkPlan {
  if (outcome.kind !== "plan") throw new Error("was carried out");
  return outcome;
}

function done(outcome: BulkOutcome): BulkUpdate {
  if (outcome.kind !== "done") throw new Error("was only planned");
  return outcome;
}

describe("few tasks by id", () => {
  it("are changed at once, as one operation that is undone as one", async () => {
    const files = manyTasks(3);
    const vault = taskVault(files);
    const outcome = done(await vault.tasks.updateMany(["t0", "T1", "t2.md", "t0"], { status: "Done" }));
    expect(outcome).toMatchObject({ total: 3, leftOut: [], undoable: true, updated: ["status"] });
    expect(outcome.changes.map(({ after }) => after.status)).toEqual(["Done", "Done", "Done"]);
    await vault.vault.history.undoOperation(operationIn(outcome.operation ?? "") ?? "");
    expect(await texts(vault)).toEqual(files);
  });

  it("are left out, and named, when they have changed since the revision that is given for them", async () => {
    const daily = "status: To Do\nrecurrence: FREQ=DAILY\nscheduled: 2026-11-19";
    const { tasks, text } = taskVault({ "t0.md": task("T0"), "t1.md": task("T1", daily) });
    const seen = { t0: (await tasks.get("t0")).task.revision, t1: (await tasks.get("t1")).task.revision };
    const finish = () => tasks.updateMany(["t0", "t1"], { status: "Done" }, { expectedRevisions: seen });
    expect(done(await finish())).toMatchObject({ leftOut: [], changes: [{ changed: true }, { changed: true }] });
    const after = await text("t1.md");
    const { leftOut, changes } = done(await finish());
    expect(leftOut.map(({ reference, title }) => [reference, title])).toEqual([
      ["t0", "T0"],
      ["t1", "T1"],
    ]);
    expect(String(leftOut[1]?.reason)).toContain('"T1" has changed since');
    expect(changes).toEqual([]);
    expect(await text("t1.md")).toBe(after);
    const others = tasks.updateMany(["t0"], { status: "Done" }, { expectedRevisions: seen });
    await expect(others).rejects.toThrow('"expectedRevisions" names "t1", which "tasks" does not.');
  });

  it.each([
    ["is changed back", "The disk is full.", "To Do"],
    ["is named", "The disk is full. Already changed, and not undone: 't.md'.", "Done"],
  ])("whose card cannot be changed: its note %s", async (how, reason, status) => {
    const board = "---\nkanban-plugin: board\n---\n\n## To Do\n\n- [ ] [[t]]\n\n## Done\n\n";
    const { tasks, storage, text } = taskVault({ "Board.md": board, "t.md": task("T"), "u.md": task("U") });
    const update = storage.update.bind(storage);
    const failure = new VaultError("UNAVAILABLE", "The disk is full.");
    let isWritten = false;
    storage.update = async (path, change) => {
      if (path === "Board.md" || (path === "t.md" && isWritten && how === "is named")) throw failure;
      isWritten ||= path === "t.md";
      return await update(path, change);
    };
    const { leftOut, changes } = done(await tasks.updateMany(["t", "u"], { status: "Done" }));
    expect(changes).toHaveLength(1);
    expect(leftOut.map((one) => one.reason)).toEqual([reason]);
    expect(await text("t.md")).toContain(`status: ${status}`);
  });

  it("keep the area of their project in what is reported", async () => {
    const vault = taskVault({
      "Projects/Roof.md": note("type: project\narea: Home"),
      "t.md": task("T", 'status: To Do\nprojects: ["[[Roof]]"]'),
    });
    const { changes } = done(await vault.tasks.updateMany(["t"], { priority: "High" }));
    expect(changes.map(({ before, after }) => [before.area, after.area])).toEqual([["Home", "Home"]]);
  });

  it("are changed where others cannot be, which are named", async () => {
    const odd = note('type: task\ntitle: Odd\nstatus: To Do\nrecurrence: "FREQ=HOURLY"\nscheduled: 2025-08-30');
    const vault = taskVault({ ...manyTasks(1), "odd.md": odd });
    const outcome = done(await vault.tasks.updateMany(["absent", "odd", "t0"], { status: "Done" }));
    expect(outcome.total).toBe(3);
    expect(outcome.changes.map(({ after }) => after.title)).toEqual(["T0"]);
    expect(outcome.leftOut.map(({ reference, title }) => [reference, title])).toEqual([
      ["absent", undefined],
      ["odd.md", "Odd"],
    ]);
    expect(await vault.text("odd.md")).toBe(odd);
  });

  it("get a given clock time where their field has one, and the answer speaks of the others", async () => {
    const dueDate = "2025-09-02T10:30";
    const vault = taskVault({ "a.md": task("A", "due: 2025-09-01T09:00"), "b.md": task("B") });
    expect(done(await vault.tasks.updateMany(["a"], { dueDate })).adjustments).toEqual([]);
    expect(await vault.text("a.md")).toContain(`due: ${dueDate}`);
    expect(done(await vault.tasks.updateMany(["a", "b"], { dueDate })).adjustments).toHaveLength(1);
  });

  it("move each task's own day by a distance, and leave out those that have none", async () => {
    const vault = taskVault({
      "a.md": task("A", "due: 2025-01-31"),
      "b.md": task("B", "due: 2025-09-01T09:30\nscheduled: 2025-08-30"),
      "c.md": task("C"),
    });
    const first = done(await vault.tasks.updateMany(["a", "b", "c"], { dueDate: "+1 month", priority: "High" }));
    expect(first.leftOut).toEqual([{ reference: "c.md", title: "C", reason: "It has no due date to move." }]);
    expect(first).toMatchObject({ total: 3, updated: ["dueDate", "priority"] });
    expect(await vault.text("a.md")).toContain("due: 2025-02-28\npriority: High");
    expect(await vault.text("b.md")).toContain("due: 2025-10-01T09:30");
    await vault.tasks.updateMany(["a", "b"], { dueDate: "- 2 weeks", scheduled: "-a day" });
    expect([(await vault.task("a.md")).due, (await vault.task("b.md")).due]).toEqual(["2025-02-14", "2025-09-17"]);
    expect((await vault.task("b.md")).scheduled).toBe("2025-08-29");
  });

  it("are planned by the distance, and the plan fits the same call alone", async () => {
    const vault = taskVault({ "a.md": task("A", "due: 2025-09-01") });
    const { selection } = await vault.tasks.search({ query: "*" });
    const { plan, changes } = planned(
      await vault.tasks.updateMany([selection], { dueDate: "+1 day" }, { plan: "show" }),
    );
    expect(changes.map(({ after }) => after.due)).toEqual(["2025-09-02"]);
    await expect(vault.tasks.updateMany([selection], { dueDate: "+2 days" }, { plan })).rejects.toThrow(/does not fit/);
    done(await vault.tasks.updateMany([selection], { dueDate: "+1 day" }, { plan }));
    expect((await vault.task("a.md")).due).toBe("2025-09-02");
  });

  it("are refused by the plan, too, where their note may not be changed", async () => {
    const vault = taskVault(manyTasks(2));
    Object.assign(vault.storage, { mayWrite: (path: string) => path !== "t1.md" });
    const { changes, leftOut } = planned(await vault.tasks.updateMany(ids(2), { priority: "High" }, { plan: "show" }));
    expect(changes.map(({ after }) => after.title)).toEqual(["T0"]);
    expect(leftOut).toMatchObject([{ title: "T1", reason: expect.stringContaining("may not be changed") }]);
  });

  it("are cancelled in the vault's word, else in ours, and so is a whole series", async () => {
    const series = task("S", "status: To Do\nrecurrence: DTSTART:20250830;FREQ=DAILY\nscheduled: 2025-08-30");
    const vault = taskVault({ ...manyTasks(1), "s.md": series });
    await vault.tasks.updateMany(["t0", "s"], { status: "Cancelled" });
    expect(await vault.text("t0.md")).toContain("status: cancelled\n");
    expect(await vault.text("s.md")).toBe(series.replace("To Do", "cancelled"));
    expect((await vault.tasks.agenda()).outstanding).toEqual([]);
    await vault.tasks.update("s", { status: "To Do" });
    expect(await vault.text("s.md")).toBe(series.replace("To Do", "to do"));
    const own = taskVault({ ...manyTasks(1), "dropped.md": task("D", "status: Dropped") });
    await own.tasks.update("t0", { status: "Cancelled" });
    expect(await own.text("t0.md")).toContain("status: Dropped\n");
  });

  it("leave no operation where all was so already", async () => {
    const vault = taskVault(manyTasks(2));
    const outcome = done(await vault.tasks.updateMany(["t0", "t1"], { status: "To Do" }));
    expect(outcome).toMatchObject({ operation: undefined, undoable: false });
    expect(outcome.changes.map(({ changed }) => changed)).toEqual([false, false]);
    expect(await vault.vault.history.lastChange()).toBeUndefined();
  });

  it("names a line that reopening would make no task, and leaves it as it was", async () => {
    const line = "- [x] b ✅ 2025-08-01\n";
    const vault = taskVault({ ...manyTasks(1), "n.md": line }, { lines: { inlineTasks: "marked" } });
    const outcome = done(await vault.tasks.updateMany(["n.md:1", "t0"], { status: "In Progress" }));
    expect(outcome.leftOut).toMatchObject([{ title: "b", reason: expect.stringContaining("no task any more") }]);
    expect(outcome.changes).toHaveLength(1);
    expect(await vault.text("n.md")).toBe(line);
  });

  it("may be lines of one note", async () => {
    const lines = "- [ ] one 📅 2025-09-01\n- [ ] two 📅 2025-09-01 🔁 every week\n- [ ] three 📅 2025-09-01\n";
    const vault = taskVault({ "n.md": lines }, { lines: { inlineTasks: "marked" } });
    const { tasks } = await vault.tasks.search({ query: "*" });
    const outcome = done(
      await vault.tasks.updateMany(
        tasks.map(({ id }) => id),
        { status: "Done" },
      ),
    );
    expect([outcome.leftOut, outcome.changes.length]).toEqual([[], 3]);
    expect((await vault.text("n.md")).match(/- \[x\]/g)).toHaveLength(3);
    expect(await vault.text("n.md")).toContain("- [ ] two 📅 2025-09-08 🔁 every week");
    await vault.vault.history.undoOperation(operationIn(outcome.operation ?? "") ?? "");
    expect(await vault.text("n.md")).toBe(lines);
  });
});

describe("many names that mean no task", () => {
  it("are told of one by one, and what cannot be read is looked at once for all of them", async () => {
    const broken = "---\ntype: task\nid: broken-id\nstatus: [\n---\n";
    const vault = taskVault({ ...manyTasks(3), "broken.md": broken });
    const { storage } = vault;
    const read = storage.read.bind(storage);
    let reads = 0;
    storage.read = async (path) => {
      if (path === "broken.md") reads++;
      return await read(path);
    };
    const absent = Array.from({ length: 30 }, (_, at) => `absent-${at}`);
    const progress: number[] = [];
    const onProgress = ({ done }: { readonly done: number }): void => void progress.push(done);
    const update = { priority: "High" } as const;
    const outcome = done(await vault.tasks.updateMany([...absent, "broken-id", ...ids(3)], update, { onProgress }));
    expect(outcome.leftOut.map(({ reason }) => reason)).toEqual([
      ...absent.map((name) => `Item not found: ${name}. Find the task's id with search_tasks.`),
      expect.stringMatching(/frontmatter/i),
    ]);
    expect(progress.slice(-37, -3)).toEqual(Array.from({ length: 34 }, (_, at) => at + 1));
    // It is read once, for its names and for what is wrong with it.
    expect(reads).toBe(1);
  });

  it("are left out with the ids of what they may mean", async () => {
    const vault = taskVault({
      "a.md": "- [ ] Same 📅 2025-09-01\n- [ ] Buy milk\n",
      "b.md": task("Same"),
      "c.md": "- [ ] Same ⏫\n",
    });
    const { leftOut } = done(await vault.tasks.updateMany(["Same", "Buy milk"], { priority: "High" }));
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^Several tasks are named "Same": .*a\.md:1~\w+.*b\.md.*\. Give the id/),
      expect.stringMatching(/^No task is named "Buy milk", but a plain checkbox is: a\.md:2~\w+\. Give its id/),
    ]);
  });

  it("are explained after many that mean tasks", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `T${at}`);
    const vault = taskVault({
      "a.md": "- [ ] Buy milk\n",
      ...Object.fromEntries(names.map((name) => [`${name}.md`, task(name)])),
    });
    const plan = await vault.tasks.updateMany([...names, "Buy milk"], { priority: "High" }, { plan: "show" });
    expect(plan.leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining("but a plain checkbox is")]);
  });
});

describe("the notes of many tasks", () => {
  /** Runs an update, every write of which takes a turn of the loop. @returns how many were written at a time */
  async function atATime(vault: TaskVault, work: () => Promise<unknown>, fails?: string): Promise<number> {
    const { storage } = vault;
    const update = storage.update.bind(storage);
    let [writing, most] = [0, 0];
    storage.update = async (path, change) => {
      most = Math.max(most, ++writing);
      await loopTurn();
      try {
        if (path === fails) throw new RangeError("a fault of the program");
        await loopTurn();
        return await update(path, change);
      } finally {
        writing--;
      }
    };
    await work();
    expect(writing).toBe(0);
    return most;
  }
  it("are written side by side, up to a number", async () => {
    const vault = taskVault(manyTasks(20));
    const update = () => vault.tasks.updateMany(ids(20), { priority: "High" });
    expect(await atATime(vault, async () => expect(done(await update()).changes).toHaveLength(20))).toBe(4);
  });

  it("are written after their series, which is written once for all its instances", async () => {
    const series = note("type: task\ntitle: Series\nrecurrence: FREQ=DAILY\nscheduled: 2025-08-29");
    const instance = (day: string): string =>
      task(day, `status: To Do\nrecurrence_parent: "[[series]]"\noccurrence_date: ${day}`);
    const days = ["2025-08-29", "2025-08-30"];
    const vault = taskVault({ "series.md": series, "1.md": instance("2025-08-29"), "2.md": instance("2025-08-30") });
    const { storage } = vault;
    const update = storage.update.bind(storage);
    const written: string[] = [];
    storage.update = async (path, change) => (written.push(path), await update(path, change));
    const outcome = done(await vault.tasks.updateMany(["1.md", "2.md"], { status: "Done" }));
    expect(written).toEqual(["series.md", "1.md", "2.md"]);
    expect((await vault.task("series.md")).series?.completed).toEqual(days);
    expect(outcome.changes.map(({ alsoChanged }) => alsoChanged)).toEqual([["series.md"], ["series.md"]]);
  });

  it("have all been written when a fault of the program ends the call", async () => {
    const vault = taskVault(manyTasks(20));
    const update = () => vault.tasks.updateMany(ids(20), { priority: "High" });
    await atATime(vault, () => expect(update()).rejects.toThrow(RangeError), "t3.md");
    expect(await vault.text("t19.md")).toContain("High");
  });
});

describe("several tasks of one note", () => {
  const LOG = [
    "---",
    "type: task",
    "status: To Do",
    "---",
    "- [ ] rows",
    "- [ ] twin 📅 2025-09-01",
    "- [ ] weekly 📅 2025-09-01 🔁 every week",
    "  - [ ] below 📅 2025-09-01",
    "- [ ] twin 📅 2025-09-02",
    "- [ ] gone 📅 2025-09-01 🏁 delete",
    "- [ ] odd 📅 2025-09-01 🔁 every blue moon",
    "- [ ] last 📅 2025-09-01 ^abc",
    "",
  ].join("\n");

  async function finished() {
    const vault = taskVault({ "Log.md": LOG }, { lines: { inlineTasks: "marked" } });
    let edits = 0;
    const edit = vault.vault.writing.edit.bind(vault.vault.writing);
    vault.vault.writing.edit = async (...given) => {
      edits++;
      return await edit(...given);
    };
    const { tasks, selection } = await vault.tasks.search({ query: "*" });
    const { plan } = planned(await vault.tasks.updateMany([selection], { status: "Done" }, { plan: "show" }));
    const outcome = done(await vault.tasks.updateMany([selection], { status: "Done" }, { plan }));
    return { vault, tasks, outcome, edits: () => edits };
  }

  it("are one edit, in which each is changed or refused by itself", async () => {
    const { vault, outcome, edits } = await finished();
    expect(edits()).toBe(1);
    expect(await vault.text("Log.md")).toBe(
      [
        "---",
        "type: task",
        "status: Done",
        "---",
        "- [ ] rows",
        "- [x] twin 📅 2025-09-01",
        "- [ ] weekly 📅 2025-09-08 🔁 every week",
        "- [x] weekly 📅 2025-09-01 🔁 every week",
        "  - [x] below 📅 2025-09-01",
        "- [x] twin 📅 2025-09-02",
        "- [ ] odd 📅 2025-09-01 🔁 every blue moon",
        "- [x] last 📅 2025-09-01 ^abc",
        "",
      ].join("\n"),
    );
    expect(outcome.leftOut.map(({ title }) => title)).toEqual(["odd"]);
  });

  it("are told with the ids that they have in the end, which find them", async () => {
    const { vault, outcome } = await finished();
    for (const { after } of outcome.changes) {
      if (after.title === "gone") continue;
      const found = await vault.tasks.get(after.id);
      expect(found.task).toEqual(after);
    }
    expect(outcome.changes.map(({ after }) => [after.title, after.line])).toEqual(
      expect.arrayContaining([
        ["weekly", 8],
        ["below", 9],
        ["gone", 10],
        ["last", 12],
      ]),
    );
  });

  it("take the note's text apart twice and put it together once, however many they are", async () => {
    const counts = { finders: 0, edits: 0, texts: 0 };
    const lines = lineFormat({ inlineTasks: "all" });
    const counting: TaskFormat = {
      source: lines.source,
      epoch: (settings) => lines.epoch(settings),
      referenceForms: (reference) => lines.referenceForms?.(reference) ?? [],
      read: (...args) => lines.read(...args),
      finder: (...args) => (counts.finders++, lines.finder(...args)),
      edit: (text) => {
        counts.edits++;
        const edit = lines.edit(text);
        return {
          get text() {
            counts.texts++;
            return edit.text;
          },
          update: (updates, context) => edit.update(updates, context),
        };
      },
      detail: (...args) => lines.detail(...args),
    };
    const text = Array.from({ length: 40 }, (_, at) => `- [ ] Line ${at}\n`).join("");
    const { vault } = taskVault({ "a.md": text });
    const tasks = taskService(vault, { formats: [noteFormat, counting] });
    const ids = Array.from({ length: 20 }, (_, at) => `a.md:${1 + at * 2}`);
    const outcome = done(await tasks.updateMany(ids, { status: "Done" }));
    expect([outcome.changes.length, counts]).toEqual([20, { finders: 2, edits: 1, texts: 1 }]);
  });

  it("are found where they stand by now, when others came above them", async () => {
    const text = Array.from({ length: 30 }, (_, at) => `- [ ] Line ${at}\n`).join("");
    const vault = taskVault({ "a.md": text }, { lines: { inlineTasks: "all" } });
    const { storage } = vault;
    const update = storage.update.bind(storage);
    storage.update = async (path, change) => {
      storage.update = update;
      await vault.put("a.md", `- [ ] New\n\n${text}`);
      return await update(path, change);
    };
    const ids = Array.from({ length: 15 }, (_, at) => `a.md:${1 + at * 2}`);
    const outcome = done(await vault.tasks.updateMany(ids, { status: "Done" }));
    expect(outcome.changes.map(({ after }) => after.line)).toEqual(ids.map((_id, at) => 3 + at * 2));
    expect((await vault.text("a.md")).match(/\[x\] Line \d*[02468]$/gm)).toHaveLength(15);
  });

  it("are taken back together", async () => {
    const { vault, outcome } = await finished();
    await vault.vault.history.undoOperation(operationIn(outcome.operation ?? "") ?? "");
    expect(await vault.text("Log.md")).toBe(LOG);
  });

  it("are all left out, with the reason, where the note is gone", async () => {
    const vault = taskVault({ "Log.md": LOG }, { lines: { inlineTasks: "marked" } });
    const { tasks } = await vault.tasks.search({ query: "twin" });
    const edit = vault.vault.writing.edit.bind(vault.vault.writing);
    vault.vault.writing.edit = async (path, ...given) => {
      await vault.storage.remove(path, { kind: "any" });
      return await edit(path, ...given);
    };
    const ids = tasks.map(({ id }) => id);
    const outcome = done(await vault.tasks.updateMany(ids, { dueDate: "2025-10-01" }));
    expect(ids.length).toBeGreaterThan(1);
    expect(outcome.leftOut.map(({ reason }) => reason)).toEqual(ids.map(() => expect.stringContaining("Log.md")));
    expect(outcome).toMatchObject({ changes: [], operation: undefined });
  });
});

describe("many tasks, or a selection", () => {
  it("are planned first, and nothing is written", async () => {
    const files = manyTasks(21);
    const vault = taskVault(files);
    const ids = Object.keys(files);
    const plan = planned(await vault.tasks.updateMany(ids, { dueDate: "2025-09-01" }));
    expect(plan.plan).toMatch(/^p-[0-9a-f]{8}$/);
    expect(plan.changes).toHaveLength(21);
    expect(plan.changes[0]).toMatchObject({ after: { due: "2025-09-01" }, changed: true });
    expect(plan.changes[0]?.before.due).toBeUndefined();
    expect(await texts(vault)).toEqual(files);
    const outcome = done(await vault.tasks.updateMany(ids, { dueDate: "2025-09-01" }, { plan: `Plan: ${plan.plan}` }));
    expect(outcome.changes).toHaveLength(21);
    for (const path of ids) expect((await vault.task(path)).due).toBe("2025-09-01");
  });

  it.each<TaskUpdates>([
    { status: "Done" },
    { lane: "Doing" },
    { blockedBy: ["List.md:2"] },
    { dueDate: "2025-09-01" },
  ])("are planned as they are then changed, with the same other notes: %j", async (updates) => {
    const vault = taskVault(
      {
        "series.md": note("type: task\ntitle: Series\nrecurrence: FREQ=DAILY\nscheduled: 2025-08-30"),
        "instance.md": task("Instance", 'recurrence_parent: "[[series]]"\noccurrence_date: 2025-08-30'),
        "card.md": task("Card"),
        "Board.md": "---\nkanban-plugin: board\n---\n\n## Doing\n\n- [ ] [[card]]\n\n## Done\n\n- [x] old\n",
        "List.md": "- [ ] waits 📅 2025-08-30\n- [ ] awaited 📅 2025-08-30\n",
      },
      { lines: { inlineTasks: "marked" } },
    );
    const shown = ({ changes, leftOut }: BulkOutcome): unknown => [
      leftOut,
      changes.map(({ after, alsoChanged, changed }) => {
        const { id, status, due, lane, board, blockedBy } = after;
        return { id, status, due, lane, board, blockedBy, alsoChanged, changed };
      }),
    ];
    const named = ["instance", "card", "List.md:1"];
    const before = shown(await vault.tasks.updateMany(named, updates, { plan: "show" }));
    expect(shown(await vault.tasks.updateMany(named, updates))).toEqual(before);
  });

  it("are left out of the plan with the reason for which writing would leave them out", async () => {
    const lossy: TaskFormat = {
      ...noteFormat,
      edit: (text) => {
        let now = text;
        return {
          get text() {
            return now;
          },
          update: (_updates, { task: place }) => {
            now = now.replace("a line of the note\n", "");
            return { changed: true, place, linesAdded: -1, named: { item: () => false, lines: 0 } };
          },
        };
      },
    };
    const { vault } = taskVault({ "t0.md": `${task("T0")}a line of the note\n` });
    const tasks = taskService(vault, { formats: [lossy] });
    const reason = "The change would drop 1 line of text that it does not name.";
    for (const options of [{ plan: "show" }, {}])
      expect((await tasks.updateMany(["t0"], { priority: "High" }, options)).leftOut).toEqual([
        { reference: "t0.md", title: "T0", reason: expect.stringContaining(reason) },
      ]);
  });

  it("are found anew by their selection, which must find the same", async () => {
    const vault = taskVault({ ...manyTasks(3), "other.md": task("Other", "status: Done") });
    const { selection } = await vault.tasks.search({ query: "*", status: ["To Do"] });
    const { plan, changes } = planned(
      await vault.tasks.updateMany([`Selection: ${selection}`], { priority: "High" }, { plan: "show" }),
    );
    expect(changes.map(({ before }) => before.title).sort()).toEqual(["T0", "T1", "T2"]);
    await vault.put("new.md", task("New"));
    await vault.put("t1.md", task("T1", "status: Done"));
    for (const options of [{}, { plan }])
      await expect(vault.tasks.updateMany([selection], { priority: "High" }, options)).rejects.toMatchObject({
        code: "CONFLICT",
        message: "The selection finds other tasks by now: 3 of them. New: New. Gone: T1.",
      });
    const { tasks } = taskVault({ "new.md": task("New") });
    await expect(tasks.updateMany([selection], { priority: "High" })).rejects.toThrow(/by now: 1 of them\.$/);
  });

  it.each<[string, (vault: TaskVault) => Promise<TaskUpdates>]>([
    [
      "a task has changed",
      async ({ put }) => (await put("t1.md", task("T1", "status: Blocked")), { dueDate: "2025-09-01" }),
    ],
    ["the updates are others", async () => ({ dueDate: "2025-09-02" })],
  ])("conflict with their plan when %s", async (_, change) => {
    const files = manyTasks(3);
    const vault = taskVault(files);
    const { selection } = await vault.tasks.search({ query: "*" });
    const { plan } = planned(await vault.tasks.updateMany([selection], { dueDate: "2025-09-01" }, { plan: "show" }));
    const updates = await change(vault);
    const before = await texts(vault);
    await expect(vault.tasks.updateMany([selection], updates, { plan })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await texts(vault)).toEqual(before);
  });

  it("say in the plan what would be left out, and which instances a day would pass", async () => {
    const weekly = task("Weekly", 'status: To Do\nscheduled: 2025-08-30\nrecurrence: "DTSTART:20250830;FREQ=WEEKLY"');
    const odd = task("Odd", 'status: To Do\nscheduled: 2025-08-30\nrecurrence: "FREQ=HOURLY"');
    const vault = taskVault({ "weekly.md": weekly, "odd.md": odd });
    const { selection } = await vault.tasks.search({ query: "*" });
    const moved = planned(await vault.tasks.updateMany([selection], { scheduled: "2025-09-10" }, { plan: "show" }));
    expect(moved.changes.find(({ before }) => before.title === "Weekly")?.passes).toBe("2025-09-06");
    const finished = planned(await vault.tasks.updateMany([selection], { status: "Done" }, { plan: "show" }));
    expect(finished.leftOut).toMatchObject([{ title: "Odd" }]);
    expect(finished.changes).toMatchObject([{ series: { kind: "done", next: "2025-09-06" }, passes: undefined }]);
  });

  it.each<[string, readonly string[], string]>([
    ["none", [], "tasks names no task."],
    ["501", Array.from({ length: 501 }, (_, at) => `t${at}`), "These are 501 tasks; at most 500"],
    ["a selection among ids", ["t0", "due=today#0123abcd"], "A selection is given together with other tasks."],
  ])("are refused when they are %s", async (_, tasks, message) => {
    const vault = taskVault(manyTasks(1));
    await expect(vault.tasks.updateMany(tasks, { status: "Done" })).rejects.toThrow(message);
  });
});

const STATES = fc.constantFrom("To Do", "In Progress", "Done", "Blocked");
const DAYS = fc.constantFrom("2025-08-29", "2025-08-30", "2025-09-14");
const NOTES = fc
  .record({
    status: STATES,
    due: fc.option(DAYS),
    scheduled: fc.option(DAYS),
    rule: fc.constantFrom("", "", 'recurrence: "DTSTART:20250830;FREQ=WEEKLY"', "repeat: weekly", "repeat: yearly"),
  })
  .map(({ status, due, scheduled, rule }) =>
    [`status: ${status}`, due && `due: ${due}`, scheduled && `scheduled: ${scheduled}`, rule]
      .filter(Boolean)
      .join("\n"),
  );
const LINES = fc.constantFrom(
  "- [ ] a 📅 2025-09-01",
  "- [x] b ✅ 2025-08-01",
  "- [ ] c 🔁 every day 📅 2025-08-30",
  "text",
);
const UPDATES = fc.constantFrom<TaskUpdates>(
  { status: "Done" },
  { status: "To Do" },
  { dueDate: "2025-09-20", priority: "High" },
  { scheduled: "" },
  { occurrence: "skip" },
  { title: "Renamed", tags: ["x"] },
);

describe("a plan that is carried out", () => {
  it("leaves what single updates leave, and undoing it gives back every byte", async () => {
    const vaults = fc.tuple(fc.array(NOTES, { minLength: 1, maxLength: 6 }), fc.uniqueArray(LINES, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(vaults, UPDATES, async ([notes, lines], updates) => {
        const files = Object.fromEntries(notes.map((more, at) => [`t${at}.md`, task(`T${at}`, more)]));
        const all = { ...files, "n.md": `${lines.join("\n")}\n` };
        const [one, other] = [0, 1].map(() => taskVault(all, { lines: { inlineTasks: "marked" } })) as [
          TaskVault,
          TaskVault,
        ];
        const { tasks, selection } = await one.tasks.search({ query: "*" });
        for (const { id, line } of tasks.toSorted((a, b) => (b.line ?? 0) - (a.line ?? 0)))
          await one.tasks.update(id, updates).catch((error: unknown) => [id, line, error]);
        const { plan, leftOut } = planned(await other.tasks.updateMany([selection], updates, { plan: "show" }));
        const outcome = done(await other.tasks.updateMany([selection], updates, { plan }));
        expect(await texts(other)).toEqual(await texts(one));
        expect(outcome.leftOut.map(({ reference }) => reference).sort()).toEqual(
          leftOut.map(({ reference }) => reference).sort(),
        );
        if (outcome.operation !== undefined)
          await other.vault.history.undoOperation(operationIn(outcome.operation) ?? "");
        expect(await texts(other)).toEqual(all);
      }),
      { numRuns: RUNS },
    );
  });
});
