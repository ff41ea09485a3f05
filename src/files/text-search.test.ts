import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleVault } from "../open.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { hiddenTexts, otherReadings, searchTexts, type TextHits, type TextSearch } from "./text-search.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const clock = fixedClock("2025-08-30T12:00:00Z");

function vaultOf(files: Readonly<Record<string, string | Uint8Array>>, options: { maxFileSize?: number } = {}) {
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const { vault } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), session: true, ...options });
  return { vault, storage };
}

const ROOM = { context: 2, most: 24_000 };

/** Searches twice: by reading everything, and by what is remembered of it. */
async function search(vault: Vault, query: string, options: Partial<TextSearch> = {}): Promise<TextHits> {
  const first = await searchTexts(vault, { ...ROOM, query, ...options });
  expect(await searchTexts(vault, { ...ROOM, query, ...options })).toEqual(first);
  return first;
}

describe("what a search shows", () => {
  it("numbers lines, marks matches, and parts what is apart", async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const { vault } = vaultOf({ "a.md": `${lines.join("\n")}\n` });
    const { files } = await search(vault, "line 1", { context: 1 });
    expect(files[0]?.excerpt.split("\n").slice(0, 5)).toEqual([
      ">    1: line 1",
      "     2: line 2",
      "---",
      "     9: line 9",
      ">   10: line 10",
    ]);
    expect(files[0]).toMatchObject({ matches: 11, shown: 11 });
    const alone = await search(vault, "line 15", { context: 0 });
    expect(alone.files[0]?.excerpt).toBe(">   15: line 15");
    const end = await search(vault, "line 20", { context: 5 });
    expect(end.files[0]?.excerpt.split("\n").at(-1)).toBe(">   20: line 20");
  });

  it("joins matches whose surroundings meet", async () => {
    const { vault } = vaultOf({ "a.md": "x\n1\n2\n3\n4\nx\n5\nx" });
    const { files } = await search(vault, "x");
    expect(files[0]?.excerpt).toBe(
      [">    1: x", "     2: 1", "     3: 2", "     4: 3", "     5: 4", ">    6: x", "     7: 5", ">    8: x"].join(
        "\n",
      ),
    );
  });

  it("looks into every text file by path, and counts case", async () => {
    const { vault } = vaultOf({
      "b/two.txt": "Milk",
      "a.md": "milk\n\nmore milk",
      "c.canvas": '{"text":"milk"}',
      ".hidden/x.md": "milk",
      "node_modules/x.md": "milk",
      "image.png": "milk",
    });
    const { files, matches, fileCount } = await search(vault, "milk");
    expect(files.map(({ path }) => path)).toEqual(["a.md", "c.canvas"]);
    expect([matches, fileCount]).toEqual([3, 2]);
  });

  it.each([
    ["b", ["b/one.md", "b/two.md"]],
    ["/b/", ["b/one.md", "b/two.md"]],
    ["b/one.md", ["b/one.md"]],
    ["Templates", ["Templates/t.md"]],
    ["empty.md", []],
  ])("narrows to %s", async (path, expected) => {
    const { vault } = vaultOf({
      "b.md": "milk",
      "b/one.md": "milk",
      "b/two.md": "milk",
      "empty.md": "",
      "Templates/t.md": "milk",
      ".obsidian/templates.json": '{"folder":"Templates"}',
    });
    expect((await search(vault, "milk", { path })).files.map((file) => file.path)).toEqual(expected);
    expect((await search(vault, "milk")).fileCount).toBe(3);
  });

  it.each([
    ["a.b*c(", "a.b*c(", 1],
    ["a.b*c(", "axbbc", 0],
    ["$&", "cost $& more", 1],
    ["\\d", "\\d", 1],
    ["ü", "über\nuber\nu\u0308", 0 + 1],
    ["日本", "日本語\n日 本", 1],
    ["\u0301", "e\u0301", 1],
    ["\r", "", 0],
  ])("takes %j as it stands", async (query, text, matches) => {
    const { vault } = vaultOf({ "a.md": text });
    if (query === "\r") await expect(search(vault, query)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    else expect((await search(vault, query)).matches).toBe(matches);
  });

  it("knows a byte order mark from the first line, and keeps a carriage return in its own", async () => {
    const { vault } = vaultOf({ "a.md": "\ufeffone\r\ntwo\r\n" });
    const { files } = await search(vault, "^one$", { regex: true, context: 1 });
    expect(files[0]?.excerpt).toBe(">    1: one\r\n     2: two\r");
    expect((await search(vault, "\ufeff")).matches).toBe(0);
  });
});

