/** Computes a rule's days by division, from any day. BY parts combine as in `rrule`, which TaskNotes uses. */
import {
  addMonths,
  type CivilDate,
  civilDate,
  dayNumber,
  dayOfYear,
  daysInMonth,
  daysInYear,
  type DayNumber,
  LAST_DAY,
  startOfWeek,
  type Weekday,
  weekdayOf,
  weekOfYear,
} from "../../dates/days.js";
import type { RecurrenceRule, RuleWeekday } from "./recurrence-rule.js";
import { clampsToMonth, type WordRule } from "./rule-words.js";

/** Both limits must be exceeded: rare days of frequent rules are found. */
const PERIODS_SEARCHED = 1000;
const DAYS_SEARCHED = 36_525;

/** A larger COUNT counts as endless. */
const MAX_COUNTED = 36_525;

type Accepts = (day: DayNumber) => boolean;

const everyDay: Accepts = () => true;

/** Period 0 contains the first day. */
export class Occurrences {
  readonly #rule: RecurrenceRule;
  readonly #start: DayNumber;
  readonly #origin: DayNumber;
  #last: DayNumber | undefined;

  /** @param start an occurrence only if the rule includes it */
  constructor(rule: RecurrenceRule, start: DayNumber) {
    this.#rule = withDefaults(rule, start);
    this.#start = start;
    this.#origin = originOf(this.#rule, start);
  }

  includes(day: DayNumber): boolean {
    return day >= this.#start && day <= this.#lastDay() && this.#daysOf(this.#periodOf(day)).includes(day);
  }

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
        nearest = day;
        empty = -1;
      }
    }
  }

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

  #later(period: number): number {
    const day = this.#firstDayOf(period + 1);
    const { year, month } = civilDate(day);
    if (this.#rule.frequency !== "DAILY" || allowsMonth(this.#rule, month)) return period + 1;
    return this.#periodOf(dayNumber(year, month + 1, 0)) + 1;
  }

  #earlier(period: number): number {
    const day = this.#firstDayOf(period - 1);
    const { year, month } = civilDate(day);
    if (this.#rule.frequency !== "DAILY" || allowsMonth(this.#rule, month)) return period - 1;
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
    const next = first + lengthOfPeriod(this.#rule, first);
    const days: DayNumber[] = [];
    // As in `rrule`, positions in the first week count from the rule's start.
    let day = this.#rule.frequency === "WEEKLY" ? Math.max(first, this.#start) : first;
    for (; day < next; day += 1) {
      const date = civilDate(day);
      if (!allowsMonth(this.#rule, date.month)) day += daysInMonth(date.year, date.month) - date.day;
      else if (isDayOf(this.#rule, day, date)) days.push(day);
    }
    return days;
  }
}

/** RFC 5545: the first day supplies missing BY parts. */
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

/** As in `rrule`, a position before the first day means the first. */
function atPositions(days: readonly DayNumber[], positions: readonly number[]): DayNumber[] {
  const chosen = positions.flatMap(
    (position) => (position > 0 ? days[position - 1] : days.at(Math.max(position, -days.length))) ?? [],
  );
  return [...new Set(chosen)].sort((a, b) => a - b);
}

function lengthOfPeriod({ frequency }: RecurrenceRule, first: DayNumber): number {
  if (frequency === "DAILY") return 1;
  if (frequency === "WEEKLY") return 7;
  const { year, month } = civilDate(first);
  return frequency === "MONTHLY" ? daysInMonth(year, month) : daysInYear(year);
}

const allowsMonth = ({ byMonth }: RecurrenceRule, month: number): boolean =>
  byMonth.length === 0 || byMonth.includes(month);

/** But BYMONTH and BYSETPOS. */
function isDayOf(rule: RecurrenceRule, number: DayNumber, date: CivilDate): boolean {
  const { byDay, byMonthDay, byYearDay, byWeekNo } = rule;
  const { year, month, day } = date;
  return (
    (byMonthDay.length === 0 || isListed(byMonthDay, day, daysInMonth(year, month))) &&
    (byDay.length === 0 || isWeekdayOf(rule, weekdayOf(number), date)) &&
    (byYearDay.length === 0 || isListed(byYearDay, dayOfYear(date), daysInYear(year))) &&
    (byWeekNo.length === 0 || isInWeek(rule, number))
  );
}

/** If a rule has weekdays with and without ordinals, both must match. */
function isWeekdayOf({ frequency, byDay, byMonth }: RecurrenceRule, weekday: Weekday, date: CivilDate): boolean {
  const named = byDay.filter((each) => each.weekday === weekday);
  // Daily and weekly rules ignore ordinals.
  if (named.length === 0 || frequency === "DAILY" || frequency === "WEEKLY") return named.length > 0;
  const isOfYear = frequency === "YEARLY" && byMonth.length === 0;
  const { year, month, day } = date;
  const place = isOfYear ? dayOfYear(date) : day;
  const length = isOfYear ? daysInYear(year) : daysInMonth(year, month);
  const fromStart = Math.ceil(place / 7);
  const fromEnd = -Math.ceil((length - place + 1) / 7);
  const isPlain = ({ ordinal }: RuleWeekday): boolean => ordinal === undefined;
  const isNth = ({ ordinal }: RuleWeekday): boolean => ordinal === fromStart || ordinal === fromEnd;
  return (!byDay.some(isPlain) || named.some(isPlain)) && (byDay.every(isPlain) || named.some(isNth));
}

function isInWeek({ byWeekNo, weekStart }: RecurrenceRule, number: DayNumber): boolean {
  const { week, weeks } = weekOfYear(number, weekStart);
  return isListed(byWeekNo, week, weeks);
}

/** Negative positions count from the end. */
function isListed(list: readonly number[], place: number, length: number): boolean {
  return list.includes(place) || list.includes(place - length - 1);
}

/** A rule in words restarts at each day. */
export function nextByWords({ rule }: WordRule, day: DayNumber): DayNumber | undefined {
  if (!clampsToMonth(rule)) return new Occurrences(rule, day).next(day + 1);
  const next = addMonths(day, rule.interval * (rule.frequency === "YEARLY" ? 12 : 1));
  const { until = LAST_DAY, count = 2 } = rule;
  return next <= until && count > 1 ? next : undefined;
}
