/** The README's questions, asked through the tools over the sample vault: one or two calls each, and the answer stands in the text alone. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, openVault, type VaultHandle } from "../src/library.js";
import { wordsOf } from "../src/tools/outcome.js";

const ROOT = join(import.meta.dirname, "..");

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];
interface Question {
  /** A later call is told what the first one said. */
  readonly calls: readonly (Call | ((said: string) => Call))[];
  /** What the text of the last answer must say. */
  readonly facts: readonly string[];
}

const idsIn = (said: string): string[] => [...said.matchAll(/^\d+: .*?; id ([^;\n]+)/gm)].map(([, id]) => id ?? "");
const idIn = (said: string): string => idsIn(said)[0] ?? "no id was told";

const QUESTIONS: Readonly<Record<string, Question>> = {
  "What is on my plate?": {
    calls: [["get_agenda", {}]],
    facts: [
      "Overdue (3):\n",
      "- **Cancel the internet** (To Do) - Personal - Project: project-a; id _projects/Cancel the internet.md",
      "due Thu 2026-11-19 (2 days ago)",
      "Sat 2026-11-21 (1):\n- **Water the balcony plants** (To Do)",
      "repeats: every week on Saturday",
    ],
  },
  "What is overdue, and what is due this week?": {
    calls: [["scan_vault", {}]],
    facts: [
      "Overdue tasks: 3",
      "due Thu 2026-11-19 (2 days ago)",
      "**Book the movers** (In Progress) - Due: 2026-11-27",
      "2: Book the movers; id task-book-the-movers-k3v9qd; due Fri 2026-11-27 (in 6 days)",
      "Due this week: 2",
      "5: return the library books; id Journal/2026-11-19.md:7~cbfc3d; due Wed 2026-11-25 (in 4 days)",
    ],
  },
  "Add a task *Call the plumber* to Home, due on Friday, high priority.": {
    calls: [["create_task", { title: "Call the plumber", area: "Home", dueDate: "2026-11-27", priority: "High" }]],
    facts: ['Task "Call the plumber" created', "Task ID: ", "Area: Home", "Due Date: 2026-11-27"],
  },
  "Mark the quarterly report as done.": {
    calls: [
      ["search_tasks", { query: "quarterly report" }],
      (said) => ["update_task", { taskId: idIn(said), updates: { status: "Done" } }],
    ],
    facts: ["updated successfully", "Current status: Done"],
  },
  "Push everything blocked to next Monday.": {
    calls: [
      ["search_tasks", { query: "*", is: ["blocked"] }],
      (said) => ["update_tasks", { tasks: idsIn(said), updates: { dueDate: "next monday" } }],
    ],
    facts: [
      "Updated 4 of 4 tasks.",
      'Read dueDate "next monday" as Mon 2026-11-23 (in 2 days).',
      "Pack the kitchen: due 2026-12-05 → 2026-11-23",
      "Clean the old flat: due none → 2026-11-23",
      "takes all of it back",
    ],
  },
  "Find my tasks about the kitchen.": {
    calls: [["search_tasks", { query: "kitchen" }]],
    facts: [
      "**Pack the kitchen**",
      "**Clean the old flat**",
      "waits for: Book the movers",
      "Selection: query=kitchen#",
    ],
  },
  "Why does this note count as a task?": {
    calls: [["get_task", { taskId: "Plan the birthday" }]],
    facts: ["A task because: it lies in a PARA folder and its property"],
  },
  "What do my notes say about the roof?": {
    calls: [["find_notes", { query: "balcony" }]],
    facts: ["Balcony garden"],
  },
  "Summarise last week's meeting notes.": {
    calls: [
      ["find_notes", { query: "movers", folder: "Journal" }],
      ["summarise_note", { uri: "Journal/2026-11-20.md" }],
    ],
    facts: ["movers"],
  },
  "What links to this note?": {
    calls: [["obsidian_get_backlinks", { note: "Book the movers" }]],
    facts: ["Journal/2026-11-20.md", "_projects/Pack the kitchen.md"],
  },
  "Rename *Roof* to *Roof repair 2026* everywhere.": {
    calls: [["obsidian_move_note", { note: "Order soil", new_name: "Order soil 2026" }]],
    facts: ["Order soil 2026.md"],
  },
  "Undo that.": {
    calls: [
      ["obsidian_append_note", { note: "Ideas.md", content: "One more." }],
      ["undo_edit", { path: "Ideas.md" }],
    ],
    facts: ["Ideas.md"],
  },
};

describe("the README's questions", () => {
  let folder: string;
  let vault: VaultHandle;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "questions-"));
    cpSync(join(ROOT, "test-vault"), join(folder, "vault"), { recursive: true });
    vault = await openVault(join(folder, "vault"), {
      clock: fixedClock("2026-11-21T12:00:00Z"),
      stateFolder: join(folder, "state"),
    });
  });
  afterEach(async () => {
    await vault.close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(QUESTIONS))("%s", async (_question, { calls, facts }) => {
    expect(calls.length).toBeLessThanOrEqual(2);
    let said = "";
    for (const step of calls) {
      const [tool, args] = typeof step === "function" ? step(said) : step;
      const outcome = await vault.call(tool, args);
      said = wordsOf(outcome);
      expect(outcome.ok, said).toBe(true);
    }
    for (const fact of facts) expect(said).toContain(fact);
  });

  it("are all asked", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const lines = readme.split("\n").filter((line) => line.startsWith('- "'));
    const questions = lines.flatMap((line) => [...line.matchAll(/"([^"]+)"/g)].map(([, question]) => question ?? ""));
    expect(questions.toSorted()).toEqual(Object.keys(QUESTIONS).toSorted());
  });
});
