/** Lines added to a note: where they go, and that every other byte stays. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VaultError } from "../errors.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { appendText, prependText } from "./insertion.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 300 * FUZZ_FACTOR;

describe("appending", () => {
  it.each([
    ["", "a", "a"],
    ["", "a\n", "a\n"],
    ["one", "two", "one\ntwo"],
    ["one", "two\n", "one\ntwo\n"],
    ["one\n", "two", "one\ntwo\n"],
    ["one\n", "two\n", "one\ntwo\n"],
    ["one\n\n", "two", "one\n\ntwo\n"],
    ["one\r\n", "two\nthree", "one\r\ntwo\r\nthree\r\n"],
    ["one\r\ntwo", "three\r\n", "one\r\ntwo\r\nthree\r\n"],
    ["one\n", "two\r\nthree", "one\ntwo\nthree\n"],
    ["\uFEFF", "a", "\uFEFFa"],
    ["---\na: 1\n---", "b", "---\na: 1\n---\nb"],
    ["one\n", "$& $1 \u2028 \0", "one\n$& $1 \u2028 \0\n"],
    ["", "---\na: 1\n---\nbody", "---\na: 1\n---\nbody"],
  ])("to %j of %j gives %j", (text, content, expected) => expect(appendText(text, content)).toBe(expected));

  it("keeps the text as it is, byte for byte, and begins on a new line", () => {
    const piece = fc.constantFrom("a", "\n", "\r\n", "---\n", "# H\n", " ", "\uFEFF", "😀", "x: y\n");
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece, { minLength: 1 }), (pieces, more) => {
        const text = pieces.join("");
        const content = more.join("");
        const [result, refused] = attempt(() => appendText(text, content));
        if (refused) {
          // It would have become frontmatter, or a part of it.
          expect(splitNote(`${text}\n${content}`).frontmatter).toBeDefined();
          return;
        }
        expect(result.startsWith(text)).toBe(true);
        const added = result.slice(text.length);
        const isEmpty = text.replace("\uFEFF", "") === "";
        expect(/^\r?\n/.test(added) || isEmpty || text.endsWith("\n")).toBe(true);
        expect(result.endsWith("\n") || isEmpty || !text.endsWith("\n")).toBe(true);
        const unified = (words: string) => words.replaceAll("\r\n", "\n");
        expect(unified(added)).toContain(unified(content));
        if (!isEmpty) expect(splitNote(result).frontmatter).toEqual(splitNote(text).frontmatter);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("appending to a section", () => {
  const note = "# One\ntext\n\n## Deep\nmore\n\n\n# Two #\nlast";

  it.each([
    ["One", "# One\ntext\n\n## Deep\nmore\nNEW\n\n\n# Two #\nlast"],
    ["# One", "# One\ntext\n\n## Deep\nmore\nNEW\n\n\n# Two #\nlast"],
    ["deep", "# One\ntext\n\n## Deep\nmore\nNEW\n\n\n# Two #\nlast"],
    [" two ", "# One\ntext\n\n## Deep\nmore\n\n\n# Two #\nlast\nNEW"],
  ])("%j", (heading, expected) => expect(appendText(note, "NEW", heading)).toBe(expected));

  it.each([
    ["# A\n", "# A\nNEW\n"],
    ["# A", "# A\nNEW"],
    ["# A\n\n\n", "# A\nNEW\n\n\n"],
    ["# A\r\n\r\n# B\r\n", "# A\r\nNEW\r\n\r\n# B\r\n"],
    ["A\n=\n# B\n", "A\n=\nNEW\n# B\n"],
    ["# A\n```\n# no heading\n```\n# B\n", "# A\n```\n# no heading\n```\nNEW\n# B\n"],
  ])("A in %j", (text, expected) => expect(appendText(text, "NEW", "A")).toBe(expected));

  it("refuses a heading that is not there, or there twice", () => {
    expect(() => appendText(note, "x", "Thre")).toThrow("no such heading");
    expect(() => appendText(note, "x", "## One")).toThrow("no such heading");
    expect(() => appendText("# A\n# B\n# A\n", "x", "A")).toThrow("at lines 1, 3");
    expect(appendText("# A\n## A\n", "x", "## A")).toBe("# A\n## A\nx\n");
  });
});

describe("prepending", () => {
  it.each([
    ["", "a", "a"],
    ["one\n", "zero", "zero\none\n"],
    ["one", "zero", "zero\none"],
    ["\uFEFFone", "zero", "\uFEFFzero\none"],
    ["---\na: 1\n---\none\n", "zero", "---\na: 1\n---\nzero\none\n"],
    ["\uFEFF---\r\na: 1\r\n---\r\none\r\n", "zero\nhalf", "\uFEFF---\r\na: 1\r\n---\r\nzero\r\nhalf\r\none\r\n"],
    ["---\na: 1\n---", "b", "---\na: 1\n---\nb"],
    ["one\n", "---\na: 1\n---\n", "---\na: 1\n---\none\n"],
  ])("to %j of %j gives %j", (text, content, expected) => expect(prependText(text, content)).toBe(expected));
});

describe("frontmatter", () => {
  it.each([
    ["is not made of a note's text by what is put before it", () => prependText("a: 1\n---\n", "---\nb: 2")],
    ["is not closed by what is put behind it", () => appendText("---\na: 1\ntext\n", "---")],
    ["is not taken away", () => prependText("a: 1\n---\nx\n", "---")],
  ])("%s", (_name, change) => {
    expect(change).toThrow(VaultError);
    expect(change).toThrow("would make the note's text its frontmatter");
  });
});

function attempt(work: () => string): [result: string, refused: boolean] {
  try {
    return [work(), false];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return ["", true];
  }
}

it("takes no heading in a comment or in math for one", () => {
  expect(appendText("<!--\n## Log\n-->\n\n## Log\n\nold\n", "new", "Log")).toBe(
    "<!--\n## Log\n-->\n\n## Log\n\nold\nnew\n",
  );
  expect(() => appendText("$$\n## Log\n$$\n", "new", "Log")).toThrow(/no such heading/);
});
