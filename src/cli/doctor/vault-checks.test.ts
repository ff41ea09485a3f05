import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VaultError } from "../../errors.js";
import { findingsText } from "./finding.js";
import { vaultPath } from "../../storage/path.js";
import { taskVault, type TaskVaultOptions } from "../../../test/kit/task-vault.js";
import { checkFolder, checkNotes, failureFinding } from "./vault-checks.js";

describe("checkFolder", () => {
  it("says that a folder cannot be written, and what to do", () => {
    const findings = checkFolder("/nowhere/at/all", "My Vault");
    expect(findings.map(({ level }) => level)).toEqual(["ok", "error", "note"]);
    expect(findings[1]).toMatchObject({ message: "cannot be written", advice: expect.stringContaining("permissions") });
  });
});

describe("settings that cannot be used", () => {
  it("are named with their file, once each, and never as a note", async () => {
    const findings = await checkNotes(
      taskVault({
        "a.md": "a",
        ".obsidian/app.json": "{broken",
        ".obsidian/daily-notes.json": '{"format": 5}',
        ".obsidian/plugins/obsidian-tasks-plugin/data.json": "[]",
        ".obsidian/plugins/tasknotes/data.json": "{",
        ".obsidian/community-plugins.json": '["tasknotes"]',
      }),
    );
    expect(findings.filter(({ level }) => level === "warning")).toMatchObject([
      { subject: "settings", path: ".obsidian/app.json", message: "The file is not valid JSON." },
      { path: ".obsidian/plugins/obsidian-tasks-plugin/data.json", message: "The file holds no JSON object." },
      { path: ".obsidian/plugins/tasknotes/data.json", message: "The file is not valid JSON." },
      { path: ".obsidian/daily-notes.json", message: 'The setting "format" is not a text; the default counts.' },
    ]);
  });

  it("are a folder of settings that is a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "doctor-"));
    writeFileSync(join(folder, ".obsidian"), "");
    expect(checkFolder(folder, "x").at(-1)).toMatchObject({ level: "warning", subject: "settings", path: ".obsidian" });
    rmSync(folder, { recursive: true });
  });
});

describe("checkNotes", () => {
  it("tells how far it is", async () => {
    const seen: number[] = [];
    const { vault, tasks } = taskVault({ "a.md": "---\ntype: task\n---\n", "b.md": "b" });
    const findings = await checkNotes({ vault, tasks }, ({ done }) => seen.push(done));
    expect(findings[0]).toEqual({ level: "ok", subject: "notes", message: "2 notes, 1 task" });
    expect(seen).toContain(2);
  });
});

describe("a note that is not UTF-8", () => {
  it("is to be converted, not opened in Obsidian, which would damage it", async () => {
    const { storage, vault, tasks } = taskVault();
    await storage.write(vaultPath("a.md"), Uint8Array.of(0xc4, 0x70), { kind: "any" });
    const found = (await checkNotes({ vault, tasks })).find(({ subject }) => subject === "note");
    expect(found).toMatchObject({
      path: "a.md",
      message: "The file is not UTF-8 text and is not read: convert it to UTF-8.",
      advice: "Until this is fixed, tasks of this note may be missing or held up.",
    });
  });
});

describe("words that are not read", () => {
  const found = async (files: Record<string, string>) => {
    const findings = await checkNotes(taskVault(files));
    return findings
      .filter(({ subject }) => ["status", "key"].includes(subject))
      .map(({ message, advice }) => [message, advice]);
  };
  const task = (lines: string) => `---\ntype: task\n${lines}\n---\n`;

  it("are counted: statuses and keys of tasks, each with the nearest word", async () => {
    expect(
      await found({
        "a.md": task("status: in progess"),
        "b.md": task("status: in progess"),
        "c.md": task("statu: done"),
      }),
    ).toEqual([
      [
        '"in progess" is no status that is known (2 tasks); it counts as outstanding',
        'Is it "in progress"? Use a word such as To Do, In Progress, Blocked, Done, Cancelled.',
      ],
      ['"statu" is read as no field of a task (1 task)', 'Is it "status"? Rename the property in Obsidian.'],
    ]);
  });

  it("are none where every status and key is known or a property of the vault's own", async () => {
    expect(
      await found({ "a.md": task("status: doing\nrating: 5\nDue Date: 2026-01-01"), "b.md": "---\nstatu: x\n---\n" }),
    ).toEqual([]);
  });
});

describe("a vault whose TaskNotes settings name keys of its own", () => {
  const note = (key: string): string => `---\ntags: [todo]\n${key}: t1\nfaellig: 2025-09-01\nstand: offen\n---\n`;
  const plugin = { taskTag: "todo", fieldMapping: { due: "faellig", status: "stand" } };
  const files = {
    ".obsidian/plugins/tasknotes/data.json": JSON.stringify(plugin),
    "a.md": note("id"),
    "b.md": note("id"),
    "c.md": note("other"),
  };

  it("is looked over by these keys", async () => {
    const findings = await checkNotes(taskVault(files));
    const told = (about: string) => findings.filter(({ subject }) => subject === about).map(({ message }) => message);
    expect(told("dialect")).toEqual([
      "tasks are marked by a tag, lists are flow, keys: stand, faellig, priority, projects",
    ]);
    expect(told("note")).toEqual([expect.stringContaining('2 notes have the id "t1": a.md, b.md')]);
  });
});

describe("checkboxes", () => {
  const files = { "a.md": "- [ ] one #task\n- [ ] two\n- [x] three 📅 2025-01-01\n" };
  const told = async (options: TaskVaultOptions) =>
    (await checkNotes(taskVault(files, options))).find(({ subject }) => subject === "checkboxes");

  it("counts the marked ones where they do not count, and says how they would", async () => {
    expect(await told({ lines: { inlineTasks: "off" } })).toMatchObject({
      level: "note",
      message: "2 checkboxes are marked as tasks and do not count",
      advice: expect.stringContaining("--inline-tasks marked"),
    });
    expect(await told({})).toMatchObject({
      level: "ok",
      message: "1 outstanding task in 1 note",
    });
  });
});

describe("failureFinding", () => {
  it("tells a VaultError's words and hint, and nothing of other failures", () => {
    const known = failureFinding(new VaultError("VAULT_NOT_FOUND", "It is gone.", { hint: "Look elsewhere." }));
    expect(known).toEqual({ level: "error", subject: "vault", message: "It is gone.", advice: "Look elsewhere." });
    expect(JSON.stringify(failureFinding(new Error("/home/me")))).not.toContain("/home/me");
  });
});

describe("findingsText", () => {
  it("names place and advice, and counts what needs fixing", () => {
    const text = findingsText([
      { level: "ok", subject: "vault", message: "found" },
      { level: "warning", subject: "note", message: "odd", path: "a.md", line: 2, column: 5, advice: "Fix it." },
    ]);
    expect(text).toBe("✅ vault: found\n⚠️  note: a.md:2:5: odd\n   → Fix it.\n\n0 errors, 1 warning.");
  });
});
