import { describe, expect, it } from "vitest";
import { assertNothingDropped, type Named, NOTHING_NAMED, TEXT_NAMED } from "./nothing-dropped.js";

const note = (yaml: string, body = "one\n\ntwo\n"): string => `---\n${yaml}\n---\n${body}`;
const check = (before: string, after: string, named: Named = NOTHING_NAMED): void =>
  assertNothingDropped({ text: before }, { text: after }, named);
const OF_TAGS: Named = { item: (key, { isText }) => key === "tags" && isText, lines: 0 };

describe("a change that no request names", () => {
  it.each([
    ["an item", note("tags: [a, b]"), note("tags: [a]")],
    ["a list", note("tags: [a, b]\nx: 1"), note("x: 1")],
    ["a list for a text", note("tags: [a, b]"), note("tags: a")],
    ["a mapping for a text in a list", note("e:\n  - a: 1\n  - b"), note("e:\n  - c\n  - b")],
    ["a line", note("a: 1"), note("a: 1", "one\n")],
    ["the frontmatter's list with its block", note("tags: [a]"), "one\n\ntwo\n"],
  ])("may not drop %s", (_what, before, after) => {
    expect(() => check(before, after)).toThrow(/would drop/);
    expect(() => check(before, after, TEXT_NAMED)).not.toThrow();
  });

  it.each([
    ["rewrites items", note('up: ["[[A]]", { to: "[[A]]" }]'), note('up: ["[[B]]", { to: "[[B]]" }]')],
    ["rewrites a link without quotes", note("up: [[A]]"), note('up: "[[B]]"')],
    ["rewrites lines", note("a: 1"), note("a: 1", "two\none\nthree\n")],
    ["adds", note("tags: [a]"), note("tags: [a, b]\nx: 1", "zero\n\none\ntwo\n")],
    ["adds the first property", "one\ntwo\n", note("x: 1", "one\ntwo\n")],
    ["closes frontmatter", "---\na: 1\nb: 2\n", "---\na: 1\nb: 2\n---\n"],
    ["takes empty lines out", note("a: 1"), note("a: 1", "one\ntwo\n")],
    ["sets a text", note("a: 1"), note("a: 2")],
  ])("passes when it %s", (_what, before, after) => expect(() => check(before, after)).not.toThrow());
});

it("drops texts of the list that it names, and nothing else", () => {
  expect(() => check(note("tags: [a, b]"), note("tags: [a]"), OF_TAGS)).not.toThrow();
  expect(() => check(note("tags: [a, [b]]"), note("tags: [a]"), OF_TAGS)).toThrow("no text");
  expect(() => check(note("tags: [a]\nup: [b]"), note("tags: []\nup: []"), OF_TAGS)).toThrow("line 3");
  expect(() => check(note("a: 1"), note("a: 1", "one\n"))).toThrow("drop 1 line of text");
  expect(() => check(note("a: 1"), note("a: 1", "one\n"), { ...NOTHING_NAMED, lines: 1 })).not.toThrow();
});

it("compares lines alone where properties cannot be read", () => {
  expect(() => check(note("tags: [a\nb: 1"), note("tags: [a]"))).not.toThrow();
  expect(() => check(note("tags: [a\nb: 1"), note("tags: [a", ""))).toThrow("2 lines");
});
