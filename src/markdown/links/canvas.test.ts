import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canvasLinks, jsonText, type CanvasLink } from "./canvas.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const brief = ({ kind, target, subpath }: CanvasLink): string => `${kind}:${target}${subpath}`;

const CANVAS = `{
	"nodes":[
		{"id":"1","type":"file","file":"Folder/Note.md","subpath":"#Head","x":0,"y":[1,{"file":"no.md"}]},
		{"id":"2","type":"text","text":"see [[A]] and\\n\\n![[pic \\u00e9.png|50]] \\"[t](b%20c.md)\\"\\n\`[[code]]\`"},
		{"id":"3","type":"group","label":"[[label]]","background":"img/back.png"},
		{"id":"4","type":"link","url":"https://x.org","file":"not.md"},
		{"type":"file","file":"caf\\u00e9 \\"q\\".md"}
	],
	"edges":[{"type":"file","file":"edge.md","label":"[[edge]]"}],
	"file":"root.md"
}`;

describe("canvasLinks", () => {
  it("finds file nodes, backgrounds and links in text nodes", () =>
    expect(canvasLinks(CANVAS).map(brief)).toEqual([
      "file:Folder/Note.md#Head",
      "text:A",
      "text:pic é.png",
      "text:b c.md",
      "background:img/back.png",
      'file:café "q".md',
    ]));

  it("says where targets stand in the source", () => {
    const written = canvasLinks(CANVAS).map(({ targetStart, targetEnd }) => CANVAS.slice(targetStart, targetEnd));
    expect(written).toEqual([
      "Folder/Note.md",
      "A",
      "pic \\u00e9.png",
      "b%20c.md",
      "img/back.png",
      'caf\\u00e9 \\"q\\".md',
    ]);
  });

  it.each([
    "",
    "[]",
    "{",
    "null",
    '{"nodes":{"type":"file","file":"a"}}',
    '{"nodes":[["type","file"]]}',
    '{"nodes":[{"type":"file","file":5}]}',
  ])("finds nothing in %j", (text) => expect(canvasLinks(text)).toEqual([]));

  it("takes the last of keys that stand twice, as JSON.parse does", () =>
    expect(
      canvasLinks(
        '{"nodes":[{"type":"file","file":"a"}],"nodes":[{"type":"text","type":"file","file":"b","file":"c"}]}',
      ).map(brief),
    ).toEqual(["file:c"]));

  it("bears any depth", () => {
    const deep = `{"nodes":[{"x":${"[".repeat(5000)}${"]".repeat(5000)},"type":"file","file":"a.md"}]}`;
    expect(canvasLinks(deep).map(brief)).toEqual(["file:a.md"]);
  });

  it("replaces one target and nothing else, whatever stands around it", () => {
    const word = fc.stringMatching(/^[a-zé"\\\n\t 👍/]{0,8}$/u);
    const node = fc.oneof(
      fc.record({ type: fc.constant("file"), file: word }),
      fc.record({
        text: fc.tuple(word, word).map(([a, b]) => `${a} [[x${b.replace(/[\n\]]/g, "")}]] ${a}`),
        type: fc.constant("text"),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(node, { maxLength: 4 }),
        fc.constantFrom(undefined, 2, "\t"),
        word,
        (nodes, indent, name) => {
          const text = JSON.stringify({ x: { nodes: [1] }, nodes }, null, indent);
          const links = canvasLinks(text);
          for (const [index, link] of links.entries()) {
            const target = link.kind === "text" ? "y" : `${name}z`;
            const changed = text.slice(0, link.targetStart) + jsonText(target) + text.slice(link.targetEnd);
            const after = canvasLinks(changed);
            expect(after.map(brief)).toEqual(
              links.map((other, at) => brief(at === index ? { ...link, target } : other)),
            );
          }
        },
      ),
      { numRuns: 120 * FUZZ_FACTOR },
    );
  });
});
