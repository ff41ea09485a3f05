import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkedVault } from "../../test/kit/linked-vault.js";
import { vaultPath } from "../storage/path.js";
import type { Link, LinkGraph } from "./api.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const brief = ({ from, line, target, subpath, to, embed, property }: Link): string =>
  `${from}:${line ?? "-"} ${embed ? "!" : ""}${property === undefined ? "" : `(${property}) `}${target}${subpath} -> ${to ?? "?"}`;

const unresolvedIn = async (graph: LinkGraph): Promise<Link[]> =>
  (await graph.unresolved()).targets.flatMap(({ places }) => places);

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
    expect((await unresolvedIn(graph)).map(brief)).toEqual([
      "Board.canvas:- Lone -> ?",
      "Index.md:4 nowhere -> ?",
      "Board.canvas:- !/Other.md -> ?",
    ]);
    expect(await graph.orphans()).toEqual(["B/Other.md", "Lonely.md"]);
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
    expect(await unresolvedIn(graph)).toEqual([]);
    expect(await graph.orphans()).toEqual([]);
  });

  it("follows a note that changes, comes and goes", async () => {
    const { links, put, remove } = linkedVault({ "a.md": "[[b]]", "x/b.md": "" });
    expect((await links.graph()).outgoing(vaultPath("a.md")).map(brief)).toEqual(["a.md:1 b -> x/b.md"]);
    await put("b.md", "[[a]]");
    expect((await links.graph()).outgoing(vaultPath("a.md")).map(brief)).toEqual(["a.md:1 b -> b.md"]);
    expect(await (await links.graph()).orphans()).toEqual(["x/b.md"]);
    await remove("b.md");
    await remove("x/b.md");
    expect((await unresolvedIn(await links.graph())).map(brief)).toEqual(["a.md:1 b -> ?"]);
    await put("a.md", "nothing");
    expect(await unresolvedIn(await links.graph())).toEqual([]);
  });

  it("counts missing files, not spellings of their names", async () => {
    const { links } = linkedVault({ "A/x.md": "[[./Gone]] [[gone.md]]", "B/y.md": "[[./Gone]] [[/A/Gone]] [[GONE]]" });
    const { targets } = await (await links.graph()).unresolved();
    const found = targets.map(({ places }) => places.map(({ from, target }) => `${from} ${target}`));
    expect(found).toEqual([["A/x.md ./Gone", "B/y.md /A/Gone"], ["A/x.md gone.md", "B/y.md GONE"], ["B/y.md ./Gone"]]);
  });

  it("gives each of many files of one name the links from its own folder", async () => {
    const folders = Array.from({ length: 30 }, (_, number) => `F${String(number).padStart(2, "0")}`);
    const notes = folders.flatMap((folder) => [
      [`${folder}/Index.md`, ""],
      [`${folder}/Start.md`, folder === "F07" ? "" : "[[Index]]"],
    ]);
    const graph = await linkedVault(Object.fromEntries(notes) as Record<string, string>).links.graph();
    const page = { offset: 0, limit: 5 };
    const counts = folders.map((folder) => graph.shownBacklinks(vaultPath(`${folder}/Index.md`), page).total);
    expect(counts).toEqual(folders.map((folder) => Number(folder !== "F07")));
    expect((await graph.orphans()).filter((path) => path.endsWith("Index.md"))).toEqual(["F07/Index.md"]);
  });

  it("finds links whose text SQLite would change", async () => {
    const nodes = [{ type: "text", text: `[[a\0b]] [[x\ud800y]] [[${"é".repeat(5000)}]]` }];
    const { links } = linkedVault({ "B.canvas": JSON.stringify({ nodes }), "a.md": `[[a\0b|${"🚀".repeat(119)}x]]` });
    const graph = await links.graph();
    const targets = graph
      .listOutgoing(vaultPath("B.canvas"), { offset: 0, limit: 9 })
      .links.map(({ target }) => target);
    expect(targets).toEqual(["a\0b", "x\ufffdy", "é".repeat(4100)]);
    expect((await graph.unresolved()).targets.map(({ count }) => count)).toEqual([2, 1, 1]);
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
async function everything(graph: LinkGraph): Promise<unknown> {
  const files = NAMES.map((name) => vaultPath(name)).filter((path) => graph.has(path));
  return {
    files: files.map((path) => [path, graph.isShown(path), graph.outgoing(path), graph.backlinks(path)]),
    unresolved: await graph.unresolved(),
    orphans: await graph.orphans(),
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
          expect(await everything(graph)).toEqual(await everything(await linkedVault(storage).links.graph()));
          await expectAgreement(graph);
        }
      }),
      { numRuns: 15 * FUZZ_FACTOR },
    );
  });
});

async function expectAgreement(graph: LinkGraph): Promise<void> {
  const files = NAMES.map((name) => vaultPath(name))
    .filter((path) => graph.has(path))
    .toSorted();
  const all = files.flatMap((path) => graph.outgoing(path));
  const page = { offset: 1, limit: 2 };
  for (const path of files) {
    const backlinks = graph.backlinks(path);
    expect(backlinks).toEqual(all.filter(({ target, to }) => to === path && target !== ""));
    const shown = backlinks.filter(({ from }) => graph.isShown(from));
    expect(graph.shownBacklinks(path, page)).toEqual({ total: shown.length, links: shown.slice(1, 3) });
    const leads = graph.leadsTo(path);
    for (const { from, target, to } of all) expect(leads(target, from)).toBe(to === path);
    const outgoing = graph.outgoing(path);
    const unresolved = outgoing.filter(({ to }) => to === undefined).length;
    const own = { total: outgoing.length, unresolved, links: outgoing.slice(1, 3) };
    expect(graph.listOutgoing(path, page)).toEqual(own);
    const linkedTo = outgoing.flatMap(({ to }) => (to === undefined || to === path ? [] : [to]));
    expect(graph.linkedFiles(path)).toEqual([...new Set(linkedTo)]);
  }
  for (const folder of [vaultPath("sub"), undefined]) {
    const lost = all.filter(({ from, to }) => !to && graph.isShown(from) && (!folder || from.startsWith(`${folder}/`)));
    const missing = await graph.unresolved({ folder });
    expect(missing.links).toBe(lost.length);
    const places = missing.targets.flatMap((file) => file.places);
    expect(lost).toEqual(expect.arrayContaining(places));
    expect(missing.targets.every((file) => file.places.length === Math.min(5, file.count))).toBe(true);
  }
  const linked = new Set(all.filter(({ from, to }) => from !== to).map(({ to }) => to));
  expect(await graph.orphans()).toEqual(
    files.filter((path) => path.endsWith(".md") && graph.isShown(path) && !linked.has(path)),
  );
}
