import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberPairs } from "./number-pairs.js";

const key = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0x7fffffff, -0x80000000, 64, 128));
const value = fc.integer({ min: 0, max: 3 });
const sorted = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b);
const change = fc.tuple(fc.constantFrom("add", "delete"), key, value);

describe("pairs of numbers", () => {
  it("are found by their first numbers, whatever was added and removed before", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
        const pairs = new NumberPairs();
        const expected: [number, number][] = [];
        for (const [kind, first, second] of changes)
          if (kind === "add") {
            pairs.add(first, second);
            expected.push([first, second]);
          } else {
            pairs.delete(first, second);
            const place = expected.findIndex(([a, b]) => a === first && b === second);
            if (place !== -1) expected.splice(place, 1);
          }
        for (const asked of new Set(changes.map(([, first]) => first))) {
          const seconds = expected.filter(([first]) => first === asked).map(([, second]) => second);
          expect(sorted(pairs.of(asked))).toEqual(sorted(seconds));
          for (const second of [0, 1, 2, 3]) expect(pairs.has(asked, second)).toBe(seconds.includes(second));
        }
      }),
    );
  });

  it("are as many as there are", () => {
    const pairs = new NumberPairs();
    for (let number = 0; number < 10_000; number++) pairs.add(number % 100, number);
    expect(pairs.of(7)).toHaveLength(100);
    expect(pairs.of(100)).toEqual([]);
  });
});