describe("a long way to a match", () => {
  it("shows it all the same, and cuts what leads there", async () => {
    const { vault } = vaultOf({ "a.md": `${`${"y".repeat(1_000)}\n`.repeat(30)}milk\n`, "b.md": "milk" });
    const { files } = await search(vault, "milk", { context: 20, most: 1_000 });
    expect(files[0]).toMatchObject({ matches: 1, shown: 1 });
    expect(files[0]?.excerpt.split("\n").at(-1)).toBe(">   31: milk");
    expect(files[0]?.excerpt.length).toBeLessThan(21 * 215);
  });
});

describe("what is out of reach", () => {
  it("names what cannot be searched", async () => {
    const { vault } = vaultOf(
      {
        "a.md": "milk",
        "big.md": "milk".repeat(1000),
        "bin.md": Uint8Array.of(0xff, 0xfe, 0x6d),
        "u.txt": Uint8Array.of(0x80),
      },
      { maxFileSize: 2048 },
    );
    const { skipped, matches } = await search(vault, "milk");
    expect(matches).toBe(1);
    expect(skipped).toEqual([
      { path: "big.md", message: "'big.md' has 4 KiB; the most a file may have is 2 KiB." },
      { path: "bin.md", message: "'bin.md' is not UTF-8 text." },
      { path: "u.txt", message: "'u.txt' is not UTF-8 text." },
    ]);
  });

  it.each([
    ["missing", "FILE_NOT_FOUND"],
    ["../out.md", "PERMISSION_DENIED"],
    [".obsidian", "PERMISSION_DENIED"],
    ["a\\b", "INVALID_ARGUMENT"],
  ])("refuses the path %s", async (path, code) => {
    const { vault } = vaultOf({ "a.md": "milk", ".obsidian/app.json": "{}" });
    await expect(search(vault, "milk", { path })).rejects.toMatchObject({ code });
    await expect(search(vault, "milk", { path, regex: true })).rejects.toMatchObject({ code });
  });
});

describe("bounds", () => {
  it("counts what there is no room for, and says where to go on", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `n${String(index).padStart(2, "0")}.md`,
        "some milk here\n".repeat(100),
      ]),
    );
    const { vault } = vaultOf(files);
    const found = await search(vault, "milk", { most: 4_000 });
    expect([found.matches, found.fileCount]).toEqual([5_000, 50]);
    expect(found.files.reduce((bytes, file) => bytes + file.excerpt.length, 0)).toBeLessThan(4_500);
    expect(found.files[0]?.shown).toBeGreaterThan(30);
    expect(found.next).toBe(`n${String(found.files.length).padStart(2, "0")}.md`);
    const one = await search(vault, "milk", { most: 4_000, path: "n01.md" });
    expect(one).toMatchObject({ matches: 100, fileCount: 1, next: undefined });
    expect(one.files[0]?.shown).toBe(100);
  });

  it("cuts long lines around what an expression matches", async () => {
    const { vault } = vaultOf({
      "a.md": `milk\n${"🎯".repeat(5_000)}milk${"x".repeat(10_000)}\n${"y".repeat(500)}milk`,
    });
    const { files } = await search(vault, "m[ij]lk", { regex: true, context: 0 });
    const [whole, middle = "", end = ""] = files[0]?.excerpt.split("\n") ?? [];
    expect(whole).toBe(">    1: milk");
    expect(middle).toMatch(/^> {4}2: …🎯+milkx+…$/u);
    expect(end).toMatch(/^> {4}3: …y+milk$/);
    expect(middle.length).toBeLessThan(420);
  });

  it("cuts long lines around the match", async () => {
    const { vault } = vaultOf({ "a.md": `${"🎯".repeat(5_000)}milk${"x".repeat(1_000_000)}` });
    const { files } = await search(vault, "milk");
    expect(files[0]?.excerpt.length).toBeLessThan(450);
    expect(files[0]?.excerpt).toContain("🎯milkxxx");
    expect(files[0]?.excerpt).not.toMatch(/\p{Surrogate}/u);
    const pattern = await search(vault, "mil[k]", { regex: true });
    expect(pattern.files[0]?.excerpt.length).toBeLessThan(450);
  });
});

const word = fc.oneof(
  fc.constantFrom(
    "milk",
    "Milk",
    "café",
    "cafe\u0301",
    "会议",
    "日本語",
    "a",
    "ab",
    "STRASSE",
    "straße",
    "\ufeff",
    "x.y*",
  ),
  fc.string({ unit: fc.constantFrom("a", "b", "é", "会", " ", "#"), maxLength: 5 }),
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "\n", "\r\n", "")), { maxLength: 12 })
  .map((parts) => parts.flat().join(""));

