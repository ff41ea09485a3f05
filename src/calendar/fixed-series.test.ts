/** Series as calendars follow them: expanded by another library they are the agenda's days, and no others. */
import * as fc from "fast-check";
import { RRule, RRuleSet } from "rrule";
import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../test/kit/task-vault.js";
import { laterInstances } from "../tasks/recurrence/series.js";
import type { Task } from "../tasks/task.js";
import type { CalendarFilters } from "./link-folder.js";
import { TaskCalendar } from "./task-calendar.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const NOW = "2026-03-10T12:00:00Z";
const TODAY = "2026-03-10";
const END = "2027-03-10";

async function calendarOf(files: Readonly<Record<string, string>>, filters: CalendarFilters = {}) {
  const { tasks } = taskVault(files, { now: NOW, lines: { inlineTasks: "all" } });
  const made = await new TaskCalendar({ tasks, vaultId: "v", linkTo: () => undefined }).read("T", filters);
  return { text: made.bytes.toString(), tasks: (await tasks.all()).tasks };
}

const midnight = (digits: string): Date => new Date(`${digits.replace(/(....)(..)(..)/, "$1-$2-$3")}T00:00:00Z`);

/** All days up to the end of the span on which a calendar program shows something. */
function shownDays(text: string): string[] {
  const lines = text.replaceAll("\r\n ", "");
  const days = lines
    .split("BEGIN:VEVENT")
    .slice(1)
    .flatMap((event) => {
      const set = new RRuleSet();
      const start = midnight(/DTSTART;VALUE=DATE:(\d+)/.exec(event)?.[1] ?? "");
      const rule = /RRULE:(.*)/.exec(event)?.[1]?.trim();
      if (rule === undefined) set.rdate(start);
      else set.rrule(new RRule({ ...RRule.parseString(rule), dtstart: start }));
      for (const digits of /EXDATE;VALUE=DATE:([\d,]+)/.exec(event)?.[1]?.split(",") ?? [])
        set.exdate(midnight(digits));
      return set.between(new Date(0), new Date(`${END}T00:00:00Z`), true);
    });
  return days.map((day) => day.toISOString().slice(0, 10)).sort();
}

/** What the agenda foresees, with the current instance. */
function foreseen(task: Task, current: string): string[] {
  return [current, ...laterInstances(task, TODAY as never, END as never)].sort();
}

const series = (frontmatter: string) => ({ "S.md": note(`type: task\n${frontmatter}`) });

