/** The file tools' words, structured content and refusals, over a vault in memory. */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { assembleVault, type AssemblyOptions } from "../../open.js";
import { type Clock, fixedClock, sequentialIds } from "../../clock.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";
import { TOOLS } from "../all-tools.js";
import type { ToolOutcome } from "../outcome.js";
import { validatorFor } from "../validator.js";
import { createWorkspace } from "../workspace.js";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A clock whose every look is a millisecond later, so that changes have an order. */
function ticking(): Clock {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  let now = clock.now();
  return { ...clock, now: () => now++ };
}

function vaultWith(files: Files, options: Partial<AssemblyOptions> = {}) {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const open = assembleVault({ storage, name: "Study", linkName: "Study", clock, ids: sequentialIds(), ...options });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
  return {
    vault: open.vault,
    async call(name: string, args: unknown): Promise<ToolOutcome> {
      const tool = TOOLS.find((tool) => tool.name === name);
      if (!tool) throw new Error(name);
      const outcome = await tool.call(args, context);
      if (!outcome.ok) return outcome;
      const validate = await validatorFor(name, tool.listing.outputSchema);
      expect(validate(structuredClone(outcome.data))).toEqual([]);
      return outcome;
    },
    async text(path: string): Promise<string | undefined> {
      const file = await storage.read(vaultPath(path, { allowHidden: true }));
      return file && Buffer.from(file.bytes).toString("utf8");
    },
  };
}

const refused = (code: string, text: string) => ({ ok: false, error: { code }, text });

