import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_NAME_BYTES, safeFileName, shorten, ROOT, storedPath } from "./path.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 200 * FUZZ_FACTOR;

describe("safeFileName", () => {
  test.each([
    ["Buy milk", "Buy milk"],
    ["CON", "CON_"],
    ["con.md", "con_.md"],
    ["nul.tar.md", "nul_.tar.md"],
    ["COM1", "COM1_"],
    ["console", "console"],
    ["a/b", "a-b"],
    ["Plan: phase 2", "Plan - phase 2"],
    ["10:30 call", "10-30 call"],
    ["a:b.md", "a-b.md"],
    ['say "hi" <now>?', "say hi now"],
    ["a\\b|c*d", "a-b-c d"],
    ["[[Link]] #tag ^block %%note%%", "Link tag block note"],
    [".hidden", "hidden"],
    ["..", ""],
    ["...", ""],
    ["???", ""],
    ["///", ""],
    [" \t ", ""],
    ["  padded. . ", "padded"],
    ["two\nlines\tand\u001besc", "two lines andesc"],
    ["zero\u200bwidth \u202eright-to-left\u2066", "zerowidth right-to-left"],
    ["tag\u{e0041}\u{e0042}s", "tags"],
    ["cafe\u0301", "café"],
    ["🎉", "🎉"],
    ["👨‍👩‍👧 family", "👨‍👩‍👧 family"],
    ["\ud800x", "x"],
    ["-rf", "-rf"],
    ["--help", "--help"],
    ["$(id) `id`", "$(id) `id`"],
    ["日本語のタスク", "日本語のタスク"],
  ])("%j becomes %j", (title, name) => expect(safeFileName(title)).toBe(name));

  test("is short enough for `.md` and a number, cut between characters", () => {
    for (const title of [
      "x".repeat(300),
      "漢".repeat(255),
      "👨‍👩‍👧".repeat(40),
      "a\u0301".repeat(200),
      "\u0301".repeat(5000),
    ]) {
      const name = safeFileName(title);
      expect(Buffer.byteLength(`${name} 999.md`)).toBeLessThanOrEqual(MAX_NAME_BYTES);
      expect(Buffer.byteLength(name)).toBeGreaterThan(220);
      expect(name.endsWith("\u200d")).toBe(false);
    }
    expect(shorten("ab👨‍👩‍👧", 8)).toBe("ab");
  });

  test("whatever the title: empty, or a name that a note may have; made twice, the same", () => {
    const title = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc
        .array(fc.constantFrom("con", ".", " ", "/", ":", "%%", "#", "nul", "\u200d", "😀", "-", "a", "\ud83d"), {
          maxLength: 8,
        })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(title, (text) => {
        const name = safeFileName(text);
        if (name === "") return;
        expect(storedPath(ROOT, `${name} 999.md`)).toBe(`${name} 999.md`);
        expect(storedPath(ROOT, `${name}.md`)).toBe(`${name}.md`);
        expect(name).not.toMatch(/[\\/:*?"<>|#^[\]\p{Cc}]|^[. ]|[. ]$/u);
        expect(safeFileName(name)).toBe(name);
      }),
      { numRuns: RUNS },
    );
  });
});
