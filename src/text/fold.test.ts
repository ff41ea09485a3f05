import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "./fold.js";

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

  it("folds Latin-1 letter by letter as it folds them among others", () => {
    const letters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    // The ideograph takes the general way, and folds to itself.
    for (const letter of letters) expect([letter, fold(letter)]).toEqual([letter, fold(`${letter}会`).slice(0, -1)]);
    for (const a of letters) for (const b of letters) expect(fold(a + b)).toBe(fold(`${a}${b}会`).slice(0, -1));
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
      fc.property(fc.string({ unit: "binary" }), (text) => fold(fold(text)) === fold(text)),
      { numRuns: 2_000 },
    );
  });
});
