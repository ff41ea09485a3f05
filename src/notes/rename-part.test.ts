/** rename of headings and blocks, and merging notes (docs: notes-and-files, "Surgery on notes"). */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault, type AssemblyOptions } from "../open.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { VaultError } from "../errors.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { ChangeBytes, Expected, ReadManyOptions } from "../storage/storage.js";
import { TOOLS } from "../tools/all-tools.js";
import { wordsOf } from "../tools/outcome.js";
import { createWorkspace } from "../tools/workspace.js";

type Files = Readonly<Record<string, string>>;

/** Refuses to read, to write and to delete single files. */
class RefusingStorage extends MemoryStorage {
  refuses: Partial<Record<"read" | "update" | "move", string>> = {};

  #assert(work: "read" | "update" | "move", path: VaultPath): void {
    if (this.refuses[work] === path) throw new VaultError("PERMISSION_DENIED", `'${path}' may not be touched.`);
  }

  override async read(path: VaultPath) {
    this.#assert("read", path);
    return await super.read(path);
  }

  override async *readMany(paths: readonly VaultPath[], options: ReadManyOptions = {}) {
    const error = new VaultError("PERMISSION_DENIED", "It may not be read.");
    for (const path of paths)
      if (path === this.refuses.read) yield [{ path, error }] as never;
      else yield* super.readMany([path], options);
  }

  override async update(path: VaultPath, change: ChangeBytes) {
    this.#assert("update", path);
    return await super.update(path, change);
  }

  override async move(from: VaultPath, to: VaultPath, expected: Expected) {
    this.#assert("move", from);
    return await super.move(from, to, expected);
  }
}

function vaultWith(files: Files, options: Pick<AssemblyOptions, "journal"> = {}) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new RefusingStorage({ name: "Study", files, clock });
  const opened = assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), ...options });
  const opener = { resolve: async (path: string) => path, open: async () => opened };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: false }));
  const call = (tool: string, args: object) => TOOLS.find(({ name }) => name === tool)!.call({ ...args }, context);
  return {
    storage,
    links: opened.links,
    texts: async (): Promise<Record<string, string>> => {
      const { paths } = await opened.files.list();
      const texts = await Promise.all(paths.map(async (path) => [path, (await opened.vault.read(path)).text] as const));
      return Object.fromEntries(texts);
    },
    text: async (path: string) => (await opened.vault.read(vaultPath(path))).text,
    call,
    rename: async (old_path: string, new_path: string, more: object = {}): Promise<string> =>
      (await call("rename", { old_path, new_path, ...more })).text,
    undo: () => opened.files.undoLast(),
  };
}

const PLAN = `---
see: "[[#Costs: all]]"
---
# Plan

## Costs: all
Roof tiles. ^tiles

### Tools
\`[[Plan#Tools]]\`

## Notes
### Tools again
`;

const FILES = {
  "Plan.md": PLAN,
  "A.md":
    '---\nup: "[[Plan#Costs all|x]]"\n---\n[[Plan#Costs all]] ![[plan#costs all#Tools|t]] [[Plan#^tiles]] [[Other#Costs all]]\r\n',
  "B.md":
    "| a |\n|---|\n| [[Plan#Costs all\\|c]] |\n\n[m](Plan.md#Costs%20all) [n](<Plan.md#Costs all> 'T') [t](Plan.md#^tiles)",
  "Other.md": "# Costs all\n",
  "c.canvas":
    '{"nodes":[{"type":"file","file":"Plan.md","subpath":"#Costs all"},{"type":"text","text":"[[Plan#Costs all]]"}]}',
};

