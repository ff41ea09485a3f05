import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { readFrontmatter, splitNote } from "./frontmatter/frontmatter.js";
import {
  textExcerpt,
  headings,
  headingWords,
  replaceDescription,
  setHeadingText,
  titleAndDescription,
} from "./outline.js";
import { expectLinear } from "../../test/kit/processor-time.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

vi.setConfig({ testTimeout: 60_000 * FUZZ_FACTOR });

function outline(text: string): string[] {
  return headings(text, splitNote(text).bodyStart).map(({ level, text: words }) => `${level} ${words}`);
}

function replaced(text: string, description: string): string {
  return replaceDescription(text, splitNote(text).bodyStart, description);
}

function description(text: string): string {
  const range = titleAndDescription(text, splitNote(text).bodyStart).description;
  return text.slice(range.start, range.end);
}

describe("headings", () => {
  it.each([
    ["# A\n## B ##\n###### C\n####### D\n", ["1 A", "2 B", "6 C"]],
    ["#tag\n#\n  # x  \n    # code\n", ["1 ", "1 x"]],
    ["# C#\n# C #\n# C \\#\n", ["1 C#", "1 C", "1 C #"]],
    ["Title\n===\n\nTwo\nlines\r\n---\n", ["1 Title", "2 Two lines"]],
    ["- item\n---\n> quote\n---\n\n---\n# A\n---\n| a |\n---\n", ["1 A"]],
    ["```\n# no\n~~~\n```\n# yes\n~~~~ md\n# no\n~~~\n# no\n~~~~\n# too\n", ["1 yes", "1 too"]],
    ["``` not `code`\n# yes\n", ["1 yes"]],
    ["%%\n# no\n%%\n# yes %% x\n%% one line %%\n# too\n", ["1 yes %% x", "1 too"]],
    ["---\n# no: 1\n---\n# yes\n", ["1 yes"]],
    ["# a\r\n# b", ["1 a", "1 b"]],
    ["```\n# never closed\n", []],
    ["", []],
  ])("%j", (text, found) => {
    expect(outline(text)).toEqual(found);
  });

  it("stops at the limit and takes linear time", async () => {
    expect(headings("# a\n# b\n", 0, 1)).toHaveLength(1);
    const lines: ((size: number) => string)[] = [
      () => "# #",
      (size) => "#".repeat(size),
      (size) => `# ${"# ".repeat(size / 2)}`,
      (size) => `#${" ".repeat(size)}x`,
      (size) => "%% ".repeat(size / 3),
      (size) => "`".repeat(size),
    ];
    for (const line of lines)
      await expectLinear((size) => headings(`${line(size)}\n${"a\n".repeat(size / 3)}`, 0), 600_003);
  });
});

describe("titleAndDescription", () => {
  it.each([
    ["# T\n\ntext\n", "T", "text"],
    ["---\na: 1\n---\n\n# T\r\n\r\n  text\r\nmore\r\n\r\n", "T", "  text\r\nmore"],
    ["text\n## B\n", undefined, "text\n## B"],
    ["above\n# T\nbelow", "T", "below"],
    ["T\n===\nbelow\n# Two\n", "T", "below\n# Two"],
    ["# T", "T", ""],
    ["<!--\n# no\n-->\n# T\n\ntext\n", "T", "text"],
    ["$$\n# no\n$$\n\n# T\nbelow", "T", "below"],
    ["", undefined, ""],
    ["\n\n", undefined, ""],
  ])("%j", (text, title, below) => {
    expect(titleAndDescription(text, splitNote(text).bodyStart).title?.text).toBe(title);
    expect(description(text)).toBe(below);
  });
});

