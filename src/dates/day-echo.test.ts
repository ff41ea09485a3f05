import { describe, expect, it } from "vitest";
import type { LocalDate } from "../clock.js";
import { describeDay, echoDay, echoDayRange, requireDay, requireDayRange } from "./read-day.js";

const TODAY = "2026-11-21" as LocalDate;

describe("days as they are said", () => {
  it.each([
    ["2026-11-27", "Fri 2026-11-27 (in 6 days)"],
    ["2026-11-22", "Sun 2026-11-22 (in 1 day)"],
    ["2026-11-21", "Sat 2026-11-21 (today)"],
    ["2026-11-20", "Fri 2026-11-20 (1 day ago)"],
    ["2026-11-19", "Thu 2026-11-19 (2 days ago)"],
  ])("%s", (day, said) => expect(describeDay(day as LocalDate, TODAY)).toEqual(said));

  const echoOfDay = (text: string) => echoDay("dueDate", text, requireDay("dueDate", text, TODAY), TODAY);
  const echoOfRange = (text: string) => echoDayRange("due", text, requireDayRange("due", text, TODAY), TODAY);

  it("say how words were read, and nothing of plain dates", () => {
    expect(echoOfDay("next friday")).toEqual('Read dueDate "next friday" as Fri 2026-11-27 (in 6 days).');
    expect(echoOfDay("2026-11-27")).toBeUndefined();
    expect(echoOfRange("next week")).toEqual('Read due "next week" as 2026-11-23..2026-11-29.');
    expect(echoOfRange("tomorrow")).toEqual('Read due "tomorrow" as Sun 2026-11-22 (in 1 day).');
    expect(echoOfRange("before friday")).toEqual('Read due "before friday" as ..2026-11-26.');
    expect(echoOfRange("2026-11-01..2026-11-30")).toBeUndefined();
    expect(echoOfRange("overdue")).toBeUndefined();
  });
});
