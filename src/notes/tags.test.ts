/**
 * rename_tag: which bytes change, the plan, and the way back; counts of tags, as a plain count over the notes has them
 * (docs: notes-and-files, "Surgery on notes").
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ_FACTOR, LONG } from "../../test/kit/fuzz.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault } from "../open.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import { withTag } from "./tags.js";

function vaultWith(files: Readonly<Record<string, string>>) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const { notes, vault } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
  return { notes, vault, text: async (path: string) => (await vault.read(vaultPath(path))).text };
}

describe("a tag in a text", () => {
  it.each([
    ["in the body, with those below it", "#work #work/a #Work #worker #a/work\n", "#job #job/a #job #worker #a/work\n"],
    ["not in code", "`#work` #work\n```\n#work\n```\n%% #work %%\n", "`#work` #job\n```\n#work\n```\n%% #work %%\n"],
    [
      "in a list",
      "---\ntags: [work, 'Work/a', \"#work/b\", home]\n---\n",
      "---\ntags: [job, 'job/a', \"#job/b\", home]\n---\n",
    ],
    [
      "in lines",
      "---\r\ntags:\r\n  - home # x\r\n  - work # y\r\n---\r\n",
      "---\r\ntags:\r\n  - home # x\r\n  - job # y\r\n---\r\n",
    ],
    ["in one text", "---\ntags: work, home\ntag: x work/a\n---\n", "---\ntags: job, home\ntag: x job/a\n---\n"],
    [
      "once where both are there",
      "---\ntags: [job, work, a]\n---\n#work #job\n",
      "---\ntags: [job, a]\n---\n#job #job\n",
    ],
    [
      "beside items that are no text",
      "---\ntags:\n  - work # x\n  - { work: 1 }\n  - work: 2\n    b: 3\n  -\n---\n",
      "---\ntags:\n  - job # x\n  - { work: 1 }\n  - work: 2\n    b: 3\n  -\n---\n",
    ],
    ["once in one text", "---\ntags: work, job\n---\n", "---\ntags: job\n---\n"],
    ["in headings and lists", "# A #work\n- [ ] b #work 📅 2026-01-01\n", "# A #job\n- [ ] b #job 📅 2026-01-01\n"],
  ])("is renamed %s", (_says, text, expected) => expect(withTag(text, "work", "job")).toBe(expected));

  it("goes into an ancestor, below itself, or into another case, once", () => {
    expect(withTag("#work/a #work/a/b #work\n", "work/a", "work")).toBe("#work #work/b #work\n");
    expect(withTag("#work #work/a\n", "work", "work/a")).toBe("#work/a #work/a/a\n");
    expect(withTag("---\ntags: [work]\n---\n#WORK/x\n", "work", "Work")).toBe("---\ntags: [Work]\n---\n#Work/x\n");
  });

  it("comes back as it was where the new tag was not there", () => {
    const line = fc.constantFrom("#work", "#work/a b", "x `#work`", "```", "- #work/b", "text", "> #work", "# H #work");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, inList) => {
        const text = `---\ntags: ${inList ? "[work, home]" : "work, home"}\n---\n${lines.join("\n")}\n`;
        expect(withTag(withTag(text, "work", "job"), "job", "work")).toBe(text);
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });
});

describe("a tag of the vault", () => {
  const files = {
    "A.md": "---\ntags: [work]\n---\n#Work/a\n",
    "B.md": "#job\n```dataview\nLIST FROM #work\n```\n`#work`\n",
    "C.md": "tags: work\n",
    "T.base": 'filters: file.hasTag("work")\nviews: []\n',
    ".obsidian/plugins/tasknotes/data.json": '{"taskTag": "work"}',
    "Templates/F.md": "#work\n",
  };

  it("is renamed by a plan that says what it merges with and what names it elsewhere", async () => {
    const { notes, vault, text } = vaultWith(files);
    const plan = await notes.renameTag("#work", "job");
    expect(plan).toMatchObject({ changed: ["A.md"], merged: 1 });
    expect(plan.mentions).toEqual(["the settings of TaskNotes (its task tag)", "B.md:3", "T.base:1", "Templates/F.md"]);
    expect(await text("A.md")).toBe(files["A.md"]);
    const done = await notes.renameTag("work", "job", { plan: plan.plan });
    expect(await text("A.md")).toBe("---\ntags: [job]\n---\n#job/a\n");
    await vault.history.undoOperation(done.operation!.slice("op-".length));
    for (const path of ["A.md", "B.md", "C.md", "T.base"] as const) expect(await text(path)).toBe(files[path]);
  });

  it("is named where canvases, boards and the settings of Kanban still have it", async () => {
    const board = (key: string) =>
      `---\nkanban-plugin: board\n---\n\n## Work\n\n- [ ] Card #work\n\n%% kanban:settings\n\`\`\`\n{"kanban-plugin":"board","tag-colors":[{"tagKey":"${key}"}]}\n\`\`\`\n%%\n`;
    const canvas = (text: string) => JSON.stringify({ nodes: [{ type: "text", text }], edges: [] });
    const { notes, text } = vaultWith({
      "B.md": board("#work/a"),
      "Other.md": board("#workshop"),
      "C.canvas": canvas("see\n#Work"),
      "D.canvas": canvas("`#work` #workshop"),
      "E.canvas": "#work",
      ".obsidian/plugins/obsidian-kanban/data.json": '{"tag-sort":[{"tag":"#work"}]}',
    });
    const plan = await notes.renameTag("work", "job");
    expect(plan.mentions).toEqual(["the settings of Kanban", "B.md:11", "C.canvas"]);
    const done = await notes.renameTag("work", "job", { plan: plan.plan });
    expect(done.mentions).toEqual(plan.mentions);
    expect(await text("B.md")).toContain('"#work/a"');
  });

  it("is reported in properties that cannot be read, which stay as they are", async () => {
    const { notes, text } = vaultWith({
      "A.md": "---\ntags: [work\nk: 1\n---\n#work\n",
      "B.md": "#work\n",
      "C.md": "---\nk: [\ntags: work\n---\n",
    });
    const plan = await notes.renameTag("work", "job");
    expect(plan.mentions).toEqual(["A.md:2", "C.md:3"]);
    await notes.renameTag("work", "job", { plan: plan.plan });
    expect(await text("A.md")).toBe("---\ntags: [work\nk: 1\n---\n#job\n");
    await expect(notes.renameTag("work", "job")).rejects.toMatchObject({
      hint: expect.stringContaining("2 notes cannot be read in full: A.md, C.md."),
    });
  });

  it.each(["follow-up", "a_b", "area/home-2", "übung-é", "-x-"])("is renamed where it is #%s", async (tag) => {
    const { notes, text } = vaultWith({
      "A.md": `#${tag} #${tag}/below #${tag}2\n`,
      "T.base": `filters: file.hasTag("${tag}")\nviews:\n  - x${tag}\n`,
    });
    const plan = await notes.renameTag(tag, "new-tag");
    expect(plan.mentions).toEqual(["T.base:1"]);
    await notes.renameTag(tag, "new-tag", { plan: plan.plan });
    expect(await text("A.md")).toBe(`#new-tag #new-tag/below #${tag}2\n`);
  });

  it("is refused with the canvas or template that alone has it", async () => {
    const canvas = JSON.stringify({ nodes: [{ id: "1", type: "text", text: "#plan" }] });
    const { notes } = vaultWith({ "Map.canvas": canvas, "Templates/T.md": "#plan", "A.md": "" });
    await expect(notes.renameTag("plan", "idea", {})).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      hint: expect.stringContaining("#plan is in Map.canvas, Templates/T.md"),
    });
  });

  it("is refused into itself, into what is no tag, where no note has it, and by an old plan", async () => {
    const { notes, vault } = vaultWith(files);
    await expect(notes.renameTag("work", "#work")).rejects.toThrow("the same tag");
    await expect(notes.renameTag("work", "12")).rejects.toThrow('to "12" is no tag');
    await expect(notes.renameTag("none", "x")).rejects.toThrow("No note has the tag #none");
    const { plan } = await notes.renameTag("work", "job");
    await vault.writing.edit(vaultPath("A.md"), (text) => `${text}more\n`, "test");
    await expect(notes.renameTag("work", "job", { plan })).rejects.toThrow("does not fit any more");
  });

  it("is renamed in hundreds of notes, and undone", async () => {
    const count = LONG ? 2000 : 300;
    const many = Object.fromEntries(Array.from({ length: count }, (_, at) => [`N/${at}.md`, `${at} #work\n`]));
    const { notes, vault, text } = vaultWith(many);
    const { plan } = await notes.renameTag("work", "job");
    const done = await notes.renameTag("work", "job", { plan });
    expect(done).toMatchObject({ leftOut: [], unchanged: 0 });
    expect(done.changed).toHaveLength(count);
    await vault.history.undoOperation(done.operation!.slice("op-".length));
    expect(await text("N/7.md")).toBe("7 #work\n");
  });
});

type Tags = Readonly<Record<string, readonly string[]>>;

const textOf = (tags: readonly string[]): string => `---\ntags: ${JSON.stringify(tags)}\n---\n`;

function vaultOf(notes: Tags) {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const files = Object.fromEntries(Object.entries(notes).map(([path, tags]) => [path, textOf(tags)]));
  const storage = new MemoryStorage({ name: "Tags", files, clock });
  return { ...assembleVault({ storage, name: "Tags", clock, ids: sequentialIds() }), storage };
}

/** By folded tag: the notes with it or a nested one. */
function plainCounts(notes: Tags): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const tags of Object.values(notes)) {
    const all = new Set(
      tags.flatMap((tag) =>
        tag
          .toLowerCase()
          .split("/")
          .map((_, at, parts) => parts.slice(0, at + 1).join("/")),
      ),
    );
    for (const tag of all) counts[tag] = (counts[tag] ?? 0) + 1;
  }
  return counts;
}

