import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../clock.js";
import { dayNumber, toDayNumber, toLocalDate } from "../../dates/days.js";
import { nextByWords, Occurrences } from "./rule-days.js";
import { formatRRule, parseRRule } from "./recurrence-rule.js";
import { parseRuleWords, toRRule, toRuleWords } from "./rule-words.js";

function ruleOf(text: string): string | undefined {
  const read = parseRuleWords(text);
  return read.understood ? `${formatRRule(read.rule)}${read.whenDone ? " when done" : ""}` : undefined;
}

describe("a rule in words", () => {
  it.each([
    ["every day", "FREQ=DAILY"],
    ["Every 3 Days", "FREQ=DAILY;INTERVAL=3"],
    ["every week", "FREQ=WEEKLY"],
    ["every 1 weeks", "FREQ=WEEKLY"],
    ["every month when done", "FREQ=MONTHLY when done"],
    ["every  2   years", "FREQ=YEARLY;INTERVAL=2"],
    ["every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
    ["every Monday, Friday", "FREQ=WEEKLY;BYDAY=MO,FR"],
    ["every tue and thu", "FREQ=WEEKLY;BYDAY=TU,TH"],
    ["every 3 weeks on Friday", "FREQ=WEEKLY;INTERVAL=3;BYDAY=FR"],
    ["every week on Monday, Tuesday and Friday", "FREQ=WEEKLY;BYDAY=MO,TU,FR"],
    ["every month on Friday", "FREQ=MONTHLY;BYDAY=FR"],
    ["every month on the 1st and 15th", "FREQ=MONTHLY;BYMONTHDAY=1,15"],
    ["every month on the 31st, 1st", "FREQ=MONTHLY;BYMONTHDAY=1,31"],
    ["every month on the last", "FREQ=MONTHLY;BYMONTHDAY=-1"],
    ["every month on the 2nd last", "FREQ=MONTHLY;BYMONTHDAY=-2"],
    ["every month on the last Friday", "FREQ=MONTHLY;BYDAY=-1FR"],
    ["every 6 months on the 2nd Wednesday", "FREQ=MONTHLY;INTERVAL=6;BYDAY=2WE"],
    ["every month on the 2nd last Friday", "FREQ=MONTHLY;BYDAY=-2FR"],
    ["every month on the 1st Monday and the last Friday", "FREQ=MONTHLY;BYDAY=1MO,-1FR"],
    ["every January and July on the 15th", "FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=15"],
    ["every december on the first monday", "FREQ=YEARLY;BYMONTH=12;BYDAY=1MO"],
    ["every month on the second Tuesday and third", undefined],
    ["every month on the second last", "FREQ=MONTHLY;BYMONTHDAY=-2"],
    ["every month on the last day", "FREQ=MONTHLY;BYMONTHDAY=-1"],
    ["everyday when done", "FREQ=DAILY when done"],
    ["every weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
    ["every February on the last", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"],
    ["every week until January 1, 2027", "FREQ=WEEKLY;UNTIL=20270101"],
    ["every week until 1 January 2027", "FREQ=WEEKLY;UNTIL=20270101"],
    ["every month on the last for 3 times when done", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3 when done"],
    ["daily", "FREQ=DAILY"],
    ["Weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
    ["weekly", "FREQ=WEEKLY"],
    ["biweekly", "FREQ=WEEKLY;INTERVAL=2"],
    ["monthly", "FREQ=MONTHLY"],
    ["quarterly", "FREQ=MONTHLY;INTERVAL=3"],
    ["yearly", "FREQ=YEARLY"],
  ])("%s is %s", (text, rule) => expect(ruleOf(text)).toBe(rule));

  it.each([
    "",
    "every",
    "every weekend",
    "every other day",
    "every 0 days",
    "every 02 days",
    "every day day",
    "every 1001 days",
    "every 2 weekdays",
    "every blursday",
    "every Monday, blursday",
    "every week on the 15th",
    "every day on the last Friday",
    "every day on Friday",
    "every day when  done",
    "every weekday on Monday",
    "every Monday on Friday",
    "every month on the 32nd",
    "every month on the 6th Friday",
    "every month on the 1st and last Friday",
    "every month on 15",
    "every week until someday",
    "every week until February 30, 2027",
    "every week for 0 times",
    "every week when finished",
    "every hour",
    "weekly when done please",
    "FREQ=WEEKLY",
    "constructor",
  ])("%j is not understood", (text) => {
    expect(parseRuleWords(text)).toEqual({ understood: false, reason: `"${text}" is not a rule that is understood.` });
  });
});

const written = (text: string, start: string) => {
  const read = parseRuleWords(text);
  return read.understood ? toRRule(read, toDayNumber(start as LocalDate)) : undefined;
};

describe("words as an RFC 5545 rule", () => {
  it.each([
    ["every week", "2026-11-21", "DTSTART:20261121;FREQ=WEEKLY"],
    ["every month", "2026-11-28", "DTSTART:20261128;FREQ=MONTHLY"],
    ["every month", "2026-11-29", "DTSTART:20261129;FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1"],
    ["every 2 months", "2026-10-31", "DTSTART:20261031;FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"],
    ["every year", "2026-10-31", "DTSTART:20261031;FREQ=YEARLY"],
    ["every year", "2028-02-29", "DTSTART:20280229;FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"],
    ["every month on the 31st", "2026-10-31", "DTSTART:20261031;FREQ=MONTHLY;BYMONTHDAY=31"],
  ])("%s from %s", (text, start, recurrence) =>
    expect(written(text, start)).toEqual({ recurrence, anchor: "scheduled" }),
  );

  it("counts from completion when done, so that no day is fixed", () => {
    expect(written("every month when done", "2026-10-31")).toEqual({
      recurrence: "DTSTART:20261031;FREQ=MONTHLY",
      anchor: "completion",
    });
  });

  it("falls on the same next day", () => {
    const texts = fc.constantFrom(
      "every day",
      "every 3 weeks",
      "every month",
      "every 5 months",
      "every year",
      "every weekday",
      "every month on the 2nd last Friday",
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: dayNumber(2020, 1, 1), max: dayNumber(2040, 1, 1) }), (text, start) => {
        const words = parseRuleWords(text);
        const rule = parseRRule(written(text, toLocalDate(start))?.recurrence ?? "");
        if (!words.understood || !rule.understood) throw new Error(text);
        expect(new Occurrences(rule.rule, rule.start ?? 0).next(start + 1)).toBe(nextByWords(words, start));
      }),
    );
  });
});

describe("an RFC 5545 rule in words", () => {
  it.each([
    ["FREQ=DAILY", "every day"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "every 2 weeks on Monday, Friday"],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["FREQ=MONTHLY;BYMONTHDAY=1,15,31", "every month on the 1st, 15th and 31st"],
    ["FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last"],
    ["FREQ=MONTHLY;BYDAY=-2FR", "every month on the 2nd last Friday"],
    ["FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1", "every month"],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", "every year"],
    ["FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=15", "every January and July on the 15th"],
    ["FREQ=WEEKLY;COUNT=3", "every week for 3 times"],
    ["FREQ=WEEKLY;UNTIL=20270101", "every week until January 1, 2027"],
    ["FREQ=YEARLY;INTERVAL=2;BYMONTH=1", undefined],
    ["FREQ=YEARLY;BYWEEKNO=20", undefined],
    ["FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1", undefined],
    ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", undefined],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU", undefined],
  ])("%s is %s", (text, words) => {
    const read = parseRRule(text);
    expect(read.understood && toRuleWords(read.rule, "scheduled")).toBe(words);
    if (words !== undefined && read.understood) expect(toRuleWords(read.rule, "completion")).toBe(`${words} when done`);
  });
});