describe("a heading", () => {
  it("is renamed with every link to it, in notes, properties, tables and canvases", async () => {
    const { rename, texts, undo } = vaultWith(FILES);
    expect(await rename("Plan#Costs: all", "Plan#What it costs")).toBe(
      "Renamed 'Plan.md#Costs all' → 'Plan.md#What it costs'\nRewrote 9 links in 4 notes.",
    );
    expect(await texts()).toEqual({
      "Plan.md": PLAN.replace("## Costs: all", "## What it costs").replace("#Costs: all", "#What it costs"),
      "A.md": FILES["A.md"]
        .replace("[[Plan#Costs all|x]]", "[[Plan#What it costs|x]]")
        .replace("[[Plan#Costs all]]", "[[Plan#What it costs]]")
        .replace("[[plan#costs all#Tools|t]]", "[[plan#What it costs#Tools|t]]"),
      "B.md": FILES["B.md"].replaceAll("Costs%20all", "What%20it%20costs").replaceAll("Costs all", "What it costs"),
      "Other.md": FILES["Other.md"],
      "c.canvas": FILES["c.canvas"].replaceAll("Costs all", "What it costs"),
    });
    await undo();
    expect(await texts()).toEqual(FILES);
  });

  it("is named by the headings above it, and there and back gives the same bytes", async () => {
    const files = {
      ...FILES,
      "Plan.md": PLAN.replace("Tools again", "Tools"),
      "D.md": "[[Plan#Notes#Tools]] [[Plan#Tools]]",
    };
    const { rename, texts, text } = vaultWith(files);
    expect(await rename("Plan#Notes#Tools", "Hammers")).toContain("Rewrote 1 link in 1 note.");
    expect(await text("D.md")).toBe("[[Plan#Notes#Hammers]] [[Plan#Tools]]");
    await rename("Plan#Notes#Hammers", "#Tools again");
    await rename("Plan#Tools again", "Hammers");
    expect(await text("Plan.md")).toContain("## Notes\n### Hammers\n");
    const before = await texts();
    await rename("Plan#Hammers", "Nails");
    await rename("Plan#Nails", "Hammers");
    expect(await texts()).toEqual(before);
  });

  it("renamed there and back gives every byte, of links in other spellings too", async () => {
    const files = { ...FILES, "E.md": "[[plan#COSTS:  all!]] [[Plan#^TILES]] [x](Plan.md#costs%20ALL)" };
    const { rename, texts, text } = vaultWith(files);
    await rename("Plan#Costs: all", "What it costs");
    await rename("Plan#^tiles", "^roof");
    expect(await text("E.md")).toBe("[[plan#What it costs]] [[Plan#^roof]] [x](Plan.md#What%20it%20costs)");
    await rename("Plan#^roof", "^tiles");
    await rename("Plan#What it costs", "Costs: all");
    expect(await texts()).toEqual(files);
    await rename("Plan#Costs: all", "What it costs");
    await rename("Plan#What it costs", "Costs all");
    expect(await text("Plan.md")).toContain("## Costs all\n");
  });

  it.each<[says: string, from: string, to: string, answer: RegExp]>([
    ["is missing", "Plan#Cost", "x", /no such heading[^]*Outline: # Plan \(line 4\)/],
    ["has the new name already", "Plan#Notes", "Notes", /has this name already/],
    ["would be named like another", "Plan#Notes", "costs all!", /has a heading "Costs: all" already/],
    ["would have no name", "Plan#Notes", "!!", /cannot be a heading/],
    ["would be no heading", "Plan#Notes", "x #", /would not be read as this heading/],
    ["would go into another note", "Plan#Notes", "Other#Notes", /cannot be renamed into another note/],
    ["is of no note", "Nowhere#Notes", "x", /Nowhere/],
  ])("that %s is refused and nothing changes", async (_says, from, to, answer) => {
    const { rename, texts } = vaultWith(FILES);
    expect(await rename(from, to)).toMatch(answer);
    expect(await texts()).toEqual(FILES);
  });

  it("that is there twice is refused with the outline", async () => {
    const { rename } = vaultWith({ "P.md": "# A\n## B\n# C\n## B\n" });
    expect(await rename("P#B", "X")).toMatch(/several such headings, at lines 2, 4[^]*Outline/);
    expect(await rename("P#B#C", "X")).toContain("no such heading");
    expect(await rename("P#Wrong#C", "X")).toContain("no such heading");
    expect(await rename("P#C#B", "X")).toContain("Renamed");
  });

  it("that is a lane of a board is refused", async () => {
    const { rename } = vaultWith({ "Board.md": "---\nkanban-plugin: board\n---\n## Doing\n- [ ] a\n" });
    expect(await rename("Board#Doing", "Next")).toContain("its headings are lanes");
  });
});

describe("a block", () => {
  it("is renamed with every link to it", async () => {
    const { rename, texts, undo } = vaultWith(FILES);
    expect(await rename("Plan#^tiles", "Plan#^roof-1")).toContain("Rewrote 2 links in 2 notes.");
    expect(await texts()).toMatchObject({
      "Plan.md": PLAN.replace("^tiles", "^roof-1"),
      "A.md": FILES["A.md"].replace("#^tiles", "#^roof-1"),
      "B.md": FILES["B.md"].replace("#^tiles", "#^roof-1"),
    });
    await undo();
    expect(await texts()).toEqual(FILES);
  });

  it("that is missing, only in code, there twice or badly named is refused", async () => {
    const { rename } = vaultWith({ "P.md": "a ^one\n\n```\nb ^code\n```\n- c ^two\n- d ^Two\n" });
    expect(await rename("P#^code", "^x")).toMatch(/no block \^code[^]*\^one, \^two, \^Two/);
    expect(await rename("P#^two", "^x")).toContain("2 blocks ^two");
    expect(await rename("P#^one", "^a b")).toContain("is no block id");
    expect(await rename("P#^one", "two")).toContain("a block ^two already");
  });
});

describe("merging notes", () => {
  const files = {
    "Old.md":
      '---\ntags: [a, b]\naliases: Roofing\nrating: 4\nyear: 2025\ncode: "007"\nnested:\n  x: 1\n---\n\n# Old\n\nSee [[Old#Old]] and [[New]].\n',
    "Ideas/New.md": "---\ntags:\n  - B\n  - c\nrating: 5\n---\n# New\n[[Old]] ![[pic.png]]\n",
    "Other.md": '---\nup: "[[Old]]"\n---\n[[Old|the old one]] [x](Old.md)\n',
    "pic.png": "p",
  };

  it("joins bodies, properties and links as one operation, and one undo takes it back", async () => {
    const { rename, texts, undo } = vaultWith(files);
    expect(await rename("Old.md", "Ideas/New.md", { into: true })).toBe(
      [
        "Merged 'Old.md' into 'Ideas/New.md'",
        "Rewrote 5 links in 2 notes.",
        "Added properties: aliases; year; code; nested.",
        "Joined lists: tags.",
        "Kept as text, because 'Ideas/New.md' has other values: rating: 4.",
        "'Old.md' was deleted; undo_edit restores it.",
      ].join("\n"),
    );
    expect(await texts()).toEqual({
      "Ideas/New.md":
        '---\ntags:\n  - B\n  - c\n  - a\nrating: 5\naliases: Roofing\nyear: 2025\ncode: "007"\nnested:\n  x: 1\n---\n# New\n[[New]] ![[pic.png]]\n\n- rating: 4\n\n# Old\n\nSee [[New#Old]] and [[New]].\n',
      "Other.md": '---\nup: "[[New]]"\n---\n[[New|the old one]] [x](New.md)\n',
      "pic.png": "p",
    });
    await undo();
    expect(await texts()).toEqual(files);
  });

  it.each([
    [
      "items in lines, each in its own bytes",
      "list:\n    -   k: 1 # one\n        l: 2\n    - x",
      "list:\n- y\n- z: 2\n",
      "list:\n- y\n- z: 2\n-   k: 1 # one\n    l: 2\n- x\n",
    ],
    ["items in brackets", "list: [x, { k: 1 }, 7]", "list: [y, { z: 2 }]\n", "list: [y, { z: 2 }, x, { k: 1 }, 7]\n"],
    ["items in brackets below lines", "list: [{ k: 1 }, Y]", "list:\n  - y\n", "list:\n  - y\n  - { k: 1 }\n"],
    ["a mapping that is there once", "list:\n  - k: 1", "list: [y, { k: 1 }]\n", "list: [y, { k: 1 }]\n"],
    ["a property that only the other note has", "map:\n  # why\n  a: 1", "x: 1\n", "x: 1\nmap:\n  # why\n  a: 1\n"],
    ["tags of a text and a list", "tags: x", "tags: [a, { b: 1 }]\n", "tags: [a, { b: 1 }, x]\n"],
    ["tags of a text with several, in a list", "tags: x, A", "tags: [a]\n", "tags: [a, x]\n"],
    ["tags of a list, in a text with several", "tags: [x, y]", "tags: y, z\n", "tags: y, z, x\n"],
    [
      "a tag and an alias of the singular",
      "tag: x\nalias: y",
      "tags: [a]\naliases: b\n",
      "tags: [a, x]\naliases:\n  - b\n  - y\n",
    ],
    ["tags beside a tag", "tags: [x]", "tag: a\n", "tag:\n  - a\n  - x\n"],
    [
      "a field by another key of a task with the same value",
      "due: 2026-01-01",
      "type: task\nDue Date: 2026-01-01\n",
      "type: task\nDue Date: 2026-01-01\n",
    ],
    [
      "a field's key of a note that is no task",
      "due: 2026-01-02",
      "Due Date: 2026-01-01\n",
      "Due Date: 2026-01-01\ndue: 2026-01-02\n",
    ],
    ["classes of a text with several", "cssclasses: wide dark", "cssclasses: [a]\n", "cssclasses: [a, wide, dark]\n"],
  ])("keeps %s", async (_what, old, own, merged) => {
    const { rename, text } = vaultWith({ "Old.md": `---\n${old}\n---\n`, "New.md": `---\n${own}---\nN\n` });
    const answer = await rename("Old.md", "New.md", { into: true });
    expect(answer).not.toContain("Kept as text");
    expect(await text("New.md")).toBe(`---\n${merged}---\nN\n`);
  });

  it("never gives a task a second key for a field, which would change it", async () => {
    const own = "---\ntype: task\nDue Date: 2026-01-01\n---\nN\n";
    const { rename, text } = vaultWith({ "Old.md": "---\ndue: 2026-02-02\narea: x\n---\n", "New.md": own });
    expect(await rename("Old.md", "New.md", { into: true })).toContain("other values: due: 2026-02-02.");
    expect(await text("New.md")).toBe(`${own.replace("---\nN", "area: x\n---\nN")}\n- due: 2026-02-02\n`);
  });

  it("says which names both notes have, by which links lead to the first", async () => {
    const { rename, text } = vaultWith({
      "Old.md": "# Log\nold[^1] ^b1\n\n[^1]: of old\n[site]: x\n\n```\n# Code\n[^2]: x\n```\n",
      "New.md": "# log!\nnew[^1] ^B1\n\n[^1]: of new\n[Site]: y\n[^2]: z\n# Code\n",
      "Other.md": "[[Old#Log]]\n",
    });
    expect(await rename("Old.md", "New.md", { into: true })).toContain(
      "Both notes have these, and links to them lead to those that 'New.md' had: #Log; #^b1; [^1]; [site].\n",
    );
    expect(await text("Other.md")).toBe("[[New#Log]]\n");
  });

  it.each(["```js\nopen\n", "text\n%% open"])(
    "is refused where the text would be inside what is not closed: %j",
    async (open) => {
      const { rename, text } = vaultWith({ "Old.md": "- [ ] task\n", "New.md": open, "None.md": "---\na: 1\n---\n" });
      expect(await rename("Old.md", "New.md", { into: true })).toMatch(/is not closed[^]*Nothing was changed/);
      expect(await text("New.md")).toBe(open);
      expect(await rename("None.md", "New.md", { into: true })).toContain("Added properties: a.");
    },
  );

  it("says which list became text where its items cannot be written", async () => {
    const { rename, text } = vaultWith({
      "Old.md": "---\nlist:\n  - k: 1\n---\n",
      "New.md": "---\nlist: [y]\n---\nN\n",
    });
    expect(await rename("Old.md", "New.md", { into: true })).toContain("Kept as text");
    expect(await text("New.md")).toBe("---\nlist: [y]\n---\nN\n\n- list: - k: 1\n");
  });

  it("into itself, of a board, of a part and into a note that is not there is refused", async () => {
    const { rename, texts } = vaultWith({ ...files, "Board.md": "---\nkanban-plugin: board\n---\n## Doing\n" });
    const before = await texts();
    expect(await rename("Old.md", "Old", { into: true })).toContain("cannot be merged into itself");
    expect(await rename("Old.md", "Board", { into: true })).toContain("is a Kanban board");
    expect(await rename("Old#Old", "Other.md", { into: true })).toContain("Only a whole note can be merged");
    expect(await rename("Old.md", "Nowhere.md", { into: true })).toContain("Nowhere");
    expect(await texts()).toEqual(before);
  });

  it("that changes meanwhile is refused, and everything is taken back", async () => {
    const { links, storage, texts } = vaultWith({ "Old.md": "old", "New.md": "new", "A.md": "[[Old]]" });
    const join = (text: string, other: string): string => {
      void storage.update(vaultPath("Old.md"), () => Buffer.from("changed"));
      return text + other;
    };
    await expect(links.merge(vaultPath("Old.md"), vaultPath("New.md"), join)).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await texts()).toEqual({ "Old.md": "changed", "New.md": "new", "A.md": "[[Old]]" });
  });

  it("of a note whose frontmatter cannot be read is refused", async () => {
    const { rename } = vaultWith({ ...files, "Broken.md": "---\na: [\n---\nx" });
    expect(await rename("Broken.md", "Other.md", { into: true })).toContain("frontmatter of the note to merge");
  });
});

