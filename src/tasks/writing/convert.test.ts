/** update_task with convert: a line becomes a note, and a note a line (docs: tasks, "Converting"). */
import { describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { VaultError } from "../../errors.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import type { ListOptions } from "../../storage/storage.js";
import { type VaultPath, vaultPath } from "../../storage/path.js";
import type { TaskUpdates } from "../api.js";
import { lineFormat } from "../line-format/format.js";
import { noteFormat } from "../note-format/format.js";
import { taskService } from "../service.js";

type Files = Readonly<Record<string, string>>;

/** Cannot be listed after a deletion. */
class FailingStorage extends MemoryStorage {
  override list(options: ListOptions = {}): ReturnType<MemoryStorage["list"]> {
    if (this.isFailing) throw new VaultError("UNAVAILABLE", "The disk reported an error.");
    return super.list(options);
  }

  isFailing = false;

  override async move(...args: Parameters<MemoryStorage["move"]>) {
    this.isFailing = true;
    return await super.move(...args);
  }
}

function vaultWith(files: Files, Storage = MemoryStorage) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new Storage({ name: "Study", files, clock });
  const {
    vault,
    tasks,
    files: service,
  } = assembleVault({
    storage,
    name: "Study",
    clock,
    ids: sequentialIds(),
  });
  return {
    text: async (path: string) => (await vault.read(vaultPath(path))).text,
    texts: async () => {
      const { paths } = await service.list();
      return Object.fromEntries(
        await Promise.all(paths.map(async (path) => [path, (await vault.read(path)).text] as const)),
      );
    },
    update: (reference: string, updates: TaskUpdates) => tasks.update(reference, updates),
    updateMany: (references: readonly string[], updates: TaskUpdates, options?: { readonly plan?: string }) =>
      tasks.updateMany(references, updates, options),
    put: async (path: string, text: string) =>
      void (await storage.write(vaultPath(path), Buffer.from(text), { kind: "any" })),
    undo: () => service.undoLast(),
  };
}

const LINE = "- [ ] Buy lamp for [[House]] #light ⏫ 🛫 2026-11-24 ⏳ 2026-11-25 📅 2026-11-30";