describe("what is remembered of texts", () => {
  it("never hides a line that a plain look at every line finds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(), text), { maxLength: 3 }),
        fc.array(
          word.filter((query) => query !== "" && !/[\r\n]/.test(query)),
          { minLength: 1, maxLength: 3 },
        ),
        async (texts, changes, queries) => {
          const now = new Map(texts.map((body, index) => [`${index}.md`, body]));
          const { vault, storage } = vaultOf(Object.fromEntries(now));
          const check = async (): Promise<void> => {
            for (const query of queries) {
              const found = await search(vault, query, { context: 0 });
              const expected = [...now].flatMap(([path, body]) => {
                const lines = body.replace(/^\ufeff/, "").split("\n");
                const matches = lines.filter((line) => line.includes(query)).length;
                return matches > 0 ? [[path, matches]] : [];
              });
              expect(found.files.map((file) => [file.path, file.matches])).toEqual(expected);
            }
          };
          await check();
          for (const [number, body] of changes) {
            const path = `${number % texts.length}.md`;
            now.set(path, body);
            await storage.write(vaultPath(path), Buffer.from(body), { kind: "any" });
            await check();
          }
        },
      ),
      { numRuns: 80 * FUZZ_FACTOR },
    );
  });
});

describe("a search without a match", () => {
  const { vault } = vaultOf({ "a.md": "Astro and CMS\nastro\n", "b.md": "Hugo (static)\n", "c.md": "Äpfel, äpfel\n" });
  const read = async (query: string, regex = false) =>
    (await otherReadings(vault, { ...ROOM, query, regex }, { isFound: false })).map((one) => [
      one.query,
      one.differs === "case",
      one.matches,
    ]);

  it("says that case or the pattern decides", async () => {
    expect(await read("ASTRO")).toEqual([["(?i)ASTRO", true, 2]]);
    expect(await read("cms|CMS")).toEqual([["cms|CMS", false, 1]]);
    expect(await read("hugo|jekyll")).toEqual([["(?i)hugo|jekyll", false, 1]]);
    expect(await read("hugo (static)")).toEqual([["(?i)hugo \\(static\\)", true, 1]]);
    expect(await read("^hugo", true)).toEqual([["(?i)^hugo", true, 1]]);
    expect(await read("/ASTRO/i", true)).toEqual([["(?i)ASTRO", false, 2]]);
    expect(await read("[broken(")).toEqual([]);
    expect(await read("nothing such")).toEqual([]);
    expect(await read("ÄPFEL")).toEqual([["(?i)ÄPFEL", true, 1]]);
  });

  it("says what accents of the other form would find, also beside matches, in a pattern that any program can copy", async () => {
    const { vault: both } = vaultOf({ "a.md": "Käse\n", "b.md": "Ka\u0308se\n" });
    const wanted = { ...ROOM, query: "Käse", regex: false };
    const found = await otherReadings(both, wanted, { isFound: true });
    expect(found).toEqual([{ query: "Ka\\x{308}se", differs: "accents", matches: 1, fileCount: 1 }]);
    const decomposed = await otherReadings(both, { ...wanted, query: "Ka\u0308se" }, { isFound: true });
    expect(decomposed).toMatchObject([{ query: "Käse", differs: "accents", matches: 1 }]);
  });

  it("says what blanks that do not break would find", async () => {
    const { vault: french } = vaultOf({ "a.md": "10\u00a0km\n" });
    const found = await otherReadings(french, { ...ROOM, query: "10 km", regex: false }, { isFound: false });
    expect(found).toEqual([{ query: "10\\p{Zs}km", differs: "accents", matches: 1, fileCount: 1 }]);
  });

  it("says what Markdown signs, links and other quotes would find", async () => {
    const { vault: formatted } = vaultOf({ "a.md": "The **late** [[Report|report]] of “Anna’s” — it\n" });
    const signs = async (query: string) =>
      (await otherReadings(formatted, { ...ROOM, query, regex: false }, { isFound: false })).map((one) => one.differs);
    for (const query of ["the late report", `of "Anna's" - it`, "`late` report"])
      expect([query, ...(await signs(query))]).toEqual([query, "signs"]);
    expect(await signs("late of")).toEqual([]);
    expect(await signs("late")).toEqual(["case"]);
  });

  it("looks into templates and excluded notes alone on request", async () => {
    const { vault: all } = vaultOf({ "a.md": "x\n", "Templates/t.md": "secret x\n" });
    const found = async (hidden: boolean, path?: string) =>
      (await searchTexts(all, { ...ROOM, query: "x", regex: false, hidden, path })).files.map((file) => file.path);
    expect(await found(false)).toEqual(["a.md"]);
    expect(await found(true)).toEqual(["Templates/t.md"]);
    expect(await found(true, "Other")).toEqual([]);
    const left = async (path?: string) =>
      (await hiddenTexts(all, { ...ROOM, query: "x", regex: false, path }))?.matches;
    expect([await left(), await left("Templates"), await left("a.md")]).toEqual([1, undefined, undefined]);
  });
});
