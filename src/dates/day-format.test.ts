import moment from "moment";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../clock.js";
import { dayReader, formatDay, readTime } from "./day-format.js";

const FORMATS = [
  "YYYY-MM-DD",
  "DD.MM.YYYY",
  "YYYY/MM/DD",
  "MMM Do, YYYY",
  "dddd D MMMM YY",
  "[Day] YYYY_MM_DD",
  "M-D-YYYY",
  "YYYYMMDD",
  "YYYY/MM/YYYY-MM-DD",
  "YYYY/M-MMM/YYYY-MM-DD dddd",
];
const DAYS = [
  "2026-11-23",
  "2026-01-01",
  "2024-02-29",
  "2027-12-31",
  "2026-03-02",
  "2026-05-13",
  "2026-08-21",
] as LocalDate[];

describe("days in formats", () => {
  it.each(FORMATS)("%s is written as moment writes it, and read back", (format) => {
    for (const day of DAYS) {
      const text = moment.utc(day).format(format);
      expect(formatDay(day, format)).toBe(text);
      expect(dayReader(format)(text)).toBe(day);
      expect(dayReader(format)(`${text} x`)).toBeUndefined();
    }
  });

  it("reads no days that do not exist, and nothing by a format without a whole day or with a broken one", () => {
    expect(dayReader("YYYY-MM-DD")("2026-02-30")).toBeUndefined();
    for (const format of ["", "YYYY-MM", "[(]YYYY", "gggg-[W]ww"]) expect(dayReader(format)("2026-11")).toBeUndefined();
    expect(dayReader("YYYY/MM/YYYY-MM-DD")("2026/10/2026-11-23")).toBeUndefined();
  });

  it("reads and writes times", () => {
    for (const [format, text] of [
      ["HH:mm", "14:30"],
      ["HH.mm", "14.30"],
      ["h:mm a", "2:30 pm"],
      ["hh:mm A", "02:30 PM"],
    ] as const) {
      expect(readTime(text, format)).toBe("14:30");
      expect(formatDay("2026-11-23" as LocalDate, format, "14:30")).toBe(text);
    }
    expect([readTime("25:00", "HH:mm"), readTime("12:30 am", "h:mm a"), readTime("soon", "HH:mm")]).toEqual([
      undefined,
      "00:30",
      undefined,
    ]);
  });
});