describe("a line", () => {
  it("has the area of its project as a note too, and the answer says so", async () => {
    const { update } = vaultWith({
      "_projects/Roof/Roof.md": "---\ntype: project\narea: Home\n---\n",
      "_projects/Roof/Log.md": "- [ ] Order tiles 📅 2026-12-01\n",
    });
    const { task } = await update("_projects/Roof/Log.md:1", { convert: "note" });
    expect(task).toMatchObject({ area: "Home", areaOf: "Roof" });
  });

  it("takes its links along, and says which links to blocks below it are left", async () => {
    const files = {
      "a/Plan.md":
        "# Plan\n- [ ] Task 📅 2026-12-01 ^own\n\tsee [[#Plan]], [[#^in]], [[Pic]] ^in\n\t![x](img/p.png) [y](../B.md)\n",
      "a/img/p.png": "p",
      "B.md": "[[Plan#^in]] [[Plan#^own]] [[Plan#Plan]]\n",
      "c.canvas": JSON.stringify({ nodes: [{ id: "1", type: "file", file: "a/Plan.md", subpath: "#^in" }], edges: [] }),
    };
    const { update, texts, undo } = vaultWith(files);
    const { adjustments } = await update("a/Plan.md:2", { convert: "note" });
    expect(adjustments).toContain("2 links to blocks below it stay as they are: they are in '_projects/Task.md' now");
    const after = await texts();
    expect(after["_projects/Task.md"]).toContain(
      "\nsee [[Plan#Plan]], [[#^in]], [[Pic]] ^in\n![x](../a/img/p.png) [y](../B.md)\n",
    );
    await undo();
    expect(await texts()).toEqual(files);
  });

  it("becomes a task note with its fields, the other updates and the lines below it", async () => {
    const files = { "Plan.md": `# Plan\r\n\r\n${LINE} ^lamp\r\n\t- measure\r\n\t\t- twice\r\n- [ ] other\r\n` };
    const { update, texts, undo } = vaultWith(files);
    const done = await update("Plan.md:3", { convert: "note", area: "Home", status: "In Progress" });
    expect(done).toMatchObject({
      updated: ["convert", "area", "status"],
      alsoChanged: ["Plan.md"],
      undoable: true,
      adjustments: ["the line in 'Plan.md' is a link to the note now"],
    });
    expect(done.task).toMatchObject({ source: "note", title: "Buy lamp for [[House]]", due: "2026-11-30" });
    const after = await texts();
    expect(after["Plan.md"]).toBe("# Plan\r\n\r\n- [[Buy lamp for House]] ^lamp\r\n- [ ] other\r\n");
    expect(after["_projects/Buy lamp for House.md"]?.split("\n")).toEqual([
      "---",
      expect.stringMatching(/^id: task-buy-lamp/),
      "type: task",
      "title: Buy lamp for [[House]]",
      "status: In Progress",
      "priority: High",
      "due: 2026-11-30",
      "scheduled: 2026-11-25",
      "start: 2026-11-24",
      "area: Home",
      "tags:",
      "  - light",
      "---",
      "# Buy lamp for [[House]]",
      "",
      "- measure",
      "\t- twice",
      "",
    ]);
    await undo();
    expect(await texts()).toEqual(files);
  });

  it("says which footnotes and link labels it leaves, and which it takes", async () => {
    const files = {
      "Plan.md": "See[^b]\n\n- [ ] Task[^A] #task\n\t[text][l] [^b]: kept `[^c]`\n\n[^a]: A\n[^c]: C\n[l]: x.md\n",
    };
    const { adjustments } = await vaultWith(files).update("Plan.md:3", { convert: "note" });
    expect(adjustments.slice(1)).toEqual(["2 labels of '_projects/Task A.md' are defined in 'Plan.md': [^A], [l]."]);
  });

  it("keeps the lines below it after a description", async () => {
    const files = { "Plan.md": "- [ ] Task #task\n\t- measure\n\t\t- twice\n- [ ] other\n" };
    const { update, texts } = vaultWith(files);
    await update("Plan.md:1", { convert: "note", description: "For the hall." });
    const after = await texts();
    expect(after["Plan.md"]).toBe("- [[Task]]\n- [ ] other\n");
    expect(after["_projects/Task.md"]).toContain("# Task\n\nFor the hall.\n\n- measure\n\t- twice\n");
  });

  it("gets names in the vault's spelling, and a link to the name that its note has got", async () => {
    const files = { "Areas/Home/Lamp.md": "x", "Plan.md": "- [ ] Lamp #task\n", "_projects/Lamp 2.md": "y" };
    const { update, text } = vaultWith(files);
    const { task } = await update("Plan.md:1", { convert: "note", area: "home" });
    expect(task).toMatchObject({ path: "_projects/Lamp 3.md", area: "Home" });
    expect(await text("Plan.md")).toBe("- [[Lamp 3]]\n");
  });

  it("keeps the area that it has by its folder, there and back", async () => {
    const files = { "Areas/Home/Plan.md": `${LINE.replace("for [[House]] ", "")}\n- [ ] other #task\n` };
    const { update, texts } = vaultWith(files);
    const { task } = await update("Areas/Home/Plan.md:1", { convert: "note" });
    expect(task.area).toBe("Home");
    await update(task.id, { convert: "line", note: "Plan" });
    expect(await texts()).toEqual(files);
  });

  it("of a plain checkbox becomes a task, too", async () => {
    const { update, text } = vaultWith({ "Plan.md": "1. [ ] call Ann" });
    const { task } = await update("Plan.md:1", { convert: "note" });
    expect(task.title).toBe("call Ann");
    expect(await text("Plan.md")).toBe("1. [[call Ann]]");
  });

  it("of a board keeps its box, and its note goes where the board's settings say", async () => {
    const board =
      '---\n\nkanban-plugin: board\n\n---\n\n## Next\n\n- [ ] Paint wall @{2026-11-27}\n\tred\n\n\n## Done\n\n**Complete**\n\n%% kanban:settings\n```\n{"kanban-plugin":"board","new-note-folder":"Cards","new-note-template":"Templates/Card.md"}\n```\n%%\n';
    const files = { "Board.md": board, "Templates/Card.md": "---\ncolour: blue\n---\nMade from {{title}}.\n" };
    const { update, texts } = vaultWith(files);
    const { task } = await update("Paint wall", { convert: "note" });
    expect(task).toMatchObject({ path: "Cards/Paint wall.md", due: "2026-11-27" });
    const after = await texts();
    expect(after["Board.md"]).toBe(board.replace("Paint wall @{2026-11-27}\n\tred", "[[Paint wall]]"));
    expect(after["Cards/Paint wall.md"]).toContain("colour: blue");
    expect(after["Cards/Paint wall.md"]).toContain("Made from Paint wall.");
  });

  it.each<[says: string, line: string, updates: TaskUpdates, message: RegExp]>([
    ["has a sign", "- [ ] a 🆔 abc 📅 2026-11-30", { convert: "note" }, /would lose: 🆔/],
    ["is deleted when done", "- [ ] a 🏁 delete 📅 2026-11-30", { convert: "note" }, /would lose: 🏁/],
    ["is to be a line", "- [ ] a 📅 2026-11-30", { convert: "line", note: "B" }, /is a line already/],
    ["gets a place", "- [ ] a 📅 2026-11-30", { convert: "note", note: "B" }, /note is for convert "line"/],
    ["gets a lane", "- [ ] a 📅 2026-11-30", { convert: "note", lane: "B" }, /occurrence and lane cannot/],
    ["a note waits for", "- [ ] a 📅 2026-11-30 ^a", { convert: "note" }, /would lose: "W", which waits for it/],
  ])("that %s is refused and nothing changes", async (_says, line, updates, message) => {
    const waiting = "---\ntype: task\ntitle: W\nblockedBy: ['[[Plan#^a]]']\n---\n";
    const files = { "Plan.md": line, "B.md": "", "W.md": waiting };
    const { update, texts } = vaultWith(files);
    await expect(update("Plan.md:1", updates)).rejects.toThrow(message);
    expect(await texts()).toEqual(files);
  });
});

