import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../clock.js";
import instances from "../../../test/corpus/tables/tasknotes-instances.json" with { type: "json" };
import {
  changeRRuleSeries,
  projectedDays,
  type RRuleSeries,
  type RRuleSeriesOutcome,
  type SeriesChange,
} from "./series.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

interface TableSide {
  readonly recurrence: string;
  readonly scheduled: string;
  readonly due?: string;
  readonly complete_instances: readonly string[];
  readonly skipped_instances?: readonly string[];
  readonly recurrence_anchor?: string;
}

function seriesOf(side: TableSide): RRuleSeries {
  return {
    recurrence: side.recurrence,
    anchor: side.recurrence_anchor === "completion" ? "completion" : "scheduled",
    scheduled: side.scheduled,
    ...(side.due === undefined ? {} : { due: side.due }),
    completed: side.complete_instances,
    skipped: side.skipped_instances ?? [],
  };
}

describe("TaskNotes' answers", () => {
  const cases = instances.cases.filter((each) => !("window" in each));

  it("are all there", () => expect(cases.length).toBe(188));

  it.each(cases)("$id", ({ today, op, maintainDueDateOffset, before, day, after }) => {
    const outcome = changeRRuleSeries(seriesOf(before), {
      action: op === "skip" ? "skip" : "done",
      today: today as LocalDate,
      movesDue: maintainDueDateOffset,
    });
    const anchor = (before as TableSide).recurrence_anchor;
    expect(outcome).toMatchObject({ kind: "changed", day });
    if (outcome.kind === "changed") {
      expect(outcome.series).toEqual(
        seriesOf({ ...after, ...(anchor === undefined ? {} : { recurrence_anchor: anchor }) }),
      );
    }
  });
});

/** A Saturday. */
const TODAY = "2026-11-21" as LocalDate;
const SATURDAYS: RRuleSeries = {
  recurrence: "DTSTART:20261107;FREQ=WEEKLY",
  anchor: "scheduled",
  scheduled: "2026-11-21",
  completed: ["2026-11-07", "2026-11-14"],
  skipped: [],
};

type Wish = Partial<SeriesChange> | SeriesChange["action"];
const change = (series: RRuleSeries, wish: Wish): RRuleSeriesOutcome =>
  changeRRuleSeries(series, {
    action: "done",
    today: TODAY,
    movesDue: true,
    ...(typeof wish === "string" ? { action: wish } : wish),
  });

function after(series: RRuleSeries, ...wishes: Wish[]): RRuleSeries {
  return wishes.reduce((now: RRuleSeries, wish) => {
    const outcome = change(now, wish);
    return outcome.kind === "changed" ? outcome.series : now;
  }, series);
}

const on = (day: string) => day as LocalDate;