describe("a change of a note and of the links to it is undone whole", () => {
  const MERGED = { "Old.md": "# Old\nold\n", "New.md": "# New\n[[Old]]\n", "Other.md": "[[Old#Old]]\n" };
  const CHANGES: readonly (readonly [string, Files, object, readonly string[]])[] = [
    ["a heading's rename", FILES, { old_path: "Plan#Costs: all", new_path: "Money" }, ["Plan.md", "A.md", "c.canvas"]],
    ["a block's rename", FILES, { old_path: "Plan#^tiles", new_path: "^roof" }, ["Plan.md", "B.md"]],
    ["a merge", MERGED, { old_path: "Old.md", new_path: "New.md", into: true }, ["Old.md", "New.md", "Other.md"]],
  ];
  const EACH = CHANGES.flatMap(([what, files, args, paths]) => paths.map((path) => ({ what, files, args, path })));

  it.each(EACH)("$what by the path $path", async ({ files, args, path }) => {
    const { call, texts } = vaultWith(files);
    await call("rename", args);
    const undone = await call("undo_edit", { path });
    expect(undone.text).toContain("[Taken back with it: ");
    expect(await texts()).toEqual(files);
  });

  it.each(CHANGES)("%s by the operation that its answer names", async (_, files, args) => {
    const { call, texts } = vaultWith(files);
    const changed = await call("rename", args);
    const [path = ""] = /op-[0-9a-z]+-[0-9a-z]+/.exec(wordsOf(changed)) ?? [];
    expect(changed).toMatchObject({
      data: { operation: path },
      details: `undo_edit with path "${path}" takes all of it back.`,
    });
    await call("undo_edit", { path });
    expect(await texts()).toEqual(files);
  });

  it("or refused where the note has changed since, or the old note's name is taken", async () => {
    const { call, texts, storage } = vaultWith(MERGED);
    await call("rename", CHANGES[2]?.[2] ?? {});
    const refused = async (path: string, words: string) => {
      const before = await texts();
      expect(await call("undo_edit", { path })).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
      expect((await call("undo_edit", { path })).text).toContain(words);
      expect(await texts()).toEqual(before);
    };
    const merged = (await texts())["New.md"] ?? "";
    await storage.write(vaultPath("New.md"), Buffer.from("by hand"), { kind: "any" });
    await refused("New.md", "was changed since");
    await storage.write(vaultPath("New.md"), Buffer.from(merged), { kind: "any" });
    await storage.write(vaultPath("Old.md"), Buffer.from("another"), { kind: "absent" });
    await refused("New.md", "Something else is at 'Old.md'");
  });

  it("but for a note that has changed since, whose links stay, and which the answer names", async () => {
    const { call, texts, storage } = vaultWith(MERGED);
    await call("rename", CHANGES[2]?.[2] ?? {});
    await storage.write(vaultPath("Other.md"), Buffer.from("by hand"), { kind: "any" });
    expect((await call("undo_edit", { path: "New.md" })).text).toContain("[Left as it is: 'Other.md'");
    expect(await texts()).toEqual({ ...MERGED, "Other.md": "by hand" });
  });
});

