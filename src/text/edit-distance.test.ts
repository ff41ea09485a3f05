import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance } from "./edit-distance.js";

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
      { numRuns: 3_000 },
    );
  });
});
