import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, foldWhole } from "./fold.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

describe("fold", () => {
  it.each([
    ["Ångström", "angstrom"],
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["Øl og Łódź", "ol og lodz"],
    ["İstanbul ISPARTA ısı", "istanbul isparta isi"],
    ["ΟΔΟΣ", "οδοσ"],
    ["Ёлка", "елка"],
    ["ＡＢＣ１２３", "abc123"],
    ["ﬁle", "file"],
    ["מְנַהֵל", "מנהל"],
    ["مُـــدِير", "مدير"],
    ["❤️", "❤"],
    ["co\u00adop\u200bera\u200dte", "cooperate"],
  ])("%s becomes %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("folds by table as it folds at length, whatever stands side by side", () => {
    const ranges: readonly (readonly [number, number])[] = [
      [0x20, 0x2af],
      [0x300, 0x52f],
      [0x1e00, 0x1fff],
      [0x2000, 0x2bff],
      [0xfe00, 0xfe0f],
      [0x1f000, 0x1faff],
    ];
    for (const [first, last] of ranges)
      for (let code = first; code <= last; code++) {
        const text = `a${String.fromCodePoint(code)}A${String.fromCodePoint(code)}`;
        expect([code, fold(text)]).toEqual([code, foldWhole(text)]);
      }
    const character = fc.oneof(
      ...ranges.map(([min, max]) => fc.integer({ min, max }).map((code) => String.fromCodePoint(code))),
    );
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => fold(text) === foldWhole(text)),
      { numRuns: 300 * FUZZ_FACTOR },
    );
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => fold(text) === foldWhole(text)));
  });

  it("keeps marks that make another letter, and whole Hangul syllables", () => {
    expect(fold("がぎ")).toBe("がぎ");
    expect(fold("ｶﾞ")).toBe("ガ");
    expect(fold("한국어")).toBe("한국어");
    expect(fold("हिन्दी")).toBe("हिन्दी".normalize("NFC"));
  });

  it("treats composed and decomposed text alike", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        (text) => fold(text.normalize("NFD")) === fold(text.normalize("NFC")),
      ),
    );
  });

  it("changes nothing when applied again", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => fold(fold(text)) === fold(text)),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });
});
