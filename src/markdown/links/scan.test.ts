import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitNote } from "../frontmatter/frontmatter.js";
import { scanLinks } from "../visit-note.js";
import type { LinkSpan } from "./wikilink.js";
import { expectLinear } from "../../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const scan = (text: string): LinkSpan[] => scanLinks(text, splitNote(text));

/** A link in short: `!` for an embed, form, target, subpath, display. */
const brief = ({ embed, form, target, subpath, display }: LinkSpan): string =>
  `${embed ? "!" : ""}${form === "markdown" ? "m" : "w"}:${target}${subpath}${display === undefined ? "" : `|${display}`}`;
const links = (text: string): string[] => scan(text).map(brief);

describe("links in text", () => {
  it.each([
    ["[[Note]]", ["w:Note"]],
    ["a [[Folder/Note]] b [[Other note.md]].", ["w:Folder/Note", "w:Other note.md"]],
    [
      "[[Note#Heading]] [[Note#^block]] [[#Own heading]] [[#^own]]",
      ["w:Note#Heading", "w:Note#^block", "w:#Own heading", "w:#^own"],
    ],
    ["[[Note#One#Two|shown]] [[Note|]] [[Note|a|b]]", ["w:Note#One#Two|shown", "w:Note|", "w:Note|a|b"]],
    ["![[image.png]] ![[image.png|100x50]] ![[Note#^b]]", ["!w:image.png", "!w:image.png|100x50", "!w:Note#^b"]],
    ["[[ Note ]] [[ Note # Head ]]", ["w:Note", "w:Note# Head"]],
    ["[[]] [[ ]] [[|x]] [[#]]", []],
    ["[[a\nb]]", []],
    ["[[[Note]]] [[a [[b]]", ["w:Note", "w:b"]],
    ["[t](Path%20to.md) ![t](img.png)", ["m:Path to.md|t", "!m:img.png|t"]],
    ["[t](<Path to.md>) [t](<a.md#H x> 'title')", ["m:Path to.md|t", "m:a.md#H x|t"]],
    ['[t](a.md "title") [t](a.md (title)) [t]( a.md )', ["m:a.md|t", "m:a.md|t", "m:a.md|t"]],
    ["[t](a.md#Head%20ing) [t](#Heading) [](a.md)", ["m:a.md#Head ing|t", "m:#Heading|t", "m:a.md|"]],
    ["[t](a(b).md) [t](a\\(b.md) [t](a%b.md) [t](%C3%A9.md)", ["m:a(b).md|t", "m:a(b.md|t", "m:a%b.md|t", "m:é.md|t"]],
    ["[t]() [t](<>) [t](a b.md) [t] (a.md)", []],
    ["[a [b] c](x.md) [a\\]b](y.md)", ["m:x.md|a [b] c", "m:y.md|a\\]b"]],
    ["[![alt](img.png)](note.md)", ["!m:img.png|alt", "m:note.md|![alt](img.png)"]],
    ["[see [[Note]] there](x.md)", ["w:Note"]],
    ["[a\nb](x.md)", ["m:x.md|a\nb"]],
    ["[t](https://x.org) [t](mailto:a@b) [t](obsidian://open?vault=a) [t](//x.org/a) <https://x.org/[[a]]>", []],
    [
      "[id]: path.md\n[two]: <a b.md> 'title'\n[web]: https://x.org\n[^1]: [[Foot]]",
      ["m:path.md|id", "m:a b.md|two", "w:Foot"],
    ],
    ["text\n[id]: path.md", []],
    ["[id]: this is no definition [[but this]]", ["w:but this"]],
    ["| a | b |\n|---|---|\n| [[Note\\|shown]] | ![[i.png\\|50]] |", ["w:Note|shown", "!w:i.png|50"]],
    ["[[Note#Head\\|shown]]", ["w:Note#Head|shown"]],
    ["\\[[Note]] \\![[Note]] \\\\[[Other]]", ["w:Note", "w:Other"]],
    ["- [ ] task [[A]]\n- [x] [[B]]\n  1. [[C]]\n\n     [[D]]", ["w:A", "w:B", "w:C", "w:D"]],
    ["> quote [[A]]\n> > [[B]]\n\n> [!note] [[C]]", ["w:A", "w:B", "w:C"]],
    ["# Heading [[A]]\n\n[[B]]\n===", ["w:A", "w:B"]],
    ["costs $5 and [[A]] for $6 or 100%% [[B]]", ["w:A", "w:B"]],
    ["a < b [[A]] > c <div>[[B]]</div>", ["w:A", "w:B"]],
    ["[[a$b]] and [[c$d]]", ["w:a$b", "w:c$d"]],
    ["#[[A]] ([[B]])[[C]]", ["w:A", "w:B", "w:C"]],
    ["\uFEFF[[A]]\r\n[[B]]\r\n", ["w:A", "w:B"]],
  ])("%j", (text, expected) => expect(links(text)).toEqual(expected));
});

