/** English words for days and ranges of days: one table of forms and their meanings. */
import {
  type CalendarPeriod,
  endOfPeriod,
  exactDate,
  nextDate,
  nextDayOfMonth,
  nextNthWeekday,
  nextWeekday,
  nthWeekdayAhead,
  shift,
  type Span,
  startOfPeriod,
  weekdayInWeek,
} from "./calendar-terms.js";
import type { DayNumber, Weekday } from "./day-number.js";

export interface SlotValues {
  readonly count: number;
  readonly unit: Span;
  readonly weekday: Weekday;
  readonly month: number;
  readonly monthNumber: number;
  /** `15` or `15th`. */
  readonly day: number;
  /** `1st` or `first`. */
  readonly nth: number;
  readonly year: number;
  readonly period: CalendarPeriod;
}

export type Slot = keyof SlotValues;

export interface SlotWords {
  readonly words: ReadonlyMap<string, SlotValues[Slot]>;
  readonly digits?: string;
}

export type DayForm = readonly [form: string, meaning: (slots: SlotValues, today: DayNumber) => DayNumber | undefined];
type RangeForm = readonly [
  form: string,
  meaning: (slots: SlotValues, today: DayNumber) => readonly [from: DayNumber, to: DayNumber],
];

export type Slots = Readonly<Partial<Record<Slot, SlotWords>>>;

interface Language {
  readonly slots: Slots;
  readonly days: readonly DayForm[];
  readonly ranges: readonly RangeForm[];
  /** Before a day: all earlier or later days. */
  readonly before: string;
  readonly after: string;
  readonly named: ReadonlyMap<string, "overdue" | "none" | "any">;
}

const PART = "[ (morning|afternoon|evening|night)]";

const COUNTS = spelled([
  ["a an one", 1],
  ["two", 2],
  ["three", 3],
  ["four", 4],
  ["five", 5],
  ["six", 6],
  ["seven", 7],
  ["eight", 8],
  ["nine", 9],
  ["ten", 10],
  ["eleven", 11],
  ["twelve", 12],
]);

const ORDINALS = spelled([
  ["first", 1],
  ["second", 2],
  ["third", 3],
  ["fourth", 4],
  ["fifth", 5],
  ["sixth", 6],
  ["seventh", 7],
  ["eighth", 8],
  ["ninth", 9],
  ["tenth", 10],
  ["eleventh", 11],
  ["twelfth", 12],
]);

export const WEEKDAY_WORDS = spelled<Weekday>([
  ["monday mon", 0],
  ["tuesday tues tue", 1],
  ["wednesday wed", 2],
  ["thursday thurs thur thu", 3],
  ["friday fri", 4],
  ["saturday sat", 5],
  ["sunday sun", 6],
]);

export const MONTH_WORDS = spelled([
  ["january jan", 1],
  ["february feb", 2],
  ["march mar", 3],
  ["april apr", 4],
  ["may", 5],
  ["june jun", 6],
  ["july jul", 7],
  ["august aug", 8],
  ["september sept sep", 9],
  ["october oct", 10],
  ["november nov", 11],
  ["december dec", 12],
]);

const UNITS = spelled<Span>([
  ["day days", { days: 1 }],
  ["week weeks", { days: 7 }],
  ["fortnight fortnights", { days: 14 }],
  ["month months", { months: 1 }],
  ["year years", { months: 12 }],
]);

const PERIODS = spelled<CalendarPeriod>([
  ["week", "week"],
  ["month", "month"],
  ["quarter", "quarter"],
  ["year", "year"],
]);

