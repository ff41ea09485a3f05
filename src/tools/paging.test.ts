/** Which lines an answer holds, and what it says of the others. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_WEIGHT, weightOf } from "../text/answer-weight.js";
import { numbered } from "./file-view.js";
import { lineRange, lineWindow, windowNotice } from "./paging.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

describe("a range", () => {
  it.each([
    [undefined, 3, [1, 3]],
    [[1, 3], 3, [1, 3]],
    [[2, -1], 3, [2, 3]],
    [[2, 99], 3, [2, 3]],
    [[3, 3], 3, [3, 3]],
    [undefined, 0, [1, 0]],
    [[1, -1], 0, [1, 0]],
    [[1, 5], 0, [1, 0]],
    [[1, 2 ** 53], 3, [1, 3]],
  ])("%j of %j lines is %j", (asked, count, [first, last]) =>
    expect(lineRange(asked, count, "")).toEqual({ first, last }),
  );

  it.each([
    [[0, 1], "view_range must begin at 1 or later, got 0; 'a.md' has 3 lines."],
    [[-1, -1], "view_range must begin at 1 or later, got -1; 'a.md' has 3 lines."],
    [[4, -1], "view_range begins past the end, at 4; 'a.md' has 3 lines."],
    [[3, 2], "view_range ends (2) before it begins (3): give [2, 3]; 'a.md' has 3 lines."],
    [[1, 0], "view_range ends (0) before it begins (1); 'a.md' has 3 lines."],
    [[1, -2], "view_range ends (-2) before it begins (1); 'a.md' has 3 lines."],
  ])("%j is refused with the line count", (asked, message) =>
    expect(() => lineRange(asked, 3, "'a.md' has 3 lines")).toThrow(message),
  );
});

describe("a window", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}`);

  it("says where to go on, and going on shows every line once", () => {
    const seen: string[] = [];
    let next: number | undefined = 1;
    let answers = 0;
    while (next !== undefined) {
      const window = lineWindow(many, { first: next, last: many.length }, numbered);
      expect(weightOf(window.content)).toBeLessThanOrEqual(ANSWER_WEIGHT);
      seen.push(...window.content.split("\n"));
      next = window.nextLine;
      answers++;
    }
    expect(seen).toEqual(many.map((line, index) => `${index + 1}: ${line}`));
    expect(answers).toBeLessThan(12);
  });

  it("names the lines that are left out", () => {
    const window = lineWindow(many, { first: 1, last: 9000 }, numbered);
    expect(windowNotice(window, 9000)).toBe(
      `\n[… ${window.nextLine} to 9000 are not shown: call view with view_range [${window.nextLine}, 9000]]`,
    );
    expect(windowNotice(lineWindow(["a"], { first: 1, last: 1 }, numbered), 1)).toBe("");
  });

  it("shows a line of nearly an answer's length whole, in an answer of its own", () => {
    const long = "x".repeat(ANSWER_WEIGHT - 10);
    const lines = ["a", long, "b"];
    expect(lineWindow(lines, { first: 1, last: 3 }, numbered)).toMatchObject({ lastLine: 1, nextLine: 2 });
    expect(lineWindow(lines, { first: 2, last: 3 }, numbered)).toMatchObject({ content: `2: ${long}`, nextLine: 3 });
  });

  it("cuts a longer line at a whole character, and says by how much", () => {
    const window = lineWindow(["😀".repeat(10_000), "b"], { first: 1, last: 2 }, numbered);
    expect(Buffer.from(window.content).toString("utf8")).toBe(window.content);
    expect(window.content).toMatch(/^1: (😀)+$/u);
    expect(window).toMatchObject({ lastLine: 1, nextLine: 2, cutCharacters: 20_003 - window.content.length });
    expect(windowNotice(window, 2)).toContain(
      `[… line 1 is cut: ${window.cutCharacters} more characters]\n[… 2 is not shown: call`,
    );
  });

  it("never exceeds an answer, whatever the lines", () => {
    const line = fc.tuple(fc.constantFrom("a", "é", "日", "😀"), fc.integer({ min: 0, max: 9000 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (rows) => {
        const lines = rows.map(([letter, times]) => letter.repeat(times));
        const window = lineWindow(lines, { first: 1, last: lines.length }, numbered);
        expect(weightOf(window.content)).toBeLessThanOrEqual(ANSWER_WEIGHT + 6);
        expect(window.content).not.toMatch(/\p{Surrogate}/u);
        expect(window.nextLine ?? lines.length + 1).toBe(window.lastLine + 1);
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });
});
