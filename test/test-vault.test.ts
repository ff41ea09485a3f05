/** Holds the sample vault to what its README says: which notes are tasks and by which rule, what is a problem, which bytes are odd on purpose. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, openVault } from "../src/library.js";
import type { Agenda, Task, VaultHandle } from "../src/library.js";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..", "test-vault");

/** Path -> rule, status, and what else the note is there to show. */
const TASKS: Readonly<Record<string, Partial<Task>>> = {
  "Reading/Learn knots.md": { rule: "task-tag", status: "parked", title: "Learn three knots", priority: "Low" },
  "Reading/Thinking in Systems.md": {
    rule: "task-tag",
    status: "To Do",
    title: "Read Thinking in Systems",
    due: undefined,
  },
  "TaskNotes/Tasks/Call the insurer.md": {
    rule: "task-tag",
    status: "To Do",
    priority: "Medium",
    scheduled: day("2026-11-26"),
    created: day("2026-11-16"),
    parentProjects: ["project-a"],
  },
  "_archive/Paint the old flat.md": { rule: "type-key", status: "To Do", archived: true },
  "_areas/Health/See the dentist.md": {
    rule: "type-key",
    status: "Blocked",
    priority: "Low",
    area: "Health",
    due: day("2027-01-01"),
  },
  "_areas/Personal/Back up the photos.md": { rule: "type-key", status: "To Do", area: "Personal" },
  "_areas/Personal/Claim the tax refund.md": { rule: "type-key", status: "To Do", due: undefined },
  "_areas/Personal/Plan the birthday.md": {
    rule: "status-in-para",
    status: "To Do",
    area: "Personal",
    tags: ["family"],
  },
  "_areas/Personal/🎁 Gift for Zoe.md": {
    rule: "task-tag",
    status: "To Do",
    title: `Zoe's gift: the "big" one 🎁`,
    priority: "High",
    due: day("2027-02-20"),
    area: "Personal",
  },
  "_areas/Work/Quarterly report.md": {
    rule: "type-key",
    status: "To Do",
    priority: "High",
    due: day("2026-12-04"),
    area: "Work",
    parentProjects: ["project-b"],
    tags: ["reporting", "q4"],
  },
  "_areas/Work/Renew the domain.md": { rule: "type-key", status: "To Do", priority: "High", due: day("2026-12-13") },
  "_areas/Work/Review the contract.md": {
    rule: "type-key",
    status: "Blocked",
    title: "مراجعة العقد",
    area: "Work",
    parentProjects: ["project-b"],
    tags: ["website", "عقد"],
  },
  "_areas/Personal/Water the balcony plants.md": {
    rule: "task-tag",
    status: "To Do",
    scheduled: day("2026-11-21"),
    series: {
      rule: "DTSTART:20261107;FREQ=WEEKLY;BYDAY=SA",
      anchor: "scheduled",
      completed: ["2026-11-07", "2026-11-14"] as never,
      skipped: [],
    },
  },
  "_areas/Work/Submit the timesheet.md": {
    rule: "type-key",
    status: "To Do",
    due: day("2026-11-30"),
    series: { rule: "monthly", anchor: "scheduled", completed: [], skipped: [] },
  },
  "_projects/Cancel the internet.md": { rule: "type-key", status: "To Do", due: day("2026-11-19") },
  "_projects/Pack the kitchen.md": {
    rule: "type-key",
    status: "To Do",
    blockedBy: ["[[Book the movers]]", "[[Buy moving boxes]]"],
  },
  "_projects/Clean the old flat.md": { rule: "type-key", status: "To Do", blockedBy: ["[[Pack the kitchen]]"] },
  "_areas/Work/Two statuses.md": { rule: "type-key", status: "To Do" },
  "_projects/Balcony garden/Order soil.md": {
    rule: "status-in-para",
    status: "To Do",
    priority: "Low",
    parentProjects: ["Balcony garden"],
  },
  "_projects/Book the movers.md": { rule: "type-key", status: "In Progress", id: "task-book-the-movers-k3v9qd" },
  "_projects/Buy moving boxes.md": { rule: "task-tag", status: "Done" },
  "_projects/Rent a van.md": { rule: "type-key", status: "Cancelled" },
  "_projects/Sign the lease.md": { rule: "type-key", status: "Done", completed: day("2026-10-23") },
  "_projects/weekly-report-ja.md": { rule: "type-key", status: "In Progress", title: "週次レポートを 仕上げる" },
  "_projects/准备下周的会议.md": { rule: "type-key", status: "To Do", title: "准备下周的会议" },
};

const OUTSTANDING = 21;

function day(text: string): Task["due"] {
  return fixedClock(`${text}T12:00:00Z`).today();
}

