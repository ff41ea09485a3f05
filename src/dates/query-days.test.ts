import { readFileSync } from "node:fs";
import * as chrono from "chrono-node";
import { describe, expect, it } from "vitest";
import { parseLocalDate } from "../clock.js";
import { dayNumber, toDayNumber, toLocalDate } from "./days.js";
import { LONG } from "../../test/kit/fuzz.js";
import { readDays, wordsBesideDays } from "./query-days.js";

type Sample = readonly [phrase: string, today: string, first: string | null, last: string | undefined];

const table = JSON.parse(
  readFileSync(new URL("../../test/corpus/tables/tasks-queries.json", import.meta.url), "utf8"),
) as { readonly days: readonly Sample[] };

const dayOf = (text: string): number => toDayNumber(parseLocalDate(text)!);
const read = (phrase: string, today: string): readonly string[] | null =>
  readDays(phrase, dayOf(today))?.map(toLocalDate) ?? null;

const WEEKDAYS = "monday,wednesday,sunday,Tue,thu,fri,sat,thurs".split(",");
const MONTHS = "January,feb,March,April,May,jun,July,aug,Sept,October,Nov,dec".split(",");
const UNITS = "day,days,week,weeks,month,months,quarter,quarters,year,years".split(",");
const COUNTS = "1,2,7,13,40,a,one,five,twelve".split(",");
const PHRASES = [
  "today",
  "Tomorrow",
  "yesterday",
  ...WEEKDAYS.flatMap((day) => ["", "this ", "next ", "last "].map((word) => `${word}${day}`)),
  ...UNITS.flatMap((unit) =>
    COUNTS.flatMap((count) => [`in ${count} ${unit}`, `${count} ${unit} ago`, `${count} ${unit} from now`]),
  ),
  ...MONTHS.flatMap((month, at) => [
    `${at + 1} ${month}`,
    `${month} ${28 + (at % 3)}`,
    `${at + 20}th ${month}`,
    `${month} 31`,
    `${at + 9} ${month} 2027`,
    `${month} 2, 2026`,
    `${month} 3rd 2025`,
  ]),
];

/** Eleven has no divisor in common with the days of a week. */
const STEP = LONG ? 1 : 11;

describe("days in queries", () => {
  it.each(table.days)("%s on %s", (phrase, today, first, last) => {
    expect(read(phrase, today)).toEqual(first === null ? null : [first, last]);
  });

  it("means what chrono means, for each phrase over 400 days, on a check every eleventh", () => {
    const wrong: string[] = [];
    for (let number = dayNumber(2027, 12, 1), turn = 0; turn < 400; number += STEP, turn += STEP) {
      const [year, month, day] = toLocalDate(number).split("-").map(Number) as [number, number, number];
      const noon = new Date(year, month - 1, day, 10);
      for (const phrase of PHRASES) {
        const peer = chrono.parseDate(phrase, noon) as Date | null;
        const expected = peer === null ? undefined : dayNumber(peer.getFullYear(), peer.getMonth() + 1, peer.getDate());
        const got = readDays(phrase, number)?.[0];
        // What only chrono reads is refused.
        if (got !== undefined && got !== expected)
          wrong.push(`${phrase} on ${toLocalDate(number)}: ${got} ${expected}`);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it("names the words beside days", () => {
    const today = dayOf("2026-11-24");
    expect(wordsBesideDays("this week or next week", today)).toBe("or next week");
    expect(wordsBesideDays("today and not done", today)).toBe("and not done");
    expect(wordsBesideDays("weekend", today)).toBeUndefined();
  });
});
