import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";
import type { ClauseFault } from "../../errors.js";
import { RefusedView } from "../answer.js";
import { runTasksQuery, type TasksRow } from "./run.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const NOTES: Readonly<Record<string, string>> = {
  "Inbox.md":
    "# In\n- [ ] Call Ana 📅 2026-11-24 ⏫ #home\n- [x] Post ✅ 2026-11-20\n\t- [ ] Stamp 🔁 every week 🛫 2026-12-01\n",
  "Work/Plan.md":
    "## Plan\n- [ ] Draft 🆔 d1 📅 2026-11-23\n- [/] Review ⛔ d1 ⏳ 2026-11-30 #work #home\n- [ ] Kelvin K and İ 📅 2026-13-01\n",
  "Templates/Day.md": "- [ ] From a template 📅 2026-11-24\n",
  "Task.md": "---\ntype: task\nstatus: To Do\n---\n",
};

function vaultOf(plugin: object = {}, notes: Readonly<Record<string, string>> = NOTES) {
  const clock = fixedClock("2026-11-24T10:00:00Z");
  const files = {
    ...notes,
    ".obsidian/templates.json": JSON.stringify({ folder: "Templates" }),
    ".obsidian/plugins/obsidian-tasks-plugin/data.json": JSON.stringify(plugin),
  };
  const storage = new MemoryStorage({ files, clock });
  return Object.assign(assembleVault({ storage, name: "V", clock, ids: sequentialIds() }), { storage });
}

const opened = vaultOf();
const run = async (text: string, page = {}, { vault } = opened, properties = {}) =>
  await runTasksQuery({ text, firstLine: 7, path: vaultPath("Work/Plan.md"), properties }, vault, page);

const placeOf = ({ path, line }: TasksRow): string => `${path}:${line}`;

const found = async (...given: Parameters<typeof run>): Promise<readonly string[]> =>
  (await run(...given)).groups.flatMap(({ rows }) => rows.map(placeOf));

async function faultsOf(...given: Parameters<typeof run>): Promise<readonly ClauseFault[]> {
  const error: unknown = await run(...given).catch((cause: unknown) => cause);
  if (error instanceof RefusedView) return error.faults;
  throw new Error("The query is not refused.", { cause: error });
}