describe("what is left alone", () => {
  it.each([
    ["`[[a]]` ``[[b]] ` [[c]]`` [[D]] ` [[E]]", ["w:D", "w:E"]],
    ["`code\n[[a]]` [[B]]", ["w:B"]],
    ["`open\n\n[[A]]`", ["w:A"]],
    ["\\`[[A]]\\`", ["w:A"]],
    ["[`]`](a.md)", ["m:a.md|`]`"]],
    ["```\n[[a]]\n```\n[[B]]", ["w:B"]],
    ["~~~ js\n[[a]]\n```\n[[a]]\n~~~~\n[[B]]", ["w:B"]],
    ["````\n```\n[[a]]\n````\n[[B]]\n```\n[[never closed]]", ["w:B"]],
    ["``` not ` a fence [[A]]", ["w:A"]],
    ["- item\n  ```\n  [[a]]\n  ```\n- [[B]]", ["w:B"]],
    ["- item\n\t- deeper\n\t\t```\n\t\t[[a]]\n\t\t```\n\t- [[B]]", ["w:B"]],
    ["- item\n  ```\n  [[a]]\n\n[[B]]", ["w:B"]],
    ["> ```\n> [[a]]\n\n[[B]]", ["w:B"]],
    ["> ```\n> [[a]]\n> ```\n> [[B]]", ["w:B"]],
    ["- ```\n  [[a]]\n  ```\n  [[B]]", ["w:B"]],
    ["text\n\n    [[a]]\n\t[[a]]\n\n[[B]]", ["w:B"]],
    ["text\n    [[A]]", ["w:A"]],
    ["- item\n\n    [[A]]\n\n        [[code]]", ["w:A"]],
    ["[^1]: foot\n\n    [[A]]", ["w:A"]],
    ["%%[[a]]%% [[B]] %%[[C]]", ["w:B", "w:C"]],
    ["x %%[[a]]%% [[B]] %% [[C]]", ["w:B", "w:C"]],
    ["%%\n[[a]]\n\n[[a]]\n%%\n[[B]]", ["w:B"]],
    ["[[A]]\n\n%%\n[[never closed]]", ["w:A"]],
    ["<!-- [[a]]\n\n[[a]] --> [[B]]", ["w:B"]],
    ["x <!-- [[a]] --> [[B]]", ["w:B"]],
    ["$$\n[[a]]\n\n$$\n[[B]] $x[[a]]$ $$[[a]]$$", ["w:B"]],
    ["$$ [[A]]", ["w:A"]],
  ])("%j", (text, expected) => expect(links(text)).toEqual(expected));
});

