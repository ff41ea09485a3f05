import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { at, linkVault } from "../../test/kit/link-vault.js";
import { refusal } from "../../test/kit/task-vault.js";
import { TemporaryVault } from "../../test/kit/temporary-vault.js";
import { fixedClock } from "../clock.js";
import { VaultError } from "../errors.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { ROOT, type VaultPath } from "../storage/path.js";
import type { ChangeBytes, ListOptions, StoredFile, UnreadableFile } from "../storage/storage.js";

/** Two of three tries to write `a.md` fail, and all to write `never.md`. */
class BusyStorage extends MemoryStorage {
  #tries = 0;

  override update(path: VaultPath, change: ChangeBytes): ReturnType<MemoryStorage["update"]> {
    if (path === "never.md" || (path === "a.md" && ++this.#tries < 3))
      return Promise.reject(new VaultError("UNAVAILABLE", "too many files are open"));
    return super.update(path, change);
  }
}

/** The files that a move changes or makes, by their new paths, and what it says of itself. */
async function moved(files: Readonly<Record<string, string>>, from: string, to: string) {
  const vault = linkVault(files);
  const relocation = await vault.move(from, to);
  const changed = Object.entries(await vault.contents()).filter(([path, text]) => files[path] !== text);
  return { relocation, changed: Object.fromEntries(changed) };
}

const APP = (settings: object) => ({ ".obsidian/app.json": JSON.stringify(settings) });

/** A note that cannot be read, and a folder that cannot be listed. */
class ClosedStorage extends MemoryStorage {
  code: "PERMISSION_DENIED" | "UNAVAILABLE" | undefined = "PERMISSION_DENIED";

  #refusal(): VaultError {
    return new VaultError(this.code ?? "UNAVAILABLE", "'closed.md' cannot be reached.");
  }

  override async *readMany(paths: readonly VaultPath[]): AsyncGenerator<readonly StoredFile[]> {
    for await (const batch of super.readMany(paths)) {
      const found = batch.map((file): StoredFile | UnreadableFile =>
        this.code && file.stat.path === "closed.md" ? { path: file.stat.path, error: this.#refusal() } : file,
      );
      yield found as StoredFile[];
    }
  }

  override read(path: VaultPath): ReturnType<MemoryStorage["read"]> {
    return this.code && path === "closed.md" ? Promise.reject(this.#refusal()) : super.read(path);
  }

  override list(options: ListOptions = {}): ReturnType<MemoryStorage["list"]> {
    options.onUnlisted?.({ folder: ROOT, name: "locked", kind: "folder", reason: "closed" });
    return super.list(options);
  }
}

/** Another program moves `b.md` away when the first link is rewritten. */
class ThievingStorage extends MemoryStorage {
  #isStolen = false;

  override async update(path: VaultPath, change: ChangeBytes): ReturnType<MemoryStorage["update"]> {
    const written = await super.update(path, change);
    const isFirst = !this.#isStolen;
    this.#isStolen = true;
    if (isFirst) await this.move(at("b.md"), at("stolen.md"), { kind: "any" });
    return written;
  }
}

test("no link is changed any more when another program has moved the target away", async () => {
  const notes = Object.fromEntries(Array.from({ length: 9 }, (_, number) => [`n${number}.md`, "[[a]]"]));
  const vault = linkVault({}, { storage: new ThievingStorage({ files: { "a.md": "", ...notes } }) });
  const { rewritten, skipped } = await vault.move("a.md", "b.md");
  expect(rewritten.length + skipped.length).toBe(9);
  expect(rewritten.length).toBeLessThanOrEqual(4);
  expect(skipped[0]?.reason).toContain("'b.md' was moved away meanwhile");
});

describe("links that nobody can look at", () => {
  const files = { "Old.md": "", "a.md": "[[Old]]", "closed.md": "[[Old]]" };
  const clock = fixedClock("2025-08-30T12:00:00Z");

  test("are named", async () => {
    const storage = new ClosedStorage({ files, clock });
    const relocation = await linkVault({}, { storage }).move("Old.md", "New.md");
    expect(relocation).toMatchObject({ rewritten: ["a.md"], skipped: [{ path: "closed.md" }, { path: "locked" }] });
    expect(relocation.skipped[0]?.reason).toBe(
      "'closed.md' cannot be reached. Its links could not be looked at, and may lead nowhere now.",
    );
    expect(relocation.skipped[1]?.reason).toContain("Links in it and to it could not be looked at");
  });

  test("refuse the move where that may pass, and do not when it has", async () => {
    const storage = new ClosedStorage({ files, clock });
    const vault = linkVault({}, { storage });
    storage.code = "UNAVAILABLE";
    expect(await refusal(vault.move("Old.md", "New.md"))).toMatchObject({ code: "UNAVAILABLE", path: "closed.md" });
    storage.code = undefined;
    expect(await vault.contents()).toEqual(files);
    expect(await vault.move("Old.md", "New.md")).toMatchObject({ rewritten: ["a.md", "closed.md"] });
  });
});

describe("a note", () => {
  test("takes every link along, in whatever form it stands", async () => {
    const { relocation, changed } = await moved(
      {
        "a/Old.md": "# Old\n[[#H]] [[Old#H]]\n",
        "b/x.md": "[[Old]] ![[a/Old|o]] [o](../a/Old.md#H) [o](/a/Old) [[old.md]] `[[Old]]`",
        "c.canvas": '{"nodes":[{"type":"file","file":"a/Old.md"},{"type":"text","text":"[[Old]]"}]}',
        "p.md": '---\nup: "[[Old]]"\n---\n',
        "y.md": "[[Older]] [[x]]",
      },
      "a/Old.md",
      "b/New.md",
    );
    expect(changed).toEqual({
      "b/New.md": "# Old\n[[#H]] [[New#H]]\n",
      "b/x.md": "[[New]] ![[b/New|o]] [o](New.md#H) [o](/b/New) [[New.md]] `[[Old]]`",
      "c.canvas": '{"nodes":[{"type":"file","file":"b/New.md"},{"type":"text","text":"[[New]]"}]}',
      "p.md": '---\nup: "[[New]]"\n---\n',
    });
    expect(relocation).toEqual({
      from: "a/Old.md",
      to: "b/New.md",
      kind: "file",
      moved: 1,
      links: 9,
      rewritten: ["b/New.md", "b/x.md", "c.canvas", "p.md"],
      skipped: [],
      operation: expect.stringMatching(/^op-/) as string,
      undoable: true,
      durable: true,
    });
  });

  test("that only changes folder leaves bare links as they are", async () => {
    const { changed, relocation } = await moved({ "a/n.md": "", "b.md": "[[n]] [[a/n]]" }, "a/n.md", "c/d/n.md");
    expect(changed).toEqual({ "c/d/n.md": "", "b.md": "[[n]] [[c/d/n]]" });
    expect(relocation.links).toBe(1);
  });

  test("is linked to by its path where its new name is not unique", async () => {
    const files = { "a/n.md": "", "b/m.md": "", "x.md": "[[n]]", "b/y.md": "[[n|n]]" };
    expect((await moved(files, "a/n.md", "a/m.md")).changed).toEqual({
      "a/m.md": "",
      "x.md": "[[a/m]]",
      "b/y.md": "[[a/m|n]]",
    });
    const relative = await moved({ ...files, ...APP({ newLinkFormat: "relative" }) }, "a/n.md", "a/m.md");
    expect(relative.changed).toEqual({ "a/m.md": "", "x.md": "[[a/m]]", "b/y.md": "[[../a/m|n]]" });
  });

  test("does not take over the links of one that bears its new name", async () => {
    const files = { "a/X.md": "", "b/n.md": "[[X]] [[a/X]] [x](X.md)", "Y.md": "" };
    expect((await moved(files, "Y.md", "X.md")).changed).toEqual({
      "X.md": "",
      "b/n.md": "[[a/X]] [[a/X]] [x](a/X.md)",
    });
    expect((await moved(files, "Y.md", "b/X.md")).changed).toEqual({
      "b/X.md": "",
      "b/n.md": "[[a/X]] [[a/X]] [x](a/X.md)",
    });
  });

  test("that moves keeps its own links whole", async () => {
    const files = {
      "a/n.md": "[s](sub/s.md) [t](t.md) ![p](./p.png) [[../r]] [[s]] [[Dup]] [gone](no.md)",
      "a/sub/s.md": "",
      "a/t.md": "",
      "a/p.png": "",
      "r.md": "",
      "a/Dup.md": "",
      "Z/Dup.md": "",
    };
    expect((await moved(files, "a/n.md", "Z/q/n.md")).changed).toEqual({
      "Z/q/n.md": "[s](../../a/sub/s.md) [t](t.md) ![p](../../a/p.png) [[../../r]] [[s]] [[a/Dup]] [gone](no.md)",
    });
  });

  test("in a vault of relative links keeps those of its own folder too", async () => {
    const files = { "a/n.md": "[t](t.md) [[t]]", "a/t.md": "[n](n.md) [[n]]", ...APP({ newLinkFormat: "relative" }) };
    expect((await moved(files, "a/n.md", "b/n.md")).changed).toEqual({
      "b/n.md": "[t](../a/t.md) [[../a/t]]",
      "a/t.md": "[n](../b/n.md) [[../b/n]]",
    });
  });

  test("that changes case only is renamed, and its links with it", async () => {
    const { changed } = await moved({ "note.md": "", "b.md": "[[note]] [[Note]]" }, "note.md", "Note.md");
    expect(changed).toEqual({ "Note.md": "" });
  });

  test("that changes case only is renamed in canvases, which name whole paths", async () => {
    const node = (file: string) => `{"nodes":[{"type":"file","file":"${file}"},{"type":"text","text":"[[note]]"}]}`;
    const files = { "a/note.md": "", "a.canvas": node("a/note.md"), "other.canvas": node("A/NOTE.md") };
    const { changed } = await moved(files, "a/note.md", "a/Note.md");
    expect(changed).toEqual({ "a/Note.md": "", "a.canvas": node("a/Note.md") });
    expect((await moved(files, "a", "A")).changed).toEqual({ "A/note.md": "", "a.canvas": node("A/note.md") });
  });

  test.each([
    ["Dir/P.md", "Dir/Q.md", [2, 3, 4, 6]],
    ["Dir/P.md", "Other/P.md", [2, 6]],
    ["Dir", "New", [1, 2, 6, 7]],
    ["Done.md", "Ready.md", []],
  ] as const)("%s to %s names the lines of bases that still have the old name", async (from, to, lines) => {
    const base = [
      'file.inFolder("Dir")',
      'file.hasLink(link("Dir/P"))',
      "file.hasLink('P')",
      "up == [[P|x]]",
      'status == "Done" || x == "Dir"',
      'this == "/Dir/P.md"',
      "file.folder != 'Dir'",
    ];
    const files = { "Dir/P.md": "", "Done.md": "", "v/V.base": base.join("\n"), "n.md": "[[Dir/P]]" };
    const { relocation, changed } = await moved(files, from, to);
    const words = `stays in lines ${lines.join(", ")}.`;
    expect(relocation.skipped).toEqual(
      lines.length === 0 ? [] : [{ path: "v/V.base", reason: expect.stringContaining(words) as string }],
    );
    expect(changed).not.toHaveProperty("v/V.base");
  });

  test("into a folder that is there in another Unicode form goes into that folder", async () => {
    const [composed, taken] = ["\u00dcn", "U\u0308n"];
    const files = { [`${taken}/a.md`]: "", "b.md": `[[${taken}/a]]` };
    expect((await moved(files, `${taken}/a.md`, `${composed}/c.md`)).changed).toEqual({
      [`${taken}/c.md`]: "",
      "b.md": `[[${taken}/c]]`,
    });
  });

  test("takes along the links of templates and of excluded notes", async () => {
    const files = {
      ".obsidian/templates.json": '{"folder":"tpl"}',
      ...APP({ userIgnoreFilters: ["private/"] }),
      "tpl/t.md": "[[Old]]",
      "private/p.md": "[[Old]]",
      "t2.md": "---\nup: '{{x}} [[Old]]'\n---\n[[Old]]",
      "Old.md": "",
    };
    const { changed } = await moved(files, "Old.md", "New.md");
    expect(changed).toEqual({
      "New.md": "",
      "tpl/t.md": "[[New]]",
      "private/p.md": "[[New]]",
      "t2.md": "---\nup: '{{x}} [[New]]'\n---\n[[New]]",
    });
  });

  test("counts no link whose text can only stay", async () => {
    const files = { "n.md": "[[c/t.md]]", "c/t.md": "", "t.md": "", ...APP({ newLinkFormat: "relative" }) };
    expect(await linkVault(files).move("n.md", "c/m.md")).toMatchObject({ links: 0, rewritten: [], skipped: [] });
  });

  test("skips what cannot be written, tells why, and moves all the same", async () => {
    const vault = linkVault({
      "Old.md": "",
      "a.md": "---\nup: [[Old]]\n---\n[[Old]]",
      "b.md": Uint8Array.from([...Buffer.from("[[Old]]"), 0xff]),
    });
    const relocation = await vault.move("Old.md", "x, y.md");
    expect(relocation).toMatchObject({ links: 1, rewritten: ["a.md"], undoable: true });
    expect(relocation.skipped).toEqual([
      { path: "a.md", reason: expect.stringMatching(/^The link in line 2 stays as it is: .*property/) },
    ]);
    expect((await vault.contents())["a.md"]).toBe("---\nup: [[Old]]\n---\n[[x, y]]");
  });

  test("tries again what could not be reached for the moment, and tells of what still cannot be", async () => {
    const files = { "Old.md": "", "a.md": "[[Old]]", "b.md": "[[Old]]", "never.md": "[[Old]]" };
    const storage = new BusyStorage({ files, clock: fixedClock("2025-08-30T12:00:00Z") });
    const vault = linkVault({}, { storage });
    expect(await vault.move("Old.md", "New.md")).toMatchObject({
      links: 2,
      rewritten: ["a.md", "b.md"],
      skipped: [{ path: "never.md", reason: "too many files are open" }],
    });
    expect(await vault.contents()).toEqual({
      "New.md": "",
      "a.md": "[[New]]",
      "b.md": "[[New]]",
      "never.md": "[[Old]]",
    });
  });

  test("leaves a read-only note as it is, and tells of it", async () => {
    const folder = new TemporaryVault({ "Old.md": "", "a.md": "[[Old]]", "b.md": "[[Old]]" });
    try {
      fs.chmodSync(folder.at("a.md"), 0o444);
      const vault = linkVault({}, { storage: await folder.open() });
      expect(await vault.move("Old.md", "New.md")).toMatchObject({
        rewritten: ["b.md"],
        skipped: [{ path: "a.md", reason: "'a.md' is read-only; it was left as it is." }],
      });
      expect(await vault.contents()).toEqual({ "New.md": "", "a.md": "[[Old]]", "b.md": "[[New]]" });
      await vault.vault.close();
    } finally {
      folder.remove();
    }
  });

  test("an attachment moves with its extension", async () => {
    const files = { "p.png": "", "a.md": "![[p.png|100]] ![](p.png)", "q.md": "" };
    expect((await moved(files, "p.png", "img/q r.png")).changed).toEqual({
      "img/q r.png": "",
      "a.md": "![[q r.png|100]] ![](q%20r.png)",
    });
  });
});

describe("a folder", () => {
  const files = {
    "a/n.md": "[[m]] [m](m.md) [[a/m]]",
    "a/m.md": "[r](../r.md)",
    "a/sub/p.png": "",
    "a/data.csv": "1",
    "r.md": "[[a/n]] ![[a/sub/p.png]] [[n]] [m](a/m.md)",
    "c.canvas": '{"nodes":[{"type":"file","file":"a/sub/p.png"}]}',
  };

  test("moves with all that is in it", async () => {
    const { changed, relocation } = await moved(files, "a", "b/c");
    expect(changed).toEqual({
      "b/c/n.md": "[[m]] [m](m.md) [[b/c/m]]",
      "b/c/m.md": "[r](../../r.md)",
      "b/c/sub/p.png": "",
      "b/c/data.csv": "1",
      "r.md": "[[b/c/n]] ![[b/c/sub/p.png]] [[n]] [m](b/c/m.md)",
      "c.canvas": '{"nodes":[{"type":"file","file":"b/c/sub/p.png"}]}',
    });
    expect(relocation).toMatchObject({ kind: "folder", moved: 4, links: 6, undoable: true });
  });

  test("comes back whole, by the folder's path or that of any file in it", async () => {
    for (const path of ["b/c", "b/c/data.csv", "b/c/n.md"]) {
      const vault = linkVault(files);
      const before = await vault.contents();
      await vault.move("a", "b/c");
      const undone = await vault.vault.history.undo(at(path));
      expect(undone.path).toBe(path.replace("b/c", "a"));
      expect(undone.kept).toEqual([]);
      expect(await vault.contents()).toEqual(before);
    }
  });

  test("and edits of a file in it are undone in the order in which they were made", async () => {
    const { vault, move, contents } = linkVault({ "a/n.md": "0", "x.md": "[[a/n]]" });
    await vault.writing.edit(at("a/n.md"), (text) => `${text}1`, "first");
    await move("a", "b");
    await vault.writing.edit(at("b/n.md"), (text) => `${text}2`, "second");
    expect(await vault.history.undo(at("b/n.md"))).toMatchObject({ path: "b/n.md", text: "01" });
    expect(await vault.history.undo(at("b/n.md"))).toMatchObject({
      path: "a/n.md",
      text: "01",
      others: expect.arrayContaining(["x.md"]),
    });
    expect(await vault.history.undo(at("a/n.md"))).toMatchObject({ path: "a/n.md", text: "0" });
    expect(await contents()).toEqual({ "a/n.md": "0", "x.md": "[[a/n]]" });
  });

  test("that cannot be renamed in one step is moved file by file, and back where one cannot be", async () => {
    const vault = linkVault(files);
    Object.defineProperty(vault.storage, "moveFolder", { value: undefined });
    await vault.put("b/c/x.md", "");
    await vault.storage.remove(at("b/c/x.md"), { kind: "any" });
    const before = await vault.contents();
    expect(await vault.move("a", "b/d")).toMatchObject({ moved: 4, links: 6 });
    await vault.vault.history.undo(at("b/d/n.md"));
    expect(await vault.contents()).toEqual(before);
  });
});

describe("refusals change nothing", () => {
  const files = { "a/n.md": "[[m]]", "a/m.md": "", "b/n.md": "", "c.md": "[[a/n]]" };
  test.each([
    ["a note that is not there", "no.md", "x.md", "FILE_NOT_FOUND", /no file 'no.md'/],
    ["onto a note", "a/n.md", "b/n.md", "ALREADY_EXISTS", /'b\/n.md' exists already/],
    ["onto a note spelled otherwise", "a/n.md", "b/N.md", "ALREADY_EXISTS", /'b\/n.md' exists already/],
    ["into a folder spelled otherwise", "a/n.md", "B/x.md", "ALREADY_EXISTS", /folder 'b' already/],
    ["onto a folder", "a/n.md", "b", "ALREADY_EXISTS", /'b' exists already/],
    ["below a file", "a/n.md", "c.md/n.md", "ALREADY_EXISTS", /c\.md/],
    ["to where it is", "a/n.md", "a/n.md", "ALREADY_EXISTS", /already/],
    ["a folder onto a folder", "a", "b", "ALREADY_EXISTS", /'b' exists already/],
    ["a folder into itself", "a", "a/b/c", "INVALID_ARGUMENT", /into itself/],
    ["a folder into itself, spelled otherwise", "a", "A/b", "INVALID_ARGUMENT", /into itself/],
    ["into a hidden folder", "a/n.md", ".x/n.md", "PERMISSION_DENIED", /hidden/],
    ["a folder into the settings", "a", ".obsidian/plugins", "PERMISSION_DENIED", /./],
    ["to a name that links cannot hold", "a/n.md", "a/x#y.md", "INVALID_ARGUMENT", /character/],
    ["to a device's name", "a/n.md", "a/con.md", "INVALID_ARGUMENT", /Windows/],
    ["to a name with a dot at its end", "a", "x.", "INVALID_ARGUMENT", /system/],
  ])("%s", async (_, from, to, code, message) => {
    const vault = linkVault(files);
    const before = await vault.contents();
    const error = await refusal((async () => vault.move(from, to))());
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await vault.contents()).toEqual(before);
    expect(await vault.vault.history.unfinished()).toEqual([]);
  });
});

test("moves at the same time wait for each other", async () => {
  const vault = linkVault({ "a.md": "[[b]]", "b.md": "[[a]]", "c.md": "[[a]] [[b]]" });
  await Promise.all([vault.move("a.md", "x.md"), vault.move("b.md", "y.md"), vault.move("x.md", "d/z.md")]);
  expect(await vault.contents()).toEqual({ "c.md": "[[z]] [[y]]", "d/z.md": "[[y]]", "y.md": "[[z]]" });
});
