import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { readFrontmatter, splitNote, type PropertyValue } from "./frontmatter.js";
import { expectLinear, expectNotSlower } from "../../../test/kit/processor-time.js";

/** What a note splits into: the block, the language of its fence, the body. */
function split(text: string): [block: string | undefined, language: string | undefined, body: string] {
  const { frontmatter, bodyStart } = splitNote(text);
  const block = frontmatter === undefined ? undefined : text.slice(frontmatter.start, frontmatter.end);
  return [block, frontmatter?.language, text.slice(bodyStart)];
}

function values(block: string): Record<string, PropertyValue> {
  const { properties, problem } = readFrontmatter(`---\n${block}---\n`);
  expect(problem).toBeUndefined();
  return Object.fromEntries(properties.map(({ key, value }) => [key, value]));
}

describe("splitNote", () => {
  it.each([
    ["---\na: 1\n---\nbody", ["a: 1\n", "", "body"]],
    ["\uFEFF---\na: 1\n---\nbody", ["a: 1\n", "", "body"]],
    ["---\r\na: 1\r\n---\r\nbody", ["a: 1\r\n", "", "body"]],
    ["--- \na: 1\n---\t \nbody", ["a: 1\n", "", "body"]],
    ["---\na: 1\n---", ["a: 1\n", "", ""]],
    ["---\na: 1\n--- ", ["a: 1\n", "", ""]],
    ["---\na: 1\n---\r", ["a: 1\n", "", ""]],
    ["---\n---\nbody", ["", "", "body"]],
    ["---\n# c\n\n---\nbody", ["# c\n\n", "", "body"]],
    ["---\na: |\n  ---\n----\n---x\n---\n", ["a: |\n  ---\n----\n---x\n", "", ""]],
    ["---js\n{}\n---\nbody", ["{}\n", "js", "body"]],
    ["--- JavaScript \n{}\n---\nbody", ["{}\n", "JavaScript", "body"]],
    ["---\na: 1\nbody", [undefined, undefined, "---\na: 1\nbody"]],
    ["---js\nbody", [undefined, undefined, "---js\nbody"]],
    ["----\na: 1\n---\n", [undefined, undefined, "----\na: 1\n---\n"]],
    ["--- two words\na: 1\n---\n", [undefined, undefined, "--- two words\na: 1\n---\n"]],
    ["---\n\nA rule, text, a rule\n\n---\nmore", [undefined, undefined, "---\n\nA rule, text, a rule\n\n---\nmore"]],
    ["---\n[[Home]] | [[Work]]\n---\n", [undefined, undefined, "---\n[[Home]] | [[Work]]\n---\n"]],
    [" ---\na: 1\n---\n", [undefined, undefined, " ---\na: 1\n---\n"]],
    ["\n---\na: 1\n---\n", [undefined, undefined, "\n---\na: 1\n---\n"]],
    ["\uFEFFbody", [undefined, undefined, "body"]],
    ["---", [undefined, undefined, "---"]],
    ["", [undefined, undefined, ""]],
  ])("%j", (text, parts) => {
    expect(split(text)).toEqual(parts);
  });

  it("takes linear time", async () => {
    for (const [start, piece, end] of [
      ["---", " ", "!"],
      ["---\n", "---x\n", ""],
      ["---\n", "--- \t", ""],
      ["---\n", " ", "\n---"],
    ])
      await expectLinear((count) => splitNote(`${start}${piece?.repeat(count)}${end}`), 1_000_000);
  });
});

