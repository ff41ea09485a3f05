/**
 * Notes that access rules hide are in no answer: every tool answers as it would in a vault without them. Without rules the same calls show
 * them, so that the test sees what it looks for; and each rule left out makes it fail.
 */
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { VaultRules } from "../src/access/rules.js";
import { fixedClock } from "../src/clock.js";
import { silentLog } from "../src/log.js";
import { closeVault, openFolder, vaultOpener, type ClosableOpener } from "../src/open.js";
import { callResult, wordsOf } from "../src/tools/outcome.js";
import { toolsFor } from "../src/tools/registry.js";
import { CANARY, RULES, VISIBLE, hiddenFiles, rulesBut, task } from "./kit/hidden-notes.js";
import { createWorkspace, type OpenVault, type Workspace } from "../src/tools/workspace.js";

const folders: string[] = [];
const opened: OpenVault[] = [];
const frontEnds: ClosableOpener[] = [];
afterAll(async () => {
  await Promise.all(frontEnds.map((opener) => opener.close()));
  await Promise.all(opened.map(closeVault));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function vaultOf(files: Readonly<Record<string, string>>): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "access-"));
  folders.push(parent);
  const folder = join(parent, "vault");
  const day = new Date("2025-08-01T12:00:00Z");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    await utimes(join(folder, path), day, day);
  }
  return folder;
}

async function open(folder: string, ...access: readonly VaultRules[]): Promise<OpenVault> {
  const vault = await openFolder(folder, "vault", { access, clock: fixedClock("2025-09-01T09:00:00Z") });
  opened.push(vault);
  return vault;
}

async function call(vault: OpenVault, name: string, args: object): Promise<string> {
  const workspace: Workspace = { hasDefault: true, current: async () => vault, open: async () => vault };
  const tool = toolsFor({ hasDefaultVault: true }).find(name);
  const outcome = await tool?.call(args, { workspace, log: silentLog, signal: new AbortController().signal });
  if (!outcome) throw new Error(`no tool ${name}`);
  // Names of operations differ in each vault.
  return `${wordsOf(outcome)}\n${JSON.stringify(callResult(outcome))}`.replaceAll(/\bop-[0-9a-z-]+/g, "op-");
}

/** Every tool that reads, with arguments at random and aimed at what is hidden. */
const READS: readonly (readonly [tool: string, args: object])[] = [
  ["scan_vault", {}],
  ["search_tasks", { query: "dig" }],
  ["search_tasks", { query: CANARY.slice(0, 4) }],
  ["search_tasks", { query: "dig", includeArchived: true, sort: "due" }],
  ["search_tasks", { query: "canary", area: CANARY }],
  ["search_tasks", { query: "dig", tags: ["private"] }],
  ["get_task", { taskId: "1-Projects/Dig.md" }],
  ["get_task", { taskId: "1-Projects/Inline.md" }],
  ["get_task", { taskId: "Inline" }],
  ...["agenda", "today", "week", "review", "projects"].map((view) => ["get_agenda", { view }] as const),
  ["find_notes", {}],
  ["find_notes", { query: "found" }],
  ["find_notes", { query: "day", include_content: true }],
  ["find_notes", { folder: "Diary" }],
  ["find_notes", { tags: "private" }],
  ["find_notes", { properties: "ai=false" }],
  ["find_notes", { count_only: true }],
  ["find_notes", { has_attachments: true }],
  ["summarise_note", { uri: "Home.md" }],
  ["obsidian_read_note", { note: "Home" }],
  ["obsidian_read_note", { note: "Lost and found" }],
  ["obsidian_read_note", { note: "Private/Lost and found.md" }],
  ["read_note", { path: "Lost and fond.md" }],
  ["read_note", { path: ".mcpignore" }],
  ["obsidian_get_backlinks", { note: "Home" }],
  ["obsidian_get_backlinks", { note: "Garden" }],
  ["obsidian_get_backlinks", { note: "Seeds" }],
  ["obsidian_get_outgoing_links", { note: "Home" }],
  ["obsidian_list_unresolved_links", {}],
  ["obsidian_list_orphans", {}],
  ["obsidian_list_tags", {}],
  ["obsidian_list_attachments", { note: "Home" }],
  ["obsidian_list_conflicts", {}],
  ["view", { path: "/" }],
  ["view", { path: "Private" }],
  ["view", { path: "1-Projects" }],
  ["view", { path: "3-Resources" }],
  ["view", { path: "Diary" }],
  ["get_workspace_files", {}],
  ["get_workspace_files", { pattern: "**/*canary*" }],
  ["search", { query: "canary" }],
  ["search", { query: "Xylo|Peas", regex: true }],
  ["search", { query: "x", path: "Private" }],
];

