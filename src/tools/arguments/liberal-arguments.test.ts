/** What is accepted besides the documented names and values, what an answer says of it, and what stays refused (docs: tools, "Arguments"). */
import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { pathWithin } from "../../storage/filesystem/vault-folder.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";
import { ROLES } from "./argument-roles.js";
import type { ToolOutcome } from "../outcome.js";
import { roleOf, type ObjectSchema } from "../schema.js";
import { TOOLS } from "../all-tools.js";
import { createWorkspace } from "../workspace.js";

const TASK = "---\nid: task-roof\ntype: task\nstatus: todo\naliases: [shingles]\n---\n# Mend the roof\n";
const FILES = {
  "Notes/Roof.md": "---\ntitle: All about the roof\naliases: [Top of the house]\n---\nslate\n",
  "Notes/Twin.md": "---\naliases: [Twice]\n---\n",
  "Notes/Other.md": "---\naliases: [Twice]\n---\n",
  "Projects.md": "a note\n",
  "Projects/Plan.md": "plan\n",
  "_projects/Mend the roof.md": TASK,
};

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "liberal-")));
  mkdirSync(join(folder, "Study", "Notes"), { recursive: true });
  writeFileSync(join(folder, "Study", "Notes", "Roof.md"), "");
  writeFileSync(join(folder, "out.md"), "");
  symlinkSync("Study", join(folder, "Alias"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function studyVault() {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const storage = new MemoryStorage({ name: "Study", files: FILES, clock });
  const within = (absolute: string) => pathWithin(join(folder, "Study"), "Study", absolute);
  const options = { storage, name: "Study", linkName: "Study", clock, ids: sequentialIds(), pathWithin: within };
  const open = assembleVault(options);
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
  return {
    async call(name: string, args: unknown): Promise<ToolOutcome> {
      const tool = TOOLS.find((tool) => tool.name === name);
      if (!tool) throw new Error(name);
      return tool.call(args, context);
    },
    async text(path: string): Promise<string | undefined> {
      const file = await storage.read(vaultPath(path));
      return file && Buffer.from(file.bytes).toString("utf8");
    },
  };
}

const inFolder = (text: string) => text.replace("FOLDER", folder);

describe("a reference to a note", () => {
  const forms = [
    "Notes/Roof.md",
    "Notes/Roof",
    "/Notes/Roof.md",
    "./Notes/Roof.md",
    "Notes\\Roof.md",
    ".\\Notes\\Roof",
    "notes/roof",
    "roof",
    "[[Roof]]",
    "[[Notes/Roof|the roof]]",
    "[the roof](Notes/Roof.md)",
    "mcp-obsidian://Study/Notes/Roof.md",
    "obsidian://open?vault=Study&file=Notes%2FRoof",
    "obsidian://vault/study/Notes/Roof",
    "obsidian://open?path=FOLDER/Study/Notes/Roof.md",
    "FOLDER/Study/Notes/Roof.md",
    "FOLDER/Alias/Notes/Roof.md",
    "all about the ROOF",
    "Top of the house",
    "[[Top of the house]]",
  ];

  it.each(forms)("%s is read by tools for notes, files and tasks alike", async (form) => {
    const vault = studyVault();
    const note = inFolder(form);
    expect(await vault.call("obsidian_read_note", { note })).toMatchObject({
      ok: true,
      data: { path: "Notes/Roof.md" },
    });
    expect(await vault.call("view", { path: note })).toMatchObject({ ok: true, data: { path: "Notes/Roof.md" } });
    expect((await vault.call("add_tasks", { note, text: "Buy slate tomorrow" })).text).toContain("id Notes/Roof.md:7");
    expect(await vault.call("search_tasks", { note, query: "slate" })).toMatchObject({ ok: true, data: { total: 1 } });
  });

  it.each([
    { note: "Rof", code: "FILE_NOT_FOUND" },
    { note: "Notes/Rof.md", code: "FILE_NOT_FOUND" },
    { note: "Twice", code: "AMBIGUOUS_NAME" },
  ])("$note, which is no note, is refused by all of them with $code", async ({ note, code }) => {
    const vault = studyVault();
    const calls = { obsidian_read_note: {}, add_tasks: { text: "x" }, search_tasks: { query: "*" } };
    for (const [tool, args] of Object.entries(calls))
      expect(await vault.call(tool, { note, ...args })).toMatchObject({ ok: false, error: { code } });
  });

  it("may name a folder as folder where files and folders are taken", async () => {
    const vault = studyVault();
    expect((await vault.call("view", { folder: "Notes" })).text).toContain("Roof.md");
    expect((await vault.call("search", { directory: "Notes", query: "slate" })).text).toContain("Notes/Roof.md");
    expect((await vault.call("get_history", { folder: "Notes" })).ok).toBe(true);
    expect((await vault.call("str_replace", { folder: "Notes", old_str: "a", new_str: "b" })).ok).toBe(false);
  });

  it("may name a folder in another case", async () => {
    const vault = studyVault();
    expect(await vault.call("find_notes", { folder: "NOTES", query: "roof" })).toMatchObject({ ok: true });
    expect(await vault.call("search", { path: "notes", query: "roof" })).toMatchObject({ ok: true });
    expect(await vault.call("find_notes", { folder: "note" })).toMatchObject({ ok: false });
  });

  it.each([
    "_projects\\Mend the roof.md",
    "./_projects/Mend the roof",
    "shingles",
    "[x](_projects/Mend%20the%20roof.md)",
  ])("%s is read as a task", async (taskId) =>
    expect(await studyVault().call("get_task", { taskId })).toMatchObject({ ok: true, data: { id: "task-roof" } }),
  );

  it.each([
    ["../out.md", "PERMISSION_DENIED"],
    ["Notes\\..\\..\\out.md", "PERMISSION_DENIED"],
    ["[x](../../out.md)", "PERMISSION_DENIED"],
    ["obsidian://open?vault=Study&file=..%2Fout", "PERMISSION_DENIED"],
    ["C:\\Study\\Notes\\Roof.md", "PERMISSION_DENIED"],
    ["\\\\host\\Study\\Roof.md", "PERMISSION_DENIED"],
    ["//host/Study/Roof.md", "PERMISSION_DENIED"],
    ["obsidian://open?vault=Other&file=Roof", "INVALID_ARGUMENT"],
    ["obsidian://open", "INVALID_ARGUMENT"],
    ["FOLDER/out.md", "FILE_NOT_FOUND"],
    ["FOLDER/Study/../out.md", "PERMISSION_DENIED"],
    ["Twice", "AMBIGUOUS_NAME"],
  ])("%s is refused with %s", async (form, code) => {
    const vault = studyVault();
    const note = inFolder(form);
    for (const [tool, args] of [
      ["obsidian_read_note", { note }],
      ["obsidian_append_note", { note, content: "x" }],
      ["search_tasks", { note, query: "*" }],
    ] as const) {
      const outcome = await vault.call(tool, args);
      expect(outcome).toMatchObject({ ok: false, error: { code } });
      expect(outcome.text).not.toContain(folder);
    }
  });

  it("a folder wins over the note of its name", async () => {
    expect(await studyVault().call("view", { path: "Projects" })).toMatchObject({ data: { kind: "folder" } });
    expect(await studyVault().call("delete", { path: "Projects" })).toMatchObject({ ok: false });
  });

  it("means no place for something new, but for its path on this machine", async () => {
    const vault = studyVault();
    expect(await vault.call("create", { path: "roof", file_text: "x" })).toMatchObject({ data: { path: "roof" } });
    const path = join(folder, "Study", "New.md");
    expect(await vault.call("create", { path, file_text: "x" })).toMatchObject({ data: { path: "New.md" } });
    expect(await vault.call("create", { path: "../New.md", file_text: "x" })).toMatchObject({ ok: false });
  });
});

describe("another name of an argument", () => {
  it.each<[string, object, object]>([
    ["view", { file_path: "Notes/Roof.md" }, { path: "Notes/Roof.md" }],
    ["view", { note: "Notes/Roof.md" }, { path: "Notes/Roof.md" }],
    ["obsidian_read_note", { path: "Roof" }, { path: "Notes/Roof.md" }],
    ["obsidian_append_note", { filename: "Roof", text: "more" }, { path: "Notes/Roof.md" }],
    ["summarise_note", { note: "Roof" }, { uri: "mcp-obsidian://Study/Notes/Roof.md" }],
    ["insert", { path: "Notes/Roof.md", insertLine: 0, insert_text: "x" }, { insertLine: 0 }],
    ["str_replace", { path: "Notes/Roof.md", old_string: "slate", new_string: "tin" }, { line: 5 }],
    ["create", { file: "x.md", content: "a" }, { path: "x.md" }],
    ["rename", { path: "Notes/Roof.md", to: "Notes/Top.md" }, { path: "Notes/Top.md" }],
    ["get_task", { task: "task-roof" }, { id: "task-roof" }],
    ["get_task", { title: "Mend the roof" }, { id: "task-roof" }],
    ["update_task", { id: "task-roof", status: "done" }, { status: "Done" }],
    ["update_task", { taskId: "task-roof", title: "Mend it" }, { title: "Mend it" }],
    ["update_task", { title: "Mend the roof", updates: { due: "2025/09/01" } }, { due: "2025-09-01" }],
    ["update_task", { task_id: "task-roof", updates: '{"status":"wip"}' }, { status: "In Progress" }],
    [
      "create_task",
      { title: "New", area: "Home", due_date: "2025-09-01T10:00:00Z", priority: "urgent" },
      { due: "2025-09-01", priority: "High" },
    ],
    ["create_task", { title: "New", area: "Home", project: "Roof" }, { parentProjects: ["Roof"] }],
    ["search_tasks", { status: "todo, doing" }, { total: 1 }],
    ["search_tasks", { query: "", due: "none" }, { total: 1 }],
    ["obsidian_delete_note", { path: "Projects.md", permanent: 1 }, { path: "Projects.md" }],
  ])("%s takes %j", async (name, args, data) => {
    const outcome = await studyVault().call(name, args);
    expect(outcome).toMatchObject({ ok: true, data });
  });

  it.each<[string, object, string]>([
    ["view", { path: "Notes/Roof.md", file: "x" }, '"file" says the same as "path", which is given too'],
    [
      "insert",
      { path: "x", insert_line: 1, new_str: "a", insert_text: "b" },
      '"insert_text" says the same as "new_str"',
    ],
    ["update_task", { taskId: "task-roof", updates: { status: "Done" }, status: "Done" }, '"status" is given twice'],
    ["get_task", { taskId: "task-roof", id: "x" }, '"id" says the same as "taskId", which is given too'],
    ["search_tasks", { limit: 5 }, '"query" is required'],
  ])("%s refuses %j", async (name, args, words) => {
    const outcome = await studyVault().call(name, args);
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
    expect(outcome.text).toContain(words);
  });

  it("is told in a block of its own, with what was read of values; documented calls get none", async () => {
    const vault = studyVault();
    expect(await vault.call("view", { file: "Top of the house" })).toMatchObject({
      details: expect.stringMatching(/^Hash: \w+\nRead "file" as "path", "Top of the house" as 'Notes\/Roof\.md'\.$/),
    });
    expect(await vault.call("search_tasks", { query: "*", status: "doing" })).toMatchObject({
      details: expect.stringContaining('Read "doing" as "In Progress".'),
    });
    for (const note of ["Notes/Roof.md", "Roof", "[[Roof]]", "mcp-obsidian://Study/Notes/Roof.md"])
      expect(await vault.call("obsidian_read_note", { note })).not.toHaveProperty("details");
    for (const name of ["obsidian_read_note", "obsidian_get_outgoing_links"])
      expect(await vault.call(name, { note: "[[Roof#Costs]]" })).toMatchObject({
        details: expect.stringContaining(`Read "[[Roof#Costs]]" as 'Notes/Roof.md', the whole file.`),
      });
    for (const path of ["/", ".", "", "Notes", "Notes/", "/Notes"])
      expect(await vault.call("view", { path })).not.toHaveProperty("details");
  });

  it.each([
    ["find_notes", { q: "slate", tag: "x" }, ['"q" as "query"', '"tag" as "tags"']],
    ["search", { text: "slate" }, ['"text" as "query"']],
    ["search", { pattern: "slate" }, ['"pattern" as "query"']],
    ["search_tasks", { search: "roof" }, ['"search" as "query"']],
    ["obsidian_append_note", { note: "Projects.md", content: "x", section: "No" }, undefined],
    ["insert", { path: "Projects.md", line: 1, content: "x" }, ['"line" as "insert_line"']],
    ["create", { name: "New.md", content: "x" }, ['"content" as "file_text"']],
    ["create_task", { name: "Paint", area: "Home", tag: "x" }, ['"name" as "title"', '"tag" as "tags"']],
    ["update_tasks", { ids: ["task-roof"], updates: { status: "Done" } }, ['"ids" as "tasks"']],
    ["rename", { path: "Projects.md", to: "Plans.md" }, ['"to" as "new_path"']],
    ["rename", { path: "Projects.md", name: "Plans.md" }, ['"name" as "new_path"']],
    ["search_tasks", { done: "last week" }, ['"done" as "completed"']],
    ["search_tasks", { due_date: "today" }, ['"due_date" as "due"']],
    ["undo_edit", { steps: 1 }, undefined],
  ] as const)("%s takes %j, whose names mean only one thing", async (tool, args, remarks) => {
    const outcome = await studyVault().call(tool, args);
    expect(outcome.text).not.toContain("unknown argument");
    if (remarks === undefined) return;
    expect(outcome).toMatchObject({ ok: true });
    for (const remark of remarks) expect(JSON.stringify(outcome)).toContain(JSON.stringify(remark).slice(1, -1));
  });

  it("never hides a declared one, in any tool", () => {
    const schemas = (root: ObjectSchema): ObjectSchema[] => [
      root,
      ...Object.values(root.properties).flatMap((inner) => (inner.type === "object" ? schemas(inner) : [])),
    ];
    for (const { listing } of TOOLS) expect(JSON.stringify(listing)).not.toContain('"role"');
    for (const { properties } of TOOLS.flatMap(({ input }) => schemas(input)))
      for (const [name, schema] of Object.entries(properties)) {
        const role = roleOf(schema);
        if (role !== undefined) expect(ROLES, `${name}: ${role}`).toHaveProperty(role);
      }
  });
});
