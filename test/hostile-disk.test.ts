/**
 * Disks that fail (docs: reliability, "Promises") under the writing tools of every toolset, in one
 * program that goes on: the old text stays, the answer says why, nothing is left behind, and all is well again without a restart.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkCache, checkUndo } from "../src/cli/doctor/machine-checks.js";
import { checkFolder } from "../src/cli/doctor/vault-checks.js";
import { builtProgram } from "./kit/built-program.js";
import { codeOf, HostileVault, programFrontEnd, type Call, type HostileFrontEnd } from "./kit/hostile-vault.js";

const TASK = "---\ntype: task\nid: task-t\ntitle: T\nstatus: To Do\narea: Work\n---\n# T\n";
const FILES: Readonly<Record<string, string>> = {
  "n.md": `# N\n\n${"old text\n".repeat(1000)}`,
  "l.md": "[[n]]\n",
  "_projects/T.md": TASK,
};
const LARGE = "new text\n".repeat(40_000);

/** One call of each tool that writes, each of them larger than what is left of the disk. */
const WRITES: readonly Call[] = [
  ["create", { path: "new.md", file_text: LARGE }],
  ["str_replace", { path: "n.md", old_str: "# N", new_str: LARGE }],
  ["insert", { path: "n.md", insert_line: 0, new_str: LARGE }],
  ["obsidian_create_note", { name: "new", content: LARGE }],
  ["obsidian_create_note", { name: "n", content: LARGE, overwrite: true }],
  ["obsidian_append_note", { note: "n", content: LARGE }],
  ["obsidian_prepend_note", { note: "n", content: LARGE }],
  ["edit_note", { path: "n", patch: `@@ -1 +1,40000 @@\n-# N\n${LARGE.replace(/^/gm, "+").slice(0, -1)}` }],
  ["create_task", { title: "New", area: "Work", description: LARGE }],
  ["update_task", { taskId: "task-t", updates: { description: LARGE } }],
];
/** Those that need no room, but a disk that can be written. */
const CHANGES: readonly Call[] = [
  ["delete", { path: "n.md" }],
  ["delete", { path: "n.md", permanent: true }],
  ["rename", { old_path: "n.md", new_path: "m.md" }],
  ["obsidian_move_note", { note: "n", folder: "x" }],
  ["obsidian_delete_note", { note: "n" }],
];

const mount = (...args: readonly string[]): void => void execFileSync("mount", args, { stdio: "pipe" });

/** Whether this user may mount a disk of its own; in most containers only root may. */
function mayMount(): boolean {
  const place = fs.mkdtempSync(nodePath.join(os.tmpdir(), "mount-"));
  try {
    mount("-t", "tmpfs", "-o", "size=64k", "none", place);
    execFileSync("umount", [place]);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmdirSync(place);
  }
}

