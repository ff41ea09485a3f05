import { describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import type { NoteSource } from "../index/subject.js";
import { Vault, type VaultOptions } from "./vault.js";

const clock = fixedClock("2025-08-30T12:00:00Z");

function open(files: Record<string, string | Uint8Array>, options: Partial<VaultOptions> = {}) {
  const storage = new MemoryStorage({ files, clock });
  const vault = new Vault({ storage, clock, ids: sequentialIds(), subjects: [], ...options });
  const textOf = async (path: string) => {
    const file = await storage.read(vaultPath(path, { allowHidden: true }));
    return file && new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.bytes);
  };
  return { storage, vault, textOf };
}

const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });

it("refuses an edit that drops what no request names, and writes nothing", async () => {
  const text = "---\ntags: [a, { b: 1 }]\n---\none\n";
  const { vault, textOf } = open({ "a.md": text });
  for (const after of ["---\ntags: [a]\n---\none\n", "---\ntags: [a, { b: 1 }]\n---\n"])
    await expect(vault.writing.edit(at("a.md"), () => after, "test")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("Nothing was changed."),
    });
  expect(await textOf("a.md")).toBe(text);
});

describe("reading", () => {
  it("gives the whole text, BOM and line ends included, with its revision", async () => {
    const { vault } = open({ "a.md": "\ufeffone\r\ntwo" });
    const note = await vault.read(at("a.md"));
    expect(note.text).toBe("\ufeffone\r\ntwo");
    expect(note.revision).toMatch(/^[0-9a-f]{64}$/);
    expect(note.stat.size).toBe(11);
  });

  it.each([
    ["missing.md", "FILE_NOT_FOUND", "missing.md"],
    ["folder", "INVALID_ARGUMENT", "is a folder"],
    ["binary.md", "NOT_TEXT", "binary.md"],
    ["half.md", "NOT_TEXT", "half.md"],
    ["large.md", "TOO_LARGE", "large.md"],
    [".obsidian/app.json", "PERMISSION_DENIED", "hidden"],
  ])("refuses %s with %s", async (path, code, words) => {
    const { vault } = open(
      {
        "folder/a.md": "",
        "binary.md": Uint8Array.of(0xff, 0xfe, 65),
        "half.md": Uint8Array.of(65, 0xe2, 0x82),
        "large.md": "x".repeat(101),
        ".obsidian/app.json": "{}",
      },
      { maxFileSize: 100 },
    );
    await expect(vault.read(at(path))).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe("facts of a few notes", () => {
  const titles = { name: "titles", version: 1, read: ({ text }: NoteSource) => /^# (.+)$/m.exec(text)?.[1] };

  it("come in the order asked for, without strangers and what cannot be read", async () => {
    const { vault } = open({
      "a.md": "# One\n",
      "b.md": "---\nx: <% y %>\n---\n# Template\n",
      "c.md": Uint8Array.of(0xff, 0xfe, 0x23),
      "d.md": "# Two\n",
      "e.md": "nothing\n",
    });
    const paths = ["d.md", "c.md", "missing.md", "e.md", "b.md", "a.md"].map(at);
    expect(await vault.factsIn(paths, titles.read)).toEqual(["Two", "Template", "One"]);
  });

  it("are not taken from hidden files", async () => {
    const { vault } = open({ ".obsidian/a.md": "# One\n" });
    await expect(vault.factsIn([at(".obsidian/a.md")], titles.read)).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });
});

describe("editing", () => {
  it("writes what the change answers and nothing else", async () => {
    const { vault, textOf } = open({ "a.md": "\ufeffone\r\ntwo" });
    const outcome = await vault.writing.edit(at("a.md"), (text) => text.replace("one", "eins"), "test");
    expect(outcome).toMatchObject({ changed: true, text: "\ufeffeins\r\ntwo", file: { durable: true } });
    expect(await textOf("a.md")).toBe("\ufeffeins\r\ntwo");
  });

  it("does not write when nothing changed", async () => {
    const { vault, storage } = open({ "a.md": "one" });
    const before = await storage.stat(at("a.md"));
    expect(await vault.writing.edit(at("a.md"), (text) => text, "test")).toMatchObject({
      changed: false,
      file: undefined,
      text: "one",
    });
    expect(await storage.stat(at("a.md"))).toEqual(before);
  });

  it("leaves the file alone when the change throws, is no text, or is too large", async () => {
    const { vault, textOf } = open({ "a.md": "one", "b.md": Uint8Array.of(0xff) }, { maxFileSize: 10 });
    const fail = () => {
      throw new Error("no");
    };
    await expect(vault.writing.edit(at("a.md"), fail, "test")).rejects.toThrow("no");
    await expect(vault.writing.edit(at("a.md"), () => "\ud800", "test")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(vault.writing.edit(at("a.md"), () => "x".repeat(11), "test")).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
    await expect(vault.writing.edit(at("b.md"), () => "x", "test")).rejects.toMatchObject({ code: "NOT_TEXT" });
    await expect(vault.writing.edit(at("c.md"), () => "x", "test")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await textOf("a.md")).toBe("one");
    expect(await textOf("c.md")).toBeUndefined();
  });

  it("keeps all of twenty parallel edits", async () => {
    const { vault, textOf } = open({ "a.md": "" });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => vault.writing.edit(at("a.md"), (text) => `${text}${n};`, "test")),
    );
    expect((await textOf("a.md"))?.split(";").length).toBe(21);
  });
});

describe("making, moving and deleting", () => {
  it("never replaces a file", async () => {
    const { vault, textOf } = open({ "a.md": "one", "b.md": "two" });
    await expect(vault.writing.create(at("a.md"), "x", "test")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await expect(vault.writing.move(at("b.md"), at("a.md"), "test")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await expect(vault.writing.move(at("c.md"), at("d.md"), "test")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect([await textOf("a.md"), await textOf("b.md")]).toEqual(["one", "two"]);
    await vault.writing.create(at("new/c.md"), "three", "test");
    await vault.writing.move(at("new/c.md"), at("other/d.md"), "test");
    expect([await textOf("new/c.md"), await textOf("other/d.md")]).toEqual([undefined, "three"]);
  });

  it("numbers files of one name in the trash", async () => {
    const { vault, textOf } = open({ "sub/a.md": "one" });
    expect(await vault.writing.delete(at("sub/a.md"), "test")).toEqual({
      path: "sub/a.md",
      trashedTo: ".trash/sub/a.md",
      durable: true,
      undoable: false,
    });
    await vault.writing.create(at("sub/a.md"), "two", "test");
    expect(await vault.writing.delete(at("sub/a.md"), "test")).toEqual({
      path: "sub/a.md",
      trashedTo: ".trash/sub/a 2.md",
      durable: true,
      undoable: false,
    });
    expect([await textOf(".trash/sub/a.md"), await textOf(".trash/sub/a 2.md")]).toEqual(["one", "two"]);
  });

  it("removes for good only when asked, and never a folder", async () => {
    const { vault, textOf } = open({ "sub/a.md": "one" });
    await expect(vault.writing.delete(at("sub"), "test")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await vault.writing.delete(at("sub/a.md"), "test", { permanent: true })).toEqual({
      path: "sub/a.md",
      trashedTo: undefined,
      durable: true,
      undoable: false,
    });
    expect(await textOf("sub/a.md")).toBeUndefined();
    await expect(vault.writing.delete(at("sub/a.md"), "test")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });
});

describe("what may not be written", () => {
  const writes: [string, (vault: Vault, path: VaultPath) => Promise<unknown>][] = [
    ["edit", (vault, path) => vault.writing.edit(path, () => "x", "test")],
    ["create", (vault, path) => vault.writing.create(path, "x", "test")],
    ["move from", (vault, path) => vault.writing.move(path, at("free.md"), "test")],
    ["move to", (vault, path) => vault.writing.move(at("a.md"), path, "test")],
    ["delete", (vault, path) => vault.writing.delete(path, "test")],
  ];

  it.each(writes)("%s: nothing in read-only mode", async (_, write) => {
    const { vault, textOf } = open({ "a.md": "one" }, { readOnly: true });
    await expect(write(vault, at("a.md"))).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("read-only"),
    });
    expect(await textOf("a.md")).toBe("one");
  });

  it.each(writes)("%s: no hidden file, unless they are allowed; never Obsidian's settings", async (_, write) => {
    const files = { "a.md": "one", ".hidden/x.md": "h", ".obsidian/x.md": "o" };
    for (const path of [".hidden/x.md", ".obsidian/x.md"])
      await expect(write(open(files).vault, at(path))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(write(open(files, { allowHidden: true }).vault, at(".obsidian/x.md"))).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });
});

it("lists a folder and finds the PARA folders, empty ones too", async () => {
  const { vault } = open({ "_projects/a.md": "", "Work/2. Areas/b.md": "" });
  expect((await vault.children(ROOT))?.map(({ name }) => name).sort()).toEqual(["Work", "_projects"]);
  expect(await vault.children(at("nowhere"))).toBeUndefined();
  expect(await vault.para()).toMatchObject({ projects: ["_projects"], areas: ["Work/2. Areas"], archive: [] });
});