describe("a series in a calendar", () => {
  it("is a rule, without the days that are done or skipped", async () => {
    const { text, tasks } = await calendarOf(
      series(
        'recurrence: "DTSTART:20260101;FREQ=WEEKLY;BYDAY=TH"\nscheduled: 2026-03-12\ncomplete_instances: [2026-03-05, 2026-03-26]\nskipped_instances: [2026-04-02]',
      ),
    );
    expect(text).toContain("DTSTART;VALUE=DATE:20260312\r\n");
    expect(text).toContain("RRULE:FREQ=WEEKLY;BYDAY=TH\r\n");
    expect(text).toContain("EXDATE;VALUE=DATE:20260326,20260402\r\n");
    expect(shownDays(text)).toEqual(foreseen(tasks[0] as Task, "2026-03-12"));
  });

  it("shows its done days on request", async () => {
    const { text } = await calendarOf(
      series(
        'recurrence: "DTSTART:20260101;FREQ=DAILY"\nscheduled: 2026-03-10\ncomplete_instances: [2025-01-01, 2026-03-09]',
      ),
      { done: true },
    );
    expect(text.match(/SUMMARY:✓ S/g)).toHaveLength(1);
    expect(shownDays(text)[0]).toBe("2026-03-09");
  });

  it("that counts from completion is its next instance alone", async () => {
    const rule = 'recurrence: "FREQ=DAILY"\nrecurrence_anchor: completion\nscheduled: 2026-03-12';
    for (const files of [series(rule), { "L.md": "- [ ] Water 🔁 every day when done 📅 2026-03-12\n" }]) {
      const { text } = await calendarOf(files);
      expect(text).not.toContain("RRULE");
      expect(shownDays(text)).toEqual(["2026-03-12"]);
    }
  });

  it("that is not understood is its next instance alone", async () => {
    const { text } = await calendarOf(series('recurrence: "FREQ=HOURLY"\nscheduled: 2026-03-12'));
    expect(shownDays(text)).toEqual(["2026-03-12"]);
  });

  it("begins in the span when it lies far behind", async () => {
    const { text } = await calendarOf(series('recurrence: "DTSTART:20200101;FREQ=DAILY"\nscheduled: 2025-01-01'));
    expect(shownDays(text)[0]).toBe("2026-02-08");
    expect(shownDays(text)).toHaveLength(396);
  });

  it("keeps an instance that was moved beside its rule", async () => {
    const { text } = await calendarOf(
      series('recurrence: "DTSTART:20260105;FREQ=WEEKLY;BYDAY=MO"\nscheduled: 2026-03-11'),
    );
    expect(shownDays(text).slice(0, 3)).toEqual(["2026-03-11", "2026-03-16", "2026-03-23"]);
  });

  it("ends on the day on which its COUNT ends", async () => {
    const { text } = await calendarOf(
      series('recurrence: "DTSTART:20260301;FREQ=DAILY;COUNT=12"\nscheduled: 2026-03-10'),
    );
    expect(text).toContain("UNTIL=20260312");
    expect(shownDays(text)).toEqual(["2026-03-10", "2026-03-11", "2026-03-12"]);
  });

  it("of leap days and month's ends falls where the agenda says", async () => {
    for (const rule of [
      "FREQ=YEARLY",
      "FREQ=MONTHLY;BYMONTHDAY=31",
      "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
    ]) {
      const start = rule === "FREQ=YEARLY" ? "2024-02-29" : "2026-03-31";
      const { text, tasks } = await calendarOf(series(`recurrence: "${rule}"\nscheduled: ${start}`));
      const task = tasks[0] as Task;
      const days = start < "2026-02-08" ? laterInstances(task, TODAY as never, END as never) : foreseen(task, start);
      expect(shownDays(text)).toEqual(days);
    }
  });

  it("shows the agenda's days, whatever the rule", async () => {
    const day = fc
      .integer({ min: -25, max: 60 })
      .map((n) => new Date(Date.parse(NOW) + n * 86_400_000).toISOString().slice(0, 10));
    const weekdays = fc.subarray(["MO", "TU", "WE", "TH", "FR", "SA", "SU"], { minLength: 1 });
    const part = fc.oneof(
      fc.constant(""),
      weekdays.map((list) => `;BYDAY=${list.join(",")}`),
      fc.integer({ min: 1, max: 31 }).map((n) => `;BYMONTHDAY=${n}`),
      fc.integer({ min: 1, max: 12 }).map((n) => `;BYMONTH=${n}`),
      fc.constantFrom(";BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", ";WKST=SU", ";BYDAY=2TU"),
    );
    const rule = fc
      .tuple(
        fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY"),
        fc.integer({ min: 1, max: 4 }),
        part,
        fc.constantFrom("", "", ";COUNT=20", ";UNTIL=20260901"),
      )
      .filter(([frequency, , more]) => more !== ";BYDAY=2TU" || frequency === "MONTHLY")
      .map(([frequency, interval, more, end]) => `FREQ=${frequency};INTERVAL=${interval}${more}${end}`);
    const words = fc.constantFrom(
      "every day",
      "every 2 weeks on Monday, Friday",
      "every month on the 15th",
      "every weekday",
      "every month",
    );
    let followed = 0;
    let all = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: rule }, words),
        day,
        fc.array(day, { maxLength: 5 }),
        async (given, scheduled, over) => {
          const done = over.filter((each) => each !== scheduled);
          const { text, tasks } = await calendarOf(
            series(
              `recurrence: "DTSTART:20260105;${given}"\nscheduled: ${scheduled}\ncomplete_instances: [${done.join(", ")}]`.replace(
                /DTSTART:20260105;(?=every)/,
                "",
              ),
            ),
          );
          const days = shownDays(text).filter((each) => each > scheduled && each >= TODAY);
          const expected = laterInstances(tasks[0] as Task, TODAY as never, END as never).filter(
            (each) => each > scheduled,
          );
          all++;
          if (text.includes("RRULE")) {
            followed++;
            expect(days).toEqual(expected);
          } else expect(days).toEqual([]);
          expect(shownDays(text)).toContain(scheduled);
        },
      ),
      { numRuns: 50 * FUZZ_FACTOR },
    );
    expect(followed / all).toBeGreaterThan(0.6);
  });
});