describe("view", () => {
  it.each([
    ["numbers the lines without padding", "a\nb\n", "1: a\n2: b"],
    ["shows an empty file as nothing", "", ""],
    ["shows a last line without newline", "a\nb", "1: a\n2: b"],
    ["keeps a CR in its line", "a\r\nb\r\n", "1: a\r\n2: b\r"],
    ["leaves the byte order mark to the file", "\uFEFFa\n", "1: a"],
    ["shows an empty line", "a\n\n", "1: a\n2: "],
    ["knows no other line ends", "a\u2028b\u0085c\n", "1: a\u2028b\u0085c"],
    ["shows a NUL as it is", "a\0b\n", "1: a\0b"],
  ])("%s", async (_, text, shown) => {
    const outcome = await vaultWith({ "a.md": text }).call("view", { path: "a.md" });
    expect(outcome).toMatchObject({ ok: true, text: shown, data: { path: "a.md", kind: "file", content: shown } });
  });

  it("shows a range, and tells a program what it may ask next", async () => {
    const vault = vaultWith({ "n/a b.md": "1\n2\n3\n4\n" });
    const outcome = await vault.call("view", { path: "/n/a b.md", view_range: [2, 3], allFields: true });
    expect(outcome).toMatchObject({
      text: "2: 2\n3: 3",
      data: { path: "n/a b.md", firstLine: 2, lastLine: 3, lastAsked: 3, lineCount: 4 },
    });
    expect(outcome).toMatchObject({ data: { link: "obsidian://open?vault=Study&file=n%2Fa%20b" } });
    expect((await vault.call("view", { path: "n/a b.md", view_range: ["3", "-1"] })).text).toBe("3: 3\n4: 4");
  });

  it.each([
    [[9, -1], "view_range begins past the end, at 9; 'a.md' has 2 lines."],
    [[0, 1], "view_range must begin at 1 or later, got 0; 'a.md' has 2 lines."],
    [[2, 1], "view_range ends (1) before it begins (2): give [1, 2]; 'a.md' has 2 lines."],
    [[1.5, 2], 'Invalid arguments: "view_range[0]" must be a whole number, got 1.5.'],
    [["a", 2], 'Invalid arguments: "view_range[0]" must be a whole number, got "a".'],
    [[1], 'Invalid arguments: "view_range" must have at least 2 entries.'],
    [[1, 2, 3], 'Invalid arguments: "view_range" must have at most 2 entries, got 3'],
    ["1-2", 'Invalid arguments: "view_range" must be a list of integers, got "1-2".'],
  ])("refuses the range %j", async (view_range, message) => {
    const outcome = await vaultWith({ "a.md": "a\nb\n" }).call("view", { path: "a.md", view_range });
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
    expect(outcome.text.startsWith(message)).toBe(true);
  });

  it.each(["", "/", ".", "./"])("shows what stands in the vault for %j", async (path) => {
    const vault = vaultWith({ "b.md": "", "a/x.md": "", "Z.png": "", ".obsidian/app.json": "{}" });
    expect(await vault.call("view", { path })).toMatchObject({
      text: "Z.png\na/\nb.md",
      data: { path: "/", kind: "folder", lineCount: 3 },
    });
  });

  it("shows a folder with and without its slash, in parts when it is large", async () => {
    const names = Array.from({ length: 5000 }, (_, number) => `n/note ${String(number).padStart(4, "0")}.md`);
    const vault = vaultWith(Object.fromEntries(names.map((name) => [name, ""])));
    const first = await vault.call("view", { path: "n/" });
    const next = /\n\[… (\d+) to 5000 are not shown: call view with view_range \[\1, 5000\]\]$/.exec(first.text)?.[1];
    const second = await vault.call("view", { path: "n", view_range: [Number(next), 5000] });
    expect(second.text.split("\n")[0]).toBe(`note ${String(Number(next) - 1).padStart(4, "0")}.md`);
  });

  it.each([
    ["Ideaz.md", "There is no file or folder 'Ideaz.md'.\nDid you mean 'Ideas.md'?"],
    ["Ideass", "There is no file or folder 'Ideass'.\nDid you mean 'Ideas.md'?"],
    ["x/y.md", "There is no file or folder 'x/y.md'.\nCheck the spelling, or list the folder with view."],
    ["Ideas.md/", "There is no folder 'Ideas.md'.\nLeave out the slash at the end to name a file."],
    ["Ideas.md/x.md", "There is no file or folder 'Ideas.md/x.md'.\nCheck the spelling, or list the folder with view."],
  ])("finds no %s", async (path, text) =>
    expect(await vaultWith({ "Ideas.md": "" }).call("view", { path })).toMatchObject(refused("FILE_NOT_FOUND", text)),
  );

  it("says of a damaged image which tool knows of it", async () => {
    const vault = vaultWith({ "a b.png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff) });
    expect(await vault.call("view", { path: "a b.png" })).toMatchObject(
      refused(
        "NOT_TEXT",
        "'a b.png' (image/png, 1 KB) is no text, PDF or image that can be shown.\n" +
          'find_notes with kind "attachment" and query "a b.png" says which notes link to it.',
      ),
    );
  });

  it("refuses what is too large", async () => {
    const outcome = await vaultWith({ "a.md": "x".repeat(2000) }, { maxFileSize: 1024 }).call("view", { path: "a.md" });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TOO_LARGE" } });
  });
});

describe("create", () => {
  it("writes exactly the text, with folders", async () => {
    const vault = vaultWith({});
    const text = "\uFEFFa\r\nb\0c";
    expect(await vault.call("create", { path: "x/y/a.md", file_text: text })).toMatchObject({
      text: "Created 'x/y/a.md'",
      data: { path: "x/y/a.md", lineCount: 2, durable: true, link: "obsidian://open?vault=Study&file=x%2Fy%2Fa" },
    });
    expect(await vault.text("x/y/a.md")).toBe(text);
  });

  it("tells the hash in a second block, for readers of text alone, and each tool takes it", async () => {
    const vault = vaultWith({});
    const hashIn = (outcome: ToolOutcome) => {
      const [, hash] = /^Hash: (\S+)$/.exec((outcome.ok && outcome.details) || "") ?? [];
      expect(outcome).toMatchObject({ ok: true, data: { hash } });
      return hash;
    };
    const path = "a.md";
    let hash = hashIn(await vault.call("create", { path, file_text: "one" }));
    const replaced = { path, old_str: "one", new_str: "two", expected_hash: hash };
    hash = hashIn(await vault.call("str_replace", replaced));
    expect(hashIn(await vault.call("view", { path }))).toBe(hash);
    hash = hashIn(await vault.call("insert", { path, insert_line: 1, new_str: "three", expected_hash: hash }));
    hash = hashIn(await vault.call("undo_edit", { path }));
    const rewritten = { name: "a", content: "four", overwrite: true, expected_hash: hash };
    hash = hashIn(await vault.call("obsidian_create_note", rewritten));
    expect(await vault.call("delete", { path, expected_hash: hash })).toMatchObject({ ok: true });
    expect(await vault.call("view", { path: "/" })).toMatchObject({ details: expect.stringContaining("is empty") });
  });

  it("gives a hash that str_replace takes", async () => {
    const vault = vaultWith({});
    const created = await vault.call("create", { path: "a.md", file_text: "one" });
    const hash = created.ok ? created.data["hash"] : "";
    const args = { path: "a.md", old_str: "one", new_str: "two", expected_hash: hash };
    expect((await vault.call("str_replace", args)).text).toBe("Replaced text in 'a.md'");
  });

  it.each([
    ["a.md", "ALREADY_EXISTS", "'a.md' exists already; nothing was overwritten."],
    ["n", "ALREADY_EXISTS", "'n' is a folder."],
    ["a.md/b.md", "ALREADY_EXISTS", "A part of the path 'a.md/b.md' is a file, not a folder."],
    ["../a.md", "PERMISSION_DENIED", "The path leaves the vault."],
    [".obsidian/plugins/p/main.js", "PERMISSION_DENIED", "The path is hidden"],
    ["CON.md", "INVALID_ARGUMENT", "The path holds a name that Windows keeps for devices"],
    ["", "INVALID_ARGUMENT", "The path names no file."],
    [
      "A.md",
      "ALREADY_EXISTS",
      "There is a file 'a.md' already, which differs from 'A.md' only in case, Unicode form or invisible characters.",
    ],
    [
      "N/y.md",
      "ALREADY_EXISTS",
      "There is a folder 'n' already, which differs from 'N' only in case, Unicode form or invisible characters.",
    ],
    ["a#b.md", "INVALID_ARGUMENT", "holds a character that names in Obsidian cannot."],
    ["what: how.md", "INVALID_ARGUMENT", "holds a character that names in Obsidian cannot."],
    ["new./b.md", "INVALID_ARGUMENT", "is one that not every system can hold."],
  ])("refuses %j", async (path, code, message) => {
    const vault = vaultWith({ "a.md": "old", "n/x.md": "" });
    const outcome = await vault.call("create", { path, file_text: "new" });
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    expect(outcome.text).toContain(message);
    expect(await vault.text("a.md")).toBe("old");
  });

  it("refuses half a character and what is too large", async () => {
    const vault = vaultWith({}, { maxFileSize: 1024 });
    for (const file_text of ["\ud800", "x".repeat(1025)]) {
      expect(await vault.call("create", { path: "a.md", file_text })).toMatchObject({ ok: false });
      expect(await vault.text("a.md")).toBeUndefined();
    }
  });
});

describe("str_replace", () => {
  it("replaces the only match literally and says where", async () => {
    const vault = vaultWith({ "a.md": "one\ntwo\n" });
    const outcome = await vault.call("str_replace", { path: "a.md", old_str: "two", new_str: "$& $1 $$ $`" });
    expect(outcome).toMatchObject({ text: "Replaced text in 'a.md'", data: { line: 2, lineCount: 2 } });
    expect(await vault.text("a.md")).toBe("one\n$& $1 $$ $`\n");
  });

  it.each([
    ['say "hi"', "Line 2 has it with other quotes."],
    ["it's - so...", "Line 3 has it with other quotes, dashes or case."],
    ["A - B", "Line 4 has it with other dashes or dots."],
    ["FIRST", "Line 1 has it with other case."],
    ["1: First\n2: say", "Line 1 has it with line numbers left out."],
  ])("names what separates %j from the text", async (old_str, hint) => {
    const vault = vaultWith({ "a.md": "First\r\nsay “hi”\r\nit’s — so…\r\nA – B\r\n" });
    expect((await vault.call("str_replace", { path: "a.md", old_str, new_str: "x" })).text).toContain(`\n${hint} View`);
  });

  it("takes white space for what it is", async () => {
    const vault = vaultWith({ "a.md": "a\n\n\nb\n" });
    await vault.call("str_replace", { path: "a.md", old_str: "\n\n\n", new_str: "\n\n" });
    expect(await vault.text("a.md")).toBe("a\n\nb\n");
    await vault.call("str_replace", { path: "a.md", old_str: "b\n", new_str: "" });
    expect(await vault.text("a.md")).toBe("a\n\n");
  });

  it.each([
    ["", "x", "old_str must not be empty.\nGive the text to replace, or use insert to add lines."],
    [
      "zz",
      "x",
      "No match found for replacement text in 'a.md'\n" +
        "View the file and copy the text exactly, with its case, spaces and line breaks, but without line numbers.",
    ],
    [
      "a",
      "x",
      "Found 2 matches in 'a.md'. Provide more specific text.\n" +
        "They begin at lines 1, 3; add what comes before or after the one you mean.",
    ],
    [
      "b",
      "b",
      "The replacement is what 'a.md' says already; nothing was changed.\nGive a new_str that differs from old_str.",
    ],
  ])("refuses %j for %j", async (old_str, new_str, text) => {
    const vault = vaultWith({ "a.md": "a\nb\na\n" });
    const outcome = await vault.call("str_replace", { path: "a.md", old_str, new_str });
    expect(outcome).toMatchObject(refused("INVALID_ARGUMENT", text));
    expect(await vault.text("a.md")).toBe("a\nb\na\n");
  });

  it("refuses a file that is not what was read, and tells its hash", async () => {
    const vault = vaultWith({ "a.md": "one\n" });
    const seen = await vault.call("view", { path: "a.md" });
    await vault.call("str_replace", { path: "a.md", old_str: "one", new_str: "two" });
    const hash = seen.ok ? seen.data["hash"] : "";
    const late = await vault.call("str_replace", { path: "a.md", old_str: "two", new_str: "3", expected_hash: hash });
    expect(late).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    const now = /Its hash is now (\w+)$/.exec(late.text)?.[1];
    const again = await vault.call("insert", { path: "a.md", insert_line: 0, new_str: "x", expected_hash: now });
    expect(again.ok).toBe(true);
    expect(await vault.text("a.md")).toBe("x\ntwo\n");
    expect(await vault.call("delete", { path: "a.md", expected_hash: now })).toMatchObject({ ok: false });
    expect(await vault.text("a.md")).toBe("x\ntwo\n");
  });

  it.each([
    ["b.md", "FILE_NOT_FOUND", "There is no file or folder 'b.md'."],
    ["n", "INVALID_ARGUMENT", "'n' is a folder, not a file."],
    ["bin", "NOT_TEXT", "'bin' is not UTF-8 text."],
  ])("refuses %j", async (path, code, message) => {
    const vault = vaultWith({ "a.md": "a", "n/x.md": "a", bin: Uint8Array.of(0xff, 0xfe, 0x80) });
    for (const [tool, args] of [
      ["str_replace", { path, old_str: "a", new_str: "b" }],
      ["insert", { path, insert_line: 0, new_str: "b" }],
    ] as const) {
      const outcome = await vault.call(tool, args);
      expect(outcome).toMatchObject({ ok: false, error: { code } });
      expect(outcome.text).toContain(message);
    }
  });
});

describe("an edit that makes a note's properties unreadable", () => {
  const NOTE = "---\ntitle: Dune\nstatus: reading\n---\nSand\n";

  it.each([
    ["insert", { insert_line: 1, new_str: "dust" }, "line 2, column 1: This is no `key: value` line"],
    ["insert", { insert_line: 0, new_str: "dust" }, "the frontmatter no longer begins in line 1."],
    ["str_replace", { old_str: "title: Dune", new_str: "title: [Dune" }, "line 2, column 12: A bracket"],
    ["str_replace", { old_str: "title: Dune", new_str: "title: Dune: II" }, "line 2, column 8: The text holds a colon"],
    ["str_replace", { old_str: "Dune", new_str: "@dune" }, "line 2, column 8: Text that begins with this character"],
    ["str_replace", { old_str: "Dune", new_str: "`Dune`" }, "line 2, column 8: Text that begins with this character"],
    ["str_replace", { old_str: " Dune", new_str: "\n\t- Dune" }, "line 3, column 1: YAML allows no tab here"],
    ["str_replace", { old_str: "title", new_str: "status: a\ntitle" }, "line 4, column 1: This key is there twice"],
  ] as const)("%s %j says so and names the call that takes it back", async (tool, args, reason) => {
    const vault = vaultWith({ "a.md": NOTE });
    const answer = await vault.call(tool, { path: "a.md", ...args });
    expect(answer.ok && answer.details).toContain(
      `The properties of 'a.md' cannot be read by Obsidian, or changed here: ${reason}`,
    );
    await vault.call("undo_edit", { path: "a.md" });
    expect(await vault.text("a.md")).toBe(NOTE);
  });

  it.each([
    ["str_replace", { old_str: "---\ntitle: Dune\nstatus: reading\n---\n", new_str: "" }],
    ["insert", { insert_line: 1, new_str: "author: Herbert" }],
    ["insert", { insert_line: 5, new_str: "more" }],
  ] as const)("%s %j is no such edit", async (tool, args) => {
    const vault = vaultWith({ "a.md": NOTE });
    const answer = await vault.call(tool, { path: "a.md", ...args });
    expect(answer.ok && answer.details).not.toContain("cannot be read");
  });
});

describe("insert", () => {
  it("adds lines and counts them", async () => {
    const vault = vaultWith({ "a.md": "one\r\ntwo" });
    expect(await vault.call("insert", { path: "a.md", insert_line: "2", new_str: "x\ny\n" })).toMatchObject({
      text: "Inserted text at line 2 in 'a.md'",
      data: { insertLine: 2, lineCount: 4 },
    });
    expect(await vault.text("a.md")).toBe("one\r\ntwo\r\nx\r\ny");
  });

  it.each([
    [-1, "insert_line must be from 0 to 2, the number of lines in 'a.md'; got -1."],
    [3, "insert_line must be from 0 to 2, the number of lines in 'a.md'; got 3."],
    [2 ** 53, "insert_line must be from 0 to 2, the number of lines in 'a.md'; got 9007199254740992."],
    [1.5, 'Invalid arguments: "insert_line" must be a whole number, got 1.5.'],
    ["x", 'Invalid arguments: "insert_line" must be a whole number, got "x".'],
  ])("refuses line %j", async (insert_line, message) => {
    const vault = vaultWith({ "a.md": "a\nb\n" });
    const outcome = await vault.call("insert", { path: "a.md", insert_line, new_str: "x" });
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
    expect(outcome.text.split("\n")[0]).toBe(message);
    expect(await vault.text("a.md")).toBe("a\nb\n");
  });
});

describe("delete", () => {
  it("moves a file to the trash", async () => {
    const vault = vaultWith({ "n/a.md": "a" });
    const outcome = await vault.call("delete", { path: "n/a.md" });
    expect(outcome.text).toMatch(
      /^Deleted 'n\/a\.md'\nMoved to '\.trash\/n\/a\.md'; undo_edit (restores|cannot restore) it\.$/,
    );
    expect([await vault.text("n/a.md"), await vault.text(".trash/n/a.md")]).toEqual([undefined, "a"]);
  });

  it("removes a file for good when asked", async () => {
    const vault = vaultWith({ "a.md": "a" });
    const outcome = await vault.call("delete", { path: "a.md", permanent: true });
    expect(outcome.text).toMatch(
      /^Deleted 'a\.md'\nRemoved, not kept in the trash; undo_edit (restores|may be unable to restore) it\.$/,
    );
    expect([await vault.text("a.md"), await vault.text(".trash/a.md")]).toEqual([undefined, undefined]);
  });

  it.each([
    ["n", "INVALID_ARGUMENT"],
    ["n/", "INVALID_ARGUMENT"],
    ["", "INVALID_ARGUMENT"],
    ["/", "INVALID_ARGUMENT"],
    [".", "INVALID_ARGUMENT"],
    ["b.md", "FILE_NOT_FOUND"],
    [".trash/old.md", "PERMISSION_DENIED"],
  ])("refuses %j", async (path, code) => {
    const vault = vaultWith({ "n/a.md": "a", ".trash/old.md": "old" });
    expect(await vault.call("delete", { path })).toMatchObject({ ok: false, error: { code } });
    expect([await vault.text("n/a.md"), await vault.text(".trash/old.md")]).toEqual(["a", "old"]);
  });
});

describe("undo_edit", () => {
  it("takes back an edit and shows the file", async () => {
    const vault = vaultWith({ "a.md": "one\n" });
    await vault.call("str_replace", { path: "a.md", old_str: "one", new_str: "two" });
    expect(await vault.call("undo_edit", { path: "/a.md" })).toMatchObject({
      text: "Reverted 'a.md' to previous version:\n1: one",
      data: {
        asked: "a.md",
        path: "a.md",
        undone: "edit",
        reason: "str_replace",
        exists: true,
        lineCount: 1,
        remaining: 0,
      },
    });
    expect(await vault.text("a.md")).toBe("one\n");
  });

  it("gives a hash to go on with, and shows long files in part", async () => {
    const text = "a line\n".repeat(10_000);
    const vault = vaultWith({ "a.md": text });
    await vault.call("insert", { path: "a.md", insert_line: 0, new_str: "top" });
    const undone = await vault.call("undo_edit", { path: "a.md" });
    expect(undone.text).toMatch(/\n\[… (\d+) to 10000 are not shown: call view with view_range \[\1, 10000\]\]$/);
    const expected_hash = undone.ok ? undone.data["hash"] : "";
    expect((await vault.call("insert", { path: "a.md", insert_line: 0, new_str: "x", expected_hash })).ok).toBe(true);
  });

  it("says where a new file went", async () => {
    const vault = vaultWith({});
    await vault.call("create", { path: "n/a.md", file_text: "x" });
    expect(await vault.call("undo_edit", { path: "n/a.md" })).toMatchObject({
      text: "Reverted 'n/a.md' to previous version:\n['n/a.md' is no longer there: it was new. It is now '.trash/n/a.md']",
      data: { undone: "create", exists: false, trashedTo: ".trash/n/a.md" },
    });
  });

  it("brings a deleted file back, and says that the trash holds a copy when it does", async () => {
    const vault = vaultWith({ "a.md": "x" });
    await vault.call("delete", { path: "a.md" });
    const undone = await vault.call("undo_edit", { path: "a.md" });
    expect(undone.text).toMatch(/^Reverted 'a\.md' to previous version:\n1: x(\n\[The trash still holds a copy\])?$/);
    expect(await vault.text("a.md")).toBe("x");
  });

  it("takes back a rename with the links it rewrote", async () => {
    const files = { "a.md": "x", "b.md": "[[a]]", "c.md": "![[a]]" };
    const vault = vaultWith(files);
    const renamed = await vault.call("rename", { old_path: "a.md", new_path: "d.md" });
    expect(renamed.text).toBe("Renamed 'a.md' → 'd.md'\nRewrote 2 links in 2 notes.");
    const undone = await vault.call("undo_edit", { path: "d.md" });
    expect(undone.text).toMatch(
      /^Reverted 'd\.md' to previous version:\n1: x\n\[It is 'a\.md' again\]\n\[Taken back with it: '[bc]\.md', '[bc]\.md'\]$/,
    );
    for (const [path, text] of Object.entries(files)) expect(await vault.text(path)).toBe(text);
  });

  it("takes back the rename of a folder, which is there again", async () => {
    const vault = vaultWith({ "old/a.md": "a\n", "old/b/c.md": "c\n" });
    await vault.call("rename", { old_path: "old", new_path: "new" });
    const undone = await vault.call("undo_edit", { path: "new" });
    expect(undone).toMatchObject({
      text: "Reverted 'new' to previous version:\n[It is 'old' again]",
      data: { path: "old", exists: true, undone: "move" },
    });
    expect(await vault.text("old/b/c.md")).toBe("c\n");
  });

  it("names the file that was meant when a path has no history", async () => {
    const vault = vaultWith({ "n/Home.md": "a\n", "n/Long.md": "b\n" });
    const hint = "\nDid you mean 'n/Home.md'?";
    expect(await vault.call("undo_edit", { path: "n/Hom" })).toMatchObject(
      refused("FILE_NOT_FOUND", `No undo history for 'n/Hom'.${hint}`),
    );
    const known = await vault.call("undo_edit", { path: "n/Home.md" });
    expect(known.text).toMatch(/^No undo history for 'n\/Home\.md'\.\nOnly changes made through this server/);
  });

  it("overwrites nothing that changed since", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "one\n" } });
    const vault = vaultWith({}, { storage });
    await vault.call("str_replace", { path: "a.md", old_str: "one", new_str: "two" });
    await storage.write(vaultPath("a.md"), Buffer.from("three\n"), { kind: "any" });
    expect(await vault.call("undo_edit", { path: "a.md" })).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(Buffer.from((await storage.read(vaultPath("a.md")))?.bytes ?? []).toString()).toBe("three\n");
  });

  it("knows nothing of what it did not change", async () =>
    expect((await vaultWith({ "a.md": "x" }).call("undo_edit", { path: "a.md" })).text).toMatch(
      /^No undo history for 'a\.md'\.\n/,
    ));

  it("takes back what was done last, whatever file it was, and further back", async () => {
    const vault = vaultWith({ "a.md": "1\n", "b.md": "1\n" }, { clock: ticking() });
    for (const path of ["a.md", "b.md"]) await vault.call("str_replace", { path, old_str: "1", new_str: "2" });
    expect((await vault.call("undo_edit", {})).text).toBe("Reverted 'b.md' to previous version:\n1: 1");
    expect((await vault.call("undo_edit", {})).text).toBe("Reverted 'a.md' to previous version:\n1: 1");
    expect(await vault.call("undo_edit", {})).toMatchObject({ ok: false, error: { code: "FILE_NOT_FOUND" } });
  });

  it("takes back the last few changes and stops at one that it cannot", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "1\n", "b.md": "1\n", "c.md": "1\n" } });
    const vault = vaultWith({}, { clock: ticking(), storage });
    for (const path of ["a.md", "b.md", "c.md"]) await vault.call("str_replace", { path, old_str: "1", new_str: "2" });
    await storage.write(vaultPath("a.md"), Buffer.from("by hand\n"), { kind: "any" });
    const undone = await vault.call("undo_edit", { last: 3 });
    expect(undone).toMatchObject({ ok: true, data: { asked: "b.md", earlier: ["'c.md': str_replace"] } });
    expect(undone.text).toMatch(
      /^Took back 'c\.md': str_replace\nReverted 'b\.md' .*\n\[Nothing earlier was taken back: 'a\.md' was changed/s,
    );
    expect(Buffer.from((await storage.read(vaultPath("b.md")))?.bytes ?? []).toString()).toBe("1\n");
    expect(await vault.call("undo_edit", { last: 2, path: "a.md" })).toMatchObject(
      refused("INVALID_ARGUMENT", "path and last are both given.\nGive one of them, or none."),
    );
  });

  it("takes back one note of a change of many, and names the operation", async () => {
    const vault = vaultWith({ "a.md": "#x\n", "b.md": "#x\n", "c.md": "#x\n" });
    const request = { from: "x", to: "y" };
    const planned = await vault.call("rename_tag", request);
    const done = await vault.call("rename_tag", { ...request, plan: planned.ok ? planned.data["plan"] : "" });
    const path = done.ok ? String(done.data["operation"]) : "";
    const rest = `\n[It was one of several changes of '${path}'; undo_edit with path "${path}" takes the rest back]`;
    const undone = (note: string) => vault.call("undo_edit", { path: note });
    expect(await undone("a.md")).toMatchObject({
      text: `Reverted 'a.md' to previous version:\n1: #x${rest}`,
      data: { operation: path, otherCount: 0 },
    });
    expect((await undone("b.md")).text).toContain(rest);
    expect((await undone("c.md")).text).toBe("Reverted 'c.md' to previous version:\n1: #x");
  });

  it("names a rename's operation where one of its notes alone is taken back", async () => {
    const vault = vaultWith({ "a.md": "x", "b.md": "[[a]]" });
    const renamed = await vault.call("rename", { old_path: "a.md", new_path: "z.md" });
    const path = renamed.ok ? String(renamed.data["operation"]) : "";
    expect(renamed).toMatchObject({ details: `undo_edit with path "${path}" takes all of it back.` });
    expect((await vault.call("undo_edit", { path: "b.md" })).text).toContain(`one of several changes of '${path}'`);
    expect((await vault.call("undo_edit", { path })).text).toContain("'a.md'");
    expect(await vault.call("rename", { old_path: "b.md", new_path: "y.md" })).not.toHaveProperty("details");
  });

  it("takes back an operation and says what is left as it is", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "a\n", "b.md": "b\n", "c.md": "c\n" } });
    const vault = vaultWith({}, { storage });
    const operation = await vault.vault.history.begin({ reason: "update tasks", files: [] });
    for (const path of ["a.md", "b.md", "c.md"])
      await vault.vault.writing.edit(vaultPath(path), (text) => `${text}!`, "update", { operation });
    await operation.done();
    await storage.write(vaultPath("c.md"), Buffer.from("by hand\n"), { kind: "any" });
    const path = `op-${operation.id}`;
    const undone = await vault.call("undo_edit", { path });
    expect(undone.text).toMatch(
      /^Took back 'op-\S+' \(update tasks\) in 2 files:\n'a\.md', 'b\.md'\n\[Left as it is: 'c\.md': 'c\.md' was changed since/,
    );
    expect(undone).toMatchObject({
      data: { asked: path, undone: "operation", otherCount: 2, kept: [{ path: "c.md" }] },
    });
    expect(await vault.call("undo_edit", { path })).toMatchObject({ ok: false });
  });

  it("is announced as impossible where no journal is kept", async () => {
    const vault = vaultWith({ "a.md": "x" }, { journal: false });
    const changed = [
      await vault.call("insert", { path: "a.md", insert_line: 0, new_str: "y" }),
      await vault.call("create", { path: "b.md", file_text: "y" }),
      await vault.call("delete", { path: "a.md" }),
    ];
    for (const outcome of changed) expect(outcome).toMatchObject({ ok: true, data: { undoable: false } });
    expect(changed[2]?.text).toBe("Deleted 'a.md'\nMoved to '.trash/a.md'; undo_edit may be unable to restore it.");
  });
});

