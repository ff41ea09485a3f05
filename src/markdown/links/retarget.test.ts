import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitNote } from "../frontmatter/frontmatter.js";
import { retargetLinks } from "./retarget.js";
import { scanLinks } from "../visit-note.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

/** Gives every link to `from` the target `to`. */
function rewrite(text: string, from: string, to: string) {
  const spans = scanLinks(text, splitNote(text)).filter((span) => span.target === from);
  return retargetLinks(
    text,
    spans.map((span) => ({ span, target: to })),
  );
}

const bodies: readonly (readonly [name: string, from: string, to: string, before: string, after: string])[] = [
  ["a wikilink", "Old", "New", "see [[Old]].", "see [[New]]."],
  ["alias, heading and block stay", "Old", "b/New", "[[Old#H 1|Old]] [[Old#^b1]]", "[[b/New#H 1|Old]] [[b/New#^b1]]"],
  ["an embed with a size", "p.png", "q.png", "![[p.png|300x20]]", "![[q.png|300x20]]"],
  ["blanks around the target", "Old", "New", "[[ Old | x]]", "[[ New | x]]"],
  ["a pipe escaped in a table", "Old", "New", "| a |\n|---|\n| [[Old\\|x]] |\n", "| a |\n|---|\n| [[New\\|x]] |\n"],
  ["percent-encoded blanks", "a b/c d.md", "e f.md", "[x](a%20b/c%20d.md#h)", "[x](e%20f.md#h)"],
  ["angle brackets keep blanks", "a b.md", "e f.md", '[x](<a b.md> "t")', '[x](<e f.md> "t")'],
  ["angle brackets that encoded them", "a b.md", "e f.md", "[x](<a%20b.md>)", "[x](<e%20f.md>)"],
  ["letters encoded", "é.md", "ö ü.md", "[x](%C3%A9.md)", "[x](%C3%B6%20%C3%BC.md)"],
  ["letters not encoded", "é x.md", "ö ü.md", "[x](é%20x.md)", "[x](ö%20ü.md)"],
  ["parentheses in pairs", "a.md", "b (1).md", "[x](a.md)", "[x](b%20(1).md)"],
  ["a lone parenthesis", "a.md", "b(1.md", "[x](a.md)", "[x](b%281.md)"],
  ["encoded parentheses", "a(1).md", "b(2).md", "[x](a%281%29.md)", "[x](b%282%29.md)"],
  ["marks of Markdown links", "a.md", "50% #1.md", "[x](a.md)", "[x](50%25%20%231.md)"],
  ["something like a scheme", "a.md", "c:b.md", "[x](a.md)", "[x](c%3Ab.md)"],
  ["an image", "a.png", "b.png", "![alt|20](a.png)", "![alt|20](b.png)"],
  ["an image in a link", "a.png", "b.png", "[![x](a.png)](a.png)", "[![x](b.png)](b.png)"],
  ["a reference", "a.md", "b.md", "[x][r]\n\n[r]: a.md 'T'\n", "[x][r]\n\n[r]: b.md 'T'\n"],
  [
    "code is left alone",
    "Old",
    "New",
    "`[[Old]]` [[Old]]\n```\n[[Old]]\n```\n",
    "`[[Old]]` [[New]]\n```\n[[Old]]\n```\n",
  ],
  ["BOM and CRLF", "Old", "New", "\uFEFF[[Old]]\r\n\r\n[[Old]]\r\n", "\uFEFF[[New]]\r\n\r\n[[New]]\r\n"],
];

describe("the body", () => {
  test.each(bodies)("%s", (_, from, to, before, after) => {
    const outcome = rewrite(before, from, to);
    expect(outcome.text).toBe(after);
    expect(outcome.refused).toEqual([]);
    expect(outcome.made.length).toBeGreaterThan(0);
  });

  test("a name that a wikilink cannot hold is refused for wikilinks alone", () => {
    const { text, made, refused } = rewrite("[[a]] [x](a) [[a#h]]", "a", "b#c");
    expect(text).toBe("[[a]] [x](b%23c) [[a#h]]");
    expect(made).toHaveLength(1);
    expect(refused.map(({ span }) => span.start)).toEqual([0, 13]);
  });
});

const properties: readonly (readonly [name: string, to: string, before: string, after: string])[] = [
  ["double quotes", "It's", 'up: "[[Old]]"', `up: "[[It's]]"`],
  ["double quotes, escaped", 'a "b"', 'up: "[[Old]]"', String.raw`up: "[[a \"b\"]]"`],
  ["single quotes", "It's", "up: '[[Old|x]]'", "up: '[[It''s|x]]'"],
  ["a quoted colon", "a: b", "up: '[[Old]]' # note", "up: '[[a: b]]' # note"],
  ["a block list", "New, 1", "up:\n  - \"[[Old]]\"\n  - '[[Old#h]]'", "up:\n  - \"[[New, 1]]\"\n  - '[[New, 1#h]]'"],
  ["a flow list", "New", `up: [ "[[Old]]",  x, '[[Old]]' ]`, `up: [ "[[New]]",  x, '[[New]]' ]`],
  ["a plain scalar", "b/New", "up: see [[Old]] too", "up: see [[b/New]] too"],
  ["unquoted brackets", "b/New-1", "up: [[Old]]", "up: [[b/New-1]]"],
  ["a Markdown link", "a b.md", 'up: "[x](Old)"', 'up: "[x](a%20b.md)"'],
  ["a mapping", "New", 'up:\n  to: "[[Old]]"', 'up:\n  to: "[[New]]"'],
  ["a list of mappings", "New", 'sets:\n  - link: "[[Old]]"\n    n: 3', 'sets:\n  - link: "[[New]]"\n    n: 3'],
  ["a duplicate key", "New", 'up: "[[Old]]"\nup: 1', 'up: "[[New]]"\nup: 1'],
  ["a placeholder in another line", "New", 'created: {{date}}\nup: "[[Old]]"', 'created: {{date}}\nup: "[[New]]"'],
  ["another line that does not parse", "New", 'bad: [x\nup: "[[Old]]"', 'bad: [x\nup: "[[New]]"'],
  ["odd but readable YAML", "New", 'up:   "[[Old]]"   # c\n? x\n: y', 'up:   "[[New]]"   # c\n? x\n: y'],
];