describe("finishing a series", () => {
  it("finishes the current day and moves on", () => {
    expect(change(SATURDAYS, "done")).toEqual({
      kind: "changed",
      day: "2026-11-21",
      next: "2026-11-28",
      ended: false,
      series: { ...SATURDAYS, scheduled: "2026-11-28", completed: [...SATURDAYS.completed, "2026-11-21"] },
    });
  });

  it("changes nothing when the call comes again, and says which day was finished", () => {
    const done = after(SATURDAYS, "done");
    expect(change(done, "done")).toEqual({ kind: "unchanged", day: "2026-11-21" });
    expect(change(done, { today: on("2026-11-27") })).toEqual({ kind: "unchanged", day: "2026-11-21" });
    expect(change(done, { today: on("2026-11-28") })).toMatchObject({ kind: "changed", day: "2026-11-28" });
    expect(change(done, { occurrence: on("2026-11-28") })).toMatchObject({ kind: "changed", next: "2026-12-05" });
    const early = after({ ...SATURDAYS, scheduled: "2026-11-28" }, { occurrence: on("2026-11-28") });
    expect(change(early, "done")).toEqual({ kind: "unchanged", day: "2026-11-28" });
  });

  it("finishes a day to come that another call did not lead to", () => {
    const moved = { ...SATURDAYS, scheduled: "2026-12-05" };
    expect(change(moved, "done")).toMatchObject({ kind: "changed", day: "2026-12-05" });
    expect(change(after(SATURDAYS, "skip"), "done")).toMatchObject({ kind: "changed", day: "2026-11-28" });
  });

  it("changes the lists alone for a named day that is not the current one", () => {
    const late = change(SATURDAYS, { occurrence: on("2026-11-15") });
    expect(late).toMatchObject({ kind: "changed", day: "2026-11-15" });
    expect(after(SATURDAYS, { occurrence: on("2026-11-15") })).toEqual({
      ...SATURDAYS,
      completed: [...SATURDAYS.completed, "2026-11-15"],
    });
    expect(change(SATURDAYS, { occurrence: on("2026-11-14") })).toEqual({ kind: "unchanged", day: "2026-11-14" });
  });

  it("with a rule counted from completion finishes today, whatever day was planned", () => {
    const series = { ...SATURDAYS, anchor: "completion", scheduled: "2026-11-25T09:30", due: "2026-11-26" } as const;
    const done = after(series, { today: on("2026-11-23") });
    expect(done).toMatchObject({
      recurrence: "DTSTART:20261123;FREQ=WEEKLY",
      scheduled: "2026-11-30T09:30",
      due: "2026-12-01",
    });
    expect(change(done, { today: on("2026-11-23") })).toEqual({ kind: "unchanged", day: "2026-11-23" });
  });

  it("ends after the last day, and once more closes", () => {
    const last = { ...SATURDAYS, recurrence: "DTSTART:20261107;FREQ=WEEKLY;COUNT=3" };
    const outcome = change(last, "done");
    expect(outcome).toMatchObject({ kind: "changed", day: "2026-11-21", ended: true });
    expect(outcome).not.toHaveProperty("next");
    const ended = after(last, "done");
    expect(ended.scheduled).toBe("2026-11-21");
    expect(change(ended, "done")).toEqual({ kind: "closes" });
    expect(change(ended, { occurrence: TODAY })).toEqual({ kind: "unchanged", day: TODAY });
    const anchored = { ...last, anchor: "completion", recurrence: "FREQ=WEEKLY;UNTIL=20261122" } as const;
    expect(change(after(anchored, "done"), { today: on("2026-11-25") })).toEqual({ kind: "closes" });
  });

  it("takes due, else the occurrence that today is or follows, where nothing is scheduled", () => {
    const { scheduled: _, ...bare } = { ...SATURDAYS, recurrence: "FREQ=WEEKLY", completed: [] };
    expect(change({ ...bare, due: "2026-11-19" }, "done")).toMatchObject({
      day: "2026-11-19",
      series: { recurrence: "DTSTART:20261119;FREQ=WEEKLY", scheduled: "2026-11-26", due: "2026-11-26" },
    });
    expect(change({ ...bare, created: "2026-11-17T08:00:05Z" }, "done")).toMatchObject({
      day: "2026-11-17",
      series: { recurrence: "DTSTART:20261117T080005Z;FREQ=WEEKLY", scheduled: "2026-11-24" },
    });
    const mondays = { ...bare, recurrence: "DTSTART:20261109;FREQ=WEEKLY", completed: ["2026-11-16"] };
    expect(change(mondays, "done")).toMatchObject({ day: "2026-11-09", series: { scheduled: "2026-11-23" } });
    expect(change({ ...mondays, skipped: ["2026-11-09"] }, "done")).toMatchObject({ day: "2026-11-23" });
  });

  it("lets due stay only where the setting is off and it does not fall before the next day", () => {
    const due = (day: string, movesDue: boolean) => after({ ...SATURDAYS, due: day }, { movesDue }).due;
    expect(due("2026-11-28", false)).toBe("2026-11-28");
    expect(due("2026-11-27", false)).toBe("2026-12-04");
    expect(due("2026-11-28", true)).toBe("2026-12-05");
  });

  it("needs the next day for a rule that is not understood", () => {
    const hourly = { ...SATURDAYS, recurrence: "FREQ=HOURLY", due: "2026-11-22" };
    expect(change(hourly, "done")).toEqual({
      kind: "not understood",
      understood: false,
      reason: "FREQ=HOURLY is none of DAILY, WEEKLY, MONTHLY and YEARLY.",
    });
    expect(change(hourly, { next: on("2026-12-01") })).toMatchObject({
      kind: "changed",
      day: TODAY,
      series: { recurrence: "FREQ=HOURLY", scheduled: "2026-12-01", due: "2026-12-02" },
    });
    expect([...projectedDays(hourly, TODAY, on("2027-01-01"))]).toEqual([]);
  });
});