it("of a line that changes meanwhile is refused, and the note that was made is gone again", async () => {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({ name: "Study", files: { "Plan.md": "- [ ] a 📅 2026-11-30" }, clock });
  const { vault, files, links } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
  const tasks = taskService(vault, {
    formats: [noteFormat, lineFormat({})],
    links: {
      find: (reference) => links.find(reference),
      backlinks: async () => [],
      linksTaken: async () => undefined,
      carried: async (text) => text,
      lists: async () => new Set(),
      lost: async () => 0,
      linkText: async () => {
        await storage.update(vaultPath("Plan.md"), () => Buffer.from("other"));
        return "a";
      },
    },
  });
  await expect(tasks.update("Plan.md:1", { convert: "note" })).rejects.toMatchObject({ code: "CONFLICT" });
  expect((await files.list()).paths).toEqual(["Plan.md"]);
  expect((await vault.read(vaultPath("Plan.md"))).text).toBe("other");
});

it("makes notes of several lines with properties, in one operation, and names those that cannot be", async () => {
  const lines = "- [ ] a 📅 2026-11-30\n- [ ] b 🆔 abc 📅 2026-11-30\n- [ ] c 📅 2026-11-30\n";
  const { updateMany, texts } = vaultWith({ "Plan.md": lines });
  const updates = { convert: "note", properties: { shelf: "A" }, priority: "High" } as const;
  const outcome = await updateMany(["Plan.md:1", "Plan.md:2", "Plan.md:3"], updates);
  expect(outcome).toMatchObject({ kind: "done", undoable: true });
  expect(outcome.changes.map(({ after }) => [after.title, after.priority])).toEqual([
    ["a", "High"],
    ["c", "High"],
  ]);
  expect(outcome.leftOut.map(({ title, reason }) => [title, /would lose: 🆔/.test(reason)])).toEqual([["b", true]]);
  const after = await texts();
  expect(after["Plan.md"]).toBe("- [[a]]\n- [ ] b 🆔 abc 📅 2026-11-30\n- [[c]]\n");
  expect(Object.values(after).filter((text) => /\nshelf: A\n/.test(text))).toHaveLength(2);
});

