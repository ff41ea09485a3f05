import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkedVault } from "../../test/kit/linked-vault.js";
import { vaultPath } from "../storage/path.js";
import type { Link, LinkGraph } from "./api.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const brief = ({ from, line, target, subpath, to, embed, property }: Link): string =>
  `${from}:${line ?? "-"} ${embed ? "!" : ""}${property === undefined ? "" : `(${property}) `}${target}${subpath} -> ${to ?? "?"}`;

const unresolvedIn = (graph: LinkGraph): Link[] => [...graph.unresolved()].map((unresolved) => unresolved.link());

const FILES = {
  "Index.md":
    '---\nup: "[[Home]]"\n---\n[[Note]] [[A/Note#Head|shown]] [[nowhere]]\n![[pic.png]] [[#Own]] [t](B/Note.md)',
  "Home.md": "[[Index]] [[Home]]",
  "A/Note.md": "[[Other]]\n[[Other]]",
  "A/Other.md": "no link",
  "B/Note.md": "[[Note]] [[../Home]] ![[../pic.png]]",
  "B/Other.md": "```\n[[Index]]\n```",
  "Lonely.md": "[[Lonely]]",
  "Board.canvas": JSON.stringify({
    nodes: [
      { type: "file", file: "A/Note.md" },
      { type: "file", file: "Other.md" },
      { type: "text", text: "[[Lone]] [[Home]]" },
    ],
  }),
  "pic.png": "",
};

describe("the graph of a vault", () => {
  it("tells what leads to a file, in the order of the paths it comes from", async () => {
    const graph = await linkedVault(FILES).links.graph();
    expect(graph.backlinks(vaultPath("A/Note.md")).map(brief)).toEqual([
      "Board.canvas:- !/A/Note.md -> A/Note.md",
      "Index.md:4 Note -> A/Note.md",
      "Index.md:4 A/Note#Head -> A/Note.md",
    ]);
    expect(graph.backlinks(vaultPath("B/Note.md")).map(brief)).toEqual([
      "B/Note.md:1 Note -> B/Note.md",
      "Index.md:5 B/Note.md -> B/Note.md",
    ]);
    expect(graph.backlinks(vaultPath("pic.png")).map(({ from }) => from)).toEqual(["B/Note.md", "Index.md"]);
    expect(graph.backlinks(vaultPath("none.md"))).toEqual([]);
  });

  it("tells a file's own links in their order", async () => {
    const graph = await linkedVault(FILES).links.graph();
    expect(graph.outgoing(vaultPath("Index.md")).map(brief)).toEqual([
      "Index.md:2 (up) Home -> Home.md",
      "Index.md:4 Note -> A/Note.md",
      "Index.md:4 A/Note#Head -> A/Note.md",
      "Index.md:4 nowhere -> ?",
      "Index.md:5 !pic.png -> pic.png",
      "Index.md:5 #Own -> Index.md",
      "Index.md:5 B/Note.md -> B/Note.md",
    ]);
    expect(graph.outgoing(vaultPath("Index.md"))[2]).toMatchObject({ display: "shown" });
    expect(graph.outgoing(vaultPath("B/Other.md"))).toEqual([]);
  });

  it("tells what leads nowhere, and the notes that no other file links to", async () => {
    const graph = await linkedVault(FILES).links.graph();
    expect(unresolvedIn(graph).map(brief)).toEqual([
      "Board.canvas:- !/Other.md -> ?",
      "Board.canvas:- Lone -> ?",
      "Index.md:4 nowhere -> ?",
    ]);
    expect(graph.orphans()).toEqual(["B/Other.md", "Lonely.md"]);
  });

  it("resolves links to and from files kept out of the answers, and does not list those", async () => {
    const { links } = linkedVault({
      ".obsidian/app.json": '{"userIgnoreFilters":["Old/"]}',
      "Old/Gone.md": "[[Kept]] [[lost]]",
      "Templates/Form.md": "[[Seen]] [[lost too]]",
      "Kept.md": "[[Gone]] [[Form]]",
      "Seen.md": "",
    });
    const graph = await links.graph();
    expect(graph.outgoing(vaultPath("Kept.md")).map(({ to }) => to)).toEqual(["Old/Gone.md", "Templates/Form.md"]);
    expect(graph.backlinks(vaultPath("Kept.md")).map(({ from }) => from)).toEqual(["Old/Gone.md"]);
    expect(graph.backlinks(vaultPath("Seen.md")).map(({ from }) => from)).toEqual(["Templates/Form.md"]);
    expect([graph.isShown(vaultPath("Old/Gone.md")), graph.isShown(vaultPath("Kept.md"))]).toEqual([false, true]);
    expect(unresolvedIn(graph)).toEqual([]);
    expect(graph.orphans()).toEqual([]);
  });

  it("follows a note that changes, comes and goes", async () => {
    const { links, put, remove } = linkedVault({ "a.md": "[[b]]", "x/b.md": "" });
    expect((await links.graph()).outgoing(vaultPath("a.md")).map(brief)).toEqual(["a.md:1 b -> x/b.md"]);
    await put("b.md", "[[a]]");
    expect((await links.graph()).outgoing(vaultPath("a.md")).map(brief)).toEqual(["a.md:1 b -> b.md"]);
    expect((await links.graph()).orphans()).toEqual(["x/b.md"]);
    await remove("b.md");
    await remove("x/b.md");
    expect(unresolvedIn(await links.graph()).map(brief)).toEqual(["a.md:1 b -> ?"]);
    await put("a.md", "nothing");
    expect(unresolvedIn(await links.graph())).toEqual([]);
  });

  it("tells of a link that led nowhere as it stood when it was found", async () => {
    const { links, put } = linkedVault({ "a.md": "one\n[[b#part|shown]] ![[c]]" });
    const found = [...(await links.graph()).unresolved()];
    await put("a.md", "nothing");
    await links.graph();
    expect(found.map((unresolved) => brief(unresolved.link()))).toEqual(["a.md:2 b#part -> ?", "a.md:2 !c -> ?"]);
  });
});

