/** Calendar days as integers, counted from 1970-01-01 in the Gregorian calendar, without time zones. */
import type { LocalDate, Clock } from "../clock.js";

/** Days since 1970-01-01; negative before it. */
export type DayNumber = number;

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Monday = 0, Sunday = 6. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const;
/** Days from 0001-01-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_162;
const DAYS_IN_400_YEARS = 146_097;

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export const daysInYear = (year: number): number => (isLeapYear(year) ? 366 : 365);

/** Month 13 gives the whole year. */
export function daysBeforeMonth(year: number, month: number): number {
  return (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0);
}

export function daysInMonth(year: number, month: number): number {
  return daysBeforeMonth(year, month + 1) - daysBeforeMonth(year, month);
}

/** Day 0 or 32 is in an adjacent month. */
export function dayNumber(year: number, month: number, day: number): DayNumber {
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  return past * 365 + leapDays + daysBeforeMonth(year, month) + day - 1 - DAYS_TO_EPOCH;
}

/** Range of `YYYY-MM-DD`. */
export const FIRST_DAY = dayNumber(1, 1, 1);
export const LAST_DAY = dayNumber(9999, 12, 31);

export function civilDate(number: DayNumber): CivilDate {
  const year = yearOf(number);
  const dayOfYear = number - dayNumber(year, 1, 1);
  // Right or one too low: no month has more than 31 days.
  let month = Math.floor(dayOfYear / 31) + 1;
  if (dayOfYear >= daysBeforeMonth(year, month + 1)) month += 1;
  return { year, month, day: dayOfYear - daysBeforeMonth(year, month) + 1 };
}

export function yearOf(number: DayNumber): number {
  const estimate = Math.floor(((number + DAYS_TO_EPOCH) * 400) / DAYS_IN_400_YEARS) + 1;
  if (number < dayNumber(estimate, 1, 1)) return estimate - 1;
  return number < dayNumber(estimate + 1, 1, 1) ? estimate : estimate + 1;
}

export function weekdayOf(number: DayNumber): Weekday {
  return positiveModulo(number + 3, 7) as Weekday;
}

export function startOfWeek(number: DayNumber, firstWeekday: Weekday = 0): DayNumber {
  return number - positiveModulo(weekdayOf(number) - firstWeekday, 7);
}

/** Limited to the month's last day. */
export function addMonths(number: DayNumber, months: number): DayNumber {
  const { year, month, day } = civilDate(number);
  const index = year * 12 + month - 1 + months;
  const [laterYear, laterMonth] = [Math.floor(index / 12), positiveModulo(index, 12) + 1];
  return dayNumber(laterYear, laterMonth, Math.min(day, daysInMonth(laterYear, laterMonth)));
}

export function toDayNumber(date: LocalDate): DayNumber {
  return dayNumber(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)));
}

export function toLocalDate(number: DayNumber): LocalDate {
  const { year, month, day } = civilDate(number);
  return `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}` as LocalDate;
}

const twoDigits = (part: number): string => String(part).padStart(2, "0");

const positiveModulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first millisecond of a day in the clock's zone. It is within 36 hours of midnight UTC. */
export function startOfDay(date: LocalDate, clock: Clock): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let [low, high] = [midnight - 1.5 * DAY_MS, midnight + 1.5 * DAY_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (clock.dayOf(middle) >= date) high = middle;
    else low = middle + 1;
  }
  return low;
}