const noteOf = (title: string): string => `---\ntype: task\ntitle: ${title}\n---\n`;

describe("many at once", () => {
  const NESTED = "- [ ] a 📅 2026-11-30\n\t- [ ] b 📅 2026-11-30\n- [ ] b 📅 2026-12-01 ^x\n- [ ] e 🆔 abc\n";

  it("are planned with nothing written, the plan gives just that, and one undo takes all of it back", async () => {
    const files = { "Plan.md": NESTED, "Other.md": "- [ ] c 📅 2026-11-30\n" };
    const { updateMany, texts, undo } = vaultWith(files);
    const references = ["Plan.md:1", "Plan.md:2", "Plan.md:3", "Plan.md:4", "Other.md:1"];
    const plan = await updateMany(references, { convert: "note" }, { plan: "show" });
    expect(await texts()).toEqual(files);
    expect(plan).toMatchObject({ kind: "plan", total: 5, plan: expect.stringMatching(/^p-/) });
    expect(plan.adjustments).toContain("the line in 'Plan.md' becomes a link to the note");
    const done = await updateMany(references, { convert: "note" }, { plan: plan.kind === "plan" ? plan.plan : "" });
    expect(done).toMatchObject({ kind: "done", undoable: true });
    const brief = ({ changes, leftOut }: typeof done) => [
      changes.map(({ after, alsoChanged }) => [after.title, after.path, alsoChanged]),
      leftOut,
    ];
    expect(brief(done)).toEqual(brief(plan));
    expect((await texts())["Plan.md"]).toBe("- [[a]]\n- [[b]] ^x\n- [ ] e 🆔 abc\n");
    expect((await texts())["_projects/a.md"]).toMatch(/# a\n\n- \[\[b 2\]\]\n$/);
    await undo();
    expect(await texts()).toEqual(files);
  });

  it.each([
    ["the note that gets a line", "Plan.md", "# Other\n"],
    ["a name", "_projects/a.md", "taken"],
  ])("are planned again when %s has changed since", async (_, path, text) => {
    const { updateMany, put } = vaultWith({ "Plan.md": "- [ ] a 📅 2026-11-30\n# Plan\n", "b.md": noteOf("B") });
    const [one, updates] =
      path === "Plan.md"
        ? ["b", { convert: "line", note: "Plan" } as const]
        : ["Plan.md:1", { convert: "note" } as const];
    const plan = await updateMany([one], updates, { plan: "show" });
    await put(path, text);
    const again = updateMany([one], updates, { plan: plan.kind === "plan" ? plan.plan : "" });
    await expect(again).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("makes lines of several notes in one edit, and takes out that of a note that cannot be deleted", async () => {
    class Kept extends MemoryStorage {
      override async move(...args: Parameters<MemoryStorage["move"]>) {
        if (args[0] === "a.md") throw new VaultError("UNAVAILABLE", "The disk is full.");
        return await super.move(...args);
      }
    }
    const files = {
      "Plan.md": "# Plan\n\n- [[a]]\n- [[b]]\n",
      "a.md": noteOf("A"),
      "b.md": noteOf("B"),
      "c.md": noteOf("C"),
    };
    const { updateMany, texts, undo } = vaultWith(files, Kept);
    const { changes, leftOut } = await updateMany(["c", "a", "b"], { convert: "line", note: "Plan" });
    expect(leftOut).toEqual([{ reference: "a.md", title: "A", reason: "The disk is full." }]);
    expect(changes.map(({ after }) => [after.title, after.line])).toEqual([
      ["C #task", 5],
      ["B #task", 4],
    ]);
    expect(await texts()).toEqual({
      "Plan.md": "# Plan\n\n- [[a]]\n- [ ] B #task\n- [ ] C #task\n",
      "a.md": files["a.md"],
    });
    await undo();
    expect(await texts()).toEqual(files);
  });

  it.each(["cannot be written", "has another line at that moment"])(
    "leave no note where theirs %s, and the refusal names it",
    async (problem) => {
      class Busy extends MemoryStorage {
        override async update(...[path, change]: Parameters<MemoryStorage["update"]>) {
          if (path !== "Plan.md") return await super.update(path, change);
          if (problem === "cannot be written") throw new VaultError("UNAVAILABLE", "'Plan.md' is locked.");
          await super.update(path, () => Buffer.from("- [ ] a 📅 2026-12-24\n- [ ] b 📅 2026-11-30\n"));
          return await super.update(path, change);
        }
      }
      const files = { "Plan.md": "- [ ] a 📅 2026-11-30\n- [ ] b 📅 2026-11-30\n", "O.md": "- [ ] c 📅 2026-11-30\n" };
      const { updateMany, texts } = vaultWith(files, Busy);
      const { changes, leftOut } = await updateMany(["Plan.md:1", "Plan.md:2", "O.md:1"], { convert: "note" });
      const isLocked = problem === "cannot be written";
      expect(changes.map(({ after }) => after.title)).toEqual(isLocked ? ["c"] : ["b", "c"]);
      for (const { reason } of leftOut) expect(reason).toContain("'Plan.md'");
      const after = await texts();
      expect(Object.keys(after).filter((path) => path.startsWith("_projects/"))).toHaveLength(changes.length);
      expect(after["Plan.md"]).toBe(isLocked ? files["Plan.md"] : "- [ ] a 📅 2026-12-24\n- [[b]]\n");
    },
  );

  it("leave a new note that another program has written meanwhile, though its line cannot be, and name it", async () => {
    class Busy extends MemoryStorage {
      override async update(...[path, change]: Parameters<MemoryStorage["update"]>) {
        if (path !== "Plan.md") return await super.update(path, change);
        await super.update("_projects/a.md" as VaultPath, () => Buffer.from("typed meanwhile\n"));
        throw new VaultError("UNAVAILABLE", "'Plan.md' is locked.");
      }
    }
    const { updateMany, texts } = vaultWith({ "Plan.md": "- [ ] a 📅 2026-11-30\n" }, Busy);
    const { leftOut } = await updateMany(["Plan.md:1"], { convert: "note" });
    expect(leftOut[0]?.reason).toContain("_projects/a.md");
    expect((await texts())["_projects/a.md"]).toBe("typed meanwhile\n");
  });

  it("finds lines that moved at that moment, and gives a note another name when a hidden file has it", async () => {
    class Moving extends MemoryStorage {
      override async update(...[path, change]: Parameters<MemoryStorage["update"]>) {
        if (path === "Plan.md")
          await super.update(path, (file) => Buffer.from(`new\n\n${file ? Buffer.from(file.bytes).toString() : ""}`));
        return await super.update(path, change);
      }
      override async write(...args: Parameters<MemoryStorage["write"]>) {
        if (args[0] === "_projects/a.md") throw new VaultError("ALREADY_EXISTS", "There is such a file.");
        return await super.write(...args);
      }
    }
    const { updateMany, texts } = vaultWith({ "Plan.md": "- [ ] a 📅 2026-11-30\n", "_projects/x.md": "x" }, Moving);
    const { changes } = await updateMany(["Plan.md:1"], { convert: "note" });
    expect(changes[0]?.after.path).toBe("_projects/a 2.md");
    expect((await texts())["Plan.md"]).toBe("new\n\n- [[a 2]]\n");
  });
});

it.each<["note" | "line"]>([["note"], ["line"]])(
  "to a %s leave room for other calls, in a long note too",
  async (convert) => {
    const names = Array.from({ length: 20 }, (_, at) => `t${at}`);
    const prose = "word ".repeat(2000);
    const plan = names.map((name) => (convert === "note" ? `- [ ] ${name} 📅 2026-11-30` : `- [[${name}]]`));
    const notes = convert === "note" ? [] : names.map((name) => [`${name}.md`, noteOf(name)]);
    const { updateMany } = vaultWith({ "Plan.md": plan.join(`\n\n${prose}\n\n`), ...Object.fromEntries(notes) });
    const references = names.map((name, at) => (convert === "note" ? `Plan.md:${at * 4 + 1}` : name));
    const updates = { convert, ...(convert === "line" && { note: "Plan" }) };
    // Reads the vault.
    await updateMany(references, updates, { plan: "show" });
    const began = performance.now();
    let [turn, longest, isOver] = [began, 0, false];
    const next = (): void => {
      const now = performance.now();
      [longest, turn] = [Math.max(longest, now - turn), now];
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    const { changes } = await updateMany(references, updates, { plan: "show" });
    isOver = true;
    expect(changes).toHaveLength(20);
    expect(longest).toBeLessThan((performance.now() - began) / 2);
  },
);

it("of which none can be made leave nothing to undo", async () => {
  class Full extends MemoryStorage {
    override async update(...[path, change]: Parameters<MemoryStorage["update"]>) {
      if (path === "Plan.md") throw new VaultError("UNAVAILABLE", "The disk is full.");
      return await super.update(path, change);
    }
  }
  const files = { "Plan.md": "- [ ] a 📅 2026-11-30\n- [ ] b 📅 2026-11-30\n", "o.md": noteOf("O") };
  const { update, updateMany, texts, undo } = vaultWith(files, Full);
  await update("o", { status: "Done" });
  const outcome = await updateMany(["Plan.md:1", "Plan.md:2"], { convert: "note" });
  expect(outcome).toMatchObject({ changes: [], operation: undefined, undoable: false });
  expect(await undo()).toMatchObject({ path: "o.md" });
  expect(await texts()).toEqual(files);
});

it.each<[as: "note" | "line", which: string]>([
  ["note", "Plan.md:1"],
  ["line", "a"],
])("to a %s says when the disk has not confirmed the other note", async (convert, which) => {
  class Doubtful extends MemoryStorage {
    override async update(...args: Parameters<MemoryStorage["update"]>) {
      const file = await super.update(...args);
      return file && { ...file, durable: false };
    }
  }
  const { update } = vaultWith({ "Plan.md": "- [ ] b 📅 2026-11-30\n", "a.md": noteOf("A") }, Doubtful);
  const { durable } = await update(which, { convert, ...(convert === "line" && { note: "Plan" }) });
  expect(durable).toBe(false);
});

it("is needed where note is given", async () => {
  const { update } = vaultWith({ "Plan.md": "- [ ] a 📅 2026-11-30" });
  await expect(update("Plan.md:1", { note: "B" })).rejects.toThrow('only with convert "line"');
});

describe("a note", () => {
  it.each<[says: string, line: string]>([
    ["with days, priority and tags", LINE],
    ["that is done", "- [x] Buy lamp ➕ 2026-11-01 📅 2026-11-30 ✅ 2026-11-20"],
    ["that repeats", "- [ ] Water plants 🔁 every week on Friday 📅 2026-11-27"],
    [
      "that is begun, in a numbered list with lines below",
      "1. [/] Buy lamp #task 📅 2026-11-30 ^lamp\n\t- [ ] measure\n\tnote",
    ],
    ["without anything", "- [ ] Buy lamp #task"],
  ])("%s gives the same line again", async (_says, line) => {
    const files = { "Plan.md": `# Plan\n\n${line}\n- [ ] other #task\n` };
    const { update, texts } = vaultWith(files);
    const { task } = await update("Plan.md:3", { convert: "note" });
    const back = await update(task.id, { convert: "line", note: "Plan" });
    expect(back.task).toMatchObject({ source: "line", path: "Plan.md", line: 3 });
    expect(await texts()).toEqual(files);
  });

  it("of a callout has the lines below without its quote marks, and gets them back", async () => {
    const files = {
      "Plan.md": "> [!todo] List\n> - [ ] Lamp #task\n> \tmeasure\n>\n> \t- twice\n> - [ ] other #task\nend\n",
    };
    const { update, texts, text } = vaultWith(files);
    const { task } = await update("Plan.md:2", { convert: "note" });
    expect(await text("_projects/Lamp.md")).toMatch(/# Lamp\n\nmeasure\n\n- twice\n?$/);
    await update(task.id, { convert: "line", note: "Plan" });
    expect(await texts()).toEqual(files);
  });

  it("is added as a line where nothing links to it, and one undo gives both notes back", async () => {
    const files = {
      "_projects/Lamp.md": "---\ntype: task\nstatus: To Do\npriority: High\ndue: 2026-11-30\n---\n# Lamp\n",
      "Day.md": "# Day\n\nSlept well.",
    };
    const { update, texts, undo } = vaultWith(files);
    await update("Lamp", { convert: "line", note: "Day" });
    expect(await texts()).toEqual({ "Day.md": "# Day\n\nSlept well.\n\n- [ ] Lamp ⏫ 📅 2026-11-30" });
    await undo();
    expect(await texts()).toEqual(files);
  });

  it.each([
    ["Blocked", "Day.md", "# Day\n"],
    ["In Progress", "Board.md", "---\nkanban-plugin: board\n---\n\n## To Do\n\n- [ ] other\n\n## Doing\n\n"],
  ])("that is %s keeps its status in %s or is refused", async (status, path, text) => {
    const lamp = `---\ntype: task\nstatus: ${status}\ndue: 2026-11-30\n---\n# Lamp\n`;
    const files = { "_projects/Lamp.md": lamp, [path]: text };
    const { update, texts } = vaultWith(files);
    await expect(update("Lamp", { convert: "line", note: path })).rejects.toThrow(`would lose: the status ${status}.`);
    expect(await texts()).toEqual(files);
  });

  it("takes the links of its body along", async () => {
    const { update, text } = vaultWith({
      "_projects/a.md": `${noteOf("A")}# A\n\n![x](../img/p.png) [[#^in]] ^in\n`,
      "img/p.png": "p",
      "Plan.md": "# Plan\n",
    });
    await update("a", { convert: "line", note: "Plan" });
    expect(await text("Plan.md")).toBe("# Plan\n\n- [ ] A #task\n\t![x](img/p.png) [[#^in]] ^in\n");
  });

  it("is refused while its body links to the note itself", async () => {
    const files = { "a.md": `${noteOf("A")}# A\n\nsee [[A#A|above]]\n`, "Plan.md": "# Plan\n" };
    const { update, texts } = vaultWith(files);
    await expect(update("a", { convert: "line", note: "Plan" })).rejects.toThrow("would lose: links to it in a.md.");
    expect(await texts()).toEqual(files);
  });

  it.each<[what: string, property: string]>([
    ["waits for it by its id", "blockedBy: [task-a-1]"],
    ["is below it by its plain name", "projects: [a]"],
  ])("is refused while another task %s", async (_, property) => {
    const files = {
      "a.md": noteOf("A").replace("---\n", "---\nid: task-a-1\n"),
      "b.md": noteOf("B").replace("---\n", `---\n${property}\n`),
      "Plan.md": "# Plan\n",
    };
    const { update, texts } = vaultWith(files);
    await expect(update("a", { convert: "line", note: "Plan" })).rejects.toThrow("would lose: links to it in b.md.");
    expect(await texts()).toEqual(files);
  });

  it.each([
    ["a property", "---\nrelated:\n  - [[a]]\n---\n# Plan\n", 3],
    ["HTML", "<div>\n- [[a]]\n</div>\n", 2],
  ])("of which the link is in %s is refused; others are converted", async (_, plan, line) => {
    const { updateMany, text } = vaultWith({ "a.md": noteOf("A"), "b.md": noteOf("B"), "Plan.md": plan });
    const { leftOut } = await updateMany(["a", "b"], { convert: "line", note: "Plan" });
    expect(leftOut).toMatchObject([
      { title: "A", reason: expect.stringContaining(`Line ${line} of 'Plan.md' cannot be a checkbox.`) },
    ]);
    expect(await text("Plan.md")).toBe(`${plan}\n- [ ] B #task\n`);
  });

  it("that would lose something is refused, with all of it named", async () => {
    const files = {
      "_projects/Lamp.md":
        "---\ntype: task\nstatus: To Do\narea: Home\nrating: 4\nempty:\n---\nabove\n# Lamp\n\n## More\ntext\n",
      "C.md": "---\ntype: task\nstatus: Blocked\narea: Home\n---\n",
      "A.md": "[[Lamp]] [[C]]",
      "B.md": "",
    };
    const { update, texts } = vaultWith(files);
    await expect(update("Lamp", { convert: "line", note: "B" })).rejects.toThrow(
      'As a line "Lamp" would lose: area; rating; the body, which has more than lines and lists; links to it in A.md.',
    );
    await expect(update("C", { convert: "line", note: "B" })).rejects.toThrow(
      'As a line "C" would lose: area; the status Blocked; links to it in A.md.',
    );
    await expect(update("Lamp", { convert: "line" })).rejects.toThrow("needs note");
    await expect(update("Lamp", { convert: "line", note: "Lamp" })).rejects.toThrow("line of itself");
    await expect(update("Lamp", { convert: "line", note: "B", status: "Done" })).rejects.toThrow("nothing else");
    await expect(update("Lamp", { convert: "note" })).rejects.toThrow("is a note already");
    expect(await texts()).toEqual(files);
  });
});

it("says that a note became a line, though nothing can be read after that", async () => {
  const files = { "Lamp.md": "---\ntype: task\ntitle: Lamp\n---\n", "Day.md": "" };
  const { update, text } = vaultWith(files, FailingStorage);
  expect(await update("Lamp", { convert: "line", note: "Day" })).toMatchObject({
    task: { title: expect.stringContaining("Lamp"), path: "Day.md", source: "line" },
    undoable: true,
  });
  expect(await text("Day.md")).toContain("- [ ] Lamp");
});

it("of two processes at once is made by one, and leaves one line of each note", async () => {
  const names = ["One", "Two"];
  const note = (name: string) => `---\ntype: task\nstatus: To Do\n---\n# ${name}\n`;
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const files = { "One.md": note("One"), "Two.md": note("Two"), "Plan.md": "# Plan\n" };
  const storage = new MemoryStorage({ files, clock });
  const processes = [1, 2].map(() => assembleVault({ storage, name: "Study", clock, ids: sequentialIds() }));
  const [first, second] = processes.map(
    ({ tasks }) =>
      () =>
        tasks.updateMany(names, { convert: "line", note: "Plan" }),
  );
  const move = storage.move.bind(storage);
  let others: unknown;
  // The first has written its lines and now deletes its notes.
  storage.move = async (...args) => {
    others ??= second?.();
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    return await move(...args);
  };
  await first?.();
  await others;
  const text = (await processes[0]?.vault.read(vaultPath("Plan.md")))?.text ?? "";
  expect(text.match(/One|Two/g)?.toSorted()).toEqual(names);
});
