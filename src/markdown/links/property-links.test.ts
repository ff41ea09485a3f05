import { describe, expect, it } from "vitest";

import { readFrontmatter } from "../frontmatter/frontmatter.js";
import { bareLink, linkTexts, normaliseTag, readTags, tagsMeant, valueTexts } from "./property-links.js";

function property(source: string): { value: Parameters<typeof linkTexts>[0]; text: string | undefined } {
  const [first] = readFrontmatter(`---\n${source}\n---\n`).properties;
  if (first === undefined) throw new Error("nothing read");
  return first;
}

describe("bareLink", () => {
  it.each([
    ["[[Work]]", "Work"],
    ["[[Folder/Note#h|shown]]", "Note"],
    ["[[Note#^block]]", "Note"],
    ["![[Note.md]]", "Note"],
    ["[[Note\\|shown]]", "Note"],
    [" [[ A b ]] ", "A b"],
    ["[t](Path%20to/My%20Note.md#x)", "My Note"],
    ["[t](<A b.md>)", "A b"],
    ["[t](100%.md)", "100%"],
    ["Work", "Work"],
    ["A/B", "A/B"],
    ["[[a]] and [[b]]", "[[a]] and [[b]]"],
    ["[[]]", ""],
    ["", ""],
  ])("%j gives %j", (text, bare) => {
    expect(bareLink(text)).toBe(bare);
  });
});

describe("linkTexts", () => {
  it.each([
    ["up: [[Work]]", ["[[Work]]"]],
    ['up: "[[Work]]"', ["[[Work]]"]],
    ["up: [[A, b]]", ["[[A, b]]"]],
    ["up: [[2024]]", ["[[2024]]"]],
    ["up:\n  - [[A]]\n  - '[[B]]'\n  - c", ["[[A]]", "[[B]]", "c"]],
    ["up: ['[[A]]', b]", ["[[A]]", "b"]],
    ["up: 00123", ["00123"]],
    ["up:", []],
    ["up: null", []],
    ["up: ~", []],
    ['up: "null"', ["null"]],
    ["up: {a: b}", []],
    ["up: [{a: b}, ~, []]", []],
  ])("%s", (source, texts) => {
    const { value, text } = property(source);
    expect(linkTexts(value, text)).toEqual(texts);
  });
});

describe("normaliseTag", () => {
  it.each([
    ["#home", "home"],
    ["Deep Work", "Deep-Work"],
    [" #a b  c ", "a-b-c"],
    ["a/b", "a/b"],
    ["/a//b/", "a/b"],
    ["c++", "c"],
    ["日本", "日本"],
    ["🚀", "🚀"],
    ["e\u0301", "e\u0301"],
    ["2024", undefined],
    ["y2024", "y2024"],
    ["1/2", undefined],
    ["2024-01", "2024-01"],
    ["#", undefined],
    ["!?", undefined],
    ["a,b", "ab"],
  ])("%j gives %j", (text, tag) => {
    expect(normaliseTag(text)).toBe(tag);
  });
});

describe("readTags", () => {
  it.each([
    ["tags: a, b", ["a", "b"]],
    ["tags: a b", ["a", "b"]],
    ['tags: "#a, #B, #b"', ["a", "B"]],
    ["tags: [a, '#b', 2024]", ["a", "b", "2024"]],
    ["tags:\n  - a/b\n  - c d", ["a/b", "c", "d"]],
    ["tags: 1.10", ["1.10"]],
    ["tags:", []],
    ["tags: #a", []],
    ["tags: {a: b}", []],
  ])("%s", (source, tags) => {
    const { value, text } = property(source);
    expect(readTags(value, text)).toEqual(tags);
  });
});

describe("valueTexts", () => {
  it.each([
    ["a: {b: 1}", ['{"b":1}']],
    ["a: [x, 2, {b: 1}, [c, d], '', null]", ["x", "2", '{"b":1}', '["c","d"]']],
    ["a: [[Work]]", ["[[Work]]"]],
    ["a:\n  - [[Work]]\n  - b", ["[[Work]]", "b"]],
    ["a: 01.50", ["01.50"]],
  ])("of %j leaves nothing out", (source, texts) => {
    const { value, text } = property(source);
    expect(valueTexts(value, text)).toEqual(texts);
  });
});

describe("tagsMeant", () => {
  it.each([
    ["#my tag", ["my tag", "my-tag"]],
    ["a, #b", ["a", "a", "b", "b"]],
    ["#not done", ["not done", "not-done"]],
    ["nothing", ["nothing", "nothing"]],
  ])("of %j", (text, tags) => {
    expect(tagsMeant(text)).toEqual(tags);
  });

  it.each(["!home", "#!home", "not home", "urgent, !home", "urgent, not home", "#urgent #!home"])(
    "refuses to read %j as the tag that it excludes",
    (text) => {
      expect(() => tagsMeant(text)).toThrow("no filter excludes a tag");
    },
  );
});
