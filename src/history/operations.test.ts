import { describe, expect, it } from "vitest";
import { append, at, contents, journalVault, putByHand } from "../../test/kit/journal-vault.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { kindOf, type Operation } from "./journal-records.js";
import { type JournalStorage, MemoryJournalStorage } from "./connection.js";
import type { Vault } from "../vault/vault.js";

const FILES = { "a.md": "# A", "one.md": "[[a]]", "two.md": "[[a]]" };
const PLAN = { reason: "rename", from: at("a.md"), to: at("b.md"), files: [at("a.md"), at("one.md"), at("two.md")] };
const relink = (text: string): string => text.replace("[[a]]", "[[b]]");

/** How many operations a journal holds. */
async function count(place: JournalStorage): Promise<unknown> {
  return (await place.open())?.prepare("SELECT COUNT(*) FROM operations").get()?.[0];
}

async function rename(vault: Vault, steps = 3): Promise<Operation> {
  const operation = await vault.history.begin(PLAN);
  await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation });
  if (steps > 1) await vault.writing.edit(at("one.md"), relink, "rename", { operation });
  if (steps > 2) await vault.writing.edit(at("two.md"), relink, "rename", { operation });
  return operation;
}

describe("undoing an operation", () => {
  it("takes all of it back by the renamed file", async () => {
    const { vault, storage } = journalVault(FILES);
    await (await rename(vault)).done();
    const outcome = await vault.history.undo(at("b.md"));
    expect(outcome).toMatchObject({ path: "a.md", text: "# A", step: { kind: "move" }, kept: [] });
    expect([...outcome.others].sort()).toEqual(["one.md", "two.md"]);
    expect(await contents(storage)).toEqual(FILES);
    await expect(vault.history.undo(at("one.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("takes only its own edit back by a rewritten note", async () => {
    const { vault, storage } = journalVault(FILES);
    await (await rename(vault)).done();
    expect(await vault.history.undo(at("one.md"))).toMatchObject({ path: "one.md", text: "[[a]]", others: [] });
    expect(await contents(storage)).toEqual({ "b.md": "# A", "one.md": "[[a]]", "two.md": "[[b]]" });
    expect((await vault.history.undo(at("b.md"))).others).toEqual(["two.md"]);
    expect(await contents(storage)).toEqual(FILES);
  });

  it("takes it all back when the renamed note was rewritten too, whatever was done first", async () => {
    for (const moveFirst of [true, false]) {
      const { vault, storage } = journalVault({ ...FILES, "a.md": "[[a]]" });
      const operation = await vault.history.begin(PLAN);
      if (moveFirst) await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation });
      await vault.writing.edit(at(moveFirst ? "b.md" : "a.md"), relink, "rename", { operation });
      if (!moveFirst) await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation });
      await operation.done();
      expect(await vault.history.undo(at("b.md"))).toMatchObject({ path: "a.md", text: "[[a]]" });
      expect(await contents(storage)).toEqual({ ...FILES, "a.md": "[[a]]" });
    }
  });

  it("leaves notes alone that were changed since, and names them", async () => {
    const { vault, storage } = journalVault(FILES);
    await (await rename(vault)).done();
    await putByHand(storage, "one.md", "by hand");
    await vault.writing.edit(at("two.md"), append("!"), "later");
    const outcome = await vault.history.undo(at("b.md"));
    expect(outcome.path).toBe("a.md");
    expect(outcome.kept.map(({ path }) => path).sort()).toEqual(["one.md", "two.md"]);
    expect(outcome.others).toEqual([]);
    expect(await contents(storage)).toEqual({ "a.md": "# A", "one.md": "by hand", "two.md": "[[b]]!" });
    expect((await vault.history.undo(at("two.md"))).text).toBe("[[b]]");
    expect((await vault.history.undo(at("two.md"))).text).toBe("[[a]]");
  });

  it("changes nothing at all when the renamed file was changed since", async () => {
    const { vault, storage } = journalVault(FILES);
    await (await rename(vault)).done();
    await putByHand(storage, "b.md", "by hand");
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "b.md" });
    expect(await contents(storage)).toEqual({ "b.md": "by hand", "one.md": "[[b]]", "two.md": "[[b]]" });
  });

  it("goes back to a folder's old name by any file in it", async () => {
    const files = { "old/a.md": "a", "old/sub/b.md": "[[old/a]]", "c.md": "[[old/a]]" };
    const { vault, storage } = journalVault(files);
    const [from, to] = [at("old"), at("new")];
    const operation = await vault.history.begin({ reason: "rename", from, to, files: [at("c.md")] });
    const moved = new Map(["a.md", "sub/b.md"].map((name) => [at(`old/${name}`), at(`new/${name}`)]));
    expect(await vault.writing.moveFolder(from, to, moved, "rename", { operation })).toEqual({
      undoable: true,
      durable: true,
    });
    for (const path of ["new/sub/b.md", "c.md"])
      await vault.writing.edit(at(path), (text) => text.replace("old", "new"), "rename", { operation });
    await operation.done();
    expect(await vault.history.undo(at("new/a.md"))).toMatchObject({ path: "old/a.md", text: "a" });
    expect(await contents(storage)).toEqual(files);
  });

  it("takes the later changes of a folder's files along to its old name, where they can be undone", async () => {
    const { vault, storage } = journalVault({ "old/a.md": "a", "old/b.md": "b" });
    const moved = new Map(["a.md", "b.md"].map((name) => [at(`old/${name}`), at(`new/${name}`)]));
    const operation = await vault.history.begin({ reason: "rename", from: at("old"), to: at("new"), files: [] });
    await vault.writing.moveFolder(at("old"), at("new"), moved, "rename", { operation });
    await operation.done();
    await vault.writing.edit(at("new/a.md"), append("!"), "edit");
    await vault.writing.move(at("new/b.md"), at("new/c.md"), "move");
    await vault.history.undoOperation(operation.id);
    expect(await contents(storage)).toEqual({ "old/a.md": "a!", "old/c.md": "b" });
    expect(await vault.history.undo(at("old/a.md"))).toMatchObject({ path: "old/a.md", text: "a" });
    expect(await vault.history.undo(at("old/c.md"))).toMatchObject({ path: "old/b.md" });
    expect(await contents(storage)).toEqual({ "old/a.md": "a", "old/b.md": "b" });
    expect(await vault.history.lastChange()).toBeUndefined();
  });

  it("is refused by any of its files while the operation is under way", async () => {
    const { vault, storage } = journalVault(FILES);
    const operation = await rename(vault);
    for (const path of ["b.md", "one.md"])
      await expect(vault.history.undo(at(path))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await contents(storage)).toEqual({ "b.md": "# A", "one.md": "[[b]]", "two.md": "[[b]]" });
    expect(await operation.done()).toBe(true);
    expect((await vault.history.undo(at("one.md"))).text).toBe("[[a]]");
  });

  it("is not taken for interrupted while its end is being written", async () => {
    const { vault } = journalVault(FILES);
    const operation = await rename(vault, 2);
    const [, found] = await Promise.all([operation.done(), vault.history.unfinished()]);
    expect(found).toEqual([]);
  });

  it("is not ended by an operation of another vault of the process that has the same id", async () => {
    const [one, other] = [journalVault(FILES), journalVault(FILES)];
    const operation = await rename(one.vault, 2);
    await (await rename(other.vault)).done();
    expect(await one.vault.history.unfinished()).toEqual([]);
    expect(await operation.done()).toBe(true);
  });

  it("can be taken back by whoever is at it", async () => {
    const { vault, storage } = journalVault(FILES);
    const operation = await rename(vault, 2);
    expect(await operation.undo()).toEqual([]);
    expect(await contents(storage)).toEqual(FILES);
    expect(await vault.history.unfinished()).toEqual([]);
  });

  it("leaves no trace without steps", async () => {
    const { vault, place } = journalVault(FILES);
    await (await vault.history.begin(PLAN)).done();
    expect(await count(place)).toBe(0);
  });
});

