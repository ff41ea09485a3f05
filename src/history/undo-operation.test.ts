/** Undoing an operation by its id, and what was done last. */
import { describe, expect, it } from "vitest";
import { append, at, CLOCK, contents, journalVault, putByHand } from "../../test/kit/journal-vault.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { asCaller } from "../async/caller.js";
import { MemoryJournalStorage } from "./connection.js";
import { operationIn, operationReference } from "./journal-records.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";

const FILES = { "a.md": "a", "b.md": "b", "c.md": "c" };
const PLAN = { reason: "update tasks: status", files: [at("a.md"), at("b.md")] };

/** A clock whose every look is a millisecond later. */
function ticking() {
  let now = CLOCK.now();
  return { ...CLOCK, now: () => now++ };
}

/** An operation that changes two files and makes a third. */
async function change(vault: Vault): Promise<string> {
  const operation = await vault.history.begin(PLAN);
  await vault.writing.edit(at("a.md"), append("!"), "update", { operation });
  await vault.writing.edit(at("b.md"), append("!"), "update", { operation });
  await vault.writing.create(at("new.md"), "new", "create", { operation });
  await operation.done();
  return operation.id;
}

describe("undoing an operation by its id", () => {
  it("takes back every file", async () => {
    const { vault, storage } = journalVault(FILES);
    const outcome = await vault.history.undoOperation(await change(vault));
    expect(outcome).toMatchObject({ reason: PLAN.reason, removed: ["new.md"], kept: [], durable: true });
    expect([...outcome.reverted].sort()).toEqual(["a.md", "b.md", "new.md"]);
    expect(await contents(storage)).toEqual({ ...FILES, ".trash/new.md": "new" });
  });

  it("is refused the second time", async () => {
    const { vault } = journalVault(FILES);
    const id = await change(vault);
    await vault.history.undoOperation(id);
    await expect(vault.history.undoOperation(id)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.history.undoOperation("0-none")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("leaves what was changed since, and names it", async () => {
    const { vault, storage } = journalVault(FILES);
    const id = await change(vault);
    await putByHand(storage, "a.md", "by hand");
    const { reverted, kept } = await vault.history.undoOperation(id);
    expect([...reverted].sort()).toEqual(["b.md", "new.md"]);
    expect(kept).toMatchObject([{ path: "a.md" }]);
    expect(await contents(storage)).toMatchObject({ "a.md": "by hand", "b.md": "b" });
  });

  it("leaves a new file that holds the text of one that was changed since", async () => {
    const { vault, storage } = journalVault(FILES);
    const operation = await vault.history.begin({ reason: 'extract "B"', files: [at("a.md"), at("new.md")] });
    await vault.writing.create(at("new.md"), "a", "create", { operation });
    await vault.writing.edit(at("a.md"), () => "[[new]]", "update", { operation });
    await vault.writing.edit(at("a.md"), (text) => `${text} `, "update", { operation });
    await operation.done();
    await putByHand(storage, "a.md", "[[new]] by hand");
    const undoing = vault.history.undoOperation(operation.id);
    await expect(undoing).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("'a.md' was changed"),
    });
    await expect(undoing).rejects.toThrow(/So are 1 more of its files\.$/);
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "[[new]] by hand", "new.md": "a" });
    await putByHand(storage, "a.md", "[[new]] ");
    expect((await vault.history.undoOperation(operation.id)).kept).toEqual([]);
    expect(await contents(storage)).toEqual({ ...FILES, ".trash/new.md": "a" });
  });

  it("leaves a file whose step was undone by itself, without a word", async () => {
    const { vault, storage } = journalVault(FILES, { clock: ticking() });
    const id = await change(vault);
    await vault.history.undo(at("a.md"));
    await vault.writing.edit(at("a.md"), append("?"), "later");
    expect((await vault.history.undoOperation(id)).kept).toEqual([]);
    expect(await contents(storage)).toMatchObject({ "a.md": "a?", "b.md": "b" });
  });

  it("refuses with a conflict when no file is as it was left", async () => {
    const { vault, storage } = journalVault(FILES);
    const id = await change(vault);
    for (const path of ["a.md", "b.md", "new.md"]) await putByHand(storage, path, "by hand");
    await expect(vault.history.undoOperation(id)).rejects.toMatchObject({ code: "CONFLICT" });
    await putByHand(storage, "b.md", "b!");
    expect((await vault.history.undoOperation(id)).reverted).toEqual(["b.md"]);
  });

  it("refuses while it is under way, and takes back one that a crash interrupted", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const ended = new Set<string>();
    const place = new MemoryJournalStorage({ maker: "worker", ended });
    const worker = journalVault({}, { storage, place }).vault;
    const operation = await worker.history.begin(PLAN);
    await worker.writing.edit(at("a.md"), append("!"), "update", { operation });
    const { vault } = journalVault(
      {},
      { storage, place: new MemoryJournalStorage({ maker: "other", ended, sharedWith: place }) },
    );
    await expect(vault.history.undoOperation(operation.id)).rejects.toMatchObject({ code: "CONFLICT" });
    ended.add("worker");
    expect((await vault.history.undoOperation(operation.id)).reverted).toEqual(["a.md"]);
    expect(await contents(storage)).toEqual(FILES);
  });

  it("changes nothing where one of its files may not be written", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const { vault, place } = journalVault({}, { storage });
    const id = await change(vault);
    const readOnly = journalVault({}, { storage, place, readOnly: true }).vault;
    await expect(readOnly.history.undoOperation(id)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  it("takes back a rename by its id as by its file", async () => {
    const { vault, storage } = journalVault({ "a.md": "# A", "one.md": "[[a]]" });
    const operation = await vault.history.begin({
      reason: "rename",
      from: at("a.md"),
      to: at("z.md"),
      files: [at("one.md")],
    });
    await vault.writing.move(at("a.md"), at("z.md"), "rename", { operation });
    await vault.writing.edit(at("one.md"), () => "[[z]]", "rename", { operation });
    await operation.done();
    await putByHand(storage, "z.md", "by hand");
    await expect(vault.history.undoOperation(operation.id)).rejects.toMatchObject({ code: "CONFLICT", path: "z.md" });
    await putByHand(storage, "z.md", "# A");
    expect((await vault.history.undoOperation(operation.id)).reverted).toEqual(["a.md", "one.md"]);
  });
});

