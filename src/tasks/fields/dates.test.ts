import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedClock, localDateOf, parseLocalDate, type LocalDate } from "../../clock.js";
import { addDays, dayOf, readNoteDate } from "./property-values.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const RUNS = 200 * FUZZ_FACTOR;
const ZONES = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Pago_Pago"];
const days = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2199-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const read = (text: string, zone = "UTC"): string | undefined => {
  const date = readNoteDate(text);
  return date === undefined ? undefined : dayOf(date, fixedClock("2025-08-30T12:00:00Z", zone));
};

describe("reading dates", () => {
  it.each([
    ["2025-08-30", "2025-08-30"],
    [" 2025-08-30 ", "2025-08-30"],
    ["2025/8/1", "2025-08-01"],
    ["2025-8-1", "2025-08-01"],
    ["2024-02-29", "2024-02-29"],
    ["2025-08-30T23:30", "2025-08-30"],
    ["2025-08-30 23:30:59", "2025-08-30"],
    ["2025-08-30T23:30:00.123", "2025-08-30"],
    ["2025-08-30T23:30:00Z", "2025-08-30"],
    ["2038-01-20", "2038-01-20"],
    ["1970-01-01", "1970-01-01"],
    ["2025-02-29", undefined],
    ["2025-02-30", undefined],
    ["2025-02-30T10:00:00Z", undefined],
    ["2025-13-01", undefined],
    ["0000-00-00", undefined],
    ["2025-08-30T25:00Z", undefined],
    ["yesterday", undefined],
    ["", undefined],
    ["30.08.2025", undefined],
  ])("%j is %j", (text, day) => expect(read(text)).toBe(day));

  it.each([
    ["2025-08-30T23:30:00Z", "Europe/Berlin", "2025-08-31"],
    ["2025-08-30T00:30:00Z", "America/Los_Angeles", "2025-08-29"],
    ["2025-08-30T00:30+02:00", "UTC", "2025-08-29"],
    ["2025-08-30T00:30+0200", "Europe/Berlin", "2025-08-30"],
    ["2025-08-30T20:00-07", "Pacific/Kiritimati", "2025-08-31"],
    ["2025-08-30T23:30", "Pacific/Kiritimati", "2025-08-30"],
  ])("%s read in %s is %s", (text, zone, day) => expect(read(text, zone)).toBe(day));

  it("never lets a written day slip in any zone", () => {
    fc.assert(
      fc.property(
        days,
        fc.constantFrom(...ZONES),
        fc.constantFrom("", "T00:00", "T23:59:59", " 12:00"),
        (day, zone, time) => {
          expect(read(day + time, zone)).toBe(day);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("gives an instant the day it has in the reader's zone", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1971-01-01"), max: new Date("2199-01-01"), noInvalidDate: true }),
        fc.constantFrom(...ZONES),
        (date, zone) => {
          const minute = Math.floor(date.getTime() / 60_000) * 60_000;
          expect(read(new Date(minute).toISOString(), zone)).toBe(localDateOf(minute, zone));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("never gives a day that does not exist", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})?)?$/),
        (text) => {
          const day = read(text);
          if (day !== undefined) expect(parseLocalDate(day)).toBe(day);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

it.each([
  ["2025-08-30", 7, "2025-09-06"],
  ["2024-02-28", 2, "2024-03-01"],
  ["2037-12-31", 20, "2038-01-20"],
  ["1970-01-01", -1, "1969-12-31"],
  ["9999-12-30", 7, "9999-12-31"],
])("%s and %i days is %s", (day, count, later) => expect(addDays(day as LocalDate, count)).toBe(later));
