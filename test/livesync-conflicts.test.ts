/**
 * Tools over a LiveSync database. What devices have left in conflict is marked where notes are found and read, listed with all its
 * versions, and never resolved. Every spelling of a path means one file.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLivesync, closeVault, type OpenOptions } from "../src/open.js";
import { silentLog } from "../src/log.js";
import { toolsFor } from "../src/tools/registry.js";
import type { OpenVault, Workspace } from "../src/tools/workspace.js";
import { dumpedDatabase, load, newDatabase, type TestDatabase } from "./kit/couch-server.js";
import { callResult } from "../src/tools/outcome.js";

let database: TestDatabase;
let vault: OpenVault;
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function opened(made: TestDatabase, options: OpenOptions = {}): Promise<OpenVault> {
  const { url, name, user, password } = made;
  const open = await openLivesync({ url, database: name, user, password }, { session: false, ...options });
  closing.push(
    () => made.remove(),
    () => closeVault(open),
  );
  return open;
}

async function call(name: string, args: object, open = vault): Promise<{ text: string; data: unknown }> {
  const workspace: Workspace = { hasDefault: true, current: async () => open, open: async () => open };
  const tool = toolsFor({ hasDefaultVault: true }).find(name);
  const outcome = await tool?.call(args, { workspace, log: silentLog, signal: new AbortController().signal });
  if (!outcome) throw new Error(`no tool ${name}`);
  const { content, structuredContent } = callResult(outcome);
  return { text: content[0]?.text ?? "", data: structuredContent };
}

const TASK = "---\ntype: task\nstatus: To Do\n---\n# Call the bank\n";

beforeAll(async () => {
  database = await newDatabase();
  vault = await opened(database);
  await call("create", { path: "Call the bank.md", file_text: TASK });
  const { _rev, ...note } = (await database.ask("GET", "call%20the%20bank.md")) as { _rev: string };
  const other = { ...note, _rev: "1-00000000000000000000000000000000", mtime: 1_700_000_000_000 };
  await load(database, [other as never]);
  expect(_rev).toBeDefined();
});

it("get_task and find_notes mark it", async () => {
  const task = await call("get_task", { taskId: "Call the bank.md" });
  expect(task.data).toMatchObject({ conflicts: 1 });
  expect(task.text).toContain("Conflicts: 1 other version, see obsidian_list_conflicts");
  const found = await call("find_notes", { query: "bank" });
  expect(found.data).toMatchObject({ notes: [{ path: "Call the bank.md", conflicts: 1 }] });
});

it("obsidian_list_conflicts lists the files, and the versions of one", async () => {
  const files = await call("obsidian_list_conflicts", {});
  expect(files.text).toBe("⚠️ Files in conflict: 1\n\n- Call the bank.md (2 versions)");
  const versions = await call("obsidian_list_conflicts", { note: "Call the bank" });
  expect(versions.data).toMatchObject({
    total: 2,
    versions: [
      { current: true, text: TASK },
      { current: false, text: TASK, modified: "2023-11-14T22:13:20.000Z" },
    ],
  });
  expect(versions.text).toMatch(/^Current version 1-[0-9a-f]{10} of /);
});

it("an edit goes to the current version and leaves the other", async () => {
  await call("update_task", { taskId: "Call the bank.md", updates: { status: "Done" } });
  const versions = await call("obsidian_list_conflicts", { note: "Call the bank" });
  expect(versions.data).toMatchObject({
    versions: [{ current: true, text: TASK.replace("To Do", "Done") }, { text: TASK }],
  });
});

it("the corpus's conflict is shown with the texts that its devices wrote", async () => {
  const dumped = await dumpedDatabase("plain");
  const open = await opened(dumped);
  const [[path, { revisions, winner }] = ["", { revisions: {}, winner: "" }]] = Object.entries(
    dumped.expected.conflicted,
  );
  const versions = await call("obsidian_list_conflicts", { note: path }, open);
  const shown = (versions.data as { versions: { hash: string; text: string }[] }).versions;
  const short = (revision: string): string => revision.slice(0, "2-".length + 10);
  const texts = Object.entries(revisions).map(([revision, text]) => [short(revision), text]);
  expect(Object.fromEntries(shown.map(({ hash, text }) => [hash, text]))).toEqual(Object.fromEntries(texts));
  expect(shown[0]?.hash).toBe(short(winner));
});

/** As LiveSync stores it, and as callers may type it. */
const ONE_NAME = [
  ["composed", "Café/Größe.md", "Café/Größe.md".normalize("NFD")],
  ["with plain blanks", "My notes/a b.md", "My\u00a0notes/a\u00a0b.md"],
] as const;

it.each(ONE_NAME)("a change by another spelling is known by the name that is stored: %s", async (_, stored, typed) => {
  const open = await opened(await newDatabase());
  const undone = async () => {
    expect((await call("get_history", { path: stored }, open)).text).toContain(stored);
    return (await call("undo_edit", { path: stored }, open)).data;
  };
  expect((await call("create", { path: typed, file_text: "one\n" }, open)).text).toContain(stored);
  await call("str_replace", { path: typed, old_str: "one", new_str: "two" }, open);
  expect(await undone()).toMatchObject({ path: stored, undone: "edit" });
  await call("obsidian_append_note", { note: typed, content: "two" }, open);
  expect(await undone()).toMatchObject({ path: stored, undone: "edit" });
  expect(await undone()).toMatchObject({ path: stored, undone: "create" });
  await call("create", { path: "x.md", file_text: "one\n" }, open);
  await call("rename", { old_path: "x.md", new_path: typed }, open);
  expect(await undone()).toMatchObject({ path: "x.md", undone: "move" });
});

it.each(ONE_NAME)("no other spelling leads past the access rules: %s", async (_, stored, typed) => {
  const made = await newDatabase();
  await call("create", { path: stored, file_text: "secret\n" }, await opened(made));
  const open = await opened(made, { access: [{ deny: [stored.replace(/\/.*/, "")] }] });
  for (const path of [stored, typed]) {
    const moved = await call("rename", { old_path: path, new_path: "/here.md" }, open);
    expect(moved.data).toBeUndefined();
    expect((await call("view", { path }, open)).data).toBeUndefined();
    const made = await call("create", { path: path.replace(".md", " 2.md"), file_text: "x\n" }, open);
    expect(made.text).toContain("the access rules do not allow it");
  }
  expect((await call("get_workspace_files", {}, open)).data).toMatchObject({ files: [] });
});
