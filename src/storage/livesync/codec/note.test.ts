import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storedPath, vaultPath, ROOT } from "../../path.js";
import { noteId, obfuscationKey, pathOf } from "./note.js";

const plain = { caseSensitive: false, obfuscation: undefined };

describe("ids of notes", () => {
  it.each([
    ["Welcome.md", "welcome.md"],
    ["UPPER Case/MiXeD.md", "upper case/mixed.md"],
    ["_underscore/leading.md", "/_underscore/leading.md"],
    ["folder/_inner.md", "folder/_inner.md"],
    ["日本語/絵文字 🚀 ノート.md", "日本語/絵文字 🚀 ノート.md"],
    ["CAFE\u0301.md", "café.md"],
    ["non\u00a0breaking.md", "non breaking.md"],
    ["ÀÉ.md", "àé.md"],
  ])("%s stands under %s", (path, id) => expect(noteId(vaultPath(path), plain)).toBe(id));

  it("keeps case where case counts", () => {
    expect(noteId(vaultPath("_A/B.md"), { ...plain, caseSensitive: true })).toBe("/_A/B.md");
  });

  it("hides names by the passphrase, without the slash before an underscore", () => {
    const obfuscation = obfuscationKey("correct horse 馬 battery");
    const hidden = (path: string) => noteId(vaultPath(path), { caseSensitive: false, obfuscation });
    expect(hidden("Welcome.md")).toBe("f:4fc10edbae3d36eb91786ddf464f8c88599b4dd87bc559d3130bbb792fe27f5b");
    expect(hidden("_underscore/leading.md")).toBe("f:54b428131660e9e8da47177095a7adffb70d6da9c3190bfbb5d87e62f5c32343");
    expect(hidden("welcome.MD")).toBe(hidden("Welcome.md"));
  });
});

describe("paths of documents", () => {
  it.each(["Welcome.md", "a/b/c d.md", "_x.md"])("gives %s back", (path) => expect(pathOf(path)).toBe(path));

  it("drops the slash before an underscore", () => expect(pathOf("/_x/y.md")).toBe("_x/y.md"));

  it("gives composed letters", () => expect(pathOf("Cafe\u0301.md")).toBe("Café.md"));

  it.each([
    "../x.md",
    "a/../../x.md",
    "/etc/x",
    "//x",
    "a//b.md",
    "a/",
    "",
    ".obsidian/app.json",
    "a/.hidden/x.md",
    "i:.obsidian/plugins/p/main.js",
    "ps:x",
    "C:/x.md",
    "a:b.md",
    "a\\..\\b.md",
    "a\u0000.md",
    "/_../../x",
    "_design/\ud800x",
  ])("shows %j to nobody", (path) => expect(pathOf(path)).toBeUndefined());

  it("gives every path of a vault back as the client spells it, and no two of one spelling share an id", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
        let path = storedPath(ROOT, names[0] ?? "");
        for (const next of names.slice(1)) path &&= storedPath(path, next);
        fc.pre(path !== undefined && !path.includes(":"));
        const spelt = pathOf(path);
        expect(spelt).toBe(path.replaceAll("\u00a0", " ").normalize("NFC"));
        if (spelt !== undefined) expect(noteId(path, plain)).toBe(noteId(spelt, plain));
      }),
    );
  });
});