describe("what was done last", () => {
  it("is the newest change that is not undone, an operation as a whole", async () => {
    const { vault } = journalVault(FILES, { clock: ticking() });
    expect(await vault.history.lastChange()).toBeUndefined();
    await vault.writing.edit(at("c.md"), append("!"), "edit");
    const id = await change(vault);
    expect(await vault.history.lastChange()).toEqual({ kind: "operation", id });
    await vault.history.undoOperation(id);
    expect(await vault.history.lastChange()).toEqual({ kind: "file", path: "c.md" });
    await vault.history.undo(at("c.md"));
    expect(await vault.history.lastChange()).toBeUndefined();
  });
});

it("with the clock set back, the last change is still the one that was made last", async () => {
  let now = CLOCK.now();
  const { vault } = journalVault({ "in/a.md": "a", "b.md": "b" }, { clock: { ...CLOCK, now: () => now } });
  await vault.writing.moveFolder(at("in"), at("to"), new Map([[at("in/a.md"), at("to/a.md")]]), "move");
  now -= 60 * 60 * 1000;
  await vault.writing.edit(at("to/a.md"), append("!"), "edit");
  await vault.writing.edit(at("b.md"), append("!"), "edit");
  expect(await vault.history.lastChange()).toEqual({ kind: "file", path: "b.md" });
  expect(await vault.history.undo(at("to/a.md"))).toMatchObject({ path: "to/a.md", text: "a", step: { kind: "edit" } });
});