describe("skipping", () => {
  it("moves the day into the other list, and only once", () => {
    const skipped = after(SATURDAYS, "skip");
    expect(skipped).toEqual({ ...SATURDAYS, scheduled: "2026-11-28", skipped: ["2026-11-21"] });
    expect(change(skipped, "skip")).toEqual({ kind: "unchanged", day: "2026-11-21" });
    expect(after(skipped, { occurrence: TODAY })).toMatchObject({
      completed: ["2026-11-07", "2026-11-14", "2026-11-21"],
      skipped: [],
    });
  });

  it("writes no DTSTART", () => {
    const plain = { ...SATURDAYS, recurrence: "FREQ=WEEKLY" };
    expect(after(plain, "skip").recurrence).toBe("FREQ=WEEKLY");
    expect(after({ ...plain, anchor: "completion" }, "skip").recurrence).toBe("FREQ=WEEKLY");
  });
});

describe("reopening", () => {
  it("takes the last finished day out of the list and waits for it again", () => {
    const done = after({ ...SATURDAYS, due: "2026-11-22" }, "done");
    expect(after(done, "reopen")).toEqual({ ...SATURDAYS, due: "2026-11-22" });
    expect(change(after(done, "reopen"), { action: "reopen", occurrence: TODAY })).toEqual({
      kind: "unchanged",
      day: TODAY,
    });
    expect(after(done, { action: "reopen", occurrence: on("2026-11-07") })).toEqual({
      ...done,
      completed: ["2026-11-14", "2026-11-21"],
    });
    expect(change({ ...SATURDAYS, completed: [] }, "reopen")).toEqual({ kind: "unchanged" });
  });

  it("does not roll DTSTART back", () => {
    const done = after({ ...SATURDAYS, anchor: "completion" }, "done");
    expect(after(done, "reopen").recurrence).toBe("DTSTART:20261121;FREQ=WEEKLY");
  });
});

describe("the state of a series", () => {
  it("has later days, computed", () => {
    const days = [...projectedDays({ ...SATURDAYS, skipped: ["2026-12-05"] }, TODAY, on("2026-12-20"))];
    expect(days).toEqual(["2026-11-28", "2026-12-12", "2026-12-19"]);
  });
});

describe("any series", () => {
  const rules = [
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,WE",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=DAILY;COUNT=9",
    "FREQ=WEEKLY;UNTIL=20261201",
  ];
  const localDay = fc
    .integer({ min: 1, max: 60 })
    .map((day) => new Date(Date.UTC(2026, 9, 10 + day)).toISOString().slice(0, 10));
  const series: fc.Arbitrary<RRuleSeries> = fc.record({
    recurrence: fc
      .tuple(fc.constantFrom("", "DTSTART:20261012;"), fc.constantFrom(...rules))
      .map((parts) => parts.join("")),
    anchor: fc.constantFrom("scheduled", "completion"),
    scheduled: localDay,
    due: localDay,
    completed: fc.uniqueArray(localDay, { maxLength: 4 }),
    skipped: fc.constant([]),
  });

  it("stays as it is when a named day is finished or skipped twice, and only DTSTART of its rule ever changes", () => {
    fc.assert(
      fc.property(series, localDay, fc.constantFrom("done", "skip"), fc.boolean(), (before, day, action, movesDue) => {
        const wish = { action, occurrence: on(day), movesDue } as const;
        const once = after(before, wish);
        expect(after(once, wish)).toEqual(once);
        expect(once.recurrence.replace(/^DTSTART:\w+;/, "")).toBe(before.recurrence.replace(/^DTSTART:\w+;/, ""));
        expect(once.completed.filter((each) => once.skipped.includes(each))).toEqual([]);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("is not finished twice by calls that come after each other, unless the next day has come", () => {
    fc.assert(
      fc.property(series, (before) => {
        const once = after(before, "done");
        if (once !== before && once.scheduled !== undefined && once.scheduled > TODAY)
          expect(after(once, "done")).toEqual(once);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });
});
