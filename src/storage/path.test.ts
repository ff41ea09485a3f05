import nodePath from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isVaultError } from "../errors.js";
import {
  assertWritable,
  baseName,
  extensionOf,
  folderOf,
  folderPath,
  foldName,
  isHidden,
  isMarkdown,
  isObsidianConfig,
  joinPath,
  numberedPath,
  ROOT,
  storedPath,
  vaultPath,
  type VaultPath,
} from "./path.js";
import { trashPath } from "./trash.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 200 * FUZZ_FACTOR;

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  PERMISSION_DENIED: [
    "../out.md",
    "notes/../../out.md",
    "a/b/../../../out.md",
    "notes/../ok.md",
    "..",
    "a/..",
    "/..",
    "/../x",
    "..\\out.md",
    "notes\\..\\..\\out.md",
    ".. /out.md",
    "...",
    "../vault-evil/s.md",
    "..\\",

    "C:\\Windows\\win.ini",
    "C:x.md",
    "c:/x.md",
    "/C:/x.md",
    "a/C:/x.md",
    "\\\\host\\share\\x.md",
    "//host/share/x.md",
    "....//out.md",
    ".../out.md",
    "..;/out.md",
    ".obsidian/app.json",
    ".git/hooks/post-commit",
    ".trash/old.md",
    "sub/.hidden/x.md",
    ".env",
    ".ssh/id_rsa",
    "\u200c.obsidian/app.json",
    "\ufeff.git/config",
    "a/\u202e.x",
  ],
  INVALID_ARGUMENT: [
    "",
    "/",
    ".",
    "./",
    "./a.md",
    "a/./b.md",
    "   ",
    "a/ /b.md",
    "a//b.md",
    "note.md/",
    "a/",
    "note.md\u0000.png",
    "\u0000",
    "a\nb.md",
    "a\tb.md",
    "a\u001b.md",
    "a\u0085.md",
    "a\u007f.md",
    "\ud800",
    "a/\udc00.md",
    "a\\b.md",

    "CON",
    "aux.md",
    "NUL",
    "COM1",
    "LPT9.txt",
    "con.md",
    "nul.tar.md",
    "a/prn/b.md",
    "com¹.md",
    "nul   .md",
    "CONIN$",
    "x".repeat(5000),
    "x".repeat(300),
    `${"x".repeat(253)}.md`,
    "漢".repeat(86),
    "a/".repeat(2100) + "b.md",
  ],
};

describe("vaultPath", () => {
  for (const [code, texts] of Object.entries(REFUSED)) {
    test.each(texts.map((text) => [JSON.stringify(text).slice(0, 60), text]))(`refuses %s: ${code}`, (_shown, text) => {
      const error = refusalOf(() => vaultPath(text));
      expect(isVaultError(error) && error.code).toBe(code);
      if (!isVaultError(error)) return;
      expect(error.hint).toBeTruthy();
      if (/^[\w./]{5,}$/.test(text)) expect(`${error.message} ${error.hint}`).not.toContain(text);
    });
  }

  test.each([
    ["/etc/passwd", "etc/passwd"],
    ["notes/a.md", "notes/a.md"],
    ["/notes/a.md", "notes/a.md"],
    ["%2e%2e%2fout.md", "%2e%2e%2fout.md"],
    ["..%2fout.md", undefined],
    ["a..b/c...d.md", "a..b/c...d.md"],
    ["Ü/😀 note.md", "Ü/😀 note.md"],
    ["cafe\u0301.md", "cafe\u0301.md"],
    ["12:30 call.md", "12:30 call.md"],
    ["-rf", "-rf"],
    ["$(id).md", "$(id).md"],
    ["console.md", "console.md"],
    ["com10.md", "com10.md"],
    ["__proto__", "__proto__"],
    [`${"x".repeat(252)}.md`, `${"x".repeat(252)}.md`],
  ])("%s", (text, expected) => {
    if (expected === undefined) expect(() => vaultPath(text)).toThrow();
    else expect(vaultPath(text)).toBe(expected);
  });

  test("hidden paths are open on request, `..` never is", () => {
    expect(vaultPath(".obsidian/app.json", { allowHidden: true })).toBe(".obsidian/app.json");
    for (const text of ["..", ".", "../x", "a/.. /x", "a/./x"]) {
      expect(() => vaultPath(text, { allowHidden: true })).toThrow();
    }
  });

  test("a colon behind a letter is part of a name in a folder, and a drive at the beginning or alone", () => {
    expect(vaultPath("Odd/a:b.md")).toBe("Odd/a:b.md");
    expect(storedPath(vaultPath("Odd"), "c: d.md")).toBe("Odd/c: d.md");
    expect([storedPath(ROOT, "a:b.md"), storedPath(vaultPath("Odd"), "C:")]).toEqual([undefined, undefined]);
  });

  test("no accepted path leaves the vault, on any platform", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "/",
        "\\",
        "a",
        "C:",
        ".obsidian",
        " ",
        "\0",
        "%2e",
        "con",
        "\ud800",
        "~",
        "\u200c.x",
        "//",
        "...",
      ),
      fc.string({ unit: "grapheme", maxLength: 4 }),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, fc.boolean(), (candidate, allowHidden) => {
        const path = acceptedOr(() => vaultPath(candidate, { allowHidden }));
        if (path === undefined) return;
        for (const [platform, root] of [
          [nodePath.posix, "/srv/vault"],
          [nodePath.win32, "D:\\srv\\vault"],
        ] as const) {
          expect(platform.resolve(root, path).startsWith(root + platform.sep)).toBe(true);
        }
        expect(vaultPath(path, { allowHidden })).toBe(path);
        if (!allowHidden) expect(isHidden(path)).toBe(false);
        const folder = folderOf(path);
        expect(joinPath(folder, baseName(path))).toBe(path);
        expect(storedPath(folder, baseName(path), { allowHidden })).toBe(path);
      }),
      { numRuns: RUNS },
    );
  });
});

