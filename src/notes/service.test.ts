/** Single notes over a vault: what is read, made and changed, and what is refused without a byte being written. */
import { describe, expect, it } from "vitest";
import { referenceDiff } from "../../test/kit/reference-diff.js";
import { refusal } from "../../test/kit/task-vault.js";
import { assembleVault } from "../open.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { ROOT, vaultPath } from "../storage/path.js";
import type { NoteDraft } from "./api.js";
import { expectLinear } from "../../test/kit/processor-time.js";

const TEMPLATER = '{"templates_folder": "Extra long name/of a folder"}';
const TEMPLATES = '{"folder": "Templates", "dateFormat": "D.M.YYYY"}';

function vaultWith(files: Readonly<Record<string, string>> = {}) {
  const clock = fixedClock("2025-08-30T22:30:00Z", "Europe/Berlin");
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const { notes, vault } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
  const text = async (path: string): Promise<string | undefined> => {
    const file = await storage.read(vaultPath(path, { allowHidden: true }));
    return file && Buffer.from(file.bytes).toString("utf8");
  };
  return { notes, vault, text };
}

describe("reading", () => {
  const files = { "a/One.md": "\uFEFF---\nx: 1\n---\r\ntext", "Two.md": "", "pic.png": "x" };

  it.each(["One", "a/One", "a/One.md", "/a/One.md", "one", "[[One#Part|shown]]", "mcp-obsidian://Study/a/One.md"])(
    "finds %j and gives every byte",
    async (reference) => {
      const { notes, vault } = vaultWith(files);
      const { path, text, revision } = await notes.read(reference);
      expect([path, text]).toEqual(["a/One.md", files["a/One.md"]]);
      expect(revision).toBe((await vault.read(path)).revision);
    },
  );

  it.each([
    ["../out.md", "PERMISSION_DENIED"],
    [".obsidian/app.json", "PERMISSION_DENIED"],
    ["mcp-obsidian://Other/Two.md", "INVALID_ARGUMENT"],
    ["mcp-obsidian://Study/..%2F..%2Fetc%2Fpasswd", "PERMISSION_DENIED"],
    ["pic.png", "INVALID_ARGUMENT"],
    ["a", "FILE_NOT_FOUND"],
    ["__proto__", "FILE_NOT_FOUND"],
    ["Tow", "FILE_NOT_FOUND"],
  ])("refuses %j with %s", async (reference, code) => {
    expect((await refusal(vaultWith(files).notes.read(reference))).code).toBe(code);
  });

  it("names the candidates of a name that several notes bear", async () => {
    const { notes } = vaultWith({ "a/X.md": "", "b/X.md": "" });
    expect(await refusal(notes.read("X"))).toMatchObject({
      code: "AMBIGUOUS_NAME",
      candidates: [{ path: "a/X.md" }, { path: "b/X.md" }],
    });
  });
});

