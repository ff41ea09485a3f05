import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vaultPath, type VaultPath } from "../storage/path.js";
import { filesAmong, filesMeant, linkText, renamed, resolveLink } from "./resolver.js";

const path = (text: string): VaultPath => vaultPath(text);
const filesOf = (...paths: string[]) => filesAmong(paths.map(path));

const PATHS = [
  "Note.md",
  "A/Note.md",
  "A/deep/Other.md",
  "B/Other.md",
  "B/Sub/Note.md",
  "Projects/2025/Plan.md",
  "Straße.md",
  "Caf\u00e9.md",
  "a.b.md",
  "img.png",
  "A/img.png",
  "img.png.md",
  "Board.canvas",
  "name",
  "name.md",
  "x.md.md",
  "Only/One.md",
  "case.md",
  "CASE.md",
  "No\u00a0break.md",
];
const VAULT = filesOf(...PATHS);

describe("where a link leads", () => {
  it.each([
    // Exact path from the root.
    ["Note", "Home.md", "Note.md"],
    ["Note", "A/x.md", "Note.md"],
    ["A/Note", "B/x.md", "A/Note.md"],
    ["A/Note.md", "B/x.md", "A/Note.md"],
    ["/A/Note", "B/x.md", "A/Note.md"],
    ["/Other", "B/x.md", undefined],
    // Base name and the end of a path.
    ["One", "Home.md", "Only/One.md"],
    ["one.MD", "Home.md", "Only/One.md"],
    ["2025/plan", "Home.md", "Projects/2025/Plan.md"],
    ["025/Plan", "Home.md", undefined],
    ["Projects/Plan", "Home.md", undefined],
    // The nearest of several.
    ["Other", "B/x.md", "B/Other.md"],
    ["Other", "A/x.md", "A/deep/Other.md"],
    ["Other", "A/deep/x.md", "A/deep/Other.md"],
    ["Other", "Home.md", "B/Other.md"],
    ["Other", "C/x.md", "B/Other.md"],
    ["Sub/Note", "A/x.md", "B/Sub/Note.md"],
    // Relative.
    ["./Note", "A/x.md", "A/Note.md"],
    ["../Note", "A/x.md", "Note.md"],
    ["../B/Other.md", "A/x.md", "B/Other.md"],
    ["./../Note", "A/x.md", "Note.md"],
    ["../Note", "x.md", undefined],
    ["./Other", "A/x.md", undefined],
    // Case, Unicode form, blanks.
    ["STRAßE", "x.md", "Straße.md"],
    ["Cafe\u0301", "x.md", "Caf\u00e9.md"],
    [" note ", "x.md", "Note.md"],
    ["No break", "x.md", "No\u00a0break.md"],
    ["case", "x.md", "case.md"],
    ["CASE", "x.md", "CASE.md"],
    // Extensions.
    ["a.b", "x.md", "a.b.md"],
    ["img.png", "x.md", "img.png"],
    ["img.png.md", "x.md", "img.png.md"],
    ["img", "x.md", undefined],
    ["Board", "x.md", undefined],
    ["Board.canvas", "x.md", "Board.canvas"],
    ["name", "x.md", "name"],
    ["name.md", "x.md", "name.md"],
    ["x.md", "x.md", "x.md.md"],
    ["", "A/x.md", "A/x.md"],
    ["  ", "A/x.md", "A/x.md"],
    ["Nothing", "x.md", undefined],
    ["..", "A/x.md", undefined],
    ["/", "A/x.md", undefined],
    ["A/", "x.md", undefined],
  ])("%j from %s is %s", (target, from, to) => expect(resolveLink(target, path(from), VAULT)).toBe(to));

  it("answers for any text", () => {
    const part = fc.constantFrom("Note", "A", ".", "..", "/", "//", ".md", " ", "\u00a0", "\0", "%", "\ud800", "é", "");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const to = resolveLink(parts.join(""), path("A/x.md"), VAULT);
        expect(to === undefined || to === "A/x.md" || PATHS.includes(to)).toBe(true);
      }),
    );
  });
});

describe("the text of a link", () => {
  it.each([
    ["Only/One.md", "One"],
    ["A/Note.md", "A/Note"],
    ["Note.md", "Note"],
    ["B/Other.md", "B/Other"],
    ["A/img.png", "A/img.png"],
    ["Board.canvas", "Board.canvas"],
    ["name.md", "name.md"],
    ["name", "name"],
    ["x.md.md", "x.md"],
    ["case.md", "case"],
  ])("for %s is %s", (to, text) => expect(linkText(path(to), path("x.md"), VAULT)).toBe(text));

  it("always leads back", () => {
    const names = fc.constantFrom(
      "a",
      "a.md",
      "b.md",
      "A.md",
      "a.md.md",
      "x/a.md",
      "x/a",
      "y/x/a.md",
      "x/b.md",
      "p.png",
      "x/p.png",
      "p.png.md",
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(names, { minLength: 1 }),
        fc.constantFrom("q.md", "x/q.md", "y/x/q.md"),
        (paths, from) => {
          const files = filesOf(...paths);
          for (const to of paths)
            expect(resolveLink(linkText(path(to), path(from), files), path(from), files)).toBe(to);
        },
      ),
    );
  });
});

it("names every file a name may mean", () => {
  expect(filesMeant("note", VAULT)).toEqual(["A/Note.md", "B/Sub/Note.md", "Note.md"]);
  expect(filesMeant("img.png", VAULT)).toEqual(["A/img.png", "img.png", "img.png.md"]);
  expect(filesMeant("Sub/Note.md", VAULT)).toEqual(["B/Sub/Note.md"]);
  expect(filesMeant("  ", VAULT)).toEqual([]);
});

it("tells where links would lead after a move", () => {
  const after = renamed(VAULT, new Map([[path("Only/One.md"), path("B/Two.md")]]));
  expect(resolveLink("One", path("x.md"), after)).toBeUndefined();
  expect(resolveLink("Two", path("x.md"), after)).toBe("B/Two.md");
  const named = ["one", "two", "other"].map((stem) => after.named(stem));
  expect(named).toEqual([[], ["B/Two.md"], ["A/deep/Other.md", "B/Other.md"]]);
});
