/**
 * The README's questions over the sample vault, and fifty more over a vault of 370 notes: one or two calls of the
 * toolset `core` each, at most 1,500 tokens, and the answer stands in the text alone.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { fixedClock, openVault, type VaultHandle } from "../src/library.js";
import { wordsOf } from "../src/tools/outcome.js";
import { toolsFor } from "../src/tools/registry.js";
import { QUESTION_NOW, writeQuestionVault } from "./kit/question-vault.js";

const ROOT = join(import.meta.dirname, "..");

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];
interface Question {
  /** A later call is told what the first one said. */
  readonly calls: readonly (Call | ((said: string) => Call))[];
  /** What the text of the last answer must say. */
  readonly facts: readonly string[];
  /** Its premise is false. */
  readonly refused?: true;
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

/** The texts of the files, by path. */
function readFolder(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, "latin1")]));
}

const MAX_TOKENS = 1_500;
/** Structured content over text, in tokens, of all answers together. */
const MAX_STRUCTURED = 1.2;
const MAX_HIT = 30;

/** What people ask of their vault, with words that the answers must hold. */
const MORE: Readonly<Record<string, Question>> = {
  "What is on this week?": {
    calls: [["get_agenda", { view: "week" }]],
    facts: ["; 46 overdue", "Book the band", "Sat 2026-12-05", "Clean the filter** (To Do, 40 of this title)"],
  },
  "And this week, said otherwise?": {
    calls: [["get_agenda", { view: "week", date: "this week" }]],
    facts: ['Read date "this week" as', "Lay the tiles"],
  },
  "What is due today, and what is late?": {
    calls: [["get_agenda", {}]],
    facts: ["Overdue (46)", "Pay the gas bill", "Sat 2026-11-28 (3; estimate 4 h)", "Water the plants"],
  },
  "How many hours are planned on Tuesday?": {
    calls: [["get_agenda", { date: "tuesday" }]],
    facts: ["Tue 2026-12-01 (4; estimate 8 h)", "estimate 2 h"],
  },
  "What did I finish last week?": {
    calls: [["get_agenda", { view: "review", date: "last week" }]],
    facts: ["Done 2026-11-16 to 2026-11-22 (2)"],
  },
  "What did I finish since Monday?": {
    calls: [["search_tasks", { query: "*", completed: "2026-11-23..2026-11-28" }]],
    facts: ["Renew the gym", "File the claim"],
  },
  "Which projects have no next action, and why?": {
    calls: [["get_agenda", { view: "review" }]],
    facts: ["Projects without a ready task", "Learn Italian (paused; no tasks)", "Garden shed (someday; no tasks)"],
  },
  "How far are my projects?": {
    calls: [["get_agenda", { view: "projects" }]],
    facts: ["Roof repair (active): 0 of 5 done; 1 blocked", "Tax return 2025 (waiting)", "Estimate left: 7 h 35 min"],
  },
  "Which projects need me in the next three days?": {
    calls: [["get_agenda", { view: "projects", date: "next 3 days" }]],
    facts: ["Wedding (active)", "Hiring (active)"],
  },
  "What is blocked by something overdue?": {
    calls: [["search_tasks", { query: "*", is: ["blocked"] }]],
    facts: ["waits for: Order the tiles (overdue, due 2026-11-24)"],
  },
  "Which tasks do I have twice?": {
    calls: [["search_tasks", { query: "*", is: ["duplicate"] }]],
    facts: ["Clean the filter", "Found 51 tasks", "Selection: is=duplicate#"],
  },
  "What is important or can wait in Wedding and Hiring?": {
    calls: [["search_tasks", { query: "*", priority: ["High", "Low"], project: ["Wedding", "Hiring"] }]],
    facts: ["Taste the menu", "Write the job ad", "estimate 2 h"],
  },
  "What can I do on the phone?": {
    calls: [["search_tasks", { query: "*", context: "phone" }]],
    facts: ["Call Anna"],
  },
  "What am I in the middle of?": {
    calls: [["search_tasks", { query: "*", status: ["In Progress"] }]],
    facts: ["Call Anna", "Paint the fence"],
  },
  "What is on the house board?": {
    calls: [["search_tasks", { query: "*", note: "Boards/House" }]],
    facts: ["Sort the photos", "lane Doing"],
  },
  "What is on my errands board, links to task notes too?": {
    calls: [["search_tasks", { query: "*", note: "Boards/Errands" }]],
    facts: ["Pay the gas bill", "board Errands, lane Next", "Found 2 tasks"],
  },
  "What has the status Blocked?": {
    calls: [["search_tasks", { query: "*", status: ["Blocked"] }]],
    facts: ["1 task waits for others and has another status", 'is ["blocked"]'],
  },
  "Which meeting notes have open tasks?": {
    calls: [["search_tasks", { query: "*", note: "Meetings", is: ["checkbox"], limit: 10 }]],
    facts: ["send the minutes to", "Found 60 tasks"],
  },
  "What did I finish in November?": {
    calls: [["search_tasks", { query: "*", completed: "november", limit: 5 }]],
    facts: ['Read completed "november" as 2026-11-01..2026-11-30', "Found "],
  },
  "What is due on 31 November?": {
    calls: [["search_tasks", { query: "*", due: "2026-11-31" }]],
    refused: true,
    facts: ['due "2026-11-31" is not a day that exists'],
  },
  "Which ideas link to nothing?": {
    calls: [["find_notes", { links_to: "none", folder: "0. Inbox", limit: 20 }]],
    facts: ["15 notes match"],
  },
  "Who wrote of Anna B.?": {
    calls: [["find_notes", { links_to: "Anna B.", folder: "Daily", limit: 5 }]],
    facts: ["22 notes match"],
  },
  "What is still to do for the roof?": {
    calls: [["search_tasks", { query: "*", project: "Roof repair", is: ["outstanding"] }]],
    facts: ["Call the roofer", "Lay the tiles"],
  },
  "Wann ist die Steuererklärung fällig?": {
    calls: [["search_tasks", { query: "steuererklärung" }]],
    facts: ["Steuererklärung abgeben", "Mon 2026-11-30 (in 2 days)"],
  },
  "会議の準備は？": {
    calls: [["search_tasks", { query: "会議" }]],
    facts: ["会議の資料を準備"],
  },
  "What do I know about the task of the tiles?": {
    calls: [["get_task", { taskId: "Lay the tiles" }]],
    facts: ["Waits for: Order the tiles", "Estimate: 4 h"],
  },
  "Which task was it, the review of the quarter?": {
    calls: [["search_tasks", { query: "revew quarterly" }]],
    facts: ["Task review quarterly report"],
  },
  "I called Anna last Friday.": {
    calls: [["update_task", { taskId: "Call Anna", updates: { completed: "last friday" } }]],
    facts: ["Current status: Done", "done Fri 2026-11-20"],
  },
  "The menu takes three hours.": {
    calls: [["update_task", { taskId: "Taste the menu", updates: { estimate: "3h" } }]],
    facts: ["estimate 3 h"],
  },
  "Pay all bills tomorrow.": {
    calls: [
      ["search_tasks", { query: "bill" }],
      (said) => ["update_tasks", { tasks: [/Selection: (.*)/.exec(said)?.[1]], updates: { dueDate: "tomorrow" } }],
    ],
    facts: ["Updated 1 of 2 tasks", "Pay the gas bill: due 2026-11-27 → 2026-11-29", "takes all of it back"],
  },
  "Make notes of the library lines, with a shelf.": {
    calls: [
      ["search_tasks", { query: "library", limit: 3 }],
      (said) => ["update_tasks", { tasks: idsIn(said), updates: { convert: "note", properties: { shelf: "A" } } }],
    ],
    facts: ["Updated 3 of 3 tasks", "takes all of it back"],
  },
  "What would happen if I made them urgent?": {
    calls: [["update_tasks", { tasks: ["Call Anna"], updates: { priority: "High" }, plan: "show" }]],
    facts: ["1 of 1 tasks would change; nothing is written yet", "Plan: p-"],
  },
  "Add a task with an effort and a place.": {
    calls: [
      [
        "create_task",
        { title: "Sweep", area: "Home", estimate: "45", contexts: ["yard"], properties: { energy: "low" } },
      ],
    ],
    facts: ["estimate 45 min", "contexts yard"],
  },
  "Add what I dictated.": {
    calls: [["add_tasks", { text: "Buy milk tomorrow !high #errand\nCall Ben by friday" }]],
    facts: ["Added 2 tasks", "Buy milk", "due Sun 2026-11-29", "priority High", "due Fri 2026-12-04"],
  },
  "Plan the plumber for the first of July.": {
    calls: [["create_task", { title: "Call the plumber", area: "Home", scheduled: "1 july" }]],
    facts: ["scheduled Thu 2027-07-01"],
  },
  "Finish watering for today.": {
    calls: [["update_task", { taskId: "Water the plants", updates: { status: "Done" } }]],
    facts: ["Done for Sat 2026-11-28; next Sat 2026-12-05"],
  },
  "What changed through you since yesterday?": {
    calls: [
      ["update_task", { taskId: "Call Anna", updates: { status: "Done" } }],
      ["get_history", { since: "yesterday" }],
    ],
    facts: ["update_task (status)", "Call Anna.md"],
  },
  "Undo that.": {
    calls: [
      ["update_task", { taskId: "Call Anna", updates: { status: "Done" } }],
      ["undo_edit", {}],
    ],
    facts: ["Reverted 'TaskNotes/Tasks/Call Anna.md'"],
  },
  "Where did the task that I deleted go?": {
    calls: [
      ["obsidian_delete_note", { note: "Pay the gas bill" }],
      ["undo_edit", { path: "TaskNotes/Tasks/Pay the gas bill.md" }],
    ],
    facts: ["Pay the gas bill"],
  },
  "Which notes changed in the last two days?": {
    calls: [["find_notes", { since_days: 2, limit: 20 }]],
    facts: ["Daily/2026-11-28.md", "Meetings/2026-11-27 Budget.md", '"mtime":"2026-11-27"'],
  },
  "Which books did I rate four or better?": {
    calls: [["find_notes", { tags: ["book"], properties: { rating: ">=4" }, show: ["rating", "author"], limit: 50 }]],
    facts: ['"rating":"5"', '"author":"Emi"', "16 notes match"],
  },
  "Which books have I not read?": {
    calls: [["find_notes", { tags: ["book"], properties: { read: "false" }, limit: 30 }]],
    facts: ["27 notes match"],
  },
  "What do my notes say of the chimney?": {
    calls: [["find_notes", { query: "chimney" }]],
    facts: ["The roof leaks near the chimney.", "Daily/2026-11-19.md"],
  },
  "What was decided in the last budget meetings?": {
    calls: [
      ["find_notes", { query: "budget", folder: "Meetings", sort_by: "mtime", limit: 5 }],
      ["search", { query: "decided:", path: "Meetings/2026-11-27 Budget.md" }],
    ],
    facts: ["decided: go on with option 0"],
  },
  "Which meetings were in the week of the 16th?": {
    calls: [["find_notes", { folder: "Meetings", date_from: "2026-11-16", date_to: "2026-11-22", limit: 20 }]],
    facts: ["Meetings/2026-11-21", "Dated by name 3"],
  },
  "Which meetings did Emi attend?": {
    calls: [["find_notes", { folder: "Meetings", properties: { attendees: "Emi" }, limit: 20 }]],
    facts: ["12 notes match"],
  },
  "Was kostet die Wärmepumpe?": {
    calls: [["find_notes", { query: "wärmepumpe" }]],
    facts: ["18.000 Euro"],
  },
  "Et la recette des crêpes ?": {
    calls: [["find_notes", { query: "crepes" }]],
    facts: ["Farine, œufs, lait"],
  },
  東京の旅について: {
    calls: [["find_notes", { query: "東京" }]],
    facts: ["東京駅から始める"],
  },
  "О чём книга?": {
    calls: [["find_notes", { query: "главная мысль" }]],
    facts: ["делать меньше"],
  },
  "Where is the wifi password?": {
    calls: [["find_notes", { query: "wifi password" }]],
    facts: ["on the fridge"],
  },
  "Which links lead nowhere?": {
    calls: [["obsidian_list_unresolved_links", {}]],
    facts: ["Missing author (5)"],
  },
  "What links to Anna?": {
    calls: [["find_notes", { links_to: "Anna", limit: 20 }]],
    facts: ["Daily/2026-11-28.md"],
  },
  "Which notes are orphans in the resources?": {
    calls: [["find_notes", { orphan: true, folder: "3. Resources/Recipes" }]],
    facts: ["8 notes match", "Lasagne"],
  },
  "Make a note of its own from the decision on Hugo.": {
    calls: [
      ["obsidian_create_note", { name: "Why Hugo", section: "Decision log#Why we chose Hugo" }],
      ["obsidian_read_note", { note: "Decision log" }],
    ],
    facts: ["[[Why Hugo]]", "## Why we left Jira"],
  },
  "Rename the tag book to reading.": {
    calls: [["rename_tag", { from: "book", to: "reading" }]],
    facts: ["40 notes", "Plan: p-"],
  },
  "Give the recipes of grandmother a star.": {
    calls: [
      ["set_properties", { notes: [{ folder: "3. Resources/Recipes" }], properties: { star: "true" }, plan: "show" }],
    ],
    facts: ["8 notes", "Plan: p-"],
  },
  "Write the idea into today's note.": {
    calls: [["obsidian_append_note", { note: "today", content: "- a shed of glass", heading: "Notes" }]],
    facts: ["Daily/2026-11-28.md"],
  },
  "What did I write on Monday?": {
    calls: [["obsidian_read_note", { note: "2026-11-23" }]],
    facts: ["Slept 6 hours", "[[Anna]]"],
  },
  "When did I sleep eight hours?": {
    calls: [["search", { query: "Slept 8 hours", path: "Daily", context_lines: 0 }]],
    facts: ["Daily/2026-11-25.md"],
  },
};

