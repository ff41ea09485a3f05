/** The days of a rule, computed from any day by division instead of iteration. */
import {
  addMonths,
  civilDate,
  dayNumber,
  daysInMonth,
  type DayNumber,
  LAST_DAY,
  startOfWeek,
  weekdayOf,
} from "../../dates/day-number.js";
import { DayFilter } from "./day-filter.js";
import type { RecurrenceRule } from "./recurrence-rule.js";

/** A search ends after this many empty periods and years (both), so that rare days of frequent rules are found. */
const PERIODS_SEARCHED = 1000;
const DAYS_SEARCHED = 36_525;

/** A larger COUNT (over 100 years of days) counts as endless. */
const MAX_COUNTED = 36_525;

const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;

type Accepts = (day: DayNumber) => boolean;

const everyDay: Accepts = () => true;

/** Period 0 is the day, week, month or year of the first day. */
export class Occurrences {
  readonly #rule: RecurrenceRule;
  readonly #start: DayNumber;
  readonly #filter: DayFilter;
  readonly #origin: DayNumber;
  #last: DayNumber | undefined;

  /** @param start the day from which the rule counts; an occurrence only if the rule includes it */
  constructor(rule: RecurrenceRule, start: DayNumber) {
    this.#rule = withDefaults(rule, start);
    this.#start = start;
    this.#filter = new DayFilter(this.#rule);
    this.#origin = originOf(this.#rule, start);
  }

  includes(day: DayNumber): boolean {
    return day >= this.#start && day <= this.#lastDay() && this.#daysOf(this.#periodOf(day)).includes(day);
  }

  /** The first accepted occurrence on or after a day. */
  next(from: DayNumber, accepts: Accepts = everyDay): DayNumber | undefined {
    for (const day of this.from(from)) if (accepts(day)) return day;
    return undefined;
  }