describe("rename", () => {
  it("moves a folder, spelled with its slash or without", async () => {
    const vault = vaultWith({ "a/x.md": "x", "a/p.png": "p", "n.md": "[[a/x]]" });
    expect(await vault.call("rename", { old_path: "a/", new_path: "b/c/" })).toMatchObject({
      text: "Renamed 'a' → 'b/c'\nRewrote 1 link in 1 note.",
      data: { kind: "folder", moved: 2 },
    });
    expect([await vault.text("b/c/x.md"), await vault.text("a/x.md")]).toEqual(["x", undefined]);
    expect((await vault.call("rename", { old_path: "b/c", new_path: "/a" })).text).toContain("Renamed 'b/c' → 'a'");
    expect(await vault.text("n.md")).toContain("x]]");
  });

  it.each([
    { old_path: "Roof", new_path: "Roof repair 2026", to: "Work/Roof repair 2026.md" },
    { old_path: "Work/Roof.md", new_path: "Plan 2.0", to: "Work/Plan 2.0.md" },
    { old_path: "Work/Old", new_path: "New", to: "Work/New" },
    { old_path: "Work/Old/", new_path: "New", to: "Work/New" },
    { old_path: "Roof", new_path: "/Top", to: "Top.md" },
    { old_path: "Roof", new_path: "Top.md", to: "Work/Top.md" },
    { old_path: "Work/Roof.md", new_path: "House.MD", to: "Work/House.MD" },
    { old_path: "Work/Roof.md", new_path: "roof", to: "Work/roof.md" },
    { old_path: "Work/Roof.md", new_path: "Roof", to: "Roof.md" },
    { old_path: "Work/Roof.md", new_path: "Roof.md", to: "Roof.md" },
    { old_path: "Work/roof.png", new_path: "dach", to: "Work/dach.png" },
    { old_path: "Work/roof.png", new_path: "attachments/dach", to: "attachments/dach.png" },
    { old_path: "Work/a.tar.7z", new_path: "b", to: "Work/b.7z" },
    { old_path: "Work/Map.canvas", new_path: "Map 1.5", to: "Work/Map 1.5.canvas" },
    { old_path: "Work/LICENCE", new_path: "docs/LICENCE.md", to: "docs/LICENCE.md" },
    { old_path: "Work/Old/", new_path: "New/", to: "Work/New" },
    { old_path: "Work/Old", new_path: "New.d", to: "Work/New.d" },
  ])("$old_path to $new_path is $to: a bare new name stays in the folder", async ({ to, ...paths }) => {
    const others = { "Work/roof.png": "", "Work/a.tar.7z": "", "Work/Map.canvas": "{}", "Work/LICENCE": "" };
    const vault = vaultWith({ "Work/Roof.md": "", "Work/Old/x.md": "", "Home.md": "", ...others });
    expect((await vault.call("rename", paths)).text).toContain(` → '${to}'`);
  });

  it("takes no folder's name for that of a note", async () => {
    const vault = vaultWith({ "Inbox/Idea.md": "", "Work/Roof.md": "" });
    const outcome = await vault.call("rename", { old_path: "Inbox/Idea.md", new_path: "Work" });
    expect(outcome).toMatchObject({ ok: false, error: { code: "ALREADY_EXISTS" } });
  });

  it.each([
    ["n.md/", "m.md", "FILE_NOT_FOUND", "There is no folder 'n.md'."],
    ["n.md", "a/", "INVALID_ARGUMENT", "The path has an empty part"],
    ["n.md", "a", "ALREADY_EXISTS", "'a' exists already"],
    ["n.md", "a/x.md", "ALREADY_EXISTS", "'a/x.md' exists already"],
    ["n.md", "N2.md#", "INVALID_ARGUMENT", "holds a character that names in Obsidian cannot."],
    ["n.md", "../n.md", "PERMISSION_DENIED", "The path leaves the vault."],
    ["n.md", ".obsidian/n.md", "PERMISSION_DENIED", "The path is hidden"],
    ["nn.md", "m.md", "FILE_NOT_FOUND", "There is no file or folder 'nn.md'.\nDid you mean 'n.md'?"],
    ["", "m.md", "INVALID_ARGUMENT", "The path names no file."],
    ["n.md", "b/n.pdf", "INVALID_ARGUMENT", "another kind of file: 'n.md' ends in .md"],
    ["n.md", "Mr.Smith", "INVALID_ARGUMENT", 'Give "Mr.md", or "Mr.Smith.md" if .Smith is part of the name.'],
    ["p.pdf", "p.md", "INVALID_ARGUMENT", 'Give "p.pdf", or "p.md.pdf" if .md is part of the name.'],
  ])("refuses %j to %j", async (old_path, new_path, code, message) => {
    const vault = vaultWith({ "a/x.md": "x", "n.md": "n", "p.pdf": "" });
    const outcome = await vault.call("rename", { old_path, new_path });
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    expect(outcome.text).toContain(message);
    expect([await vault.text("a/x.md"), await vault.text("n.md")]).toEqual(["x", "n"]);
  });
});