describe("what people ask of a vault of 370 notes", () => {
  const core = toolsFor({ toolsets: ["core"], hasDefaultVault: true });
  const sums = { text: 0, structured: 0 };
  let folder: string;
  let vault: VaultHandle;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "questions-"));
    for (const name of ["first", "vault"]) writeQuestionVault(join(folder, name));
    const options = { clock: fixedClock(QUESTION_NOW), stateFolder: join(folder, "state") };
    vault = await openVault(join(folder, "vault"), options);
  });
  /** Gives every file its first text and time again: a question that changed the vault leaves no answer to the next. */
  afterEach(() => {
    const [first, now] = ["first", "vault"].map((name) => readFolder(join(folder, name)));
    for (const path of now?.keys() ?? []) if (!first?.has(path)) rmSync(join(folder, "vault", path));
    for (const [path, text] of first ?? [])
      if (now?.get(path) !== text)
        cpSync(join(folder, "first", path), join(folder, "vault", path), { preserveTimestamps: true });
  });
  afterAll(async () => {
    await vault.close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(MORE))("%s", async (_question, { calls, facts, refused }) => {
    let [said, all, tokens] = ["", "", 0];
    for (const step of calls) {
      const [tool, args] = typeof step === "function" ? step(said) : step;
      expect(core.find(tool), tool).toBeDefined();
      const outcome = await vault.call(tool, args);
      said = wordsOf(outcome);
      expect(outcome.ok, said).toBe(refused !== true);
      all += `${said}\n`;
      tokens += encode(said).length;
      if (outcome.ok) sums.structured += encode(JSON.stringify(outcome.data)).length;
    }
    sums.text += tokens;
    expect(calls.length).toBeLessThanOrEqual(2);
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
    for (const fact of facts) expect(all).toContain(fact);
  });

  it("costs little more as structured content than as text", () => {
    expect(sums.structured / sums.text).toBeLessThanOrEqual(MAX_STRUCTURED);
  });

  it.each([{}, { query: "roof" }, { folder: "Daily" }, { query: "budget", limit: 20 }, { tags: ["book"], limit: 50 }])(
    "a hit of find_notes costs at most 30 tokens: %j",
    async (args) => {
      const found = await vault.call("find_notes", { ...args, include_content: false });
      const notes = JSON.parse(found.text) as readonly unknown[];
      expect(encode(found.text).length / notes.length).toBeLessThanOrEqual(MAX_HIT);
    },
  );
});
