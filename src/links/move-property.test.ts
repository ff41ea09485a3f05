/** Moves in generated vaults: links lead where they led, nothing but targets changes, and moving back restores every byte. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { at, linkVault } from "../../test/kit/link-vault.js";
import { canvasLinks } from "../markdown/links/canvas.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/visit-note.js";
import { foldName } from "../storage/path.js";
import type { Links } from "./service.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const FOLDERS = ["", "a/", "a/b/", "c/", "c/C d/", "a/b/é/"];
const NAMES = ["N.md", "M x.md", "Dup.md", "caf\u00e9.md", "u\u0308.md", "it's, 50%.md", "p (1).png", "v1.2.md"];
const NEW_NAMES = ["New", "Dup", "M x", "n", "caf\u00e9", "It\u2019s (2) 100%", "o\u0308", "N"];

const paths = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES)).map((parts) => parts.join("")),
    { minLength: 2, maxLength: 12, selector: foldName },
  )
  .map((list) => list.sort());

/** A link to a file as a person or a program may write it; some lead nowhere. */
const link = fc.record({
  to: fc.nat(),
  style: fc.constantFrom("name", "path", "rooted", "relative", "gone"),
  form: fc.constantFrom("wikilink", "alias", "embed", "markdown", "angled", "reference", "code", "table"),
  bare: fc.boolean(),
  subpath: fc.constantFrom("", "", "#H", "#^b1"),
});
const note = fc.record({
  links: fc.array(link, { maxLength: 6 }),
  properties: fc.array(link, { maxLength: 2 }),
  quote: fc.constantFrom("'", '"'),
  ending: fc.constantFrom("\n", "\r\n"),
  bom: fc.boolean(),
});
type NoteDraft = typeof note extends fc.Arbitrary<infer Draft> ? Draft : never;
type LinkDraft = typeof link extends fc.Arbitrary<infer Draft> ? Draft : never;

function targetOf({ to, style, bare }: LinkDraft, from: string, all: readonly string[]): string {
  const path = all[to % all.length] ?? "";
  const shown = bare ? path.replace(/\.md$/, "") : path;
  const up = "../".repeat(from.split("/").length - 1);
  if (style === "gone") return "Nowhere";
  if (style === "name") return shown.slice(shown.lastIndexOf("/") + 1);
  return style === "rooted" ? `/${shown}` : style === "relative" ? `${up === "" ? "./" : up}${shown}` : shown;
}

interface Parts {
  readonly target: string;
  readonly encoded: string;
  readonly subpath: string;
}

const FORMS: Readonly<Record<LinkDraft["form"], (parts: Parts) => string>> = {
  wikilink: ({ target, subpath }) => `[[${target}${subpath}]]`,
  alias: ({ target, subpath }) => `[[${target}${subpath}|${target}]]`,
  embed: ({ target, subpath }) => `![[${target}${subpath}|100]]`,
  markdown: ({ target, encoded, subpath }) => `[${target}](${encoded}${subpath})`,
  angled: ({ target, subpath }) => `![x](<${target.replaceAll("%", "%25")}${subpath}> "t")`,
  reference: ({ encoded, subpath }) => `\n\n[r]: ${encoded}${subpath}\n\n`,
  code: ({ target }) => `\`[[${target}]]\``,
  table: ({ target, subpath }) => `\n\n| a |\n|---|\n| [[${target}${subpath}\\|x]] |\n\n`,
};

function written(draft: LinkDraft, from: string, all: readonly string[]): string {
  const target = targetOf(draft, from, all);
  const encoded = encodeURI(target).replace(/[()]/g, (mark) => (mark === "(" ? "%28" : "%29"));
  return FORMS[draft.form]({ target, encoded, subpath: draft.subpath });
}

function textOf({ links, properties, quote, ending, bom }: NoteDraft, from: string, all: readonly string[]): string {
  if (from.endsWith(".png")) return "png";
  const quoted = (text: string): string => (quote === "'" ? text.replaceAll("'", "''") : text);
  const lines = properties.map(
    (draft, index) => `p${index}: ${quote}[[${quoted(targetOf(draft, from, all))}${draft.subpath}]]${quote}`,
  );
  const front = lines.length === 0 ? "" : `---\n${lines.join("\n")}\n---\n`;
  const body = links.map((draft) => written(draft, from, all)).join(" and ");
  return (bom ? "\uFEFF" : "") + `${front}${body}`.replaceAll("\n", ending);
}

