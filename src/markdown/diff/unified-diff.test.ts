/** Unified diffs: whatever a plain diff says of two texts is applied byte for byte, and what does not fit exactly is refused. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { referenceDiff } from "../../../test/kit/reference-diff.js";
import { expectLinear } from "../../../test/kit/processor-time.js";
import { VaultError } from "../../errors.js";
import { applyUnifiedDiff } from "../../notes/patch.js";
import { readUnifiedDiff } from "../unified-diff.js";
import { FUZZ_FACTOR, LONG } from "../../../test/kit/fuzz.js";

const RUNS = 100 * FUZZ_FACTOR;

const apply = (text: string, patch: string) => applyUnifiedDiff(text, readUnifiedDiff(patch));

function refusal(text: string, patch: string): VaultError {
  try {
    apply(text, patch);
  } catch (error) {
    if (error instanceof VaultError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

const NOTE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
const HEAD = "--- a/note.md\n+++ b/note.md\n";

describe("a patch that fits", () => {
  it.each([
    ["changes a line", "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", NOTE.replace("three", "THREE")],
    ["has no file header", "@@ -1 +1 @@\n-one\n+1\n", NOTE.replace("one", "1")],
    ["inserts at the top", "@@ -0,0 +1,2 @@\n+zero\n+half\n", `zero\nhalf\n${NOTE}`],
    ["inserts at the end", "@@ -10 +10,2 @@\n ten\n+eleven\n", `${NOTE}eleven\n`],
    ["deletes lines", "@@ -1,3 +1 @@\n-one\n-two\n three\n", NOTE.replace("one\ntwo\n", "")],
    ["deletes without context", "@@ -9,2 +8,0 @@\n-nine\n-ten\n", NOTE.replace("nine\nten\n", "")],
    [
      "has several hunks",
      "@@ -1,2 +1,3 @@\n one\n+one and a half\n two\n@@ -9,2 +10,1 @@ section text\n nine\n-ten\n",
      NOTE.replace("one\n", "one\none and a half\n").replace("ten\n", ""),
    ],
    [
      "comes from git",
      `diff --git a/note.md b/note.md\nindex 83db48f..bf269f4 100644\n${HEAD}@@ -1 +1 @@\n-one\n+1\n`,
      NOTE.replace("one", "1"),
    ],
    ["ends in blank lines", "@@ -1 +1 @@\n-one\n+1\n\n\n", NOTE.replace("one", "1")],
    ["has no final line end", "@@ -1 +1 @@\n-one\n+1", NOTE.replace("one", "1")],
    ["was sent with CRLF", `${HEAD}@@ -1 +1 @@\n-one\n+1\n`.replaceAll("\n", "\r\n"), NOTE.replace("one", "1")],
    ["takes the last line end away", "@@ -10 +10 @@\n-ten\n+ten\n\\ No newline at end of file\n", NOTE.slice(0, -1)],
  ])("%s", (_name, patch, expected) => expect(apply(NOTE, patch).text).toBe(expected));

  it("goes by what can be seen of the note's lines, and keeps them as they are", () => {
    const note = "10\u00a0km\ncafe\u0301\nend\n";
    expect(apply(note, "@@ -1,3 +1,3 @@\n 10 km\n-café\n+tea\n end\n").text).toBe("10\u00a0km\ntea\nend\n");
  });

  it("counts lines", () =>
    expect(apply(NOTE, "@@ -1,2 +1,3 @@\n-one\n+1\n+1.5\n two\n")).toMatchObject({ added: 2, removed: 1 }));

  it("takes an empty line for an empty line of context", () =>
    expect(apply("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n").text).toBe("a\n\nc\n"));

  it("makes a text of an empty note", () => expect(apply("", "@@ -0,0 +1 @@\n+a\n").text).toBe("a\n"));
  it("empties a note", () => expect(apply("a\n", "@@ -1 +0,0 @@\n-a\n").text).toBe(""));

  it("takes dashes for text where the counts say so", () =>
    expect(apply("-- x\n++ y\n", "@@ -1,2 +1,2 @@\n--- x\n+++ z\n ++ y\n").text).toBe("++ z\n++ y\n"));

  it("adds the line end that was missing", () =>
    expect(apply("a\nb", "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n").text).toBe("a\nb\nc\n"));

  it("keeps CRLF, and gives new lines the same", () =>
    expect(apply("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+b2\n c\n").text).toBe("a\r\nB\r\nb2\r\nc\r\n"));

  it("gives new lines the line end of the line above in a note of both kinds", () =>
    expect(apply("a\nb\r\nc\nd\n", "@@ -2,2 +2,4 @@\n b\n+x\n c\n+y\n").text).toBe("a\nb\r\nx\r\nc\ny\nd\n"));

  it("takes a patch that spells out \\r at its word", () =>
    expect(apply("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n").text).toBe("a\nb\r\n"));

  it("keeps a byte order mark, and lets it be spelt out", () => {
    expect(apply("\uFEFFa\nb\n", "@@ -1 +1 @@\n-a\n+A\n").text).toBe("\uFEFFA\nb\n");
    expect(apply("\uFEFFa\nb\n", "@@ -1 +1 @@\n-\uFEFFa\n+A\n").text).toBe("A\nb\n");
  });

  it.each(["$&", "$1", "$$", "\\1", "__proto__", "\u2028", "a\rb", "\0", "😀"])("takes %j literally", (line) =>
    expect(apply("a\nb\n", `@@ -1 +1 @@\n-a\n+${line}\n`).text).toBe(`${line}\nb\n`),
  );
});

describe("a patch that is refused", () => {
  it.each([
    ["nothing", "", /no hunk/],
    ["blank lines", "\n\n", /no hunk/],
    ["headers only", HEAD, /no hunk/],
    ["context only", "@@ -1,2 +1,2 @@\n one\n two\n", /changes nothing/],
    ["no change", "@@ -1 +1 @@\n-one\n+one\n", /stay as it is/],
    ["no hunk header", `${HEAD}-one\n+1\n`, /no hunk header at line 3 of the patch/],
    ["a hunk header without numbers", "@@ @@\n-one\n+1\n", /header of hunk 1 \(line 1 of the patch\) is not one/],
    ["a hunk header with negative numbers", "@@ --1 +1 @@\n-one\n+1\n", /is not one/],
    ["line 0", "@@ -0 +1 @@\n-one\n+1\n", /names no lines/],
    ["no lines", "@@ -1,0 +1,0 @@\n", /names no lines/],
    ["prose", `Here is the patch:\n${HEAD}@@ -1 +1 @@\n-one\n+1\n`, /line 1 is no part of a unified diff/],
    ["a code fence", "```diff\n@@ -1 +1 @@\n-one\n+1\n```\n", /line 1 is no part/],
    ["text behind", "@@ -1 +1 @@\n-one\n+1\nThanks!\n", /line 4 is no part/],
    ["too few lines", "@@ -1,3 +1,3 @@\n-one\n+1\n two\n", /promises 3 old and 3 new lines; it has 2 and 2\./],
    ["too many lines", "@@ -1 +1 @@\n-one\n+1\n two\n", /Hunk 1 goes on \(line 4 of the patch\)/],
    ["a blank line too many", "@@ -1 +1 @@\n-one\n+1\n\n@@ -3 +3 @@\n-three\n+3\n", /Hunk 1 goes on \(line 4/],
    ["too many new lines", "@@ -1,2 +1 @@\n-one\n+1\n+2\n-two\n", /promises 2 old and 1 new lines; it has 2 and 2\./],
    ["several files", `@@ -1 +1 @@\n-one\n+1\n${HEAD}@@ -1 +1 @@\n-one\n+1\n`, /several files \(line 4/],
    ["a new file", "--- /dev/null\n+++ b/note.md\n@@ -0,0 +1 @@\n+a\n", /would create a note/],
    ["a deletion", "--- a/note.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", /would delete the note/],
    ["git's new file", "diff --git a/n.md b/n.md\nnew file mode 100644\n@@ -0,0 +1 @@\n+a\n", /would create a note/],
    ["git's rename", "diff --git a/n.md b/m.md\nrename from n.md\nrename to m.md\n", /would rename the note/],
    ["a binary patch", "GIT binary patch\n", /binary/],
    ["a combined diff", "@@@ -1,1 -1,1 +1,1 @@@\n--one\n++1\n", /is not one of a unified diff/],
    ["hunks in the wrong order", "@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n", /Hunk 2 .*begins before/],
    ["hunks over another", "@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -2 +2 @@\n-two\n+2\n", /Hunk 2 .*begins before/],
    ["other words", "@@ -2,2 +2,2 @@\n two\n-drei\n+3\n", /Hunk 1 does not fit: line 3 of the note is not what line 3/],
    ["other blanks", "@@ -2,2 +2,2 @@\n two \n-three\n+3\n", /line 2 of the note .* white space only/],
    ["another case", "@@ -2 +2 @@\n-Two\n+2\n", /line 2 of the note .* \(it has other case\)/],
    ["a line behind the end", "@@ -12 +12 @@\n-x\n+y\n", /line 1 of the patch is behind the end .* has 10 lines/],
    ["lines behind the end", "@@ -10,2 +10,2 @@\n ten\n-x\n+y\n", /line 3 of the patch is behind the end .* 10 lines/],
    ["a place where it would be new", "@@ -1 +1,2 @@\n one\n+x\n@@ -5 +5 @@\n-five\n+5\n", /they would be at line 6/],
    [
      "a line end that is not missing",
      "@@ -10 +10 @@\n-ten\n\\ No newline at end of file\n+10\n",
      /does have a line end/,
    ],
    [
      "a missing line end in the middle",
      "@@ -1 +1 @@\n-one\n+1\n\\ No newline at end of file\n",
      /behind one that has no line end/,
    ],
    [
      "two missing line ends",
      "@@ -10 +10,2 @@\n-ten\n+1\n\\ No newline\n+2\n\\ No newline\n",
      /behind one that has no line end/,
    ],
    ["CR where the note has none", "@@ -1 +1 @@\n-one\r\n+1\r\n", /they differ in their line ends only/],
  ])("%s", (_name, patch, message) => {
    const error = refusal(NOTE, patch);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(/\.$/);
    // What a note says is not for error texts and logs.
    expect(error.message).not.toMatch(/two|three|drei|THREE/);
  });

  it("says where the lines are when that is one place", () => {
    const error = refusal(NOTE, "@@ -1,2 +1,3 @@\n one\n+x\n two\n@@ -5,2 +6,1 @@\n seven\n-eight\n");
    expect(error.hint).toContain("are at line 7 of the note: its header would be @@ -7,2 +8,1 @@.");
    expect(apply(NOTE, "@@ -1,2 +1,3 @@\n one\n+x\n two\n@@ -7,2 +8,1 @@\n seven\n-eight\n").text).toContain("x\ntwo");
  });

  it("says so when they stand in several places, or in none", () => {
    expect(refusal("a\nb\na\nb\nc\n", "@@ -2,2 +2,2 @@\n a\n-b\n+B\n").hint).toContain("several places");
    expect(refusal(NOTE, "@@ -2,2 +2,2 @@\n x\n-two\n+B\n").hint).toContain("Read the note again");
  });

  it("says what to do about a last line without line end", () => {
    const error = refusal("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
    expect(error.message).toContain("line 2 of the note, its last one, has no line end");
    expect(error.hint).toContain("\\ No newline at end of file");
    expect(refusal("a\nb", "@@ -2,0 +3 @@\n+c\n").message).toContain("puts a line behind one that has no line end");
  });
});

/** Texts of few different lines, so that diffs have context, moves and repetitions. */
const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "c", "", " ", "-x", "+y", "--- z", "@@ -1 +1 @@", "\\ No") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);
const text = (ends: readonly string[]) =>
  fc
    .tuple(fc.array(fc.tuple(line, fc.constantFrom(...ends)), { maxLength: 24 }), fc.boolean())
    .map(([lines, isEnded]) => {
      const joined = lines.map(([words, end]) => words.replaceAll("\n", " ") + end).join("");
      return isEnded ? joined : joined.replace(/\r?\n$/, "");
    });

