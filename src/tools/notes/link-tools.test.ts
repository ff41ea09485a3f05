/** The link tools' words, structured content and refusals, over a vault in memory. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { assembleVault } from "../../open.js";
import { fixedClock } from "../../clock.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import type { ToolOutcome } from "../outcome.js";
import { TOOLS } from "../all-tools.js";
import { validatorFor } from "../validator.js";
import { createWorkspace } from "../workspace.js";

async function call(files: Readonly<Record<string, string>>, name: string, args: unknown): Promise<ToolOutcome> {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const open = assembleVault({ storage: new MemoryStorage({ files, clock }), name: "Study", linkName: "Study", clock });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(name);
  const outcome = await tool.call(args, contextOf(createWorkspace({ opener, default: "Study", switches: true })));
  if (!outcome.ok) return outcome;
  const validate = await validatorFor(name, tool.listing.outputSchema);
  expect(validate(structuredClone(outcome.data))).toEqual([]);
  return outcome;
}

const NAMES = [
  "obsidian_get_backlinks",
  "obsidian_get_outgoing_links",
  "obsidian_list_attachments",
  "obsidian_list_unresolved_links",
  "obsidian_list_orphans",
  "obsidian_list_tags",
] as const;

describe("a note is named", () => {
  const files = { "A/Note.md": "", "Home.md": "[[Note]]" };

  it.each([
    "Note",
    "note.md",
    "A/Note",
    "/A/Note.md",
    "[[Note|y]]",
    "mcp-obsidian://Study/A/Note.md",
    "mcp-obsidian://study/A%2FNote.md",
  ])("as %s", async (note) =>
    expect(await call(files, "obsidian_get_backlinks", { note })).toMatchObject({
      ok: true,
      data: { path: "A/Note.md", total: 1 },
    }),
  );

  it.each([
    ["mcp-obsidian://OTHER/A/Note.md", "INVALID_ARGUMENT"],
    ["mcp-obsidian://Study/..%2F..%2Fetc%2Fpasswd", "PERMISSION_DENIED"],
    ["file:///etc/passwd", "INVALID_ARGUMENT"],
    ["../out.md", "PERMISSION_DENIED"],
    [".obsidian/app.json", "PERMISSION_DENIED"],
    ["a\u0000b", "INVALID_ARGUMENT"],
    ["Nothing like it", "FILE_NOT_FOUND"],
    ["x".repeat(5000), "INVALID_ARGUMENT"],
  ])("never as %s", async (note, code) => {
    for (const name of NAMES.slice(0, 3))
      expect(await call(files, name, { note })).toMatchObject({ ok: false, error: { code } });
  });
});

it.each(NAMES)("%s works on an empty vault, or says what is missing", async (name) => {
  const outcome = await call({}, name, name.includes("list_") && !name.includes("attachments") ? {} : { note: "a" });
  if (outcome.ok) expect(outcome.data).toMatchObject({ total: 0 });
  else expect(outcome).toMatchObject({ error: { code: "FILE_NOT_FOUND" } });
});

it.each(["../x", ".obsidian", "a/../b"])("folder %s is refused", async (folder) => {
  for (const name of NAMES.slice(3))
    expect(await call({ "a.md": "" }, name, { folder })).toMatchObject({
      ok: false,
      error: { code: "PERMISSION_DENIED" },
    });
});

describe("a long answer", () => {
  const links = Array.from({ length: 150 }, (_, at) => `[[${"very long name ".repeat(12)}${at}]]`);
  const many = {
    "Hub.md": links.join("\n"),
    ...Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [
        `${"long folder name/".repeat(8)}${at}.md`,
        `${"words ".repeat(60)} [[Hub]] #tag${at}`,
      ]),
    ),
  };

  it.each([
    ["obsidian_get_backlinks", { note: "Hub", limit: 200 }, 150],
    ["obsidian_get_outgoing_links", { note: "Hub", limit: 200 }, 150],
    ["obsidian_list_unresolved_links", { limit: 200 }, 150],
    ["obsidian_list_orphans", { limit: 200 }, 150],
    ["obsidian_list_tags", { limit: 200 }, 150],
  ])("of %s stays below 10,000 tokens and can be gone on with to its end", async (name, args, total) => {
    let seen = 0;
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const outcome = await call(many, name, { ...args, offset });
      if (!outcome.ok) throw outcome.error;
      expect(encode(outcome.text).length).toBeLessThan(10_000);
      expect(encode(JSON.stringify(outcome.data)).length).toBeLessThan(10_000);
      const data = outcome.data as { total: number; next_offset?: number };
      expect(data.total).toBe(total);
      const list = Object.values(outcome.data).find((value) => Array.isArray(value)) as unknown[];
      seen += list.length;
      expect(outcome.text.match(/^- /gm)).toHaveLength(list.length);
      expect(data.next_offset === undefined || data.next_offset === seen).toBe(true);
      offset = data.next_offset;
    }
    expect(seen).toBe(total);
  });
});

it("shows a long line around the link", async () => {
  const outcome = await call(
    { "a.md": `${"before ".repeat(100)}[[Target]]${" behind".repeat(100)}`, "Target.md": "" },
    "obsidian_get_backlinks",
    { note: "Target" },
  );
  expect(outcome.text).toMatch(/: ….*before \[\[Target\]\] behind.*…$/);
  expect(outcome.text.length).toBeLessThan(400);
});

it("shows the words of notes on one line, so that they cannot forge an answer", async () => {
  const forged = "[[Target|x\u2028✅ done\u202E]] \u0007[[gone\u2028\u202Eforged]]";
  const files = { "a.md": forged, "Target.md": "#tag" };
  for (const [name, args] of [
    ["obsidian_get_backlinks", { note: "Target" }],
    ["obsidian_get_outgoing_links", { note: "a" }],
    ["obsidian_list_unresolved_links", {}],
  ] as const) {
    const outcome = await call(files, name, args);
    expect(outcome.ok).toBe(true);
    expect(outcome.text).not.toMatch(/[\u2028\u202E\u0007]/);
    expect(JSON.stringify(outcome)).not.toMatch(/[\u2028\u202E]|\\u0007/);
  }
});

it("leaves out files kept out of the answers, and counts each place of a missing file", async () => {
  const files = {
    ".obsidian/app.json": '{"userIgnoreFilters":["Old/"]}',
    "Old/x.md": "[[Note]] [[Gone]] #old",
    "Note.md": "[[Gone]]\n[[gone.md#x]] [g](Gone.md)\n[[gone]] [[GONE]] [[Gone]] #new/one",
  };
  expect(await call(files, "obsidian_get_backlinks", { note: "Note" })).toMatchObject({ data: { total: 0 } });
  expect((await call(files, "obsidian_list_unresolved_links", {})).text).toBe(
    "🔗 Unresolved links: 6, to 1 missing file\n\n- Gone (6): Note.md:1, Note.md:2, Note.md:2, Note.md:3, Note.md:3, and 1 more",
  );
  expect(await call(files, "obsidian_list_tags", {})).toMatchObject({
    data: {
      total: 2,
      tags: [
        { tag: "new", count: 1 },
        { tag: "new/one", count: 1 },
      ],
    },
  });
});

describe("a list that its folder empties says what there is elsewhere", () => {
  const files = { "A/Note.md": "", "Home.md": "#x [[Gone]] [[Note]]", "Old.md": "" };
  it.each([
    ["obsidian_list_tags", "In the whole vault there is 1."],
    ["obsidian_list_orphans", "In the whole vault there are 2."],
    ["obsidian_list_unresolved_links", "In the whole vault there is 1."],
  ])("%s", async (name, remark) => {
    const answer = await call(files, name, { folder: "A" });
    expect(answer).toMatchObject({ ok: true, details: remark, data: { total: 0, remark } });
    const without = await call({ "A/Note.md": "[[Old]]", "Old.md": "[[Note]]" }, name, {});
    expect(without).toMatchObject({ ok: true, data: { total: 0 } });
    expect(without).not.toHaveProperty("details");
  });

  it.each(["obsidian_list_tags", "obsidian_list_orphans", "obsidian_list_unresolved_links"])(
    "%s calls no folder empty where / is the whole vault",
    async (name) => {
      const links = { "A/Note.md": "[[Old]]", "Old.md": "[[Note]]" };
      expect(await call(links, name, { folder: "/" })).toEqual(await call(links, name, {}));
    },
  );

  it.each(["obsidian_list_tags", "obsidian_list_orphans", "obsidian_list_unresolved_links"])(
    "%s says that templates are not searched, and that a folder has no notes",
    async (name) => {
      const own = { "Templates/T.md": "#t [[Nothing]]", "Pictures/a.png": "" };
      const templates = await call({ ...files, ...own }, name, { folder: "Templates" });
      expect(templates).toMatchObject({ details: expect.stringContaining("Not searched: 1 note below 'Templates'") });
      expect(templates.text).not.toMatch(/Every|All/);
      const pictures = await call({ ...files, ...own }, name, { folder: "Pictures" });
      expect(pictures).toMatchObject({ details: expect.stringContaining("No note is below 'Pictures'.") });
    },
  );

  it("obsidian_list_attachments says that the links lead to notes", async () => {
    const answer = await call(files, "obsidian_list_attachments", { note: "Home" });
    expect(answer).toMatchObject({ ok: true, details: "It links only to notes (1 note)." });
  });
});

it.each([
  ["obsidian_list_tags", {}],
  ["obsidian_list_orphans", {}],
  ["obsidian_list_unresolved_links", {}],
  ["obsidian_get_backlinks", { note: "Home" }],
] as const)("%s names the notes that it read only in part", async (name, args) => {
  const broken = "---\ntags: [a\nsee: '[[Home]]'\n---\n";
  const files = { "A/Broken.md": broken, "B/Whole.md": "#x [[Gone]] [[Home]]", "Home.md": "" };
  const remark = "1 note cannot be read in full: A/Broken.md.";
  expect(await call(files, name, args)).toMatchObject({ details: remark, data: { remark } });
  if (name !== "obsidian_get_backlinks")
    expect(await call(files, name, { folder: "B" })).not.toMatchObject({ details: expect.stringContaining("Broken") });
});

describe("links to a part of a note", () => {
  const files = {
    "Plan.md": "# Plan\n\n## Budget\n\nMuch ^sum\n\n## Later\n",
    "a.md": "[[Plan#Budget]] and [[Plan]]",
    "b.md": "[[Plan#^sum]] and [[Plan#Plan#Budget|money]]",
  };
  it.each([
    ["Plan#Budget", "#Budget", 2],
    ["[[Plan#budget]]", "#Budget", 2],
    ["Plan.md#^sum", "#^sum", 1],
    ["Plan#Later", "#Later", 0],
    ["Plan", undefined, 4],
  ] as const)("are listed by themselves: %s", async (reference, part, total) => {
    expect(await call(files, "obsidian_get_backlinks", { note: reference })).toMatchObject({
      data: { path: "Plan.md", total, ...(part !== undefined && { part }) },
    });
  });

  it("are refused for a part that the note lacks", async () => {
    const outcome = await call(files, "obsidian_get_backlinks", { note: "Plan#Cost" });
    expect(outcome.text).toContain("no such heading");
    expect(outcome.text).toContain("## Budget");
  });
});

it.each([
  ["week 44", "2025-W44"],
  ["Q3", "2025-Q3"],
])("names the periodic note that %s may mean", async (note, name) => {
  const periods = ["weekly", "monthly", "quarterly"].map((name) => [name, { enabled: true, format: "", folder: "" }]);
  const outcome = await call(
    {
      ".obsidian/community-plugins.json": '["periodic-notes"]',
      ".obsidian/plugins/periodic-notes/data.json": JSON.stringify(Object.fromEntries(periods)),
    },
    "obsidian_read_note",
    { note },
  );
  expect(outcome.text).toContain(`The periodic note of that name is "${name}".`);
  expect((await call({}, "obsidian_read_note", { note })).text).not.toContain(name);
});

it.each(["note", "folder"])("finds tasks in a folder that has the name of a periodic note: %s", async (name) => {
  const files = { "Daily/2025-08-29.md": "- [ ] sweep #task", "Daily/2025-08-30.md": "- [ ] rake #task" };
  const outcome = await call(files, "search_tasks", { query: "*", [name]: "Daily" });
  expect(outcome).toMatchObject({ data: { total: 2 } });
});