/** In forms, `{slot}` is a slot, `[...]` is optional, and `(a|b)` is a choice. */
export const ENGLISH: Language = {
  slots: {
    count: { words: COUNTS, digits: "\\d{1,6}" },
    unit: { words: UNITS },
    weekday: { words: WEEKDAY_WORDS },
    month: { words: MONTH_WORDS },
    day: { words: ORDINALS, digits: "\\d{1,2}(?:st|nd|rd|th)?" },
    nth: { words: ORDINALS, digits: "\\d{1,2}(?:st|nd|rd|th)" },
    year: { words: new Map(), digits: "\\d{4}" },
    period: { words: PERIODS },
  },
  days: [
    ["(today|tonight)", (_, today) => today],
    [`tomorrow${PART}`, (_, today) => today + 1],
    ["[the ]day after tomorrow", (_, today) => today + 2],
    ["yesterday", (_, today) => today - 1],
    ["[the ]day before yesterday", (_, today) => today - 2],
    [`{weekday}${PART}`, ({ weekday }, today) => nextWeekday(today, weekday)],
    [`this {weekday}${PART}`, ({ weekday }, today) => weekdayInWeek(today, weekday, 0)],
    [`next {weekday}${PART}`, ({ weekday }, today) => weekdayInWeek(today, weekday, 1)],
    ["last {weekday}", ({ weekday }, today) => weekdayInWeek(today, weekday, -1)],
    ["(in |\\+ ?){count} {unit}", ({ count, unit }, today) => shift(today, count, unit)],
    ["{count} {unit} from now", ({ count, unit }, today) => shift(today, count, unit)],
    ["{count} {unit} ago", ({ count, unit }, today) => shift(today, -count, unit)],
    ["next week", (_, today) => startOfPeriod(today, "week", 1)],
    ["next month", (_, today) => startOfPeriod(today, "month", 1)],
    ["next year", (_, today) => startOfPeriod(today, "year", 1)],
    ["start of {period}", ({ period }, today) => startOfPeriod(today, period, 0)],
    ["start of next {period}", ({ period }, today) => startOfPeriod(today, period, 1)],
    ["end of {period}", ({ period }, today) => endOfPeriod(today, period, 0)],
    ["end of next {period}", ({ period }, today) => endOfPeriod(today, period, 1)],
    ["[the ]{nth}", ({ nth }, today) => nextDayOfMonth(today, nth)],
    ["[the ]{nth} of {month}", ({ nth, month }, today) => nextDate(today, month, nth)],
    ["{month} {day}", ({ month, day }, today) => nextDate(today, month, day)],
    ["{day} {month}", ({ month, day }, today) => nextDate(today, month, day)],
    ["{month} {day}[,] {year}", ({ year, month, day }) => exactDate(year, month, day)],
    ["{day} {month} {year}", ({ year, month, day }) => exactDate(year, month, day)],
    [
      "[the ]{nth} {weekday} of {month}",
      ({ nth, weekday, month }, today) => nextNthWeekday(today, month, nth, weekday),
    ],
    ["[the ]{nth} {weekday} of next month", ({ nth, weekday }, today) => nthWeekdayAhead(today, 1, nth, weekday)],
    ["[the ]{nth} {weekday} of [this ]month", ({ nth, weekday }, today) => nthWeekdayAhead(today, 0, nth, weekday)],
    ["[the ]last {weekday} of {month}", ({ weekday, month }, today) => nextNthWeekday(today, month, -1, weekday)],
    ["[the ]last {weekday} of next month", ({ weekday }, today) => nthWeekdayAhead(today, 1, -1, weekday)],
    ["[the ]last {weekday} of [this ]month", ({ weekday }, today) => nthWeekdayAhead(today, 0, -1, weekday)],
  ],
  // `this week` means the next seven days, as in scan_vault; other ranges are calendar weeks and months.
  ranges: [
    ["this week", (_, today) => [today, today + 7]],
    ["next {count} (day|days)", ({ count }, today) => [today, today + count]],
    ["last {count} (day|days)", ({ count }, today) => [today - count, today]],
    ["next week", (_, today) => [startOfPeriod(today, "week", 1), endOfPeriod(today, "week", 1)]],
    ["last week", (_, today) => [startOfPeriod(today, "week", -1), endOfPeriod(today, "week", -1)]],
    ["this month", (_, today) => [startOfPeriod(today, "month", 0), endOfPeriod(today, "month", 0)]],
    ["next month", (_, today) => [startOfPeriod(today, "month", 1), endOfPeriod(today, "month", 1)]],
    ["last month", (_, today) => [startOfPeriod(today, "month", -1), endOfPeriod(today, "month", -1)]],
  ],
  before: "before",
  after: "after",
  named: new Map([
    ["overdue", "overdue"],
    ["none", "none"],
    ["any", "any"],
  ]),
};

export function spelled<Value>(
  rows: readonly (readonly [spellings: string, value: Value])[],
): ReadonlyMap<string, Value> {
  return new Map(rows.flatMap(([spellings, value]) => spellings.split(" ").map((word) => [word, value] as const)));
}
