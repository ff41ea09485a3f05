/** Dates in moment.js formats: what templates meet, held to what moment's own documentation says it gives. */
import { describe, expect, it } from "vitest";
import { formatMoment } from "./moment-format.js";
import { expectLinear } from "../../test/kit/processor-time.js";

// A Sunday, the last days of ISO week 52 of 2023; one of moment's weeks begins with it.
const INSTANT = Date.parse("2023-12-31T22:05:09.045Z");
const format = (tokens: string, timeZone = "UTC", instant = INSTANT) => formatMoment(instant, tokens, timeZone);

describe("tokens", () => {
  it.each([
    ["YYYY-MM-DD", "2023-12-31"],
    ["YY M D", "23 12 31"],
    ["Mo Do Qo DDDo", "12th 31st 4th 365th"],
    ["MMM MMMM", "Dec December"],
    ["Q DDD DDDD", "4 365 365"],
    ["d do dd ddd dddd e E", "0 0th Su Sun Sunday 0 7"],
    ["w wo ww gg gggg", "1 1st 01 24 2024"],
    ["W Wo WW GG GGGG", "52 52nd 52 23 2023"],
    ["H HH h hh k kk", "22 22 10 10 22 22"],
    ["A a", "PM pm"],
    ["m mm s ss", "5 05 9 09"],
    ["S SS SSS SSSSSS", "0 04 045 045000"],
    ["Z ZZ", "+00:00 +0000"],
    ["X x", "1704060309 1704060309045"],
    ["LT", "10:05 PM"],
    ["LTS", "10:05:09 PM"],
    ["L l", "12/31/2023 12/31/2023"],
    ["LL ll", "December 31, 2023 Dec 31, 2023"],
    ["LLL", "December 31, 2023 10:05 PM"],
    ["LLLL", "Sunday, December 31, 2023 10:05 PM"],
    ["[Today is] dddd [at] HH[h]mm", "Today is Sunday at 22h05"],
    [String.raw`\Y\M YYYY`, "YM 2023"],
    ["YYYYMMDDHHmmss", "20231231220509"],
    ["DDMMYY", "311223"],
    ["[] / | 日 é", " / | 日 é"],
    ["[YYYY", "[2023"],
    ["", ""],
    ["bfijnoqrtuv", "bfijnoqrtuv"],
  ])("%s", async (tokens, expected) => expect(await format(tokens)).toBe(expected));
});

describe("time zones", () => {
  it.each([
    ["Asia/Kolkata", "2024-01-01 03:35 +05:30"],
    ["America/Los_Angeles", "2023-12-31 14:05 -08:00"],
    ["Pacific/Kiritimati", "2024-01-01 12:05 +14:00"],
    ["Pacific/Marquesas", "2023-12-31 12:35 -09:30"],
  ])("%s", async (zone, expected) => expect(await format("YYYY-MM-DD HH:mm Z", zone)).toBe(expected));

  it("do not depend on the machine's own", async () => {
    expect(await format("YYYY-MM-DD HH:mm", "Europe/Berlin", Date.parse("2025-03-30T01:30:00Z"))).toBe(
      "2025-03-30 03:30",
    );
    expect(await format("YYYY-MM-DD", "Pacific/Apia", Date.parse("2011-12-30T10:30:00Z"))).toBe("2011-12-31");
    expect(await format("kk HH", "UTC", Date.parse("2025-01-01T00:30:00Z"))).toBe("24 00");
    expect(await format("YYYY-MM-DD", "UTC", -1)).toBe("1969-12-31");
  });
});

it("takes linear time", async () => {
  for (const piece of ["[", "YYYY"]) await expectLinear((count) => format(piece.repeat(count)), 50_000);
});
