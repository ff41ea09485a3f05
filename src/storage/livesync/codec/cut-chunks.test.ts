import { describe, expect, it } from "vitest";
import { chunkIds } from "./cut-chunks.js";

describe("ids of chunks", () => {
  it.each([
    ["xxhash64", "h:37me21jj44pcc", "h:+1ztcqdkimja8x"],
    ["xxhash32", "h:1n069eb", "h:+jsnawm"],
    ["sha1", "h:2pGPxorWFQvCZq2k1uh76tH9ABc=", "h:+GU01wMj2+f/NPVC5z+Rz2gjLIlM="],
  ] as const)("%s, plain and with a passphrase", async (hash, plain, sealed) => {
    expect((await chunkIds(hash, undefined))("helloWorld")).toBe(plain);
    expect((await chunkIds(hash, "test"))("helloWorld")).toBe(sealed);
  });

  it("the legacy hash is that of the dump of 0.24, negative numbers too", async () => {
    const idOf = await chunkIds("legacy", undefined);
    expect(idOf("NFC filename. Größe.\n")).toBe("h:bp5cll");
    expect(idOf("# Deep note\n")).toBe("h:-lhgu3n");
  });

  it("the length counts in UTF-16 units, and the mixed hash has its own way with the passphrase", async () => {
    const { fallbackMixedHashEach } = await import("octagonal-wheels/hash/purejs");
    expect((await chunkIds("mixed", undefined))("🚀")).toBe(`h:${fallbackMixedHashEach("🚀-2")}`);
    const secret = fallbackMixedHashEach("a83hrf7f\u0003y7sa8g31tes");
    expect((await chunkIds("mixed", "test"))("ab")).toBe(`h:+${fallbackMixedHashEach(`ab${secret}2`)}`);
    expect((await chunkIds("legacy", "test"))("x")).toMatch(/^h:\+-?[0-9a-z]+$/);
  });
});