describe.runIf(mayMount())("a disk of 300 KiB", () => {
  const beside = new HostileVault();
  beforeAll(async () => void (await builtProgram()));
  let vault: string;
  let frontEnd: HostileFrontEnd;
  beforeEach(async () => {
    vault = fs.mkdtempSync(nodePath.join(os.tmpdir(), "disk-"));
    mount("-t", "tmpfs", "-o", "size=300k,nr_inodes=40", "none", vault);
    for (const [path, text] of Object.entries(FILES)) {
      fs.mkdirSync(nodePath.dirname(nodePath.join(vault, path)), { recursive: true });
      fs.writeFileSync(nodePath.join(vault, path), text);
    }
    frontEnd = await programFrontEnd(beside, { args: ["--vault", vault] });
    expect(codeOf(await frontEnd.call("obsidian_get_backlinks", { note: "n" }))).toBeUndefined();
  });
  afterEach(async () => {
    await frontEnd.close();
    execFileSync("umount", [vault]);
    fs.rmdirSync(vault);
  });

  /** Each call fails with a message, and the vault is what it was, without anything left behind. */
  async function expectRefusedWith(calls: readonly Call[], code: RegExp): Promise<void> {
    const before = contents();
    for (const call of calls) {
      const result = await frontEnd.call(...call);
      expect([call[0], codeOf(result)]).toEqual([call[0], expect.stringMatching(code)]);
      expect(result.content[0]?.text).not.toContain(vault);
      expect(contents()).toEqual(before);
      const read = await frontEnd.call("view", { path: "l.md" });
      expect(read.content[0]?.text).toBe("1: [[n]]");
    }
  }

  /** Every file of the vault, hidden ones too, with its text. */
  function contents(): Record<string, string> {
    const files = fs.readdirSync(vault, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => {
        const place = nodePath.join(parentPath, name);
        return [nodePath.relative(vault, place), fs.readFileSync(place, "utf8")];
      }),
    );
  }

  async function expectAllWell(): Promise<void> {
    expect(codeOf(await frontEnd.call("obsidian_append_note", { note: "n", content: "end" }))).toBeUndefined();
    expect(fs.readFileSync(nodePath.join(vault, "n.md"), "utf8")).toBe(`${FILES["n.md"]}end\n`);
    expect(codeOf(await frontEnd.call("undo_edit", { path: "n.md" }))).toBeUndefined();
    expect(contents()).toMatchObject(FILES);
  }

  // test/hostile-inputs.md, Q01
  it("full of bytes", async () => {
    await expectRefusedWith(WRITES, /^UNAVAILABLE$/);
    await expectAllWell();
  });

  it("is named by doctor when it is full, with what to do", () => {
    expect(checkFolder(vault, vault).filter(({ level }) => level === "error")).toEqual([]);
    const filler = nodePath.join(vault, "filler");
    expect(() => fs.writeFileSync(filler, Buffer.alloc(1024 * 1024))).toThrow("ENOSPC");
    const findings = [...checkFolder(vault, vault), ...checkCache(vault), ...checkUndo(vault)];
    expect(findings.filter(({ message }) => message.includes("full disk"))).toMatchObject([
      { level: "error", subject: "vault", advice: "Free some space on it." },
      { level: "warning", subject: "cache" },
      { level: "warning", subject: "undo" },
    ]);
    fs.rmSync(filler);
  });

  // test/hostile-inputs.md, Q02
  it("full of files", async () => {
    fs.mkdirSync(nodePath.join(vault, "filler"));
    try {
      for (let number = 0; number < 50; number++) fs.writeFileSync(nodePath.join(vault, "filler", `${number}`), "");
    } catch {
      // It is full.
    }
    const small = WRITES.map(([tool, args]): Call => [
      tool,
      JSON.parse(JSON.stringify(args).replaceAll(JSON.stringify(LARGE), '"x"')),
    ]);
    await expectRefusedWith(
      small.filter(([tool]) => tool !== "edit_note"),
      /^UNAVAILABLE$/,
    );
    fs.rmSync(nodePath.join(vault, "filler"), { recursive: true });
    await expectAllWell();
  });

  // test/hostile-inputs.md, Q03
  it("mounted for reading only, in mid-session", async () => {
    mount("-o", "remount,ro", vault);
    await expectRefusedWith([...WRITES, ...CHANGES], /^PERMISSION_DENIED$/);
    mount("-o", "remount,rw", vault);
    await expectAllWell();
  });
});

function hasPrlimit(): boolean {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

// The database of the undo journal keeps three of them open.
describe.runIf(hasPrlimit())("a process of 48 file handles", () => {
  it("answers fifty calls at once, each done or refused, and works on", async () => {
    const links = Object.fromEntries(Array.from({ length: 60 }, (_unused, number) => [`l${number}.md`, "[[n]]\n"]));
    const vault = new HostileVault({ "n.md": "# N\n", ...links });
    const frontEnd = await programFrontEnd(vault);
    execFileSync("prlimit", ["--pid", String(frontEnd.child.process.pid), "--nofile=48:48"]);
    const lines = Array.from({ length: 25 }, (_unused, number) => `line ${number}.`);
    const calls = lines.flatMap((content): Call[] => [
      ["obsidian_append_note", { note: "n", content }],
      ["search", { query: "lin[ek]", regex: true }],
    ]);
    const results = await Promise.all(calls.map((call) => frontEnd.call(...call)));
    for (const result of results) expect([undefined, "UNAVAILABLE"]).toContain(codeOf(result));
    const text = vault.text("n.md");
    for (const [index, [tool, { content }]] of calls.entries())
      if (tool === "obsidian_append_note") {
        const isDone = codeOf(results[index]!) === undefined;
        expect(text.split("\n").filter((line) => line === content)).toHaveLength(isDone ? 1 : 0);
      }
    // The threads of the searches end behind their answers.
    await expect
      .poll(async () => codeOf(await frontEnd.call("search", { query: "line", regex: true })))
      .toBeUndefined();
    let moved = await frontEnd.call("obsidian_move_note", { note: "n", new_name: "m" });
    for (let tries = 0; codeOf(moved) === "UNAVAILABLE" && tries < 20; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      moved = await frontEnd.call("obsidian_move_note", { note: "n", new_name: "m" });
    }
    expect(moved.structuredContent).toMatchObject({ path: "m.md", rewrittenCount: 60 });
    expect(vault.tree().filter((line) => /^vault\/\.(?!obsidian|git|trash)/.test(line))).toEqual([]);
    await frontEnd.close();
    vault.remove();
  });
});
