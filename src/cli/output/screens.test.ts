/** What a person sees, as text: at 80 and at 120 columns, with names of every width. `UPDATE_GOLDEN=1` rewrites the goldens. */
import { describe, expect, it } from "vitest";
import { expectGolden } from "../../../test/kit/golden.js";
import { hanging, widthOf, wrapped } from "./columns.js";
import { screenOf } from "./screens.js";

const ROWS = [
  {
    title: "Write the quarterly report for the board",
    status: "In Progress",
    priority: "High",
    due: "2025-08-27",
    area: "Work",
    parentProjects: ["Quarter 3"],
  },
  {
    title: "会議の議事録を書く",
    status: "To Do",
    priority: "Medium",
    due: "2025-08-30",
    area: "仕事",
  },
  {
    title: "Call Anna 👩‍👩‍👧‍👦 about the party",
    status: "To Do",
    priority: "Medium",
    scheduled: "2025-08-31",
    waitsFor: ["Book the hall"],
  },
  {
    title: "Order [[Tiles]]",
    status: "Blocked",
    priority: "Low",
    due: "2025-09-12",
    area: "Home",
    parentProjects: ["Kitchen", "Bath"],
    repeats: "every month",
  },
  {
    title: "Pay the rent",
    status: "Done",
    priority: "Medium",
    due: "2025-08-01",
    area: "Home",
  },
  {
    title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    status: "Someday",
    priority: "Medium",
  },
];
const DATA = {
  scan: {
    vault: "/home/me/Notes",
    today: "2025-08-30",
    tasks: ROWS.slice(0, 4),
    totalOutstanding: 12,
    overdueCount: 1,
    dueThisWeekCount: 3,
    problemCount: 2,
    notCounted: "Not counted: 9 open plain checkboxes in 4 notes. List them: list --is checkbox.",
  },
  list: { query: "*", total: 31, offset: 0, tasks: ROWS, more: 25 },
  today: {
    today: "2025-08-30",
    sections: [
      { kind: "overdue", name: "Overdue", total: 1, tasks: ROWS.slice(0, 1) },
      { kind: "day", name: "Sat 2025-08-30", total: 4, tasks: ROWS.slice(1, 3) },
    ],
  },
  find: {
    match_count: 11,
    next_offset: 2,
    notes: [
      {
        title: "Kitchen",
        path: "Areas/Home/Kitchen.md",
        mtime: "2025-08-29",
        snippet:
          "…the tiles for the kitchen come from the shop that Anna knows, and they will be there in September or so…",
      },
      { title: "台所", path: "Areas/Home/台所.md", mtime: "2025-08-01" },
    ],
  },
  add: {
    ...ROWS[3],
    path: "Areas/Home/Order tiles.md",
    adjustments: ['Read --due "in two weeks" as Fri 2025-09-12 (in 13 days).'],
    undoable: true,
    durable: true,
  },
  set: { ...ROWS[1], path: "Areas/会議の議事録を書く.md", updatedFields: ["dueDate", "priority"], changed: true },
  done: {
    ...ROWS[4],
    path: "Areas/Home/Pay the rent.md",
    updatedFields: ["status"],
    changed: true,
    series: { text: "Done for Fri 2025-08-01; next Mon 2025-09-01 (in 2 days)." },
    nowReady: [{ title: "Call Anna 👩‍👩‍👧‍👦 about the party" }, { title: "Order tiles" }],
    waitedFor: ["Book the hall"],
    openSubtasks: 2,
    undoable: false,
    durable: false,
  },
  undo: {
    asked: "Areas/Home/Kitchen.md",
    path: "Kitchen.md",
    undone: "move",
    reason: "rename",
    others: ["Areas/Home/Order tiles.md"],
    otherCount: 3,
    kept: [{ path: "Daily/2025-08-30.md", reason: "it was changed otherwise since" }],
    earlier: ["'Areas/Home/Bath.md': insert"],
    durable: true,
  },
  show: {
    ...ROWS[3],
    path: "Areas/Home/Order tiles.md",
    properties: { status: "blocked", due: "2025-09-12", repeat: "every month" },
    series: { text: "every month; next Fri 2025-09-12 (in 13 days)" },
    blockedBy: [
      { name: "Measure the bath", open: true },
      { name: "Choose a colour", open: false },
    ],
    description: "They come in boxes of ten, and one box of spare tiles is wanted, as the last ones broke.\n",
    why: 'its property "type" is task',
  },
  history: {
    changes: [
      {
        at: "2025-08-29 14:02",
        by: "Claude (stdio)",
        tool: "update_task",
        fields: "status, dueDate",
        files: ["Areas/Home/Order tiles.md"],
        fileCount: 1,
        operation: "op-mbx1-a2",
      },
    ],
    cursor: "g",
  },
  read: {},
} as const;
type Shown = keyof typeof DATA;
const SHOWN: readonly Shown[] = Object.keys(DATA) as Shown[];
const WORDS =
  '✅ Task "Mend the roof" updated successfully!\n\n- a line of a list that is long enough to be wrapped, so that what follows stands below its first word and not below the dash\n1. **A title** (To Do)';

