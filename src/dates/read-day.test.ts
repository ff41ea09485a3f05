import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../clock.js";
import { isVaultError } from "../errors.js";
import { FIRST_DAY, LAST_DAY, toDayNumber, toLocalDate } from "./days.js";
import { isInRange, parseDay, parseDayRange, requireDay, requireDayRange, requirePastDay } from "./read-day.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

/** A Saturday. */
const TODAY = "2026-11-21" as LocalDate;
const day = (text: string, today: string = TODAY) => parseDay(text, today as LocalDate)?.day;

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return error.message;
    throw error;
  }
  return "accepted";
}

describe("a day in words", () => {
  it.each([
    ["2026-12-24", "2026-12-24"],
    ["2026/12/24", "2026-12-24"],
    ["today", "2026-11-21"],
    ["Tomorrow", "2026-11-22"],
    ["YESTERDAY", "2026-11-20"],
    ["friday", "2026-11-27"],
    ["sat", "2026-11-28"],
    ["sunday", "2026-11-22"],
    ["this friday", "2026-11-20"],
    ["this saturday", "2026-11-21"],
    ["next monday", "2026-11-23"],
    ["next friday", "2026-11-27"],
    ["last friday", "2026-11-13"],
    ["last sunday", "2026-11-15"],
    ["in 3 days", "2026-11-24"],
    ["in a week", "2026-11-28"],
    ["in an year", "2027-11-21"],
    ["in two fortnights", "2026-12-19"],
    ["in 1 month", "2026-12-21"],
    ["twelve days ago", "2026-11-09"],
    ["2 weeks from now", "2026-12-05"],
    ["1 year ago", "2025-11-21"],
    ["next week", "2026-11-23"],
    ["next month", "2026-12-01"],
    ["next year", "2027-01-01"],
    ["start of week", "2026-11-16"],
    ["this evening", "2026-11-21"],
    ["end of the day", "2026-11-21"],
    ["a week from today", "2026-11-28"],
    ["two weeks from tomorrow", "2026-12-06"],
    ["a week from friday", "2026-12-04"],
    ["friday next week", "2026-11-27"],
    ["next week, friday", "2026-11-27"],
    ["next quarter", "2027-01-01"],
    ["the first of next month", "2026-12-01"],
    ["10th of next month", "2026-12-10"],
    ["the 1st day of next month", "2026-12-01"],
    ["next month, the 12th", "2026-12-12"],
    ["5th of this month", "2026-11-05"],
    ["this month 25th", "2026-11-25"],
    ["31st of this month", undefined],
    ["last day of the month", "2026-11-30"],
    ["last day of next month", "2026-12-31"],
    ["last friday of the month", "2026-11-27"],
    ["end of week", "2026-11-22"],
    ["end of the week", "2026-11-22"],
    ["start of next week", "2026-11-23"],
    ["end of next week", "2026-11-29"],
    ["end of month", "2026-11-30"],
    ["start of next month", "2026-12-01"],
    ["start of quarter", "2026-10-01"],
    ["end of next quarter", "2027-03-31"],
    ["end of year", "2026-12-31"],
    ["start of next year", "2027-01-01"],
    ["the 15th", "2026-12-15"],
    ["21st", "2026-11-21"],
    ["31st", "2026-12-31"],
    ["the first", "2026-12-01"],
    ["15th of december", "2026-12-15"],
    ["the first of may", "2027-05-01"],
    ["dec 15", "2026-12-15"],
    ["15 dec", "2026-12-15"],
    ["december 15, 2028", "2028-12-15"],
    ["December 15th 2028", "2028-12-15"],
    ["15 December 2025", "2025-12-15"],
    ["nov 20", "2027-11-20"],
    ["feb 29", "2028-02-29"],
    ["first monday of december", "2026-12-07"],
    ["last friday of november", "2026-11-27"],
    ["1st monday of november", "2027-11-01"],
    ["fifth sunday of next month", undefined],
    ["2nd tuesday of next month", "2026-12-08"],
    ["last day of month", undefined],
    ["  next \t friday ", "2026-11-27"],
    ["3.12.2026", "2026-12-03"],
    ["25/12/2026", "2026-12-25"],
    ["12/25/2026", "2026-12-25"],
    ["1/1/2027", "2027-01-01"],
    ["+7 days", "2026-11-28"],
    ["+ 1 week", "2026-11-28"],
    ["Friday 4 December", "2026-12-04"],
    ["fri, december 4", "2026-12-04"],
    ["Friday, 4 December 2026", "2026-12-04"],
    ["friday 2026-12-04", "2026-12-04"],
    ["friday 5 december", undefined],
    ["the day after tomorrow", "2026-11-23"],
    ["tomorrow morning", "2026-11-22"],
    ["next friday evening", "2026-11-27"],
    ["tonight", "2026-11-21"],
    ["heute", "2026-11-21"],
    ["Übermorgen", "2026-11-23"],
    ["ubermorgen", "2026-11-23"],
    ["in 3 Tagen", "2026-11-24"],
    ["in einer Woche", "2026-11-28"],
    ["am Freitag", "2026-11-27"],
    ["5. Dezember", "2026-12-05"],
    ["5. Dezember 2027", "2027-12-05"],
    ["5.12.", "2026-12-05"],
    ["Freitag, 4. Dezember", "2026-12-04"],
    ["nächste Woche", "2026-11-23"],
    ["Ende des Monats", "2026-11-30"],
    ["nächsten Sonntag", undefined],
    ["nächsten Freitag", "2026-11-27"],
    ["vendredi", "2026-11-27"],
    ["après-demain", "2026-11-23"],
    ["aujourd’hui", "2026-11-21"],
    ["dans deux semaines", "2026-12-05"],
    ["le 1er décembre", "2026-12-01"],
    ["vendredi 4 décembre", "2026-12-04"],
    ["le mois prochain", "2026-12-01"],
    ["dimanche prochain", undefined],
    ["lundi 7 décembre", "2026-12-07"],
    ["le lundi 7 décembre", "2026-12-07"],
    ["lundi 5 décembre", undefined],
    ["am Montag, 7. Dezember", "2026-12-07"],
    ["Dienstag, 7. Dezember", undefined],
    ["el lunes 7 de diciembre", "2026-12-07"],
    ["el martes 7 de diciembre", undefined],
    ["morgen früh", "2026-11-22"],
    ["demain matin", "2026-11-22"],
    ["mañana por la mañana", "2026-11-22"],
    ["fin de semaine", undefined],
    ["5 de diciembre", "2026-12-05"],
    ["el 5 de diciembre de 2027", "2027-12-05"],
    ["pasado mañana", "2026-11-23"],
    ["miércoles", "2026-11-25"],
    ["dentro de 3 días", "2026-11-24"],
    ["el domingo que viene", undefined],
  ])("%s is %s", (text, expected) => expect(day(text)).toBe(expected));

  it("clamps months that are too short", () => {
    expect(day("in 1 month", "2027-01-31")).toBe("2027-02-28");
    expect(day("a year ago", "2028-02-29")).toBe("2027-02-28");
  });

  it("keeps the clock part of a date-time apart", () => {
    expect(parseDay("2026-11-27T18:00", TODAY)).toEqual({ day: "2026-11-27", time: "T18:00", inWords: false });
    expect(parseDay("2026-11-27 18:00:05.5+02:00", TODAY)?.time).toBe("T18:00:05.5+02:00");
    expect(parseDay("2026-11-27t23:59z", TODAY)).toMatchObject({ day: "2026-11-27", time: "T23:59Z" });
    expect(day("2026-11-27T24:00")).toBeUndefined();
  });

  it.each([
    "",
    "blursday",
    "2026-02-30",
    "2026-13-01",
    "5pm",
    "tomorrow 5pm",
    "friday at 17:00",
    "17:00",
    "december",
    "december 2026",
    "dec",
    "next 7 days",
    "this week",
    "overdue",
    "2026-11-01..2026-11-30",
    "before friday",
    "feb 30",
    "31 november",
    "the 32nd",
    "30 feb 2027",
    "friday please",
    "in 3",
    "in 999999 years",
    "999999 years ago",
    "zeroth monday of december",
    "constructor",
    "1/2/2027",
    "31.31.2026",
  ])("refuses %j", (text) => expect(day(text)).toBeUndefined());

  it("reads no property of every object as a word", () =>
    expect(parseDayRange("constructor tomorrow", TODAY)).toBeUndefined());

  it("finds weekdays where the page says, on any day", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: FIRST_DAY + 14, max: LAST_DAY - 14 }),
        fc.constantFrom("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        (number, weekday) => {
          const ahead = (words: string) => toDayNumber(day(words, toLocalDate(number)) ?? TODAY) - number;
          expect(ahead(weekday)).toBeGreaterThanOrEqual(1);
          expect(ahead(weekday)).toBeLessThanOrEqual(7);
          expect(ahead(`next ${weekday}`) - ahead(`this ${weekday}`)).toBe(7);
          expect(ahead(`this ${weekday}`) - ahead(`last ${weekday}`)).toBe(7);
          expect([ahead(`this ${weekday}`), ahead(`next ${weekday}`)]).toContain(ahead(weekday));
        },
      ),
    );
  });

  it("never throws, whatever the text", () => {
    const words = fc.constantFrom(
      "next",
      "last",
      "in",
      "3",
      "of",
      "month",
      "monday",
      "the",
      "15th",
      "dec",
      "..",
      "before",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 5 }).map((list) => list.join(" ")),
        ),
        (text) => {
          const read = parseDay(text, TODAY);
          if (read) expect(toLocalDate(toDayNumber(read.day))).toBe(read.day);
          parseDayRange(text, TODAY);
        },
      ),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });
});

