import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleVault } from "../open.js";
import { fixedClock, sequentialIds, type Clock } from "../clock.js";
import { fold } from "../text/fold.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import { isSmallWord, parseQuery } from "../search/words.js";
import { hasTerm } from "../search/score.js";
import { misspeltRemark, type MisspeltWord } from "../search/nothing-found.js";
import type { FoundNotes, NoteSearch } from "./find.js";
import type { Notes } from "./service.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const NOW = fixedClock("2025-08-30T12:00:00Z");

type Files = Readonly<Record<string, string | Uint8Array>>;

function vaultOf(files: Files, { clock = NOW, session = true }: { clock?: Clock; session?: boolean } = {}) {
  const storage = new MemoryStorage({ name: "Study", files, clock });
  const open = assembleVault({ storage, name: "Study", id: "v", clock, ids: sequentialIds(), session });
  return { ...open, storage };
}

/** Asks twice: by reading, and by what is remembered. */
async function find(finding: Notes, search: Partial<NoteSearch>): Promise<FoundNotes> {
  const first = await finding.find({ limit: 50, ...search });
  expect(await finding.find({ limit: 50, ...search })).toEqual(first);
  return first;
}

async function paths(files: Files, search: Partial<NoteSearch>): Promise<string[]> {
  const { total, notes } = await find(vaultOf(files).notes, search);
  expect(notes.length).toBe(total);
  return notes.map(({ path }) => path);
}

it.each([
  ["Recipies", "Did you mean 'Recipes'"],
  ["Recipes/Suop", "Did you mean 'Recipes/Soup'? If not, leave folder out"],
  ["Kitchen", "Did you mean 'Projects/Kitchen'? If not, leave folder out to see the whole vault."],
  ["Zebra", "Check the spelling, or leave folder out to see the whole vault."],
])("names the folders nearest to %s, which there is not", async (folder, hint) => {
  const files = { "Recipes/Soup/a.md": "", "Projects/Kitchen/b.md": "" };
  const error: unknown = await vaultOf(files)
    .notes.find({ limit: 1, folder })
    .catch((thrown: unknown) => thrown);
  expect(String(Reflect.get(error as object, "hint"))).toContain(hint);
});

it("names notes read in part where their words, tags or properties are asked for", async () => {
  const files = { "a/broken.md": "---\ntags: [home\n---\nzebra", "a/ok.md": "---\ntags: home\n---\n", "b/c.md": "" };
  const open = vaultOf(files);
  const said = async (search: Partial<NoteSearch>) => (await find(open.notes, search)).remarks.map(String).join(" ");
  const remark = "1 note cannot be read in full: a/broken.md.";
  expect(await said({ tags: ["home"] })).toBe(remark);
  expect(await said({ properties: { tags: "home" } })).toBe(remark);
  expect(await said({ query: "zebra", folder: "a" })).toBe(remark);
  expect(await said({ tags: ["home"], folder: "b" })).not.toContain(remark);
  expect(await said({})).toBe("");
});

it("names the notes of the folder that it could not read", async () => {
  const files = { "a/ok.md": "zebra", "a/latin.md": Buffer.from("Caf\xe9 zebra", "latin1"), "b/c.md": "zebra" };
  const { notes } = vaultOf(files);
  for (const query of ["zebra", ""]) {
    expect((await find(notes, { query })).unread.map(({ path }) => path)).toEqual(["a/latin.md"]);
    expect((await find(notes, { query, folder: "b" })).unread).toEqual([]);
  }
  expect((await find(notes, { query: "zebra", countOnly: true })).unread).toHaveLength(1);
});

it("finds a note by the last of 20,000 tags and of 5,000 items of a property", async () => {
  const tags = Array.from({ length: 20_000 }, (_, number) => `#tag${number}`).join(" ");
  const items = Array.from({ length: 5_000 }, (_, number) => `item${number}`).join(", ");
  const { notes } = vaultOf({ "many.md": `---\nthings: [${items}]\n---\n${tags}\n` });
  const wheres: readonly Partial<NoteSearch>[] = [{ tags: ["tag19999"] }, { properties: { things: "item4999" } }];
  for (const search of wheres) expect((await find(notes, search)).total).toBe(1);
});

