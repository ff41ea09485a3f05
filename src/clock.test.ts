/** Calendar days: what exists, what day it is where, ids. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedClock, localDateOf, parseLocalDate, randomIds, sequentialIds, systemClock, WorkTime } from "./clock.js";

describe("parseLocalDate", () => {
  it.each(["2025-08-30", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("%s is a day", (text) =>
    expect(parseLocalDate(text)).toBe(text),
  );

  it.each([
    "2025-02-29",
    "1900-02-29",
    "2025-02-31",
    "2025-13-01",
    "2025-00-10",
    "2025-04-31",
    "0000-00-00",
    "0000-01-01",
    "2025-8-1",
    "2025-08-30\n",
    " 2025-08-30",
    "20250830",
    "",
    "yesterday",
  ])("%j is none", (text) => expect(parseLocalDate(text)).toBeUndefined());

  it("agrees with the Gregorian calendar on every day of 800 years", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1800, max: 2600 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
          const date = new Date(Date.UTC(year, month - 1, day));
          const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
          expect(parseLocalDate(text)).toBe(exists ? text : undefined);
        },
      ),
    );
  });
});

describe("the day it is", () => {
  it.each(["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"])(
    "is the machine's own in %s",
    (zone) => {
      const before = process.env["TZ"];
      process.env["TZ"] = zone;
      try {
        const clock = systemClock();
        expect(clock.today()).toBe(localDateOf(clock.now(), zone));
        for (const instant of [0, -1, 951_782_400_000, 253_402_300_799_999, -62_135_596_800_000 + 86_400_000])
          expect(clock.dayOf(instant)).toBe(localDateOf(instant, zone));
        expect(clock.timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
      } finally {
        process.env["TZ"] = before;
      }
    },
  );

  it("comes with a key that tells zones apart", () => {
    const before = process.env["TZ"];
    try {
      const keys = ["UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Phoenix", "Asia/Kolkata"].map(
        (zone) => {
          process.env["TZ"] = zone;
          return [systemClock(), systemClock()].map(({ zoneKey }) => zoneKey);
        },
      );
      expect(new Set(keys.flat()).size).toBe(6);
    } finally {
      process.env["TZ"] = before;
    }
  });

  it("depends on the zone", () => {
    const instant = Date.parse("2025-08-30T10:30:00Z");
    expect(localDateOf(instant, "UTC")).toBe("2025-08-30");
    expect(localDateOf(instant, "Pacific/Kiritimati")).toBe("2025-08-31");
    expect(localDateOf(instant, "Pacific/Pago_Pago")).toBe("2025-08-29");
  });

  it("is right at the ends of the clock's range", () => {
    expect(fixedClock("2038-01-20T00:00:00Z").today()).toBe("2038-01-20");
    expect(fixedClock("1970-01-01T00:00:00Z").today()).toBe("1970-01-01");
  });

  it("refuses a zone nobody knows, at once", () => {
    expect(() => systemClock("Mars/Olympus")).toThrow('Unknown time zone "Mars/Olympus".');
    expect(systemClock("Asia/Tokyo").timeZone).toBe("Asia/Tokyo");
  });
});

describe("ids", () => {
  it("are six lower-case letters or digits, unlike each other", () => {
    const ids = randomIds();
    const seen = new Set(Array.from({ length: 1000 }, () => ids.next()));
    expect(seen.size).toBe(1000);
    for (const id of seen) expect(id).toMatch(/^[a-z0-9]{6}$/);
  });

  it("count up in tests", () => {
    const ids = sequentialIds();
    expect([ids.next(), ids.next()]).toEqual(["000001", "000002"]);
  });
});

describe("WorkTime", () => {
  it("counts the processor's time, without that of a pause", () => {
    const work = new WorkTime();
    const use30ms = (): void => {
      const { user } = process.cpuUsage();
      while (process.cpuUsage().user - user < 30_000);
    };
    work.pause();
    use30ms();
    work.resume();
    expect(work.exceeds(10)).toBe(false);
    use30ms();
    expect(work.exceeds(10)).toBe(true);
  });
});
