/** Line edits: the rules by example, and edit scripts against a model that knows lines only as a list. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { insertLines, lineCount, linesOf, replaceOnly } from "./line-edit.js";
import { expectLinear } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

/** Multiplies the runs of the properties: `FUZZ_FACTOR=300` makes 90,000 edits of each kind. */

describe("lines", () => {
  it.each([
    ["", []],
    ["\uFEFF", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\nb", ["a", "b"]],
    ["\n", [""]],
    ["a\n\n", ["a", ""]],
    ["a\r\nb\r\n", ["a\r", "b\r"]],
    ["\uFEFFa\n", ["a"]],
    ["a\u2028b\u0085c\rd\n", ["a\u2028b\u0085c\rd"]],
  ])("of %j are %j", (text, lines) => {
    expect(linesOf(text)).toEqual(lines);
    expect(lineCount(text)).toBe(lines.length);
  });
});

describe("inserting", () => {
  it.each([
    ["at the beginning", "a\nb\n", 0, "x", "x\na\nb\n"],
    ["in the middle", "a\nb\n", 1, "x", "a\nx\nb\n"],
    ["at the end", "a\nb\n", 2, "x", "a\nb\nx\n"],
    ["with a final newline of its own", "a\nb\n", 1, "x\n", "a\nx\nb\n"],
    ["several lines", "a\nb\n", 1, "x\n\ny\n", "a\nx\n\ny\nb\n"],
    ["an empty line", "a\nb\n", 1, "", "a\n\nb\n"],
    ["a newline is one empty line", "a\nb\n", 1, "\n", "a\n\nb\n"],
    ["after a last line without newline", "a\nb", 2, "x\n", "a\nb\nx"],
    ["before a last line without newline", "a\nb", 1, "x", "a\nx\nb"],
    ["into a file with Windows line ends", "a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"],
    ["after its unended last line", "a\r\nb", 2, "x\n", "a\r\nb\r\nx"],
    ["Windows line ends into a Unix file", "a\nb\n", 1, "x\r\ny\r\n", "a\nx\ny\nb\n"],
    ["after a byte order mark", "\uFEFFa\n", 0, "x", "\uFEFFx\na\n"],
    ["into an empty file", "", 0, "x", "x"],
    ["into an empty file, ended", "", 0, "x\n", "x\n"],
    ["nothing into an empty file", "", 0, "", "\n"],
    ["into a file with only a byte order mark", "\uFEFF", 0, "x\n", "\uFEFFx\n"],
    ["patterns that mean nothing", "a\n", 1, "$& $1 $$ $`", "a\n$& $1 $$ $`\n"],
  ])("%s", (_, text, after, addition, expected) => expect(insertLines(text, after, addition)).toBe(expected));

  it.each([-1, 3, 1.5, 2 ** 53, Number.NaN, Infinity])("refuses line %j of two", (line) =>
    expect(() => insertLines("a\nb\n", line, "x")).toThrow(RangeError),
  );
});

describe("replacing", () => {
  it.each([
    ["a word", "one two\n", "two", "2", "one 2\n", 1],
    [
      "with blanks that do not break, which stay",
      "1\u00a0km\u202frun\n",
      "1 km run",
      "2 km run",
      "2\u00a0km\u202frun\n",
      1,
    ],
    ["with decomposed accents", "a\ncafe\u0301 au lait\n", "café au", "the au", "a\nthe au lait\n", 2],
    ["with accents of both kinds", "café cafe\u0301", "café café", "tea", "tea", 1],
    ["over Windows line ends", "a\u00a0b\r\nc d\r\n", "a b\nc d", "a b\nc e", "a\u00a0b\r\nc e\r\n", 2],
    ["exactly, where that is there too", "a\u00a0b a b", "a b", "c", "a\u00a0b c", 1],
    ["literally", "a.b\n", "a.b", "$& $1 $$ $` $'", "$& $1 $$ $` $'\n", 1],
    ["away", "a\nb\nc\n", "b\n", "", "a\nc\n", 2],
    ["the first of overlapping places, which count once", "aaa", "aa", "b", "ba", 1],
    ["across Windows line ends", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", 1],
    ["a line break with its CR", "a\r\nb\r\n", "\nb", " b", "a b\r\n", 1],
    ["up to a line break, whose CR stays", "a\r\nb\r\n", "a\nb", "c", "c\r\n", 1],
    ["a word by lines in a file with Windows line ends", "a\r\nb\r\n", "b", "c\nd", "a\r\nc\r\nd\r\n", 2],
    ["Windows line ends sent to a Unix file", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n", 1],
    ["what spells out its line ends", "a\r\nb\r\n", "a\r\nb", "x\ny", "x\r\ny\r\n", 1],
    ["what spells out one of both line ends", "a\nb\r\na\r\nb\r\n", "a\r\nb", "c", "a\nb\r\nc\r\n", 3],
    ["what begins with half a line end", "a\r\nb\r\nc\r\n", "\nb\r\n", "x", "axc\r\n", 1],
    ["a lone CR", "a\rb\r\n", "a\rb", "a\nb", "a\r\nb\r\n", 1],
    ["a lone CR, kept in what replaces it", "a b\n", " ", "\r", "a\rb\n", 1],
    ["in a file of both line ends by those it replaces", "a\nb\r\nc\r\nd\n", "b\nc", "x\ny", "a\nx\r\ny\r\nd\n", 2],
    ["after a byte order mark", "\uFEFFa\n", "a", "b", "\uFEFFb\n", 1],
    ["one emoji of two that share half their code", "😀😁\n", "😁", "x", "😀x\n", 1],
  ])("%s", (_, text, sought, replacement, expected, line) =>
    expect(replaceOnly(text, sought, replacement)).toEqual({ kind: "replaced", text: expected, line }),
  );

  it.each([
    ["abc", "x"],
    ["a\nb", "a\n\nb"],
    ["a\r\nb", "a\n\nb"],
    ["", "x"],
    ["aa\n", "aaa"],
    ["A\n", "a"],
    ["a\u00a0b", "ab"],
  ])("in %j finds no %j", (text, sought) => expect(replaceOnly(text, sought, "y")).toEqual({ kind: "none" }));

  it.each([
    ["a\nb\na\n", "a", 2, [1, 3]],
    ["aaaa", "aa", 2, [1, 1]],
    ["a\nb\na\r\nb\n", "a\nb", 2, [1, 3]],
    ["x\n".repeat(500), "x", 500, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])("in %j finds several %j", (text, sought, count, lines) =>
    expect(replaceOnly(text, sought, "y")).toEqual({ kind: "several", count, lines }),
  );

  it("takes linear time, to 10 MB", async () => {
    await expectLinear((lines) => {
      const text = `${"a line of text\r\n".repeat(lines)}end\r\n`;
      expect(replaceOnly(text, "text\nend", "x")).toMatchObject({ kind: "replaced", line: lines });
      expect(replaceOnly(text, "text\na", "x")).toMatchObject({ kind: "several", count: lines - 1 });
    }, 600_000);
  });
});

/** A file as the model has it: what precedes the lines, and each line with what ends it. */
interface Model {
  readonly mark: string;
  readonly lines: readonly (readonly [line: string, end: string])[];
}

const words = fc.stringMatching(/^[ab😀é$& ]{0,4}$/u);
const model: fc.Arbitrary<Model> = fc
  .record({
    mark: fc.constantFrom("", "\uFEFF"),
    lines: fc.array(fc.tuple(words, fc.constantFrom("\n", "\r\n")), { maxLength: 6 }),
    last: words,
  })
  .map(({ mark, lines, last }) => ({ mark, lines: last === "" ? lines : [...lines, [last, ""] as const] }));
const textOf = ({ mark, lines }: Model) => mark + lines.flat().join("");
const unified = (text: string) => text.replaceAll("\r\n", "\n");

describe("an edit script against the model", () => {
  it("inserts whole lines and leaves every byte around them", () => {
    const addition = fc.array(words, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(model, fc.nat(), addition, fc.constantFrom("", "\n", "\r\n"), (file, seed, added, final) => {
        const text = textOf(file);
        const after = seed % (file.lines.length + 1);
        const result = insertLines(text, after, added.join("\n") + final);
        if (file.lines.length === 0) return;
        const ending = file.lines[0]?.[1] === "\r\n" ? "\r\n" : "\n";
        // A last empty word is the final newline that makes no extra line.
        const sent = final === "" && added.length > 1 && added.at(-1) === "" ? added.slice(0, -1) : added;
        const lines = file.lines.map(([line, end]) => line + end);
        const isUnended = after === lines.length && file.lines.at(-1)?.[1] === "";
        const made = isUnended ? sent.map((line) => ending + line) : sent.map((line) => line + ending);
        expect(result).toBe([file.mark, ...lines.slice(0, after), ...made, ...lines.slice(after)].join(""));
        expect(lineCount(result)).toBe(lines.length + sent.length - (isUnended && sent.at(-1) === "" ? 1 : 0));
      }),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });

  it("replaces what stands in one place, and nothing beside it", () => {
    const part = fc.tuple(model, fc.nat(), fc.nat(), words, fc.constantFrom("", "\n", "\r\n"));
    fc.assert(
      fc.property(part, ([file, seed, length, word, end]) => {
        const text = textOf(file);
        const flat = unified(text);
        const start = flat.length === 0 ? 0 : seed % flat.length;
        const sought = flat.slice(start, start + 1 + (length % 8));
        const replacement = word + end + word;
        if (sought === "") return;
        const result = replaceOnly(text, sought, replacement);
        const parts = flat.split(sought);
        if (parts.length !== 2) {
          expect(result).toMatchObject({ kind: "several", count: parts.length - 1 });
          return;
        }
        if (result.kind !== "replaced") throw new Error(result.kind);
        const [before = "", after = ""] = parts;
        expect(unified(result.text)).toBe(before + unified(replacement) + after);
        expect(result.line).toBe(before.split("\n").length);
        const [head, tail] = [before.length, before.length + sought.length].map((offset) => offsetIn(text, offset));
        expect(result.text.startsWith(text.slice(0, head))).toBe(true);
        expect(result.text.slice(head).endsWith(text.slice(tail))).toBe(true);
      }),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });

  it("is undone by the opposite replacement, byte by byte", () => {
    fc.assert(
      fc.property(model, words, (file, word) => {
        const text = `${textOf(file)}<<${word}>>`;
        const there = replaceOnly(text, `<<${word}>>`, "{{\n}}");
        if (there.kind !== "replaced") throw new Error(there.kind);
        expect(replaceOnly(there.text, "{{\n}}", `<<${word}>>`)).toMatchObject({ kind: "replaced", text });
      }),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });
});

/** Where an offset in the text with unified line ends lies in the text itself. */
function offsetIn(text: string, unifiedOffset: number): number {
  let at = 0;
  for (let passed = 0; passed < unifiedOffset; passed++) at += text.startsWith("\r\n", at) ? 2 : 1;
  return at;
}