describe("properties", () => {
  test.each(properties)("%s", (_, to, before, after) => {
    const outcome = rewrite(`---\n${before}\n---\n[[Old]]\n`, "Old", to);
    expect(outcome.text).toBe(`---\n${after}\n---\n[[${to}]]\n`);
    expect(outcome.refused).toEqual([]);
  });

  test.each([
    ["a comma in brackets", "a, b", "up: [[Old]]"],
    ["a colon in a plain scalar", "a: b", "up: see [[Old]]"],
    ["a literal block", "New", "up: |\n  [[Old]]"],
    ["a folded scalar", "New", 'up: "[[Old]] and\n  more"'],
    ["a key whose lines cannot be read", "New", 'up: "[[Old]]" x\nb: 1'],
  ])("%s is refused, and the body rewritten all the same", (_, to, before) => {
    const { text, made, refused } = rewrite(`---\n${before}\n---\n[x](Old)\n`, "Old", to);
    expect(text.startsWith(`---\n${before}\n---\n[x](`)).toBe(true);
    expect(text).not.toContain("](Old)");
    expect(made.every(({ span }) => span.property === undefined)).toBe(true);
    expect(made).toHaveLength(1);
    expect(refused.length).toBeGreaterThan(0);
  });

  test("a link in a line that cannot be read stays, with the reason", () => {
    const { text, refused } = rewrite('---\nok: "[[Old]]"\nup: "[[Old]]" x\n---\n', "Old", "New");
    expect(text).toBe('---\nok: "[[New]]"\nup: "[[Old]]" x\n---\n');
    expect(refused.map(({ reason }) => reason)).toEqual([expect.stringContaining("line 3, column")]);
  });

  test("a property that cannot be written does not hold back the others", () => {
    const { text, refused } = rewrite("---\na: [[Old]]\nb: '[[Old]]'\n---\n", "Old", "x, y");
    expect(text).toBe("---\na: [[Old]]\nb: '[[x, y]]'\n---\n");
    expect(refused).toHaveLength(1);
  });
});

const name = fc
  .stringMatching(/^[a-zé &'",.()%+=@!~-]{1,12}$/u)
  .filter((text) => text.trim() === text && !text.includes(".."));
const piece = fc.oneof(
  fc.constant("[[Old]]"),
  fc.constant("![[Old#h|x]]"),
  fc.constant("[t](Old)"),
  fc.constant("[t](<Old> 'x')"),
  fc.constant("`[[Old]]`"),
  fc.constant("| [[Old\\|x]] |"),
  fc.constant("```\n[[Old]]\n```"),
  fc.stringMatching(/^[\w [\]()`|%$<>!\\-]{0,12}$/),
);
const line = fc.oneof(
  fc.constant(`up: "[[Old]]"`),
  fc.constant("down: '[[Old|x]]'"),
  fc.constant("side: [[Old]]"),
  fc.constant(`all: ["[[Old]]", '[[Old]]']`),
  fc.constant("see: read [[Old]] first"),
  fc.constant("n: 1.10 # c"),
);
const note = fc
  .tuple(
    fc.uniqueArray(line, { maxLength: 6 }),
    fc.array(piece, { maxLength: 8 }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
  )
  .map(([lines, pieces, ending, bom]) => {
    const front = lines.length === 0 ? [] : ["---", ...lines, "---"];
    return (bom ? "\uFEFF" : "") + [...front, ...pieces].join("\n").replaceAll("\n", ending);
  });

test("whatever a note holds: only targets change, every link made reads back, and going back is the identity", () => {
  fc.assert(
    fc.property(note, name, (text, to) => {
      const forth = rewrite(text, "Old", to);
      const before = scanLinks(text, splitNote(text));
      const after = scanLinks(forth.text, splitNote(forth.text));
      expect(
        after.map(({ subpath, display, form, embed, property }) => ({ subpath, display, form, embed, property })),
      ).toEqual(
        before.map(({ subpath, display, form, embed, property }) => ({ subpath, display, form, embed, property })),
      );
      const made = new Set(forth.made.map(({ span }) => span.start));
      expect(after.map(({ target }) => target)).toEqual(
        before.map((span) => (made.has(span.start) ? to : span.target)),
      );
      const back = retargetLinks(
        forth.text,
        after.filter((_, index) => made.has(before[index]?.start ?? -1)).map((span) => ({ span, target: "Old" })),
      );
      expect(back.text).toBe(text);
    }),
    { numRuns: 120 * FUZZ_FACTOR },
  );
});
