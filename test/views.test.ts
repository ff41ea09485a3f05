/** Saved views through the tools: where they are, which one is meant, what a note shows of them, and who sees which rows. */
import { describe, expect, it, vi } from "vitest";
import { RuleSet } from "../src/access/rules.js";
import { restrictedStorage } from "../src/access/restricted-storage.js";
import { fixedClock } from "../src/clock.js";
import { silentLog } from "../src/log.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { vaultPath } from "../src/storage/path.js";
import type { RunViewAnswer } from "../src/tools/notes/run_view.js";
import { toolsFor } from "../src/tools/registry.js";
import { memoryVault } from "./kit/memory-vault.js";

const BOOKS =
  'filters: file.inFolder("Books")\nviews:\n  - type: table\n    name: All\n    order: [file.name, year]\n  - type: table\n    name: Old\n    filters: year < 1900\n';
const FILES = {
  "Books.base": BOOKS,
  "Books/Dune.md": '---\nyear: 1965\nauthor: "[[Frank]]"\n---\n',
  "Books/Emma.md": "---\nyear: 1815\n---\n",
  "Frank.md": "No view here: `![[Books.base]]`\n",
  "Note.md": [
    "# First",
    "```base",
    "filters: author == this",
    "views:",
    "  - type: table",
    "    name: Mine",
    "```",
    "## Second one",
    "![[Books.base#Old]]",
    "> [!note] Nested",
    "> ```base",
    "> views:",
    ">   - type: table",
    ">     name: Quoted",
    ">     limit: 1",
    ">     order: [nam(e]",
    ">     sort:",
    ">       - property: file.nam",
    "> ```",
    "",
  ].join("\n"),
};

const dataOf = (outcome: Awaited<ReturnType<ReturnType<typeof memoryVault>["call"]>>): RunViewAnswer => {
  if (!outcome.ok) throw outcome.error;
  return outcome.data as RunViewAnswer;
};
const pathsIn = ({ groups = [] }: RunViewAnswer): string[] =>
  groups.flatMap(({ rows }) => rows.map(({ path }) => path));

