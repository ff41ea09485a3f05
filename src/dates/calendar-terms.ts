/** Meanings of words for days, in any language; undefined without such a day. */
import { startOfISOWeek } from "date-fns/startOfISOWeek";
import { startOfMonth } from "date-fns/startOfMonth";
import { startOfQuarter } from "date-fns/startOfQuarter";
import { startOfYear } from "date-fns/startOfYear";
import {
  addMonths,
  civilDate,
  dateOf,
  dayNumber,
  daysInMonth,
  type DayNumber,
  FIRST_DAY,
  LAST_DAY,
  numberOf,
  startOfWeek,
  type Weekday,
  weekdayOf,
} from "./days.js";

export type Span = { readonly days: number } | { readonly months: number };

export const PERIODS = ["day", "week", "month", "quarter", "year"] as const;
export type Period = (typeof PERIODS)[number];

export const PERIODICITY = {
  day: "daily",
  week: "weekly",
  month: "monthly",
  quarter: "quarterly",
  year: "yearly",
} as const satisfies Record<Period, string>;

export type CalendarPeriod = "week" | "month" | "quarter" | "year";

const STARTS = {
  week: [startOfISOWeek, { days: 7 }],
  month: [startOfMonth, { months: 1 }],
  quarter: [startOfQuarter, { months: 3 }],
  year: [startOfYear, { months: 12 }],
} as const satisfies Record<CalendarPeriod, readonly [(date: Date) => Date, Span]>;

export const WEEKDAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
export const MONTH_NAMES =
  "January February March April May June July August September October November December".split(" ");

/** `1st`, `12th`. */
export function ordinal(number: number): string {
  const isTeen = number % 100 > 10 && number % 100 < 14;
  return `${number}${isTeen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th")}`;
}

/** Leap years can be eight years apart. */
const YEARS_AWAY = 8;
const MONTHS_AWAY = 12;

export const isWritable = (day: DayNumber): boolean => day >= FIRST_DAY && day <= LAST_DAY;

export function shift(day: DayNumber, count: number, span: Span): DayNumber {
  return "days" in span ? day + count * span.days : addMonths(day, count * span.months);
}

/**
 * A weekday or date without a year: the next after a day, the last before, or the first from it on. The day itself
 * counts,
 * except for a weekday ahead.
 */
export interface Seek {
  readonly direction: "ahead" | "back" | "from";
  readonly day: DayNumber;
}

export function weekdayFrom({ direction, day }: Seek, weekday: Weekday): DayNumber {
  if (direction === "back") return startOfWeek(day, weekday);
  return startOfWeek(direction === "from" ? day - 1 : day, weekday) + 7;
}

/** ISO weeks, from today's. */
export function weekdayInWeek(today: DayNumber, weekday: Weekday, weeks: number): DayNumber {
  return startOfWeek(today) + weeks * 7 + weekday;
}

/** Weeks begin on Monday. */
export function startOfPeriod(today: DayNumber, period: CalendarPeriod, ahead: number): DayNumber {
  const [start, length] = STARTS[period];
  return shift(numberOf(start(dateOf(today))), ahead, length);
}

export function endOfPeriod(today: DayNumber, period: CalendarPeriod, ahead: number): DayNumber {
  return startOfPeriod(today, period, ahead + 1) - 1;
}

export function exactDate(year: number, month: number, day: number): DayNumber | undefined {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
    ? dayNumber(year, month, day)
    : undefined;
}

export function dayOfMonthFrom(seek: Seek, day: number): DayNumber | undefined {
  return firstOfMonths(seek, (year, month) => exactDate(year, month, day));
}

export function dateFrom(seek: Seek, month: number, day: number): DayNumber | undefined {
  return firstOfYears(seek, (year) => exactDate(year, month, day));
}

/** @param nth -1 for the last */
function nthWeekday(year: number, month: number, nth: number, weekday: Weekday): DayNumber | undefined {
  const length = daysInMonth(year, month);
  const first = dayNumber(year, month, 1);
  const day = nth < 0 ? startOfWeek(first + length - 1, weekday) : startOfWeek(first - 1, weekday) + 7 * nth;
  return day < first + length && weekdayOf(day) === weekday ? day : undefined;
}

export function nthWeekdayFrom(seek: Seek, month: number, nth: number, weekday: Weekday): DayNumber | undefined {
  return firstOfYears(seek, (year) => nthWeekday(year, month, nth, weekday));
}

/** From today's. */
export function nthWeekdayAhead(
  today: DayNumber,
  months: number,
  nth: number,
  weekday: Weekday,
): DayNumber | undefined {
  const { year, month } = civilDate(startOfPeriod(today, "month", months));
  return nthWeekday(year, month, nth, weekday);
}

export function dayOfMonthAhead(today: DayNumber, months: number, day: number): DayNumber | undefined {
  const { year, month } = civilDate(startOfPeriod(today, "month", months));
  return exactDate(year, month, day);
}

function firstOfYears(seek: Seek, candidate: (year: number) => DayNumber | undefined): DayNumber | undefined {
  const { year } = civilDate(seek.day);
  return firstOf(seek, YEARS_AWAY, (away) => candidate(year + away));
}

function firstOfMonths(
  seek: Seek,
  candidate: (year: number, month: number) => DayNumber | undefined,
): DayNumber | undefined {
  return firstOf(seek, MONTHS_AWAY, (away) => {
    const { year, month } = civilDate(startOfPeriod(seek.day, "month", away));
    return candidate(year, month);
  });
}

function firstOf(
  { direction, day }: Seek,
  most: number,
  candidate: (away: number) => DayNumber | undefined,
): DayNumber | undefined {
  const sign = direction === "back" ? -1 : 1;
  for (let away = 0; away <= most; away += 1) {
    const found = candidate(sign * away);
    if (found !== undefined && sign * (found - day) >= 0) return found;
  }
  return undefined;
}
