/** Everyday use of the note tools: dates, daily notes, names that stay notes, honest lists (docs: tools). */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath, type VaultPath } from "../../storage/path.js";
import type { ReadManyOptions } from "../../storage/storage.js";
import type { ToolOutcome } from "../outcome.js";
import { TOOLS } from "../all-tools.js";
import { validatorFor } from "../validator.js";
import { createWorkspace } from "../workspace.js";

/** Counts how often the vault's settings are read. */
class CountingStorage extends MemoryStorage {
  settingsRead = 0;

  override readMany(paths: readonly VaultPath[], options?: ReadManyOptions): ReturnType<MemoryStorage["readMany"]> {
    if (paths.some((path) => path.startsWith(".obsidian/"))) this.settingsRead++;
    return super.readMany(paths, options);
  }
}

function vaultWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const storage = new CountingStorage({ name: "Study", files, clock });
  const open = assembleVault({ storage, name: "Study", linkName: "Study", clock, ids: sequentialIds() });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
  return {
    storage,
    call: async (name: string, args: unknown): Promise<ToolOutcome> => {
      const tool = TOOLS.find((tool) => tool.name === name);
      if (!tool) throw new Error(name);
      const outcome = await tool.call(args, context);
      if (!outcome.ok) return outcome;
      const validate = await validatorFor(name, tool.listing.outputSchema);
      expect(validate(structuredClone(outcome.data))).toEqual([]);
      return outcome;
    },
    text: async (path: string): Promise<string | undefined> => {
      const file = await storage.read(vaultPath(path));
      return file && Buffer.from(file.bytes).toString("utf8");
    },
  };
}

const data = (outcome: ToolOutcome) => (outcome.ok ? outcome.data : {});

describe("notes by date", () => {
  const files = {
    "2025-08-29.md": "",
    "Notes/old.md": "---\ndate: 2024-01-01\n---\n",
    "Notes/meeting.md": "---\ncreated: 2025-08-28T09:00:00\n---\n",
    "Notes/plain.md": "",
  };

  it("are found by their own date, else by their last change, and the answer says by which", async () => {
    const { call } = vaultWith(files);
    const found = await call("find_notes", { date_from: "2025/08/28", date_to: "today", sort_by: "path" });
    expect(data(found)["notes"]).toMatchObject([
      { path: "2025-08-29.md", date: "2025-08-29", dated_by: "name" },
      { path: "Notes/meeting.md", date: "2025-08-28", dated_by: "created" },
      { path: "Notes/plain.md", date: "2025-08-30", dated_by: "changed" },
    ]);
    expect(found).toMatchObject({
      details:
        '3 notes match. Dated by name 1, property created 1, last change 1. Read date_to "today" as Sat 2025-08-30 (today).',
    });
    expect(await call("find_notes", { date_from: "2025/08/28", sort_by: "path", limit: 2 })).toMatchObject({
      details:
        "3 notes match. Showing 1 to 2 of 3: go on with offset 2. Those listed are dated by name 1, property created 1.",
    });
    expect(data(await call("find_notes", { date_to: "2024-12-31" }))).toMatchObject({ match_count: 1 });
    expect((await call("find_notes", { date_from: "blursday" })).text).toContain('date_from "blursday" is not a day');
  });

  it("take days in words for changes too", async () => {
    const { call } = vaultWith(files);
    expect(data(await call("find_notes", { modified_after: "yesterday" }))).toMatchObject({ match_count: 4 });
    expect(data(await call("find_notes", { modified_before: "2025/08/30" }))).toMatchObject({ match_count: 0 });
  });

  it.each([
    [{ date_from: "2025-08-30", date_to: "2025-08-29" }, "date_from (2025-08-30) is after date_to (2025-08-29)"],
    [
      { modified_after: "today", modified_before: "today" },
      "modified_after (2025-08-30) is not before modified_before (2025-08-30)",
    ],
  ])("refuse a range in which no day lies: %j", async (args, words) => {
    const outcome = await vaultWith(files).call("find_notes", args);
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
    expect(outcome.text).toContain(words);
  });

  it("take lists and ranges of properties", async () => {
    const rated = (rating: string) => `---\nrating: ${rating}\nstatus: s${rating}\n---\n`;
    const { call } = vaultWith({ "a.md": rated("3"), "b.md": rated("4"), "c.md": rated("5") });
    expect(data(await call("find_notes", { properties: { rating: ">=4" } }))).toMatchObject({ match_count: 2 });
    expect(data(await call("find_notes", { properties: { status: ["s3", "s5"] } }))).toMatchObject({ match_count: 2 });
    expect(data(await call("find_notes", { properties: { rating: 5 } }))).toMatchObject({ match_count: 1 });
  });
});

