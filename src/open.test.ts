import fs from "node:fs";
import nodePath from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TemporaryVault } from "../test/kit/temporary-vault.js";
import { openSqlite } from "./sqlite.js";
import { silentLog } from "./log.js";
import { closeVault, openFolder, vaultOpener } from "./open.js";
import { vaultPath } from "./storage/path.js";
import { createWorkspace } from "./tools/workspace.js";

let temporary: TemporaryVault;
let stateFolder: string;
beforeEach(() => {
  temporary = new TemporaryVault({ "a.md": "a", "b.md": "[[a]]" });
  stateFolder = nodePath.join(temporary.base, "state");
});
afterEach(() => temporary.remove());

const [A, B, C] = [vaultPath("a.md"), vaultPath("b.md"), vaultPath("c.md")] as const;

/** Begins a rename in the name of a process of another time. */
async function interruptRename(): Promise<void> {
  const open = await openFolder(temporary.folder, "v", { stateFolder, session: false });
  const operation = await open.vault.history.begin({
    reason: "rename 'a.md' to 'c.md'",
    from: A,
    to: C,
    files: [A, B],
  });
  await open.vault.writing.move(A, C, "rename", { operation });
  await closeVault(open);
  const [journal = ""] = fs.readdirSync(nodePath.join(stateFolder, "undo"));
  const database = openSqlite({ file: nodePath.join(stateFolder, "undo", journal, "journal.sqlite") });
  database?.prepare("UPDATE operations SET maker = ?").run("4000000-1-000000000000n1");
  database?.close();
}

/** What is warned of soon after opening; waits longer where there should be something. */
async function warningsOf(session: boolean, isExpected = false): Promise<string[]> {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const open = await openFolder(temporary.folder, "v", { stateFolder, session, log });
  await new Promise((resolve) => setTimeout(resolve, 400));
  if (isExpected) await expect.poll(() => warnings.length).toBeGreaterThan(0);
  await closeVault(open);
  return warnings;
}

it("a session warns of a rename that a crash interrupted, and says both ways out", async () => {
  await interruptRename();
  const [warning = "", ...others] = await warningsOf(true, true);
  expect(others).toEqual([]);
  for (const words of ["rename 'a.md' to 'c.md'", "undo_edit of 'c.md'", "the same call again"])
    expect(warning).toContain(words);
});

it("a session makes no journal by being opened, and warns of nothing where all is well", async () => {
  expect(await warningsOf(true)).toEqual([]);
  expect(fs.existsSync(stateFolder)).toBe(false);
});

it("a session answers from where its path leads now, when a link on the way was pointed elsewhere", async () => {
  const other = new TemporaryVault({ "other.md": "o" });
  const link = nodePath.join(temporary.base, "link");
  const parentOf = ({ folder }: TemporaryVault) => nodePath.dirname(folder);
  fs.symlinkSync(parentOf(temporary), link);
  const opener = vaultOpener({ session: true });
  const at = nodePath.join(link, nodePath.basename(temporary.folder));
  const workspace = createWorkspace({ opener, default: at, switches: true });
  const notes = async () => {
    const { vault } = await workspace.current();
    const view = await vault.index.refresh();
    return view
      .files()
      .map(({ path: found }) => found)
      .toSorted();
  };
  expect(await notes()).toEqual(["a.md", "b.md"]);
  fs.rmSync(link);
  fs.symlinkSync(parentOf(other), link);
  expect(nodePath.basename(other.folder)).toBe(nodePath.basename(temporary.folder));
  expect(await notes()).toEqual(["other.md"]);
  await (await workspace.current()).vault.writing.edit(vaultPath("other.md"), () => "new", "test");
  expect(fs.readFileSync(other.at("other.md"), "utf8")).toBe("new");
  fs.rmSync(link);
  await expect(workspace.current()).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
  await opener.close();
  other.remove();
});

it("without a state folder undoing is possible until the vault is closed, with undo: false never", async () => {
  const open = await openFolder(temporary.folder, "v", { session: false });
  expect((await open.vault.writing.edit(A, () => "new", "test")).undoable).toBe(true);
  expect((await open.vault.history.undo(A)).text).toBe("a");
  const never = await openFolder(temporary.folder, "v", { session: false, stateFolder, undo: false });
  expect((await never.vault.writing.edit(A, () => "new", "test")).undoable).toBe(false);
  await expect(never.vault.history.undo(A)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  expect(fs.existsSync(stateFolder)).toBe(false);
  await Promise.all([closeVault(open), closeVault(never)]);
});

it("closing keeps the index that a call given up half-way had begun: on a large vault the next process would else give up too", async () => {
  for (let number = 0; number < 2000; number++) fs.writeFileSync(temporary.at(`n${number}.md`), `milk ${number}`);
  const cacheFolder = nodePath.join(temporary.base, "cache");
  const open = await openFolder(temporary.folder, "v", { cacheFolder, session: false });
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error("too late"));
  await expect(open.notes.find({ query: "milk", signal: abort.signal, onProgress })).rejects.toThrow("too late");
  await closeVault(open);
  expect(
    fs.readdirSync(cacheFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  ).not.toEqual([]);
});