describe("creating", () => {
  it.each<[NoteDraft, string]>([
    [{ name: "Note" }, "Note.md"],
    [{ name: " Note.MD " }, "Note.md"],
    [{ name: "/Note" }, "Note.md"],
    [{ name: "a/b/Note" }, "a/b/Note.md"],
    [{ name: "Note", folder: "a/b/" }, "a/b/Note.md"],
    [{ name: "a/Note", folder: "a" }, "a/Note.md"],
    [{ name: "Note", folder: "" }, "Note.md"],
    [{ name: "v1.2" }, "v1.2.md"],
    [{ name: "日本語 👩‍👩‍👧 é" }, "日本語 👩‍👩‍👧 é.md"],
    [{ name: "cafe\u0301" }, "café.md"],
    [{ name: "__proto__" }, "__proto__.md"],
    [{ name: "-rf $(id) `id`" }, "-rf $(id) `id`.md"],
  ])("%j makes %s", async (draft, path) => {
    const { notes, text } = vaultWith();
    expect(await notes.create({ content: "x\r\n$&", ...draft })).toMatchObject({ path, created: true, undoable: true });
    expect(await text(path)).toBe("x\r\n$&");
  });

  it.each<[NoteDraft, string, string]>([
    [{ name: "Plan: a" }, "INVALID_ARGUMENT", '"Plan - a" would do.'],
    [{ name: "x", folder: "a/b #c" }, "INVALID_ARGUMENT", '"b c" would do.'],
    [{ name: "C:x" }, "PERMISSION_DENIED", ""],
    [{ name: "What?" }, "INVALID_ARGUMENT", '"What" would do.'],
    [{ name: "a#b" }, "INVALID_ARGUMENT", '"a b" would do.'],
    [{ name: "[[x]]" }, "INVALID_ARGUMENT", '"x" would do.'],
    [{ name: "dot." }, "INVALID_ARGUMENT", '"dot" would do.'],
    [{ name: "zero\u200Bwidth" }, "INVALID_ARGUMENT", '"zerowidth" would do.'],
    [{ name: "CON" }, "INVALID_ARGUMENT", "Choose another name."],
    [{ name: "a\\b" }, "INVALID_ARGUMENT", ""],
    [{ name: "a\nb" }, "INVALID_ARGUMENT", ""],
    [{ name: "日".repeat(100) }, "INVALID_ARGUMENT", "Choose a shorter name."],
    [{ name: ".hidden" }, "PERMISSION_DENIED", ""],
    [{ name: ".obsidian/plugins/x/main" }, "PERMISSION_DENIED", ""],
    [{ name: "../x" }, "PERMISSION_DENIED", ""],
    [{ name: "x", folder: "../y" }, "PERMISSION_DENIED", ""],
    [{ name: "x", folder: ".obsidian" }, "PERMISSION_DENIED", ""],
    [{ name: "a/x", folder: "b" }, "INVALID_ARGUMENT", "Give a bare name"],
    [{ name: ".md" }, "PERMISSION_DENIED", ""],
    [{ name: "a/" }, "INVALID_ARGUMENT", ""],
  ])("%j is refused with %s", async (draft, code, hint) => {
    const { notes, vault } = vaultWith({ "here.md": "x" });
    const error = await refusal(notes.create({ content: "x", ...draft }));
    expect(error.code).toBe(code);
    expect(error.hint).toContain(hint);
    expect((await vault.children(ROOT))?.map(({ name }) => name)).toEqual(["here.md"]);
  });

  it("puts notes where Obsidian's settings say, and into folders as they are spelt", async () => {
    const settings = '{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}';
    const { notes } = vaultWith({ ".obsidian/app.json": settings, "Work/Area/x.md": "" });
    expect((await notes.create({ name: "A" })).path).toBe("Inbox/A.md");
    expect((await notes.create({ name: "/A" })).path).toBe("A.md");
    expect((await notes.create({ name: "B", folder: "work/AREA/new" })).path).toBe("Work/Area/new/B.md");
  });

  it("never makes a second note of a name that some file systems take for the same", async () => {
    const { notes, text } = vaultWith({ "Οδός.md": "old" });
    for (const name of ["Οδός", "ΟΔΌΣ", "οδόσ.md"])
      expect(await refusal(notes.create({ name, content: "new" }))).toMatchObject({ code: "ALREADY_EXISTS" });
    const made = await Promise.allSettled(["Foo", "foo", "FOO"].map((name) => notes.create({ name })));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await text("Οδός.md")).toBe("old");
  });

  it("replaces a text only when asked, and that can be undone", async () => {
    const { notes, vault, text } = vaultWith({ "a/Note.md": "old" });
    const { revision } = await notes.read("a/Note");
    await notes.append("a/Note", "more");
    const stale = { name: "a/note", content: "new", overwrite: true, expected: revision };
    expect((await refusal(notes.create(stale))).code).toBe("CONFLICT");
    expect(await notes.create({ ...stale, expected: undefined })).toMatchObject({ path: "a/Note.md", created: false });
    expect(await text("a/Note.md")).toBe("new");
    await vault.history.undo(vaultPath("a/Note.md"));
    expect(await text("a/Note.md")).toBe("old\nmore");
  });

  it("refuses to replace what is not there any more, and writes nothing when nothing changes", async () => {
    const { notes } = vaultWith({ "Note.md": "same" });
    const gone = { name: "Gone", content: "x", overwrite: true, expected: "0" };
    expect((await refusal(notes.create(gone))).code).toBe("CONFLICT");
    const { revision } = await notes.read("Note");
    expect(await notes.create({ name: "Note", content: "same", overwrite: true })).toMatchObject({
      created: false,
      revision,
      undoable: false,
    });
  });
});

