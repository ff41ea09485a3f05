import { expect, test } from "vitest";
import { canvasLinks } from "./canvas.js";
import { retargetCanvas } from "./retarget.js";

function rewrite(text: string, from: string, to: string) {
  const links = canvasLinks(text).filter((link) => link.target === from);
  return retargetCanvas(
    text,
    links.map((link) => ({ link, target: to })),
  );
}

const CANVAS = String.raw`{
	"nodes":[
		{"id":"1","type":"file","file":"a\/Old.md","subpath":"#H","x":0},
		{"type":"text","text":"see \"it\"\n[[a/Old.md|\u00e9]] and [x](a/Old.md)"},
		{"type":"group","label":"a/Old.md","background":"a/Old.md"},
		{"type":"text","text":"a/Old.md"}
	],
	"edges":[]
}`;

test("file nodes, backgrounds and the links of texts take the new target, and nothing else changes", () => {
  const { text, made, refused } = rewrite(CANVAS, "a/Old.md", 'b/The "new" one.md');
  expect(text).toBe(String.raw`{
	"nodes":[
		{"id":"1","type":"file","file":"b/The \"new\" one.md","subpath":"#H","x":0},
		{"type":"text","text":"see \"it\"\n[[b/The \"new\" one.md|\u00e9]] and [x](b/The%20\"new\"%20one.md)"},
		{"type":"group","label":"a/Old.md","background":"b/The \"new\" one.md"},
		{"type":"text","text":"a/Old.md"}
	],
	"edges":[]
}`);
  expect(made).toBe(4);
  expect(refused).toEqual([]);
});

test("what a wikilink cannot hold is refused, the rest is made", () => {
  const { text, made, refused } = rewrite(CANVAS, "a/Old.md", "a#b.md");
  expect(text).toContain('"file":"a#b.md"');
  expect(text).toContain(String.raw`[[a/Old.md|\u00e9]] and [x](a%23b.md)`);
  expect(made).toBe(3);
  expect(refused).toHaveLength(1);
});

test("what is no canvas holds no links", () => {
  expect(rewrite("{", "a", "b")).toEqual({ text: "{", made: 0, refused: [] });
});