describe("the order", () => {
  const files = {
    "body.md": "about milk in the text",
    "heading.md": "# On milk\n",
    "tag.md": "---\ntags: [milk]\n---\n",
    "alias.md": "---\naliases: [The milk]\n---\n",
    "titled.md": "---\ntitle: Buy milk\n---\n",
    "Milk.md": "",
    "property.md": "---\nshop: the milk market\n---\n",
    "none.md": "silk",
  };
  const order = ["Milk.md", "titled.md", "alias.md", "tag.md", "heading.md", "property.md", "body.md"];

  it("puts titles before aliases, tags, headings, properties and text", async () => {
    expect(await paths(files, { query: "milk" })).toEqual(order);
    expect(await paths(files, { query: "milk", sortOrder: "asc" })).toEqual(order.toReversed());
    expect(await paths(files, { query: "milk", sortBy: "path" })).toEqual(order.toSorted());
  });

  it("gives pages with the true total", async () => {
    const { notes: finding } = vaultOf(files);
    const first = await find(finding, { query: "milk", limit: 3 });
    expect([first.total, first.nextOffset, first.notes.length]).toEqual([7, 3, 3]);
    const last = await find(finding, { query: "milk", limit: 3, offset: 6 });
    expect([last.total, last.nextOffset, last.notes.map(({ path }) => path)]).toEqual([7, undefined, ["body.md"]]);
    expect(await find(finding, { query: "milk", offset: 70 })).toEqual({
      total: 7,
      notes: [],
      nextOffset: undefined,
      unread: [],
      remarks: [],
    });
    for (const query of ["milk", ""])
      expect((await find(finding, { query, limit: Infinity })).notes).toHaveLength(query === "" ? 8 : 7);
    expect(await find(finding, { query: "milk", countOnly: true })).toMatchObject({ total: 7, notes: [] });
  });

  it("browses by the last change", async () => {
    let now = NOW.now();
    const clock: Clock = { ...NOW, now: () => now };
    const { notes: finding, storage } = vaultOf({ "old.md": "" }, { clock });
    const day = 24 * 60 * 60 * 1000;
    for (const [name, days] of [
      ["b.md", 1],
      ["a.md", 1],
      ["c.md", 9],
    ] as const) {
      now = NOW.now() + days * day;
      await storage.write(vaultPath(name), Buffer.from(""), { kind: "any" });
    }
    now = NOW.now() + 10 * day;
    const by = async (search: Partial<NoteSearch>) => (await find(finding, search)).notes.map(({ path }) => path);
    expect(await by({})).toEqual(["c.md", "a.md", "b.md", "old.md"]);
    expect(await by({ query: "  ", sortBy: "relevance" })).toEqual(["c.md", "a.md", "b.md", "old.md"]);
    expect(await by({ sortOrder: "asc" })).toEqual(["old.md", "a.md", "b.md", "c.md"]);
    expect(await by({ sortBy: "path", sortOrder: "desc" })).toEqual(["old.md", "c.md", "b.md", "a.md"]);
    expect(await by({ sinceDays: 9 })).toEqual(["c.md", "a.md", "b.md"]);
    expect(await by({ modifiedAfter: "2025-08-31", modifiedBefore: "2025-09-01" })).toEqual(["a.md", "b.md"]);
    expect(await by({ modifiedBefore: "2025-08-31T23:00:00Z" })).toEqual(["old.md"]);
    await expect(by({ modifiedAfter: "2025-02-31" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(by({ modifiedAfter: "blursday" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it.each(["America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Apia"])(
    "begins days where they begin in %s",
    async (zone) => {
      const storage = new MemoryStorage({
        name: "Study",
        files: { "a.md": "" },
        clock: fixedClock("2025-08-30T11:30:00Z"),
      });
      const clock = fixedClock("2025-08-31T00:00:00Z", zone);
      const { notes: finding } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
      const day = clock.dayOf(Date.parse("2025-08-30T11:30:00Z"));
      expect((await find(finding, { modifiedAfter: day })).total).toBe(1);
      expect((await find(finding, { modifiedBefore: day })).total).toBe(0);
    },
  );
});

describe("what is found", () => {
  it.each([
    ["words of several places", "alpha beta", { "alpha.md": "beta" }, 1],
    ["not where one word is missing", "alpha gamma", { "alpha.md": "beta" }, 0],
    ["accents in the text", "cafe", { "a.md": "Le Café noir" }, 1],
    ["accents in the query", "café", { "a.md": "CAFE" }, 1],
    ["decomposed letters", "über", { "a.md": "u\u0308ber" }, 1],
    ["sharp s", "strasse", { "a.md": "Die Straße" }, 1],
    ["the beginning of a word", "meet", { "a.md": "two meetings" }, 1],
    ["not the middle of a word", "eting", { "a.md": "two meetings" }, 0],
    ["not a misspelt word of the text", "meetnig", { "a.md": "a meeting" }, 0],
    ["another form of a word of the text", "leaking", { "a.md": "the roof leaks" }, 1],
    ["the singular of a word of the text", "battery", { "a.md": "two batteries" }, 1],
    ["the verb of a noun", "planned", { "a.md": "the Plan" }, 1],
    ["no form that is another word", "leaving", { "a.md": "the roof leaks" }, 0],
    ["a misspelt word of a heading", "meetnig", { "a.md": "# The meeting" }, 1],
    ["a misspelt word of a title", "meetnig", { "Meeting.md": "" }, 1],
    ["Chinese inside the text", "会议", { "a.md": "下周会议记录" }, 1],
    ["a single Chinese character", "会", { "a.md": "下周会议记录" }, 1],
    ["Japanese with particles", "会議の資料", { "a.md": "会議と資料" }, 1],
    ["Korean inside a compound", "회의", { "a.md": "주간회의록" }, 1],
    ["one letter", "x", { "a.md": "letter x" }, 1],
    [
      "a value of a property, not its name",
      "zoë",
      { "a.md": "---\nattendees: [Zoe]\n---\n", "b.md": "---\nzoe: x\n---\n" },
      1,
    ],
    ["an inline tag", "urgent", { "a.md": "do #urgent/now" }, 1],
    ["not in another note's words", "urgent", { "a.md": "do" }, 0],
    ["what no query can mean", "\u0301\u0302", { "a.md": "e\u0301" }, 0],
    ["punctuation alone", "->", { "a.md": "A -> B" }, 1],
    ["not a template", "milk", { "Templates/a.md": "milk" }, 0],
    ["not what is no text", "milk", { "a.md": Uint8Array.of(0xff, 0x6d) }, 0],
    ["not files that are no notes", "milk", { "a.txt": "milk" }, 0],
  ] as const)("%s", async (_, query, files, total) => {
    const known: Files = files;
    expect((await find(vaultOf(known).notes, { query })).total).toBe(total);
    expect((await find(vaultOf(known, { session: false }).notes, { query })).total).toBe(total);
  });

  it("sees what was written a moment ago", async () => {
    const { notes: finding, vault } = vaultOf({ "a.md": "milk" });
    expect((await find(finding, { query: "honey" })).total).toBe(0);
    await vault.writing.edit(vaultPath("a.md"), () => "honey", "test");
    expect((await find(finding, { query: "honey" })).total).toBe(1);
    await vault.writing.delete(vaultPath("a.md"), "test");
    expect((await find(finding, { query: "honey" })).total).toBe(0);
  });
});

it("finds words of a Chinese query without blanks, wherever they are in a note", async () => {
  const files = { "a.md": "插件的安装:如何做", "b.md": "如何安装别的", "c.md": "如何安装插件" };
  expect((await paths(files, { query: "如何安装插件" })).toSorted()).toEqual(["a.md", "c.md"]);
  expect((await paths(files, { query: "如何 安装 插件" })).toSorted()).toEqual(["a.md", "c.md"]);
});

it("shows as an excerpt the line that matched, never the title again", async () => {
  const text = `# Honey cake\n\n${"filling\n".repeat(50)}Take the honey first.\n`;
  const finding = vaultOf({ "Honey cake.md": text, "Other honey.md": "# Other honey\n\nnothing" }).notes;
  const { notes } = await find(finding, { query: "honey", includeContent: false });
  expect(Object.fromEntries(notes.map(({ path, snippet }) => [path, snippet]))).toEqual({
    "Honey cake.md": "Take the honey first.",
    "Other honey.md": undefined,
  });
});

it("shows text rather than a heading with as many words", async () => {
  const files = { "2026-10-07 Anna.md": "# Anna 2026-10-07\n\nAgreed: blue tiles.\n\n## Anna agreed\n" };
  const { notes } = await find(vaultOf(files).notes, { query: "agreed anna tiles", includeContent: false });
  expect(notes[0]?.snippet).toBe("Agreed: blue tiles.");
  const [one] = (await find(vaultOf(files).notes, { query: "agreed 2026", includeContent: false })).notes;
  expect(one?.snippet).toBe("Agreed: blue tiles.");
});

it("matches a property through the alias of the note that it links", async () => {
  const files = {
    "People/Anastasia.md": "---\naliases: [Ana]\n---\n",
    "a.md": "---\nowner: '[[Anastasia]]'\n---\n",
    "b.md": "---\nowner: '[[Anna]]'\n---\n",
    "c.md": "---\nowner: ana\n---\n",
  };
  expect((await paths(files, { properties: { owner: "Ana" } })).toSorted()).toEqual(["a.md", "c.md"]);
});

describe("the filters", () => {
  const files = {
    "Work/a.md": "---\nstatus: Draft\nowner: '[[People/Ana]]'\ntags: [project/alpha]\ncount: 010\n---\n![[pic.png]]",
    "Work/Deep/b.md": "---\nstatus: [draft, Überarbeitet]\nTags: work\n---\nsee [pdf](<a b.pdf>) and #Extra",
    "Workshop/c.md": "---\nempty:\n---\n[[Work/a]] and `#code` [[v1.2]]",
    "d.md": "plain https://example.org/x.png",
  };
  it.each([
    [{ folder: "Work" }, ["Work/Deep/b.md", "Work/a.md"]],
    [{ folder: "/Work/Deep/" }, ["Work/Deep/b.md"]],
    [{ folder: "/" }, ["Work/Deep/b.md", "Work/a.md", "Workshop/c.md", "d.md"]],
    [{ tags: ["project"] }, ["Work/a.md"]],
    [{ tags: ["#PROJECT/alpha", "nothing"] }, ["Work/a.md"]],
    [{ tags: ["extra, work"] }, ["Work/Deep/b.md"]],
    [{ tags: ["code"] }, []],
    [{ tags: ["proj"] }, []],
    [{ properties: { status: "draft" } }, ["Work/Deep/b.md", "Work/a.md"]],
    [{ properties: { STATUS: "uberarbeitet" } }, ["Work/Deep/b.md"]],
    [{ properties: { owner: "Ana" } }, ["Work/a.md"]],
    [{ properties: { owner: "[[People/Ana]]", status: "Draft" } }, ["Work/a.md"]],
    [{ properties: { owner: "Ana", status: "Done" } }, []],
    [{ properties: { count: "010" } }, ["Work/a.md"]],
    [{ properties: { count: "10" } }, []],
    [{ properties: { empty: "*" } }, ["Workshop/c.md"]],
    [{ properties: { empty: "" } }, ["Workshop/c.md"]],
    [{ properties: { tags: "work" } }, ["Work/Deep/b.md"]],
    [{ properties: { __proto__x: "1" } }, []],
    [{ hasAttachments: true }, ["Work/Deep/b.md", "Work/a.md"]],
    [{ hasAttachments: false }, ["Workshop/c.md", "d.md"]],
    [{ query: "draft", hasAttachments: true, folder: "Work/Deep" }, ["Work/Deep/b.md"]],
    [{ tags: ["none", "project"], folder: "Workshop" }, ["Workshop/c.md"]],
    [{ tags: ["none", "work"], hasAttachments: false }, ["Workshop/c.md", "d.md"]],
  ] satisfies [Partial<NoteSearch>, string[]][])("%j", async (search, expected) => {
    expect((await paths(files, { ...search, sortBy: "path" })).toSorted()).toEqual(expected);
  });

  it("refuses an empty list of tags", async () => {
    await expect(paths(files, { tags: [] })).rejects.toMatchObject({ message: "The filter tags is empty." });
  });

  it.each([
    ["Wrok", "FILE_NOT_FOUND"],
    ["d.md", "INVALID_ARGUMENT"],
    ["../x", "PERMISSION_DENIED"],
    [".obsidian", "PERMISSION_DENIED"],
  ])("refuses the folder %s", async (folder, code) => {
    await expect(paths(files, { folder })).rejects.toMatchObject({ code });
  });
});

describe("what is shown", () => {
  const long = `# Long\n${"🎯".repeat(2_000)}\nmilk`;

  it("gives texts of three notes or fewer, unless told otherwise", async () => {
    const four = { "a.md": "milk 1", "b.md": "milk 2", "c.md": "milk 3", "d.md": "milk 4" };
    const { notes: finding } = vaultOf(four);
    const contents = async (search: Partial<NoteSearch>) =>
      (await find(finding, { query: "milk", sortBy: "path", ...search })).notes.map(({ content }) => content);
    expect(await contents({})).toEqual([undefined, undefined, undefined, undefined]);
    expect(await contents({ limit: 3 })).toEqual(["milk 1", "milk 2", "milk 3"]);
    expect(await contents({ includeContent: true })).toEqual(["milk 1", "milk 2", "milk 3", "milk 4"]);
    expect(await contents({ limit: 1, includeContent: false })).toEqual([undefined]);
    expect(await contents({ query: "" })).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("cuts a text at a whole character and says how to read it all", async () => {
    const { notes: finding } = vaultOf({ "Über uns/a b.md": long });
    const { notes } = await find(finding, { query: "long" });
    const [note] = notes;
    expect(note?.truncated).toBe(true);
    expect(note?.content?.startsWith(long.slice(0, 2_999))).toBe(true);
    expect(note?.content).not.toMatch(/\p{Surrogate}/u);
    expect(note?.content).toContain("resources/read mcp-obsidian://v/%C3%9Cber%20uns/a%20b.md");
    expect(note?.content?.length).toBeLessThan(3_200);
  });

  it("bounds all texts together", async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.md`, "milk ".repeat(1_000)]));
    const { notes } = await find(vaultOf(many).notes, { includeContent: true });
    const contents = notes.map(({ content = "" }) => content);
    expect(contents.filter((content) => content.length > 2_900)).toHaveLength(3);
    expect(contents.every((content) => content.includes("resources/read"))).toBe(true);
    expect(contents.join("").length).toBeLessThan(20_000);
    expect(notes.at(-1)).toMatchObject({ truncated: true });
  });

  it("shows where the words stand", async () => {
    const text = `---\nmilk: no\n---\n# Title\n${"x ".repeat(300)}\nSome Café and ${"y ".repeat(200)}\nneeds Milk from the café now ${"z ".repeat(200)}`;
    const { notes: finding } = vaultOf({ "a.md": text });
    const { notes } = await find(finding, { query: "milk cafe", includeContent: false });
    expect(notes[0]?.snippet).toMatch(/^needs Milk from the café now z.*…$/u);
    expect(notes[0]?.snippet?.length).toBeLessThan(250);
  });

  it("names title, tags, aliases and uri", async () => {
    const { notes: finding } = vaultOf({
      "x/N o.md": "---\ntitle: The\n  note\naliases: N\ntags: a, B\n---\n#b #c #2025",
    });
    const { notes } = await find(finding, {});
    expect(notes[0]).toMatchObject({
      uri: "mcp-obsidian://v/x/N%20o.md",
      title: "The note",
      aliases: ["N"],
      score: undefined,
    });
    expect(notes[0]?.tags).toEqual(["a", "B", "c"]);
  });
});

const word = fc.oneof(
  fc.constantFrom(
    "milk",
    "Milk",
    "milkshake",
    "café",
    "cafe\u0301",
    "CAFE",
    "会议",
    "会",
    "日本語",
    "a",
    "ab",
    "Straße",
    "STRASSE",
  ),
  fc.string({ unit: fc.constantFrom("a", "b", "é", "会", "ß", "+"), maxLength: 6 }),
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "\n", ", ", "")), { maxLength: 10 })
  .map((parts) => parts.flat().join(""));

describe("what is remembered of bodies", () => {
  it("finds what a plain look into every body finds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(), text), { maxLength: 2 }),
        fc.array(
          fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(" ")),
          { minLength: 1, maxLength: 3 },
        ),
        async (texts, changes, queries) => {
          const now = new Map(texts.map((body, index) => [`${index}q.md`, `%%\n%%\n${body}`]));
          const { notes: finding, storage } = vaultOf(Object.fromEntries(now));
          const check = async (): Promise<void> => {
            for (const query of queries.filter((candidate) => candidate.trim() !== "")) {
              const { notes, remarks } = await find(finding, { query, sortBy: "path", includeContent: false });
              const isRead = remarks.join().includes("; it was read as");
              expect(isRead ? [] : notes.map(({ path }) => path)).toEqual(answersIn(now, query));
            }
          };
          await check();
          for (const [number, body] of changes) {
            const path = `${number % texts.length}q.md`;
            now.set(path, body);
            await storage.write(vaultPath(path), Buffer.from(body), { kind: "any" });
            await check();
          }
        },
      ),
      { numRuns: 40 * FUZZ_FACTOR },
    );
  });
});

/**
 * The rule in its plainest form, for notes without tags, headings and properties: each word in the body or the name;
 * where no note has them, each word that is not small.
 */
function answersIn(notes: ReadonlyMap<string, string>, query: string): string[] {
  const { terms } = parseQuery(query);
  for (const some of [terms, terms.filter((term) => !isSmallWord(term))]) {
    const found = [...notes].filter(([path, note]) => {
      const texts = [note.slice(splitNote(note).bodyStart), path.slice(0, -3)].map(fold);
      return some.length > 0 && some.every((term) => texts.some((text) => hasTerm(text, term)));
    });
    if (found.length > 0) return found.map(([path]) => path);
  }
  return [];
}

describe("misspelt words", () => {
  const files = {
    "x/Report.md": "",
    "y/Other.md": "# Quarterly reports\n",
    "y/Body.md": "the quarterly report, by a zebra",
    "z/Reprot.md": "",
  };
  const ask = async (search: Partial<NoteSearch>) => {
    const { notes, remarks } = await find(vaultOf(files).notes, search);
    const misspelt = remarks.map(String).filter((remark) => remark.includes("it was read as"));
    return { paths: notes.map(({ path }) => path).toSorted(), misspelt };
  };

  it.each<[string, Partial<NoteSearch>, string[], readonly MisspeltWord[]]>([
    ["are found as they are written first", { query: "reprot" }, ["z/Reprot.md"], []],
    [
      "are read as the nearest, everywhere",
      { query: "reporrt" },
      ["x/Report.md", "y/Body.md", "y/Other.md"],
      [{ word: "reporrt", readAs: ["report"] }],
    ],
    [
      "are those that no note of the filter has",
      { query: "reprot", folder: "y" },
      ["y/Body.md", "y/Other.md"],
      [{ word: "reprot", readAs: ["report"] }],
    ],
    [
      "stand beside others",
      { query: "quatrely report" },
      ["y/Body.md", "y/Other.md"],
      [{ word: "quatrely", readAs: ["quarterly"] }],
    ],
    ["of a body are none", { query: "zebar" }, [], []],
    [
      "are those whose other forms are nowhere",
      { query: "zebras" },
      ["y/Body.md"],
      [{ word: "zebras", readAs: ["zebra"] }],
    ],
    ["may find nothing", { query: "reporrt zebar" }, [], []],
  ])("%s", async (_, search, expected, misspelt) => {
    const remarks = misspelt.map((one) => misspeltRemark("note", one));
    expect(await ask(search)).toEqual({ paths: expected, misspelt: remarks });
  });

  it("are not read as words of notes that are gone", async () => {
    const { notes, vault } = vaultOf({ "Meeting.md": "" });
    expect((await find(notes, { query: "meetnig" })).total).toBe(1);
    await vault.writing.delete(vaultPath("Meeting.md"), "test");
    expect(await find(notes, { query: "meetnig" })).toMatchObject({
      total: 0,
      remarks: ['No note has "meetnig".'],
    });
  });
});

describe("a search looking back", () => {
  // Today is a Saturday.
  const files = { "2025-08-27.md": "wednesday", "2025-08-29.md": "friday", "2025-09-03.md": "next wednesday" };
  it.each<[Partial<NoteSearch>, string[], string[]]>([
    [
      { dateFrom: "friday" },
      ["2025-08-29.md", "2025-09-03.md"],
      ['Read date_from "friday" as Fri 2025-08-29 (1 day ago).'],
    ],
    [
      { dateFrom: "wednesday", dateTo: "friday" },
      ["2025-08-27.md", "2025-08-29.md"],
      [
        'Read date_from "wednesday" as Wed 2025-08-27 (3 days ago).',
        'Read date_to "friday" as Fri 2025-08-29 (1 day ago).',
      ],
    ],
    [
      { dateFrom: "friday", dateTo: "wednesday" },
      ["2025-08-29.md", "2025-09-03.md"],
      [
        'Read date_from "friday" as Fri 2025-08-29 (1 day ago).',
        'Read date_to "wednesday" as Wed 2025-09-03 (in 4 days).',
      ],
    ],
    [{ dateTo: "aug 28" }, ["2025-08-27.md"], ['Read date_to "aug 28" as Thu 2025-08-28 (2 days ago).']],
    [{ dateTo: "28. August" }, ["2025-08-27.md"], ['Read date_to "28. August" as Thu 2025-08-28 (2 days ago).']],
    [
      { dateFrom: "this week", dateTo: "this week" },
      ["2025-08-27.md", "2025-08-29.md"],
      [
        'Read date_from "this week" as Mon 2025-08-25 (5 days ago).',
        'Read date_to "this week" as Sun 2025-08-31 (in 1 day).',
      ],
    ],
  ])("%j", async (search, expected, remarks) => {
    const found = await find(vaultOf(files).notes, { ...search, sortBy: "path" });
    expect(found.notes.map(({ path }) => path)).toEqual(expected);
    expect(found.remarks).toEqual(remarks);
  });

  it("reads the day of the last change in the same way", async () => {
    const changed = { "a.md": "changed today" };
    expect(await paths(changed, { modifiedAfter: "saturday" })).toEqual(["a.md"]);
    expect(await paths(changed, { modifiedBefore: "saturday" })).toEqual([]);
    const { attachments } = await vaultOf({ "a.png": "x" }).notes.findAttachments({ modifiedAfter: "friday" });
    expect(attachments).toHaveLength(1);
  });

  it("says the right way round of a range", async () => {
    await expect(paths(files, { dateFrom: "2025-08-29", dateTo: "2025-08-27" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: "Write date_from 2025-08-27 and date_to 2025-08-29.",
    });
  });
});

it("finds notes without a tag, or with any", async () => {
  const files = { "a.md": "#x", "b.md": "---\ntags: [y/z]\n---\n", "c.md": "text" };
  expect(await paths(files, { tags: ["none"] })).toEqual(["c.md"]);
  expect(await paths(files, { tags: ["any"] })).toEqual(["a.md", "b.md"]);
  expect(await paths(files, { tags: ["None", "x"] })).toEqual(["a.md", "c.md"]);
});

it("shows what is no text in a list as JSON, and counts a map as a value", async () => {
  const { notes } = vaultOf({ "a.md": "---\nlist: [[a], {b: c}, d, 3]\nmap: {k: v}\n---\n" });
  const found = await find(notes, { properties: { map: "any" }, show: ["list", "map"] });
  expect(found.notes.map(({ properties }) => properties)).toEqual([
    { list: '["a"], {"b":"c"}, d, 3', map: '{"k":"v"}' },
  ]);
});

describe("values of properties", () => {
  const files = {
    "a.md": "---\nrating: 5\nstatus: read\nuntil: 2025-09-10\n---\n",
    "b.md": "---\nrating: 3\nstatus: unread\nuntil: 2025-08-20\n---\n",
    "c.md": "---\nrating:\nstatus: not started\nlanguage: fr\n---\n",
    "d.md": "plain",
  };
  it.each<[Record<string, string>, string[], string[]]>([
    [{ rating: "≥4" }, ["a.md"], []],
    [{ rating: "4+" }, ["a.md"], []],
    [{ rating: "=5" }, ["a.md"], []],
    [{ status: "=read" }, ["a.md"], []],
    [{ status: "!read" }, ["b.md", "c.md"], ['Notes without status are not counted; ["!read", "none"] counts them.']],
    [{ status: '["!read", "none"]' }, ["b.md", "c.md", "d.md"], []],
    [{ status: "not started" }, ["c.md"], []],
    [{ rating: "none" }, ["c.md", "d.md"], []],
    [{ rating: "any" }, ["a.md", "b.md"], []],
    [{ until: "next 30 days" }, ["a.md"], ['Read until "next 30 days" as 2025-08-30..2025-09-29.']],
    [{ until: "last week" }, ["b.md"], ['Read until "last week" as 2025-08-18..2025-08-24.']],
    [{ until: "overdue" }, ["b.md"], ['Read until "overdue" as days before 2025-08-30.']],
    [{ until: "> today" }, ["a.md"], ['Read until "today" as Sat 2025-08-30 (today).']],
    [{ until: "2025-09-10" }, ["a.md"], []],
    [{ status: "raed" }, [], ['No note has status "raed". The nearest: "read".']],
    [{ language: '["de", "fr"]' }, ["c.md"], ['No note has language "de".']],
    [{ ratng: "5" }, [], ['No note has the property "ratng". The nearest: "rating".']],
  ])("%j", async (properties, expected, remarks) => {
    const found = await find(vaultOf(files).notes, { properties, sortBy: "path" });
    expect(found.notes.map(({ path }) => path)).toEqual(expected);
    expect(found.remarks).toEqual(remarks);
  });

  it.each([
    [{ status: ">high" }, 'status ">high" compares with neither a number nor a day.'],
    [{ rating: "5..2" }, 'rating "5..2" ends before it begins: no value is in it.'],
    [{ until: "2025-09-10..2025-09-01" }, 'until "2025-09-10..2025-09-01" ends before it begins: no day is in it.'],
  ])("%j is refused", async (properties, message) => {
    await expect(paths(files, { properties })).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
  });
});

it("refuses a month without a year where the values are days, and reads it as text where they are not", async () => {
  const files = { "Ann.md": "---\nborn: 1980-12-03\nmonth: May\n---\n" };
  await expect(paths(files, { properties: { born: "december" } })).rejects.toThrow("does not say which year");
  expect(await paths(files, { properties: { born: "december 1980" } })).toEqual(["Ann.md"]);
  expect(await paths(files, { properties: { month: "may" } })).toEqual(["Ann.md"]);
});

it("names the canvas that alone has a tag", async () => {
  const text = "See #plan/a, `#code`.";
  const canvas = JSON.stringify({ nodes: [{ id: "1", type: "text", text }] });
  const { notes } = vaultOf({ "Map.canvas": canvas, "A.md": "#other" });
  const remarks = async (tag: string) => (await find(notes, { tags: [tag] })).remarks.join(" ");
  expect(await remarks("#plan")).toContain("#plan is in Map.canvas: canvases, templates");
  expect(await remarks("code")).not.toContain("canvas");
});

describe("a search that finds nothing", () => {
  const files = {
    "Trips/Roof.md": "the roof of the hut needs a repair #house",
    "Trips/Hut.md": "a hut by the lake",
    "Home/Lake.md": "the lake in winter #winter #meeting/team",
  };
  const withOthers = { ...files, "Templates/Hut.md": "a hut", "Pictures/hut.png": "" };
  it.each<[Partial<NoteSearch>, string[]]>([
    [{ query: "roof", folder: "Home" }, ['Without folder "Home": 1 note. Without the query: 1 note.']],
    [{ tags: ["hose"] }, ['No note has the tag "hose". The nearest: "house".']],
    [{ tags: ["meetng"] }, ['No note has the tag "meetng". The nearest: "meeting".']],
    [
      { query: "hut zebras winter" },
      [
        'No note has "zebras".',
        'Only some of the words: \'Home/Lake.md\' (lacks "hut", "zebras"); \'Trips/Hut.md\' (lacks "zebras", "winter"); \'Trips/Roof.md\' (lacks "zebras", "winter").',
      ],
    ],
    [
      { query: "lake zebras", folder: "Home" },
      [
        'No note of the filters has "zebras".',
        "Only some of the words: 'Home/Lake.md' (lacks \"zebras\").",
        "Without the query: 1 note.",
      ],
    ],
    [{ query: "zebras" }, ['No note has "zebras".']],
    [
      { folder: "Templates" },
      ["Not searched: 1 note below 'Templates' (templates, or excluded in Obsidian's settings)."],
    ],
    [{ folder: "Pictures" }, ["No note is below 'Pictures'."]],
    [{ linksTo: "Trips/Hut.md" }, ['Without links_to "Trips/Hut.md": 3 notes.']],
    [
      { query: '"hut roof" lake zebras', tags: ["winter"] },
      [
        'Searched as plain words: ""hut roof"". A query has no operators, and every word must match. For exact text: search with query "hut roof".',
        'No note of the filters has "hut", "roof", "zebras".',
        'Only some of the words: \'Home/Lake.md\' (lacks "hut", "roof", "zebras").',
        "Without the query: 1 note.",
      ],
    ],
    [
      { query: "by", tags: ["house"], folder: "Home" },
      ['Alone: folder "Home" 1 note, tags ["house"] 1 note, the query 1 note.'],
    ],
  ])("%j says why", async (search, remarks) => {
    const found = await find(vaultOf(withOthers).notes, search);
    expect(found).toMatchObject({ total: 0, notes: [] });
    expect(
      found.remarks.map((one) =>
        String(one).replace(/: '.*/, (list) => `: ${list.slice(2).split("; ").toSorted().join("; ")}`),
      ),
    ).toEqual(remarks);
  });

  it("leaves small words of a sentence out", async () => {
    const found = await find(vaultOf(files).notes, { query: "what did I write about the repair of my roof?" });
    expect(found.notes.map(({ path }) => path)).toEqual(["Trips/Roof.md"]);
    expect(found.remarks).toEqual([
      'No note has all words of "what did I write about the repair of my roof?": it was read as "repair roof".',
    ]);
  });

  it("says why among attachments", async () => {
    const { notes } = vaultOf({ "Trips/roof.png": "x", "Home/plan.pdf": "x" });
    expect(await notes.findAttachments({ query: "roof", folder: "Home" })).toMatchObject({
      total: 0,
      remarks: ['Without folder "Home": 1 attachment. Without "roof": 1 attachment.'],
    });
  });

  it("takes * as everything", async () => {
    expect(await paths(files, { query: "*", sortBy: "path" })).toEqual(Object.keys(files).toSorted());
    const { attachments } = await vaultOf({ "a.png": "x" }).notes.findAttachments({ query: "*" });
    expect(attachments).toHaveLength(1);
  });
});

describe("links as a filter", () => {
  const files = {
    "Hub.md": "[[Plan]] and ![[roof.png]]",
    "Plan.md": "[[Hub]], [[Plan]]",
    "Loose.md": "[[Plan|the plan]]",
    "roof.png": "picture",
    "unused.png": "picture",
  };

  it("finds the notes that nothing links to, and the others", async () => {
    expect(await paths(files, { orphan: true, sortBy: "path" })).toEqual(["Loose.md"]);
    expect(await paths(files, { orphan: false, sortBy: "path" })).toEqual(["Hub.md", "Plan.md"]);
  });

  it("finds the notes without any link", async () => {
    expect(await paths({ ...files, "Alone.md": "words", "Lost.md": "[[Nowhere]]" }, { linksTo: "none" })).toEqual([
      "Alone.md",
    ]);
  });

  it("finds the notes that link to a file, by name or path, and a note that links to itself", async () => {
    expect(await paths(files, { linksTo: "plan", sortBy: "path" })).toEqual(["Hub.md", "Loose.md", "Plan.md"]);
    expect(await paths(files, { linksTo: "roof.png" })).toEqual(["Hub.md"]);
    expect(await paths(files, { linksTo: "[[Plan]]", orphan: true })).toEqual(["Loose.md"]);
    expect(
      await paths(
        { ...files, "Anna Berg.md": "---\naliases: [Ania]\n---\n", "Note.md": "[[Anna Berg]]" },
        { linksTo: "Ania" },
      ),
    ).toEqual(["Note.md"]);
    await expect(paths(files, { linksTo: "Nowhere" })).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("says that a part of the file is not looked at", async () => {
    for (const linksTo of ["[[Plan#Costs]]", "[[Plan#^b1]]"]) {
      const { notes, remarks } = await find(vaultOf(files).notes, { linksTo });
      expect(notes.map(({ path }) => path)).toHaveLength(3);
      expect(remarks.map(String)).toEqual([`Read links_to "${linksTo}" as 'Plan.md', the whole file.`]);
    }
    await expect(paths(files, { linksTo: "Plan#Costs" })).rejects.toMatchObject({
      hint: "Name the file alone, without # and what follows.",
      candidates: [{ id: "Plan.md" }],
    });
  });

  it("names canvases and templates that link to the note", async () => {
    const canvas = JSON.stringify({ nodes: [{ id: "1", type: "file", file: "Lone.md" }] });
    const others = { "Lone.md": "", "Map.canvas": canvas, "Templates/T.md": "[[Lone]]", "Hub.md": "[[Lone]]" };
    const { notes, remarks } = await find(vaultOf(others).notes, { linksTo: "Lone" });
    expect(notes.map(({ path }) => path)).toEqual(["Hub.md"]);
    expect(remarks.join()).toMatch(/^Also linked from (Map\.canvas, Templates\/T\.md|Templates\/T\.md, Map\.canvas): /);
    expect((await find(vaultOf(files).notes, { linksTo: "Plan" })).remarks).toEqual([]);
  });

  it("finds attachments that no note links to, and refuses to look for links in them", async () => {
    const { notes } = vaultOf(files);
    const { attachments } = await notes.findAttachments({ orphan: true });
    expect(attachments.map(({ path }) => path)).toEqual(["unused.png"]);
    await expect(notes.findAttachments({ linksTo: "Plan" })).rejects.toThrow("links_to is for notes");
  });
});

describe("names that no note has", () => {
  const files = {
    "a.md": "---\nstatus: draft\nrating: 4\ntags: [meeting]\n---\nwords",
    "b.md": "---\nstatus: done\nrating:\n---\n",
  };
  const remarks = async (search: Partial<NoteSearch>) => (await find(vaultOf(files).notes, search)).remarks.map(String);

  it("are named where others of a list match, and of what is to be shown", async () => {
    expect(await remarks({ properties: { status: '["draft", "dnoe"]' } })).toEqual([
      'No note has status "dnoe". The nearest: "done".',
    ]);
    expect(await remarks({ properties: { status: '["draft", "done", "none", ">3"]' } })).toEqual([]);
    expect(await remarks({ show: ["ratng", "status", "tags", " Rating"] })).toEqual([
      'No note has the property "ratng". The nearest: "rating".',
    ]);
  });

  it("are named where they are negated", async () => {
    expect(await remarks({ properties: { status: "!dnoe" } })).toEqual([
      'No note has status "dnoe". The nearest: "done".',
      'Notes without status are not counted; ["!dnoe", "none"] counts them.',
    ]);
    expect((await remarks({ properties: { status: "!done" } })).join()).not.toContain("No note has");
  });

  it("are named as inline fields where they are that", async () => {
    const inline = { "Log/c.md": "- Ratng:: 4\n", "d.md": "Slept [ratng:: 5] well\n", "e.md": "ratng::x, ratng: 5" };
    const { notes } = vaultOf({ ...files, ...inline });
    for (const search of [{ properties: { ratng: "5" } }, { show: ["ratng"], limit: 1 }])
      expect((await find(notes, search)).remarks.map(String)).toEqual([
        `No note has the property "ratng": it is an inline field, which filters do not read, in 'Log/c.md', 'd.md'.`,
      ]);
  });

  it.each([
    ["status:draft", 'Properties are a filter: properties {"status":"draft"}.'],
    ["words tag:meeting", 'Tags are a filter: tags ["meeting"].'],
    ["folder:Work", 'Folders are a filter: folder "Work".'],
  ])("%s, which finds nothing, is answered with the filter", async (query, remark) => {
    expect(await remarks({ query })).toContain(remark);
  });

  it("leaves words with a colon alone that name no filter", async () => {
    expect((await remarks({ query: "Re:zero" })).join(" ")).not.toContain("filter:");
  });
});
