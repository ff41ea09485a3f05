/** Periodic notes through the tools: what their names mean, where they are found, and what is refused (docs: notes-and-files, "Periodic notes"). */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault } from "../open.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import type { ToolOutcome } from "../tools/outcome.js";
import { wordsOf } from "../tools/outcome.js";
import { TOOLS } from "../tools/all-tools.js";
import { createWorkspace } from "../tools/workspace.js";

const period = (folder: string, format = "", template = "") => ({ enabled: true, folder, format, template });
const flat = {
  daily: period("Calendar/Daily"),
  weekly: period("Calendar/Weekly", "", "Templates/Weekly"),
  monthly: period("Calendar/Monthly"),
  yearly: period("Calendar/Yearly"),
};

function vaultWith(files: Readonly<Record<string, string>>, settings: object = flat, locale?: string) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({
    name: "Study",
    files: {
      ".obsidian/community-plugins.json": '["periodic-notes"]',
      ".obsidian/plugins/periodic-notes/data.json": JSON.stringify(settings),
      ...files,
    },
    clock,
  });
  const opened = assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), locale });
  const opener = { resolve: async (path: string) => path, open: async () => opened };
  const workspace = createWorkspace({ opener, default: "Study", switches: false });
  const context = contextOf(workspace);
  return {
    text: async (path: string) => (await opened.vault.read(vaultPath(path))).text,
    has: async (path: string) => (await storage.stat(vaultPath(path))) !== undefined,
    call: async (name: string, input: object): Promise<ToolOutcome> =>
      TOOLS.find((tool) => tool.name === name)!.call(input, context),
  };
}

