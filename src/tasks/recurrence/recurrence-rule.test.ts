import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../clock.js";
import { toDayNumber } from "../../dates/days.js";
import { formatRRule, looksLikeRRule, NO_RULE_PARTS, parseRRule, withStart } from "./recurrence-rule.js";

const day = (text: string) => toDayNumber(text as LocalDate);

describe("a rule of RFC 5545", () => {
  it.each([
    ["FREQ=DAILY", undefined],
    ["DTSTART:20261108;FREQ=DAILY", "2026-11-08"],
    ["DTSTART:20261108T233000Z;FREQ=DAILY", "2026-11-08"],
    ["dtstart;TZID=Europe/Berlin:20261108T090000;freq=daily", "2026-11-08"],
    ["DTSTART;VALUE=DATE:20261108\nRRULE:FREQ=DAILY", "2026-11-08"],
    ["RRULE:FREQ=DAILY;", undefined],
    ["FREQ=DAILY;BYHOUR=9;BYMINUTE=30;BYSECOND=0", undefined],
  ])("%j is read with its first day", (text, start) => {
    const rule = { ...NO_RULE_PARTS, frequency: "DAILY" };
    expect(parseRRule(text)).toEqual({ understood: true, rule, ...(start === undefined ? {} : { start: day(start) }) });
    expect(looksLikeRRule(text)).toBe(true);
  });

  it("has every part", () => {
    const text =
      "FREQ=YEARLY;INTERVAL=2;WKST=SU;BYMONTH=1,3;BYWEEKNO=-1,20;BYYEARDAY=-366,1;BYMONTHDAY=-1,15;BYDAY=MO,-1FR,2WE;BYSETPOS=-1,1;COUNT=3;UNTIL=20270115";
    const read = parseRRule(text);
    expect(read).toMatchObject({
      understood: true,
      rule: {
        interval: 2,
        weekStart: 6,
        byMonth: [1, 3],
        byDay: [{ weekday: 0 }, { weekday: 4, ordinal: -1 }, {}],
        count: 3,
        until: day("2027-01-15"),
      },
    });
    if (read.understood) expect(formatRRule(read.rule)).toBe(text);
    expect(parseRRule("FREQ=DAILY;UNTIL=20270115T235959Z")).toMatchObject({ rule: { until: day("2027-01-15") } });
  });

  it.each([
    ["", '"" is not a part of a rule.'],
    ["INTERVAL=2", "It has no FREQ."],
    ["FREQ=HOURLY", "FREQ=HOURLY is none of DAILY, WEEKLY, MONTHLY and YEARLY."],
    ["FREQ=DAILY;BYEASTER=1", "BYEASTER=1 is no part of a rule that can be followed."],
    ["FREQ=DAILY;FREQ=DAILY", "It has FREQ twice."],
    ["FREQ=DAILY;INTERVAL=0", "INTERVAL=0 is no whole number from 1 to 1,000."],
    ["FREQ=DAILY;INTERVAL=1001", "INTERVAL=1001 is no whole number from 1 to 1,000."],
    ["FREQ=DAILY;INTERVAL=1.5", "INTERVAL=1.5 is no whole number from 1 to 1,000."],
    ["FREQ=DAILY;COUNT=0", "COUNT=0 is no whole number from 1 on."],
    ["FREQ=DAILY;COUNT=-1", "COUNT=-1 is no whole number from 1 on."],
    ["FREQ=DAILY;UNTIL=20260230", "UNTIL=20260230 is no day that exists."],
    ["FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0 is no list of such numbers."],
    ["FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY=32 is no list of such numbers."],
    ["FREQ=MONTHLY;BYMONTHDAY=", "BYMONTHDAY= is no list of such numbers."],
    ["FREQ=YEARLY;BYMONTH=-1", "BYMONTH=-1 is no list of such numbers."],
    ["FREQ=WEEKLY;BYDAY=XX", "BYDAY=XX is no list of weekdays."],
    ["FREQ=WEEKLY;BYDAY=0MO", "BYDAY=0MO is no list of weekdays."],
    ["FREQ=WEEKLY;WKST=1MO;BYDAY=54MO", "BYDAY=54MO is no list of weekdays."],
    ["DTSTART:20260230;FREQ=DAILY", "DTSTART 20260230 is not a day."],
    ["constructor=1;FREQ=DAILY", "CONSTRUCTOR=1 is no part of a rule that can be followed."],
    ["every week", '"every week" is not a part of a rule.'],
  ])("%j is not understood", (text, reason) => expect(parseRRule(text)).toEqual({ understood: false, reason }));

  it("has limits", () => {
    const days = (count: number) =>
      `FREQ=YEARLY;BYYEARDAY=${Array.from({ length: count }, (_, place) => place + 1).join(",")}`;
    expect(parseRRule(days(24)).understood).toBe(true);
    expect(parseRRule(days(25)).understood).toBe(false);
    expect(parseRRule(`FREQ=DAILY${" ".repeat(491)}`)).toMatchObject({ understood: false });
  });

  it.each([
    ["FREQ=DAILY", "DTSTART:20261122;FREQ=DAILY"],
    ["DTSTART:20261108;FREQ=DAILY", "DTSTART:20261122;FREQ=DAILY"],
    ["DTSTART:20261108T093000Z;freq=daily; ", "DTSTART:20261122;freq=daily; "],
    ["DTSTART;TZID=X:20261108T093000\nRRULE:FREQ=DAILY", "DTSTART;TZID=X:20261122\nRRULE:FREQ=DAILY"],
    ["RRULE:FREQ=DAILY", "DTSTART:20261122;RRULE:FREQ=DAILY"],
  ])("%j gets another first day and keeps every other byte", (text, expected) => {
    expect(withStart(text, "20261122")).toBe(expected);
    expect(parseRRule(expected)).toMatchObject({ understood: true, start: day("2026-11-22") });
  });
});

it("tells words from rules", () => {
  expect(["every week", "weekly", "every frequent day"].some(looksLikeRRule)).toBe(false);
  expect(["FREQ=HOURLY", "DTSTART:x", "RRULE:FREQ=", " freq = daily"].every(looksLikeRRule)).toBe(true);
});
