/** Calendar days as integers from 1970-01-01, computed by date-fns in UTC so that no time zone matters; days written in figures. */
import { UTCDateMini } from "@date-fns/utc/date/mini";
import { addMonths as monthsLater } from "date-fns/addMonths";
import { getDaysInMonth } from "date-fns/getDaysInMonth";
import { getDaysInYear } from "date-fns/getDaysInYear";
import { getISODay } from "date-fns/getISODay";
import { getWeek } from "date-fns/getWeek";
import { getWeekYear } from "date-fns/getWeekYear";
import { startOfWeek as weekOf } from "date-fns/startOfWeek";
import { type LocalDate, type Clock, parseLocalDate } from "../clock.js";

export type DayNumber = number;

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Monday = 0, Sunday = 6. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const DAY_MS = 24 * 60 * 60 * 1000;

export const dateOf = (number: DayNumber): Date => new UTCDateMini(number * DAY_MS);
export const numberOf = (date: Date): DayNumber => date.getTime() / DAY_MS;

/** Day 0 or 32 is in an adjacent month. */
export function dayNumber(year: number, month: number, day: number): DayNumber {
  return new UTCDateMini(0).setFullYear(year, month - 1, day) / DAY_MS;
}

/** Range of `YYYY-MM-DD`. */
export const FIRST_DAY = dayNumber(1, 1, 1);
export const LAST_DAY = dayNumber(9999, 12, 31);

export function civilDate(number: DayNumber): CivilDate {
  const date = dateOf(number);
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}

export const daysInMonth = (year: number, month: number): number => getDaysInMonth(dateOf(dayNumber(year, month, 1)));

export const daysInYear = (year: number): number => getDaysInYear(dateOf(dayNumber(year, 1, 1)));

export const dayOfYear = ({ year, month, day }: CivilDate): number =>
  dayNumber(year, month, day) - dayNumber(year, 1, 1) + 1;

export const weekdayOf = (number: DayNumber): Weekday => (getISODay(dateOf(number)) - 1) as Weekday;

export function startOfWeek(number: DayNumber, firstWeekday: Weekday = 0): DayNumber {
  return numberOf(weekOf(dateOf(number), { weekStartsOn: ((firstWeekday + 1) % 7) as Weekday }));
}

/** It belongs to the year with at least four of its days. @returns its number, and that of weeks */
export function weekOfYear(
  number: DayNumber,
  firstWeekday: Weekday,
): { readonly week: number; readonly weeks: number } {
  const options = { weekStartsOn: ((firstWeekday + 1) % 7) as Weekday, firstWeekContainsDate: 4 } as const;
  const year = getWeekYear(dateOf(number), options);
  return {
    week: getWeek(dateOf(number), options),
    weeks: getWeek(dateOf(dayNumber(year, 12, 28)), options),
  };
}

/** Limited to the month's last day. */
export const addMonths = (number: DayNumber, months: number): DayNumber =>
  numberOf(monthsLater(dateOf(number), months));

export const toDayNumber = (date: LocalDate): DayNumber => Date.parse(date) / DAY_MS;

export const toLocalDate = (number: DayNumber): LocalDate => dateOf(number).toISOString().slice(0, 10) as LocalDate;

/** Within 36 hours of midnight UTC. */
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

export interface ReadDay {
  readonly day: LocalDate;
  /** As written: `T18:00:00Z`. */
  readonly time?: string;
  readonly inWords: boolean;
}

const ISO_DATE = /^(\d{4})([-/])(\d{2})\2(\d{2})$/;
const ISO_DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[t ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d{2}(?::?\d{2})?)?)$/;

export function parseWrittenDay(text: string): ReadDay | undefined {
  const plain = plainDay(text);
  const date = ISO_DATE.exec(plain);
  const dateTime = date ? undefined : ISO_DATE_TIME.exec(plain);
  const day = parseLocalDate(date ? `${date[1]}-${date[3]}-${date[4]}` : (dateTime?.[1] ?? ""));
  if (day === undefined) return undefined;
  return { day, inWords: false, ...(dateTime?.[2] === undefined ? {} : { time: `T${dateTime[2].toUpperCase()}` }) };
}

/** A text of several lines is no day. */
export const plainDay = (text: string): string =>
  text
    .replace(/^[ \t]+|[ \t]+$/g, "")
    .toLowerCase()
    .replace(/[ \t]+/g, " ")
    .replace(/ ?, ?/g, ", ");