describe("a refused day", () => {
  it("says today and what to write", () => {
    expect(messageOf(() => requireDay("dueDate", "blursday", TODAY))).toBe(
      'dueDate "blursday" is not a day I know. Today is Sat 2026-11-21. Write YYYY-MM-DD, or words such as: tomorrow, friday, next friday, in 3 days, end of month, 15 dec, first monday of december.',
    );
    expect(messageOf(() => requireDay("scheduled", "next 7 days", TODAY))).toContain("is not a day I know");
  });

  it("names both readings of a date with its year last", () => {
    expect(messageOf(() => requireDay("dueDate", "1/2/2027", TODAY))).toBe(
      'dueDate "1/2/2027" can mean Sat 2027-01-02 (in 42 days) or Mon 2027-02-01 (in 72 days). Write 2027-01-02 or 2027-02-01.',
    );
  });

  it.each(["2026-11-31", "2027-02-30", "2026/02/30", "31.11.2026", "31/31/2027"])(
    "says that %s does not exist",
    (text) => {
      expect(messageOf(() => requireDay("dueDate", text, TODAY))).toContain(
        `dueDate "${text}" is not a day that exists. Today is Sat 2026-11-21. Write YYYY-MM-DD`,
      );
      expect(messageOf(() => requirePastDay("date_from", text, TODAY))).toContain("is not a day that exists");
      expect(messageOf(() => requireDayRange("due", text, TODAY))).toContain("is not a day that exists");
    },
  );

  it("names both days of a weekday that people count differently", () => {
    expect(messageOf(() => requireDay("dueDate", "nächsten Sonntag", TODAY))).toBe(
      'dueDate "nächsten Sonntag" can mean Sun 2026-11-22 (in 1 day) or Sun 2026-11-29 (in 8 days). Write 2026-11-22 or 2026-11-29.',
    );
    expect(messageOf(() => requireDay("dueDate", "fin de semaine", TODAY))).toContain(
      "Write 2026-11-21 or 2026-11-22.",
    );
  });

  it("says how a day that exists is written", () => {
    for (const text of ["2026-12-1", "2026/12/1"])
      expect(messageOf(() => requireDay("due", text, TODAY))).toBe(
        `due "${text}" is not written YYYY-MM-DD. Write 2026-12-01.`,
      );
    expect(messageOf(() => requireDayRange("due", "2026-2-30", TODAY))).toContain("is not a day that exists");
  });

  it("names the years of a month without one", () => {
    expect(messageOf(() => requireDayRange("due", "Oktober", TODAY))).toBe(
      'due "Oktober" does not say which year. Write 2026-10 or 2027-10.',
    );
    expect(messageOf(() => requireDayRange("due", "december", TODAY))).toContain("Write 2025-12 or 2026-12.");
    expect(messageOf(() => requireDayRange("due", "Q3", TODAY))).toContain("Write 2026-Q3 or 2027-Q3.");
    expect(messageOf(() => requirePastDay("since", "q1", TODAY))).toContain("Write 2026-Q1 or 2027-Q1.");
    expect(messageOf(() => requireDay("due", "december", TODAY))).toContain("is not a day I know");
  });

  it("names ranges where one is wanted", () => {
    expect(messageOf(() => requireDayRange("due", "soon", TODAY))).toBe(
      'due "soon" is not a day or range I know. Today is Sat 2026-11-21. Write YYYY-MM-DD, YYYY-MM-DD..YYYY-MM-DD, or words such as: overdue, today, this week, next 7 days, before friday, none.',
    );
  });
});