describe("find_notes", () => {
  it("says how many there are and how to get the rest beside the array", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}.md`, ""]));
    const { call } = vaultWith(files);
    const first = await call("find_notes", { limit: 10 });
    expect(first).toMatchObject({ details: "30 notes match. Showing 1 to 10 of 30: go on with offset 10." });
    expect(JSON.parse(first.text)).toHaveLength(10);
    expect(await call("find_notes", { limit: 10, offset: 20 })).toMatchObject({
      details: "30 notes match. These are the last 10 of 30.",
    });
    expect(await call("find_notes", { count_only: true })).not.toHaveProperty("details");
  });

  it("says that operators of other programs were searched as words", async () => {
    const { call } = vaultWith({ "Report.md": "the tag: work OR quarterly", "Tag.md": "tag not work" });
    expect(await call("find_notes", { query: "tag:work -quarterly OR" })).toMatchObject({
      details:
        '1 note matches. Searched as plain words: "tag:work", "-quarterly", "OR". A query has no operators, and every word must match. Tags are a filter: tags ["work"].',
    });
  });

  it("names the filter a word is written as, also where a note has its words", async () => {
    const { call } = vaultWith({ "Help.md": "Search with status:draft", "Plan.md": "---\nstatus: draft\n---\n" });
    expect(await call("find_notes", { query: "status:draft" })).toMatchObject({
      details: '1 note matches. Properties are a filter: properties {"status":"draft"}.',
    });
  });

  it("says of a hit what its path does not say, the same in text and data", async () => {
    const { call } = vaultWith({ "a.md": "", "b.md": "---\ntitle: B of b\ntags: [x]\nrating: 4\n---\n" });
    const found = await call("find_notes", { include_content: false, sort_by: "path", show: ["rating", "none"] });
    const [a, b] = JSON.parse(found.text) as Record<string, unknown>[];
    expect(Object.keys(a ?? {})).toEqual(["path", "mtime"]);
    expect(b).toMatchObject({ path: "b.md", title: "B of b", properties: { rating: "4" }, tags: ["x"] });
    expect(data(found)["notes"]).toEqual([a, b]);
  });

  it("names what it leaves out where many notes have it, and shows it where it is asked for", async () => {
    const text = "---\ntags: [a-long-tag, another-long-tag, a-third-long-tag, a-fourth-long-tag]\n---\n";
    const { call } = vaultWith(
      Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`Long/Name of note ${at}.md`, text])),
    );
    const found = await call("find_notes", {});
    expect(found.text).not.toContain("a-long-tag");
    expect(found).toMatchObject({ details: '5 notes match. Not shown: tags (show ["tags"]).' });
    expect((await call("find_notes", { show: ["tags"] })).text).toContain("a-long-tag");
  });
});

const daily = {
  ".obsidian/daily-notes.json": JSON.stringify({ folder: "Daily", format: "DD.MM.YYYY", template: "T/Day" }),
  "T/Day.md": "# {{title}}\n\n## Log\n",
  "Daily/29.08.2025.md": "yesterday\n",
};

describe("creating a daily note", () => {
  it.each(["2025-08-30", "today", "daily", "30.08.2025"])("by %s makes it in its place", async (name) => {
    const vault = vaultWith(daily);
    const made = await vault.call("obsidian_create_note", { name, content: "- tea" });
    expect(made).toMatchObject({ ok: true, data: { path: "Daily/30.08.2025.md", created: true } });
    expect(await vault.text("Daily/30.08.2025.md")).toBe("# 30.08.2025\n\n## Log\n- tea\n");
  });

  it("refuses one that exists with its path", async () => {
    expect((await vaultWith(daily).call("obsidian_create_note", { name: "yesterday" })).text).toContain(
      "There is a note 'Daily/29.08.2025.md' already",
    );
  });

  it("leaves paths, names with .md and names with a folder as they are", async () => {
    const vault = vaultWith(daily);
    for (const [args, path] of [
      [{ name: "today.md" }, "today.md"],
      [{ name: "Log/today" }, "Log/today.md"],
      [{ name: "today", path: "Log/2" }, "Log/2/today.md"],
    ] as const)
      expect(await vault.call("obsidian_create_note", args)).toMatchObject({ data: { path } });
  });
});

it("never takes a template for the daily note, which only its path names", async () => {
  const vault = vaultWith({ "Templates/Daily.md": "template", "Templates/Form.md": "form" });
  expect((await vault.call("obsidian_read_note", { note: "daily" })).text).toContain("no daily note for 2025-08-30");
  expect((await vault.call("obsidian_append_note", { note: "Form", content: "x" })).ok).toBe(false);
  expect(await vault.call("obsidian_read_note", { note: "Templates/Daily" })).toMatchObject({
    data: { text: "template" },
  });
});

describe("appending to a daily note that is not there", () => {
  it.each(["2025-08-30", "today", "daily", "Daily/30.08.2025.md", "30.08.2025", "[[30.08.2025]]"])(
    "%s offers to make it, and makes it when asked",
    async (note) => {
      const vault = vaultWith(daily);
      const refused = await vault.call("obsidian_append_note", { note, content: "x" });
      expect(refused).toMatchObject({ ok: false, error: { code: "FILE_NOT_FOUND" } });
      expect(refused.text).toContain("There is no daily note for 2025-08-30; it would be 'Daily/30.08.2025.md'.");
      expect(refused.text).toContain("create: true");
      expect(refused.text).not.toContain("29.08.2025");
      const made = await vault.call("obsidian_append_note", { note, content: "- tea", heading: "Log", create: true });
      expect(made).toMatchObject({ ok: true, data: { path: "Daily/30.08.2025.md", created: true } });
      expect(await vault.text("Daily/30.08.2025.md")).toBe("# 30.08.2025\n\n## Log\n- tea\n");
      expect(await vault.call("undo_edit", {})).toMatchObject({ ok: true, data: { undone: "create" } });
    },
  );

  it("does the same at its top", async () => {
    const vault = vaultWith(daily);
    const asked = { note: "today", content: "- first" };
    expect(await vault.call("obsidian_prepend_note", asked)).toMatchObject({
      ok: false,
      error: { code: "FILE_NOT_FOUND" },
    });
    const made = await vault.call("obsidian_prepend_note", { ...asked, create: true });
    expect(made.text).toContain("✅ Made the note and added at the top of 'Daily/30.08.2025.md'");
    expect(await vault.text("Daily/30.08.2025.md")).toBe("- first\n# 30.08.2025\n\n## Log\n");
    const again = await vault.call("obsidian_prepend_note", { ...asked, create: true });
    expect(data(again)).not.toHaveProperty("created");
  });

  it("makes none for a hash, which only a note that was there can have", async () => {
    const vault = vaultWith(daily);
    const asked = { note: "today", content: "x", create: true, expected_hash: "abc" };
    expect(await vault.call("obsidian_append_note", asked)).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(await vault.text("Daily/30.08.2025.md")).toBeUndefined();
  });

  it("is offered to readers too, for days long gone as well, and never another day", async () => {
    const vault = vaultWith(daily);
    for (const [note, day, path] of [
      ["today", "2025-08-30", "Daily/30.08.2025.md"],
      ["28.08.2019", "2019-08-28", "Daily/28.08.2019.md"],
    ] as const) {
      const refused = await vault.call("obsidian_read_note", { note });
      expect(refused.text).toBe(
        `❌ Error reading note: There is no daily note for ${day}; it would be '${path}'.\n` +
          `Make it with obsidian_create_note "${note}".`,
      );
    }
  });

  it.each(["yesterday", "2025-08-29", "29.08.2025"])(
    "%s is a name of one that is there, for every tool",
    async (day) => {
      const vault = vaultWith(daily);
      expect((await vault.call("obsidian_read_note", { note: day })).text).toContain("yesterday\n");
      expect(await vault.call("view", { path: day })).toMatchObject({ data: { path: "Daily/29.08.2025.md" } });
      expect(data(await vault.call("obsidian_move_note", { note: day, new_name: "Old" }))).toMatchObject({
        path: "Daily/Old.md",
      });
    },
  );

  it("reads the settings a few times to find that no day is meant, not for every day around", async () => {
    const vault = vaultWith(daily);
    const refused = await vault.call("obsidian_append_note", { note: "No such note", content: "x" });
    expect(refused).toMatchObject({ ok: false, error: { code: "FILE_NOT_FOUND" } });
    expect(vault.storage.settingsRead).toBeLessThan(10);
  });

  it("appends to one that is there, and makes no other note", async () => {
    const vault = vaultWith(daily);
    expect(data(await vault.call("obsidian_append_note", { note: "2025-08-29", content: "x" }))).toMatchObject({
      path: "Daily/29.08.2025.md",
    });
    expect(await vault.call("obsidian_append_note", { note: "Ideas", content: "x", create: true })).toMatchObject({
      ok: false,
      error: { code: "FILE_NOT_FOUND" },
    });
  });
});

describe("a note that is renamed", () => {
  it.each<[tool: string, args: object]>([
    ["rename", { old_path: "n/Plan.md", new_path: "n/Plan 2.0" }],
    ["obsidian_move_note", { note: "Plan", new_name: "Plan 2.0" }],
  ])("stays a note: %s", async (tool, args) => {
    expect(await vaultWith({ "n/Plan.md": "x" }).call(tool, args)).toMatchObject({ data: { path: "n/Plan 2.0.md" } });
  });

  it.each<[tool: string, args: object]>([
    ["rename", { old_path: "n/Plan.md", new_path: "n/Plan.txt" }],
    ["obsidian_move_note", { note: "Plan", new_name: "Plan.txt" }],
  ])("does not become another kind of file: %s", async (tool, args) => {
    const vault = vaultWith({ "n/Plan.md": "x" });
    expect(await vault.call(tool, args)).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
    expect(await vault.text("n/Plan.md")).toBe("x");
  });
});

describe("what a change left behind", () => {
  it("is told with the hash that the next call needs", async () => {
    const { call } = vaultWith({ "a.md": "x\n" });
    const added = await call("obsidian_append_note", { note: "a", content: "y" });
    const hash = /Hash: (\S+)/.exec(added.text)?.[1];
    expect(await call("obsidian_prepend_note", { note: "a", content: "z", expected_hash: hash })).toMatchObject({
      ok: true,
    });
  });

  it("is nothing when a note is replaced by itself", async () => {
    const { call } = vaultWith({ "a.md": "x" });
    const same = await call("obsidian_create_note", { name: "a", content: "x", overwrite: true });
    expect(same).toMatchObject({ data: { created: false, unchanged: true, undoable: false } });
    expect(same.text).toContain('"unchanged":true');
  });

  it("is taken back by any reference", async () => {
    for (const path of [
      "Roof",
      "[[Roof]]",
      "./n/Roof.md",
      "n\\Roof",
      "All about it",
      "mcp-obsidian://Study/n/Roof.md",
    ]) {
      const { call, text } = vaultWith({ "n/Roof.md": "---\ntitle: All about it\n---\nx" });
      await call("obsidian_append_note", { note: "Roof", content: "y" });
      expect(await call("undo_edit", { path })).toMatchObject({ ok: true, data: { path: "n/Roof.md" } });
      expect(await text("n/Roof.md")).toBe("---\ntitle: All about it\n---\nx");
    }
  });

  it("is taken back where a file was, though another bears its name", async () => {
    const { call, text } = vaultWith({ "Roof.md": "a", "n/Roof.md": "b" });
    await call("obsidian_append_note", { note: "n/Roof.md", content: "c" });
    await call("delete", { path: "Roof.md" });
    expect(await call("undo_edit", { path: "Roof.md" })).toMatchObject({ data: { path: "Roof.md", undone: "delete" } });
    expect(await text("n/Roof.md")).toBe("b\nc");
  });
});

describe("an answer", () => {
  const words = "Über die Größe der Dächer — slate, tin, straw. ";
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [
      `_projects/A rather long name of a note that is number ${at} of many.md`,
      `---\ntype: task\nstatus: todo\ntitle: ${words}${at}\ndue: 2025-08-${10 + (at % 20)}\ntags: [a${at}, b${at}]\n---\n${words.repeat(80)}[[missing ${at}]] #t${at}\n`,
    ]),
  );
  const lists: readonly (readonly [tool: string, args: object])[] = [
    ["scan_vault", {}],
    ["search_tasks", { query: "*", limit: 100 }],
    ["get_agenda", { view: "week" }],
    ["get_agenda", { view: "review" }],
    ["find_notes", { query: "slate", limit: 50, include_content: true }],
    ["find_notes", { limit: 50 }],
    ["obsidian_list_tags", { limit: 200 }],
    ["obsidian_list_orphans", { limit: 200 }],
    ["obsidian_list_unresolved_links", { limit: 200 }],
    ["search", { query: "slate" }],
    ["get_workspace_files", {}],
  ];
  // All of them only read.
  const { call } = vaultWith(files);

  it.each(lists)(
    "of %s %j has at most 25,000 characters, and says how many there are in all",
    async (tool, args) => {
      const outcome = await call(tool, args);
      expect(outcome.ok, outcome.text).toBe(true);
      const details = outcome.ok ? (outcome.details ?? "") : "";
      expect(outcome.text.length + details.length).toBeLessThanOrEqual(25_000);
      expect(`${outcome.text}\n${details}`).toMatch(/\b(400|800|1200)\b/);
    },
    30_000,
  );
});

