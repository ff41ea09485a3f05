/** The days of the pictures: none missing, sums true, and scales that a person can read. */
import { describe, expect, it } from "vitest";
import { axisTicks, strongest, sumOf, yearDays, yearWeeks } from "./review.js";

const TODAY = "2026-11-21";
const counted = [
  { day: "2025-11-15", done: 0, created: 0, open: 4 },
  { day: "2025-11-16", done: 1, created: 3, open: 6 },
  { day: "2026-03-01", done: 2, created: 0, open: 4 },
  { day: "2026-11-16", done: 1, created: 2, open: 5 },
  { day: "2026-11-21", done: 1, created: 0, open: 4 },
];

describe("the days of a year", () => {
  const days = yearDays(counted, TODAY);

  it("begin on a Monday 52 weeks ago and end today", () => {
    expect([days[0]?.day, days.at(-1)?.day, days.length]).toEqual(["2025-11-17", TODAY, 52 * 7 + 6]);
    expect(yearDays(counted, "2026-11-23").length).toBe(52 * 7 + 1);
  });

  it("keep what was open until it changes, and what was before them", () => {
    expect([days[0]?.open, days[104]?.open, days[200]?.open, days.at(-2)?.open]).toEqual([6, 4, 4, 5]);
    expect([sumOf(days, "done"), sumOf(days, "created")]).toEqual([4, 2]);
  });

  it("come to 53 weeks", () => {
    const weeks = yearWeeks(days);
    expect(weeks.length).toBe(53);
    expect(weeks.at(-1)).toEqual({ day: "2026-11-16", done: 2, created: 2, open: 4 });
    expect(weeks[0]).toEqual({ day: "2025-11-17", done: 0, created: 0, open: 6 });
  });

  it("may be empty of everything", () => {
    expect(new Set(yearDays([], TODAY).map(({ done, created, open }) => done + created + open))).toEqual(new Set([0]));
  });
});

it.each([
  [0, 0, "0 1"],
  [0, 1, "0 1"],
  [2, 4, "0 1 2 3 4"],
  [0, 5, "0 2 4 6"],
  [18, 37, "0 10 20 30 40"],
  [3, 90, "0 50 100"],
  [7, 1234, "0 500 1000 1500"],
  [1210, 1234, "1210 1220 1230 1240"],
  [40, 41, "40 41"],
  [40, 40, "0 10 20 30 40"],
])("lines from %d to %d: %s", (least, greatest, ticks) => expect(axisTicks(least, greatest).join(" ")).toBe(ticks));

it("takes no single day for the measure of all", () => {
  const of = (counts: readonly number[]) =>
    strongest(counts.map((done) => ({ day: TODAY, done, created: 0, open: 0 })));
  expect([of([]), of([1, 2, 3]), of([7, 9]), of([...Array.from({ length: 99 }, () => 5), 300])]).toEqual([4, 4, 9, 5]);
});
