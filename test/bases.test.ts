/** Bases beyond the table: every documented name, limits, warnings, and properties over random programs. */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import moment from "moment";
import { beforeAll, describe, expect, it } from "vitest";
import { fixedClock } from "../src/clock.js";
import type { VaultPath } from "../src/storage/path.js";
import { RefusedView } from "../src/views/answer.js";
import { readBase } from "../src/views/bases/base.js";
import { BaseFiles } from "../src/views/bases/files.js";
import { runBase } from "../src/views/bases/run.js";
import { Zone } from "../src/views/bases/values.js";
import { basesVault, type TimedFile } from "./kit/bases-vault.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";

interface Table {
  readonly now: string;
  readonly files: Readonly<Record<string, TimedFile>>;
  readonly cases: readonly { readonly base: string }[];
}

const table = JSON.parse(readFileSync(new URL("corpus/tables/bases.json", import.meta.url), "utf8")) as Table;

const DOCUMENTED: Readonly<Record<string, string>> = {
  global: "escapeHTML date duration file html if image icon link list max min now number today random",
  any: "isTruthy isType toString",
  date: "date format time relative isEmpty year month day hour minute second millisecond",
  string:
    "contains containsAll containsAny endsWith isEmpty lower replace repeat reverse slice split startsWith title trim length",
  number: "abs ceil floor isEmpty round toFixed",
  list: "contains containsAll containsAny filter flat isEmpty join map reduce reverse slice sort unique length",
  link: "asFile linksTo",
  file: "asLink hasLink hasProperty hasTag inFolder name basename path folder ext size properties tags links embeds backlinks ctime mtime file",
  object: "isEmpty keys values",
  regexp: "matches",
  summaries: "Average Min Max Sum Range Median Stddev Earliest Latest Checked Unchecked Empty Filled Unique",
};

