/**
 * Hostile paths through every tool that takes something like a path, at three front ends.
 * The file tools, and with them P22 to P24, stand in hostile-files.test.ts; what a storage does with links,
 * pipes and folders that are flipped while tools run stands in src/storage/filesystem/confinement.test.ts.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { EVIL_PATHS, evilVault, HARMLESS_PATHS } from "./kit/hostile-paths.js";
import {
  codeOf,
  FRONT_ENDS,
  expectDiscreet,
  expectRefused,
  HostileVault,
  programFrontEnd,
  SECRET_WORD,
  shareOf,
  thirdOf,
  type Call,
  frontEndFor,
} from "./kit/hostile-vault.js";

describe.each(FRONT_ENDS)("paths, %s", (name, open) => {
  const vault = evilVault();
  const before = vault.tree();
  const frontEnd = frontEndFor(vault, open, before);

  it.each(shareOf(name, EVIL_PATHS))("%s as a task", async (_id, paths) => {
    for (const [at, path] of paths.entries()) {
      const taskId = path.replace("PARENT", vault.parent);
      const updates = { status: "Done", title: "Owned", description: "Owned" };
      const calls = [taskId, `[[${taskId}]]`, `![[${taskId}|a]]`].flatMap((reference): Call[] => [
        ["get_task", { taskId: reference }],
        ["update_task", { taskId: reference, updates }],
      ]);
      await expectRefused(vault, frontEnd, thirdOf(calls, at, paths), taskId);
    }
  });

  it.each(HARMLESS_PATHS)("%s is the task it leads to", async (path) => {
    const taskId = path.replace("PARENT", vault.parent);
    const result = await frontEnd.call("get_task", { taskId });
    expect(result.structuredContent).toMatchObject({ path: "_projects/a.md" });
    expect(JSON.stringify(result)).not.toContain(vault.parent);
  });

  // test/hostile-inputs.md, P01 to P10
  it("says that a path leaves the vault, and does not repeat it", async () => {
    for (const taskId of [
      "../out.md",
      "notes/../../out.md",
      "..\\out.md",
      "C:\\Windows\\win.ini",
      "//host/share/x.md",
    ]) {
      const result = await frontEnd.call("get_task", { taskId });
      expect(codeOf(result)).toBe("PERMISSION_DENIED");
      expect(JSON.stringify(result)).not.toContain(JSON.stringify(taskId).slice(1, -1));
    }
  });

  // test/hostile-inputs.md, P11 to P18, P28
  it("finds nothing that is closed, and waits for no pipe", async () => {
    const start = performance.now();
    const scan = await frontEnd.call("scan_vault", { vaultPath: vault.folder });
    const search = await frontEnd.call("search_tasks", { query: SECRET_WORD });
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(scan.structuredContent).toMatchObject({ taskCount: 2, noteCount: 3 });
    expect(search.content[0]?.text).toBe(`🔍 No tasks found matching "${SECRET_WORD}"`);
    expectDiscreet(vault, JSON.stringify(scan), vault.folder);
  });

  // test/hostile-inputs.md, P25, P26
  it("scans no other folder and stays where it was", async () => {
    const places = ["/", "/etc", "~", "$HOME", "", " ", "/root", "/proc/self/cwd", "..", vault.parent];
    places.push(
      vault.at("_projects/a.md"),
      vault.at("missing"),
      `${vault.folder}-evil`,
      vault.at("up"),
      vault.at("../vault-evil"),
    );
    for (const vaultPath of places) await expectRefused(vault, frontEnd, [["scan_vault", { vaultPath }]], vaultPath);
    expect((await frontEnd.call("scan_vault", { vaultPath: vault.folder })).structuredContent).toMatchObject({
      taskCount: 2,
    });
  });
});

describe.each(FRONT_ENDS)("new tasks, %s", (name, open) => {
  const vault = evilVault();
  const before = vault.tree();
  const frontEnd = frontEndFor(vault, open, before);

  it.each(shareOf(name, EVIL_PATHS).filter(([id]) => id < "P19"))(
    "%s make notes among the projects",
    async (_id, paths) => {
      const known = vault.tree();
      const made: string[] = [];
      for (const path of paths)
        for (const draft of [{ title: path }, { title: "T", area: path, parentProjects: [path] }]) {
          const result = await frontEnd.call("create_task", { area: "Work", ...draft });
          if (result.isError) expect(codeOf(result)).toBe("INVALID_ARGUMENT");
          else made.push(`vault/${String(result.structuredContent?.["path"])}`);
        }
      expect(vault.news(known)).toEqual(made.toSorted());
      for (const name of made) expect(name).toMatch(/^vault\/_projects\/[^./\\][^/\\:]*\.md$/);
    },
  );

  it.each(["up", "Settings", "..", "../..", ".obsidian", "[[../..]]"])(
    "a project %j leads nowhere else",
    async (project) => {
      const result = await frontEnd.call("create_task", {
        title: "In a project",
        area: "Work",
        parentProjects: [project],
      });
      expect(String(result.structuredContent?.["path"])).toMatch(/^_projects\/In a project( \d)?\.md$/);
    },
  );
});

describe.each([
  ["leads out of the vault", (place: string) => fs.symlinkSync("../vault-evil", place), "closed to this server"],
  ["leads nowhere", (place: string) => fs.symlinkSync("../new", place), "a link that leads nowhere"],
  ["is a file", (place: string) => fs.writeFileSync(place, "a file"), "not a folder"],
])("a projects folder that %s", (_, make, words) => {
  it("takes no task, and says why", async () => {
    const vault = new HostileVault();
    fs.rmSync(vault.at("_projects"), { recursive: true });
    make(vault.at("_projects"));
    const before = vault.tree();
    const frontEnd = await FRONT_ENDS[0]![1](vault);
    const result = await frontEnd.call("create_task", { title: "T", area: "Work" });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain(words);
    expect(vault.tree()).toEqual(before);
    await frontEnd.close();
    vault.remove();
  });
});

// test/hostile-inputs.md, P26
it("a server without a vault opens an ordinary folder, never a system or home folder", async () => {
  const vault = new HostileVault();
  const frontEnd = await programFrontEnd(vault, { args: [] });
  for (const vaultPath of [
    "/",
    "/etc",
    "/etc/ssh",
    "~",
    "/root",
    "/proc/self/root",
    vault.at("_projects/a.md"),
    "/usr/share",
  ])
    await expectRefused(vault, frontEnd, [["scan_vault", { vaultPath }]], vaultPath);
  await expectRefused(vault, frontEnd, [["create_task", { title: "T", area: "Work" }]]);
  await frontEnd.call("scan_vault", { vaultPath: vault.folder });
  await expectRefused(vault, frontEnd, [["scan_vault", { vaultPath: "/etc" }]], "/etc");
  const made = await frontEnd.call("create_task", { title: "T", area: "Work" });
  expect(vault.text(String(made.structuredContent?.["path"]))).toContain("title: T\n");
  await frontEnd.close();
  vault.remove();
});

// test/hostile-inputs.md, P25
it("a relative vault of a server whose working folder is gone is refused", async () => {
  const gone = fs.mkdtempSync(join(tmpdir(), "gone-"));
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "scan_vault", arguments: {} } };
  const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" --vault Notes --no-cache';
  const command = ["-c", script, "sh", gone, process.execPath, await builtProgram()];
  const answer = execFileSync("sh", command, { input: JSON.stringify(request), encoding: "utf8" });
  expect(answer).toContain('"code":"VAULT_NOT_FOUND"');
  expect(answer).toContain("the folder it counts from is gone");
});