describe("what access rules hide", () => {
  it.each(READS)("%s %j answers as in a vault without it", async (name, args) => {
    const [shown, bare] = await views();
    const answer = await call(shown, name, args);
    expect(answer.toLowerCase().replaceAll(JSON.stringify(args).toLowerCase(), "")).toBe(
      (await call(bare, name, args)).toLowerCase().replaceAll(JSON.stringify(args).toLowerCase(), ""),
    );
    const own = JSON.stringify(args).includes(CANARY) ? CANARY : "";
    if (own === "") expect(answer.toLowerCase()).not.toContain(CANARY);
  });

  it("is in these answers without the rules, and where any one rule is left out", async () => {
    const all = async (vault: OpenVault): Promise<string> => {
      const answers: string[] = [];
      for (const [name, args] of READS)
        if (!JSON.stringify(args).includes(CANARY)) answers.push(await call(vault, name, args));
      return answers.join("\n");
    };
    for (const without of Object.keys(RULES) as (keyof typeof RULES)[]) {
      const vault = await open(await vaultOf({ ...VISIBLE, ...hiddenFiles(without) }), rulesBut(without));
      expect((await all(vault)).toLowerCase(), without).toContain(CANARY);
    }
  });

  let pair: Promise<readonly [OpenVault, OpenVault]> | undefined;
  function views(): Promise<readonly [OpenVault, OpenVault]> {
    return (pair ??= (async () =>
      [
        await open(await vaultOf({ ...VISIBLE, ...hiddenFiles() }), rulesBut()),
        await open(await vaultOf(VISIBLE)),
      ] as const)());
  }
});

