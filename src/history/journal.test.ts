import { TEXT_NAMED } from "../markdown/nothing-dropped.js";
import { describe, expect, it } from "vitest";
import { sequentialIds } from "../clock.js";
import { Vault } from "../vault/vault.js";
import { append, at, CLOCK, contents, journalVault as open, putByHand } from "../../test/kit/journal-vault.js";

describe("undoing one step", () => {
  it("goes one edit further back each time, and says so when there is none left", async () => {
    const { vault, storage } = open({ "a.md": "0" });
    expect(await vault.writing.edit(at("a.md"), append("1"), "first")).toMatchObject({ undoable: true });
    await vault.writing.edit(at("a.md"), append("2"), "second");
    expect(await vault.history.undo(at("a.md"))).toMatchObject({
      path: "a.md",
      text: "01",
      step: { kind: "edit", path: "a.md", reason: "second", at: CLOCK.now() },
      trashedTo: undefined,
      others: [],
      kept: [],
      remaining: 1,
    });
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "0", remaining: 0, file: { durable: true } });
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      message: "No undo history for 'a.md'.",
    });
    expect(await contents(storage)).toEqual({ "a.md": "0" });
  });

  it("keeps every byte of what was there", async () => {
    const bytes = Buffer.from("\ufeffone\r\ntwo\u2028\n\nthree");
    const { vault, storage } = open({ "a.md": bytes });
    await vault.writing.edit(at("a.md"), () => "x", "test", { named: TEXT_NAMED });
    await vault.history.undo(at("a.md"));
    expect(Buffer.from((await storage.read(at("a.md")))?.bytes ?? [])).toEqual(bytes);
  });

  it("sends a new file to the trash", async () => {
    const { vault, storage } = open();
    expect(await vault.writing.create(at("sub/a.md"), "one", "test")).toMatchObject({ undoable: true });
    expect(await vault.history.undo(at("sub/a.md"))).toMatchObject({
      path: "sub/a.md",
      text: undefined,
      file: undefined,
      trashedTo: ".trash/sub/a.md",
    });
    expect(await contents(storage)).toEqual({ ".trash/sub/a.md": "one" });
  });

  it("brings a deleted file back, from the trash or not, text or not", async () => {
    const { vault, storage } = open({ "a.md": "one", "b.png": Uint8Array.of(0xff, 0) });
    expect(await vault.writing.delete(at("a.md"), "test")).toMatchObject({ undoable: true });
    await vault.writing.delete(at("b.png"), "test", { permanent: true });
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ path: "a.md", text: "one", copyInTrash: true });
    expect(await vault.history.undo(at("b.png"))).toMatchObject({ path: "b.png", text: undefined, copyInTrash: false });
    expect((await storage.read(at("b.png")))?.bytes).toEqual(Uint8Array.of(0xff, 0));
    expect(await contents(storage)).toMatchObject({ "a.md": "one", ".trash/a.md": "one" });
  });

  it("gives a renamed file its name back, with all that was done to it under that name", async () => {
    const { vault, storage } = open({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "test");
    expect(await vault.writing.move(at("a.md"), at("sub/b.md"), "rename")).toMatchObject({ undoable: true });
    await vault.writing.edit(at("sub/b.md"), append("2"), "test");
    expect((await vault.history.undo(at("sub/b.md"))).text).toBe("01");
    expect(await vault.history.undo(at("sub/b.md"))).toMatchObject({
      path: "a.md",
      text: "01",
      step: { kind: "move", from: "a.md", path: "sub/b.md" },
      remaining: 1,
    });
    expect((await vault.history.undo(at("a.md"))).text).toBe("0");
    expect(await contents(storage)).toEqual({ "a.md": "0" });
  });

  it("keeps the history of another file that had the name before", async () => {
    const { vault, storage } = open({ "a.md": "a", "b.md": "b" });
    await vault.writing.delete(at("b.md"), "test");
    await vault.writing.move(at("a.md"), at("b.md"), "test");
    await vault.history.undo(at("b.md"));
    await vault.history.undo(at("b.md"));
    expect(await contents(storage)).toMatchObject({ "a.md": "a", "b.md": "b" });
  });
});