describe("a query", () => {
  it("finds the lines of all notes, with ids that the task tools take", async () => {
    const { groups, total, count, taskNotes } = await run("not done\nsort by path");
    expect([total, count, taskNotes]).toEqual([6, 6, 0]);
    const [row] = groups[0]!.rows;
    expect(row).toMatchObject({ path: "Inbox.md", line: 2, text: "- [ ] Call Ana 📅 2026-11-24 ⏫ #home" });
    const { task } = await opened.tasks.get(row!.id);
    expect([task.id, task.revision]).toEqual([row!.id, row!.revision]);
    expect(groups[0]!.rows.map(({ path }) => path)).toContain("Templates/Day.md");
  });

  it("is answered on a machine where other programs take the processor", async () => {
    let now = 0n;
    // Each look at the clock finds that 3 s have passed, of which this process worked none.
    const clock = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => (now += 3_000_000_000n));
    expect(await run("not done\nsort by path")).toMatchObject({ total: 6 });
    clock.mockRestore();
  });

  it("counts the task notes when it finds nothing", async () => {
    expect(await run("description includes nowhere")).toMatchObject({ groups: [], total: 0, count: 0, taskNotes: 1 });
  });

  it.each(["tasks", "dataview"])(
    "sorts at random as the plugin does, by the text with the global filter: %s",
    async (form) => {
      const words = "ash bee cow dog elk fox gnu hen ibex jay".split(" ");
      const due = form === "tasks" ? "📅 2026-11-24" : "[due:: 2026-11-24]";
      const notes = { "A.md": words.map((word) => `- [ ] ${word} #task ${due}\n`).join("") };
      const [filtered, plain] = ["#task", ""].map((globalFilter) => vaultOf({ globalFilter, taskFormat: form }, notes));
      const order = await found("sort by random", {}, plain);
      expect(order).toHaveLength(10);
      expect(await found("sort by random", {}, filtered)).toEqual(order);
      expect(await found("sort by random reverse", {}, filtered)).toEqual(order.toReversed());
    },
  );

  it("is answered in pages that join to the whole", async () => {
    const text = "group by tags\nsort by description";
    const whole = await run(text);
    const pages = await Promise.all([0, 2, 4, 6, 8].map((offset) => run(text, { offset, limit: 2 })));
    expect(pages.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows))).toEqual(
      whole.groups.flatMap(({ rows }) => rows),
    );
    expect(new Set([whole, ...pages].map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(new Set([whole, ...pages].map(({ groups }) => JSON.stringify(groups.map(({ total }) => total)))).size).toBe(
      1,
    );
    expect((await run(`${text} reverse`)).fingerprint).not.toBe(whole.fingerprint);
  });

  it("ends within limits, however many filters and tags there are", async () => {
    const tags = Array.from({ length: 12 }, (_, at) => `#t${at}`).join(" ");
    const vault = vaultOf({}, { "Many.md": `- [ ] a ${tags}\n` });
    expect(await found("not done\n".repeat(1_500), {}, vault)).toEqual(["Many.md:1"]);
    expect(await found(Array.from({ length: 300 }, () => "(done)").join(" OR "), {}, vault)).toEqual([]);
    expect(await found(`${"NOT (".repeat(60)}done${")".repeat(60)}`, {}, vault)).toEqual([]);
    expect(await found("group by tags\ngroup by tags", {}, vault)).toHaveLength(144);
    expect(await faultsOf("group by tags\n".repeat(8), {}, vault)).toMatchObject([
      { reason: expect.stringContaining("repeat lines more than") },
    ]);
  });

  it.each([
    ["due on 24th November 2026", ["Inbox.md:2", "Templates/Day.md:1"]],
    ["due after 2026-05\ndue before in two weeks", ["Inbox.md:2", "Templates/Day.md:1", "Work/Plan.md:2"]],
    ["happens in or before 2026-W48", ["Inbox.md:2", "Templates/Day.md:1", "Work/Plan.md:2"]],
    ["starts on or after 2026-12-01\nis recurring", ["Inbox.md:4"]],
    ["priority is above none", ["Inbox.md:2"]],
    ["status.type is on_hold", []],
    ['"done" OR "is blocked"', ["Inbox.md:3", "Work/Plan.md:3"]],
    ["(tag includes home) AND NOT (tag includes work)", ["Inbox.md:2"]],
    ["limit groups to 1 task\ngroup by root\nnot done", ["Inbox.md:2", "Templates/Day.md:1", "Work/Plan.md:3"]],
    ["sort by tag reverse 2\nhas tags", ["Inbox.md:2", "Work/Plan.md:3"]],
    ["{{preset.this_file}}\nhas id", ["Work/Plan.md:2"]],
  ])("finds by the documented %j", async (text, places) => {
    expect((await found(text)).toSorted()).toEqual(places.toSorted());
  });

  it("sees what another program wrote a moment before", async () => {
    const vault = vaultOf();
    expect(await found("due today", {}, vault)).toEqual(["Inbox.md:2", "Templates/Day.md:1"]);
    await vault.storage.write(vaultPath("Inbox.md"), Buffer.from("- [ ] Call Ana 📅 2026-11-25"), { kind: "any" });
    expect(await found("due today", {}, vault)).toEqual(["Templates/Day.md:1"]);
  });

  it("reads the global query, the note's properties and the block, in this order", async () => {
    const vault = vaultOf({
      globalQuery: "path includes Work\nlimit 1",
      presets: { open: "not done", loop: "preset loop" },
    });
    const extra = { tq_extra_instructions: "limit 2" };
    expect(await found("sort by description", {}, vault)).toEqual(["Work/Plan.md:2"]);
    expect(await found("sort by description", {}, vault, extra)).toEqual(["Work/Plan.md:2", "Work/Plan.md:4"]);
    expect(await found("ignore global query\npreset open\nlimit 9", {}, vault)).toHaveLength(6);
    expect(await faultsOf("preset loop", {}, vault)).toMatchObject([
      { reason: expect.stringContaining("leads to itself") },
    ]);
    expect(await faultsOf("preset opne", {}, vault)).toMatchObject([{ reason: 'no preset "opne"', nearest: "open" }]);
  });

  it("reads a placeholder in a preset once, as one line", async () => {
    const presets = { one: "{{preset.two}}", two: "not done\nlimit 2", again: "path includes {{preset.root}}" };
    const vault = vaultOf({ presets: { ...presets, root: "{{query.file.root}}" } });
    expect(await found("{{preset.one}}", {}, vault)).toHaveLength(2);
    expect(await faultsOf("preset one\npreset again", {}, vault)).toMatchObject([
      { reason: "a placeholder in a preset has several lines" },
      { reason: expect.stringContaining("leads to itself or to another") },
    ]);
  });

  it("takes presets by their older name in the settings", async () => {
    const { vault } = vaultOf({ includes: { mine: "path includes Inbox\nnot done" } });
    expect(await found("preset mine\nsort by path", {}, { ...opened, vault })).toEqual(["Inbox.md:2", "Inbox.md:4"]);
  });

  it("names each fault with its line and the nearest that is known, up to five", async () => {
    expect(
      await faultsOf("not done\ndu before today\nsort by priorty\nhide tags \\\n   now\ngroup by functions"),
    ).toEqual([
      {
        clause: "du before today",
        place: "line 8",
        reason: expect.stringContaining("not a statement"),
        nearest: "due before",
      },
      {
        clause: "sort by priorty",
        place: "line 9",
        reason: 'tasks cannot be sorted by "priorty"',
        nearest: "priority",
      },
      { clause: "hide tags now", place: "line 10", reason: 'the Tasks plugin ignores "now" here', nearest: "tags" },
      { clause: "group by functions", place: "line 12", reason: expect.stringContaining("cannot be grouped") },
    ]);
    expect(await faultsOf("a\nb\nc\nd\ne\nf")).toHaveLength(5);
  });

  it("refuses a word put anywhere into a statement without free text", async () => {
    const statements =
      "not done|due before tomorrow|due on or after in two weeks|has due date|happens this week|status.type is not TODO|" +
      "priority is above low|is not blocked|no tags|exclude sub-items|sort by due reverse|sort by tag reverse 2|" +
      "group by status.name reverse|limit to 3 tasks|limit groups 3|hide due date|short mode|explain|view list|" +
      "view columns by due|ignore global query|(done) AND NOT (due today)|preset this_file|due 2026-11-24 2026-11-25";
    for (const statement of statements.split("|")) {
      expect(await run(statement)).toBeDefined();
      const words = statement.split(" ");
      for (const at of [0, ...words.keys()].map((_, place) => place)) {
        const changed = words.toSpliced(at, 0, "zebra").join(" ");
        expect(await faultsOf(changed), changed).toHaveLength(1);
      }
    }
  });

  it.each([
    ["filter by function true", "JavaScript is not run here"],
    ["(done) AND (filter by function true)", "JavaScript is not run here"],
    ["path includes {{query.file.path.slice(1)}}", "JavaScript is not run here"],
    ["due before in 2 hours", '"in 2 hours" is no day'],
    ["due next 7 days", '"next 7 days" is no day'],
    ["due today or tomorrow", 'ignores "or tomorrow"'],
    ["limit 3 apples", 'ignores "apples"'],
    ["sort by due date reverse", 'ignores "date reverse"'],
    ["fullness", 'ignores "ness"'],
    ["description regex matches /(?=a)b/", "looks around"],
    ["(due today) XOR NOT (done)", "stands between filters"],
    ["(path does not include x) XOR NOT (done)", "stands between filters"],
    ["(description includes NOT (me)) OR (done)", "stands between filters"],
    ["path includes {{query.file.path", "not closed"],
    ["path includes {{! a comment }}Work", "the Tasks plugin refuses {{! }}"],
    ["sort by  due", 'sorted by " due"'],
    ["group by  folder", 'grouped by " folder"'],
    ["sort by tag 0", "count from 1"],
    ["(not done) or (due tomorrow)", "stands between filters"],
    ["(due today) or (due 2026-12-24)", "in capitals"],
    ["(done) (not done)", "stands between filters"],
    [`${"NOT (".repeat(70)}done${")".repeat(70)}`, "deeper than 64"],
    [`description includes ${"x".repeat(4_000)}`, "4000 characters"],
    ["# much\n".repeat(10_000), "64 KiB"],
    ["sort by due\n".repeat(21), "at most 20"],
  ])("%.60s is refused", async (text, reason) => {
    expect((await faultsOf(text))[0]?.reason).toContain(reason);
  });

  it.each([
    ["group by function task.file.folder", "folder"],
    ["group by function task.file.filenameWithoutExtension", "filename"],
    ["sort by function task.priorityNumber", "priority"],
    ["group by function task.file.path.toUpperCase()", undefined],
    ["sort by function reverse task.due.moment", undefined],
  ])("%s: names the key that reads the same property", async (text, nearest) => {
    expect((await faultsOf(text))[0]?.nearest).toBe(nearest);
  });
});

