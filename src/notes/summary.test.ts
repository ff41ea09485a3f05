/** Summaries: within their budget, the same each time, and more than the first words. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWords, wordCount, summarise } from "./summary.js";
import { expectNotSlower } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const RUNS = 40 * FUZZ_FACTOR;

describe("a short note", () => {
  it("is given whole, without its markup", () => {
    const note = "---\na: 1\n---\n# Title\n**One** [[two]].\n\n- three\n\n## Next\n`four`\n";
    expect(summarise(note, 50)).toEqual({ text: "Title\nOne two.\nthree\n\nNext\nfour", words: 6 });
  });

  it.each(["", "---\na: 1\n---\n", "```\ncode\n```\n", "| a |\n|---|\n| b |\n", "\uFEFF", "%% hidden %%\n"])(
    "without prose has an empty summary: %j",
    (note) => expect(summarise(note, 300)).toEqual({ text: "", words: 0 }),
  );
});

/** Sentences that share no word with any other. */
const asides = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const letters = [100, 10, 1].map((unit) => "bcdfghjklm"[Math.floor((from + index) / unit) % 10]).join("");
    return `Yet ${letters}lunch and ${letters}traffic or ${letters}nerves.`;
  }).join(" ");

describe("a long note", () => {
  const note = `# Moving the archive

The archive moves to the new building in May. ${asides(0, 20)}

## Boxes

Every archive box gets a label before the building closes. ${asides(100, 20)}

## Lorries

Two lorries bring the archive boxes to the new building. ${asides(200, 20)}
`;

  it("keeps headings and what its sentences share, in order", () => {
    const { text, words } = summarise(note, 50);
    expect(words).toBeLessThanOrEqual(50);
    expect(text.split("\n").filter((line) => line !== "")).toEqual([
      "Moving the archive",
      expect.stringContaining("The archive moves to the new building in May."),
      "Boxes",
      expect.stringContaining("Every archive box gets a label before the building closes."),
      "Lorries",
      expect.stringContaining("Two lorries bring the archive boxes to the new building."),
    ]);
    expect(firstWords(note, 50)).not.toContain("lorries");
  });

  it("is the same each time", () => expect(summarise(note, 100)).toEqual(summarise(note, 100)));

  it("of one endless word is cut too", () => {
    const { text, words } = summarise(`${"x".repeat(200_000)} and ${"y".repeat(1000)}`, 50);
    expect(text.length).toBeLessThan(1300);
    expect(text.endsWith("…")).toBe(true);
    expect(words).toBe(1);
  });

  it("of one endless sentence is cut", () => {
    expect(summarise("word ".repeat(100_000), 50)).toEqual({ text: `${"word ".repeat(50).trim()}…`, words: 50 });
    expect(summarise(`# Title\n\n${"日本語の文章を分割する".repeat(50_000)}`, 50).words).toBe(50);
  });
});

describe("any note", () => {
  const piece = fc.constantFrom(
    "# Heading one\n",
    "## Another heading with many words in it\n",
    "Some words about gardens. ",
    "More words about beans and gardens! ",
    "日本語の文章を分割する。",
    "\n\n",
    "- item\n",
    "```\ncode\n```\n",
    "a ".repeat(120),
    "\uFEFF",
    "__proto__ constructor. ",
    "[[[[[[",
    "\u0000",
  );

  it("has a summary within the budget, and says how long it is", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), fc.integer({ min: 50, max: 1000 }), (pieces, budget) => {
        const { text, words } = summarise(pieces.join(""), budget);
        expect(words).toBeLessThanOrEqual(budget);
        expect(words).toBe(wordCount(text));
        expect(text.split(/\s+/).length).toBeLessThanOrEqual(budget + 1);
      }),
      { numRuns: RUNS },
    );
  });

  it("is summarised in time that does not grow with its length", async () => {
    const sentences = Array.from({ length: 100_000 }, (_, index) => `Sentence ${index} is about topic${index % 97}.`);
    for (const note of [
      sentences.join(" "),
      sentences.join("\n\n# H\n"),
      "日本語。".repeat(1_000_000),
      "x".repeat(5_000_000),
    ]) {
      const summary = (length: number) => () =>
        expect(summarise(note.slice(0, length), 1000).words).toBeLessThanOrEqual(1000);
      await expectNotSlower(4, [summary(note.length), summary(500_000)]);
    }
  });
});