describe("refusing to undo", () => {
  it("leaves a file alone that was changed since, and undoes when it is as it was again", async () => {
    const { vault, storage } = open({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "test");
    await putByHand(storage, "a.md", "by hand");
    const refused = await vault.history.undo(at("a.md")).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "CONFLICT", path: "a.md", message: expect.stringContaining("a.md") });
    expect(await contents(storage)).toEqual({ "a.md": "by hand" });
    await putByHand(storage, "a.md", "01");
    expect((await vault.history.undo(at("a.md"))).text).toBe("0");
  });

  it("takes no other file's place", async () => {
    const { vault, storage } = open({ "a.md": "a", "d.md": "d" });
    await vault.writing.move(at("a.md"), at("b.md"), "test");
    await vault.writing.delete(at("d.md"), "test", { permanent: true });
    await putByHand(storage, "a.md", "new a");
    await putByHand(storage, "d.md", "new d");
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "a.md" });
    await expect(vault.history.undo(at("d.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "d.md" });
    expect(await contents(storage)).toEqual({ "a.md": "new a", "b.md": "a", "d.md": "new d" });
  });

  it("keeps a new file that was changed since", async () => {
    const { vault, storage } = open();
    await vault.writing.create(at("a.md"), "one", "test");
    await putByHand(storage, "a.md", "two");
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await contents(storage)).toEqual({ "a.md": "two" });
  });

  it("of two at once for one step only one succeeds", async () => {
    const { vault } = open({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "test");
    const both = await Promise.allSettled([vault.history.undo(at("a.md")), vault.history.undo(at("a.md"))]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });
});

describe("a caller's expectation", () => {
  it("is a conflict when the file is something else by now, and nothing is written", async () => {
    const { vault, storage } = open({ "a.md": "one" });
    const { revision } = await vault.read(at("a.md"));
    await vault.writing.edit(at("a.md"), append(" two"), "test", { expected: revision });
    await expect(vault.writing.edit(at("a.md"), () => "x", "test", { expected: revision })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("'a.md'"),
      hint: expect.stringContaining("Read it again"),
    });
    expect(await contents(storage)).toEqual({ "a.md": "one two" });
    expect((await vault.history.undo(at("a.md"))).text).toBe("one");
  });
});

describe("a closed vault", () => {
  it("undoes nothing when it is read-only", async () => {
    const { vault, storage, place } = open({ "a.md": "one" });
    await vault.writing.edit(at("a.md"), append("!"), "test");
    const options = { storage, clock: CLOCK, ids: sequentialIds(), subjects: [], journal: { place } };
    const readOnly = new Vault({ ...options, readOnly: true });
    await expect(readOnly.history.undo(at("a.md"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect((await vault.history.undo(at("a.md"))).text).toBe("one");
  });

  it.each([".obsidian/app.json", ".git/config"])("undoes nothing at %s", async (path) => {
    const { vault, storage } = open({ "a.md": "one" });
    const closed = new Vault({ storage, clock: CLOCK, ids: sequentialIds(), subjects: [] });
    await expect(closed.history.undo(at(path))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(vault.history.undo(at(".obsidian/app.json"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });
});

describe("what a change says", () => {
  it("cannot be undone when nothing was changed, and leaves no step", async () => {
    const { vault } = open({ "a.md": "one" });
    expect(await vault.writing.edit(at("a.md"), (text) => text, "test")).toMatchObject({
      changed: false,
      undoable: false,
    });
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("leaves no step when it was refused", async () => {
    const { vault } = open({ "a.md": "one", "b.md": "one" });
    await expect(vault.writing.create(at("a.md"), "one", "test")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await expect(vault.writing.move(at("b.md"), at("a.md"), "test")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.writing.delete(at("c.md"), "test")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.history.undo(at("c.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });
});

describe("the list of changes", () => {
  const reasonsOf = async (vault: Vault, path: string) =>
    (await vault.history.list({ path: at(path), limit: 20 })).entries.map(({ reason }) => reason);

  it("follows a file through its names, and through those of its folders", async () => {
    const { vault } = open({ "a/x.md": "x", "other.md": "o" });
    await vault.writing.edit(at("a/x.md"), append("1"), "edit");
    await vault.writing.move(at("a/x.md"), at("a/y.md"), "rename");
    await vault.writing.edit(at("other.md"), append("1"), "other");
    await vault.writing.moveFolder(at("a"), at("b"), new Map([[at("a/y.md"), at("b/y.md")]]), "folder");
    await vault.writing.create(at("a/x.md"), "another", "another");
    for (const path of ["b/y.md", "b"]) expect(await reasonsOf(vault, path)).toEqual(["folder", "rename", "edit"]);
    expect(await reasonsOf(vault, "a/x.md")).toEqual(["another", "folder", "rename", "edit"]);
    expect(await reasonsOf(vault, "other.md")).toEqual(["other"]);
  });

  it("leaves out what a kill prevented after its step was written", async () => {
    const { vault, storage } = open({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "made");
    storage.update = async (path, change) => {
      await change(await storage.read(path));
      return await new Promise(() => {});
    };
    void vault.writing.edit(at("a.md"), append("2"), "prevented");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await reasonsOf(vault, "a.md")).toEqual(["made"]);
  });
});
