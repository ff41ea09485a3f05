/** get_history: what was changed, by whom, and the difference that a change made, over a vault in memory. */
import { applyPatch, reversePatch, parsePatch } from "diff";
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { asCaller } from "../../async/caller.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";
import { TOOLS } from "../all-tools.js";
import { createWorkspace } from "../workspace.js";

function vaultWith(files: Readonly<Record<string, string>>) {
  const clock = { ...fixedClock("2026-11-23T14:02:00Z", "Europe/Berlin") };
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const open = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
  const tool = (name: string) => TOOLS.find((one) => one.name === name);
  return {
    call: async (name: string, args: object = {}) => {
      const outcome = await tool(name)?.call(args, context);
      if (!outcome) throw new Error(name);
      return outcome;
    },
    text: async (path: string) => Buffer.from((await storage.read(vaultPath(path)))?.bytes ?? []).toString(),
  };
}

const LONG = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("");

describe("the list of changes", () => {
  it("says that a path without changes names no file", async () => {
    const { call } = vaultWith({ "a.md": "one\n", "Notes/b.md": "two\n" });
    expect(await call("get_history", { path: "c.md" })).toMatchObject({
      text: "No changes found.",
      details: "There is no file or folder 'c.md'.",
    });
    for (const path of ["a.md", "/a.md", "Notes/", "/"])
      expect(await call("get_history", { path })).not.toHaveProperty("details");
  });

  it("names time, caller, tool, notes and operation, newest first", async () => {
    const { call } = vaultWith({ "a.md": "one\n", "b.md": "[[a]]\n" });
    await asCaller({ client: "Claude (stdio)" }, () =>
      call("str_replace", { path: "a.md", old_str: "one", new_str: "two" }),
    );
    await asCaller({ client: "command line" }, () => call("rename", { old_path: "a.md", new_path: "c.md" }));
    expect((await call("get_history")).text.split("\n")).toEqual([
      expect.stringMatching(/^2026-11-23 15:02 · command line · rename · 2 notes · op-[0-9a-z]+-[0-9a-z]+$/),
      expect.stringMatching(/^2026-11-23 15:02 · Claude \(stdio\) · str_replace · a\.md · op-[0-9a-z]+-[0-9a-z]+$/),
    ]);
  });

  it("names three files of a large change, and all for the page", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const { call } = vaultWith(Object.fromEntries(names.map((name) => [`${name}.md`, "#old\n"])));
    const { text } = await call("rename_tag", { from: "old", to: "new" });
    await call("rename_tag", { from: "old", to: "new", plan: /p-\w+/.exec(text)?.[0] });
    const files = ["a.md", "b.md", "c.md"];
    expect(await call("get_history")).toMatchObject({ data: { changes: [{ files, fileCount: 5 }] } });
    expect(await call("get_history", { allFields: true })).toMatchObject({
      data: { changes: [{ files: [...files, "d.md", "e.md"] }] },
    });
  });

  it("can be narrowed to a file or folder, a caller and a day, and goes on with its cursor", async () => {
    const { call } = vaultWith({});
    for (const name of ["in/a.md", "in/b.md", "c.md"])
      await asCaller({ client: name === "c.md" ? "Codex (stdio)" : "Claude (http)" }, () =>
        call("create", { path: name, file_text: "x" }),
      );
    const paths = async (args: object) => {
      const { data } = (await call("get_history", args)) as {
        data?: { changes?: { files: string[] }[]; cursor?: string };
      };
      return [data?.changes?.flatMap(({ files }) => files), data?.cursor] as const;
    };
    expect(await paths({ path: "in" })).toEqual([["in/b.md", "in/a.md"], undefined]);
    expect(await paths({ path: "c.md" })).toEqual([["c.md"], undefined]);
    expect(await paths({ by: "claude" })).toEqual([["in/b.md", "in/a.md"], undefined]);
    expect(await paths({ since: "tomorrow" })).toEqual([[], undefined]);
    const [first, cursor] = await paths({ limit: 2 });
    expect(first).toEqual(["c.md", "in/b.md"]);
    expect(await paths({ limit: 2, cursor })).toEqual([["in/a.md"], undefined]);
    for (const other of ["20", "20#9f3a22c1", "5#000000000000"])
      expect(await call("get_history", { cursor: other })).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
    expect(await call("get_history", { path: "in", cursor })).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
    expect(await call("get_history", { cursor: "-" })).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
  });

  it("reads a weekday as the last one, and says which filter excludes every change", async () => {
    const { call } = vaultWith({});
    await asCaller({ client: "Codex (stdio)" }, () => call("create", { path: "a.md", file_text: "x" }));
    const details = async (args: object) => {
      const outcome = await call("get_history", args);
      return [outcome.text.split("\n").length, outcome.text === "No changes found.", outcome.ok && outcome.details];
    };
    expect(await details({ since: "monday" })).toEqual([1, false, 'Read since "monday" as Mon 2026-11-23 (today).']);
    expect(await details({ since: "2026-11-20", by: "Claude" })).toEqual([
      1,
      true,
      'Without by "Claude" there are changes.',
    ]);
  });

  it("shows a token its own changes, and one with full rights all", async () => {
    const { call } = vaultWith({});
    for (const owner of ["phone", "laptop"])
      await asCaller({ owner }, () => call("create", { path: `${owner}.md`, file_text: "x" }));
    const seen = async (owner: string | undefined, seesAll: boolean) =>
      (await asCaller({ owner, seesAll }, () => call("get_history"))).text;
    expect(await seen("phone", false)).toMatch(/^2026-11-23 15:02 · phone \(http\) · create · phone\.md · op-\S+$/);
    expect((await seen("phone", true)).split("\n")).toHaveLength(2);
    expect((await seen(undefined, true)).split("\n")).toHaveLength(2);
    const operation = /op-\S+$/.exec(await seen("laptop", false))?.[0];
    const diff = await asCaller({ owner: "phone", seesAll: false }, () => call("get_history", { diff: operation }));
    expect(diff).toMatchObject({ error: { code: "FILE_NOT_FOUND" } });
  });
});

