import { describe, expect, it } from "vitest";
import { linkedVault } from "../../test/kit/linked-vault.js";
import { refusal } from "../../test/kit/task-vault.js";

const FILES = {
  "Note.md": "",
  "A/Note.md": "",
  "A/Other Note.md": "",
  "B/Plan.md": "",
  "C/Plan.md": "",
  "Templates/Daily.md": "---\nx: '{{date}}'\n---\n",
  "D/Daily.md": "",
  "pics/photo 1.png": "",
  "E/Straße.md": "",
  "F/Strasse.md": "",
  "G/ΒΆΣΕΙΣ.md": "",
  "Projects/x.md": "",
  "G/Projects.md": "",
};

describe("the file a reference means", () => {
  it.each([
    ["Note", "Note.md"],
    ["note", "Note.md"],
    ["A/Note", "A/Note.md"],
    ["/A/Note.md", "A/Note.md"],
    ["a/note.MD", "A/Note.md"],
    ["Other Note", "A/Other Note.md"],
    ["  other note.md ", "A/Other Note.md"],
    ["[[Other Note]]", "A/Other Note.md"],
    ["![[Other Note#Head|shown]]", "A/Other Note.md"],
    ["[t](A/Other%20Note.md)", "A/Other Note.md"],
    ["[[B/Plan]]", "B/Plan.md"],
    ["mcp-obsidian://Study/A/Note.md", "A/Note.md"],
    ["mcp-obsidian://Study/A%2FNote", "A/Note.md"],
    ["A/Other%20Note.md", "A/Other Note.md"],
    ["A%2FOther%20Note", "A/Other Note.md"],
    ["photo 1.png", "pics/photo 1.png"],
    ["Daily", "D/Daily.md"],
    ["Templates/Daily", "Templates/Daily.md"],
    ["STRASSE", "F/Strasse.md"],
    ["Straße", "E/Straße.md"],
    ["Βάσεις", "G/ΒΆΣΕΙΣ.md"],
    ["Projects", "G/Projects.md"],
  ])("%s is %s", async (reference, path) => {
    const { links } = linkedVault(FILES);
    expect(await links.find(reference)).toBe(path);
    await links.graph();
    expect(await links.find(reference)).toBe(path);
  });

  it("names the candidates of an ambiguous name", async () => {
    const error = await refusal(linkedVault(FILES).links.find("plan"));
    expect(error).toMatchObject({ code: "AMBIGUOUS_NAME", message: 'Several files are named "plan":' });
    expect(error.candidates?.map(({ id }) => id)).toEqual(["B/Plan.md", "C/Plan.md"]);
  });

  it("names the nearest of an unknown one", async () => {
    const error = await refusal(linkedVault(FILES).links.find("Othr Note"));
    expect(error).toMatchObject({ code: "FILE_NOT_FOUND", message: 'There is no file "Othr Note" in this vault.' });
    expect(error.candidates?.map(({ path }) => path)).toEqual(["A/Other Note.md"]);
  });

  it.each([
    ["", "INVALID_ARGUMENT"],
    ["../out.md", "PERMISSION_DENIED"],
    [".obsidian/app.json", "PERMISSION_DENIED"],
    ["[[../../out]]", "PERMISSION_DENIED"],
    ["mcp-obsidian://Other/Note.md", "INVALID_ARGUMENT"],
    ["mcp-obsidian://Study/..%2F..%2Fetc%2Fpasswd", "PERMISSION_DENIED"],
    ["[[#Heading]]", "INVALID_ARGUMENT"],
    ["a\nb", "INVALID_ARGUMENT"],
    ["note.md/", "INVALID_ARGUMENT"],
    ["..%2fout.md", "PERMISSION_DENIED"],
    ["x..%2fout.md", "FILE_NOT_FOUND"],
  ])("refuses %j with %s", async (reference, code) =>
    expect(await refusal(linkedVault(FILES).links.find(reference))).toMatchObject({ code }),
  );

  it("looks at nothing but the file for a path", async () => {
    const { storage, links } = linkedVault(FILES);
    const fail = (): never => {
      throw new Error("the vault was gone over");
    };
    storage.list = fail;
    storage.readMany = fail;
    expect(await links.find("A/Note")).toBe("A/Note.md");
    expect(await links.find("mcp-obsidian://Study/A/Note.md")).toBe("A/Note.md");
    await expect(links.find("Other Note")).rejects.toThrow("gone over");
  });
});