describe("a note that is not there", () => {
  it.each([
    ["obsidian_read_note", { note: "this week" }],
    ["view", { path: "this week" }],
    ["search_tasks", { note: "this week" }],
    ["obsidian_get_backlinks", { note: "this week" }],
  ])("is named with its path and how to make it: %s", async (tool, input) => {
    const { call } = vaultWith({});
    expect((await call(tool, input)).text).toContain(
      "There is no weekly note for 2026-W48; it would be 'Calendar/Weekly/2026-W48.md'.\n" +
        'Make it with obsidian_create_note "this week".',
    );
  });

  it.each([
    ["obsidian_create_note", { name: "this week" }],
    ["obsidian_append_note", { note: "this week", content: "", create: true }],
    ["obsidian_prepend_note", { note: "this week", content: "x", create: true }],
    ["add_tasks", { note: "this week", text: "Call Anna" }],
  ])("is made empty where its template is missing, and %s says so", async (tool, input) => {
    const { call, text } = vaultWith({});
    const made = await call(tool, input);
    expect(wordsOf(made)).toContain(
      "The template 'Templates/Weekly' of the settings is missing: the note began empty.",
    );
    expect(await text("Calendar/Weekly/2026-W48.md")).toMatch(/^(?:x\n?|- \[ \] Call Anna #task\n)?$/);
  });

  it.each([
    ["obsidian_append_note", { note: "this week", content: "x", create: true }],
    ["add_tasks", { note: "this week", text: "Call Anna" }],
  ])("is made with what its template leaves open, and %s lists it", async (tool, input) => {
    const { call } = vaultWith({ "Templates/Weekly.md": "{{month}} {{date:YYYY-MM-DD}} <% tp.x %>\n" });
    expect(wordsOf(await call(tool, input))).toContain("Left as they are, from the template: {{month}}, <% tp.x %>.");
  });

  it("has its first day where its template asks for a date in a format", async () => {
    const monthly = {
      ...flat,
      monthly: period("M", "YYYY-MM", "Templates/Month"),
      weekly: period("W", "gggg-[W]ww", "Templates/Month"),
    };
    const template = "{{date:YYYY-MM-DD}} {{date+1d:YYYY-MM-DD}} {{date}}\n";
    const { call, text } = vaultWith({ "Templates/Month.md": template }, monthly, "de");
    await call("obsidian_create_note", { name: "this month" });
    await call("obsidian_create_note", { name: "this week" });
    expect(await text("M/2026-11.md")).toBe("2026-11-01 2026-11-02 2026-11\n");
    expect(await text("W/2026-W48.md")).toBe("2026-11-23 2026-11-24 2026-W48\n");
  });

  it("is made from its template, whose unknown placeholders stay and are listed", async () => {
    const template = "# {{title}}\n{{monday:YYYY-MM-DD}} {{month}} {{time}}\n";
    const { call, text } = vaultWith({ "Templates/Weekly.md": template });
    const made = await call("obsidian_create_note", { name: "next week", content: "- tea" });
    expect(made).toMatchObject({ data: { path: "Calendar/Weekly/2026-W49.md", unfilled: ["{{month}}"] } });
    expect(await text("Calendar/Weekly/2026-W49.md")).toBe("# 2026-W49\n2026-11-30 {{month}} 09:05\n- tea\n");
    const again = await call("obsidian_create_note", { name: "2026-W49" });
    expect(again.text).toContain("There is a note 'Calendar/Weekly/2026-W49.md' already");
  });

  it("is made by appending nothing with create", async () => {
    const { call, text } = vaultWith({ "Templates/Weekly.md": "week\n" });
    const made = await call("obsidian_append_note", { note: "weekly", content: "", create: true });
    expect(made).toMatchObject({ ok: true, data: { path: "Calendar/Weekly/2026-W48.md", created: true } });
    expect(await text("Calendar/Weekly/2026-W48.md")).toBe("week\n");
    expect((await call("obsidian_append_note", { note: "weekly", content: "", create: true })).ok).toBe(false);
    expect(await call("undo_edit", {})).toMatchObject({ ok: true, data: { undone: "create" } });
  });

  it("is made for tasks", async () => {
    const { call, text } = vaultWith({ "Templates/Weekly.md": "# Week\n" });
    const added = await call("add_tasks", { note: "this week", text: "Call Anna tomorrow" });
    expect(added.text).toContain("Added 1 task");
    expect(await text("Calendar/Weekly/2026-W48.md")).toMatch(/^# Week\n[^]*- \[ \] Call Anna 📅 2026-11-24/u);
    const { text: listed } = await call("search_tasks", { note: "this week" });
    expect(listed).toContain("Call Anna");
  });
});

describe("a note that was moved", () => {
  const moved = { "Calendar/Weekly/2026/Old/2026-W48.md": "moved" };

  it("is the only one below the folder that is called so", async () => {
    const { call } = vaultWith({ ...moved, "Elsewhere/2026-W48.md": "no" });
    expect(await call("obsidian_read_note", { note: "this week" })).toMatchObject({ data: { text: "moved" } });
    expect((await call("obsidian_create_note", { name: "this week" })).text).toContain(
      "There is a note 'Calendar/Weekly/2026/Old/2026-W48.md' already",
    );
  });

  it("is found by the day in its name, in the period that the day falls into", async () => {
    const { call } = vaultWith(
      { "W/2026-11-22.md": "this week", "M/2026/11-05.md": "this month", "W/2026-11-15.md": "last week" },
      { weekly: period("W", "gggg-MM-DD"), monthly: period("M", "YYYY/MM-DD") },
    );
    for (const note of ["this week", "last week", "this month"])
      expect(await call("obsidian_read_note", { note })).toMatchObject({ data: { text: note } });
  });

  it("is asked for where there are two", async () => {
    const { call } = vaultWith({ ...moved, "Calendar/Weekly/B/2026-W48.md": "two" });
    const refused = await call("obsidian_read_note", { note: "this week" });
    expect(refused).toMatchObject({ ok: false, error: { code: "AMBIGUOUS_NAME" } });
  });

  it("is not found by a file name that does not say the whole period", async () => {
    const { call } = vaultWith({ "M/2025/11 November.md": "last year" }, { monthly: period("M", "YYYY/MM MMMM") });
    expect((await call("obsidian_read_note", { note: "this month" })).text).toContain(
      "it would be 'M/2026/11 November.md'",
    );
  });
});

describe("names", () => {
  it("win over titles and aliases, but for years and months", async () => {
    const { call } = vaultWith({
      "Calendar/Weekly/2026-W48.md": "week",
      "Weekly.md": "note",
      "A.md": "---\naliases: [this week, daily]\n---\n",
      "2026.md": "year book",
      "Calendar/Yearly/2026.md": "year",
      "Calendar/Monthly/2026-11.md": "month",
    });
    for (const [note, text] of [
      ["weekly", "week"],
      ["This  Week", "week"],
      ["weekly note", "week"],
      ["Weekly.md", "note"],
      ["[[Weekly]]", "note"],
      ["2026-11", "month"],
      ["yearly", "year"],
    ])
      expect(await call("obsidian_read_note", { note }), note).toMatchObject({ data: { text } });
    expect((await call("obsidian_read_note", { note: "daily" })).text).toContain("There is no daily note");
    expect((await call("obsidian_read_note", { note: "2026" })).text).toMatch(/year book|Several files/);
  });

  it("never mean a template", async () => {
    const { call } = vaultWith({ "Templates/2026-W48.md": "form" }, { weekly: period("") });
    expect((await call("obsidian_read_note", { note: "weekly" })).ok).toBe(false);
  });

  it("that are numbers are also those of notes elsewhere where there is no periodic one", async () => {
    const { call } = vaultWith({ "Log/2026-11-20.md": "log" });
    expect(await call("obsidian_read_note", { note: "2026-11-20" })).toMatchObject({ data: { text: "log" } });
  });
});

describe("what is refused", () => {
  it.each<[says: string, name: string, settings: object, locale?: string]>([
    ["Quarterly notes are not set up in this vault. Give a path.", "this quarter", flat],
    ["2026 has no week 53 (weeks begin on Sunday).", "2026-W53", flat],
    ["2027 has no week 53 (weeks begin on Monday).", "2027-W53", { weekly: period("", "GGGG-[W]WW") }],
    ["2025 has no week 0 (weeks begin on Monday).", "2025-W00", { ...flat, weekStart: "monday" }],
    ["which no note in the vault can be called", "yearly", { yearly: period("", "[../]YYYY") }],
    ["which no note in the vault can be called", "yearly", { yearly: period("", "[../../]YYYY[/x]") }],
    ["which no note in the vault can be called", "monthly", { monthly: period("", "MM:YYYY") }],
    ["which no note in the vault can be called", "monthly", { monthly: period("", "[.hidden/]YYYY") }],
    ['The locale "xx-yy" is unknown.', "weekly", flat, "xx-yy"],
    ['The locale "xx" is unknown.', "weekly", { ...flat, localeOverride: "xx" }],
  ])("%s", async (says, name, settings, locale) => {
    const { call } = vaultWith({}, settings, locale);
    for (const [tool, input] of [
      ["obsidian_read_note", { note: name }],
      ["obsidian_create_note", { name }],
      ["obsidian_append_note", { note: name, content: "x", create: true }],
      ["add_tasks", { note: name, text: "x" }],
    ] as const)
      expect((await call(tool, input)).text, tool).toContain(says);
  });
});

describe("formats that cannot be read back", () => {
  it("give the path and are found there alone", async () => {
    const { call } = vaultWith({ "W/Week 48.md": "now" }, { weekly: period("W", "[Week] w") });
    expect(await call("obsidian_read_note", { note: "this week" })).toMatchObject({ data: { text: "now" } });
    expect((await call("obsidian_read_note", { note: "next week" })).text).toContain("it would be 'W/Week 49.md'");
  });
});

it("locales are those of Moment, the more general one where there is none for a country", async () => {
  const settings = { daily: period("", "dddd D. MMMM YYYY") };
  for (const [locale, path] of [
    ["de_CH", "Montag 23. November 2026.md"],
    ["fr-XX", "lundi 23. novembre 2026.md"],
    ["zh", "星期一 23. 十一月 2026.md"],
  ]) {
    const { call } = vaultWith({}, settings, locale);
    expect(await call("obsidian_create_note", { name: "today" })).toMatchObject({ data: { path } });
  }
});