/** Formulas over Books/Dune.md. */
const VALUES: readonly (readonly [formula: string, value: unknown])[] = [
  ["read.month", 10],
  ['date("2026-11-24 12:30:15").minute', 30],
  ['date("2026-11-24 12:30:15.250").millisecond', 250],
  ["file.basename", "Dune"],
  ["file.ctime.year", 2026],
  ["file.embeds.length", 0],
  ["file.file == file", true],
  ["file.links", ["Books", "Frank Herbert", "Emma"]],
  ["[1, 2, 3].reverse().join()", "refused"],
  ["[[1], [2, [3]]].flat().length", 3],
  ['"a-b_c".split(/[-_]/)', ["a", "b", "c"]],
  ['"a:b:c".replace(/:/g, "$$")', "a$b$c"],
  // As in JavaScript.
  ['"a,b;c".split(/(,)|;/)', ["a", ",", "b", "", "c"]],
  ['"abc".replace(/(?<middle>b)/, "[$<middle>$<other>]")', "a[b]c"],
  ['"abc".replace(/(b)/, "[$<middle>$2$0$12]")', "a[$<middle>$2$0b2]c"],
  [`"abc".replace(/b/, "[$\`|$&|$']")`, "a[a|b|c]c"],
  ['file.hasTag("none", missing, "book")', true],
  ['[file.hasTag(missing), status.containsAny(missing), status.containsAll("done", missing)]', [false, false, false]],
  ['status.containsAny(missing, "one")', true],
  ['"abc".replace("", "-")', "-a-b-c-"],
  ['"a,b".split(",", -1)', ["a", "b"]],
  ['"".split(/x*/)', []],
  ['"a\\nb".replace(/[^]/g, "-")', "---"],
  ["/a/g.toString() + /b/", "/a/g/b/"],
  ["/a/ == /b/", false],
  ["[/a/, /b/, /a/].unique().length", 2],
  ['"x".repeat(-1)', ""],
  ["(1.005 * 100).round()", 100],
  ["(-2.5).round()", -2],
  ["missing + 1", null],
  ['missing + "x"', "x"],
  ["missing < 1", false],
  ["missing != null", false],
  ['missing.contains("x")', false],
  ['if(missing.isEmpty(), "none")', "none"],
  ['number(true) + number("2")', 3],
  ["due - due", null],
  ['(date("2026-11-24") - read) / 86400000', 54 + 1 / 24],
  ['date("2026-03-28") + "1d"', "2026-03-29T00:00:00"],
  ['date("2026-03-28 12:00") + "24h"', "2026-03-29T13:00:00"],
  ['date("2026-03-28 12:00") + "1 day"', "2026-03-29T12:00:00"],
  ['date("2024-02-29") - "1y"', "2023-02-28T00:00:00"],
  ['read == "2026-10-01"', true],
  ['read < "2026-10-02"', true],
  ['author == "[[Frank Herbert]]"', true],
  ["GENRE.length", 2],
  ['note["genre"][1]', "epic"],
  ['{"a": {"b": 1}}.a.b', 1],
  ['{"__proto__": 1}.constructor', null],
  ["file.properties.constructor", null],
  ["[1, 2, 3].map(value * index).filter(value > 1).reduce(acc + value, 0)", 8],
  ["[[1, 2], [3]].map(value.map(value + 1).length)", [2, 1]],
  ['link("Emma", "other")', "other"],
  ['link("https://obsidian.md").asFile()', null],
  ['(now() - "90m").time()', "08:30:00"],
  ['duration("2h") * 2 < duration("1d")', true],
  ['/\\s/.matches("a\\u00a0b")', true],
  ["owned && price", 10.5],
  ['missing || "else"', "else"],
  // The examples of Obsidian's help that the table lacks.
  ["1.isTruthy()", true],
  ["123.toString()", "123"],
  ['"a:b:c:d".replace(/:/, "-")', "a-b:c:d"],
  ['"a,b,c,d".split(/,/, 3)', ["a", "b", "c"]],
  ['now().date().format("YYYY-MM-DD HH:mm:ss")', "2026-11-24 00:00:00"],
  ["[3, 1, 2].reduce(if(acc == null || value > acc, value, acc), null)", 3],
  ["[10, 9, 1].sort()", [1, 9, 10]],
  ['"hello".slice(-3, -1) + "ab".repeat(2)', "llabab"],
  ["[1, 2, 3, 4].slice(-2)", [3, 4]],
  ['now() + (duration("1d") * 2)', "2026-11-26T10:00:00"],
  ['date("2024-12-01") + "1M" + "4h" + "3m"', "2025-01-01T04:03:00"],
  ['(now() + "1d") - now()', 86_400_000],
  ["file.mtime > now() - '7d'", true],
  ["link(file.ctime.date().toString())", "2026-01-05"],
  ['link("filename", icon("plus"))', "plus"],
  ["file.links.map(value.asFile()).filter(value).length", 2],
  ["file.links.filter(value.linksTo(file)).length", 1],
  ["author.asFile().file.backlinks.length", 1],
  ['[author].contains(link("Frank Herbert"))', true],
  ["categories.map(value.asFile())", [null]],
  ['genre.map(index + ": " + value)', ["0: scifi", "1: epic"]],
  ['tags.contains("scifi")', false],
  ['file.hasTag("SCIFI")', true],
  ['"abc".contains("B")', false],
  ["- -3 + 10 % 4 * 2", 7],
  ["1 - 2 - 3", -4],
  ["!missing && !!owned", true],
  ["{} == {}", true],
  ["genre[-1]", null],
  ["null.toString()", ""],
  ['if(missing.length > 0, "some", "none")', "none"],
  ['"10" - 1', null],
  ['"3" + 4', "34"],
  ['today().format("YYYY-[W]WW")', "2026-W48"],
  // Obsidian's forum, topic 106113: in a list, a text names a link's target; toString() writes the link.
  ['[categories.contains("Books"), list(author).containsAny("Herbert", "Frank Herbert")]', [true, true]],
  ['[link("Books", "shown")].contains("shown")', false],
  ['[author.toString(), link("Emma", "other").toString()]', ["[[Frank Herbert]]", "[[Emma|other]]"]],
  ['[categories.join(""), categories.toString()]', ["[[Books]]", "[[Books]]"]],
  ['"by " + author', "by [[Frank Herbert]]"],
  ["link('https://obsidian.md').toString()", "https://obsidian.md"],
  // A difference of dates is a number with the fields of a duration.
  ['[(date("2026-11-26") - today()).days, (now() - today()).hours.round()]', [2, 10]],
  ["(now() - today()).minutes / 60 == (now() - today()) / 3600000", true],
  ['[duration("36h").days, duration("1w").hours, duration("1m").milliseconds]', [1.5, 168, 60_000]],
  ["[(missing - today()).days, (rating - price).days]", [null, null]],
  ['[duration("5h") * 2, duration("90s")].map(value.toString())', ["10 hours", "1 minute 30 seconds"]],
  ["(5).toFixed(-1)", null],
  // Without the flag u JavaScript sees two characters in an emoji.
  ['[/^a.b$/.matches("a😀b"), /^a..b$/.matches("a😀b"), /^a.b$/u.matches("a😀b")]', [false, true, true]],
  ['["a😀b".replace(/[😀]/g, "x"), "a😀b".replace(/(a)/, "$1😀")]', ["axxb", "a😀😀b"]],
  ['"a😀b".split(/😀/)', ["a", "b"]],
];

