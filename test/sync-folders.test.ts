/** Folders of iCloud, OneDrive, Syncthing, Dropbox, Nextcloud and Obsidian Sync, made up: what is not here, and copies of conflicts. */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkBoards, checkCopies } from "../src/cli/doctor/vault-checks.js";
import { fetchFromCloud } from "../src/storage/filesystem/read.js";
import { filesystemStorage } from "../src/storage/filesystem/storage.js";
import { vaultPath } from "../src/storage/path.js";
import { memoryVault } from "./kit/memory-vault.js";

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The tools over a real folder, in which files without blocks are in the cloud. */
async function folderVault(files: Readonly<Record<string, string>>) {
  folder = mkdtempSync(join(tmpdir(), "sync-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return memoryVault({}, { storage: await filesystemStorage(folder, { onDemandFiles: true }) });
}

const STAND_INS = { "Here.md": "lamp [[Plan]]\n", ".Plan.md.icloud": "bplist00", "sub/.Other.md.icloud": "bplist00" };

describe("iCloud's stand-ins", () => {
  it("are listed by name and counted by searches", async () => {
    const { view, call, open } = await folderVault(STAND_INS);
    expect((await view("/")).text).toBe("Here.md\nPlan.md (in iCloud only)\nsub/");
    const found = await call("search", { query: "lamp" });
    expect(found.text).toContain("2 notes are in the cloud only");
    expect(JSON.stringify(await call("scan_vault", {}))).toContain("2 notes are in the cloud only");
    await open.vault.close();
  });

  it("are never read as notes nor written over", async () => {
    const { view, read, call, open } = await folderVault(STAND_INS);
    const refused = [
      await view("Plan.md"),
      await read("Plan.md"),
      await call("create", { path: "Plan.md", file_text: "new" }),
      await call("obsidian_create_note", { name: "Plan", content: "new", overwrite: true }),
      await call("rename", { old_path: "Here.md", new_path: "Plan.md" }),
      await call("str_replace", { path: "Plan.md", old_str: "a", new_str: "b" }),
      await call("obsidian_delete_note", { note: "Plan.md" }),
    ];
    for (const { ok, text } of refused) expect({ ok, text }).toMatchObject({ ok: false });
    expect(refused[0]?.text).toBe("'Plan.md' is in iCloud only.\nDownload it in Finder.");
    expect(refused[2]?.text).toContain("'Plan.md'");
    expect(readdirSync(folder).toSorted()).toEqual([".Plan.md.icloud", "Here.md", "sub"]);
    await open.vault.close();
  });
});

describe("on-demand files", () => {
  it("without blocks on the disk are not read by sweeps, and read by name", async () => {
    const { call, read, open } = await folderVault({ "Here.md": "lamp\n", "Small.md": "lamp\n" });
    execFileSync("truncate", ["-s", "8192", join(folder, "Away.md")]);
    const found = await call("search", { query: "lamp" });
    expect(found.text).toContain("1 note is in the cloud only; its text was not searched.");
    expect((await call("find_notes", { count_only: true })).text).toContain('"match_count":2');
    expect((await read("Away.md")).ok).toBe(true);
    const edit = { path: "Away.md", insert_line: 0, insert_text: "first" };
    expect((await call("insert", edit)).ok).toBe(true);
    expect(readFileSync(join(folder, "Away.md"))).toEqual(Buffer.concat([Buffer.from("first\n"), Buffer.alloc(8192)]));
    await open.vault.close();
  });

  it("are refused when the system does not fetch them in time", async () => {
    folder = mkdtempSync(join(tmpdir(), "sync-"));
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    // A read waits while the other end is open.
    const other = openSync(pipe, "r+");
    const refused = await fetchFromCloud(openSync(pipe, "r"), vaultPath("Away.md"), 20).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      code: "UNAVAILABLE",
      message: "'Away.md' is in the cloud only, and was not fetched within 30 seconds.",
    });
    closeSync(other);
  });
});

const COPIES = {
  "Plan.md": "one\ntwo\nthree\n",
  "Plan.sync-conflict-20261123-101112-ABCDEFG.md": "one\ntwo\nthree\nfour\n",
  "Plan (Anna's conflicted copy 2026-11-23).md": "one\ntwo\nthree\n",
  "Plan (conflicted copy 2026-11-23 101112).md": "one\n2\nthree\n",
  "Plan (Conflicted copy Laptop 202611231011).md": "one\n",
  "Gone.sync-conflict-20261123-101112-ABCDEFG.md": "alone\n",
};

