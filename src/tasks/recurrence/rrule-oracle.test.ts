/** Holds the engine to the `rrule` library, which TaskNotes uses, over random rules. */
import * as fc from "fast-check";
import { RRule } from "rrule";
import { describe, expect, it } from "vitest";
import { dayNumber, FIRST_DAY, type DayNumber, toLocalDate } from "../../dates/days.js";
import { Occurrences } from "./rule-days.js";
import { formatRRule, parseRRule } from "./recurrence-rule.js";
import { FUZZ_FACTOR, LONG } from "../../../test/kit/fuzz.js";

const RUNS = (LONG ? 150 : 60) * FUZZ_FACTOR;
const COMPARED = 12;

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

/** Numbers from 1 to `most`, from the end too when asked, as the list of a part. */
const numbers = (most: number, fromEnd: boolean, length = 4) =>
  fc
    .uniqueArray(
      fc.integer({ min: fromEnd ? -most : 1, max: most }).filter((number) => number !== 0),
      {
        minLength: 1,
        maxLength: length,
      },
    )
    .map((list) => list.join(","));

const weekdays = fc
  .uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 4 })
  .map((list) => list.join(","));
const ordinals = (most: number) =>
  fc
    .array(
      fc.tuple(
        fc.integer({ min: -most, max: most }).filter((nth) => nth !== 0),
        fc.constantFrom(...WEEKDAYS),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((list) => list.map(([nth, weekday]) => `${nth}${weekday}`).join(","));

/**
 * Parts that can stand together for each frequency. `rrule` walks to the year 9999 where a rule never falls on a day, so that
 * shapes which seldom do (the 30th of February, every seventh day on another weekday) are left out.
 */
const month = numbers(12, false).map((list) => `BYMONTH=${list}`);
const monthDay = numbers(28, true).map((list) => `BYMONTHDAY=${list}`);
const anyMonthDay = numbers(31, true, 6).map((list) => `BYMONTHDAY=${list},1`);
const byWeekday = weekdays.map((list) => `BYDAY=${list}`);
const nothing = fc.constant("");
const both = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((list) => list.join(";"));
const position = fc.constantFrom("1", "-1", "1,-1", "-2", "2").map((list) => `BYSETPOS=${list}`);
const wideDays = fc.constantFrom("MO,TU,WE,TH,FR", "SA,SU", "MO,WE,FR,SA").map((list) => `BYDAY=${list}`);

const SHAPES: readonly (readonly [frequency: string, intervals: readonly number[], parts: fc.Arbitrary<string>])[] = [
  ["DAILY", [1, 2, 3, 5, 10, 30, 365, 1000], fc.oneof(nothing, monthDay)],
  [
    "DAILY",
    [1, 2, 3, 5, 10],
    fc.oneof(month, byWeekday, both(month, byWeekday), both(month, monthDay), both(wideDays, monthDay)),
  ],
  ["DAILY", [1], numbers(300, true).map((list) => `BYYEARDAY=${list}`)],
  ["WEEKLY", [1, 2, 3, 4, 10, 52], fc.oneof(nothing, byWeekday, both(wideDays, position), both(byWeekday, month))],
  ["WEEKLY", [1, 2], both(wideDays, fc.oneof(monthDay, anyMonthDay))],
  [
    "MONTHLY",
    [1, 2, 3, 6, 12, 18],
    fc.oneof(
      nothing,
      monthDay,
      anyMonthDay,
      byWeekday,
      ordinals(4).map((list) => `BYDAY=${list}`),
    ),
  ],
  [
    "MONTHLY",
    [1],
    fc.oneof(month, both(month, monthDay), both(month, byWeekday), both(wideDays, position), both(monthDay, byWeekday)),
  ],
  [
    "MONTHLY",
    [1, 3],
    fc.oneof(
      both(anyMonthDay, fc.constant("BYSETPOS=-1")),
      ordinals(5).map((list) => `BYDAY=${list},1MO`),
    ),
  ],
  [
    "YEARLY",
    [1, 2, 3, 5],
    fc.oneof(nothing, month, monthDay, both(month, monthDay), byWeekday, both(month, byWeekday)),
  ],
  [
    "YEARLY",
    [1, 2, 3],
    fc.oneof(
      ordinals(52).map((list) => `BYDAY=${list}`),
      both(
        month,
        ordinals(4).map((list) => `BYDAY=${list}`),
      ),
    ),
  ],
  [
    "YEARLY",
    [1, 2],
    fc.oneof(
      numbers(365, true).map((list) => `BYYEARDAY=${list}`),
      both(byWeekday, position),
    ),
  ],
  [
    "YEARLY",
    [1, 2],
    fc.oneof(
      numbers(51, true).map((list) => `BYWEEKNO=${list}`),
      both(
        byWeekday,
        numbers(51, true).map((list) => `BYWEEKNO=${list}`),
      ),
    ),
  ],
  ["YEARLY", [1], both(month, monthDay, fc.constant("BYSETPOS=-1"))],
];

const ruleText = fc.oneof(
  ...SHAPES.map(([frequency, intervals, parts]) =>
    fc
      .tuple(
        fc.constantFrom(...intervals),
        parts,
        fc.option(fc.integer({ min: 1, max: 30 })),
        fc.constantFrom(...WEEKDAYS),
      )
      .map(([interval, part, count, weekStart]) =>
        [
          `FREQ=${frequency};INTERVAL=${interval};WKST=${weekStart}`,
          part,
          // `rrule` counts a day twice that two positions name.
          count === null || part.includes("BYSETPOS=1,-1") ? "" : `COUNT=${count}`,
        ]
          .filter((text) => text !== "")
          .join(";"),
      ),
  ),
);

const startDay = fc.integer({ min: dayNumber(1990, 1, 1), max: dayNumber(2040, 12, 31) });

function ofRRule(text: string, start: DayNumber): string[] {
  const rule = new RRule({ ...RRule.parseString(text), dtstart: new Date(start * 86_400_000) });
  const days = new Set<string>();
  rule.all((date) => days.add(date.toISOString().slice(0, 10)).size < COMPARED);
  return [...days];
}

function ofEngine(text: string, start: DayNumber): { occurrences: Occurrences; days: DayNumber[] } {
  const read = parseRRule(text);
  if (!read.understood) throw new Error(`${text}: ${read.reason}`);
  const occurrences = new Occurrences(read.rule, start);
  const days: DayNumber[] = [];
  for (const day of occurrences.from(FIRST_DAY)) if (days.push(day) === COMPARED) break;
  return { occurrences, days };
}

describe("random rules", () => {
  it("fall on the days that rrule finds, and the jumps agree with the walk", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(ruleText, startDay, (text, start) => {
        const { occurrences, days } = ofEngine(text, start);
        expect(days.map(toLocalDate)).toEqual(ofRRule(text, start));
        for (const [place, day] of days.entries()) {
          expect(occurrences.includes(day)).toBe(true);
          expect(occurrences.next(day)).toBe(day);
          expect(occurrences.previous(day)).toBe(days[place - 1]);
          if (place + 1 < days.length) expect(occurrences.next(day + 1)).toBe(days[place + 1]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("are written as they are read", () => {
    fc.assert(
      fc.property(ruleText, (text) => {
        const read = parseRRule(text);
        if (read.understood) expect(parseRRule(formatRRule(read.rule))).toEqual(read);
        expect(read.understood).toBe(true);
      }),
    );
  });
});