describe("templates", () => {
  const files = {
    ".obsidian/templates.json": TEMPLATES,
    ".obsidian/plugins/templater-obsidian/data.json": TEMPLATER,
    "Templates/Plain.md":
      "# {{title}} {{ Title }}\n{{date}} {{time}} {{date:dddd [at] YYYY}} {{time:HH}}\n{{VALUE}} <% tp.x %>\n",
    "Templates/deep/Meeting.md": "---\r\na: {{date}}\r\n---\r\n",
    "Templates/other/Meeting.md": "other",
    "Journal/Secret.md": "secret",
  };

  it("are filled in, and say what they leave", async () => {
    const { notes, text } = vaultWith(files);
    const { unfilled } = await notes.create({ name: "x/My $& note", template: "plain" });
    expect(await text("x/My $& note.md")).toBe(
      "# My $& note My $& note\n31.8.2025 00:30 Sunday at 2025 00\n{{VALUE}} <% tp.x %>\n",
    );
    expect(unfilled).toEqual(["{{VALUE}}", "<% tp.x %>"]);
  });

  it("stand above the content, in their line endings", async () => {
    const { notes, text } = vaultWith(files);
    await notes.create({ name: "N", template: "Templates/deep/Meeting.md", content: "# {{title}}\nx" });
    expect(await text("N.md")).toBe("---\r\na: 31.8.2025\r\n---\r\n# {{title}}\r\nx\r\n");
  });

  it.each([
    ["Meeting", "AMBIGUOUS_NAME"],
    ["Plan", "FILE_NOT_FOUND"],
    ["Journal/Secret", "FILE_NOT_FOUND"],
    ["../Journal/Secret", "FILE_NOT_FOUND"],
    ["Secret", "FILE_NOT_FOUND"],
    ["/", "FILE_NOT_FOUND"],
    [".md", "FILE_NOT_FOUND"],
  ])("%s: %s", async (template, code) => {
    const { notes, text } = vaultWith(files);
    expect((await refusal(notes.create({ name: "N", template }))).code).toBe(code);
    expect(await text("N.md")).toBeUndefined();
  });

  it("are found by the path below their folder", async () => {
    const { notes, text } = vaultWith(files);
    await notes.create({ name: "N", template: "other/meeting" });
    expect(await text("N.md")).toBe("other");
  });

  it("are filled in in linear time", async () => {
    for (const piece of ["{{", "{{date:", "{{ ", "<%"])
      await expectLinear((count) => create(piece.repeat(count)), 50_000);
    await expectLinear((length) => create("{{date: ".padEnd(length)), 1_000_000);
    async function create(template: string): Promise<void> {
      const { notes } = vaultWith({ ".obsidian/templates.json": TEMPLATES, "Templates/Long.md": template });
      await notes.create({ name: "N", template: "Templates/Long" });
    }
  });

  it("are those of a folder named Templates where nothing is set", async () => {
    const { notes, text } = vaultWith({ "Work/Templates/A.md": "a", "A.md": "none" });
    await notes.create({ name: "N", template: "A" });
    expect(await text("N.md")).toBe("a");
  });

  it("that are not there are refused", async () => {
    const error = await refusal(vaultWith({ "A.md": "" }).notes.create({ name: "N", template: "A" }));
    expect(error.message).toBe("The vault has no templates.");
  });

  it.each([
    ["Metting", ["Templates/Meeting.md"]],
    ["Nope", ["Templates/Day.md", "Templates/Meeting.md"]],
  ])("%s, which is not there, is answered with the near ones, else with all", async (template, paths) => {
    const { notes } = vaultWith({ "Templates/Day.md": "", "Templates/Meeting.md": "" });
    const error = await refusal(notes.create({ name: "N", template }));
    expect(error.candidates?.map(({ path }) => path)).toEqual(paths);
  });
});