describe("copies of conflicts", () => {
  it("are paired with their original and count nowhere", async () => {
    const { call } = memoryVault({ ...COPIES, "Task.md": "---\ntype: task\nstatus: todo\n---\n" });
    const { text } = await call("obsidian_list_conflicts", {});
    expect(text.split("\n")).toEqual([
      "Copies of sync tools, which count nowhere:",
      expect.stringMatching(/Gone\.sync.*: its original is gone$/),
      expect.stringMatching(/Plan \(Anna's conflicted copy.*: the same as Plan\.md$/),
      expect.stringMatching(/Plan \(Conflicted copy Laptop.*: older than Plan\.md, 2 lines differ$/),
      expect.stringMatching(/Plan \(conflicted copy 2026.*: older than Plan\.md, 2 lines differ$/),
      expect.stringMatching(/Plan\.sync-conflict.*: older than Plan\.md, 1 line differs$/),
    ]);
    expect((await call("find_notes", { count_only: true })).text).toContain('"match_count":2');
    expect((await call("search", { query: "four" })).text).not.toContain("Plan.sync");
  });

  it("beyond a page are counted, and the next page begins where this one ends", async () => {
    const { call } = memoryVault(COPIES);
    const first = await call("obsidian_list_conflicts", { limit: 3 });
    expect(first).toMatchObject({ data: { copy_count: 5, next_offset: 3 } });
    expect(first.text).toMatch(/^Copies of sync tools, which count nowhere: 5\n[\s\S]*go on with offset 3\.$/);
    const rest = await call("obsidian_list_conflicts", { limit: 3, offset: 3 });
    expect(rest).toMatchObject({ data: { copies: [{}, {}] } });
    expect(rest.text).not.toContain("go on");
  });

  it("are newer where their file is", async () => {
    const { call, open } = await folderVault(COPIES);
    utimesSync(join(folder, "Plan.md"), 1_700_000_000, 1_700_000_000);
    const { text } = await call("obsidian_list_conflicts", {});
    expect(text).toContain("newer than Plan.md, 1 line differs");
    await open.vault.close();
  });

  it("are found by doctor, with notes that are perhaps copies", async () => {
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n");
    const { open } = memoryVault({
      "Plan.md": long,
      "Plan 2.md": `${long}\nmore`,
      "Plan (1).md": long,
      "Plan-LAPTOP.md": long.replace("line 3", "line three"),
      "Plan 3.md": "something else",
      "Week 2.md": long,
      "Plan.sync-conflict-20261123-101112-ABCDEFG.md": long,
    });
    const findings = await checkCopies(open);
    expect(findings.map(({ level, path, message }) => [level, path, message.split(":")[0]])).toEqual([
      ["warning", "Plan.sync-conflict-20261123-101112-ABCDEFG.md", "a copy that counts nowhere"],
      ["note", "Plan (1).md", "perhaps a copy"],
      ["note", "Plan 2.md", "perhaps a copy"],
      ["note", "Plan-LAPTOP.md", "perhaps a copy"],
    ]);
  });

  it("are changed only by a call that names them", async () => {
    const { call, text } = memoryVault({ ...COPIES, "Note.md": "[[Plan]]\n" });
    expect((await call("rename", { old_path: "Plan.md", new_path: "Scheme.md" })).ok).toBe(true);
    for (const [path, before] of Object.entries(COPIES)) if (path !== "Plan.md") expect(await text(path)).toBe(before);
    const path = "Gone.sync-conflict-20261123-101112-ABCDEFG.md";
    expect((await call("str_replace", { path, old_str: "alone", new_str: "named" })).ok).toBe(true);
    expect(await text(path)).toBe("named\n");
  });
});

describe("lines of a board that the plugin drops", () => {
  it("are named by doctor with their numbers", async () => {
    const footer = '%% kanban:settings\n```\n{"kanban-plugin":"board"}\n```\n%%\n';
    const board = `---\nkanban-plugin: board\n---\n\nIntro\n\n## Doing\n\n**Complete**\n- [ ] Sand\n\tthe floor\n\nA remark\n\n***\n\n## Archive\n\n- [x] Old\n\n${footer}`;
    const { open } = memoryVault({
      "Board.md": board,
      "Clean.md": board.replace("Intro\n\n", "").replace("A remark\n\n", ""),
      "Behind.md": `---\nkanban-plugin: board\n---\n## Doing\n- [ ] A\n\n${footer}\nLate\n`,
    });
    const findings = await checkBoards(open);
    const at = (path: string) => findings.flatMap((one) => (one.path === path ? [one.line] : []));
    expect(at("Board.md")).toEqual([5, 13]);
    expect(at("Clean.md")).toEqual([]);
    // The plugin ignores settings with text after them.
    expect(at("Behind.md")).toEqual([7, 8, 9, 10, 11, 13]);
  });

  it("are counted beyond the first hundred", async () => {
    const board = (at: number) => `---\nkanban-plugin: board\n---\n\nRemark ${at}\n\n## Doing\n`;
    const { open } = memoryVault(Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`${at}.md`, board(at)])));
    const findings = await checkBoards(open);
    expect(findings).toHaveLength(101);
    expect(findings.at(-1)).toMatchObject({
      level: "warning",
      subject: "board",
      message: "and 30 more lines of boards",
    });
  });
});
