/** Note text made fit to show: what goes, what stays. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, oneLine, quoted } from "./safe-text.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 200 * FUZZ_FACTOR;

describe("oneLine", () => {
  it.each([
    ["plain", "plain"],
    ["a\nb", "a b"],
    ["a\r\n\r\nb", "a b"],
    ["  a \t b  ", "a b"],
    ["a\u2028b\u2029c\u0085d", "a b c d"],
    ["a\u0000b\u001b[31mc", "a b [31mc"],
    ["a\u200Bb\uFEFFc\u2060d\u00ADe", "abcde"],
    ["a\u202Eb\u2066c\u061Cd", "abcd"],
    ["a\u{E0041}\u{E0042}", "a"],
    ["a\u200Db", "ab"],
    ["\u200D", ""],
    ["a\uFE0F\uFE0F\uFE0Fb", "ab"],
    ["x\uD800y", "x\uFFFDy"],
    ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
    ["❤️‍🔥", "❤️‍🔥"],
    ["☎️ 1️⃣", "☎️ 1️⃣"],
    ["می‌خواهم", "می‌خواهم"],
    ["क्‍ष", "क्‍ष"],
    ["葛\u{E0100}城", "葛\u{E0100}城"],
    ["日本語 café", "日本語 café"],
    ["cafe\u0301", "cafe\u0301"],
  ])("%j gives %j", (text, shown) => expect(oneLine(text)).toBe(shown));

  it("is one line, has no directions in it and is stable, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
        const shown = oneLine(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u{E0000}-\u{E007F}]/u);
        expect(oneLine(shown)).toBe(shown);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("excerpt", () => {
  it.each([
    ["short", "short"],
    ["x".repeat(60), "x".repeat(60)],
    ["x".repeat(61), `${"x".repeat(60)}…`],
    ["😀".repeat(61), `${"😀".repeat(60)}…`],
  ])("%j", (text, shown) => expect(excerpt(text)).toBe(shown));

  it("takes no longer for a long text", () => expect(excerpt("x\n".repeat(5_000_000)).length).toBeLessThan(130));
});

describe("quoted", () => {
  it.each([
    ["a", "~~~\na\n~~~"],
    ["a\r\nb\n", "~~~\na\nb\n~~~"],
    ["~~~~", "~~~~~\n~~~~\n~~~~~"],
    ["\u001b[2Ja\tb", "~~~\n[2Ja\tb\n~~~"],
    ["a\u202Eb", "~~~\nab\n~~~"],
  ])("%j", (text, shown) => expect(quoted(text)).toBe(shown));

  it("has a rule that the text does not contain", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("~", "\n", "a") }), (text) => {
        const lines = quoted(text).split("\n");
        expect(lines.slice(1, -1)).not.toContain(lines[0]);
        expect(lines.at(-1)).toBe(lines[0]);
      }),
      { numRuns: RUNS },
    );
  });
});