describe("a range of days", () => {
  const range = (text: string) => {
    const read = parseDayRange(text, TODAY);
    return read?.kind === "days" ? `${read.from ?? ""}..${read.to ?? ""}` : read?.kind;
  };

  it.each([
    ["Overdue", "overdue"],
    ["überfällig", "overdue"],
    ["en retard", "overdue"],
    ["vencidas", "overdue"],
    ["October 2026", "2026-10-01..2026-10-31"],
    ["märz 2027", "2027-03-01..2027-03-31"],
    ["octubre de 2026", "2026-10-01..2026-10-31"],
    ["october", undefined],
    ["none", "none"],
    ["any", "any"],
    ["2026-11-30", "2026-11-30..2026-11-30"],
    ["tomorrow", "2026-11-22..2026-11-22"],
    ["today..friday", "2026-11-21..2026-11-27"],
    ["2026-11-01 .. 2026-11-30", "2026-11-01..2026-11-30"],
    ["2026-11-01 to 2026-11-30", "2026-11-01..2026-11-30"],
    ["from today to friday", "2026-11-21..2026-11-27"],
    ["2026-11-30..2026-11-01", "2026-11-30..2026-11-01"],
    ["2026-11-01 to 2026-11-02 to 2026-11-03", undefined],
    ["before friday", "..2026-11-26"],
    ["by friday", "..2026-11-27"],
    ["until 2026-11-30", "..2026-11-30"],
    ["<= 2026-11-30", "..2026-11-30"],
    ["<2026-11-30", "..2026-11-29"],
    ["since yesterday", "2026-11-20.."],
    ["from monday", "2026-11-23.."],
    [">=2026-11-30", "2026-11-30.."],
    ["> tomorrow", "2026-11-23.."],
    ["after 2026-11-30", "2026-12-01.."],
    ["next 7 days", "2026-11-21..2026-11-28"],
    ["last 7 days", "2026-11-14..2026-11-21"],
    ["last one day", "2026-11-20..2026-11-21"],
    ["this week", "2026-11-21..2026-11-28"],
    ["next week", "2026-11-23..2026-11-29"],
    ["last week", "2026-11-09..2026-11-15"],
    ["this month", "2026-11-01..2026-11-30"],
    ["next month", "2026-12-01..2026-12-31"],
    ["last month", "2026-10-01..2026-10-31"],
    ["this quarter", "2026-10-01..2026-12-31"],
    ["next year", "2027-01-01..2027-12-31"],
    ["last year", "2025-01-01..2025-12-31"],
    ["this weekend", "2026-11-21..2026-11-22"],
    ["last weekend", "2026-11-14..2026-11-15"],
    ["next weekend", "2026-11-28..2026-11-29"],
    ["2026-12-1", undefined],
    ["2026-W49", "2026-11-30..2026-12-06"],
    ["2026-W54", undefined],
    ["2026-12", "2026-12-01..2026-12-31"],
    ["2026-Q4", "2026-10-01..2026-12-31"],
    ["2027", "2027-01-01..2027-12-31"],
    ["nächste Woche", "2026-11-23..2026-11-29"],
    ["diese Woche", "2026-11-21..2026-11-28"],
    ["letzten Monat", "2026-10-01..2026-10-31"],
    ["l'année prochaine", "2027-01-01..2027-12-31"],
    ["la semana pasada", "2026-11-09..2026-11-15"],
    ["before", undefined],
    ["before next 7 days", undefined],
    ["a..b..c", undefined],
    ["constructor", undefined],
    ["after 9999-12-31", undefined],
  ])("%s is %s", (text, expected) => expect(range(text)).toBe(expected));

  it("holds both its ends", () => {
    const week = { kind: "days", from: TODAY, to: "2026-11-28" as LocalDate, inWords: true } as const;
    expect(
      ["2026-11-20", "2026-11-21", "2026-11-28", "2026-11-29"].map((each) => isInRange(each as LocalDate, week)),
    ).toEqual([false, true, true, false]);
    expect(isInRange(TODAY, { kind: "days", inWords: false })).toBe(true);
  });
});