describe("a path that is none", () => {
  it.each([
    ["Hom", "Did you mean 'Home.md' or 'Home.png'?"],
    ["hoem.md", "Did you mean 'Home.md' or 'Home.png'?"],
    ["Subb", "Did you mean 'sub/'?"],
    ["Plan.md", "Check the spelling, or list the folder with view."],
    ["absent.md", "Check the spelling, or list the folder with view."],
  ])("%s: %s", async (path, hint) => {
    const vault = vaultWith({ "Home.md": "", "Home.png": "", "Long.md": "", "sub/a.md": "" });
    const text = `There is no file or folder '${path}'.\n${hint}`;
    expect(await vault.call("view", { path })).toMatchObject(refused("FILE_NOT_FOUND", text));
  });

  it("is told by search as one of either kind", async () => {
    const vault = vaultWith({ "Work/a.md": "" });
    const text = "There is no file or folder 'Wrok'.\nDid you mean 'Work/'?";
    expect(await vault.call("search", { query: "x", path: "Wrok" })).toMatchObject(refused("FILE_NOT_FOUND", text));
  });
});

describe("get_workspace_files", () => {
  const files = { "b.md": "", "a/x.png": "", "a/x.md": "", "A.canvas": "{}", ".git/config": "", "T/{{t}}.md": "{{x}}" };

  it("lists all files sorted, hidden ones left out", async () => {
    const outcome = await vaultWith(files).call("get_workspace_files", {});
    expect(outcome).toMatchObject({ text: "A.canvas\nT/{{t}}.md\na/x.md\na/x.png\nb.md", data: { total: 5 } });
  });

  it.each([
    ["^a/", "a/x.md\na/x.png"],
    [String.raw`\.md$`, "T/{{t}}.md\na/x.md\nb.md"],
    ["nothing", "(no files found)"],
    ["", "A.canvas\nT/{{t}}.md\na/x.md\na/x.png\nb.md"],
  ])("lists those that %j fits", async (pattern, text) =>
    expect((await vaultWith(files).call("get_workspace_files", { pattern })).text).toBe(text),
  );

  it.each(["(", "[", "*a", "(?<=a)b", String.raw`(a)\1`])("refuses the pattern %j", async (pattern) => {
    const outcome = await vaultWith(files).call("get_workspace_files", { pattern });
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
  });

  it("says so when the vault is empty", async () =>
    expect((await vaultWith({}).call("get_workspace_files", {})).text).toBe("(no files found)"));

  it("lists as many as fit, and says how to see the others", async () => {
    const many = Array.from({ length: 3000 }, (_, number) => `notes/note ${String(number).padStart(4, "0")}.md`);
    const outcome = await vaultWith(Object.fromEntries(many.map((path) => [path, ""]))).call("get_workspace_files", {});
    const lines = outcome.text.split("\n");
    expect(lines.at(-1)).toBe(`[… ${3001 - lines.length} more of 3000 files: narrow the pattern, e.g. ^Folder/]`);
    expect(Buffer.byteLength(outcome.text)).toBeLessThan(25_000);
    expect(outcome).toMatchObject({ data: { total: 3000, files: { length: lines.length - 1 } } });
  });
});