test("folderPath: the vault itself, and one slash at the end", () => {
  for (const text of ["", "/", ".", "./"]) expect(folderPath(text)).toBe(ROOT);
  expect(folderPath("a/b/")).toBe("a/b");
  expect(folderPath("/a")).toBe("a");
  for (const text of ["a//", "//", "..", "../", ".obsidian/"]) expect(() => folderPath(text)).toThrow();
});

test("storedPath: names on disk that no path could say", () => {
  expect(storedPath(ROOT, "a.md")).toBe("a.md");
  expect(storedPath("b" as VaultPath, "a.md")).toBe("b/a.md");
  for (const name of ["..", ".", "", "a/b", "a\\b.md", "a\nb.md", ".x", "nul.md", "\ud800", "x".repeat(256)]) {
    expect(storedPath(ROOT, name)).toBeUndefined();
  }
  expect(storedPath("a/".repeat(2040).slice(0, -1) as VaultPath, "long note name.md")).toBeUndefined();
});

test("parts of a path", () => {
  const path = vaultPath("a/b/Note.v2.MD");
  expect([folderOf(path), baseName(path), extensionOf(path), isMarkdown(path)]).toEqual([
    "a/b",
    "Note.v2.MD",
    ".md",
    true,
  ]);
  expect([folderOf(vaultPath("x")), baseName(vaultPath("x")), extensionOf(vaultPath("x"))]).toEqual([ROOT, "x", ""]);
  expect(extensionOf(vaultPath(".md", { allowHidden: true }))).toBe("");
  expect(numberedPath(path, 2)).toBe("a/b/Note.v2 2.MD");
});

test.each([
  ".obsidian",
  ".obsidian/app.json",
  ".Obsidian/x",
  "a/.OBSIDIAN/x",
  ".obsidian.vimrc",
  ".obsidian-mobile/plugins/x",
  "\u200c.obsidian/x",
])("writing to %s is refused whatever the rules", (text) => {
  expect(isObsidianConfig(text as VaultPath)).toBe(true);
  expect(
    isVaultError(
      refusalOf(() => assertWritable(text as VaultPath)),
      "PERMISSION_DENIED",
    ),
  ).toBe(true);
});

test("writing elsewhere is not", () => {
  for (const text of ["obsidian/a.md", ".trash/a.md", "about .obsidian.md"]) {
    expect(isObsidianConfig(text as VaultPath)).toBe(false);
  }
});

describe("foldName", () => {
  test.each([
    ["Foo", "foo"],
    ["Βάσεις", "ΒΆΣΕΙΣ"],
    ["ς", "σ"],
    ["café", "CAFE\u0301"],
    ["ΟΔΟΣ", "οδος"],
    ["İstanbul", "i\u0307stanbul"],
    ["K", "k"],
  ])("%s is %s", (one, other) => expect(foldName(one)).toBe(foldName(other)));
  test("does not confuse others", () => expect(new Set(["a", "b", "ä", "ss", "ß", "s"].map(foldName)).size).toBe(6));
  test("folding twice changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
      { numRuns: RUNS },
    );
  });
});

test("trashPath keeps the folder, numbers what is taken, and keeps names short enough", () => {
  expect(trashPath(vaultPath("a/note.md"))).toBe(".trash/a/note.md");
  expect(trashPath(vaultPath("a/note.md"), 2)).toBe(".trash/a/note 2.md");
  expect(trashPath(vaultPath("a.b/note"), 3)).toBe(".trash/a.b/note 3");
  expect(trashPath(".trash/x.md" as VaultPath, 2)).toBe(".trash/x 2.md");
  const long = baseName(trashPath(vaultPath(`${"漢".repeat(84)}.md`), 12));
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255);
  expect(long).toMatch(/ 12\.md$/);
});

function refusalOf(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

function acceptedOr(make: () => VaultPath): VaultPath | undefined {
  try {
    return make();
  } catch (error) {
    if (isVaultError(error)) return undefined;
    throw error;
  }
}
