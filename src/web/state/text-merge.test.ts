import { expect, it } from "vitest";
import { changedRange, merged } from "./task-changes.js";

const BASE = "Two coats.\n\nBuy a brush.\n\nWarm white.\n";

it("changes of different parts are joined, whichever comes first", () => {
  const mine = BASE.replace("Two", "Three");
  const theirs = BASE.replace("Warm", "Cold");
  const both = "Three coats.\n\nBuy a brush.\n\nCold white.\n";
  expect([merged(BASE, mine, theirs), merged(BASE, theirs, mine)]).toEqual([both, both]);
});

it("changes that touch, or of the same part, are not joined", () => {
  expect(merged(BASE, BASE.replace("Two", "Three"), BASE.replace("Two", "Four"))).toBeUndefined();
  expect(merged("", "a", "b")).toBeUndefined();
  expect(merged("a b", "a x b", "a y b")).toBeUndefined();
});

it("the same word at both ends is not counted twice", () => {
  expect(changedRange("a a", "a a a")).toEqual({ from: 3, to: 5, end: 3 });
});