describe("writing under access rules", () => {
  it("is refused at a denied path, whether anything is there or not", async () => {
    const vault = await open(await vaultOf({ ...VISIBLE, ...hiddenFiles() }), rulesBut());
    const refusal = /may not be changed: the access rules do not allow it/;
    expect(await call(vault, "create", { path: "Private/new.md", file_text: "x" })).toMatch(refusal);
    expect(await call(vault, "create", { path: "Private/Lost and found.md", file_text: "x" })).toMatch(refusal);
    expect(await call(vault, "obsidian_create_note", { name: "new", path: "Private", content: "x" })).toMatch(refusal);
    expect(await call(vault, "create", { path: ".mcpignore", file_text: "" })).toMatch(/❌|hidden|may not/);
    expect(await call(vault, "rename", { old_path: "Home.md", new_path: "Private/Home.md" })).toMatch(refusal);
  });

  it("is refused outside of what --allow-write names, and reading goes on", async () => {
    const vault = await open(await vaultOf(VISIBLE), { allowWrite: ["1-Projects/"] });
    expect(await call(vault, "str_replace", { path: "Home.md", old_str: "Home", new_str: "x" })).toMatch(
      /may not be changed/,
    );
    expect(await call(vault, "str_replace", { path: "1-Projects/Dig.md", old_str: "Dig", new_str: "Rake" })).toContain(
      "Dig.md",
    );
    expect(await call(vault, "obsidian_read_note", { note: "Home" })).toContain("# Home");
    expect(await call(vault, "undo_edit", { path: "1-Projects/Dig.md" })).toContain("Dig.md");
    expect(await call(vault, "delete", { path: "1-Projects/Dig.md" })).toContain("Dig.md");
  });

  it("shows nothing outside of `only`, and its folders alone", async () => {
    const vault = await open(await vaultOf({ ...VISIBLE, ...hiddenFiles() }), { only: ["3-Resources/Seeds.md"] });
    expect(await call(vault, "get_workspace_files", {})).not.toMatch(/Home|Garden|plan\.txt/);
    expect(await call(vault, "view", { path: "/" })).not.toMatch(/1-Projects|Private|Home/);
    expect(await call(vault, "read_note", { path: "3-Resources/Seeds.md" })).toContain("Peas");
  });

  it("a note that gets a denied tag, here or elsewhere, is hidden with the next call, and another that loses it is shown", async () => {
    const folder = await vaultOf({ ...VISIBLE, ...hiddenFiles() });
    const vault = await open(folder, rulesBut());
    await call(vault, "find_notes", {});
    await writeFile(join(folder, "3-Resources/Seeds.md"), `# Seeds\n${CANARY} #private\n`);
    await writeFile(join(folder, "1-Projects/Inline.md"), task("Now shown", "due: 2025-09-03\n"));
    for (const [name, args] of [
      ["find_notes", {}],
      ["search", { query: "canary" }],
      ["read_note", { path: "3-Resources/Seeds.md" }],
      ["get_workspace_files", {}],
    ] as const)
      expect((await call(vault, name, args)).toLowerCase()).not.toMatch(/xylocanary|# seeds/);
    expect(await call(vault, "search_tasks", { query: "shown" })).toContain("Now shown");
  });

  it("a rename keeps links right in hidden notes, unnamed and uncounted, and so does its undo", async () => {
    const folder = await vaultOf({ ...VISIBLE, ...hiddenFiles() });
    const vault = await open(folder, rulesBut());
    const bare = await open(await vaultOf(VISIBLE));
    const rename = { old_path: "3-Resources/Seeds.md", new_path: "3-Resources/Grain.md" };
    const answer = await call(vault, "rename", rename);
    expect(answer).toBe(await call(bare, "rename", rename));
    const hidden = join(folder, `Private/${CANARY} one.md`);
    expect(await readFile(hidden, "utf8")).toContain("[[Grain]]");
    const undone = await call(vault, "undo_edit", { path: "3-Resources/Grain.md" });
    expect(undone).toBe(await call(bare, "undo_edit", { path: "3-Resources/Grain.md" }));
    expect(await readFile(hidden, "utf8")).toContain("[[Seeds]]");
  });

  it.each([
    ["a renamed heading", { old_path: "3-Resources/Seeds.md#Seeds", new_path: "Grain" }, "[[Seeds#Grain]] [[Seeds]]"],
    ["a merged note", { old_path: "3-Resources/Seeds.md", new_path: "Home.md", into: true }, "[[Home#Seeds]] [[Home]]"],
  ])(
    "%s keeps links right in hidden notes, unnamed and uncounted, and so does its undo",
    async (_what, rename, links) => {
      const place = `Private/${CANARY} linking.md`;
      const folder = await vaultOf({ ...VISIBLE, ...hiddenFiles(), [place]: "[[Seeds#Seeds]] [[Seeds]]" });
      const [vault, bare] = [await open(folder, rulesBut()), await open(await vaultOf(VISIBLE))];
      expect(await call(vault, "rename", rename)).toBe(await call(bare, "rename", rename));
      expect(await readFile(join(folder, place), "utf8")).toBe(links);
      const undo = { path: rename.new_path === "Grain" ? "3-Resources/Seeds.md" : "Home.md" };
      expect(await call(vault, "undo_edit", undo)).toBe(await call(bare, "undo_edit", undo));
      expect(await readFile(join(folder, place), "utf8")).toBe("[[Seeds#Seeds]] [[Seeds]]");
    },
  );

  it("renaming a folder leaves what is hidden in it where it is", async () => {
    const folder = await vaultOf({ ...VISIBLE, ...hiddenFiles() });
    const vault = await open(folder, rulesBut());
    const answer = await call(vault, "rename", { old_path: "1-Projects", new_path: "Work" });
    expect(answer.toLowerCase()).not.toContain(CANARY);
    expect(await readFile(join(folder, `1-Projects/Hidden/${CANARY}.md`), "utf8")).toContain(CANARY);
    expect(await readFile(join(folder, "1-Projects/Inline.md"), "utf8")).toContain(CANARY);
    expect(await readFile(join(folder, "Work/Dig.md"), "utf8")).toContain("Dig the bed");
  });

  it("undo neither shows nor restores a text that is hidden, and names no hidden file", async () => {
    const folder = await vaultOf({ ...VISIBLE, ...hiddenFiles() });
    const state = await mkdtemp(join(tmpdir(), "access-state-"));
    folders.push(state);
    const clock = fixedClock("2025-09-01T09:00:00Z");
    const all = await openFolder(folder, "vault", { clock, stateFolder: state, access: [{ only: ["**"] }] });
    await rm(join(folder, ".mcpignore"));
    const free = await openFolder(folder, "vault", { clock, stateFolder: state });
    opened.push(all, free);
    await call(free, "str_replace", { path: "1-Projects/Inline.md", old_str: "text #private", new_str: "text" });
    await call(free, "str_replace", { path: "Private/Lost and found.md", old_str: "# Lost", new_str: "# Found" });
    const vault = await openFolder(folder, "vault", { clock, stateFolder: state, access: [rulesBut()] });
    opened.push(vault);
    const { entries } = await free.vault.history.list({ limit: 9 });
    for (const undo of [{ last: true }, ...entries.map(({ id }) => ({ path: `op-${id}` }))]) {
      const answer = (await call(vault, "undo_edit", undo)).toLowerCase();
      expect(answer, JSON.stringify(undo)).not.toMatch(/xylocanary|lost and found/);
    }
    expect(await call(vault, "undo_edit", { path: "1-Projects/Inline.md" })).not.toContain("#private");
    expect(await readFile(join(folder, "1-Projects/Inline.md"), "utf8")).not.toContain("#private");
    expect(await readFile(join(folder, "Private/Lost and found.md"), "utf8")).toContain("# Found");
  });
});

it("a periodic note whose place is hidden is not named", async () => {
  const settings = { ".obsidian/daily-notes.json": JSON.stringify({ folder: `${CANARY} diary` }) };
  const vault = await open(await vaultOf({ ...VISIBLE, ...settings }), { deny: [`${CANARY}*/`] });
  for (const [tool, args] of [
    ["obsidian_append_note", { note: "daily", content: "x" }],
    ["obsidian_append_note", { note: "daily", content: "x", create: true }],
    ["add_tasks", { note: "daily", text: "- [ ] x" }],
    ["read_note", { path: "daily" }],
  ] as const)
    expect((await call(vault, tool, args)).toLowerCase(), tool).not.toContain(CANARY);
});

describe("the vault's own rules count from the next call on", () => {
  const shows = async (folder: string, ...rules: readonly VaultRules[]) => {
    const opener = vaultOpener({ access: rules, clock: fixedClock("2025-09-01T09:00:00Z") });
    const workspace = createWorkspace({ opener, default: folder, switches: false });
    frontEnds.push(opener);
    return async (path: string) => {
      const vault = await workspace.current();
      const found = await call(vault, "get_workspace_files", {});
      const read = await call(vault, "read_note", { path });
      // What is listed and what can be read is the same.
      expect(read.includes("There is no file"), path).toBe(!found.includes(path));
      return found.includes(path);
    };
  };

  it("when they change, are removed and come back", async () => {
    const folder = await vaultOf({ ...VISIBLE, ".mcpignore": "Home.md\n" });
    const isShown = await shows(folder);
    expect([await isShown("Home.md"), await isShown("3-Resources/Seeds.md")]).toEqual([false, true]);
    await writeFile(join(folder, ".mcpignore"), "3-Resources/\n");
    expect([await isShown("Home.md"), await isShown("3-Resources/Seeds.md")]).toEqual([true, false]);
    await rm(join(folder, ".mcpignore"));
    expect([await isShown("Home.md"), await isShown("3-Resources/Seeds.md")]).toEqual([true, true]);
    await writeFile(join(folder, ".mcpignore"), "Home.md\n");
    expect(await isShown("Home.md")).toBe(false);
    await writeFile(join(folder, ".mcpignore"), Buffer.from([0xff, 0xfe, 0x00]));
    await expect(isShown("Home.md")).rejects.toThrow();
    await writeFile(join(folder, ".mcpignore"), "# nothing\n");
    expect(await isShown("Home.md")).toBe(true);
  });

  it.each([
    ["without other rules", []],
    ["with others", [{ deny: ["2-Areas/"] }]],
  ] as const)("when a vault that was opened without them gets them, %s", async (_, rules) => {
    const folder = await vaultOf(VISIBLE);
    const isShown = await shows(folder, ...rules);
    expect(await isShown("Home.md")).toBe(true);
    await writeFile(join(folder, ".mcpignore"), "Home.md\n");
    expect(await isShown("Home.md")).toBe(false);
  });
});

it("rules that cannot be read show nothing of the vault", async () => {
  const folder = await vaultOf(VISIBLE);
  await writeFile(join(folder, ".mcpignore"), Buffer.from([0xff, 0xfe, 0x00]));
  await expect(open(folder)).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

it("a tool that is denied is neither listed nor called, and a misspelt one is refused", () => {
  const tools = toolsFor({ hasDefaultVault: true, denied: ["delete"] });
  expect(tools.tools.map(({ name }) => name)).not.toContain("delete");
  expect(() => toolsFor({ denied: ["delte"] })).toThrow("There is no tool 'delte'");
});
