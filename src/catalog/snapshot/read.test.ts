import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { Entry, noContent, type EntryContent } from "../table.js";
import type { FactReader } from "../catalog.js";
import { FactBlocks } from "../packed-facts.js";
import { type PackedStat, StatBlocks } from "../packed-stat.js";
import { encodeSnapshot } from "./write.js";
import { decodeSnapshot, summaryOf, type SnapshotKind, type SnapshotRows } from "./read.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const reader = (name: string, version = 1): FactReader<unknown> => ({ name, version, read: () => undefined });
const kind: SnapshotKind = {
  edition: "1.0",
  identity: "folder:1-2",
  stampLength: 3,
  reader: reader("b"),
  position: 1,
};

const facts = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined });
const row = fc.record({
  path: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((name) => `${name.replace(/\p{Cs}/gu, "x")}.md`),
  stamp: fc.tuple(fc.double(), fc.double({ noNaN: true }), fc.nat()),
  settled: fc.boolean(),
  templated: fc.boolean(),
  problem: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
  facts,
});
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;
const rows = fc.uniqueArray(row, { selector: ({ path }) => path, maxLength: 30 });

const blocks = new FactBlocks();
const stats = new StatBlocks();

function entryOf({ path, stamp, settled, templated, problem, facts }: Row): Entry {
  const stat = stats.keep({ path: path as VaultPath, size: 1, modified: 2, created: 3, stamp });
  const problems = problem === undefined ? [] : [{ path: stat.path, message: problem, line: 3 }];
  const records = facts === undefined ? [] : [undefined, blocks.add(stat, facts)];
  return new Entry(stat, { templated, problems, shown: 3, facts: records }, settled, false);
}

const encode = (entries: readonly Entry[], summary?: unknown): Promise<readonly Uint8Array[]> =>
  encodeSnapshot(kind, { entries, summary });

/** What a caller can tell of a note. */
function told({ stat, content }: { stat: PackedStat; content: EntryContent }): unknown {
  const { path, size, modified, created, stamp } = stat;
  const { templated, problems, facts } = content;
  return { path, size, modified, created, stamp, templated, problems, facts: facts[1]?.facts };
}

/** What a snapshot tells of a file that stands there with this stamp. */
function recalled(snapshot: SnapshotRows | undefined, { path, stamp }: Pick<FileStat, "path" | "stamp">): unknown {
  const place = snapshot?.recall(path, stamp);
  if (!snapshot || place === undefined) return undefined;
  const stat = snapshot.statOf(place, path);
  return told({ stat, content: snapshot.contentOf(place, stat) });
}

/** A file that was read from a disk stands in memory of its own. */
const onDisk = (bytes: Uint8Array | readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes));

it("gives back every row whose stamp is the same, in whatever order they are asked for", async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (some, backwards) => {
      const entries = some.map(entryOf);
      const snapshot = decodeSnapshot(onDisk(await encode(entries)), kind);
      expect(snapshot?.length).toBe(some.length);
      for (const entry of backwards ? entries.toReversed() : entries) {
        const { path, stamp } = entry.stat;
        const proven = entry.settled && !stamp.includes(NaN);
        expect(recalled(snapshot, entry.stat)).toEqual(proven ? told(entry) : undefined);
        const touched = { path, stamp: stamp.map((value, at) => (at === 2 ? value + 1 : value)) };
        expect(recalled(snapshot, touched)).toBeUndefined();
      }
      expect(recalled(snapshot, { path: "not there" as VaultPath, stamp: [0, 0, 0] })).toBeUndefined();
    }),
    { numRuns: 100 * FUZZ_FACTOR },
  );
});

it("leaves out what could not be read, and what the reader was not shown", async () => {
  const stat = stats.keep({ path: "a.md" as VaultPath, size: 0, modified: 0, created: 0, stamp: [] });
  const bytes = await encode([
    new Entry(stat, { ...noContent(3), unreadable: true }, false, false),
    // Seen by the other reader alone.
    new Entry(stat, noContent(1), true, false),
  ]);
  expect(decodeSnapshot(onDisk(bytes), kind)?.length).toBe(0);
});

it("is made of many rows while others have their turns", async () => {
  const entry = new Entry(
    stats.keep({ path: "a.md" as VaultPath, size: 0, modified: 0, created: 0, stamp: [1, 2, 3] }),
    noContent(3),
    true,
    false,
  );
  let turns = 0;
  const turn = setInterval(() => turns++);
  await encode(Array.from({ length: 500_000 }, () => entry));
  clearInterval(turn);
  expect(turns).toBeGreaterThan(0);
});

describe("a snapshot that is not what was written is dropped", async () => {
  const [first] = fc.sample(fc.uniqueArray(row, { selector: ({ path }) => path, minLength: 20, maxLength: 20 }), {
    numRuns: 1,
    seed: 7,
  });
  const whole = onDisk(await encode((first ?? []).map(entryOf), { some: "summary" }));
  const summary = (bytes: Uint8Array): unknown => summaryOf({ bytes, fileSize: bytes.byteLength }, kind);

  it("when any byte is another", () => {
    expect(decodeSnapshot(whole, kind)?.length).toBe(20);
    expect(summary(whole)).toEqual({ some: "summary" });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = onDisk(whole);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        expect(decodeSnapshot(bytes, kind)).toBeUndefined();
        // The head stands for itself: it is right, or it is not there.
        expect([undefined, JSON.stringify({ some: "summary" })]).toContain(JSON.stringify(summary(bytes)));
      }),
      { numRuns: 2000 * FUZZ_FACTOR },
    );
  });

  it("when it is cut, lengthened, partly zero, or mixed from two", async () => {
    const other = onDisk(await encode((first ?? []).toReversed().map(entryOf), { some: "other" }));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(whole.length), (from, length) => {
        expect(decodeSnapshot(whole.slice(0, from), kind)).toBeUndefined();
        expect(decodeSnapshot(Uint8Array.of(...whole, ...other.slice(0, length + 1)), kind)).toBeUndefined();
        const end = Math.min(whole.length, from + length);
        for (const filler of [new Uint8Array(whole.length), other]) {
          const bytes = onDisk(whole);
          bytes.set(filler.subarray(from, end), from);
          const same = bytes.every((byte, at) => byte === whole[at]) || bytes.every((byte, at) => byte === other[at]);
          if (!same) expect(decodeSnapshot(bytes, kind)).toBeUndefined();
        }
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("when it is something else altogether", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decodeSnapshot(bytes, kind)).toBeUndefined();
        expect(summary(bytes)).toBeUndefined();
      }),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });

  it.each<[what: string, other: Partial<SnapshotKind>]>([
    ["program", { edition: "1.1" }],
    ["vault", { identity: "folder:1-3" }],
    ["stamp", { stampLength: 2 }],
    ["reader", { reader: reader("a") }],
    ["version of the reader", { reader: reader("b", 2) }],
  ])("when the %s is another", (_, other) => {
    expect(decodeSnapshot(whole, { ...kind, ...other })).toBeUndefined();
    expect(summaryOf({ bytes: whole, fileSize: whole.byteLength }, { ...kind, ...other })).toBeUndefined();
  });
});