describe("changing", () => {
  it("says that text is added inside what is not closed", async () => {
    const { notes } = vaultWith({ "Note.md": "# One\n%% open\n", "Closed.md": "# One\n%% open %%\n" });
    const remarks = ["The note ended in a code block or comment that is not closed, and the text is inside it."];
    expect(await notes.append("Note", "two")).toMatchObject({ remarks });
    expect(await notes.append("Note", "two", { heading: "One" })).toMatchObject({ remarks });
    expect((await notes.append("Closed", "two")).remarks).toBeUndefined();
  });

  it("appends and prepends", async () => {
    const { notes, text } = vaultWith({ "Note.md": "---\na: 1\n---\none\n" });
    await notes.append("Note", "two");
    expect(await notes.prepend("Note", "zero")).toMatchObject({ path: "Note.md", undoable: true, durable: true });
    expect(await text("Note.md")).toBe("---\na: 1\n---\nzero\none\ntwo\n");
  });

  it("loses none of many changes at once", async () => {
    const { notes, text } = vaultWith({ "Note.md": "" });
    await Promise.all(Array.from({ length: 20 }, (_, number) => notes.append("Note", `line ${number}\n`)));
    expect((await text("Note.md"))?.trim().split("\n")).toHaveLength(20);
  });

  it("refuses what was read too long ago", async () => {
    const { notes, text } = vaultWith({ "Note.md": "one\n" });
    const { revision: expected } = await notes.read("Note");
    const { revision } = await notes.append("Note", "two", { expected });
    for (const change of [
      () => notes.append("Note", "three", { expected }),
      () => notes.prepend("Note", "three", { expected }),
      () => notes.patch("Note", "@@ -1 +1 @@\n-one\n+1\n", { expected }),
      () => notes.delete("Note", { expected }),
    ])
      expect((await refusal(change())).code).toBe("CONFLICT");
    expect(await text("Note.md")).toBe("one\ntwo\n");
    expect(await notes.delete("Note", { expected: revision })).toMatchObject({ trashedTo: ".trash/Note.md" });
  });

  it("applies a patch, whatever it calls the note", async () => {
    for (const name of ["Note.md", "Note", "a/Note.md", "x/Note.md", "b/x/Note.md", "./x/note.md"]) {
      const { notes, text } = vaultWith({ "x/Note.md": "one\ntwo\n" });
      const patch = referenceDiff("one\ntwo\n", "one\n2\n").replace("a/note.md", name).replace("b/note.md", name);
      expect(await notes.patch("x/Note", patch)).toMatchObject({ hunks: 1, added: 1, removed: 1, undoable: true });
      expect(await text("x/Note.md")).toBe("one\n2\n");
    }
  });

  it.each(["Other.md", "y/Note.md", "a/y/Note.md", "xx/Note.md", "te.md", "..//Note.md"])(
    "refuses a patch for %s",
    async (name) => {
      const { notes, text } = vaultWith({ "x/Note.md": "one\n" });
      const patch = referenceDiff("one\n", "1\n").replace("b/note.md", name);
      expect((await refusal(notes.patch("x/Note", patch))).message).toContain("another file");
      expect(await text("x/Note.md")).toBe("one\n");
    },
  );

  it("leaves the note as it was when one of many hunks does not fit", async () => {
    const before = Array.from({ length: 50 }, (_, number) => `${number}\n`).join("");
    const { notes, text } = vaultWith({ "Note.md": before });
    const patch = referenceDiff(before, before.replace("10\n", "ten\n").replace("40\n", "forty\n"));
    expect((await refusal(notes.patch("Note", patch.replace(" 41", " 14")))).message).toContain("Hunk 2");
    expect(await text("Note.md")).toBe(before);
  });
});

describe("deleting", () => {
  it("tells how many links led there", async () => {
    const { notes, text } = vaultWith({
      "Note.md": "[[Note]]",
      "a.md": "[[Note]] [[Note#x]]",
      "b.canvas": '{"nodes":[{"id":"1","type":"file","file":"Note.md"}]}',
      "c.md": "[[Other]]",
    });
    expect(await notes.delete("[[Note]]")).toEqual({
      path: "Note.md",
      trashedTo: ".trash/Note.md",
      undoable: true,
      durable: true,
      links: 3,
      linkingFiles: 2,
    });
    expect([await text("Note.md"), await text(".trash/Note.md")]).toEqual([undefined, "[[Note]]"]);
  });

  it("for good only when asked", async () => {
    const { notes, text } = vaultWith({ "Note.md": "x" });
    expect((await notes.delete("Note", { permanent: true })).trashedTo).toBeUndefined();
    expect(await text(".trash/Note.md")).toBeUndefined();
  });
});

describe("summarising", () => {
  it("takes any reference", async () => {
    const { notes } = vaultWith({ "a/Note.md": "# Title\nWords *here*.\n" });
    expect(await notes.summarise("[[Note]]", 50)).toEqual({ path: "a/Note.md", text: "Title\nWords here.", words: 3 });
  });
});
