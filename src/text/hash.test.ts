import * as fc from "fast-check";
import { expect, it } from "vitest";
import { hashText, isHash, shownHash } from "./hash.js";

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

it.each([
  ["26b891b4bc47aefa965d10ccb1bf3ce059bdc7dc3ae8388bbc37382171d2a9c7", "26b891b4bc"],
  ["3-917fa2381192822767f010b95b437b98", "3-917fa23811"],
  ["1a-mf3k9x2", "1a-mf3k9x2"],
])("of %s answers show %s, which callers give back", (hash, shown) => {
  expect([shownHash(hash), isHash(shown, hash), isHash(hash, hash)]).toEqual([shown, true, true]);
  expect([isHash(hash.slice(0, 6), hash), isHash(`${shown.slice(0, -1)}z`, hash)]).toEqual([hash.length < 7, false]);
});