const NAMES = [
  "a.md",
  "b.md",
  "sub/a.md",
  "sub/b.md",
  "sub/deep/a.md",
  "A.md",
  "b.md.md",
  "c.canvas",
  "p.png",
  "sub/p.png",
  "Templates/t.md",
];
const TARGETS = [
  "a",
  "b",
  "b.md",
  "A",
  "sub/a",
  "./a",
  "../a",
  "/a",
  "deep/a",
  "p.png",
  "c.canvas",
  "none",
  "#own",
  "t",
  "sub/none",
];
const SETTINGS = { ".obsidian/templates.json": '{"folder":"Templates"}' };
const textOf = fc
  .record({ targets: fc.array(fc.constantFrom(...TARGETS), { maxLength: 4 }), isTemplate: fc.nat({ max: 6 }) })
  .map(({ targets, isTemplate }) => {
    const links = targets.map((target) => `[[${target}]]`).join("\n");
    return isTemplate === 0 ? `---\nx: "{{x}}"\n---\n${links}` : links;
  });
const step = fc.oneof(
  fc.record({ path: fc.constantFrom(...NAMES), text: textOf }),
  fc.record({ path: fc.constantFrom(...NAMES), text: fc.constant(undefined) }),
);
const contentOf = (path: string, text: string): string =>
  path.endsWith(".canvas")
    ? JSON.stringify({
        nodes: [
          { type: "text", text },
          { type: "file", file: "sub/a.md" },
        ],
      })
    : text;

/** Everything a graph tells, in one comparable value. */
function everything(graph: LinkGraph): unknown {
  const files = NAMES.map((name) => vaultPath(name)).filter((path) => graph.has(path));
  return {
    files: files.map((path) => [path, graph.isShown(path), graph.outgoing(path), graph.backlinks(path)]),
    unresolved: unresolvedIn(graph),
    orphans: graph.orphans(),
  };
}

describe("whatever happens to a vault", () => {
  it("a graph that followed along tells what a new one tells, and its answers agree with each other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), async (rounds) => {
        const { storage, links, put, remove } = linkedVault({ "a.md": "[[b]]", ...SETTINGS });
        for (const steps of rounds) {
          for (const { path, text } of steps) {
            if (text !== undefined) await put(path, contentOf(path, text));
            else await remove(path).catch(() => undefined);
          }
          const graph = await links.graph();
          expect(everything(graph)).toEqual(everything(await linkedVault(storage).links.graph()));
          expectAgreement(graph);
        }
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });
});

function expectAgreement(graph: LinkGraph): void {
  const files = NAMES.map((name) => vaultPath(name))
    .filter((path) => graph.has(path))
    .toSorted();
  const all = files.flatMap((path) => graph.outgoing(path));
  for (const path of files)
    expect(graph.backlinks(path)).toEqual(all.filter(({ target, to }) => to === path && target !== ""));
  for (const path of files) {
    const [shown, own] = [graph.shownBacklinks(path), graph.listOutgoing(path)];
    const [backlinks, outgoing] = [
      graph.backlinks(path).filter(({ from }) => graph.isShown(from)),
      graph.outgoing(path),
    ];
    expect([shown.length, own.length]).toEqual([backlinks.length, outgoing.length]);
    expect([shown.slice(1, 3), own.slice(1, 3)]).toEqual([backlinks.slice(1, 3), outgoing.slice(1, 3)]);
    expect(own.unresolved).toBe(outgoing.filter(({ to }) => to === undefined).length);
    const linkedTo = outgoing.flatMap(({ to }) => (to === undefined || to === path ? [] : [to]));
    expect(graph.linkedFiles(path)).toEqual([...new Set(linkedTo)]);
  }
  expect(unresolvedIn(graph)).toEqual(all.filter(({ from, to }) => to === undefined && graph.isShown(from)));
  const linked = new Set(all.filter(({ from, to }) => from !== to).map(({ to }) => to));
  expect(graph.orphans()).toEqual(
    files.filter((path) => path.endsWith(".md") && graph.isShown(path) && !linked.has(path)),
  );
}
