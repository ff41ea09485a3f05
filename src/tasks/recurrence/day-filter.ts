/** Which days of a period a rule's BY parts accept. */
import {
  daysBeforeMonth,
  daysInMonth,
  daysInYear,
  type DayNumber,
  dayNumber,
  type Weekday,
  startOfWeek,
  weekdayOf,
  yearOf,
} from "../../dates/day-number.js";
import type { RecurrenceRule } from "./recurrence-rule.js";

/**
 * A day must pass every part. This is how `rrule`, which TaskNotes uses, combines them: programs on one vault must
 * compute the same days.
 */
export class DayFilter {
  readonly #rule: RecurrenceRule;
  readonly #months: ReadonlySet<number> | undefined;
  readonly #weekdays: ReadonlySet<Weekday> | undefined;
  readonly #ordinals: readonly { readonly weekday: Weekday; readonly ordinal: number }[];
  readonly #ordinalsOfYear: boolean;

  constructor(rule: RecurrenceRule) {
    const { frequency, byDay, byMonth } = rule;
    const ordinalsCount = frequency === "MONTHLY" || frequency === "YEARLY";
    const plain = byDay.filter(({ ordinal }) => ordinal === undefined || !ordinalsCount);
    this.#rule = rule;
    this.#months = byMonth.length > 0 ? new Set(byMonth) : undefined;
    this.#weekdays = plain.length > 0 ? new Set(plain.map(({ weekday }) => weekday)) : undefined;
    this.#ordinals = ordinalsCount
      ? byDay.flatMap(({ weekday, ordinal }) => (ordinal === undefined ? [] : [{ weekday, ordinal }]))
      : [];
    this.#ordinalsOfYear = frequency === "YEARLY" && byMonth.length === 0;
  }

  allowsMonth(month: number): boolean {
    return this.#months === undefined || this.#months.has(month);
  }

  passes(number: DayNumber, year: number, month: number, day: number): boolean {
    const { byMonthDay, byYearDay, byWeekNo } = this.#rule;
    return (
      this.allowsMonth(month) &&
      (this.#weekdays === undefined || this.#weekdays.has(weekdayOf(number))) &&
      (byMonthDay.length === 0 || isListed(byMonthDay, day, daysInMonth(year, month))) &&
      (this.#ordinals.length === 0 || this.#isNthWeekday(weekdayOf(number), year, month, day)) &&
      (byYearDay.length === 0 || isListed(byYearDay, daysBeforeMonth(year, month) + day, daysInYear(year))) &&
      (byWeekNo.length === 0 || this.#isInWeek(number))
    );
  }

  #isNthWeekday(weekday: Weekday, year: number, month: number, day: number): boolean {
    const place = this.#ordinalsOfYear ? daysBeforeMonth(year, month) + day : day;
    const length = this.#ordinalsOfYear ? daysInYear(year) : daysInMonth(year, month);
    const fromStart = Math.ceil(place / 7);
    const fromEnd = -Math.ceil((length - place + 1) / 7);
    return this.#ordinals.some(
      (each) => each.weekday === weekday && (each.ordinal === fromStart || each.ordinal === fromEnd),
    );
  }

  /** A week belongs to the year with at least four of its days. */
  #isInWeek(number: DayNumber): boolean {
    const { byWeekNo, weekStart } = this.#rule;
    const middle = startOfWeek(number, weekStart) + 3;
    const year = yearOf(middle);
    const lastMiddle = startOfWeek(dayNumber(year, 12, 31), ((weekStart + 3) % 7) as Weekday);
    const weekOf = (day: DayNumber) => Math.floor((day - dayNumber(year, 1, 1)) / 7) + 1;
    return isListed(byWeekNo, weekOf(middle), weekOf(lastMiddle));
  }
}

/** Positions are from the start or, when negative, from the end. */
function isListed(list: readonly number[], place: number, length: number): boolean {
  return list.includes(place) || list.includes(place - length - 1);
}
