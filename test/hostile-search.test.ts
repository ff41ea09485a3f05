/** Hostile queries, expressions, texts and files (test/hostile-inputs.md: P15, P28, E01, Q05, A01) through search and find_notes. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LONG } from "./kit/fuzz.js";
import {
  codeOf,
  TOOLS_ALONE,
  expectClean,
  expectDiscreet,
  expectRefused,
  HostileVault,
  programFrontEnd,
  SECRET_WORD,
  type Call,
  type HostileFrontEnd,
} from "./kit/hostile-vault.js";

const A60 = `${"a".repeat(60)}!`;

const FILES = {
  "bait/a60.md": `${A60}\nab\n`,
  "bait/spaces.md": `x${" ".repeat(2_000_000)}y`,
  "bait/line.md": `${"a".repeat(1_000_000)}!`,
  "literal.md": "a.b*c( and $& and\n\u0301 alone\n",
  "huge.md": `# Huge\n${"wörd ".repeat(1_600_000)}needle\n`,
  "bare.md": "字".repeat(300_000),
  "many.md": "match\n".repeat(100_000),
  "short.md": "\n".repeat(200_000),
  "binary.md": Uint8Array.of(0xff, 0xfe, 0x80, 0x6d),
  "utf16.txt": Buffer.from("\ufeffmatch", "utf16le"),
  "picture.png": "match",
};

/** Where expressions that take long search: what they take long on; with `LONG=1` everything. */
const AMONG = LONG ? {} : { path: "bait" };

const search = (query: string, more: object = {}): Call => ["search", { query, ...more }];
const pattern = (query: string): Call => search(query, { regex: true });

interface Found {
  readonly matches: number;
  readonly files: readonly { readonly path: string; readonly shown: number }[];
  readonly skippedFiles?: readonly string[];
}

function isFound(content: unknown): content is Found {
  return typeof content === "object" && content !== null && "matches" in content && "files" in content;
}

/** What a search found; fails when it was refused. */
async function found(frontEnd: HostileFrontEnd, call: Call): Promise<Found> {
  const result = await frontEnd.call(...call);
  expect(codeOf(result), JSON.stringify(result).slice(0, 500)).toBeUndefined();
  // About 8,000 tokens, and what surrounds them.
  expect(Buffer.byteLength(result.content[0]?.text ?? "")).toBeLessThan(30_000);
  const { structuredContent: content } = result;
  if (!isFound(content)) throw new Error(`no matches in ${JSON.stringify(content).slice(0, 200)}`);
  return content;
}