const FORMULAS_REFUSED: readonly (readonly [formula: string, reason: RegExp])[] = [
  ['/(a)\\1/.matches("aa")', /refers back to a group/],
  ['/a(?=b)/.matches("ab")', /looks around/],
  ['/a/y.matches("a")', /flags "y" are not known/],
  ["a.b.__proto__()", /no function __proto__/],
  ["[1].toString.constructor", /list has no toString/],
  ['price.isType("integer")', /no type integer/],
  ["price.toFixed(1, 2)", /takes 0 to 1 arguments, not 2/],
  ['eval("1")', /no function eval/],
  ["(5 - 1).days", /a number has no days/],
  ["price => 1", /JavaScript is not run here/],
  ["price === 1", /write ==/],
  ["not owned", /write ! for not/],
  ["x".repeat(4_001), /more than 4000/],
  ["(".repeat(70) + "1" + ")".repeat(70), /nested more than 64/],
  ['"a".repeat(2000000)', /more than 1 MiB/],
  ['"ab,".repeat(100000).split(",").length', /more than 20,000 elements/],
  ['"x".repeat(100000).replace(/x+/, "$&".repeat(100000)).length', /more than 1 MiB of text/],
  ['"x".repeat(1000).replace(/()x/g, "$1".repeat(1000)).length', /more than 200,000 steps/],
  [
    '"a,".repeat(500).split(",").map("a,".repeat(500).split(",").map(1).length).length',
    /more than (?:20,000 elements|200,000 steps)/,
  ],
];

const yaml = (text: string): string => `'${text.replaceAll("'", "''")}'`;