describe("replaceDescription", () => {
  it.each([
    ["# T\n\nold\n", "new", "# T\n\nnew\n"],
    ["# T\n\nold", "new\n", "# T\n\nnew"],
    ["# T\r\n\r\nold\r\n\r\n", "a\nb\r\nc", "# T\r\n\r\na\r\nb\r\nc\r\n\r\n"],
    ["---\na: 1 # c\n---\n# T\n", "new", "---\na: 1 # c\n---\n# T\n\nnew\n"],
    ["---\na: 1\n---", "new", "---\na: 1\n---\nnew"],
    ["---\na: 1\n---\n", "new", "---\na: 1\n---\nnew\n"],
    ["# T", "new", "# T\n\nnew"],
    ["# T\n\n\n", "new", "# T\n\nnew\n"],
    ["# T\n\nold\n", "", "# T\n"],
    ["---\na: 1\n---\nold\n", "", "---\na: 1\n---\n"],
    ["old\n", "---\nevil: 1\n---\nx", "\n---\nevil: 1\n---\nx\n"],
    ["", "---\nevil: 1\n---", "\n---\nevil: 1\n---"],
    ["\uFEFFold", "---\nevil: 1\n---", "\uFEFF\n---\nevil: 1\n---"],
    ["---\na: 1\n---\n# T\n\nold\n", "---\nevil: 1\n---", "---\na: 1\n---\n# T\n\n---\nevil: 1\n---\n"],
    ["# T\n\nold\n", "# One\n\n## Two", "# T\n\n# One\n\n## Two\n"],
    ["# T\n\n  old\n", "$& $1 $$", "# T\n\n$& $1 $$\n"],
    ["# T\n\nold \n", "old", "# T\n\nold \n"],
  ])("%j, %j", (before, text, after) => {
    expect(replaced(before, text)).toBe(after);
  });

  it("refuses what would close an unfinished block above it", () => {
    expect(() => replaced("---\na: 1\n# T\n\nold\n", "x\n---\ny")).toThrow(/would close/);
  });

  it("keeps everything above and reads back", () => {
    const part = fc.constantFrom(
      "---\n",
      "a: 1\n",
      "# T\n",
      "T\n",
      "===\n",
      "text\n",
      "\n",
      "  \n",
      "```\n",
      "%%\n",
      "x",
      "\r\n",
      "## B\r\n",
      "\uFEFF",
    );
    const note = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
    const words = fc.oneof(note, fc.string({ unit: anyCharacter, maxLength: 12 }));
    fc.assert(
      fc.property(note, words, (text, wanted) => {
        let result = "";
        try {
          result = replaced(text, wanted);
        } catch (error) {
          expect(String(error)).toMatch(/would close/);
          return;
        }
        const { bodyStart } = splitNote(text);
        expect(splitNote(result).frontmatter).toEqual(splitNote(text).frontmatter);
        expect(readFrontmatter(result)).toEqual(readFrontmatter(text));
        const { title } = titleAndDescription(text, bodyStart);
        expect(result.slice(0, title?.end ?? bodyStart)).toBe(text.slice(0, title?.end ?? bodyStart));
        if (title === undefined) return;
        const lines = (source: string): string =>
          source
            .replace(/\r\n?|\n/g, "\n")
            .replace(/[ \t\n\v\f]+$/, "")
            .replace(/^([ \t\v\f]*\n)+/, "");
        expect(lines(description(result))).toBe(lines(wanted));
      }),
      { numRuns: 500 * FUZZ_FACTOR },
    );
  });
});

describe("setHeadingText", () => {
  function renamed(text: string, words: string): string {
    const [title] = headings(text, splitNote(text).bodyStart);
    if (title === undefined) throw new Error("no heading");
    return setHeadingText(text, title, words);
  }

  it.each([
    ["x\n#   Old   ##\r\ny", "New", "x\n#   New   ##\r\ny"],
    ["Old\n===\ny", "New", "New\n===\ny"],
    ["Old\n===\ny", "- New", "# - New\ny"],
    ["Old\n===\ny", "# New", "# # New\ny"],
    ["#\ny", "New", "# New\ny"],
    ["# Old", "C #", "# C \\#"],
    ["# Old\n", "C#", "# C#\n"],
    ["# Old\n", "a\r\nb\nc", "# a b c\n"],
    ["# Old\n", "$&", "# $&\n"],
  ])("%j to %j", (before, words, after) => {
    expect(renamed(before, words)).toBe(after);
  });

  it("writes words that read back", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("# a\n", "a\n===\n", "#", "# a # \r\nb"),
        fc.string({ unit: fc.constantFrom(...Array.from("a #\\-=>`%|1.\n*")), maxLength: 8 }),
        (text, words) => {
          const wanted = words
            .trim()
            .split(/\s*\n\s*/)
            .join(" ");
          if (wanted === "") return;
          expect(headings(renamed(text, words), 0, 1)[0]?.text).toBe(
            wanted.endsWith("\\#") ? `${wanted.slice(0, -2)}#` : wanted,
          );
        },
      ),
      { numRuns: 500 * FUZZ_FACTOR },
    );
    expect(headingWords("##")).toBe("#\\#");
  });
});

it("cuts an excerpt between characters", () => {
  expect(textExcerpt("ab🚀c", { start: 0, end: 5 }, 3)).toBe("ab");
  expect(textExcerpt("ab🚀c", { start: 0, end: 5 }, 4)).toBe("ab🚀");
  expect(textExcerpt("ab", { start: 1, end: 2 }, 500)).toBe("b");
});
