/** Everyday questions on vaults as people keep them, about 300 notes each, answered from the text of at most two calls (docs: obsidian). */
import { describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { TOOLS } from "../src/tools/all-tools.js";
import { createWorkspace } from "../src/tools/workspace.js";
import { contextOf } from "./kit/known-tasks.js";

/** Monday. */
const NOW = "2026-11-23T09:05:00Z";

type Files = Record<string, string | Uint8Array>;

/** A vault, and the tools on it: an answer is what a model reads. */
async function vaultOf(files: Files) {
  const clock = fixedClock(NOW);
  const opened = assembleVault({
    storage: new MemoryStorage({ name: "Notes", files, clock }),
    name: "Notes",
    clock,
    ids: sequentialIds(),
  });
  const opener = { resolve: async (path: string) => path, open: async () => opened };
  const context = contextOf(createWorkspace({ opener, default: "Notes", switches: false }));
  const contents = async (): Promise<Map<string, string>> => {
    const { paths } = await opened.files.list();
    const found = new Map<string, string>();
    for (const path of paths) {
      const { bytes } = await opened.vault.readFile(path);
      found.set(path, Buffer.from(bytes).toString("latin1"));
    }
    return found;
  };
  const before = await contents();
  expect(before.size).toBeGreaterThanOrEqual(290);
  return {
    ask: async (name: string, input: object): Promise<string> => {
      const outcome = await TOOLS.find((tool) => tool.name === name)!.call(input, context);
      expect(outcome.ok, outcome.text).toBe(true);
      return [outcome.text, ...(outcome.ok && outcome.details !== undefined ? [outcome.details] : [])].join("\n");
    },
    /** The files that are not as they were, with their texts now. */
    changed: async (): Promise<Record<string, string | undefined>> => {
      const now = await contents();
      const paths = new Set([...before.keys(), ...now.keys()]);
      const other = [...paths].filter((path) => before.get(path) !== now.get(path)).sort();
      return Object.fromEntries(
        other.map((path) => [path, now.has(path) ? Buffer.from(now.get(path)!, "latin1").toString() : undefined]),
      );
    },
  };
}

/** Notes that nobody asks about, in folders of the given names. */
function otherNotes(folders: readonly string[], count: number, text: (at: number) => string): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${folders[at % folders.length]}/Note ${at}.md`, text(at)] as const),
  );
}

const dayBefore = (days: number): string => new Date(Date.parse(NOW) - days * 86_400_000).toISOString().slice(0, 10);

describe("with Kanban boards", () => {
  const board = (names: readonly string[], ending: string): string =>
    [
      "---",
      "",
      "kanban-plugin: board",
      "",
      "---",
      "",
      "## Backlog",
      "",
      ...names.map((name) => `- [ ] ${name}`),
      "",
      "",
      "## Doing (3)",
      "",
      "- [ ] Insulate attic @{2026-11-24}",
      "\t- [x] measure",
      "\t- [ ] order wool",
      "",
      "",
      "## Done",
      "",
      "**Complete**",
      "- [x] Call surveyor",
      "",
      "",
      "***",
      "",
      "## Archive",
      "",
      "- [x] Find architect",
      "",
      "",
      "%% kanban:settings",
      "```",
      '{"kanban-plugin":"board","show-checkboxes":true}',
      "```",
      "%%",
    ].join(ending);
  const files: Files = {
    "Boards/House.md": board(["Paint fence @{2026-12-04} #garden", "Choose tiles"], "\r\n"),
    "Boards/Garden.md": board(["Plant hedge #garden", "Mulch"], "\n"),
    "roof.png": Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
    ...otherNotes(
      ["Ideas", "People", "Reading"],
      290,
      (at) => `# Note ${at}\n\n- [ ] plain box ${at}\n\nSee [[House]]. #garden/beds\n`,
    ),
  };

  it("says what is due, what is next, and what a picture shows", async () => {
    const { ask, changed } = await vaultOf(files);
    const agenda = await ask("get_agenda", { view: "week" });
    expect(agenda).toMatch(/Tue 2026-11-24[^]*Insulate attic[^]*2 of this title[^]*board Garden, lane Doing/);
    expect(agenda).toContain("Not counted: 292 open plain checkboxes in 292 notes");
    const next = await ask("search_tasks", { query: "*", note: "House", is: ["outstanding"] });
    expect(next).toMatch(/Insulate attic[^]*Paint fence[^]*Choose tiles/);
    expect(next).not.toMatch(/surveyor|architect/);
    expect(await ask("view", { path: "roof.png" })).toContain("PNG, 1 × 1");
    expect(await changed()).toEqual({});
  });

  it("moves a card and renames a tag, and nothing else changes", async () => {
    const { ask, changed } = await vaultOf(files);
    const tasks = await ask("search_tasks", { query: "choose tiles" });
    const id = /id (Boards\/House\.md:\S+?);/.exec(tasks)?.[1];
    await ask("update_task", { taskId: id, updates: { lane: "Doing" } });
    const house = String(files["Boards/House.md"]);
    expect(await changed()).toEqual({
      "Boards/House.md": house
        .replace("- [ ] Choose tiles\r\n", "")
        .replace("\t- [ ] order wool\r\n", "\t- [ ] order wool\r\n- [ ] Choose tiles\r\n"),
    });
    const { ask: askAgain, changed: changedThen } = await vaultOf(files);
    const plan = /Plan: (p-\w+)/.exec(await askAgain("rename_tag", { from: "garden", to: "outside" }))?.[1];
    await askAgain("rename_tag", { from: "garden", to: "outside", plan });
    const then = await changedThen();
    expect(Object.keys(then)).toHaveLength(292);
    expect(then["Boards/House.md"]).toBe(house.replace("#garden", "#outside"));
    expect(then["Ideas/Note 0.md"]).toBe(String(files["Ideas/Note 0.md"]).replace("#garden/beds", "#outside/beds"));
  });
});

