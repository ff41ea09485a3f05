import { describe, expect, it } from "vitest";
import inline from "../../../test/corpus/tables/inline-completion.json" with { type: "json" };
import type { LocalDate } from "../../clock.js";
import { parseRuleWords } from "./rule-words.js";
import { type SeriesDays, stepWordSeries } from "./series.js";

const FIELDS = {
  due: /(?:📅\uFE0F? |\[due:: )(\d{4}-\d{2}-\d{2})/u,
  scheduled: /(?:⏳\uFE0F? |\[scheduled:: )(\d{4}-\d{2}-\d{2})/u,
  start: /(?:🛫\uFE0F? |\[start:: )(\d{4}-\d{2}-\d{2})/u,
};
const RULE = /(?:🔁\uFE0F? |\[repeat:: )([a-z0-9, ]+?)(?= *(?:[^a-z0-9, ]|$))/iu;

const daysOf = (line: string): SeriesDays =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([field, pattern]) => {
      // The first of two is part of the title.
      const day = [...line.matchAll(new RegExp(pattern, "gu"))].at(-1)?.[1];
      return day === undefined ? [] : [[field, day]];
    }),
  );

/** The line of the next instance: the one that is not done. */
const nextLine = (result: string) => result.split("\n").find((line) => !/\[[xX]\]/.test(line));

describe("the Tasks plugin's answers", () => {
  const series = inline.cases.filter(({ line }) => RULE.test(line) && !/\[[xX-]\]/.test(line));

  it("are all there", () => expect(series.length).toBeGreaterThan(200));

  it.each(series)("$id", ({ today, settings, line, result }) => {
    const rule = parseRuleWords(RULE.exec(line)?.[1] ?? "");
    expect(rule.understood).toBe(true);
    if (!rule.understood) return;
    const removes = "removeScheduledDateOnRecurrence" in settings && settings.removeScheduledDateOnRecurrence;
    const outcome = stepWordSeries(rule, daysOf(line), today as LocalDate, removes);
    const expected = nextLine(result);
    if (expected === undefined) expect(outcome.days).toBeUndefined();
    else expect(outcome.days).toEqual(daysOf(expected));
  });
});

describe("one step of a rule in words", () => {
  const step = (text: string, days: SeriesDays, today = "2026-11-21", removes = false) => {
    const rule = parseRuleWords(text);
    if (!rule.understood) throw new Error(rule.reason);
    return stepWordSeries(rule, days, today as LocalDate, removes);
  };

  it("moves every day by one distance and keeps clock times", () => {
    expect(step("every week", { due: "2026-11-20T18:00", scheduled: "2026-11-18", start: "2026-11-16" })).toEqual({
      day: "2026-11-20",
      next: "2026-11-27",
      days: { due: "2026-11-27T18:00", scheduled: "2026-11-25", start: "2026-11-23" },
    });
  });

  it("counts from due, else scheduled, else start; scheduled comes last where it is removed", () => {
    const days = { scheduled: "2026-11-18", start: "2026-11-16" };
    expect(step("every month on the 17th", days)).toMatchObject({
      days: { scheduled: "2026-12-17", start: "2026-12-15" },
    });
    expect(step("every month on the 17th", days, "2026-11-21", true)).toMatchObject({ days: { start: "2026-11-17" } });
    expect(step("every day", { scheduled: "2026-11-18" }, "2026-11-21", true)).toMatchObject({
      days: { scheduled: "2026-11-19" },
    });
  });

  it("takes one step, even into the past, and when done from today", () => {
    expect(step("daily", { due: "2020-01-01" })).toMatchObject({ next: "2020-01-02" });
    expect(step("every day when done", { due: "2020-01-01", start: "2019-12-31" })).toMatchObject({
      days: { due: "2026-11-22", start: "2026-11-21" },
    });
  });

  it.each([
    ["every month", "2027-01-31", "2027-02-28"],
    ["every 3 months", "2026-11-30", "2027-02-28"],
    ["monthly", "2026-10-31", "2026-11-30"],
    ["yearly", "2028-02-29", "2029-02-28"],
    ["every month on the 31st", "2026-10-31", "2026-12-31"],
    ["weekdays", "2026-11-20", "2026-11-23"],
    ["biweekly", "2026-11-20", "2026-12-04"],
    ["quarterly", "2026-11-20", "2027-02-20"],
    ["every 2 weeks on Friday", "2026-11-18", "2026-11-20"],
    ["every January and July on the 15th", "2026-11-20", "2027-01-15"],
    ["every month on the last Friday", "2026-11-20", "2026-11-27"],
    ["every month on the 2nd last Friday", "2026-11-20", "2026-12-18"],
    ["every week until November 27, 2026", "2026-11-20", "2026-11-27"],
    ["every week for 2 times", "2026-11-20", "2026-11-27"],
  ])("%s after %s is %s", (text, due, next) =>
    expect(step(text, { due })).toMatchObject({ next, days: { due: next } }),
  );

  it.each([
    ["every week until November 26, 2026", "2026-11-20"],
    ["every month until 2026-12-19", "2026-11-20"],
    ["every month for 1 time", "2026-11-20"],
    ["every day for 1 times", "2026-11-20"],
    ["every year", "9999-12-31"],
  ])("%s ends after %s", (text, due) => expect(step(text, { due })).toEqual({ day: due }));

  it("leaves a task without days as it is", () => expect(step("every day", {})).toEqual({ days: {} }));
});
