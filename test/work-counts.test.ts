/** What first and later calls cost, in files opened and sweeps made: counts are the same on every machine, seconds are not. */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { hiddenTexts, otherReadings, searchTexts } from "../src/files/text-search.js";
import { assembleVault, closeVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import type { VaultPath } from "../src/storage/path.js";
import type { FileStat, ListOptions, ReadManyOptions } from "../src/storage/storage.js";
import { expectLinear } from "./kit/processor-time.js";
import type { OpenVault } from "../src/tools/workspace.js";

const CLOCK = fixedClock("2025-08-30T12:00:00Z");
const NOTES = 300;
/** Notes whose body holds the rare word. */
const RARE = 3;

const FILES = Object.fromEntries(
  Array.from({ length: NOTES }, (_, n) => [
    `Notes ${n % 7}/Note ${n}.md`,
    `---\ntype: task\nstatus: To Do\ntags: [t${n % 5}]\n---\n# Note ${n}\n\nMilk and honey. [[Note ${(n + 1) % NOTES}]]\n` +
      `${"An ordinary line of words.\n".repeat(20)}${n % (NOTES / RARE) === 0 ? "zanzibar\n" : ""}`,
  ]),
);

/** Counts what is asked of it. */
class CountingStorage extends MemoryStorage {
  sweeps = 0;
  opened: VaultPath[] = [];

  override list(options?: ListOptions): AsyncGenerator<readonly FileStat[]> {
    this.sweeps++;
    return super.list(options);
  }

  override readMany(paths: readonly VaultPath[], options?: ReadManyOptions): ReturnType<MemoryStorage["readMany"]> {
    this.opened.push(...paths.filter((path) => path.endsWith(".md")));
    return super.readMany(paths, options);
  }
}

type Call = (vault: OpenVault) => Promise<unknown>;
const CALLS = {
  // As the tools ask.
  scan: async ({ tasks }) => [await tasks.agenda(), await tasks.notCounted?.()],
  tasks: async ({ tasks }) => [await tasks.search({ query: "honey" }), await tasks.notCounted?.({ query: "honey" })],
  tags: ({ notes }) => notes.tags(),
  orphans: ({ links }) => links.ask({}, (graph) => graph.orphans()),
  browse: ({ notes }) => notes.find({}),
  find: ({ notes }) => notes.find({ query: "zanzibar" }),
  paths: ({ vault }) => vault.paths(),
  search: ({ vault }) => searchTexts(vault, { query: "zanzibar", context: 0, most: 1000 }),
} satisfies Readonly<Record<string, Call>>;
type Name = keyof typeof CALLS;

let home: string;
beforeAll(() => (home = fs.mkdtempSync(join(os.tmpdir(), "counts-"))));
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

const storage = new CountingStorage({ files: FILES, clock: CLOCK });

function open(folder: string | undefined, session = false): OpenVault {
  const ids = sequentialIds();
  const cache = folder === undefined ? undefined : { folder: join(home, folder), edition: "1" };
  return assembleVault({ storage, name: "Counts", clock: CLOCK, ids, cache, session });
}

/** How many files a call opens, and how many sweeps it makes. */
async function cost(vault: OpenVault, ...names: Name[]): Promise<{ opened: number; sweeps: number }> {
  [storage.opened, storage.sweeps] = [[], 0];
  await Promise.all(names.map((name) => CALLS[name](vault)));
  return { opened: storage.opened.length, sweeps: storage.sweeps };
}

describe("a first call without an index", () => {
  it.each<[Name, number]>([
    ["scan", 1],
    ["tasks", 1],
    ["tags", 1],
    ["orphans", 1],
    // They need no rows.
    ["search", 1],
    ["paths", 0],
    // A page of notes is shown with snippets of their texts.
    ["browse", 1],
    ["find", 1],
  ])("%s opens each file %d times at most", async (name, times) => {
    const { opened, sweeps } = await cost(open(undefined), name);
    // Those that hold the word are read to be scored, and to be shown.
    expect(opened).toBeLessThanOrEqual(times * NOTES + 2 * RARE);
    expect(sweeps).toBe(1);
  });

  it("lists the vault once for a search without a match, its other readings and hidden notes", async () => {
    const { vault } = open(undefined);
    const search = { query: "Zanzibar-land", context: 0, most: 1000 };
    storage.sweeps = 0;
    await searchTexts(vault, search);
    await otherReadings(vault, search, { isFound: false });
    await hiddenTexts(vault, search);
    expect(storage.sweeps).toBe(1);
  });

  it("shares its work with others that need the same", async () => {
    const { opened, sweeps } = await cost(open(undefined), "scan", "scan", "tasks");
    expect(opened).toBeLessThanOrEqual(NOTES);
    // Who comes when a sweep has begun is served by the next, which finds nothing to read.
    expect(sweeps).toBeLessThanOrEqual(2);
  });
});

describe("a first call with an index", () => {
  beforeAll(async () => {
    const vault = open("plain");
    for (const call of Object.values(CALLS)) await call(vault);
    await closeVault(vault);
  });

  it.each<Name>(["scan", "tasks", "tags", "orphans", "browse"])("%s opens no file", async (name) => {
    expect(await cost(open("plain"), name)).toEqual({ opened: 0, sweeps: 1 });
  });

  it("find opens the notes that it shows", async () => {
    expect(await cost(open("plain"), "find")).toEqual({ opened: RARE, sweeps: 1 });
  });

  it("search, which reads the files, opens each once", async () => {
    expect(await cost(open("plain"), "search")).toEqual({ opened: NOTES, sweeps: 1 });
  });
});

describe("later calls of a session", () => {
  it("open no file but those they show, and search each once", async () => {
    const vault = open(undefined, true);
    for (const call of Object.values(CALLS)) await call(vault);
    // Words and later rows are stored after the answers.
    const lacking = () => vault.vault.index.latest?.get("SELECT count(*) FROM file WHERE note AND flags & 3 <> 3");
    await expect.poll(lacking).toEqual([0]);
    for (const name of ["scan", "tasks", "tags", "orphans", "browse"] as const)
      expect((await cost(vault, name)).opened).toBe(0);
    expect((await cost(vault, "find")).opened).toBe(RARE);
    expect((await cost(vault, "search")).opened).toBe(NOTES);
    await closeVault(vault);
  });
});

it("a call never asks for the name of the machine's time zone", async () => {
  const clock = {
    ...CLOCK,
    get timeZone(): string {
      throw new Error("It costs 16 ms.");
    },
  };
  const vault = assembleVault({ storage, name: "Counts", clock, ids: sequentialIds() });
  await CALLS.tasks(vault);
  await CALLS.scan(vault);
  await closeVault(vault);
});

describe("the test of linear time", () => {
  const steps = (count: number) => {
    let sum = 0;
    for (let at = 0; at < count; at++) sum = (sum * 31 + at) | 0;
    return sum;
  };
  const quickMs = 1;

  it("fails for quadratic time", async () => {
    await expect(expectLinear((size) => steps(size ** 2), 6000, { quickMs })).rejects.toThrow(/ms, not/);
  });

  it("passes for what sorting takes, however busy the machine", async () => {
    await expectLinear((size) => steps(size * Math.log2(size)), 1_000_000, { quickMs });
  });
});