describe("what was done last, of several callers of one process", () => {
  it("is each one's own, and is still known to the next process", async () => {
    const { vault, storage, place } = journalVault(FILES, { clock: ticking() });
    const edit = (caller: string, path: string) =>
      asCaller({ owner: caller }, () => vault.writing.edit(at(path), append("!"), "edit"));
    await edit("one", "a.md");
    await edit("two", "b.md");
    await vault.writing.edit(at("c.md"), append("!"), "edit");
    const { vault: later } = journalVault({}, { storage, place });
    for (const each of [vault, later]) {
      expect(await asCaller({ owner: "one" }, () => each.history.lastChange())).toEqual({ kind: "file", path: "a.md" });
      expect(await asCaller({ owner: "two" }, () => each.history.lastChange())).toEqual({ kind: "file", path: "b.md" });
      expect(await asCaller({ owner: "three" }, () => each.history.lastChange())).toBeUndefined();
      expect(await each.history.lastChange()).toEqual({ kind: "file", path: "c.md" });
    }
  });

  it("is not taken back by another's later change of the file", async () => {
    const { vault } = journalVault(FILES, { clock: ticking() });
    for (const owner of ["one", "two"])
      await asCaller({ owner }, () => vault.writing.edit(at("a.md"), append("!"), "edit"));
    const last = (owner: string) => asCaller({ owner }, () => vault.history.lastChange());
    await expect(last("one")).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await last("two")).toEqual({ kind: "file", path: "a.md" });
  });

  it("may be taken back by another who names its file", async () => {
    const { vault } = journalVault(FILES);
    await asCaller({ owner: "one" }, () => vault.writing.edit(at("a.md"), append("!"), "edit"));
    expect((await asCaller({ owner: "two" }, () => vault.history.undo(at("a.md")))).text).toBe("a");
  });
});

describe("the reference of an operation", () => {
  it("is read as it is written", () => {
    expect(operationIn(operationReference("mbx1-a2") ?? "")).toBe("mbx1-a2");
    expect(operationReference("")).toBeUndefined();
    for (const text of ["op-", "op-a", "a.md", "op-a-b.md", "x/op-a-b"]) expect(operationIn(text)).toBeUndefined();
  });
});

describe("an operation whose record is damaged", () => {
  /** Two notes that belong together, as a task and its series do, and a way to spoil what the journal says of them. */
  async function spoilt(sql: string, values: readonly string[], links: readonly VaultPath[] = []) {
    const opened = journalVault(FILES);
    const operation = await opened.vault.history.begin({ ...PLAN, asOne: true, links });
    await opened.vault.writing.edit(at("a.md"), append("!"), "finish", { operation });
    await opened.vault.writing.edit(at("b.md"), append("!"), "finish", { operation });
    await operation.done();
    (await opened.place.open())?.prepare(sql).run(...values);
    return { ...opened, id: operation.id };
  }
  const spoils: readonly (readonly [what: string, sql: string, ...values: string[]])[] = [
    ["row", "DELETE FROM operations"],
    ["plan", "UPDATE operations SET plan = ?", "{"],
    ["plan that leads out of the vault", "UPDATE operations SET plan = json_set(plan, '$.files[0]', ?)", "../x"],
    ["other step", "UPDATE steps SET path = ? WHERE path = 'b.md'", "../b.md"],
    ["other former text", "UPDATE steps SET image = ? WHERE path = 'b.md'", "damaged"],
  ];

  it.each(spoils)("is not undone by half where its %s cannot be read", async (_, sql, ...values) => {
    const { vault, storage } = await spoilt(sql, values);
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "a!", "b.md": "b!" });
  });

  it("is undone but for a note whose links alone were rewritten, which is named", async () => {
    const [, sql = "", ...values] = spoils.at(-1) ?? [];
    const { vault, storage } = await spoilt(sql, values, [at("b.md")]);
    expect((await vault.history.undo(at("a.md"))).kept).toMatchObject([{ path: "b.md" }]);
    expect(await contents(storage)).toEqual({ ...FILES, "b.md": "b!" });
  });

  it("is unknown where its list of rewritten links leads out of the vault", async () => {
    const { vault } = await spoilt(
      "UPDATE operations SET plan = json_set(plan, '$.links[0]', ?)",
      ["../x"],
      [at("b.md")],
    );
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