describe("every file tool", () => {
  const calls: readonly (readonly [string, object])[] = [
    ["view", {}],
    ["create", { file_text: "x" }],
    ["str_replace", { old_str: "a", new_str: "b" }],
    ["insert", { insert_line: 0, new_str: "b" }],
    ["undo_edit", {}],
    ["delete", {}],
  ];

  it.each(calls)(
    "%s keeps hidden files closed, and opens them when told to, but never writes Obsidian's",
    async (tool, more) => {
      const hidden = { ".hidden/a.md": "a\n", ".obsidian/app.json": "a\n" };
      const closed = await vaultWith(hidden).call(tool, { path: ".hidden/a.md", ...more });
      expect(closed).toMatchObject({ ok: false, error: { code: "PERMISSION_DENIED" } });
      const open = vaultWith(hidden, { allowHidden: true });
      const path = tool === "create" ? ".hidden/b.md" : ".hidden/a.md";
      if (tool !== "undo_edit") expect(await open.call(tool, { path, ...more })).toMatchObject({ ok: true });
      const config = await open.call(tool, { path: ".obsidian/app.json", ...more });
      if (tool === "view") expect(config.text).toBe("1: a");
      else expect(config).toMatchObject({ ok: false, error: { code: "PERMISSION_DENIED" } });
      expect(await open.text(".obsidian/app.json")).toBe("a\n");
    },
  );

  it.each(calls)("%s needs a vault", async (tool, more) => {
    const opener = { resolve: async (path: string) => path, open: () => Promise.reject(new Error("unused")) };
    const context = contextOf(createWorkspace({ opener, switches: true }));
    const outcome = await TOOLS.find(({ name }) => name === tool)?.call({ path: "a.md", ...more }, context);
    expect(outcome?.text).toBe("❌ Error: Vault not initialized. Please scan a vault first.");
  });
});