describe("saved views", () => {
  const vault = memoryVault(FILES);
  const run = (args: Readonly<Record<string, unknown>>) => vault.call("run_view", args);

  it("are answered on a machine where other programs take the processor", async () => {
    let now = 0n;
    const clock = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => (now += 3_000_000_000n));
    expect(pathsIn(dataOf(await run({ source: "Books.base", view: "Old" })))).toEqual(["Books/Emma.md"]);
    clock.mockRestore();
  });

  it("lists the views of bases and the blocks of notes, in order of paths", async () => {
    expect(dataOf(await run({})).sources).toEqual([
      { source: "Books.base", views: ["All", "Old"] },
      { source: "Note.md", views: ['1 base "First"', '2 embed Books.base#Old "Second one"', '3 base "Second one"'] },
    ]);
  });

  it.each([
    [{ source: "Books.base" }, ["Books/Dune.md", "Books/Emma.md"]],
    [{ source: "Books" }, ["Books/Dune.md", "Books/Emma.md"]],
    [{ source: "Books.base", view: "old" }, ["Books/Emma.md"]],
    [{ source: "[[Note]]", view: "2" }, ["Books/Emma.md"]],
    [{ source: "Books.base#Old" }, ["Books/Emma.md"]],
    [{ source: "[[Note#2]]" }, ["Books/Emma.md"]],
    [{ source: "Note", view: "2#All" }, ["Books/Dune.md", "Books/Emma.md"]],
    [{ source: "Note", view: "first", this: "Frank" }, ["Books/Dune.md"]],
    [{ source: "Note", view: "1" }, []],
    [{ source: "Note 2" }, ["Books/Emma.md"]],
    [{ source: "Note.md 2" }, ["Books/Emma.md"]],
    [{ source: "Note 2#All" }, ["Books/Dune.md", "Books/Emma.md"]],
    [{ source: "Note First" }, []],
    [{ source: "Books Old" }, ["Books/Emma.md"]],
    [{ source: "Books.base  Old" }, ["Books/Emma.md"]],
    [{ source: "old" }, ["Books/Emma.md"]],
    [{ view: "Old" }, ["Books/Emma.md"]],
    [{ source: "first" }, []],
  ])("runs %j", async (args, paths) => {
    expect(pathsIn(dataOf(await run(args)))).toEqual(paths);
  });

  it("gives the page the tasks that rows are, and no title that is another file's path", async () => {
    const { call } = memoryVault({
      "Work.base": "views:\n  - type: table\n    name: All\n",
      "Paint.md": "---\ntype: task\nid: paint\nstatus: To Do\ntitle: Plain.md\n---\n",
      "Plain.md": "```tasks\nnot done\n```\n- [ ] sweep 📅 2026-01-01\n",
    });
    const tasksOf = async (args: Readonly<Record<string, unknown>>) =>
      (dataOf(await call("run_view", args)).groups ?? []).flatMap(({ rows }) =>
        rows.map(({ path, task }) => [path, (task as { title?: string } | undefined)?.title]),
      );
    expect(await tasksOf({ source: "Work.base", allFields: true })).toEqual([
      ["Paint.md", "Plain.md"],
      ["Plain.md", undefined],
      ["Work.base", undefined],
    ]);
    expect(await tasksOf({ source: "Plain", allFields: true })).toEqual([["Plain.md", "sweep"]]);
    expect(await tasksOf({ source: "Plain" })).toEqual([["Plain.md", undefined]]);
  });

  it("names the views of a note that has several, and refuses names that are none", async () => {
    expect((await run({ source: "Note" })).text).toContain(
      '1 base "First"; 2 embed Books.base#Old "Second one"; 3 base',
    );
    expect((await run({ source: "Frank" })).text).toContain("has no base or tasks block");
    expect((await run({ source: "Books.base", view: "Odl" })).text).toContain(
      "the views are All, Old; did you mean Old?",
    );
  });

  it("refuses a name that may be two views, and runs the one that exists", async () => {
    const own = memoryVault({
      ...FILES,
      "Note 2.md": "```base\nviews:\n  - type: table\n    name: Own\n    limit: 1\n```\n",
      "Note 3.md": "No view.\n",
      "Note 7.md": "```tasks\nnot done\n```\n",
    });
    const both = await own.call("run_view", { source: "Note 2" });
    expect(both.text).toContain('"Note 2" may be Note 2.md or Note.md#2.');
    expect(both.text).toContain("Give one of these as source.");
    for (const source of ["Note 2.md", "Note#2", "Note 7"])
      expect((await own.call("run_view", { source })).ok).toBe(true);
    expect((await own.call("run_view", { source: "Note 3" })).text).toContain("Cannot run block 3 of Note.md");
    expect((await own.call("run_view", { source: "Not 2" })).text).toContain("There is no file");
  });

  it.each([
    [{ view: "Second one" }, "AMBIGUOUS_NAME", '"Second one" may be Note.md#2 or Note.md#3'],
    [{ source: "ol" }, "FILE_NOT_FOUND", "A view of such a name is Books.base#Old."],
    [{ view: "Dashboard" }, "FILE_NOT_FOUND", "run_view without a source lists all views."],
    [{ this: "Frank" }, "INVALID_ARGUMENT", "this needs a source"],
  ])("refuses %j", async (args, code, words) => {
    const outcome = await run(args);
    if (outcome.ok) throw new Error("it was answered");
    expect([outcome.error.code, String(outcome.error.inSentences())]).toEqual([code, expect.stringContaining(words)]);
  });

  it("gives the line of a clause in its note", async () => {
    const outcome = await run({ source: "Note", view: "3" });
    expect(!outcome.ok && outcome.error.details).toMatchObject([
      { place: "views[0].sort[0], line 18", nearest: "name" },
    ]);
    expect(outcome.text).toContain(
      "Cannot run block 3 of Note.md: views[0].sort[0], line 18: file.nam: a file has no nam; did you mean name?",
    );
    expect(outcome.text).toContain("Nothing was evaluated.");
  });

  it("joins pages by their cursor, and says when the rows have changed", async () => {
    const first = dataOf(await run({ source: "Books.base", limit: 1 }));
    expect([first.total, first.shown, pathsIn(first)]).toEqual([2, 1, ["Books/Dune.md"]]);
    const second = dataOf(await run({ source: "Books.base", limit: 1, cursor: first.cursor }));
    expect([pathsIn(second), second.cursor]).toEqual([["Books/Emma.md"], undefined]);
    const changed = dataOf(
      await run({ source: "Books.base", limit: 1, cursor: first.cursor?.replace(/#.{8}/, "#00000000") }),
    );
    expect(changed.warnings).toEqual([expect.stringContaining("The result has changed")]);
  });

  it("joins the pages of a tasks query by their cursor, and says when the lines or their order have changed", async () => {
    const lines = ["- [ ] wash 📅 2026-01-02", "- [ ] sweep 📅 2026-01-03", "- [ ] paint 📅 2026-01-04"];
    const { call, storage } = memoryVault({
      "Plain.md": "```tasks\nsort by description\n```\n",
      "Home.md": lines.join("\n"),
    });
    const page = async (cursor?: string) => dataOf(await call("run_view", { source: "Plain", limit: 1, cursor }));
    const textsOf = ({ groups = [] }: RunViewAnswer) => groups.flatMap(({ rows }) => rows.map(({ text }) => text));
    const first = await page();
    const second = await page(first.cursor);
    const third = await page(second.cursor);
    expect([first, second, third].flatMap(textsOf)).toEqual([lines[2], lines[1], lines[0]]);
    expect([second.warnings, third.warnings, third.cursor]).toEqual([[], [], undefined]);
    const home = lines.join("\n").replace("sweep", "aweep");
    await storage.write(vaultPath("Home.md"), Buffer.from(home), { kind: "any" });
    expect((await page(first.cursor)).warnings).toEqual([expect.stringContaining("The result has changed")]);
  });

  it.each([
    ["all", '5 more: run_view {"source":"Many.md","view":"1"}'],
    ["core", "5 more: a person can read them in Obsidian, or add run_view with --toolsets all"],
  ] as const)("names in a rendered note a call that the toolset %s has", async (toolset, more) => {
    const books = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`Books/${at}.md`, ""]));
    const { workspace } = memoryVault({ ...books, "Books.base": BOOKS, "Many.md": "![[Books.base]]\n" });
    const tool = toolsFor({ toolsets: [toolset], hasDefaultVault: true }).find("obsidian_read_note");
    const context = { workspace, log: silentLog, signal: new AbortController().signal };
    const answer = await tool?.call({ note: "Many", render: true }, context);
    expect(answer?.text).toContain(more);
  });

  it("shows the rows of a note's views below them, and the source of one that is refused with the reason", async () => {
    const outcome = await vault.call("obsidian_read_note", { note: "Note", render: true });
    const { text } = outcome.ok ? (outcome.data as { text: string }) : { text: "" };
    expect(text).toContain(
      "```\n\nNo rows.\n## Second one\n![[Books.base#Old]]\n\n| file.name |\n| --- |\n| Emma |\n> [!note]",
    );
    expect(text).toContain("> ```\n\n⚠️ Cannot run block 3 of Note.md");
    const plain = await vault.call("obsidian_read_note", { note: "Note" });
    expect(plain.ok && (plain.data as { text: string }).text).toBe(FILES["Note.md"]);
  });

  it("shows what another program wrote a moment before", async () => {
    const own = memoryVault(FILES);
    await own.call("run_view", { source: "Books.base" });
    await own.storage.write("Books/New.md" as never, new TextEncoder().encode("---\nyear: 2026\n---\n"), {
      kind: "any",
    });
    expect(pathsIn(dataOf(await own.call("run_view", { source: "Books.base" })))).toContain("Books/New.md");
  });

  it("leaves files that the caller may not see out of rows, groups, sums and links", async () => {
    const clock = fixedClock("2026-11-24T10:00:00Z");
    const storage = new MemoryStorage({
      clock,
      files: {
        "All.base":
          "views:\n  - type: table\n    name: T\n    order: [file.name, file.backlinks, note.twin]\n    groupBy:\n      property: kind\n    summaries:\n      cost: Sum\n",
        "Open.md": '---\ncost: 1\nkind: a\ntwin: "[[Secret/Hidden]]"\n---\n',
        "Secret/Hidden.md": "---\ncost: 100\nkind: hidden\n---\n[[Open]]\n",
      },
    });
    const rules = RuleSet.of([{ deny: ["Secret/"] }]) ?? RuleSet.NONE;
    const own = memoryVault({}, { storage: restrictedStorage(storage, rules), clock });
    const data = dataOf(await own.call("run_view", { source: "All.base" }));
    expect([data.total, data.summaries, data.groups?.map(({ labels }) => labels)]).toEqual([
      2,
      { cost: 1 },
      [["a"], [""]],
    ]);
    expect(data.groups?.[0]?.rows[0]?.cells).toEqual(["Open", [], "Secret/Hidden"]);
    expect(JSON.stringify(dataOf(await own.call("run_view", {})))).not.toContain("Hidden");
  });
});

