/** Days and series know no time zone: the machine's changes no answer. */
import { afterEach, describe, expect, it } from "vitest";
import instances from "../../../test/corpus/tables/tasknotes-instances.json" with { type: "json" };
import type { LocalDate } from "../../clock.js";
import { parseDay, parseDayRange } from "../../dates/read-day.js";
import { parseRuleWords } from "./rule-words.js";
import { changeRRuleSeries, stepWordSeries } from "./series.js";
import { LONG } from "../../../test/kit/fuzz.js";

/** Zones at both ends of the day, one with summer time, and one that once left a day out, which is the third of these days. */
const ZONES = ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin", "Pacific/Apia"];
const DAYS = ["2026-03-29", "2026-10-25", "2011-12-30", "2011-12-29", "2028-02-29", "2026-12-31"] as LocalDate[];
const WORDS = ["tomorrow", "next friday", "in 3 months", "end of month", "last sunday of next month", "2011-12-30"];
const RULES = [
  "every day",
  "every weekday",
  "every month",
  "every 2 weeks on Friday",
  "every month on the last",
  "yearly",
];

/** A third of the cases, another on each day; with `LONG=1` all of them. */
const casesOf = (day: number) => instances.cases.filter((_, at) => LONG || at % 3 === day % 3);

function answers(): unknown {
  return DAYS.flatMap((today, day) => [
    WORDS.map((words) => parseDay(words, today)),
    ["next week", "last month", "next 7 days"].map((words) => parseDayRange(words, today)),
    RULES.map((text) => {
      const rule = parseRuleWords(text);
      return rule.understood && stepWordSeries(rule, { due: today, start: today }, today);
    }),
    casesOf(day).map(({ before, op, maintainDueDateOffset }) =>
      changeRRuleSeries(
        {
          recurrence: before.recurrence,
          anchor: "scheduled",
          scheduled: today,
          due: today,
          completed: [],
          skipped: [],
        },
        { action: op === "skip" ? "skip" : "done", today, movesDue: maintainDueDateOffset },
      ),
    ),
  ]);
}

describe("in another time zone", () => {
  const own = process.env["TZ"];
  const expected = answers();
  afterEach(() => {
    process.env["TZ"] = own;
  });

  it.each(ZONES)("%s every answer is the same", (zone) => {
    process.env["TZ"] = zone;
    expect(new Date(2026, 5, 1).getTimezoneOffset()).not.toBe(0);
    expect(answers()).toEqual(expected);
  });
});