describe("the sample vault", () => {
  let vault: VaultHandle;
  let agenda: Agenda;
  beforeAll(async () => {
    vault = await openVault(FOLDER, { readOnly: true, clock: fixedClock("2026-11-21T12:00:00Z") });
    agenda = await vault.tasks.agenda();
  });
  afterAll(() => vault.close());

  it.each(Object.entries(TASKS))("%s is the task it is meant to be", async (path, expected) => {
    const { task } = await vault.tasks.get(path);
    expect(task).toMatchObject(expected);
  });

  it("holds these tasks and no others", () => {
    const lines = agenda.taskCount - Object.keys(TASKS).length;
    expect([lines, agenda.inline.tasks]).toEqual([3, 2]);
    expect(agenda.noteCount).toBeGreaterThan(agenda.taskCount);
    const open = Object.entries(TASKS).filter(
      ([, { status, archived }]) => status !== "Done" && status !== "Cancelled" && archived !== true,
    );
    const notes = agenda.outstanding.filter(({ source }) => source === "note");
    expect(notes.map((task) => task.path).toSorted()).toEqual(open.map(([path]) => path).toSorted());
    expect(notes).toHaveLength(OUTSTANDING);
  });

  it("reports what cannot be read, and only that", () => {
    const problems = agenda.problems.map(({ path, line }) => `${path}:${line}`).toSorted();
    expect(problems).toEqual([
      "_areas/Personal/Claim the tax refund.md:5",
      "_areas/Work/Two statuses.md:6",
      expect.stringMatching(/^_projects\/Broken frontmatter\.md:[56]$/),
    ]);
  });

  it("finds its PARA folders", () => {
    expect(agenda.paraFolders).toMatchObject({
      projects: ["_projects"],
      areas: ["_areas"],
      resources: ["_resources"],
      archive: ["_archive"],
    });
  });

  it.each([
    ["movers", "_projects/Book the movers.md"],
    ["mvoers", "_projects/Book the movers.md"],
    ["会议", "_projects/准备下周的会议.md"],
    ["レポート", "_projects/weekly-report-ja.md"],
    ["العقد", "_areas/Work/Review the contract.md"],
    ["🎁", "_areas/Personal/🎁 Gift for Zoe.md"],
    ["telescope grandmother", "_areas/Personal/🎁 Gift for Zoe.md"],
    ["quart rep", "_areas/Work/Quarterly report.md"],
  ])("a search for %s finds %s first", async (query, path) => {
    const { tasks } = await vault.tasks.search({ query });
    expect(tasks[0]?.path).toBe(path);
  });

  it("names every task in its README", () => {
    const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
    for (const [path, { rule }] of Object.entries(TASKS)) {
      const line = readme.split("\n").find((text) => text.startsWith(`| \`${path}\``)) ?? `no line for ${path}`;
      expect(line).toMatch(
        {
          "type-key": /ype: /,
          "task-tag": /tag `task/,
          "mdbase-type": /mdbase_type/,
          "task-property": /TaskNotes' property/,
          "status-in-para": /status below/,
          checkbox: /checkbox/,
          "plain-checkbox": /checkbox/,
        }[rule ?? "type-key"],
      );
    }
  });
});

describe("the sample vault's bytes", () => {
  const bytes = (path: string): string => readFileSync(join(FOLDER, path), "latin1");

  it("keeps line ends, byte order mark and missing line end as they were made", () => {
    const windows = bytes("_areas/Work/Renew the domain.md");
    expect(windows.split("\r\n").length).toBeGreaterThan(10);
    expect(windows.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    const marked = bytes("_areas/Personal/Back up the photos.md");
    expect(marked.startsWith("\u00ef\u00bb\u00bf---\n")).toBe(true);
    expect(marked.endsWith("\n")).toBe(false);
    expect(statSync(join(FOLDER, "Scratch.md")).size).toBe(0);
  });

  it("has names that every file system can hold", () => {
    for (const path of readdirSync(FOLDER, { recursive: true, encoding: "utf8" })) {
      expect(path).toBe(path.normalize("NFC"));
      expect(path.normalize("NFD")).toBe(path.normalize("NFC"));
      for (const name of path.split(/[\\/]/)) expect(name).not.toMatch(/[:*?"<>|]|[. ]$/);
    }
  });

  it("holds the files the API reference names", () => {
    for (const path of [
      "_projects/project-a.md",
      "_projects/project-b.md",
      "_areas/work.md",
      "_areas/personal.md",
      "_resources/reference.md",
    ]) {
      expect(statSync(join(FOLDER, path)).isFile()).toBe(true);
    }
  });
});
