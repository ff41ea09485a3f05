import * as fc from "fast-check";
import { expect, it } from "vitest";
import { hashText } from "./hash.js";

it("is short, the same for the same text, and another for another", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      expect(hashText(one)).toMatch(/^[0-9a-f]{16}$/);
      expect(hashText(one) === hashText(other)).toBe(one === other);
    }),
  );
});

it("tells texts apart that differ in one character", () => {
  const text = "status: done\n".repeat(20);
  const hashes = Array.from(text, (_, at) => hashText(`${text.slice(0, at)}#${text.slice(at + 1)}`));
  expect(new Set(hashes).size).toBe(text.length);
});