describe("a day of the past", () => {
  const past = (text: string, range?: Parameters<typeof requirePastDay>[3]) =>
    requirePastDay("since", text, TODAY, range).day;

  it.each([
    ["friday", "2026-11-20"],
    ["saturday", "2026-11-21"],
    ["Samstag", "2026-11-21"],
    ["vendredi", "2026-11-20"],
    ["15 nov", "2026-11-15"],
    ["24 dec", "2025-12-24"],
    ["24. Dezember", "2025-12-24"],
    ["the 25th", "2026-10-25"],
    ["29 feb", "2024-02-29"],
    ["first monday of december", "2025-12-01"],
    ["last friday", "2026-11-13"],
    ["tomorrow", "2026-11-22"],
    ["2026-12-24", "2026-12-24"],
    ["last week", "2026-11-09"],
    ["this week", "2026-11-16"],
    ["last 7 days", "2026-11-14"],
    ["october", "2026-10-01"],
    ["Dezember", "2025-12-01"],
  ])("%s is %s", (text, expected) => expect(past(text)).toBe(expected));

  it("ends a range from its beginning on", () => {
    const start = "2026-11-18" as LocalDate;
    expect(past("wednesday", { start })).toBe("2026-11-18");
    expect(past("tuesday", { start })).toBe("2026-11-24");
    expect(past("yesterday", { start })).toBe("2026-11-20");
    expect(past("last month", { end: "to" })).toBe("2026-10-31");
    expect(past("october", { end: "to", start: "2026-10-01" as LocalDate })).toBe("2026-10-31");
    expect(past("january", { end: "to", start: "2025-12-01" as LocalDate })).toBe("2026-01-31");
  });

  it("is refused with words for the past", () => {
    expect(messageOf(() => past("blursday"))).toBe(
      'since "blursday" is not a day I know. Today is Sat 2026-11-21. Write YYYY-MM-DD, or words such as: today, yesterday, monday, 15 nov, 2 weeks ago, last week.',
    );
  });

  it.each([
    ["friday", "2026-11-20..2026-11-20"],
    ["this week", "2026-11-16..2026-11-22"],
    ["monday..friday", "2026-11-16..2026-11-20"],
    ["friday to monday", "2026-11-20..2026-11-23"],
    ["after monday", "2026-11-17.."],
    ["october", "2026-10-01..2026-10-31"],
    ["November", "2026-11-01..2026-11-30"],
    ["décembre", "2025-12-01..2025-12-31"],
    ["since october", "2026-10-01.."],
    ["after october", "2026-11-01.."],
    ["before october", "..2026-09-30"],
    ["until october", "..2026-10-31"],
  ])("as the range %s is %s", (text, expected) => {
    const read = requireDayRange("completed", text, TODAY, "back");
    expect(read.kind === "days" && `${read.from ?? ""}..${read.to ?? ""}`).toBe(expected);
  });
});

it("refuses a range that ends before it begins, with the range the other way round", () => {
  expect(() => requireDayRange("due", "2026-11-30..2026-11-01", TODAY)).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: 'due "2026-11-30..2026-11-01" ends before it begins: no day is in it.',
      hint: "Write 2026-11-01..2026-11-30.",
    }) as Error,
  );
});