const screen = (name: Shown, columns: number, color = false) =>
  screenOf(name, DATA[name], WORDS, { columns, color, today: "2025-08-30", hints: true });

describe.each([80, 120])("a terminal of %s columns", (columns) => {
  it("looks as its golden says", () => {
    const all = SHOWN.map((name) => `$ ${name}\n${screen(name, columns)}\n`);
    expectGolden(`terminal-${columns}.txt`, all.join("\n"));
  });

  it("has no line that is wider, but for a word that is", () => {
    for (const name of SHOWN)
      for (const line of screen(name, columns).split("\n"))
        expect(widthOf(line) <= columns || !line.replace(/^\S /, "").trim().includes(" "), line).toBe(true);
  });
});

describe("colour", () => {
  it("says nothing that words and signs do not say, and moves no column", () => {
    for (const name of SHOWN) {
      const painted = screen(name, 100, true);
      expect(painted).toContain("\u001b[");
      expect(painted.replaceAll(/\u001b\[\d+m/g, "")).toBe(screen(name, 100).replaceAll("**", ""));
    }
    expect(screen("list", 100, true)).toContain("\u001b[31m! Wed 2025-08-27 (3 days ago)\u001b[39m");
  });

  it("of a note's own words drives nothing", () => {
    const tasks = [{ title: "a\u001b[2Jb\nc", status: "To Do" }];
    expect(
      screenOf("list", { query: "*", total: 1, offset: 0, tasks }, "", {
        columns: 80,
        color: false,
        today: "",
        hints: false,
      }),
    ).toContain("a\ufffd[2Jb c");
  });
});

it("says the time of a day, and what a task waits for besides the first", () => {
  const waits = { waitsFor: ["Measure", "Buy"], waitsForDue: "2025-08-29" };
  const tasks = [{ title: "Paint", status: "To Do", due: "2025-08-31", dueTime: "09:30", ...waits }];
  const options = { columns: 120, color: false, today: "2025-08-30", hints: false };
  expect(screenOf("list", { query: "*", total: 1, offset: 0, tasks }, "", options)).toContain(
    "○ Paint  Sun 2025-08-31 (in 1 day) at 09:30  waits for: Measure [+1] (overdue, due 2025-08-29)",
  );
});

it("names a status of the vault's own, whatever its word", () => {
  const tasks = [{ title: "a", status: "constructor" }];
  const options = { columns: 80, color: false, today: "", hints: false };
  expect(screenOf("list", { query: "*", total: 1, offset: 0, tasks }, "", options)).toContain("○ a (constructor)");
});

describe("an empty list", () => {
  const empty = (name: "scan" | "list" | "search" | "today" | "history", data: Record<string, unknown>) =>
    screenOf(name, data, "", { columns: 200, color: false, today: "", hints: true });

  it.each([
    ["scan", { vault: "v", totalOutstanding: 0, problemCount: 1 }, "1 problem in notes, so that tasks may be missing"],
    ["list", { query: "*", total: 0, remarks: ['No task has the area "Hom".'] }, 'No task has the area "Hom".'],
    ["search", { query: "x", total: 0, notCounted: '1 plain checkbox matches "x"' }, "1 plain checkbox matches"],
    ["today", { sections: [], notCounted: "Not counted: 1 open" }, "Not counted: 1 open"],
    ["history", { changes: [], remarks: ["There is no file or folder 'b.md'."] }, "There is no file or folder 'b.md'."],
  ] as const)("of %s says what it leaves out", (name, data, told) => expect(empty(name, data)).toContain(told));
});

describe("undo", () => {
  const undone = (data: Record<string, unknown>) =>
    screenOf("undo", data, "", { columns: 200, color: false, today: "", hints: false });

  it.each([
    [
      { undone: "edit", asked: "a.md", reason: "update task: dueDate" },
      "'a.md' is as it was before its last change (update task: due).",
    ],
    [
      { undone: "create", asked: "a.md", path: "a.md", reason: "base", trashedTo: ".trash/a.md" },
      "'a.md' was new and is gone, to '.trash/a.md' (base).",
    ],
    [
      { undone: "delete", asked: "a.md", path: "a.md", reason: "delete", copyInTrash: true },
      "'a.md' is there again (delete).\nThe trash still holds a copy.",
    ],
    [
      { undone: "operation", asked: "op-x-abc123", reason: "update_tasks", others: ["a.md", "b.md"], otherCount: 2 },
      "Took back op-x-abc123 (update_tasks) in 2 files:\n- a.md\n- b.md",
    ],
    [
      { undone: "edit", asked: "a.md", reason: "rename_tag", operation: "op-x-abc123" },
      "'a.md' is as it was before its last change (rename_tag).\nIt was one of several changes; undo op-x-abc123 takes the rest back.",
    ],
    [
      { undone: "edit", asked: "a.md", reason: "insert", stopped: "There is nothing left to undo." },
      "'a.md' is as it was before its last change (insert).\nNothing earlier was taken back: There is nothing left to undo.",
    ],
  ])("says of %j what is there now", (data, text) => expect(undone(data)).toBe(text));
});

describe("columns", () => {
  it.each([
    ["abc", 3],
    ["会議", 4],
    ["👩‍👩‍👧‍👦", 2],
    ["é", 1],
    ["e\u0301", 1],
    ["🇩🇪", 2],
    ["✅", 2],
    ["\u001b[31mx\u001b[39m", 1],
  ])("%j takes %s", (text, width) => expect(widthOf(text)).toBe(width));

  it("break between words only", () => {
    expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrapped("unbreakable", 3)).toEqual(["unbreakable"]);
    expect(hanging("- one two three", 9)).toEqual(["- one two", "  three"]);
    expect(hanging("10. one two", 8)).toEqual(["10. one", "    two"]);
    expect(hanging("⚠️  one two", 8)).toEqual(["⚠️  one", "    two"]);
    expect(hanging("   → one twelve", 12)).toEqual(["   → one", "     twelve"]);
  });
});

it("says how the call was read, where rows show the answer", () => {
  const options = { columns: 80, color: false, today: "", hints: false, remarks: 'Read "b" as "Notes/b.md".' };
  const task = { title: "a", status: "To Do", priority: "Medium" };
  const answers = {
    list: { total: 1, tasks: [task] },
    today: {},
    find: {},
    done: task,
    undo: {},
    show: task,
    history: {},
  };
  for (const [name, data] of Object.entries(answers))
    expect(screenOf(name as "list", data, "", options), name).toContain('\n\nRead "b" as "Notes/b.md".');
});
