/** Lines added to a note: where they go, and that every other byte stays. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VaultError } from "../errors.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { appendText, prependText, sectionText, withSection } from "./insertion.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 150 * FUZZ_FACTOR;

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
    // A line that would change what the last one is comes after a blank line.
    ["a paragraph ^id\n", "two", "a paragraph ^id\n\ntwo\n"],
    ["- item ^id", "two", "- item ^id\n\ntwo"],
    ["table\r\n\r\n^id\r\n", "two", "table\r\n\r\n^id\r\n\r\ntwo\r\n"],
    ["- item ^id\n", "- two", "- item ^id\n- two\n"],
    ["text\n", "---\n\ntwo", "text\n\n---\n\ntwo\n"],
    ["text\n", "===\n", "text\n\n===\n"],
    ["# H\n", "---\n", "# H\n---\n"],
    ["---\na: 1\n---\n", "---\ntwo", "---\na: 1\n---\n---\ntwo\n"],
    ["|a|\n|-|\n|1|\n", "two", "|a|\n|-|\n|1|\n\ntwo\n"],
    ["|a|\n|-|\n|1|\n", "|2|", "|a|\n|-|\n|1|\n|2|\n"],
    ["x[^1]\n\n[^1]: foot\n", "two", "x[^1]\n\n[^1]: foot\n\ntwo\n"],
    ["x[^1]\n\n[^1]: foot\n", "[^2]: more", "x[^1]\n\n[^1]: foot\n[^2]: more\n"],
    ["> [!note]\n> one\n", "two", "> [!note]\n> one\n\ntwo\n"],
    ["> one\n", "> two", "> one\n> two\n"],
    ["> one\n", "2. two", "> one\n\n2. two\n"],
    ["- one\n", "two", "- one\n\ntwo\n"],
    ["1. one\r\n", "2. two", "1. one\r\n2. two\r\n"],
    ["- one\n", "  two", "- one\n  two\n"],
    ["- [ ] one\n\tmore\n", "two", "- [ ] one\n\tmore\n\ntwo\n"],
    [" |a|\n |-|\n", "|2|", " |a|\n |-|\n|2|\n"],
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
    ["One#Deep", "# One\ntext\n\n## Deep\nmore\nNEW\n\n\n# Two #\nlast"],
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

describe("a section", () => {
  const note = "---\na: 1\n---\n# One\n\ntext\n\n## Deep\nmore\n\n\n# Two #\nlast";

  it.each([
    ["One", "---\na: 1\n---\n# One\n\nNEW\n\n\n# Two #\nlast"],
    ["## deep", "---\na: 1\n---\n# One\n\ntext\n\n## Deep\nNEW\n\n\n# Two #\nlast"],
    ["Two", "---\na: 1\n---\n# One\n\ntext\n\n## Deep\nmore\n\n\n# Two #\nNEW"],
  ])("%s gets other lines", (heading, expected) => expect(withSection(note, heading, "NEW")).toBe(expected));

  it.each([
    ["without lines", "# A\n# B\n", "x", "# A\nx\n# B\n"],
    ["at the end", "# A", "x", "# A\nx"],
    ["with Windows line ends", "# A\r\n\r\nold\r\n", "x\ny", "# A\r\n\r\nx\r\ny\r\n"],
    ["underlined", "A\n===\nold\n", "x\n", "A\n===\nx\n"],
    ["that is emptied", "# A\n\nold\n\n# B\n", "", "# A\n\n# B\n"],
    ["with code", "# A\n```\n# no heading\n```\n# B\n", "x", "# A\nx\n# B\n"],
    ["given with its heading", "# A\n\nold\n\n# B\n", "# A\n\nnew", "# A\n\nnew\n\n# B\n"],
    ["given with its underlined heading", "A\n===\n\nold\n", "\nA\n===\nnew\n", "A\n===\n\nnew\n"],
    ["given with a deeper heading of its name", "# A\nold\n", "## A\nnew", "# A\n## A\nnew\n"],
    ["given with another section", "# A\nold\n\n# B\nb\n", "new\n# C\nc", "# A\nnew\n# C\nc\n\n# B\nb\n"],
  ])("%s", (_name, text, content, expected) => expect(withSection(text, "A", content)).toBe(expected));

  it("is refused with a section that stands below it, which the note would have twice", () => {
    const text = "## A\na\n## B\nb\n# C\n## D\nd\n";
    expect(() => withSection(text, "A", "new\n## B\nother")).toThrow('the section "B" twice');
    expect(withSection(text, "A", "new\n## D\nd")).toBe("## A\nnew\n## D\nd\n## B\nb\n# C\n## D\nd\n");
  });

  it("gets the lines below its heading, where they are given with it", () =>
    expect(appendText("# A\n\nold\n\n# B\n", "# A\n\nnew\n", "A")).toBe("# A\n\nold\nnew\n\n# B\n"));

  it("is read with its heading and what is below", () => {
    expect(sectionText(note, "one")).toBe("# One\n\ntext\n\n## Deep\nmore\n\n\n");
    expect(sectionText(note, "Two")).toBe("# Two #\nlast");
  });

  it("is refused with the outline where it is missing or there twice", () => {
    for (const [text, heading] of [
      ["# A\n## B\n# A\n", "A"],
      ["# A\n## B\n# A\n", "C"],
    ] as const)
      expect(() => withSection(text, heading, "x")).toThrow(
        expect.objectContaining({
          hint: expect.stringMatching(/Outline: # A \(line 1\); ## B \(line 2\); # A \(line 3\)\.$/) as string,
        }) as Error,
      );
    expect(() => withSection("# A\n## B\n## B\n", "B", "x")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("edit_note") as string }) as Error,
    );
  });

  it("is the one below the headings named before it, never that of another section or the first of several", () => {
    const text = "# A\n## Notes\na\n# B\n### Deep\n## Notes\nb\n# C\n## Twice\n## Twice\n";
    expect(withSection(text, "B#Notes", "NEW")).toBe(text.replace("b\n", "NEW\n"));
    expect(appendText(text, "NEW", "A#Notes")).toBe(text.replace("a\n", "a\nNEW\n"));
    const nested = "# A\n## B\n### Notes\nb\n## Notes\na\n";
    expect(withSection(nested, "A#Notes", "NEW")).toBe(nested.replace("a\n", "NEW\n"));
    for (const path of ["B > Notes", "## B::Notes", "B :: Notes"])
      expect(withSection(text, path, "NEW")).toBe(text.replace("b\n", "NEW\n"));
    const signed = "# A > B\na\n# A\n## B\nb\n";
    expect(withSection(signed, "A > B", "NEW")).toBe(signed.replace("a\n", "NEW\n"));
    expect(() => withSection(text, "A#Deep", "x")).toThrow("no such heading");
    expect(() => withSection(text, "Notes#Deep", "x")).toThrow("no such heading");
    expect(() => withSection(text, "C#Twice", "x")).toThrow("at lines 9, 10");
  });

  it("comes back as it was", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom("# A", "## B", "", "text", "- item"), { maxLength: 12 }), (lines) => {
        const text = ["# Head", ...lines, "# Tail", "end", ""].join("\n");
        const old = sectionText(text, "Head").slice("# Head\n".length);
        expect(withSection(withSection(text, "Head", "NEW"), "Head", old.trim())).toBe(
          old.trim() === "" ? withSection(text, "Head", "") : text,
        );
      }),
      { numRuns: RUNS },
    ));
});

describe("what is below new lines", () => {
  it.each([
    ["stays a heading", prependText("Title\n===\ntext\n", "NEW"), "NEW\n\nTitle\n===\ntext\n"],
    ["stays a heading of two lines", prependText("Title\nof two\n---\n", "NEW"), "NEW\n\nTitle\nof two\n---\n"],
    ["joins no item", prependText("one\n", "- NEW"), "- NEW\n\none\n"],
    ["joins no callout", prependText("one\n", "> [!note]\n> NEW"), "> [!note]\n> NEW\n\none\n"],
    ["stays in a list", prependText("- one\n", "- NEW"), "- NEW\n- one\n"],
    ["stays a rule", prependText("***\n", "NEW"), "NEW\n***\n"],
    ["does not underline them", prependText("---\na: 1\n---\n---\nb\n", "NEW"), "---\na: 1\n---\nNEW\n\n---\nb\n"],
    ["needs no second blank line", prependText("Title\n===\n", "NEW\n\n"), "NEW\n\nTitle\n===\n"],
    ["needs none below a heading", prependText("Title\n===\n", "# NEW"), "# NEW\nTitle\n===\n"],
    ["stays a heading behind a section", appendText("# A\nTitle\n===\n", "NEW", "A"), "# A\nNEW\n\nTitle\n===\n"],
    ["stays one behind other lines", withSection("# A\n- a\n\nB\n===\n", "A", "NEW"), "# A\nNEW\n\nB\n===\n"],
    ["stays one behind new lines", withSection("# A\n***\nB\n===\n", "A", "NEW"), "# A\nNEW\n\nB\n===\n"],
  ])("%s", (_what, result, expected) => expect(result).toBe(expected));
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

it("text at the beginning goes below frontmatter in TOML", () => {
  expect(prependText('+++\ntitle = "a"\n+++\nb\n', "x")).toBe('+++\ntitle = "a"\n+++\nx\nb\n');
  expect(prependText("+++\nnever closed\n", "x")).toBe("x\n+++\nnever closed\n");
});
