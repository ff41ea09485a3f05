import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { factsOf, readFacts } from "./facts.js";
import { ownCopy, remembered } from "../../text/fold.js";
import { anyCharacter } from "../../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const property = fc.constantFrom(
  "type: task",
  "Type: [task, x]",
  "tags: [task, a]",
  "tags:\n  - task/x\n  - '#b'",
  "tags: task, c",
  "status: To Do",
  "State: 'x'",
  "title: A title",
  "due: 2025-09-01",
  "Due Date: '2025-9-1'",
  'deadline: "[[2025-09-01]]"',
  "due: soon",
  "completed: true",
  "completed: 2025-08-30",
  "completed:",
  "area: [[Work]]",
  'area: "[[Home]]"',
  'projects:\n  - "[[One]]"\n  - "![[Two|2]]"',
  "projects: '[[a]], [[b/c.md#d]]'",
  "priority: p9",
  "progress-status: half done",
  "other: 1",
);
const frontmatter = fc.uniqueArray(property, { maxLength: 8, selector: (line) => line.slice(0, line.indexOf(":")) });
const line = fc.constantFrom(
  "# Title",
  "## Part",
  "Title",
  "===",
  "",
  "  ",
  "```",
  "%%",
  "text 🚀",
  "x".repeat(400),
  "語",
);
const note = fc
  .tuple(frontmatter, fc.array(line, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"))
  .map(([properties, body, end]) => ["---", ...properties, "---", ...body].join("\n").replaceAll("\n", end));

describe("the facts of a note", () => {
  it("are the same however much of its text is its start", () => {
    fc.assert(
      fc.property(note, fc.nat(1500), (text, more) => {
        const parts = splitNote(text);
        const start = text.slice(0, parts.bodyStart + more);
        expect(readFacts({ text, start, truncated: false, parts, frontmatter: readFrontmatter(text, parts) })).toEqual(
          factsOf(text),
        );
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("do not hang on the notes that were read before", () => {
    const first = new Map<string, unknown>();
    fc.assert(
      fc.property(fc.array(note, { maxLength: 5 }), (texts) => {
        for (const text of [...texts, ...texts.toReversed()]) {
          const facts = factsOf(text);
          if (first.has(text)) expect(facts).toEqual(first.get(text));
          else first.set(text, facts);
        }
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });

  it("tell two fields apart that share a spelling, though the keys are the same", () => {
    const values = ["true", "2025-08-30", ""].map((value) => factsOf(`---\ntype: task\ncompleted: ${value}\n---\n`));
    expect(values.map((facts) => [facts?.values, facts?.keys])).toEqual([
      [{ type: "task", done: true }, "type\ncompleted\tdone"],
      [{ type: "task", completed: "2025-08-30" }, "type\ncompleted\tcompleted"],
      [{ type: "task" }, "type\ncompleted\tcompleted"],
    ]);
  });

  it.each([
    ["due: 2025-09-01", "due:plain"],
    ["due: '2025-09-01'", "due:quoted"],
    ['due:    "2025-09-01"', "due:quoted"],
    ['"due": "2025-09-01"', "due:quoted"],
    ["'due' : 2025-09-01", "due:plain"],
    ["due :\t'2025-09-01'", "due:quoted"],
    ["due:\n  '2025-09-01'", "due:plain"],
    ["due: # '\n  2025-09-01", "due:plain"],
    ['due: "[[2025-09-01]]"', "due:link"],
    ["tags: [a, b]", "tags:flow"],
    ["tags:\n  - a\n  - '[b'", "tags:block"],
    ["tags: a, b", "tags:comma"],
    ["# due: '\ndue: 2025-09-01\ntags: [a]", "due:plain\ntags:flow"],
    ["note: |\n  due: '\ndue: 2025-09-01", "due:plain"],
  ])("tell how it is written: %j", (properties, habits) => {
    for (const end of ["\n", "\r\n"])
      expect(factsOf(`---\ntype: task\n${properties}\n---\n`.replaceAll("\n", end))?.habits).toBe(habits);
  });
});

it("works out a short text once and a long one each time, and forgets before it holds too many", () => {
  const asked: string[] = [];
  const length = remembered((text) => asked.push(text));
  const texts = ["a", "b", "a", "x".repeat(13), "x".repeat(13)];
  expect(texts.map(length)).toEqual([1, 2, 1, 3, 4]);
  for (let i = 0; i < 5_000; i++) length(`${i}`);
  expect(length("a")).toBeGreaterThan(5_000);
});

it("keeps a text as it is when it is set apart", () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => ownCopy(text) === text));
  expect(ownCopy("a lone \ud800 surrogate")).toBe("a lone \ud800 surrogate");
});

describe("other properties", () => {
  it("are remembered with typed values", () => {
    const lines = [
      "type: task",
      "due: 2025-09-01",
      "effort-points: 3",
      "ratio: 1.5",
      "billable: true",
      "people: [Anna, Bo]",
    ];
    const text = `---\n${[...lines, "meeting: 2025-09-02", "code: '007'", "nothing:", "map: {a: 1}"].join("\n")}\n---\n`;
    expect(factsOf(text)?.properties).toEqual({
      "effort-points": 3,
      ratio: 1.5,
      billable: true,
      people: ["Anna", "Bo"],
      meeting: "2025-09-02",
      code: "007",
      nothing: "",
    });
  });

  it("stay small whatever a note holds", () => {
    const many = Array.from({ length: 500 }, (_, index) => `key${index}: value`).join("\n");
    const facts = factsOf(`---\ntype: task\nlong: ${"x".repeat(1000)}\n${many}\n---\n`);
    expect(Object.keys(facts?.properties ?? {}).length).toBeLessThanOrEqual(50);
    expect(facts?.properties).not.toHaveProperty("long");
  });
});