describe("against a plain diff", () => {
  it.each([
    ["LF", ["\n"]],
    ["both line ends", ["\n", "\r\n"]],
  ])("gives the other text, byte for byte: %s", (_name, ends) => {
    fc.assert(
      fc.property(text(ends), text(ends), (before, after) => {
        fc.pre(before !== after && !/\uFEFF/.test(before + after));
        expect(apply(before, referenceDiff(before, after)).text).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  it("needs no context in a note of one kind of line ends", () => {
    fc.assert(
      fc.property(text(["\n"]), text(["\n"]), fc.constantFrom(0, 1), (before, after, context) => {
        fc.pre(before !== after && !/[\r\uFEFF]/.test(before + after));
        expect(apply(before, referenceDiff(before, after, { context })).text).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  it("fits a note with CRLF where the patch was made of LF", () => {
    fc.assert(
      fc.property(text(["\n"]), text(["\n"]), (before, after) => {
        fc.pre(before !== after && before.includes("\n") && !/[\r\uFEFF]/.test(before + after));
        const crlf = (plain: string) => plain.replaceAll("\n", "\r\n");
        expect(apply(crlf(before), referenceDiff(before, after)).text).toBe(crlf(after));
      }),
      { numRuns: RUNS },
    );
  });

  it("refuses a patch in which one character of a line that must be there, or of a header, is another", () => {
    fc.assert(
      fc.property(text(["\n"]), text(["\n"]), fc.nat(), (before, after, pick) => {
        const patch = referenceDiff(before, after);
        fc.pre(patch !== "" && !/[\r\uFEFF]/.test(patch));
        const places = placesThatCount(patch);
        const at = places[pick % places.length] ?? 0;
        const other = patch.charAt(at) === "7" ? "8" : "7";
        const flipped = patch.slice(0, at) + other + patch.slice(at + 1);
        expect(refusal(before, flipped)).toBeInstanceOf(VaultError);
      }),
      { numRuns: RUNS },
    );
  });
});

/** Offsets of characters in old lines (not their marks) and of the digits of hunk headers. */
function placesThatCount(patch: string): number[] {
  const places: number[] = [];
  let at = 0;
  let [old, young] = [0, 0];
  for (const line of patch.match(/[^\n]*\n/g) ?? []) {
    const header = old + young === 0 ? /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) : null;
    if (header) [old, young] = [Number(header[1] ?? 1), Number(header[2] ?? 1)];
    const isOld = !header && old > 0 && /^[ -]/.test(line);
    for (let index = 1; index < line.length - 1; index++)
      if (isOld || (header && /\d/.test(line.charAt(index)))) places.push(at + index);
    if (!header && /^[ -]/.test(line)) old -= 1;
    if (!header && /^[ +]/.test(line)) young -= 1;
    at += line.length;
  }
  return places;
}

describe("size", () => {
  it("applies hunks in time linear in their number", async () => {
    await expectLinear((size) => {
      const lines = Array.from({ length: size * 2 }, (_, index) => `line ${index}\n`);
      const patch = lines
        .flatMap((line, index) => (index % 2 ? [] : [`@@ -${index + 1} +${index + 1} @@\n-${line}+new ${index}\n`]))
        .join("");
      const { text } = apply(lines.join(""), patch);
      expect(text.startsWith("new 0\nline 1\nnew 2\n")).toBe(true);
    }, 100_000);
  });

  it("reads megabytes of patch in linear time, and refuses it as fast", async () => {
    const most = LONG ? 10_000_000 : 2_000_000;
    const body = (size: number) => `@@ -1 +1,${size + 1} @@\n one\n${"+some words that are new\n".repeat(size)}`;
    await expectLinear((size) => expect(apply(NOTE, body(size)).added).toBe(size), most / 25);
    await expectLinear((size) => refusal(NOTE, body(size).slice(0, -100)), most / 25);
    await expectLinear((size) => refusal(NOTE, "x".repeat(size)), most);
    await expectLinear((size) => refusal(NOTE, "@@ -1 +1 @@\n".repeat(size)), most / 12.5);
    await expectLinear((size) => refusal(NOTE, `@@ -1 +1 @@\n-one\n+1${"\n".repeat(size)}x`), most);
  });

  it("looks for a hunk's lines in time linear in note and hunk", async () => {
    await expectLinear((size) => {
      const old = "-a\n".repeat(size);
      refusal("a\n".repeat(size * 2), `@@ -1,${size + 1} +1,0 @@\n${old}-b\n`);
    }, 100_000);
  });
});