const vault = fc
  .tuple(paths, fc.array(note, { minLength: 12, maxLength: 12 }), fc.array(link, { maxLength: 3 }))
  .map(([all, notes, nodes]) => {
    const files: Record<string, string> = {};
    all.forEach((path, index) => (files[path] = textOf(notes[index] as NoteDraft, path, all)));
    const canvas = nodes.map(({ to, form }) => {
      const file = all[to % all.length] ?? "";
      return form === "wikilink" ? { type: "text", text: `see [[${file}]]` } : { type: "file", file };
    });
    files["c/board.canvas"] = JSON.stringify({ nodes: canvas, edges: [] }, undefined, "\t");
    return files;
  });

const move = fc.record({
  what: fc.nat(),
  folder: fc.constantFrom(...FOLDERS, "new/"),
  name: fc.constantFrom(...NEW_NAMES),
  keepsName: fc.boolean(),
  ofFolder: fc.boolean(),
  format: fc.constantFrom("shortest", "relative", "absolute"),
});
type MoveDraft = typeof move extends fc.Arbitrary<infer Draft> ? Draft : never;

function pathsOf({ what, folder, name, keepsName, ofFolder }: MoveDraft, files: readonly string[]) {
  const file = files[what % files.length] ?? "";
  const from = ofFolder && file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : file;
  const base = from.slice(from.lastIndexOf("/") + 1);
  const extension = from === file ? base.slice(base.lastIndexOf(".")) : "";
  return { from, to: folder + (keepsName ? base : name + extension) };
}

/** Every link of every file in order: where it stands, by the path there is before a move, and where it leads. */
async function destinations(links: Links, files: Readonly<Record<string, string>>, name: (path: string) => string) {
  const graph = await links.graph();
  const ends = (path: string): string[] =>
    graph.outgoing(at(path)).map(({ to, target }) => (to === undefined ? target : name(to)));
  return Object.keys(files)
    .map((path) => [name(path)].concat(ends(path)))
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
}

/** A file without the targets of its links. */
function frame(path: string, text: string): string {
  const spans = path.endsWith(".canvas") ? canvasLinks(text) : scanLinks(text, splitNote(text));
  let at = 0;
  let rest = "";
  for (const { targetStart, targetEnd } of spans) {
    rest += `${text.slice(at, targetStart)}\0`;
    at = targetEnd;
  }
  return rest + text.slice(at);
}

test("links lead where they led, only targets change, and moving back restores every byte", async () => {
  let moves = 0;
  await fc.assert(
    fc.asyncProperty(vault, move, async (files, draft) => {
      const { from, to } = pathsOf(draft, Object.keys(files));
      const settings = { ".obsidian/app.json": JSON.stringify({ newLinkFormat: draft.format }) };
      const { links, contents, move: rename } = linkVault({ ...files, ...settings });
      const before = await contents();
      const led = await destinations(links, before, (path) => path);
      const relocation = await rename(from, to).catch(() => undefined);
      if (relocation === undefined) {
        expect(await contents()).toEqual(before);
        return;
      }
      moves += 1;
      const origin = (path: string): string =>
        path === to || path.startsWith(`${to}/`) ? from + path.slice(to.length) : path;
      const after = await contents();
      expect(relocation.skipped).toEqual([]);
      const leads = await destinations(links, after, origin);
      // A link that led nowhere may have found a file.
      const known = led.map((list, index) => list.map((end, at) => (end in before ? end : leads[index]?.[at])));
      expect(leads).toEqual(known);
      for (const [path, text] of Object.entries(after))
        expect(frame(path, text)).toBe(frame(path, before[origin(path)] ?? ""));
      const changed = Object.entries(after).filter(([path, text]) => before[origin(path)] !== text);
      expect(relocation.rewritten).toEqual(changed.map(([path]) => path));
      await rename(to, from);
      expect(await contents()).toEqual(before);
    }),
    { numRuns: 50 * FUZZ_FACTOR },
  );
  expect(moves).toBeGreaterThan(15 * FUZZ_FACTOR);
});