describe("counts of tags", () => {
  it("follows notes that come, go and change", async () => {
    const tag = fc.constantFrom("home", "Home", "home/repairs", "HOME/Repairs", "home/repairs/roof", "q1");
    const note = fc.array(tag, { maxLength: 3 });
    const vault = fc.dictionary(fc.constantFrom("a.md", "b.md", "c/d.md", "e.md"), note);
    await fc.assert(
      fc.asyncProperty(fc.array(vault, { minLength: 1, maxLength: 4 }), async (vaults) => {
        const { notes, storage } = vaultOf({});
        for (const now of vaults) {
          for (const path of ["a.md", "b.md", "c/d.md", "e.md"]) {
            const tags = now[path];
            if (tags) await storage.write(vaultPath(path), Buffer.from(textOf(tags)), { kind: "any" });
            else if (await storage.read(vaultPath(path))) await storage.remove(vaultPath(path), { kind: "any" });
          }
          const found = (await notes.tags()).map((one) => [one.tag.toLowerCase(), one.count]);
          expect(Object.fromEntries(found)).toEqual(plainCounts(now));
          expect(found).toHaveLength(Object.keys(plainCounts(now)).length);
        }
      }),
      { numRuns: 40 * FUZZ_FACTOR },
    );
  });

  it("counts a note once for a tag and those above it, in the spelling of most notes", async () => {
    const { notes } = vaultOf({
      "a.md": ["home/repairs", "Home"],
      "b.md": ["Home"],
      "c.md": ["Home"],
      "x/d.md": ["home/x"],
    });
    expect(await notes.tags()).toEqual([
      { tag: "Home", count: 4 },
      { tag: "home/repairs", count: 1 },
      { tag: "home/x", count: 1 },
    ]);
    expect(await notes.tags("x")).toEqual([
      { tag: "home", count: 1 },
      { tag: "home/x", count: 1 },
    ]);
  });
});