describe("the difference", () => {
  it.each([
    ["path", "a.md"],
    ["since", "today"],
    ["by", "Claude"],
  ])("is of one whole change: %s is refused", async (name, value) => {
    const { call } = vaultWith({ "a.md": "one\n" });
    await call("str_replace", { path: "a.md", old_str: "one", new_str: "two" });
    const diff = lastOperation((await call("get_history")).text);
    expect(await call("get_history", { diff, [name]: value })).toMatchObject({
      text: `diff shows one change, whole.\nLeave out ${name}.`,
      error: { code: "INVALID_ARGUMENT" },
    });
  });

  const lastOperation = (text: string): string => /op-\S+/.exec(text)?.[0] ?? "";

  it("applied in reverse is what undo gives", async () => {
    const { call, text } = vaultWith({ "a.md": LONG });
    await call("str_replace", { path: "a.md", old_str: "line 3\n", new_str: "changed\nadded\n" });
    await call("str_replace", { path: "a.md", old_str: "line 25", new_str: "later" });
    const [, first = ""] = (await call("get_history")).text.split("\n");
    const changed = LONG.replace("line 3\n", "changed\nadded\n");
    const { text: diff } = await call("get_history", { diff: lastOperation(first) });
    expect(diff).toMatch(/^--- a\/a\.md\n\+\+\+ b\/a\.md\n@@ /);
    const [patch] = parsePatch(diff);
    expect(patch && applyPatch(changed, reversePatch(patch))).toBe(LONG);
    await call("undo_edit", { path: "a.md" });
    await call("undo_edit", { path: lastOperation(first) });
    expect(await text("a.md")).toBe(LONG);
  });

  it("names a text that is no longer kept, new and deleted files, and renames", async () => {
    const { call } = vaultWith({ "a.md": "one\n", "b.md": "b\n" });
    const diff = async () =>
      (await call("get_history", { diff: lastOperation((await call("get_history")).text) })).text;
    await call("create", { path: "n.md", file_text: "new\n" });
    expect(await diff()).toBe("--- /dev/null\n+++ b/n.md\n@@ -0,0 +1,1 @@\n+new\n");
    await call("delete", { path: "b.md" });
    expect(await diff()).toBe("--- a/b.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b\n");
    await call("rename", { old_path: "a.md", new_path: "c.md" });
    expect(await diff()).toBe("rename from a.md\nrename to c.md\n");
    expect(await call("get_history", { diff: "op-x1" })).toMatchObject({
      text: expect.stringContaining("No operation op-x1; get_history lists them."),
    });
    expect(await call("get_history", { diff: "c.md" })).toMatchObject({
      text: '"c.md" is no operation.\nGive an op-… of get_history; with path it lists those of a file.',
    });
  });
});
