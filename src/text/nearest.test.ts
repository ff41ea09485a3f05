import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "./nearest.js";
import { expectLinear } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const FIELDS = ["title", "area", "status", "dueDate", "priority", "parentProjects", "tags", "description"];

describe("nearest", () => {
  it.each([
    ["due_date", "dueDate"],
    ["DUE DATE", "dueDate"],
    ["titel", "title"],
    ["projects", "parentProjects"],
    ["priorty", "priority"],
    ["desc", "description"],
  ])("takes %s for %s", (text, name) => {
    expect(nearest(text, FIELDS)[0]).toBe(name);
  });

  it("puts the nearest first and keeps the given order among equals", () => {
    expect(nearest("--valt", ["--volt", "--vault", "--salt"])).toEqual(["--volt", "--vault", "--salt"]);
    expect(nearest("--vault", ["--allow-vault", "--vaults", "--vault"])).toEqual([
      "--vault",
      "--vaults",
      "--allow-vault",
    ]);
  });

  it("finds ids that differ in their random end, and titles that hold the text", () => {
    expect(nearest("task-review-report-abc123", ["task-buy-milk-a1b2c3", "task-review-report-zz9xk1"])).toEqual([
      "task-review-report-zz9xk1",
    ]);
    expect(nearest("quarterly", ["Pay rent", "Review quarterly report"])).toEqual(["Review quarterly report"]);
    expect(nearest("uberprufung", ["Überprüfung"])).toEqual(["Überprüfung"]);
  });

  it("answers nothing when nothing is near", () => {
    expect(nearest("zebra", FIELDS)).toEqual([]);
    expect(nearest("", FIELDS)).toEqual([]);
    expect(nearest("x", ["y"])).toEqual([]);
    expect(nearest("title", [])).toEqual([]);
  });

  it("takes a name that it does not fold, by its letters, for what it takes a folded one", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "B", "c", "d", "e", " ", "-", "_"), maxLength: 14 });
    // An accent, which folding takes away, keeps the letters from being counted.
    const isNear = (name: string, accent: string) => (wanted: string) => nearest(wanted, [name + accent]).length;
    fc.assert(
      fc.property(text, text, text, (wanted, before, after) => {
        for (const name of [`${before}e`, `${before}${wanted}${after}e`, `${wanted.slice(2)}${after}e`])
          expect(isNear(name, "")(wanted)).toBe(isNear(name, "\u0301")(wanted));
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("gives each name once, and no more than asked", () => {
    expect(nearest("tag", ["tags", "tags", "tag1", "tagz", "tagx"], 2)).toEqual(["tags", "tag1"]);
  });

  it("is not slowed down by long text", async () => {
    const names = (length: number) => Array.from({ length: 2_000 }, (_, index) => `${"a".repeat(length)}${index}`);
    await expectLinear((length) => nearest("a".repeat(length * 20), names(length)), 5_000);
    await expectLinear((length) => nearest(`${"b".repeat(40)}${"a".repeat(40)}`, names(length)), 5_000);
  });
});

/** The textbook definition, without bounds or bands. */
function reference(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      let cost = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(row - 2, column - 2) + 1);
      }
      (rows[row] ?? [])[column] = cost;
    }
  }
  return at(a.length, b.length);
}

describe("editDistance", () => {
  it.each([
    ["meeting", "meetnig", 1],
    ["meeting", "meting", 1],
    ["meeting", "meeeting", 1],
    ["meeting", "meating", 1],
    ["quarterly", "quatrely", 2],
    ["", "ab", 2],
    ["same", "same", 0],
  ])("%s to %s is %i", (a, b, distance) => {
    expect(editDistance(a, b, 3)).toBe(distance);
  });

  it("is the unbounded distance, cut off at the limit", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 4 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(reference(a, b), limit + 1));
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });
});

it("finds a name by its beginning, cut and misspelt", () => {
  expect(nearest("task-revew-quarterly", ["task-review-quarterly-report-k3v9qd", "task-other-things-a1b2c3"])).toEqual([
    "task-review-quarterly-report-k3v9qd",
  ]);
  expect(nearest("completely-else", ["task-review-quarterly-report-k3v9qd"])).toEqual([]);
});