describe("with periodic notes", () => {
  const settings = {
    ".obsidian/community-plugins.json": '["periodic-notes"]',
    ".obsidian/plugins/periodic-notes/data.json": JSON.stringify({
      daily: { enabled: true, format: "YYYY/MM/YYYY-MM-DD", folder: "Calendar/Days", template: "Templates/Day" },
      weekly: { enabled: true, format: "gggg-[W]ww", folder: "Calendar/Weeks", template: "Templates/Week" },
    }),
  };
  const days = Object.fromEntries(
    Array.from({ length: 280 }, (_, at) => {
      const day = dayBefore(at + 1);
      return [
        `Calendar/Days/${day.slice(0, 4)}/${day.slice(5, 7)}/${day}.md`,
        `# ${day}\n\n- [ ] stretch\n- [x] walk\n`,
      ];
    }),
  );
  const files: Files = {
    ...settings,
    ...days,
    ...otherNotes(["Ideas"], 20, (at) => `Idea ${at}\n`),
    "Templates/Day.md": "# {{title}}\n\n## Log\n",
    "Templates/Week.md": "# Week {{title}}\n\nFrom {{monday:YYYY-MM-DD}}\n\n## Notes\n",
    "Daily.md": "a note that is not the daily note",
  };

  it("writes into this week's note, made from its template where there is none", async () => {
    const { ask, changed } = await vaultOf(files);
    await ask("obsidian_append_note", { note: "this week", content: "Met Ann.", heading: "Notes", create: true });
    const weeks = await changed();
    expect(Object.keys(weeks)).toEqual(["Calendar/Weeks/2026-W48.md"]);
    expect(weeks["Calendar/Weeks/2026-W48.md"]).toMatch(
      /^# Week 2026-W48\n\nFrom \d{4}-\d\d-\d\d\n\n## Notes\nMet Ann\.\n$/,
    );
  });

  it("adds to today's and reads yesterday's by their names", async () => {
    const { ask, changed } = await vaultOf(files);
    await ask("add_tasks", { text: "Call Ann tomorrow", note: "daily", heading: "Log" });
    expect(await changed()).toEqual({
      "Calendar/Days/2026/11/2026-11-23.md": "# 2026-11-23\n\n## Log\n- [ ] Call Ann 📅 2026-11-24\n",
    });
    expect(await ask("obsidian_read_note", { note: "yesterday" })).toContain("# 2026-11-22");
    expect(await ask("get_agenda", {})).toContain("Not counted: 280 open plain checkboxes");
  });
});

