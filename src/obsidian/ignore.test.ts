import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { VaultPath } from "../storage/path.js";
import { isListed, isTemplate, readIgnoreFilter } from "./ignore.js";
import { expectLinear } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

describe("what a sweep lists", () => {
  it.each([
    ["a.md", "file", true],
    ["A.MD", "file", true],
    ["a.txt", "file", false],
    ["md", "file", false],
    ["a.sync-conflict-20250101-120000-ABCDEFG.md", "file", false],
    ["sub/a (conflicted copy).md", "file", false],
    ["a (Ann's conflicted copy 2025-01-01).md", "file", false],
    ["Sync conflict resolution.md", "file", true],
    ["conflicted copy.md", "file", true],
    ["sync-conflict-notes/a.md", "file", true],
    ["x (conflicted copy)/a.md", "file", true],
    ["node_modules", "folder", false],
    ["a/node_modules", "folder", false],
    ["my_node_modules", "folder", true],
    ["sub", "folder", true],
  ] as const)("%s (%s): %s", (path, kind, listed) => expect(isListed(path as VaultPath, kind)).toBe(listed));
});

describe("a template", () => {
  it.each([
    ["Extras/Forms/Note.md", true],
    ["Extras/Forms/deep/Note.md", true],
    ["Extras/Forms.md", false],
    ["Templates/Note.md", true],
    ["Work/templates/Note.md", true],
    ["My Templates/Note.md", false],
    ["Templates.md", false],
  ])("is known by its folder: %s is one: %s", (path, expected) =>
    expect(isTemplate(path as VaultPath, { templateFolders: ["Extras/Forms" as VaultPath] })).toBe(expected),
  );
});

describe("excluded files", () => {
  it.each([
    ["Old/", "Old/a.md", true],
    ["old/", "Old/a.md", true],
    ["Old", "Older/a.md", true],
    ["/Old/a", "Old/a.md", true],
    ["Old/a.md", "sub/Old/a.md", false],
    ["/^Daily\\//", "Daily/a.md", true],
    ["/^Daily\\//", "x/Daily/a.md", false],
    ["/\\.excalidraw\\.md$/", "a.EXCALIDRAW.md", true],
    ["/(draft|tmp)/", "a draft.md", true],
    ["/(?:draft|tmp)s?\\.md/", "tmp.md", true],
    ["/.*secret.*/", "my secret note.md", true],
    ["/[0-9]+-x/", "2024-x.md", true],
    ["/a+?b/", "xaab.md", true],
    ["/^a{2,3}\\.md$/", "aaa.md", true],
    ["/^\\p{L}+\\.md$/", "été.md", true],
    ["/^\\u00c9/", "été.md", true],
    ["/^Archive\\/2024/", "Archive/2024/a.md", true],
  ])("%s excludes %s: %s", async (entry, path, excluded) =>
    expect((await readIgnoreFilter(entry))?.excludes(path)).toBe(excluded),
  );

  it.each([
    "",
    "/(?=x)y/",
    "/(?<!x)y/",
    "/\\1/",
    "/[/",
    "/(/",
    "/)/",
    "/*/",
    `/${"a".repeat(300)}/`,
    "/((((a{30}){30}){30}){30}){30}/",
  ])("%s is not understood", async (entry) => expect(await readIgnoreFilter(entry)).toBeUndefined());

  const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\.", "^", "$", "é");
  const quantifier = fc.constantFrom("", "", "*", "+", "?", "*?", "+?");
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc.array(tie("piece"), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
    piece: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, quantifier).map(([one, repeat]) => ("^$".includes(one) ? one : one + repeat)),
      fc.tuple(tie("pattern"), tie("pattern"), quantifier).map(([a, b, repeat]) => `(${a}|${b})${repeat}`),
      fc.tuple(tie("pattern"), quantifier).map(([a, repeat]) => `(?:${a})${repeat}`),
    ),
  }));
  const numRuns = 200 * FUZZ_FACTOR;

  it("finds what a regular expression finds", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", ".", "É", "A", "🎯"), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pattern, text, async (source, path) => {
        fc.pre(source.length < 80);
        expect((await readIgnoreFilter(`/${source}/`))?.excludes(path)).toBe(new RegExp(source, "iu").test(path));
      }),
      { numRuns },
    );
  });

  it("never runs away", async () => {
    for (const source of [
      "(a+)+$",
      "^(a|a)*$",
      "a?".repeat(60) + "a".repeat(60) + "b",
      "(.*)(.*)(.*)(.*)x",
      "((a*)*)*b",
    ]) {
      const filter = await readIgnoreFilter(`/${source}/`);
      await expectLinear((length) => expect(filter?.excludes(`${"a".repeat(length)}!`)).toBe(false), 2000);
    }
  });
});