const FILTERS = fc.constantFrom(
  ..."done|not done|due today|due before 2026-11-25|due after yesterday|starts before tomorrow|starts on today".split(
    "|",
  ),
  ..."happens this month|has due date|no scheduled date|due date is invalid|has happens date|priority is high".split(
    "|",
  ),
  ..."priority below high|priority is not none|is recurring|is not recurring|is blocked|is not blocking|has id".split(
    "|",
  ),
  ..."no tags|tags include home|tags do not include #WORK|description includes K|description includes i".split("|"),
  ..."description does not include an|description regex matches /^.a/|path includes work|root includes /".split("|"),
  ..."folder does not include work|filename regex matches /^I/|heading includes plan|heading does not include in".split(
    "|",
  ),
  ..."status.type is TODO|status.type is not IN_PROGRESS|status.name includes do|exclude sub-items|id includes d".split(
    "|",
  ),
  ..."recurrence includes week|has depends on|no depends on|description includes ß".split("|"),
);
const COMBINED = fc.letrec<{ one: string; all: string }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 3 },
    FILTERS.map((text) => `[${text}]`),
    tie("all").map((text) => `[${text}]`),
  ),
  all: fc.oneof(
    { maxDepth: 3 },
    FILTERS.map((text) => `[${text}]`),
    fc
      .tuple(tie("one"), fc.constantFrom("AND", "OR", "XOR", "AND NOT", "OR NOT"), tie("one"))
      .map((parts) => parts.join(" ")),
    tie("one").map((text) => `NOT ${text}`),
  ),
})).all;

