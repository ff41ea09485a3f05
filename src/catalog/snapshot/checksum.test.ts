import { describe, expect, it } from "vitest";
import { crc32, slowCrc32 } from "./checksum.js";

describe("CRC-32", () => {
  it("gives the check value of the standard, and the same for short and long bytes, in any order of asking", () => {
    expect(crc32(Buffer.from("123456789"))).toBe(0xcbf43926);
    const long = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) & 0xff);
    for (const length of [0, 1, 100, 8_192, 8_193, 100_000, 100]) {
      const bytes = long.subarray(0, length);
      expect(crc32(bytes)).toBe(slowCrc32(bytes));
    }
    expect(crc32(Buffer.from("123456789"))).toBe(0xcbf43926);
  });
});
