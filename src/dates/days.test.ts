import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLocalDate, type LocalDate } from "../clock.js";
import {
  addMonths,
  civilDate,
  dayNumber,
  daysInMonth,
  FIRST_DAY,
  LAST_DAY,
  startOfWeek,
  type Weekday,
  toDayNumber,
  toLocalDate,
  weekdayOf,
} from "./days.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const anyDay = fc.integer({ min: FIRST_DAY, max: LAST_DAY });

describe("day numbers", () => {
  it("count from 1970-01-01", () => {
    expect(dayNumber(1970, 1, 1)).toBe(0);
    expect(toDayNumber("1969-12-31" as LocalDate)).toBe(-1);
    expect(toLocalDate(FIRST_DAY)).toBe("0001-01-01");
    expect(toLocalDate(LAST_DAY)).toBe("9999-12-31");
  });

  it("agree with JavaScript's dates in UTC on every day", () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const date = new Date(day * 86_400_000);
        expect(toLocalDate(day)).toBe(date.toISOString().slice(0, 10));
        expect(toDayNumber(toLocalDate(day))).toBe(day);
        expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("write days that exist, around every new year and leap day", () => {
    for (let year = 1; year <= 9999; year += 1) {
      for (const day of [dayNumber(year, 1, 1), dayNumber(year, 3, 1), dayNumber(year, 12, 31)]) {
        expect(parseLocalDate(toLocalDate(day - (day === FIRST_DAY ? 0 : 1)))).toBeDefined();
        expect(toDayNumber(toLocalDate(day))).toBe(day);
      }
    }
  });

  it("know how weeks begin", () => {
    fc.assert(
      fc.property(anyDay, fc.constantFrom<Weekday>(0, 1, 2, 3, 4, 5, 6), (day, first) => {
        const start = startOfWeek(day, first);
        expect(weekdayOf(start)).toBe(first);
        expect(day - start).toBeGreaterThanOrEqual(0);
        expect(day - start).toBeLessThan(7);
      }),
    );
  });

  it("clamp when a month is too short", () => {
    const later = (date: string, months: number) => toLocalDate(addMonths(toDayNumber(date as LocalDate), months));
    expect(later("2027-01-31", 1)).toBe("2027-02-28");
    expect(later("2028-02-29", 12)).toBe("2029-02-28");
    expect(later("2026-11-15", -11)).toBe("2025-12-15");
    fc.assert(
      fc.property(fc.integer({ min: -500_000, max: 2_000_000 }), fc.integer({ min: -600, max: 600 }), (day, months) => {
        const [from, to] = [civilDate(day), civilDate(addMonths(day, months))];
        expect(to.year * 12 + to.month - from.year * 12 - from.month).toBe(months);
        expect(to.day).toBe(Math.min(from.day, daysInMonth(to.year, to.month)));
      }),
    );
  });
});
