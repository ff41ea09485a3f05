import { deflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressed, decompressed } from "./join-chunks.js";

const MARK = "\u000eLZ\u001d";

describe("compression", () => {
  it("gives any piece back, wanted or not, and is never longer than the piece", () => {
    const base64 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    const marked = fc.string().map((text) => `${MARK}${text}`);
    const piece = fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), fc.lorem(), base64, marked);
    fc.assert(
      fc.property(piece, fc.boolean(), (text, wanted) => {
        const data = compressed(text, wanted);
        expect(decompressed(data)).toBe(text);
        if (!text.startsWith(MARK)) expect(data.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it("only when wanted and shorter", () => {
    const text = "the same again and again, ".repeat(20);
    expect(compressed(text, false)).toBe(text);
    expect(compressed(text, true)).toMatch(/^\u000eLZ\u001d[A-Za-z0-9+/]+=*$/);
    expect(compressed("short", true)).toBe("short");
  });

  it("takes base64 as the bytes it is, but not a text that only looks like it", () => {
    expect(compressed(Buffer.alloc(300).toString("base64"), true)).toMatch(/^\u000eLZ\u001d~/);
    expect(compressed("a".repeat(301), true)).not.toContain("~");
    expect(compressed(`${"abcd".repeat(50)}\n`, true)).not.toContain("~");
  });

  it("refuses what inflates without measure, and what is no deflated data", () => {
    const bomb = deflateRawSync(Buffer.alloc(65 * 1024 * 1024)).toString("base64");
    expect(() => decompressed(`${MARK}${bomb}`)).toThrow();
    expect(() => decompressed(`${MARK}${Buffer.from("\u0007nonsense").toString("base64")}`)).toThrow();
  });
});