describe("readFrontmatter", () => {
  it("keeps the text of every scalar", () => {
    const block =
      "a: 1.10\nb: 0123\nc: 1e3\nd: 12:30:00\ne: yes\nf: 0x1F\ng: ~\nh: null\ni:\nj: 2025-08-30\nk: 'x ''y'''\nl: \"\\u00e9\\n\"\nm: [1]\n";
    const { properties } = readFrontmatter(`---\n${block}---\n`);
    expect(properties.map(({ text }) => text)).toEqual([
      "1.10",
      "0123",
      "1e3",
      "12:30:00",
      "yes",
      "0x1F",
      "~",
      "null",
      "",
      "2025-08-30",
      "x 'y'",
      "é\n",
      undefined,
    ]);
    expect(properties.map(({ value }) => value)).toEqual([
      1.1,
      123,
      1000,
      "12:30:00",
      "yes",
      31,
      null,
      null,
      null,
      "2025-08-30",
      "x 'y'",
      "é\n",
      [1],
    ]);
    expect(properties.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it("never rolls a date over or makes one", () => {
    expect(values("a: 2025-02-31\nb: !!timestamp 2025-02-03\nc: &x 2025-02-30T10:00:00Z\n")).toEqual({
      a: "2025-02-31",
      b: "2025-02-03",
      c: "2025-02-30T10:00:00Z",
    });
  });

  it("reads what YAML alone can read", () => {
    expect(values("a: |\n  x\n  y\nb: >-\n  z\n  w\nc: &n {d: [1, ~]}\ne: *n\n? f\n: g\n")).toEqual({
      a: "x\ny\n",
      b: "z w",
      c: { d: [1, null] },
      e: { d: [1, null] },
      f: "g",
    });
    expect(values('{"a": 1,\n "b": ["c", true]}\n')).toEqual({ a: 1, b: ["c", true] });
    expect(values("a: !!js/function x\nb: !!python/object:y {c: 1}\nd: !e!f g\n")).toEqual({
      a: "x",
      b: { c: 1 },
      d: "g",
    });
  });

  it("takes a long divider for text", () => {
    const divider = "-".repeat(200);
    expect(values(`a: |\n  ${divider}\n  :::\nb: &x x\n`)).toEqual({
      a: `${divider}\n:::\n`,
      b: "x",
    });
  });

  it("takes no key for more than data", () => {
    const read = values(
      "__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: 1}}\n<<: {__proto__: {polluted: 2}}\nx: 1\n",
    );
    expect(Object.keys(read)).toEqual(["__proto__", "constructor", "<<", "x"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(read["constructor"])).toBeNull();
  });

  it.each(["js", "javascript", "JS", "JavaScript", "coffee", "json", "toml", "yaml"])(
    "runs and reads nothing of ---%s",
    (language) => {
      const canary = join(tmpdir(), `frontmatter-canary-${process.pid}`);
      rmSync(canary, { force: true });
      const { properties, problem } = readFrontmatter(
        `---${language}\n{a: require("fs").writeFileSync(${JSON.stringify(canary)}, "x")}\n---\nx`,
      );
      expect(existsSync(canary)).toBe(false);
      expect(properties).toEqual([]);
      expect(problem).toMatchObject({ line: 1, column: 4 });
    },
  );

  it.each([
    ["title: Foo: bar\nb: 1\n", { title: "Foo: bar", b: 1 }, 2, 8],
    ["a: x: y: z # c\nb: 1\nc: d: e\n", { a: "x: y: z", b: 1, c: "d: e" }, 2, 4],
    ["owner: @bob\nb: `c`\n", { owner: "@bob", b: "`c`" }, 2, 8],
    ["a:\n\t- b\nc: 1\n", { a: ["b"], c: 1 }, 3, 1],
    ["a: 1\nb: 2\na: 3\n", { a: 1, b: 2 }, 4, 1],
    ["a: {b: 1, b: 2}\n", { a: { b: 1 } }, 2, 11],
    ["x: {{title}}\n", { x: "{{title}}" }, 2, 4],
    ["x: {{title}} - y\nz: 1\n", { x: "{{title}} - y", z: 1 }, 2, 14],
    ["x: <% a: b %>\nz: 1\n", { x: "<% a: b %>", z: 1 }, 2, 4],
    ["x: [\n\ta,\n\tb\n]\nz: 1\n", { x: ["a", "b"], z: 1 }, 3, 1],
  ])("reads on past what Obsidian refuses: %j", (block, expected, line, column) => {
    expect(values(block)).toEqual(expected);
    expect(readFrontmatter(`---\n${block}---\n`).warning).toMatchObject({ line, column });
  });

  it.each([
    ["a: [\n", 2, 4],
    ["b: 1\na: [x\nc: 1\n", 3, 5],
    ['a: "x\nb: 1\n', 3, 4],
    ["a: [x] y\n", 2, 8],
    ["a: *b\n", 2, 4],
    ["a: &x [*x]\n", 2, 8],
    ["a: 1\n b: 2\n", 2, 4],
    ["just:text\n", 2, 1],
    ["- a: b\n", 2, 1],
    ["a: 1\n...\nb: 1\n", 4, 1],
    ["%YAML 1.1\na: 1\n", 2, 9],
    [`a: ${"x".repeat(65_536)}\n`, 2, 1],
    [`a: ${"é".repeat(32_767)}\n`, 2, 1],
    [`a: ${"[".repeat(10_000)}\n`, 2, 68],
    [`${"{a: ".repeat(10_000)}\n`, 2, 257],
    [`a: &x 1\n${" ".repeat(2_000)}\n`, 2, 8],
  ])("gives a problem and its place: %.40j", (block, line, column) => {
    const { properties, problem } = readFrontmatter(`\uFEFF---\r\n${block}---\r\n`);
    expect(properties).toEqual([]);
    expect([problem?.line, problem?.column, problem?.message]).toEqual([line, column, expect.any(String)]);
  });

  it("reads up to exactly 64 KiB", () => {
    expect(values(`a: ${"x".repeat(65_532)}\n`)["a"]).toHaveLength(65_532);
    expect(values(`a: ${"é".repeat(32_766)}\n`)["a"]).toHaveLength(32_766);
  });

  const repeated = (part: string, count: number): string => part.repeat(count);
  const ordinary = repeated("key: {a: 'b', c: [1, 2]}\n", 2_500);
  const bomb = Array.from(
    "bcdefghi",
    (name, index) => `${name}: &${name} [${repeated(`*${"abcdefgh"[index]},`, 9)}]\n`,
  ).join("");
  it.each([
    ["alias bomb", `a: &a [x,x,x,x,x,x,x,x,x]\n${bomb}`],
    ["many aliases", `a: &a x\nb: [${repeated("*a,", 20_000)}]\n`],
    ["many keys", `x: &a 1\n${Array.from({ length: 9_000 }, (_, index) => `k${index}:\n`).join("")}`],
    ["one key many times", `x: &a 1\n${repeated("k:\n", 20_000)}`],
    ["20,000 keys", Array.from({ length: 20_000 }, (_, index) => `k${index}: &a\n`).join("")],
    ["commas", `a: [${repeated(",", 60_000)}\n`],
    ["closing brackets", `a: ${repeated("]", 60_000)}\n`],
    ["dashes", `a: ${repeated("- ", 32_000)}\n`],
    ["question marks", repeated("? ", 32_000)],
    ["colons", `a: ${repeated("a: ", 21_000)}\n`],
    ["anchors", `a: ${repeated("&a ", 21_000)}\n`],
    ["escapes", `a: "${repeated("\\q", 32_000)}"\n`],
    ["empty lines", `a: &x 1\n${repeated("\n", 60_000)}`],
    ["deep indentation", `${Array.from({ length: 350 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")}\n`],
  ])("is quick with: %s", async (_name, block) => {
    // An ordinary block of the same size, 64 KiB.
    await expectNotSlower(8, [() => read(block), () => read(ordinary)], { quickMs: 400 });
  });
});

it.each([
  ["an open bracket", "a: [b, c\nd: e\n", "opened but not closed", 1],
  ["a line further in below a closed list", "a: [b, c]\n  d: e\n", "not indented", 2],
  ["a line further out below a closed list", "a:\n   b: [c]\n  d: e\n", "not indented", 3],
])("tells %s from other errors of indentation", (_, block, words, line) => {
  const { problem } = readFrontmatter(`---\n${block}---\n`);
  expect(problem).toMatchObject({ message: expect.stringContaining(words) as string, line: line + 1 });
});

it("takes a long text for several values, so that aliases cannot multiply it", () => {
  const read = (aliases: number) =>
    readFrontmatter(`---\na: &a ${"word ".repeat(2_000)}\nb: [${"*a,".repeat(aliases)}]\n---\n`);
  expect(read(60).problem).toBeUndefined();
  expect(read(70)).toMatchObject({ properties: [], problem: { message: expect.stringContaining("repeat too much") } });
});

/** Aliases are followed when the value is written. */
function read(block: string): string {
  return JSON.stringify(readFrontmatter(`---\n${block}\n---\n`).properties);
}