describe("with TaskNotes", () => {
  const tasks = Object.fromEntries(
    Array.from({ length: 290 }, (_, at) => [
      `TaskNotes/Task ${at}.md`,
      `---\ntitle: Task ${at}\nstatus: ${["open", "in-progress", "done"][at % 3]}\npriority: ${["low", "normal", "high"][at % 3]}\nscheduled: ${dayBefore(-(at % 60))}\ntags: [task]\nprojects: ["[[Move]]"]\ntimeEstimate: 30\n---\nText ${at}\n`,
    ]),
  );
  const files: Files = {
    ".obsidian/community-plugins.json": '["tasknotes"]',
    ".obsidian/plugins/tasknotes/data.json": JSON.stringify({ taskTag: "task", tasksFolder: "TaskNotes" }),
    ...tasks,
    "Move.md": "# Move\n",
    "TaskNotes/Sell sofa.md":
      '---\ntitle: Sell sofa\nstatus: open\npriority: high\ndue: 2026-11-23\ntags:\n  - task\nprojects:\n  - "[[Move]]"\n---\n',
  };

  it("says what is due and what is next in a project, and finishes a task in the plugin's words", async () => {
    const { ask, changed } = await vaultOf(files);
    expect(await ask("get_agenda", {})).toMatch(/Mon 2026-11-23[^]*Sell sofa/);
    expect(await ask("search_tasks", { query: "*", project: "Move", sort: "agenda", limit: 3 })).toMatch(/1\. \*\*/);
    const review = await ask("get_agenda", { view: "projects" });
    expect(review).toMatch(/Move[^\n]*\n?[^]*Estimate left: 9[67] h/);
    await ask("update_task", { taskId: "Sell sofa", updates: { status: "Done" } });
    expect(await changed()).toEqual({
      "TaskNotes/Sell sofa.md": String(files["TaskNotes/Sell sofa.md"]).replace("status: open", "status: done"),
    });
  });
});

describe("in German", () => {
  const tasks = Object.fromEntries(
    Array.from({ length: 295 }, (_, at) => [
      `Aufgaben/Aufgabe ${at}.md`,
      `---\ntyp: Aufgabe\nStatus: ${["offen", "in Arbeit", "erledigt", "wartet"][at % 4]}\nPriorität: ${["hoch", "mittel", "niedrig"][at % 3]}\nfällig: ${dayBefore(-(at % 90) - 2)}\n---\nText ${at}\n`,
    ]),
  );
  const files: Files = {
    ...tasks,
    "Aufgaben/Dach abdichten.md":
      "---\ntyp: Aufgabe\nStatus: in Arbeit   # seit Montag\nfällig: 2026-11-20\nTermin: 2026-12-01\n---\n- [ ] Folie kaufen\n",
  };

  it("reads statuses and days, and writes them in German", async () => {
    const { ask, changed } = await vaultOf(files);
    expect(await ask("get_agenda", {})).toMatch(/Overdue \(1\)[^]*Dach abdichten[^]*In Progress/);
    const open = await ask("search_tasks", { query: "*", status: ["Blocked"], limit: 1 });
    expect(open).toContain("Found 73 tasks");
    await ask("update_task", { taskId: "Dach abdichten", updates: { status: "Done", dueDate: "übermorgen" } });
    expect(await changed()).toEqual({
      "Aufgaben/Dach abdichten.md": String(files["Aufgaben/Dach abdichten.md"])
        .replace("in Arbeit", "erledigt")
        .replace("2026-11-20", "2026-11-25"),
    });
  });
});