const TASKS = {
  "2-Areas/Home/Paint.md":
    "---\ntitle: Paint\ntype: task\nstatus: To Do\npriority: High\ndue_date: 2026-11-24\ntags: [home]\n---\n",
  "2-Areas/Home/Call.md":
    '---\ntitle: Call\ntype: task\nstatus: Done\ndue_date: 2026-11-20\nprojects: ["[[House]]"]\n---\n',
  "2-Areas/Home/Late.md":
    '---\ntitle: Late\ntype: task\nstatus: In Progress\ndue_date: 2026-11-01\nprojects: ["[[House]]", "[[Roof]]"]\n---\n',
  "2-Areas/Work/Wait.md": "---\ntitle: Wait\ntype: task\nstatus: Blocked\narea: Work\ncontexts: [phone]\n---\n",
  "2-Areas/Work/Soon.md":
    "---\ntitle: Soon\ntype: task\nstatus: To Do\narea: Work\nscheduled: 2026-11-26\npriority: Low\ntags: [home, x/y]\n---\n",
  "Unset.md": '---\ntitle: Ring Ana\ntype: task\nprojects: ["[[House|home]]"]\ncontexts: "@phone"\n---\n',
  "2-Areas/Work/Party.md":
    '---\ntitle: Party\ntype: task\nstatus: To Do\nprojects: [House party]\narea: "[[Work|Job]]"\ncontexts: [telephone]\n---\n',
  "4-Archive/Old.md": "---\ntitle: Old\ntype: task\nstatus: To Do\ndue_date: 2026-11-01\n---\n",
  "House.md": "# House\n",
};

