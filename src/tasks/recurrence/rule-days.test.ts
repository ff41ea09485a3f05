import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../clock.js";
import { FIRST_DAY, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/days.js";
import { Occurrences } from "./rule-days.js";
import { parseRRule } from "./recurrence-rule.js";

const dayOf = (text: string) => toDayNumber(text as LocalDate);

function occurrencesOf(text: string, start: string): Occurrences {
  const read = parseRRule(text);
  if (!read.understood) throw new Error(read.reason);
  return new Occurrences(read.rule, dayOf(start));
}

function first(text: string, start: string, count: number): string[] {
  const days: string[] = [];
  for (const day of occurrencesOf(text, start).from(FIRST_DAY)) if (days.push(toLocalDate(day)) === count) break;
  return days;
}

/** Days of one month as RFC 5545 lists them: `1997-09 2 9 16`. */
const listed = (...months: string[]) =>
  months.flatMap((text) => {
    const [month = "", ...days] = text.split(" ");
    return days.map((day) => `${month}-${day.padStart(2, "0")}`);
  });

describe("the examples of RFC 5545", () => {
  it.each([
    ["FREQ=DAILY;COUNT=10", "1997-09-02", listed("1997-09 2 3 4 5 6 7 8 9 10 11")],
    ["FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09-02", listed("1997-09 2 12 22", "1997-10 2 12")],
    ["FREQ=DAILY;UNTIL=19971224T000000Z", "1997-12-22", listed("1997-12 22 23 24")],
    ["FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", "1999-01-30", listed("1999-01 30 31", "2000-01 1 2 3")],
    ["FREQ=WEEKLY;COUNT=10", "1997-09-02", listed("1997-09 2 9 16 23 30", "1997-10 7 14 21 28", "1997-11 4")],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU", "1997-09-02", listed("1997-09 2 16 30", "1997-10 14 28", "1997-11 11 25")],
    ["FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "1997-09-02", listed("1997-09 2 4 9 11 16 18 23 25 30", "1997-10 2")],
    [
      "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR",
      "1997-09-01",
      listed("1997-09 1 3 5 15 17 19 29", "1997-10 1 3 13"),
    ],
    [
      "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
      "1997-09-02",
      listed("1997-09 2 4 16 18 30", "1997-10 2 14 16"),
    ],
    [
      "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
      "1997-09-05",
      listed(
        "1997-09 5",
        "1997-10 3",
        "1997-11 7",
        "1997-12 5",
        "1998-01 2",
        "1998-02 6",
        "1998-03 6",
        "1998-04 3",
        "1998-05 1",
        "1998-06 5",
      ),
    ],
    [
      "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
      "1997-09-07",
      listed("1997-09 7 28", "1997-11 2 30", "1998-01 4 25", "1998-03 1 29", "1998-05 3 31"),
    ],
    [
      "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
      "1997-09-22",
      listed("1997-09 22", "1997-10 20", "1997-11 17", "1997-12 22", "1998-01 19", "1998-02 16"),
    ],
    [
      "FREQ=MONTHLY;BYMONTHDAY=-3",
      "1997-09-28",
      listed("1997-09 28", "1997-10 29", "1997-11 28", "1997-12 29", "1998-01 29", "1998-02 26"),
    ],
    [
      "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
      "1997-09-30",
      listed("1997-09 30", "1997-10 1 31", "1997-11 1 30", "1997-12 1 31", "1998-01 1 31", "1998-02 1"),
    ],
    [
      "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
      "1997-09-10",
      listed("1997-09 10 11 12 13 14 15", "1999-03 10 11 12 13"),
    ],
    [
      "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
      "1997-09-02",
      listed("1997-09 2 9 16 23 30", "1997-11 4 11 18 25", "1998-01 6"),
    ],
    [
      "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
      "1997-06-10",
      listed(
        "1997-06 10",
        "1997-07 10",
        "1998-06 10",
        "1998-07 10",
        "1999-06 10",
        "1999-07 10",
        "2000-06 10",
        "2000-07 10",
        "2001-06 10",
        "2001-07 10",
      ),
    ],
    [
      "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
      "1997-03-10",
      listed(
        "1997-03 10",
        "1999-01 10",
        "1999-02 10",
        "1999-03 10",
        "2001-01 10",
        "2001-02 10",
        "2001-03 10",
        "2003-01 10",
        "2003-02 10",
        "2003-03 10",
      ),
    ],
    [
      "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
      "1997-01-01",
      listed(
        "1997-01 1",
        "1997-04 10",
        "1997-07 19",
        "2000-01 1",
        "2000-04 9",
        "2000-07 18",
        "2003-01 1",
        "2003-04 10",
        "2003-07 19",
        "2006-01 1",
      ),
    ],
    ["FREQ=YEARLY;BYDAY=20MO", "1997-05-19", listed("1997-05 19", "1998-05 18", "1999-05 17")],
    ["FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12", listed("1997-05 12", "1998-05 11", "1999-05 17")],
    ["FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13", listed("1997-03 13 20 27", "1998-03 5 12 19 26")],
    [
      "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
      "1997-09-03",
      listed("1998-02 13", "1998-03 13", "1998-11 13", "1999-08 13", "2000-10 13"),
    ],
    [
      "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
      "1997-09-13",
      listed("1997-09 13", "1997-10 11", "1997-11 8", "1997-12 13"),
    ],
    [
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
      "1996-11-05",
      listed("1996-11 5", "2000-11 7", "2004-11 2"),
    ],
    ["FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", listed("1997-09 4", "1997-10 7", "1997-11 6")],
    [
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
      "1997-09-29",
      listed("1997-09 29", "1997-10 30", "1997-11 27", "1997-12 30"),
    ],
    ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", listed("1997-08 5 10 19 24")],
    ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", listed("1997-08 5 17 19 31")],
    ["FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15", listed("2007-01 15 30", "2007-02 15", "2007-03 15 30")],
  ])("%s from %s", (rule, start, days) => expect(first(rule, start, days.length)).toEqual(days));
});

describe("a search for occurrences", () => {
  it("skips days that do not exist", () => {
    expect(first("FREQ=MONTHLY", "2026-10-31", 3)).toEqual(["2026-10-31", "2026-12-31", "2027-01-31"]);
    expect(first("FREQ=YEARLY", "2028-02-29", 2)).toEqual(["2028-02-29", "2032-02-29"]);
  });

  it("ends where the rule or the calendar does, or where nothing comes for very long", () => {
    expect(first("FREQ=DAILY;UNTIL=20261122", "2026-11-21", 5)).toEqual(["2026-11-21", "2026-11-22"]);
    expect(first("FREQ=DAILY", "9999-12-30", 5)).toEqual(["9999-12-30", "9999-12-31"]);
    expect(first("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01", 1)).toEqual([]);
    expect(first("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29", "2026-01-01", 2)).toEqual(["2028-02-29", "2032-02-29"]);
    expect(occurrencesOf("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2026-11-23").next(0)).toBeUndefined();
    expect(occurrencesOf("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2026-11-23").previous(LAST_DAY)).toBeUndefined();
    expect(occurrencesOf("FREQ=DAILY", "2026-11-23").previous(dayOf("2026-11-23"))).toBeUndefined();
  });

  it("counts from the first day, however far the day asked for lies", () => {
    const five = occurrencesOf("FREQ=WEEKLY;COUNT=5", "2026-11-21");
    expect(toLocalDate(five.previous(LAST_DAY) ?? 0)).toBe("2026-12-19");
    expect(five.next(dayOf("2026-12-20"))).toBeUndefined();
    expect(five.includes(dayOf("2026-12-26"))).toBe(false);
  });

  it("takes only days that are accepted", () => {
    const daily = occurrencesOf("FREQ=DAILY", "2026-11-01");
    const taken = new Set(["2026-11-20", "2026-11-21", "2026-11-22"].map(dayOf));
    const free = (day: number) => !taken.has(day);
    expect(toLocalDate(daily.next(dayOf("2026-11-20"), free) ?? 0)).toBe("2026-11-23");
    expect(toLocalDate(daily.previous(dayOf("2026-11-23"), free) ?? 0)).toBe("2026-11-19");
  });

  it("finds the same looking back as looking ahead", () => {
    const rules = [
      "FREQ=DAILY;INTERVAL=3",
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA",
      "FREQ=MONTHLY;BYMONTHDAY=31",
      "FREQ=YEARLY;BYDAY=-1FR",
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: 0, max: 90_000 }),
        (rule, start, asked) => {
          const occurrences = occurrencesOf(rule, toLocalDate(start));
          const next = occurrences.next(asked);
          const before = occurrences.previous(asked);
          if (before !== undefined) expect(occurrences.next(before + 1)).toBe(next);
          if (next !== undefined) expect(occurrences.previous(next)).toBe(before);
          expect(before === undefined || before < asked).toBe(true);
          expect(next === undefined || next >= Math.max(asked, start)).toBe(true);
        },
      ),
    );
  });
});
