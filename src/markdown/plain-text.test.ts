/** What is left of Markdown once its markup is taken away. */
import { describe, expect, it } from "vitest";
import { splitNote } from "./frontmatter/frontmatter.js";
import { linksAsText, plainBlocks, plainLine } from "./plain-text.js";
import { expectLinear } from "../../test/kit/processor-time.js";

describe("a line", () => {
  it.each([
    ["**bold**, *italic*, ***both***, ~~gone~~ and ==marked==", "bold, italic, both, gone and marked"],
    ["snake_case_name and _stressed_ and __strong__", "snake_case_name and stressed and strong"],
    ["2 * 3 * 4 == 24", "2 * 3 * 4 == 24"],
    ["[[Note]], [[Folder/Note|shown]], [[#Heading]]", "Note, shown, Heading"],
    ["[text](https://example.org/a_(b)) and <https://example.org>", "text and https://example.org"],
    ["before ![[image.png|300]] after ![alt](a.png)", "before after"],
    ["a %%comment%% b <!-- comment --> c", "a b c"],
    ["run `npm *install*` now", "run npm *install* now"],
    ["noted[^1] and ==so== #tag/sub ^block-1", "noted and so tag/sub"],
    ["a <b>bold</b> word<br>", "a bold word"],
    ["1 < 2 &amp; 3 > 2", "1 < 2 & 3 > 2"],
    [String.raw`\*not\* \#a`, "*not* #a"],
    ["***", ""],
  ])("%s", (markdown, plain) => expect(plainLine(markdown)).toBe(plain));

  it.each(["%%", "<!--", "![[", "[[", "[a](", "<a", "`", "**", "__", "[^", "==", "((", "](("])(
    "is read in linear time: %s",
    async (mark) => {
      for (const piece of [mark, `${mark} a`]) await expectLinear((count) => plainLine(piece.repeat(count)), 100_000);
    },
  );
});

describe("blocks", () => {
  it.each([" ", "\t", "#", "# ", "> ", "- ", "-", "=", "|", "[!a] ", "\n ", "\n-", "\n# "])(
    "are read in linear time: %j",
    async (piece) => {
      for (const [start, end] of [
        ["a\n", "x"],
        ["# ", "x"],
        ["x", ""],
      ])
        await expectLinear((count) => plainBlocks(`${start}${piece.repeat(count)}${end}`, 0), 100_000);
    },
  );
});

describe("a note", () => {
  const blocks = (note: string) => plainBlocks(note, splitNote(note).bodyStart);

  it("is headings, paragraphs and items, without frontmatter, code and tables", () => {
    const note = `---
tags: a
---
# Title #
First line
second line.

Setext
------
> [!tip] Callout
> quoted
- [ ] task
- item
  goes on
1. first

\`\`\`js
code
\`\`\`

    indented code

| a | b |
|---|---|
| 1 | 2 |

a | b
--|--
1 | 2

$$
x
$$
`;
    expect(blocks(note)).toEqual([
      { level: 1, text: "Title" },
      { level: 0, text: "First line second line." },
      { level: 2, text: "Setext" },
      { level: 0, text: "Callout quoted" },
      { level: 0, text: "task" },
      { level: 0, text: "item goes on" },
      { level: 0, text: "first" },
    ]);
  });

  it("is looked at no further than asked", () => {
    expect(plainBlocks("one\n\ntwo\n\nthree\n", 0, 5)).toEqual([
      { level: 0, text: "one" },
      { level: 0, text: "tw" },
    ]);
  });
});

describe("a title with links", () => {
  it.each([
    { title: "Call [[Anna Berg]]", shown: "Call Anna Berg" },
    { title: "Call [[People/Anna|Anna]] about [the plan](Plan.md)", shown: "Call Anna about the plan" },
    { title: "Hang ![[lamp.png]] and ![chart](a.png)", shown: "Hang lamp.png and chart" },
    { title: "[[Kitchen]] #home *soon*", shown: "Kitchen #home *soon*" },
    { title: "a [[ b ]( c", shown: "a [[ b ]( c" },
  ])("$title is shown as $shown", ({ title, shown }) => expect(linksAsText(title)).toBe(shown));
});
