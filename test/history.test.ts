/** get_history through every front end of the built program: each change with the caller that made it; refused under access rules. */
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openVault } from "../src/library.js";
import { builtProgram } from "./kit/built-program.js";
import { type FrontEnd, VaultFolder } from "./kit/front-ends.js";
import {
  bridgeFrontEnd,
  oneShotFrontEnd,
  servedBy,
  stdioFrontEnd,
  streamableFrontEnd,
} from "./kit/program-front-ends.js";

let program = "";
beforeAll(async () => {
  program = await builtProgram();
});

const SETUP = { files: new Map([["Plan.md", "one\n"]]), vault: "configured", readOnly: false } as const;
const CHANGE = { path: "Plan.md", old_str: "one", new_str: "two" };

const FRONT_ENDS: readonly (readonly [caller: string, make: () => FrontEnd])[] = [
  ["stdio", () => oneShotFrontEnd(program)],
  ["transcripts (stdio)", () => stdioFrontEnd(program)],
  ["transcripts (http)", () => streamableFrontEnd(servedBy(program))],
  ["bridge", () => bridgeFrontEnd(servedBy(program))],
];

describe("the list of changes", () => {
  it.each(FRONT_ENDS)("names %s as the caller, with the difference of its change", async (caller, make) => {
    const session = await make().open(SETUP);
    try {
      await session.call("str_replace", CHANGE);
      const listed = wordsOf(await session.call("get_history", {}));
      const [, by, tool, file, operation] = listed.split(" · ");
      expect([by, tool, file]).toEqual([caller, "str_replace", "Plan.md"]);
      const diff = wordsOf(await session.call("get_history", { diff: operation }));
      expect(diff).toContain("-one\n+two");
      expect(wordsOf(await session.call("get_history", { by: "nobody" }))).toBe("No changes found.");
    } finally {
      await session.close();
    }
  });

  it("says which status a series was given: its note shows only another day", async () => {
    const note = "---\ntype: task\nid: rent\nstatus: To Do\ndue: 2026-11-01\nrecurrence: every month\n---\n";
    const folder = new VaultFolder({ ...SETUP, files: new Map([["Rent.md", note]]) });
    const vault = await openVault(folder.path, { stateFolder: folder.state });
    try {
      await vault.call("update_task", { taskId: "rent", updates: { status: "Done", priority: "High" } });
      expect(await vault.call("get_history", {})).toMatchObject({
        text: expect.stringContaining("update_task (status → Done, priority)") as string,
      });
    } finally {
      await vault.close();
      folder.remove();
    }
  });

  it.each([
    ["create", { path: "link.md", file_text: "x" }],
    ["create", { path: "out/elsewhere.md", file_text: "x" }],
    ["rename", { old_path: "Plan.md", new_path: "link.md" }],
    ["rename", { old_path: "Plan.md", new_path: "out/elsewhere.md" }],
    ["rename", { old_path: "Folder", new_path: "out" }],
    ["obsidian_move_note", { note: "Plan", folder: "out", new_name: "elsewhere" }],
  ])("has no change of %s that a link out of the vault refused", async (tool, args) => {
    const folder = new VaultFolder({ ...SETUP, files: new Map([...SETUP.files, ["Folder/Note.md", "x\n"]]) });
    const vault = await openVault(folder.path, { stateFolder: folder.state });
    try {
      writeFileSync(join(folder.path, "../elsewhere.md"), "x\n");
      symlinkSync("../elsewhere.md", join(folder.path, "link.md"));
      symlinkSync("..", join(folder.path, "out"));
      const refused = await vault.call(tool, args);
      expect(refused).toMatchObject({ ok: false, error: { code: "PERMISSION_DENIED" } });
      expect(JSON.stringify(refused)).not.toContain("Already changed");
      expect(await vault.call("get_history", {})).toMatchObject({ ok: true, text: "No changes found." });
    } finally {
      await vault.close();
      folder.remove();
    }
  });

  it("is a command that prints changes of every front end, and a diff", () => {
    const folder = new VaultFolder(SETUP);
    try {
      const run = (...words: string[]) =>
        execFileSync(
          process.execPath,
          [program, ...words, "--vault", folder.path, "--state-folder", folder.state, "--no-cache"],
          {
            encoding: "utf8",
          },
        );
      writeFileSync(join(folder.path, "Task.md"), "---\ntype: task\nstatus: todo\n---\n# Task\n");
      run("done", "Task");
      const [line = ""] = run("history").split("\n");
      expect(line).toMatch(/ · command line · update_task \(status\) · Task\.md · op-/);
      expect(run("history", "Elsewhere.md", "--since", "today")).toContain("No changes found.");
      expect(run("history", "Task.md", "--by", "command")).toContain("update_task");
      expect(run("history", "--diff", line.split(" · ").at(-1) ?? "")).toContain("+status: done");
    } finally {
      folder.remove();
    }
  });

  it("is refused under access rules", () => {
    const folder = new VaultFolder(SETUP);
    try {
      const run = () =>
        execFileSync(
          process.execPath,
          [
            program,
            "history",
            "--vault",
            folder.path,
            "--state-folder",
            folder.state,
            "--no-cache",
            "--deny",
            "Private/",
          ],
          { encoding: "utf8", stdio: "pipe" },
        );
      expect(run).toThrow(/history is not available under access rules/);
    } finally {
      folder.remove();
    }
  });
});

function wordsOf({
  content,
}: {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}): string {
  return content[0]?.text ?? "";
}