describe("bases that are written here", () => {
  it.each([
    {},
    { due: "overdue" },
    { due: "this week" },
    { due: "none" },
    { query: "ana" },
    { status: ["Done"] },
    { status: ["To Do", "Blocked"] },
    { priority: "High" },
    { priority: "Medium" },
    { project: "House" },
    { area: "Work" },
    { context: "phone" },
    { tags: ["home"] },
    { is: ["outstanding"] },
    { includeArchived: true },
  ])("hold the tasks of a search by %j", async (filters) => {
    const vault = memoryVault(TASKS, { now: "2026-11-24T12:00:00Z" });
    const found = await vault.call("search_tasks", { query: "*", ...filters, limit: 100, allFields: true });
    if (!found.ok) throw found.error;
    const { tasks, selection } = found.data as { tasks: readonly { path: string }[]; selection: string };
    await vault.call("create_base", { path: "Saved.base", selection });
    const paths = pathsIn(dataOf(await vault.call("run_view", { source: "Saved.base" })));
    expect(paths.toSorted()).toEqual(tasks.map(({ path }) => path).toSorted());
  });

  it("answer every view of the command base without a warning", async () => {
    const vault = memoryVault(TASKS, { now: "2026-11-24T12:00:00Z" });
    const text = await vault.open.tasks.base();
    await vault.storage.write("Tasks.base" as never, new TextEncoder().encode(text), { kind: "any" });
    const { sources } = dataOf(await vault.call("run_view", {}));
    const answers: Record<string, readonly string[]> = {};
    for (const view of sources?.[0]?.views ?? []) {
      const data = dataOf(await vault.call("run_view", { source: "Tasks.base", view }));
      answers[view] = pathsIn(data).map((path) => path.replace(/^.*\/|\.md$/g, ""));
      expect(data.warnings).toEqual([]);
    }
    expect(answers).toEqual({
      Today: ["Late", "Paint"],
      "This week": ["Paint"],
      Waiting: ["Wait"],
      "By project": ["Unset", "Party", "Late", "Paint", "Soon", "Wait"],
      Done: ["Call"],
    });
  });
});
