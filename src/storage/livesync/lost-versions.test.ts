import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";
import { mergedVersions } from "./lost-versions.js";

const merge = (base: string, ours: string, theirs: string): string | undefined => {
  const bytes = mergedVersions(Buffer.from(base), Buffer.from(ours), Buffer.from(theirs));
  return bytes && Buffer.from(bytes).toString();
};

it.each([
  ["a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n"],
  ["a\nb\nc\n", "a\nb\nc\nour\n", "A\nb\nc\n", "A\nb\nc\nour\n"],
  ["a\n", "a\nours\n", "a\ntheirs\n", "a\ntheirs\nours\n"],
  ["é\nb\n", "é\nü\nb\n", "é\n", "é\nü\n"],
  ["a\nb\nc\n", "a\nB\nc\n", "A\nb\nc\n", "A\nB\nc\n"],
  ["a\nb\nc\n", "A\nb\nc\n", "a\nB\nC\n", "A\nB\nC\n"],
  ["a\nb", "a\nb\nours", "A\nb", "A\nb\nours"],
  ["a\nb\nc\n", "a\nours\nb\nc\n", "a\nB\nc\n", "a\nours\nB\nc\n"],
  ["a\nb\nc\n", "a\nB\nC\n", "A\nb!\nc\n", undefined],
  ["a\nb\n", "A\nb\n", "a!\nb\n", undefined],
  ["a\nb\n", "a\n", "a\nb!\n", undefined],
  ["", "x\n", "", "x\n"],
  ["a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\nours\n", "a\nb\nC\nd\ne\ntheirs\n", "A\nb\nC\nd\ne\ntheirs\nours\n"],
  ["a\nb\nc\n", "a\nB\nc\nx\n", "a\nB\nc\n", "a\nB\nc\nx\n"],
  ["a\n", "a\nours\n", "a\ntheirs\nours\n", "a\ntheirs\nours\n"],
])("of %j one made %j and the other %j: %j", (base, ours, theirs, expected) => {
  expect(merge(base, ours, theirs)).toBe(expected);
});

it("keeps each change where the other made none", () => {
  const text = array(constantFrom("a\n", "b\n", "c ü\n"), { maxLength: 6 }).map((lines) => lines.join(""));
  assert(
    property(text, text, (base, changed) => {
      expect(merge(base, changed, base)).toBe(changed);
      expect(merge(base, base, changed)).toBe(changed);
    }),
  );
});
