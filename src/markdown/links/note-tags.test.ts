import { describe, expect, it } from "vitest";
import { readFrontmatter, splitNote } from "../frontmatter/frontmatter.js";
import { noteTags } from "./property-links.js";
import { visitNote } from "../visit-note.js";
import { expectLinear } from "../../../test/kit/processor-time.js";

function inlineTags(text: string, parts = splitNote(text)): string[] {
  const tags: string[] = [];
  visitNote(text, parts, { tag: (tag) => void tags.push(tag) });
  return tags;
}

describe("tags in text", () => {
  it.each([
    ["#tag and #two-words, #nested/tag_1.", ["tag", "two-words", "nested/tag_1"]],
    ["#1 #123 #2026-01 #y2026 #1/2 #1/a", ["2026-01", "y2026", "1/a"]],
    ["#Über #日本語 #🎯 #a🚀b #क्या", ["Über", "日本語", "🎯", "a🚀b", "क्या"]],
    ["# Heading\n## #tag in heading\n#tag2", ["tag", "tag2"]],
    ["a#b ##c #", []],
    ["(#a) [#b](x) #c/ #d//e", ["c", "d//e"]],
    ["```\n#a\n```\n\n    #code\n#c", ["c"]],
    ["%%#a%% <!-- #b --> $x #c$ \\#d [[Note#e]] [[#f]] https://x.org/#g #h", ["h"]],
    ['<mark style="background: #FFF3A3A6;"> #a <b x=y #b</b> a < b #c', ["a", "b", "c"]],
    ["#tl#tm #1#a x _#uc_ __#ud__ snake_case_#wc #a_b_ **#bold**", ["tl", "tm", "uc", "ud", "wc", "a_b_", "bold"]],
    ["|a|b|\n|-|-|\n|#uo|x|\n\na|#no", ["uo"]],
    ["<div>\nhello #no\n</div>\n#no\n\n<p>x #no</p>\n\n#yes", ["yes"]],
    ["<pre>\n#no\n\n#no\n</pre>\n#yes\n\n<script>a #no</script>\n#too", ["yes", "too"]],
    ["text\n<span>\n#yes\n\n<span>\n#no\n\n<b>x</b> #also\n> <div>\n> #no\n\n#last", ["yes", "also", "last"]],
    ["- #a\n> #b\n| #c |\n- a\n\t- [ ] #d", ["a", "b", "c", "d"]],
  ])("%j", (text, tags) => expect(inlineTags(text)).toEqual(tags));

  it("takes time in proportion to the text", async () => {
    for (const piece of [
      "#",
      "#1",
      "#1/",
      "# ",
      "#a",
      "#/",
      " #1",
      "_#a_",
      "<div>#a\n\n",
      "<a b\n",
      "|#a",
      '<a b="#',
      "<a b #",
    ]) {
      await expectLinear((count) => inlineTags(piece.repeat(count)), 100_000);
    }
  });
});

it("gives a note's tags once, those of its properties first", () => {
  const text = "---\nTags: [Work, a/b]\ntag: 'x, #y'\n---\n#work #new #NEW #a/b";
  const parts = splitNote(text);
  expect(noteTags(readFrontmatter(text, parts).properties, inlineTags(text))).toEqual(["Work", "a/b", "x", "y", "new"]);
});