describe("bases", () => {
  let vault: Awaited<ReturnType<typeof basesVault>>;
  beforeAll(async () => {
    vault = await basesVault(table.files, table.now);
  });

  const run = async (text: string, { usesSql = true, context = "Books/Dune.md", offset = 0, limit = 200 } = {}) => {
    const view = readBase({ text, firstLine: 1 }, undefined);
    return vault.open.vault.index.ask({ rows: ["views", "links"] }, async (index) => {
      const files = new BaseFiles(index, new Zone(fixedClock(table.now, "Europe/Berlin"), (ms) => moment(ms)));
      const file = files.at(context as VaultPath);
      if (!file) throw new Error(`no ${context}`);
      return runBase(view, files, { context: file, usesSql, offset, limit });
    });
  };
  const pathsOf = async (text: string, options = {}) =>
    (await run(text, options)).groups.flatMap(({ rows }) => rows.map(({ path }) => path as string));
  const formula = (text: string) =>
    `filters: file.path == "Books/Dune.md"\nformulas:\n  f: ${yaml(text)}\nviews:\n  - type: table\n    name: T\n    order: [formula.f]\n`;
  const refusal = async (text: string) =>
    run(text).then(
      () => [],
      (error: unknown) => {
        if (error instanceof RefusedView) return error.faults;
        throw error;
      },
    );

  it("has a case for every documented function, field and summary", () => {
    const all = [
      ...table.cases.map(({ base }) => base),
      ...VALUES.map(([text]) => text),
      ...SUMMARIES.map(([name]) => name),
    ].join("\n");
    const missing = Object.entries(DOCUMENTED).flatMap(([type, names]) =>
      names.split(" ").flatMap((name) => (new RegExp(`\\b${name}\\b`).test(all) ? [] : [`${type} ${name}`])),
    );
    expect(missing).toEqual([]);
  });

  it.each(VALUES.filter(([, value]) => value !== "refused"))("%s is %j", async (text, value) => {
    expect((await run(formula(text))).groups[0]?.rows[0]?.cells).toEqual([value]);
  });

  it.each(FORMULAS_REFUSED)("refuses %.60s", async (text, reason) => {
    expect((await refusal(formula(text))).map((fault) => fault.reason)).toEqual([expect.stringMatching(reason)]);
  });

  const SUMMARIES: readonly (readonly [name: string, property: string, value: unknown])[] = [
    ["Min", "year", -750],
    ["Earliest", "read", "2026-10-01"],
    ["Unchecked", "owned", 1],
    ["Unique", "rating", 2],
    ["Range", "read", 31 * 86_400_000 + 3_600_000],
  ];

  it.each(SUMMARIES)("summarises by %s of %s", async (name, property, value) => {
    const text = `filters: file.inFolder("Books")\nviews:\n  - type: table\n    name: T\n    summaries:\n      ${property}: ${name}\n`;
    expect((await run(text)).summaries).toEqual({ [property]: value });
  });

  it("names all faults of a view up to five, with their lines and the nearest names", async () => {
    const faults = await refusal(
      'filters:\n  and:\n    - file.hastag("x")\n    - file.nam == 1\nformulas:\n  a: formula.b\n  b: formula.a\nviews:\n  - type: table\n    name: T\n    order: [formula.a, formula.c]\n    sort:\n      - property: file.mtim\n',
    );
    expect(faults).toMatchObject([
      { place: "filters.and[0], line 3", nearest: "hasTag" },
      { place: "filters.and[1], line 4", nearest: "name" },
      { place: "formulas.b, line 7", reason: expect.stringContaining("uses itself") },
      { place: "views[0].order, line 11", clause: "formula.c" },
      { place: "views[0].sort[0], line 13", nearest: "mtime" },
    ]);
  });

  it("checks only what the view uses", async () => {
    const base =
      'formulas:\n  broken: file.hastag("x")\nviews:\n  - type: table\n    name: A\n  - type: table\n    name: B\n    filters: nonsense(\n';
    expect(await pathsOf(base)).toHaveLength(9);
    expect(await pathsOf("filters:\nviews:\n")).toHaveLength(9);
  });

  it("warns of values of another type, with their number and the first files", async () => {
    const { warnings } = await run(
      "formulas:\n  f: status.round()\nviews:\n  - type: table\n    name: T\n    order: [formula.f]\n",
    );
    expect(warnings).toEqual([
      "round() of a text is empty (6 files: Archive/Notes/Old plan.md, Books/Dune.md, Books/Emma.md, …)",
    ]);
  });

  it.each([
    ['author == "Frank Herbert"', 'link("Frank Herbert")'],
    ['file.backlinks.contains("Frank Herbert")', 'file("Frank Herbert")'],
    ['file.backlinks.contains("Frank Herbert.md")', 'file("Frank Herbert.md")'],
  ])("says that a text is no link or file: %s", async (filter, advice) => {
    expect(await run(`filters: ${yaml(filter)}`)).toMatchObject({
      count: 0,
      warnings: [expect.stringContaining(`write ${advice} (1 file: Books/Dune.md)`)],
    });
  });

  it("says where a name with .md would give other rows", async () => {
    const { warnings, count } = await run('filters: file.name == "Dune.md" || file.name == "Emma"\n');
    expect([count, warnings]).toEqual([1, ["file.name of a note has no .md here; with it, 2 rows would differ."]]);
  });

  it("never shows a view of a plugin without saying what is not applied", async () => {
    const { warnings } = await run("views:\n  - type: tasknotesKanban\n    name: T\n    swimLane: x\n");
    expect(warnings).toEqual(["The options of the view type tasknotesKanban itself are not applied."]);
  });

  it("leaves out and names a column that a plugin's view computes, which no table has", async () => {
    const view = (type: string) => `views:\n  - type: ${type}\n    name: T\n    order: [file.name, file.tasks]\n`;
    const { count, warnings } = await run(view("tasknotesTaskList"));
    expect([count > 0, warnings[1]]).toEqual([true, "Left out, as Bases has no such column: file.tasks."]);
    await expect(run(view("table"))).rejects.toThrow("a file has no tasks");
  });

  it("groups a view of TaskNotes by the property that it calls a task's", async () => {
    const view = (property: string) =>
      `views:\n  - type: tasknotesKanban\n    name: T\n    groupBy: {property: ${property}, direction: ASC}\n`;
    const labelsOf = async (property: string) => (await run(view(property))).groups.map(({ labels }) => labels);
    expect(await labelsOf("task.status")).toEqual(await labelsOf("status"));
    expect((await labelsOf("status")).length).toBeGreaterThan(1);
  });

  it("reads the properties of this note by this.note, too", async () => {
    const filter = (name: string) => `filters: ${yaml(`list(${name}.author).contains(link("Frank Herbert"))`)}\n`;
    expect(await pathsOf(filter("this.note"))).toEqual(await pathsOf(filter("this")));
    expect((await pathsOf(filter("this.note"))).length).toBeGreaterThan(1);
  });

  it("reads a link as the text of its target where a function of texts is called", async () => {
    const filter = `list(author).map(file(value.replace(/^x/, "")).asLink()).contains(link("Frank Herbert"))`;
    expect(await run(`filters: ${yaml(filter)}\n`)).toMatchObject({ count: 1, warnings: [] });
    expect(await run(`filters: ${yaml('link("Frank Herbert").lower() == "frank herbert"')}\n`)).toMatchObject({
      warnings: [],
    });
  });

  const NAMES = [
    "status",
    "rating",
    "price",
    "owned",
    "genre",
    "due",
    "read",
    "author",
    "missing",
    "meta",
    "note.year",
  ];
  const LITERALS = [
    '"done"',
    '"open"',
    "4",
    "-750",
    "true",
    "null",
    '"epic"',
    'link("Emma")',
    "today()",
    '""',
    '"2026-11-20"',
    "[]",
  ];
  const statement = fc.oneof(
    fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom("==", "!=", "<", "<=", ">", ">="), fc.constantFrom(...LITERALS))
      .map((parts) => parts.join(" ")),
    fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.constantFrom("contains", "containsAny", "startsWith"),
        fc.constantFrom(...LITERALS),
      )
      .map(([name, call, literal]) => `${name}.${call}(${literal})`),
    fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom("isEmpty()", "isTruthy()", "length > 1"))
      .map((parts) => parts.join(".")),
    fc.constantFrom(
      'file.hasTag("book")',
      'file.hasTag("work", "scifi")',
      'file.inFolder("Notes")',
      'file.folder == "/"',
      'file.ext == "md"',
      "file.hasLink(this)",
      'file.hasLink("Emma")',
      "file.links.contains(this.file)",
      'file.path == "map.png"',
      'file.mtime > now() - "1 week"',
      "date(due) < today()",
      "due - today() > 0",
      'author.asFile().name == "Frank Herbert"',
    ),
  );
  const filter: fc.Arbitrary<string> = fc.letrec<{ one: string }>((tie) => ({
    one: fc.oneof(
      { depthSize: "small" },
      statement,
      fc.tuple(tie("one"), fc.constantFrom("&&", "||"), tie("one")).map(([a, sign, b]) => `(${a}) ${sign} (${b})`),
      tie("one").map((one) => `!(${one})`),
    ),
  })).one;
  const list = (kind: string, filters: readonly string[]) =>
    `filters:\n  ${kind}:\n${filters.map((one) => `    - ${yaml(one)}\n`).join("")}`;
  const RUNS = { numRuns: 150 * FUZZ_FACTOR };

  it("finds the same rows with and without what SQL says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("and", "or", "not"),
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        async (kind, filters) => {
          const text = list(kind, filters);
          expect(await pathsOf(text)).toEqual(await pathsOf(text, { usesSql: false }));
        },
      ),
      RUNS,
    );
  });

  it("loses no row when a filter is removed, and shares none with the filter's opposite", async () => {
    await fc.assert(
      fc.asyncProperty(filter, filter, async (a, b) => {
        const [both, one, opposite] = [
          await pathsOf(list("and", [a, b])),
          await pathsOf(list("and", [a])),
          await pathsOf(list("not", [a])),
        ];
        expect(one).toEqual(expect.arrayContaining(both));
        expect([...one, ...opposite].toSorted()).toEqual((await pathsOf("{}")).toSorted());
      }),
      RUNS,
    );
  });

  it("joins pages to the whole", async () => {
    await fc.assert(
      fc.asyncProperty(filter, fc.constantFrom(...NAMES), fc.integer({ min: 1, max: 4 }), async (one, name, limit) => {
        const text = `${list("or", [one, "rating"])}views:\n  - type: table\n    name: T\n    groupBy:\n      property: ${name}\n`;
        const whole = await pathsOf(text);
        const pages: string[] = [];
        for (let offset = 0; offset < whole.length; offset += limit)
          pages.push(...(await pathsOf(text, { offset, limit })));
        expect(pages).toEqual(whole);
      }),
      { numRuns: 60 * FUZZ_FACTOR },
    );
  });

  it("ends random programs within the limits", async () => {
    const signs = `.map( .filter( .reduce( value acc index ( ) [ ] , + * && .repeat(99999) .split("") .join("x") .constructor __proto__ this file .links if( { } /a/`;
    const pieces = [...NAMES, ...LITERALS, ...signs.split(" ")];
    const piece = fc.constantFrom(...pieces);
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (program) => {
        const start = process.cpuUsage();
        await refusal(formula(program.join("")));
        expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
      }),
      { numRuns: 400 * FUZZ_FACTOR },
    );
  });
});
