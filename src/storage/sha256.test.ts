import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "./crypto.js";
import { sha256Hex } from "./sha256.js";

const native = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("SHA-256", () => {
  it("gives the test values of the standard", () => {
    const hash = (text: string): string => sha256Hex(new TextEncoder().encode(text));
    expect(hash("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(hash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
  });

  it("gives what Node gives, at every length around a block's end", () => {
    for (let length = 0; length <= 260; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 251 + length) & 0xff);
      expect(sha256Hex(bytes)).toBe(native(bytes));
    }
  });

  it("gives what Node gives, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        expect(sha256Hex(bytes)).toBe(native(bytes));
      }),
    );
  });

  it("is the same by either way, for texts and for bytes", () => {
    for (const text of ["_projects/日本.md", "x".repeat(10_000), "\ud800"]) {
      const bytes = Buffer.from(text);
      expect(sha256(text)).toBe(native(bytes));
      expect(sha256(bytes)).toBe(native(bytes));
    }
  });
});
