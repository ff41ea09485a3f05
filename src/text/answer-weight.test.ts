import { encode } from "gpt-tokenizer/encoding/o200k_base";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_WEIGHT, endWithin, weightOf } from "./answer-weight.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const lines = (make: (number: number) => string): string => Array.from({ length: 3000 }, (_, n) => make(n)).join("\n");

/** What notes and answers are made of, each much longer than an answer. */
const TEXTS: Readonly<Record<string, string>> = {
  English: "We talked about the project's progress and decided to end all tests by next Wednesday. ".repeat(500),
  German: "Wir haben über den Fortschritt gesprochen und größere Änderungen beschlossen. ".repeat(500),
  Russian: "Мы обсудили ход проекта и решили завершить все испытания. ".repeat(500),
  Japanese: "議事録の詳細は別紙を参照してください。次回は金曜日に開催予定です。".repeat(500),
  Chinese: "我们今天讨论了项目的进展情况,并决定下周三之前完成测试。".repeat(500),
  Thai: "การประชุมวันนี้เราได้หารือเกี่ยวกับความคืบหน้าของโครงการ".repeat(500),
  emoji: "👩‍👩‍👧🚀🎉🏷️🔗✅".repeat(2000),
  paths: lines((n) => `Daily/2026/note ${10_000 + n}.md`),
  links: lines((n) => `- [[Folder/Note ${n}|alias]] #tag/x${n}`),
  tables: "| a | b | c |\n|---|---|---|\n| 1 | 2.5 | x |\n".repeat(2000),
  symbols: lines((n) => `${n * 7919} {}[]()<>?!@#$%^&*;:,./|~ q${n}x`),
  capitals: "AXQZ KWPV JRTB ".repeat(3000),
  URIs: "%E4%BC%9A%E8%AD%B0%E3%83%A1%E3%83%A2".repeat(1500),
  JSON: lines((n) => JSON.stringify({ path: `a/b ${n}.md`, line: n, context: "some text" })),
};

describe("an answer's weight", () => {
  it.each(Object.entries(TEXTS))("is about 8,000 tokens and never 10,000: %s", (_, text) => {
    const shown = text.slice(0, endWithin(text, 0, ANSWER_WEIGHT));
    expect(shown.length).toBeLessThan(text.length);
    expect(encode(shown).length).toBeLessThan(9500);
    expect(encode(shown).length).toBeGreaterThan(2000);
  });
});

describe("a text that is cut", () => {
  it("weighs what was asked for, splits no character, and says where it ends", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.nat(60), fc.integer({ min: 1, max: 80 }), (text, from, most) => {
        const start = Math.min(from, text.length);
        const end = endWithin(text, start, most);
        const shown = text.slice(start, end);
        expect(weightOf(shown)).toBeLessThan(most + 6);
        if (end < text.length) expect(weightOf(text.slice(start, end + 2))).toBeGreaterThanOrEqual(most);
        expect(/^[\udc00-\udfff]/.test(text.slice(end)) && /[\ud800-\udbff]$/.test(text.slice(0, end))).toBe(false);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });
});