it("says of every tool that writes a text that the properties are broken, and of a placeholder nothing", async () => {
  const broken = "---\ntitle: A: B\n---\n";
  const says = "cannot be read by Obsidian, or changed here: line 2, column 8";
  const answers = async (text: string) => {
    const vault = vaultWith({ "p.md": "---\ntitle: A\n---\n", "o.md": "old", "r.md": "# H\nold\n" });
    const patch = `@@ -1,3 +1,3 @@\n ---\n-title: A\n+${text.split("\n")[1]}\n ---\n`;
    const calls = [
      ["create", { path: "c.md", file_text: text }],
      ["obsidian_create_note", { name: "n", content: text }],
      ["obsidian_create_note", { name: "o", content: text, overwrite: true }],
      ["edit_note", { path: "p.md", patch }],
    ] as const;
    return await Promise.all(
      calls.map(async ([tool, args]) => {
        const outcome = await vault.call(tool, args);
        return outcome.ok && (outcome.details ?? "").includes(says);
      }),
    );
  };
  expect(await answers(broken)).toEqual([true, true, true, true]);
  expect(await answers("---\ntitle: {{title}}\n---\n")).toEqual([false, false, false, false]);
});

describe("get_workspace_files without a match says why", () => {
  it.each([
    ["^projects/", 'Case decides: with (?i) before the pattern 1 of 2 files match, e.g. "Projects/Garden.md".'],
    ["^/Projects/", 'None of 2 paths matches, in any case. Paths begin at the vault, e.g. "Ideas.md".'],
  ])("%s", async (pattern, remark) => {
    const vault = vaultWith({ "Ideas.md": "", "Projects/Garden.md": "" });
    expect(await vault.call("get_workspace_files", { pattern })).toMatchObject({
      text: "(no files found)",
      details: remark,
      data: { total: 0, remark },
    });
  });

  it("in an empty vault", async () => {
    const vault = vaultWith({});
    expect(await vault.call("get_workspace_files", {})).toMatchObject({ details: "The vault has no files." });
  });
});

it.each(["view", "read_note", "obsidian_read_note"])(
  "%s answers with the link to Obsidian only if asked for all fields",
  async (name) => {
    const vault = vaultWith({ "Garden.md": "# Garden\n\nSow the beans in May, water them twice a week.\n" });
    const args = name === "obsidian_read_note" ? { note: "Garden" } : { path: "Garden.md" };
    const answer = await vault.call(name, args);
    if (!answer.ok) throw new Error(answer.text);
    expect(answer.data).not.toHaveProperty("link");
    const share = JSON.stringify(answer.data).length / `${answer.text}${answer.details ?? ""}`.length;
    expect(share).toBeLessThan(name === "obsidian_read_note" ? 1.2 : 2);
    expect(await vault.call(name, { ...args, allFields: true })).toHaveProperty("data.link");
  },
);