describe("the bounds of a journal", () => {
  const MIB = "x".repeat(1024 * 1024);

  it("remove a rename whole when one of its notes was changed too often since", async () => {
    const { vault, storage } = journalVault({ ...FILES, "two.md": "[[a]]" }, { limit: 3 });
    await vault.writing.edit(at("two.md"), append(" older"), "older");
    const operation = await rename(vault);
    await operation.done();
    for (let count = 0; count < 3; count++) await vault.writing.edit(at("one.md"), append("!"), "later");
    const before = await contents(storage);
    for (const path of ["b.md", "two.md"])
      await expect(vault.history.undo(at(path))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.history.undoOperation(operation.id)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await contents(storage)).toEqual(before);
    expect((await vault.history.undo(at("one.md"))).text).toBe("[[b]]!!");
  });

  it("let an operation that is larger by itself say so, and spare what was changed before", async () => {
    const files = { "a.md": "a", "one.md": MIB, "two.md": MIB, "three.md": MIB };
    const { vault, storage } = journalVault(files, { maxSize: 2.5 * 1024 * 1024 });
    await vault.writing.edit(at("a.md"), append("b"), "small");
    const paths = ["one.md", "two.md", "three.md"].map(at);
    const { undoable, operation } = await vault.history.runOperation(
      { reason: "large", files: paths },
      async (operation) => {
        for (const path of paths) await vault.writing.edit(path, append("!"), "large", { operation });
      },
    );
    expect(undoable).toBe(false);
    expect(operation).toMatch(/^op-/);
    for (const path of paths) await expect(vault.history.undo(path)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect((await vault.history.undo(at("a.md"))).text).toBe("a");
    expect((await contents(storage))["two.md"]).toBe(`${MIB}!`);
  });

  it("count bytes of whole operations, oldest first", async () => {
    const { vault } = journalVault({ "a.md": MIB, "b.md": MIB, "c.md": MIB }, { maxSize: 2.5 * 1024 * 1024 });
    const plan = { reason: "both", files: [at("a.md"), at("b.md")] };
    const { undoable } = await vault.history.runOperation(plan, async (operation) => {
      for (const path of plan.files) await vault.writing.edit(path, append("!"), "both", { operation });
    });
    expect(undoable).toBe(true);
    await vault.writing.edit(at("c.md"), append("!"), "alone");
    for (const path of plan.files)
      await expect(vault.history.undo(path)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect((await vault.history.undo(at("c.md"))).text).toBe(MIB);
  });
});

describe("an operation of which the journal has lost a step", () => {
  it("is refused before anything is touched", async () => {
    const { vault, storage, place } = journalVault(FILES);
    const operation = await rename(vault);
    await operation.done();
    (await place.open())?.prepare("DELETE FROM steps WHERE path = 'two.md'").run();
    const before = await contents(storage);
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(vault.history.undoOperation(operation.id)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("is missing in the journal"),
    });
    expect(await contents(storage)).toEqual(before);
  });

  it("of which the user took one note back is not one", async () => {
    const { vault, storage } = journalVault(FILES);
    const operation = await rename(vault);
    await operation.done();
    await vault.history.undo(at("one.md"));
    await vault.history.undoOperation(operation.id);
    expect(await contents(storage)).toEqual(FILES);
  });
});

describe("a value of a row that was changed", () => {
  it.each([
    ["steps", "sequence", "sequence + 64"],
    ["steps", "kind", "'creatf'"],
    ["steps", "path", "'c.md'"],
    ["steps", "source", "'x.md'"],
    ["steps", "after", "before"],
    ["steps", "state", "'dona'"],
    ["operations", "plan", `'{"reason":"rename","files":[]}'`],
    ["operations", "id", "'other'"],
  ])("is noticed, and nothing is undone by it: %s.%s", async (table, column, value) => {
    const { vault, storage, place } = journalVault({ ...FILES, "c.md": "[[b]]" });
    const operation = await rename(vault);
    await operation.done();
    await vault.writing.edit(at("two.md"), append("!"), "later");
    const before = await contents(storage);
    (await place.open())?.prepare(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = 1`).run();
    await expect(vault.history.undo(at("b.md"))).rejects.toThrow();
    await expect(vault.history.undoOperation(operation.id)).rejects.toThrow();
    expect(await contents(storage)).toEqual(before);
  });
});

describe("an operation that a crash interrupted", () => {
  /** A process that dies after some steps of a rename, and the next one. */
  async function crashed(steps: number) {
    const storage = new MemoryStorage({ files: FILES });
    const dead = new MemoryJournalStorage({ maker: "dead" });
    await rename(journalVault({}, { storage, place: dead }).vault, steps);
    const next = new MemoryJournalStorage({ maker: "next", ended: new Set(["dead"]), sharedWith: dead });
    return journalVault({}, { storage, place: next });
  }

  it("is listed with what is done and what is missing", async () => {
    const { vault } = await crashed(2);
    const [found, ...others] = await vault.history.unfinished();
    expect(others).toEqual([]);
    expect(found?.plan).toEqual(PLAN);
    expect(found?.done.map((step) => `${kindOf(step)} ${step.path}`)).toEqual(["move b.md", "edit one.md"]);
    expect(found?.missing).toEqual(["two.md"]);
  });

  it.each(["a.md", "b.md"])("is taken back by %s", async (path) => {
    const { vault, storage } = await crashed(2);
    expect(await vault.history.undo(at(path))).toMatchObject({ path: "a.md", text: "# A", others: ["one.md"] });
    expect(await contents(storage)).toEqual(FILES);
    expect(await vault.history.unfinished()).toEqual([]);
  });

  it("can be finished, and then undone as a whole", async () => {
    const { vault, storage } = await crashed(2);
    const [found] = await vault.history.unfinished();
    if (!found) throw new Error("was not found");
    await vault.history.resume(found, async (operation) => {
      for (const path of found.missing) await vault.writing.edit(path, relink, "rename", { operation });
      expect(await vault.history.unfinished()).toEqual([]);
    });
    expect(await contents(storage)).toEqual({ "b.md": "# A", "one.md": "[[b]]", "two.md": "[[b]]" });
    await vault.history.undo(at("b.md"));
    expect(await contents(storage)).toEqual(FILES);
  });

  it("is forgotten when nothing had been changed", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const dead = new MemoryJournalStorage({ maker: "dead" });
    await journalVault({}, { storage, place: dead }).vault.history.begin(PLAN);
    const next = new MemoryJournalStorage({ ended: new Set(["dead"]), sharedWith: dead });
    expect(await journalVault({}, { storage, place: next }).vault.history.unfinished()).toEqual([]);
    expect(await count(next)).toBe(0);
  });

  it("is none when all of it was done but written down, and is undone as a whole", async () => {
    const { vault, storage } = await crashed(3);
    expect(await vault.history.unfinished()).toEqual([]);
    await vault.history.undo(at("b.md"));
    expect(await contents(storage)).toEqual(FILES);
  });

  it("is none while its process runs", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const running = new MemoryJournalStorage({ maker: "running" });
    await rename(journalVault({}, { storage, place: running }).vault, 2);
    const other = new MemoryJournalStorage({ maker: "other", sharedWith: running });
    expect(await journalVault({}, { storage, place: other }).vault.history.unfinished()).toEqual([]);
  });
});