describe("what cannot be read or written", () => {
  it("is named by the rename of a heading: links in it may lead nowhere now", async () => {
    const { storage, rename } = vaultWith({ ...FILES, "closed.md": "[[Plan#Costs all]]" });
    storage.refuses = { read: "closed.md" };
    expect(await rename("Plan.md#Costs all", "Plan.md#Prices")).toContain("closed.md");
  });

  it("keeps every link as it is when it is the heading's own note", async () => {
    const { storage, rename, texts } = vaultWith(FILES);
    const before = await texts();
    storage.refuses = { update: "Plan.md" };
    expect(await rename("Plan.md#Costs all", "Plan.md#Prices")).toContain("'Plan.md' may not be touched");
    expect(await texts()).toEqual(before);
  });

  it.each([
    ["with a journal", {}],
    ["without one", { journal: false }],
  ] as const)("leaves the text of a refused merge once: %s", async (_how, options) => {
    const { storage, rename, text } = vaultWith({ "Old.md": "old\n", "New.md": "new\n" }, options);
    storage.refuses = { move: "Old.md" };
    expect(await rename("Old.md", "New.md", { into: true })).toContain("'Old.md' may not be touched");
    expect([await text("Old.md"), await text("New.md")]).toEqual(["old\n", "new\n"]);
  });
});
