/** Sentences and words, in scripts with and without blanks between words. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWords, sentencesOf, wordCount } from "./summary.js";
import { expectLinear } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 100 * FUZZ_FACTOR;

describe("sentences", () => {
  it.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["Dr. Smith met J. Doe, e.g. In Paris. Then he left.", ["Dr. Smith met J. Doe, e.g. In Paris.", "Then he left."]],
    ["It costs 3.14 at v1.2.3 of node.js. Fine", ["It costs 3.14 at v1.2.3 of node.js.", "Fine"]],
    ['He said "No." She left.', ['He said "No."', "She left."]],
    ["金曜日に送る。次は来週！質問？", ["金曜日に送る。", "次は来週！", "質問？"]],
    ["See example.org/a?x=1&y=2#z. Then go.", ["See example.org/a?x=1&y=2#z.", "Then go."]],
    ["", []],
    ["  ", []],
  ])("of %j", (text, expected) => expect(sentencesOf(text)).toEqual(expected));

  it.each(["A. ", "Dr. ", "...", "?!", ". A", "“", "a.b"])("are found in linear time: %s", async (piece) => {
    await expectLinear((count) => sentencesOf(piece.repeat(count)), 60_000);
  });

  it("lose no word, however long the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Word.", "next", "日本語。", "Dr.", "A", "😀!"), { maxLength: 2000 }),
        (words) => {
          expect(sentencesOf(words.join(" ")).join(" ").split(" ")).toEqual(words.join(" ").split(" "));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("words", () => {
  it.each([
    ["one two  three", 3],
    ["don't e-mail me — ever", 5],
    ["", 0],
    ["中文分词测试", 3],
    ["see 日本語 now", 3],
    ["สวัสดีชาวโลก", 3],
    ["한국어 단어", 2],
  ])("in %j", (text, count) => expect(wordCount(text)).toBe(count));

  it("are counted only as far as asked", () => {
    expect(wordCount("a b c d", 2)).toBe(3);
    expect(wordCount("日本語の文章を分割する".repeat(100_000), 10)).toBe(11);
  });

  it("make a beginning that has just so many", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("word", "日本語の文章を分割する", "中文分词测试", "end."), { maxLength: 40 }),
        fc.nat(60),
        (words, count) => {
          const text = words.join(" ");
          const start = firstWords(text, count);
          expect(text.startsWith(start)).toBe(true);
          expect(wordCount(start)).toBe(Math.min(count, wordCount(text)));
        },
      ),
      { numRuns: RUNS },
    );
  });
});