const ORDERED = fc
  .record({
    sort: fc.subarray(
      "due,priority,urgency,description,tag reverse,tag 2,status.name,heading reverse,path reverse,random".split(","),
    ),
    group: fc.subarray("tags,folder reverse,root,due,status.type,priority,backlink".split(","), { maxLength: 2 }),
    limits: fc.subarray(["limit 5", "limit groups 2", "view columns by filename"]),
  })
  .map(({ sort, group, limits }) =>
    [...sort.map((key) => `sort by ${key}`), ...group.map((key) => `group by ${key}`), ...limits].join("\n"),
  );

describe("pages", () => {
  it("of any order, groups and limits join to the whole", async () => {
    await fc.assert(
      fc.asyncProperty(ORDERED, fc.integer({ min: 1, max: 4 }), async (text, limit) => {
        const whole = await run(text);
        const pages = [];
        for (let offset = 0; offset < whole.count; offset += limit) pages.push(await run(text, { offset, limit }));
        const rowsOf = ({ groups }: typeof whole) =>
          groups.flatMap(({ labels, rows }) => rows.map((row) => [labels, placeOf(row)]));
        expect(pages.flatMap(rowsOf)).toEqual(rowsOf(whole));
        for (const { count, total, fingerprint } of pages)
          expect({ count, total, fingerprint }).toEqual({
            count: whole.count,
            total: whole.total,
            fingerprint: whole.fingerprint,
          });
      }),
      { numRuns: 50 * FUZZ_FACTOR },
    );
  });
});

describe("filters", () => {
  it("find the same by SQL as line by line", async () => {
    await fc.assert(
      fc.asyncProperty(COMBINED, async (text) => {
        // SQL cannot say a regular expression, so that every line is tested.
        const byLine = await found(`[${text}] OR [description regex matches /^never$/]`);
        expect(await found(`[${text}]`)).toEqual(byLine);
      }),
      { numRuns: 120 * FUZZ_FACTOR },
    );
  });

  it("share no line with their negation, and lose none by being removed", async () => {
    const all = await found("");
    await fc.assert(
      fc.asyncProperty(COMBINED, COMBINED, async (one, other) => {
        const [is, isNot, both] = [
          await found(`[${one}]`),
          await found(`NOT [${one}]`),
          await found(`[${one}]\n[${other}]`),
        ];
        expect([...is, ...isNot].toSorted()).toEqual(all.toSorted());
        expect(is).toEqual(expect.arrayContaining([...both]));
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });
});