  previous(before: DayNumber, accepts: Accepts = everyDay): DayNumber | undefined {
    const from = Math.min(before - 1, this.#lastDay());
    let nearest = from;
    for (let period = this.#periodOf(from), empty = 0; period >= 0; period = this.#earlier(period), empty += 1) {
      if (empty > PERIODS_SEARCHED && nearest - this.#firstDayOf(period) > DAYS_SEARCHED) return undefined;
      const days = this.#daysOf(period).filter((day) => day <= from);
      const found = days.findLast(accepts);
      if (found !== undefined) return found;
      if (days[0] !== undefined) [nearest, empty] = [days[0], -1];
    }
    return undefined;
  }

  from(from: DayNumber): Generator<DayNumber, void> {
    return this.#walk(from, this.#lastDay());
  }

  *#walk(from: DayNumber, last: DayNumber): Generator<DayNumber, void> {
    const first = Math.max(from, this.#start);
    let nearest = first;
    for (let period = this.#periodOf(first), empty = 0; ; period = this.#later(period), empty += 1) {
      const begin = this.#firstDayOf(period);
      if (begin > last || (empty > PERIODS_SEARCHED && begin - nearest > DAYS_SEARCHED)) return;
      for (const day of this.#daysOf(period)) {
        if (day > last) return;
        if (day < first) continue;
        yield day;
        [nearest, empty] = [day, -1];
      }
    }
  }

  /** COUNT is converted to such a day once. */
  #lastDay(): DayNumber {
    return (this.#last ??= this.#findLastDay());
  }

  #findLastDay(): DayNumber {
    const { until = LAST_DAY, count } = this.#rule;
    const last = Math.min(until, LAST_DAY);
    if (count === undefined || count > MAX_COUNTED) return last;
    let met = 0;
    for (const day of this.#walk(this.#start, last)) {
      met += 1;
      if (met === count) return day;
    }
    return last;
  }

  #periodOf(day: DayNumber): number {
    const { frequency, interval } = this.#rule;
    if (frequency === "DAILY") return Math.floor((day - this.#origin) / interval);
    if (frequency === "WEEKLY") return Math.floor((day - this.#origin) / (7 * interval));
    const [now, then] = [civilDate(day), civilDate(this.#origin)];
    if (frequency === "YEARLY") return Math.floor((now.year - then.year) / interval);
    return Math.floor(((now.year - then.year) * 12 + now.month - then.month) / interval);
  }

  #firstDayOf(period: number): DayNumber {
    const { frequency, interval } = this.#rule;
    if (frequency === "DAILY") return this.#origin + period * interval;
    if (frequency === "WEEKLY") return this.#origin + period * interval * 7;
    return addMonths(this.#origin, period * interval * (frequency === "YEARLY" ? 12 : 1));
  }

  /** The next period to search; skips months that are excluded. */
  #later(period: number): number {
    const day = this.#firstDayOf(period + 1);
    const { year, month } = civilDate(day);
    if (this.#rule.frequency !== "DAILY" || this.#filter.allowsMonth(month)) return period + 1;
    return this.#periodOf(dayNumber(year, month + 1, 0)) + 1;
  }

  #earlier(period: number): number {
    const day = this.#firstDayOf(period - 1);
    const { year, month } = civilDate(day);
    if (this.#rule.frequency !== "DAILY" || this.#filter.allowsMonth(month)) return period - 1;
    return this.#periodOf(dayNumber(year, month, 0));
  }

  #daysOf(period: number): readonly DayNumber[] {
    const days = this.#candidates(period);
    const { bySetPos } = this.#rule;
    const chosen = bySetPos.length > 0 ? atPositions(days, bySetPos) : days;
    return period === 0 ? chosen.filter((day) => day >= this.#start) : chosen;
  }

  #candidates(period: number): DayNumber[] {
    const first = this.#firstDayOf(period);
    const { year, month, day } = civilDate(first);
    const { frequency, byMonth } = this.#rule;
    if (frequency === "DAILY") return this.#filter.passes(first, year, month, day) ? [first] : [];
    if (frequency === "WEEKLY") return this.#daysOfWeek(first);
    if (frequency === "MONTHLY") return this.#daysOfMonth(year, month);
    return (byMonth.length > 0 ? byMonth : ALL_MONTHS).flatMap((each) => this.#daysOfMonth(year, each));
  }

  /** Positions in the first week count from the first day, as in `rrule`. */
  #daysOfWeek(first: DayNumber): DayNumber[] {
    const days: DayNumber[] = [];
    for (let number = Math.max(first, this.#start); number < first + 7; number += 1) {
      const { year, month, day } = civilDate(number);
      if (this.#filter.passes(number, year, month, day)) days.push(number);
    }
    return days;
  }

  #daysOfMonth(year: number, month: number): DayNumber[] {
    if (!this.#filter.allowsMonth(month)) return [];
    const days: DayNumber[] = [];
    const before = dayNumber(year, month, 0);
    const length = daysInMonth(year, month);
    for (let day = 1; day <= length; day += 1) {
      if (this.#filter.passes(before + day, year, month, day)) days.push(before + day);
    }
    return days;
  }
}

/** A rule without days takes them from its first day. */
function withDefaults(rule: RecurrenceRule, start: DayNumber): RecurrenceRule {
  const { frequency, byDay, byMonthDay, byYearDay, byWeekNo, byMonth } = rule;
  if (byDay.length + byMonthDay.length + byYearDay.length + byWeekNo.length > 0) return rule;
  const { month, day } = civilDate(start);
  if (frequency === "WEEKLY") return { ...rule, byDay: [{ weekday: weekdayOf(start) }] };
  if (frequency === "MONTHLY") return { ...rule, byMonthDay: [day] };
  if (frequency === "DAILY") return rule;
  return { ...rule, byMonthDay: [day], byMonth: byMonth.length > 0 ? byMonth : [month] };
}

function originOf({ frequency, weekStart }: RecurrenceRule, start: DayNumber): DayNumber {
  const { year, month } = civilDate(start);
  if (frequency === "DAILY") return start;
  if (frequency === "WEEKLY") return startOfWeek(start, weekStart);
  return dayNumber(year, frequency === "MONTHLY" ? month : 1, 1);
}

/** A position before the first day means the first, as in `rrule`. */
function atPositions(days: readonly DayNumber[], positions: readonly number[]): DayNumber[] {
  const chosen = positions.flatMap(
    (position) => (position > 0 ? days[position - 1] : days.at(Math.max(position, -days.length))) ?? [],
  );
  return [...new Set(chosen)].sort((a, b) => a - b);
}
