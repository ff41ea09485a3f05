/** Kanban cards as tasks: which count, what they say, and what an update writes. */
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { operationIn } from "../../history/journal-records.js";
import { vaultPath } from "../../storage/path.js";
import { refusal, taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import { FUZZ_FACTOR, LONG } from "../../../test/kit/fuzz.js";

const NOW = { now: "2026-11-23T10:05:00Z", lines: { inlineTasks: "marked" } } as const;
const FOOTER = '\n\n%% kanban:settings\n```\n{"kanban-plugin":"board"}\n```\n%%';
const HOUSE = `---

kanban-plugin: board

---

## Backlog

- [ ] Order the paint @{2026-11-30}
- [ ] Call the roofer #phone 📅 2026-11-25 @{2026-11-25} @@{14:30}
	Ask about the gutter
	- [x] number
	- [ ] offer
- No box


## 🔨 Doing (1)

- [ ] Sand the floor ^sand


## Errands

- [/] Buy nails
- [-] Rent a ladder


## Done

**Complete**
- [x] Clear the gutter


***

## Archive

- [x] Sold the car
${FOOTER}`;

const house = (board = HOUSE, more: Readonly<Record<string, string>> = {}): TaskVault =>
  taskVault({ "House board.md": board, ...more }, NOW);

describe("cards of a task board", () => {
  it("are tasks with lane, status, day and title, whatever marks them", async () => {
    const { tasks } = house();
    const { tasks: found } = await tasks.search({ query: "*", includeArchived: true, limit: 100 });
    const told = found.map(({ title, status, lane, due, archived }) => [title, status, lane, due, archived]);
    expect(told.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
      ["Buy nails", "In Progress", "Errands", undefined, false],
      ["Call the roofer #phone", "To Do", "Backlog", "2026-11-25", false],
      ["Clear the gutter", "Done", "Done", undefined, false],
      ["No box", "To Do", "Backlog", undefined, false],
      ["Order the paint", "To Do", "Backlog", "2026-11-30", false],
      ["Rent a ladder", "Cancelled", "Errands", undefined, false],
      ["Sand the floor", "In Progress", "🔨 Doing", undefined, false],
      ["Sold the car", "Done", "Archive", undefined, true],
    ]);
    expect(found.every(({ board }) => board === "House board")).toBe(true);
    const detail = await tasks.get("Call the roofer");
    expect(detail).toMatchObject({ checklist: { done: 1, total: 2 }, why: 'it is a card of the board "House board"' });
    expect(detail.description).toContain("Ask about the gutter");
  });

  it("count on other boards by the marks of lines and by a day", async () => {
    const board = HOUSE.replace("**Complete**\n", "").replaceAll(/## .*(Backlog|Doing|Done).*/g, "## List $1 of mine");
    const { tasks } = house(board);
    expect((await tasks.search({ query: "*" })).tasks.map(({ title }) => title).toSorted()).toEqual([
      "Call the roofer #phone",
      "Order the paint",
    ]);
  });

  it("report a day that is none, and are left out with --inline-tasks off", async () => {
    const { tasks } = house(HOUSE.replace("@{2026-11-30}", "@{soon}"));
    expect((await tasks.agenda()).problems).toMatchObject([
      { line: 9, message: 'due "soon" is not a date (YYYY-MM-DD).' },
    ]);
    const off = taskVault({ "House board.md": HOUSE }, { lines: { inlineTasks: "off" } });
    expect((await off.tasks.search({ query: "*" })).total).toBe(0);
  });
});

it("a plain card that links to a task is its card only for questions about plain checkboxes, in any order", async () => {
  const board = "---\nkanban-plugin: board\n---\n\n## Lane\n\n- [ ] [[Paint]]\n- [ ] [[Buy]] #task\n";
  const task = "---\ntype: task\n---\n";
  const { tasks } = taskVault({ "Paint.md": task, "Buy.md": task, "Board.md": board }, NOW);
  const shown = async (is?: readonly "checkbox"[]) =>
    (await tasks.search({ query: "*", is })).tasks.map(({ id, lane }) => `${id} ${lane ?? "-"}`);
  for (let round = 0; round < 2; round++) {
    expect(await shown(["checkbox"])).toEqual([]);
    expect(await shown()).toEqual(["Buy.md Lane", "Paint.md -"]);
  }
});

describe("a card's changes", () => {
  const moved = async (title: string, updates: object, board = HOUSE) => {
    const vault = house(board);
    const outcome = await vault.tasks.update(title, updates);
    return { text: await vault.text("House board.md"), outcome, vault };
  };

  it("Done moves it to the complete lane with all its lines, ticked, and says so", async () => {
    const { text, outcome } = await moved("Call the roofer", { status: "Done" });
    expect(text).toContain(
      "- [x] Clear the gutter\n- [x] Call the roofer #phone 📅 2026-11-25 @{2026-11-25} @@{14:30}\n\tAsk about the gutter\n\t- [x] number\n\t- [ ] offer\n\n\n***",
    );
    expect(outcome.task).toMatchObject({ status: "Done", lane: "Done" });
    expect(outcome.adjustments).toEqual(['Moved "Call the roofer #phone" from Backlog to Done on House board.']);
  });

  it("another status moves it to the first lane of that status, which may then hold too many", async () => {
    const { text, outcome } = await moved("Order the paint", { status: "In Progress", dueDate: "2026-12-01" });
    expect(text).toContain("- [ ] Sand the floor ^sand\n- [ ] Order the paint @{2026-12-01}\n");
    expect(outcome.adjustments).toEqual([
      'Moved "Order the paint" from Backlog to 🔨 Doing on House board.',
      "🔨 Doing now holds 2 of 1 cards.",
    ]);
    expect((await moved("House board.md#^sand", { status: "To Do" })).text).toContain(
      "- No box\n- [ ] Sand the floor ^sand\n",
    );
  });

  it("a status that no lane means is refused with the lanes; Cancelled changes the box alone", async () => {
    const vault = house();
    const error = await refusal(vault.tasks.update("Sand the floor", { status: "Blocked" }));
    expect([error.message, error.hint]).toEqual([
      "No lane of 'House board' means Blocked. Lanes: Backlog, 🔨 Doing, Errands, Done.",
      "Name one with updates.lane.",
    ]);
    expect(await vault.text("House board.md")).toBe(HOUSE);
  });

  it("a lane is named by its words; the archive takes it last; an unknown one is refused", async () => {
    const { text } = await moved("No box", { lane: "doing" });
    expect(text).toContain("- [ ] Sand the floor ^sand\n- No box\n");
    expect((await moved("Clear the gutter", { lane: "Archive" })).text).toContain(
      "**Complete**\n\n\n***\n\n## Archive\n\n- [x] Sold the car\n- [x] Clear the gutter\n",
    );
    expect((await moved("Clear the gutter", { lane: "Backlog" })).text).toContain("- No box\n- [ ] Clear the gutter\n");
    expect((await moved("No box", { lane: "Done" })).text).toContain("- [x] Clear the gutter\n- [x] No box\n");
    expect((await refusal(house().tasks.update("No box", { lane: "Later" }))).message).toBe(
      `'House board' has no lane "Later". Lanes: Backlog, 🔨 Doing, Errands, Done.`,
    );
    const line = taskVault({ "a.md": "- [ ] x #task\n" }, NOW);
    expect((await refusal(line.tasks.update("x", { lane: "Done" }))).message).toContain("no card of a Kanban board");
  });

  it("a given clock time replaces the card's own, in the board's format, and is left out elsewhere", async () => {
    const timed = await moved("Call the roofer", { dueDate: "2026-12-01T18:00" });
    expect(timed.text).toContain("- [ ] Call the roofer #phone 📅 2026-12-01 @{2026-12-01} @@{18:00}\n");
    expect(timed.outcome.adjustments).toEqual([]);
    const dotted = HOUSE.replace("@@{14:30}", "@@{14.30}").replace(':"board"}', ':"board","time-format":"HH.mm"}');
    const { tasks, text } = house(dotted);
    await tasks.update("Call the roofer", { dueDate: "2026-11-25T09:05" });
    expect(await text("House board.md")).toContain("📅 2026-11-25 @{2026-11-25} @@{09.05}\n");
    const untimed = await moved("Order the paint", { dueDate: "2026-12-01T18:00" });
    expect(untimed.text).toContain("- [ ] Order the paint @{2026-12-01}\n");
    expect(untimed.outcome.adjustments).toEqual([
      'the clock time of dueDate "2026-12-01T18:00" was left out: it is a day',
    ]);
  });

  it("a day goes into every sign that held the old one, and is cleared from all", async () => {
    expect((await moved("Call the roofer", { dueDate: "2026-12-01" })).text).toContain(
      "- [ ] Call the roofer #phone 📅 2026-12-01 @{2026-12-01} @@{14:30}\n",
    );
    expect((await moved("Call the roofer", { dueDate: "" })).text).toContain(
      "- [ ] Call the roofer #phone @@{14:30}\n",
    );
    expect((await moved("Sand the floor", { dueDate: "2026-12-01" })).text).toContain(
      "- [ ] Sand the floor @{2026-12-01} ^sand\n",
    );
    expect((await moved("No box", { dueDate: "2026-12-01", priority: "High" })).text).toContain(
      "- No box @{2026-12-01} ⏫\n",
    );
  });

  it.each(["@{2026/11/2026-11-30}", "@[[2026/11/2026-11-30]]", "@{2026-11-30}"])(
    "%s is a day of a vault whose daily notes lie in folders, and keeps its form",
    async (sign) => {
      const board = HOUSE.replace("@{2026-11-30}", sign);
      const { tasks, text } = house(board, { ".obsidian/daily-notes.json": '{"format":"YYYY/MM/YYYY-MM-DD"}' });
      expect((await tasks.search({ query: "paint" })).tasks.map(({ due }) => due)).toEqual(["2026-11-30"]);
      await tasks.update("Order the paint", { dueDate: "2026-12-01" });
      const moved = sign.replace("/11/", "/12/").replace("2026-11-30", "2026-12-01");
      expect(await text("House board.md")).toBe(board.replace(sign, moved));
    },
  );

  it.each([
    ["Buy lamp #home ⏫ ✅ 2026-11-20", {}, "Buy lamp #home @{2026-12-01} ⏫ ✅ 2026-11-20"],
    ["Buy lamp ⏳ 2026-11-25 #home ^lamp", {}, "Buy lamp @{2026-12-01} ⏳ 2026-11-25 #home ^lamp"],
    ["Buy lamp @@{14:30} ⏫", { tags: ["home"] }, "Buy lamp #home @@{14:30} @{2026-12-01} ⏫"],
    ["Buy lamp  [priority:: high]", {}, "Buy lamp @{2026-12-01}  [priority:: high]"],
    ["Buy @@{14:30} lamp", { priority: "High" }, "Buy @@{14:30} lamp @{2026-12-01} ⏫"],
  ])("a new day on %s is before the fields that the Tasks plugin reads from the end", async (line, more, after) => {
    const board = HOUSE.replace("- No box", `- [ ] ${line}`);
    const { text } = await moved("House board.md:14", { dueDate: "2026-12-01", ...more }, board);
    expect(text).toContain(`] ${after}\n`);
  });

  it("a new card has its day before its other fields", async () => {
    const { tasks, text } = house();
    await tasks.addMany({ text: "Buy glue !high 2026-12-01", note: "House board.md", heading: "Backlog" });
    expect(await text("House board.md")).toContain("- [ ] Buy glue @{2026-12-01} ⏫\n");
  });

  it("a field goes behind words that have a day among them, in the vault's format", async () => {
    const board = HOUSE.replace("- No box", "- [ ] Pay @{2026-11-30} rent");
    expect((await moved("Pay rent", { priority: "High" }, board)).text).toContain("- [ ] Pay @{2026-11-30} rent ⏫\n");
  });

  it("a finished series leaves its new line where the card was", async () => {
    const board = HOUSE.replace(
      "- [ ] Order the paint @{2026-11-30}",
      "- [ ] Water 🔁 every week @{2026-11-23} ^w\n\tall pots",
    );
    const { text, outcome } = await moved("Water", { status: "Done" }, board);
    expect(text).toContain("## Backlog\n\n- [ ] Water 🔁 every week @{2026-11-30}\n- [ ] Call the roofer");
    expect(text).toContain("- [x] Clear the gutter\n- [x] Water 🔁 every week @{2026-11-23} ^w\n\tall pots\n");
    expect(outcome.series).toMatchObject({ kind: "done", next: "2026-11-30" });
    expect(outcome.series?.nextId).toMatch(/^House board\.md:9~/);
  });

  it.each([
    ["append", "- [x] old\n- [x] one\n- [x] two\n- [x] three\n"],
    ["prepend", "- [x] one\n- [x] two\n- [x] three\n- [x] old\n"],
  ])("several that one call finishes keep their order (%s)", async (method, lane) => {
    const footer = FOOTER.replace('"board"}', `"board","new-card-insertion-method":"${method}"}`);
    const lanes = "## Backlog\n\n- [ ] one\n- [ ] two\n\n## Doing\n\n- [ ] three\n\n## Done\n\n- [x] old\n";
    const { tasks, text } = taskVault({ "B.md": `---\nkanban-plugin: board\n---\n\n${lanes}${footer}` }, NOW);
    const { changes } = await tasks.updateMany(["three", "one", "two"], { status: "Done" });
    expect(changes).toHaveLength(3);
    expect(await text("B.md")).toContain(`## Done\n\n${lane}`);
    const rows = (await text("B.md")).split("\n");
    for (const { after } of changes) expect(rows[Number(after.line) - 1]).toBe(`- [x] ${after.title}`);
  });

  it("that is only a link to a task note is that note, whose status moves it", async () => {
    const board = HOUSE.replace("- No box", "- [ ] [[Choose the tiles]]");
    const more = { "_projects/Choose the tiles.md": "---\ntype: task\nstatus: to do\n---\n" };
    const { tasks, text, vault } = house(board, more);
    const found = (await tasks.search({ query: "tiles" })).tasks;
    expect(found).toMatchObject([{ source: "note", board: "House board", lane: "Backlog", status: "To Do" }]);
    const done = await tasks.update("Choose the tiles", { status: "Done" });
    expect(done.task).toMatchObject({ source: "note", status: "Done", lane: "Done" });
    expect(done.alsoChanged).toEqual(["House board.md"]);
    expect(await text("House board.md")).toContain("- [x] Clear the gutter\n- [x] [[Choose the tiles]]\n");
    expect(await text("_projects/Choose the tiles.md")).toContain("status: done");
    await vault.history.undoOperation(operationIn(done.operation ?? "") ?? "");
    expect(await text("House board.md")).toBe(board);
    await tasks.update("Choose the tiles", { lane: "Doing" });
    expect(await text("House board.md")).toContain("- [ ] Sand the floor ^sand\n- [ ] [[Choose the tiles]]\n");
    await tasks.update("Choose the tiles", { status: "Blocked" });
    expect(await text("_projects/Choose the tiles.md")).toContain("status: blocked");
  });

  it("that is one note on several boards is moved on each, and the answer names those that stay", async () => {
    const card = (board: string) => board.replace("- No box", "- [ ] [[Choose the tiles]]");
    const boards = {
      "House board.md": card(HOUSE),
      "Second.md": card(HOUSE),
      "Short.md": card(HOUSE.replace(/## 🔨 Doing[^]*(?=## Done)/u, "")),
    };
    const more = { ...boards, "Choose the tiles.md": "---\ntype: task\nstatus: to do\n---\n" };
    const { tasks, text, vault } = taskVault(more, NOW);
    const begun = await tasks.update("Choose the tiles", { status: "In Progress" });
    expect(begun.alsoChanged).toEqual(["House board.md", "Second.md"]);
    expect(begun.adjustments).toContain('Moved "[[Choose the tiles]]" from Backlog to 🔨 Doing on Second.');
    expect(begun.adjustments.at(-1)).toBe("Its card in Backlog on Short stays.");
    for (const path of ["House board.md", "Second.md"])
      expect(await text(path)).toContain("- [ ] Sand the floor ^sand\n- [ ] [[Choose the tiles]]\n");
    await vault.history.undoOperation(operationIn(begun.operation ?? "") ?? "");
    for (const [path, before] of Object.entries(boards)) expect(await text(path)).toBe(before);
    const done = await tasks.updateMany(["Choose the tiles"], { status: "Done" });
    expect(done.adjustments).toHaveLength(3);
    for (const path of Object.keys(boards))
      expect(await text(path)).toContain("- [x] Clear the gutter\n- [x] [[Choose the tiles]]\n");
    const named = await tasks.update("Choose the tiles", { lane: "Backlog" });
    expect(named.task).toMatchObject({ board: "House board", lane: "Backlog" });
    expect(named.adjustments.slice(-2)).toEqual([
      "Its card in Done on Second stays.",
      "Its card in Done on Short stays.",
    ]);
  });

  it.each(["House board.md", "_projects/Choose the tiles.md"])(
    "with its note is taken back whole by the path %s, also when update_tasks has moved it",
    async (path) => {
      const files = {
        "House board.md": HOUSE.replace("- No box", "- [ ] [[Choose the tiles]]"),
        "_projects/Choose the tiles.md": "---\ntype: task\nstatus: to do\n---\n",
      };
      const { tasks, text, vault } = house(files["House board.md"], files);
      const move = { status: "Done" } as const;
      for (const change of [
        () => tasks.update("Choose the tiles", move),
        () => tasks.updateMany(["Choose the tiles"], move),
      ]) {
        await change();
        await vault.history.undo(vaultPath(path));
        for (const [name, before] of Object.entries(files)) expect(await text(name)).toBe(before);
      }
    },
  );

  it("of many at once that fill a lane, its count is said once, with all of them", async () => {
    const vault = house();
    const { adjustments } = await vault.tasks.updateMany(["Order the paint", "Buy nails"], { status: "In Progress" });
    expect(adjustments.filter((one) => String(one).includes("now holds"))).toEqual([
      "🔨 Doing now holds 3 of 1 cards.",
    ]);
  });

  it("of many at once each moves, in one write of the board", async () => {
    const vault = house();
    const { tasks } = await vault.tasks.search({ query: "*", status: ["To Do"] });
    const { storage } = vault;
    const update = storage.update.bind(storage);
    let writes = 0;
    storage.update = async (path, change) => (writes++, await update(path, change));
    await vault.tasks.updateMany(
      tasks.map(({ id }) => id),
      { lane: "Errands" },
    );
    expect(writes).toBe(1);
    expect((await vault.tasks.search({ query: "*" })).tasks.filter(({ lane }) => lane === "Errands")).toHaveLength(5);
  });
});

const table = JSON.parse(
  readFileSync(new URL("../../../test/corpus/tables/kanban-boards.json", import.meta.url), "utf8"),
) as { readonly boards: Record<string, { readonly markdown: string }> };

it("every move on the plugin's boards is undone to the byte, and the footer stays last", async () => {
  const boards = Object.values(table.boards)
    .map(({ markdown }) => markdown)
    // A second list becomes that of the cards when the first is empty, in the plugin too.
    .filter((markdown) => !markdown.includes("second list"));
  const change = fc.oneof(
    fc.constantFrom("To Do", "In Progress", "Done").map((status) => ({ status })),
    fc.constantFrom("Archive", "Done", "Doing", "Backlog", "To do").map((lane) => ({ lane })),
    fc.constantFrom("2026-12-24", "").map((dueDate) => ({ dueDate })),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...boards), fc.nat(), change, async (board, which, updates) => {
      const vault = house(board);
      const { tasks } = await vault.tasks.search({ query: "*", includeArchived: true, limit: 100 });
      const task = tasks[which % Math.max(tasks.length, 1)];
      if (task === undefined) return;
      const outcome = await vault.tasks.update(task.id, updates as object).catch(() => undefined);
      const text = await vault.text("House board.md");
      expect(/%%\s*$/.test(text)).toBe(/%%\s*$/.test(board));
      const { total } = await vault.tasks.search({ query: "*", includeArchived: true });
      expect(total).toBe(tasks.length + (outcome?.series?.nextId === undefined ? 0 : 1));
      if (outcome?.changed !== true) expect(text).toBe(board);
      else await vault.vault.history.undo(task.path);
      expect(await vault.text("House board.md")).toBe(board);
    }),
    { numRuns: 40 * FUZZ_FACTOR },
  );
});

const BOARD_HEAD = "---\n\nkanban-plugin: board\n\n---\n\n";

it("one of very many cards moves", async () => {
  const each = LONG ? 1000 : 200;
  const lane = (name: string, from: number) =>
    `## ${name}\n\n${Array.from({ length: each }, (_, at) => `- [ ] Card ${from + at} @{2026-12-01}\n\tmore\n`).join("")}\n\n`;
  const board = `${BOARD_HEAD}${["Backlog", "Next", "Doing", "Waiting", "Done"].map((name, at) => lane(name, at * each)).join("")}${FOOTER}`;
  const { tasks, text } = taskVault({ "Big.md": board });
  const { total } = await tasks.search({ query: "*" });
  expect(total).toBe(5 * each);
  const id = (await tasks.get("Card 17")).task.id;
  await tasks.update(id, { status: "Done" });
  expect(await text("Big.md")).toContain(
    `- [ ] Card ${5 * each - 1} @{2026-12-01}\n\tmore\n- [x] Card 17 @{2026-12-01}\n\tmore\n`,
  );
});

it.each([
  ["lanes with the same name", "## Doing\n\n- [ ] a\n\n## Doing\n\n- [ ] b\n\n## Done\n\n- [x] c\n"],
  [
    "code fences and tables",
    "## Doing\n\n- [ ] a\n\t```\n\t- [ ] no\n\t## no\n\t```\n\t| x | y |\n\t|---|---|\n- [ ] b\n\n## Done\n\n- [x] c\n",
  ],
  ["mixed line ends", "## Doing\r\n\r\n- [ ] a\r\n- [ ] b\n\n## Done\r\n\n- [x] c\n"],
  ["no end of line", "## Doing\n- [ ] a\n- [ ] b\n## Done\n- [x] c"],
  ["a lane without blank lines", "## Doing\n- [ ] a\n- [ ] b\n## Done\n## Later"],
])("%s: a card moves there and back", async (_name, body) => {
  const { tasks, text } = taskVault({ "B.md": BOARD_HEAD + body });
  const before = (await tasks.search({ query: "*" })).total;
  await tasks.update("a", { status: "Done" });
  expect((await tasks.get("a")).task).toMatchObject({ status: "Done", lane: "Done" });
  await tasks.update("a", { status: "In Progress" });
  expect((await tasks.get("a")).task).toMatchObject({ status: "In Progress", lane: "Doing" });
  expect((await tasks.search({ query: "*" })).total).toBe(before);
  expect(await text("B.md")).toContain("- [ ] a");
});
