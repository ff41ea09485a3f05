import { describe, expect, it, vi } from "vitest";
import { openPattern, pathsMatching } from "./pattern.js";
import { expectLinear } from "../../test/kit/processor-time.js";

/** Linear, and all the same the work of many seconds: at each letter the engine is in one of very many states. */
const ENDLESS = { pattern: "a[ab]{400}\\b\\B", text: unruly(1_000_000) };

/** Letters `a` and `b` that repeat in no pattern. */
function unruly(length: number): string {
  let seed = 1;
  const letters = Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed > 2 ** 30 ? "a" : "b";
  });
  return letters.join("");
}

const paths = ["a.md", "Projects/b.md", "Projects/c.txt", "ü/日本.md"];

/** The lines of one text in which a pattern is found, and how many. */
async function linesIn(text: string, pattern: string, most = 10) {
  const expression = await openPattern(pattern);
  try {
    const [found] = await expression.linesIn([Buffer.from(text)], most);
    return found;
  } finally {
    await expression.close();
  }
}

describe("paths by a pattern", () => {
  it.each([
    ["\\.md$", ["a.md", "Projects/b.md", "ü/日本.md"]],
    ["^Projects/", ["Projects/b.md", "Projects/c.txt"]],
    ["日本", ["ü/日本.md"]],
    ["(?i)PROJECTS/B", ["Projects/b.md"]],
    ["", paths],
    ["^$", []],
  ])("%s", async (pattern, expected) => {
    expect(await pathsMatching(paths, pattern)).toEqual(expected);
  });

  it("takes composed and decomposed accents as equal", async () => {
    const paths = ["Ka\u0308se.md", "K\u00e4se.md"];
    expect(await pathsMatching(paths, "K\u00e4")).toEqual(paths);
    expect(await pathsMatching(paths, "Ka\u0308")).toEqual(paths);
  });

  it("keeps their order, however many there are", async () => {
    const many = Array.from({ length: 12_345 }, (_, index) => `${index}.md`);
    expect(await pathsMatching(many, "7\\.md$")).toEqual(many.filter((path) => path.endsWith("7.md")));
    expect(await pathsMatching([], "x")).toEqual([]);
  });
});

describe("lines by a pattern", () => {
  it.each([
    ["a\nb\nab", "^a", 2, [0, 2]],
    ["a\r\nb\r\n", "[ab]$", 2, [0, 1]],
    ["a\n\n", "^$", 1, [1]],
    ["x\ny", "x\\sy", 0, []],
    ["a\na\na", "a", 3, [0, 1, 2]],
    ["", "", 0, []],
    ["\n", "", 1, [0]],
    ["ab\rc", "b.c", 1, [0]],
  ])("%j, %s", async (text, pattern, count, lines) => {
    expect(await linesIn(text, pattern)).toEqual({ count, lines });
  });

  it("tells no more than wanted, and counts all", async () => {
    expect(await linesIn("a\n".repeat(1000), "a", 2)).toEqual({ count: 1000, lines: [0, 1] });
  });
});

describe("what is no pattern", () => {
  it.each([
    ["(", "Invalid regular expression at character 2: missing closing )."],
    ["a[", "Invalid regular expression at character 2: missing closing ]."],
    ["*a", "Invalid regular expression at character 1: missing argument to repetition operator."],
    ["a(b)c)d", "Invalid regular expression at character 6: unexpected )."],
    ["[)]\\))", "Invalid regular expression at character 6: unexpected )."],
    ["a\\", "Invalid regular expression at character 3: trailing backslash at end of expression."],
    ["é[z-a]", "Invalid regular expression at character 3: invalid character class range."],
    ["(a{1000}){1000}", "Invalid regular expression at character 10: invalid repeat count."],
    ["(?<=a)b", "Look-behind is not supported in a regular expression (at character 1)."],
    ["b(?!a)", "Look-ahead is not supported in a regular expression (at character 2)."],
    ["(a)\\1", "A backreference is not supported in a regular expression (at character 4)."],
    ["(?>a)", "An atomic group is not supported in a regular expression (at character 1)."],
    ["a++", "A possessive repetition is not supported in a regular expression (at character 2)."],
  ])("%s", async (pattern, message) => {
    await expect(openPattern(pattern)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
  });

  it("is refused by its length before anything is loaded", async () => {
    await expect(openPattern("a".repeat(100_000))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("what would run away elsewhere", () => {
  it.each([
    ["(a+)+$", "a", 60],
    ["(a|a)*b", "a", 60],
    ["(.*)*x$", "a", 60],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a", 60],
    ["(a+)+$", "a", 1_000_000],
    ["\\s+$", " ", 2_000_000],
  ])("%s takes linear time for %j %i times", async (pattern, letter, times) => {
    await expectLinear(
      async (count) => expect(await linesIn(`${letter.repeat(count)}!`, pattern)).toMatchObject({ count: 0 }),
      times,
    );
  });

  it("is ended at its deadline, while the event loop turns", async () => {
    const work = async () => {
      const expression = await openPattern(ENDLESS.pattern, { deadline: 200 });
      try {
        await expression.linesIn([Buffer.from(ENDLESS.text)], 1);
      } finally {
        await expression.close();
      }
    };
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    // On a busy machine the thread may not even start before.
    await expect(work()).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("0.2 seconds") });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(3);
  });

  it("is not ended while it waits for a processor", async () => {
    const usage = vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 });
    const slow = await openPattern(ENDLESS.pattern, { deadline: 20 });
    const answer = slow.linesIn([Buffer.from(ENDLESS.text)], 1).catch((error: unknown) => error);
    await vi.waitUntil(() => usage.mock.calls.length > 10, { timeout: 60_000 });
    usage.mockReturnValue({ user: 20_000, system: 0 });
    await expect(answer).resolves.toMatchObject({ code: "TIMEOUT" });
    usage.mockRestore();
    await slow.close();
  });

  it("gets its texts as bytes, their memory stays the caller's, and a byte order mark is no part of a line", async () => {
    const expression = await openPattern("^a.c$");
    const texts = ["\ufeffabc\nb\n", "", "aüc\r\nabc"].map((text) => Buffer.from(text));
    const found = await expression.linesIn(texts, 10);
    await expression.close();
    expect(found).toEqual([
      { count: 1, lines: [0] },
      { count: 0, lines: [] },
      { count: 2, lines: [0, 1] },
    ]);
    expect(texts[0]?.toString()).toBe("\ufeffabc\nb\n");
  });

  it("takes turns with others, of whom only some match at a time", async () => {
    const expressions = await Promise.all(Array.from({ length: 6 }, () => openPattern("b$")));
    const text = Buffer.from("ab\n".repeat(1000));
    const counts = await Promise.all(
      expressions.map(async (expression) => {
        const found = [await expression.linesIn([text], 1), await expression.linesIn([text], 1)];
        return found.map(([lines]) => lines?.count);
      }),
    );
    expect(counts).toEqual(expressions.map(() => [1000, 1000]));
    await Promise.all(expressions.map((expression) => expression.close()));
  });

  it("is ended by its caller", async () => {
    const abort = new AbortController();
    const expression = await openPattern(ENDLESS.pattern, { signal: abort.signal });
    const answer = expression.linesIn([Buffer.from(ENDLESS.text)], 1);
    setTimeout(() => abort.abort(new Error("enough")), 50);
    await expect(answer).rejects.toThrow("enough");
    await expression.close();
  });
});