describe("text that leaves a code block or comment open", () => {
  const PATCH = "@@ -1 +1,2 @@\n # One\n+%%\n";
  it.each([
    ["obsidian_append_note", { note: "N", heading: "One", content: "```\ncode" }],
    ["obsidian_prepend_note", { note: "N", content: "<!-- aside" }],
    ["replace_section", { note: "N", heading: "One", content: "%%" }],
    ["edit_note", { path: "N.md", patch: PATCH }],
    ["create", { path: "New.md", file_text: "%% aside" }],
    ["obsidian_create_note", { name: "New", content: "```" }],
    ["obsidian_create_note", { name: "N.md", content: "```", overwrite: true }],
    ["insert", { path: "N.md", insert_line: 1, new_str: "~~~" }],
    ["str_replace", { path: "N.md", old_str: "text", new_str: "```" }],
  ])("of %s is said, because it hides what is below", async (tool, args) => {
    const { call } = vaultWith({ "N.md": "# One\ntext\n\n# Two\n- [ ] Paint\n" });
    const outcome = await call(tool, args);
    const leftOpen = "A code block or comment is not closed now: all below it is inside.";
    expect(data(outcome)).toMatchObject({ leftOpen });
    expect(String(outcome.ok && outcome.details)).toContain(leftOpen);
  });

  it("is not said of text that is closed, or was open before", async () => {
    const { call } = vaultWith({ "N.md": "# One\ntext\n", "Open.md": "```\ntext\n" });
    for (const [note, content] of [
      ["N", "```\ncode\n```"],
      ["Open", "more"],
    ] as const)
      expect(data(await call("obsidian_prepend_note", { note, content }))).not.toHaveProperty(
        "leftOpen",
        expect.any(String),
      );
  });

  it("takes no tasks of add_tasks", async () => {
    const { call } = vaultWith({ "Open.md": "# One\n```\ntext\n" });
    const outcome = await call("add_tasks", { note: "Open", text: "Paint #task" });
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
  });
});
