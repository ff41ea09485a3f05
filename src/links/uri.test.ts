import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVaultError } from "../errors.js";
import { vaultPath } from "../storage/path.js";
import { isNoteUri, noteUri, parseNoteUri } from "./uri.js";

const codeOf = (text: string): string => {
  try {
    return parseNoteUri(text, "My Vault");
  } catch (error) {
    return isVaultError(error) ? error.code : String(error);
  }
};

describe("URIs of notes", () => {
  it("encodes each part and keeps slashes", () =>
    expect(noteUri("My Vault", vaultPath("Ordner/Fünf & 20%?#.md"))).toBe(
      "mcp-obsidian://My%20Vault/Ordner/F%C3%BCnf%20%26%2020%25%3F%23.md",
    ));

  it.each([
    ["mcp-obsidian://My%20Vault/a/b.md", "a/b.md"],
    ["mcp-obsidian://My Vault/a b.md", "a b.md"],
    ["MCP-Obsidian://my%20vault/a.md", "a.md"],
    ["mcp-obsidian://My%20Vault/a%2Fb.md", "a/b.md"],
    ["mcp-obsidian://My%20Vault/a.md?x#y", "a.md"],
    ["mcp-obsidian://My%20Vault/%252e%252e/a.md", "%2e%2e/a.md"],
    ["mcp-obsidian://My%20Vault/..%2F..%2Fetc%2Fpasswd", "PERMISSION_DENIED"],
    ["mcp-obsidian://My%20Vault/.obsidian/app.json", "PERMISSION_DENIED"],
    ["mcp-obsidian://My%20Vault/a%00.md", "INVALID_ARGUMENT"],
    ["mcp-obsidian://My%20Vault/%E9.md", "INVALID_ARGUMENT"],
    ["mcp-obsidian://My%20Vault/", "INVALID_ARGUMENT"],
    ["mcp-obsidian://My%20Vault", "INVALID_ARGUMENT"],
    ["mcp-obsidian://OTHER/a.md", "INVALID_ARGUMENT"],
    ["file:///etc/passwd", "INVALID_ARGUMENT"],
    ["", "INVALID_ARGUMENT"],
  ])("%s is %s", (uri, meant) => expect(codeOf(uri)).toBe(meant));

  it("does not echo what it refuses", () =>
    expect(() => parseNoteUri("mcp-obsidian://SECRET/x.md", "V")).toThrow(/^The URI names another vault\.$/));

  it("reads back what it writes", () => {
    const name = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .map((text) => text.replace(/[/\\\p{Cc}\p{Cs}:]/gu, "x"));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), name, (names, id) => {
        const path = vaultPath(names.map((part) => `n${part}n`).join("/"));
        const uri = noteUri(id, path);
        expect(isNoteUri(uri)).toBe(true);
        expect(parseNoteUri(uri, id)).toBe(path);
      }),
    );
  });
});
