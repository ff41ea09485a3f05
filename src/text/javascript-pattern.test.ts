import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPattern, RefusedPattern } from "./javascript-pattern.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const TEXTS = [
  "",
  "abc",
  "Call the bank 2026-11-24",
  "a b",
  "a\u00a0b",
  "tab\tend ",
  "[x] (y) {z}",
  "#tag/sub",
  "Größe ñ 買い物",
  "1/2 p{L} $5.00",
  "aaa\u2003bbb",
  "📅 due",
  "📅",
  "📅📅",
  "a\rb",
  "a\u2028b",
];

const refusal = (pattern: string): string => {
  try {
    readPattern(pattern);
    return "";
  } catch (error) {
    if (error instanceof RefusedPattern) return error.message;
    throw error;
  }
};

describe("a regular expression of a query", () => {
  it.each([
    "/^call/i",
    "/\\d{4}-\\d{2}/",
    "/a\\sb/",
    "/^\\S+$/",
    "/[\\s]/",
    "/[^\\s]b/",
    "/[\\S]/",
    "/[[x]/",
    "/\\[x\\]/",
    "/\\/sub$/",
    "/p{L}/",
    "/\\p{L}/",
    "/\\p{Lu}/u",
    "/\\u00f1/",
    "/\\x41|\\x62/",
    "/(?:foo|bank)\\b/",
    "/(?<year>20\\d\\d)/",
    "/[\\b]|\\t/",
    "/b.b/s",
    "/GRÖ/i",
    "/[a-c]{3}/",
    "/a{,2}/",
    "/\\-|\\#/",
    "/📅/",
    "/[📅]/u",
    "/(a|b)c?/",
    "/^$/",
    "/[]/",
    "/[]c]|[]?b/",
    "/c[^]|[^]{12}/",
    "/^[\\p{L}\\d \\-]+$/v",
    "/[📅]/v",
    "/[📅x]/",
    "/📅+$/",
    "/^.$/",
    "/^.$/u",
    "/^.{2}$/",
    "/^[^a]{2}$/",
    "/^\\W\\S$/",
    "/\\ud83d/",
    "/\\ud83d/u",
    "/^\\ud83d\\udcc5$/",
    "/^\\ud83d\\udcc5+$/u",
    "/a.b/",
    "/a.b/s",
  ])("%s matches what JavaScript's does", (pattern) => {
    const [, source = "", flags = ""] = /^\/(.+)\/([^/]*)$/.exec(pattern) ?? [];
    const [ours, theirs] = [readPattern(pattern), new RegExp(source, flags)];
    for (const text of TEXTS) expect(`${text}: ${ours(text)}`).toBe(`${text}: ${theirs.test(text)}`);
  });

  it.each([
    ["abc", "written /pattern/"],
    ["/(/", "Unterminated group"],
    ["/a/k", "flags"],
    ["/a/y", "flags"],
    ["/[[a-c]&&b]/v", "beyond the engine"],
    ["/[a--b]/v", "beyond the engine"],
    ["/(?=a)b/", "looks around"],
    ["/(?<!a)b/", "looks around"],
    ["/(a)\\1/", "refers back"],
    ["/(?<a>x)\\k<a>/", "refers back"],
    ["/(a+)+/", "refuses as slow"],
    ["/((a+)b)*/", "refuses as slow"],
    ["/(\\d{4}-)?x/", "refuses as slow"],
    [`/${"a?".repeat(26)}/`, "more than 25"],
    [`/${"a".repeat(501)}/`, "501 characters"],
  ])("%s is refused", (pattern, reason) => expect(refusal(pattern)).toContain(reason));

  it("means the same in both engines, or is refused", () => {
    const part = fc.constantFrom(
      "a",
      "b",
      ".",
      "\\s",
      "\\S",
      "\\d",
      "\\w",
      "\\b",
      "[ab]",
      "[^\\s]",
      "(a|b)",
      "^",
      "$",
      "|",
      "x?",
      "b+",
      "[[]",
      "\\.",
      "(?:a b)",
      "ö",
      "\\u00f6",
      "📅",
      "[📅a]",
      "\\udcc5",
    );
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("", "i", "u", "iu"),
        fc.string({ unit: fc.constantFrom("a", "b", "A", " ", "\u00a0", "x", "1", ".", "ö", "Ö", "[", "📅") }),
        (parts, flags, text) => {
          const pattern = `/${parts.join("")}/${flags}`;
          fc.pre(refusal(pattern) === "");
          expect(readPattern(pattern)(text)).toBe(new RegExp(parts.join(""), flags).test(text));
        },
      ),
      { numRuns: 400 * FUZZ_FACTOR },
    );
  });
});