// The program gives what the library finds (transcripts, front-ends); what it must do meanwhile is below.
describe.each(TOOLS_ALONE)("through %s", (_, open) => {
  const vault = new HostileVault(FILES);
  let frontEnd: HostileFrontEnd;
  let before: readonly string[];
  beforeAll(async () => {
    execFileSync("mkfifo", [vault.at("fifo.md")]);
    before = vault.tree().filter((line) => !line.includes("fifo"));
    frontEnd = await open(vault);
    await found(frontEnd, search("warm up"));
  });
  afterAll(async () => {
    expectClean(vault, frontEnd, before);
    await frontEnd.close();
    vault.remove();
  });

  it.each(["(a+)+$", "(a|a)*b", "(.*)*x$", "^(([a-z])+.)+[A-Z]([a-z])+$", "\\s+$", "(x+x+)+y"])(
    "R01 to R03: %s is answered in time",
    async (query) => {
      const start = performance.now();
      await found(frontEnd, search(query, { regex: true, ...AMONG }));
      expect(performance.now() - start).toBeLessThan(30_000);
    },
  );

  // test/hostile-inputs.md, R04, R05, R07
  it("refuses what is no expression, or one that cannot be matched in linear time", async () => {
    const refused = ["(", "[", "*a", "(?<=a)b", "(a)\\1", "(?=x)", "(?!x)", "(a{1000}){1000}", "a".repeat(100_000)];
    await expectRefused(vault, frontEnd, refused.map(pattern));
  });

  // test/hostile-inputs.md, R06
  it("bounds what matches everywhere, and counts it", async () => {
    for (const query of ["(?:)", "x*", "^"]) {
      const { matches, files } = await found(frontEnd, pattern(query));
      expect(matches).toBeGreaterThan(300_000);
      expect(files.length).toBeGreaterThan(1);
    }
    const { matches, files } = await found(frontEnd, search("match", { path: "many.md" }));
    expect(matches).toBe(100_000);
    expect(files[0]?.shown).toBeGreaterThan(1_000);
  });

  // test/hostile-inputs.md, R08
  it("takes a literal query as it stands", async () => {
    expect((await found(frontEnd, search("a.b*c("))).matches).toBe(1);
    expect((await found(frontEnd, search("$&"))).matches).toBe(1);
    expect((await found(frontEnd, search("\u0301"))).matches).toBe(1);
    expect((await found(frontEnd, search("(a+)+$"))).matches).toBe(0);
  });

  it("finds what stands in one line of ten megabytes, and shows a part of it", async () => {
    const { files } = await found(frontEnd, search("needle"));
    expect(files.map(({ path }) => path)).toEqual(["huge.md"]);
    expect((await found(frontEnd, search("字!"))).matches).toBe(0);
    for (const query of ["needle", "字", "word needle"])
      expect(codeOf(await frontEnd.call("find_notes", { query, include_content: false }))).toBeUndefined();
  });

  // test/hostile-inputs.md, P15, P28, E01
  it("keeps out of hidden folders, FIFOs and what is no text, and says so", async () => {
    const { files, skippedFiles } = await found(frontEnd, search("m"));
    expect(files.map(({ path }) => path)).not.toContain("picture.png");
    expect(skippedFiles?.join(" ")).toContain("'binary.md' is not UTF-8 text.");
    expect(skippedFiles?.join(" ")).toContain("fifo.md");
    for (const query of [SECRET_WORD, "apiKey"]) {
      expect((await found(frontEnd, search(query))).matches).toBe(0);
      const { structuredContent } = await frontEnd.call("find_notes", { query });
      expect(structuredContent).toMatchObject({ match_count: 0 });
    }
    await expectRefused(vault, frontEnd, [
      search("x", { path: ".obsidian" }),
      search("x", { path: "../out.md" }),
      search("x", { path: "sub/.hidden" }),
      ["find_notes", { folder: "../vault-evil" }],
      ["find_notes", { folder: ".trash" }],
    ]);
  });

  it("refuses queries that are none, and answers odd ones", async () => {
    await expectRefused(vault, frontEnd, [
      search(""),
      search("a\nb"),
      search("x".repeat(100_000)),
      search("\ud800"),
      search("x", { context_lines: -1 }),
      search("x", { context_lines: 1e9 }),
      ["find_notes", { query: "x".repeat(100_000) }],
      ["find_notes", { limit: 0 }],
      ["find_notes", { limit: 51 }],
      ["find_notes", { offset: -1 }],
      ["find_notes", { since_days: 0 }],
      ["find_notes", { modified_after: "2025-02-31" }],
    ]);
    for (const query of ["\u0301\u0302", "!!!", "*", "a".repeat(1000), "ab ".repeat(300), "字".repeat(1000)]) {
      const result = await frontEnd.call("find_notes", { query, folder: "_projects" });
      expect(codeOf(result)).toBeUndefined();
      expectDiscreet(vault, JSON.stringify(result), query);
    }
    const odd = { __proto__: { x: 1 }, constructor: "x", toString: "*" };
    expect(codeOf(await frontEnd.call("find_notes", { properties: odd }))).toBeUndefined();
  });

  it("goes on when files vanish, shrink and grow in the middle of it", async () => {
    for (let index = 0; index < 200; index++) vault.put(`_resources/v${index}.md`, `vanishing ${index}\n`.repeat(50));
    const calls = Array.from({ length: 10 }, (_unused, index) =>
      index % 2 === 0
        ? found(frontEnd, search("vanishing", { path: "_resources" }))
        : frontEnd.call("find_notes", { query: "vanishing", folder: "_resources" }),
    );
    for (let index = 0; index < 200; index++) {
      if (index % 3 === 0) fs.rmSync(vault.at(`_resources/v${index}.md`));
      else vault.put(`_resources/v${index}.md`, index % 3 === 1 ? "" : `vanishing ${index}\n`.repeat(500));
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(calls);
    const { matches } = await found(frontEnd, search("vanishing", { path: "_resources" }));
    expect(matches).toBe(66 * 500);
    for (let index = 0; index < 200; index++) fs.rmSync(vault.at(`_resources/v${index}.md`), { force: true });
  });
});

describe("meanwhile", () => {
  it("a ping is answered", async () => {
    const vault = new HostileVault(FILES);
    const frontEnd = await programFrontEnd(vault);
    const worstWhile = async (work: Promise<unknown>): Promise<number> => {
      const worst = [0];
      const over = work.then(() => true);
      const ping = async (): Promise<boolean> => {
        worst.push(await frontEnd.ping());
        return false;
      };
      while (!(await Promise.race([over, ping()]))) continue;
      return Math.max(...worst);
    };
    const calls: readonly Call[] = [
      pattern("(a+)+$"),
      pattern("([a-zö]+ )*x"),
      search("字"),
      search("match"),
      ["find_notes", { query: "字字 wörd" }],
    ];
    for (const call of calls)
      expect([call, await worstWhile(frontEnd.call(...call))]).toEqual([
        call,
        expect.toSatisfy((worst: number) => worst < 2_000),
      ]);
    await frontEnd.close();
    vault.remove();
  });
});