describe("links in properties", () => {
  const found = (yaml: string) =>
    scan(`---\n${yaml}\n---\n`).map((link) => `${link.line} ${link.property} ${brief(link)}`);

  it.each([
    ['up: "[[Note]]"', ["2 up w:Note"]],
    ["up: [[Note]]", ["2 up w:Note"]],
    ["up: [[Note, with comma#Head|x]]", ["2 up w:Note, with comma#Head|x"]],
    [
      'a: 1\nlinks:\n  - \'[[A]]\'\n  - "[[B|b]]"\nc: "[t](Path%20to.md)"',
      ["4 links w:A", "5 links w:B|b", "6 c m:Path to.md|t"],
    ],
    ['links: ["[[A]]", "[[B]]"]', ["2 links w:A", "2 links w:B"]],
    ["\"my key\": '[[It''s]]'", ["2 my key w:It's"]],
    ['a: "[[Caf\\u00e9]]"', ["2 a w:Café"]],
    ['a: "see [[A]] and ![[b.png]]" # [[comment]]\n# [[comment]]', ["2 a w:A", "2 a !w:b.png"]],
    ["a: don't # [[comment]]\nb: it's [[A]]", ["3 b w:A"]],
    ["text: |\n  [[A]]\n  more", ["3 text w:A"]],
    ["a: [t](https://x.org)\nurl: https://x.org/#[[A]]", ["3 url w:A"]],
  ])("%j", (yaml, expected) => expect(found(yaml)).toEqual(expected));

  it("leaves frontmatter of another language alone", () =>
    expect(links('---json\n"[[A]]"\n---\n[[B]]')).toEqual(["w:B"]));

  it("counts lines in the whole file", () =>
    expect(scan('---\nup: "[[A]]"\n---\n\n[[B]] [[C]]\r\n\r\n[d](D.md)').map(({ line }) => line)).toEqual([
      2, 5, 5, 7,
    ]));
});

const PIECES = [
  "[[",
  "]]",
  "[",
  "]",
  "](",
  ")",
  "(",
  "!",
  "|",
  "\\",
  "`",
  "```",
  "~~~",
  "%%",
  "$",
  "$$",
  "<!--",
  "-->",
  "<",
  ">",
  "#",
  "^",
  "a",
  "b.md",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\r\n",
  "- ",
  "> ",
  "    ",
  "\t",
  ":",
  "'",
  '"',
  "é",
  "%20",
  "---\n",
  "key: ",
  "\u00a0",
  "[^1]: ",
];

describe("whatever the text", () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));

  it("spans come in order, never overlap, and hold their targets", () => {
    fc.assert(
      fc.property(texts, (text) => {
        let end = 0;
        for (const span of scan(text)) {
          expect(span.start).toBeGreaterThanOrEqual(end);
          expect(span.targetStart).toBeGreaterThanOrEqual(span.start);
          expect(span.targetEnd).toBeGreaterThanOrEqual(span.targetStart);
          expect(span.end).toBeGreaterThanOrEqual(span.targetEnd);
          expect(span.line).toBe(text.slice(0, span.start).split("\n").length);
          const written = text.slice(span.targetStart, span.targetEnd);
          if (span.form === "wikilink" && span.property === undefined) expect(written).toBe(span.target);
          end = span.end;
        }
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("a replaced target is read back in the same place", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const [index, span] of scan(text).entries()) {
          if (span.target === "") continue;
          const changed = `${text.slice(0, span.targetStart)}new/name.md${text.slice(span.targetEnd)}`;
          expect(scan(changed)[index]).toMatchObject({ form: span.form, start: span.start, target: "new/name.md" });
        }
      }),
      { numRuns: 150 * FUZZ_FACTOR },
    );
  });

  it.each([
    ["[["],
    ["[[a"],
    ["[[]"],
    ["["],
    ["[a]("],
    ["[a](<"],
    ['[a](b "'],
    ["[a](b '"],
    ["![["],
    ["`"],
    ["`` ` "],
    ["$a "],
    ["%%a"],
    ["<!--"],
    ["<a:"],
    ["[a]: "],
    ["[a]:b\n"],
    ["> "],
    ["- "],
    ["\n- a"],
    ["(["],
    ["\\["],
    ["[[a|"],
    ["]("],
    ["x](y) "],
    ["[x](y) "],
    ["1. "],
    ["\n%% a %%"],
    ["\n$$"],
    ["\n> ```\n"],
    ["a: '[["],
    ["$$"],
    ["[^a"],
    ["*"],
  ])("takes time in proportion to the text: %j", async (piece) => {
    await expectLinear((count) => scan(`[[a]] ](${piece.repeat(count)}`), 100_000);
    const line = piece.replaceAll("\n", " ");
    await expectLinear((count) => scan(`---\na: [[a]]\n${line.repeat(count)}\n---\n`), 100_000);
  });
});
